"""Differences between a quote and its source, in words."""
