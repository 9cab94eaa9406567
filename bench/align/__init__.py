"""Aligning quotes."""
