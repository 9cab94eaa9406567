"""Stored cases: rows, occurrences, resolutions, tags, derived columns."""
