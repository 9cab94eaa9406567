"""Stored tool calls: search, paging, and a call typed by a person."""
