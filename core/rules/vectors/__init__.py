"""Cached vectors of rules and of calls."""
