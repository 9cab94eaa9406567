"""Lessons: the structured statement of a fix, for a person and for an agent alike."""
