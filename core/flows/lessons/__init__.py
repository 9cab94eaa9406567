"""Lessons that an agent records itself, checked against what its session shows."""
