"""Quotes and entries as content."""
