"""Checks of an answer's sentences against the passages they cite."""
