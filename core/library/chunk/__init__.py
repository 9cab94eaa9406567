"""Blocks to passages. Chunkers know no store, no model and no parser."""
