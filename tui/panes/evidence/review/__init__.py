"""Decisions about quotes and entries."""
