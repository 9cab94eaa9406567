"""Readers of files: bytes to text, text to blocks. They know no store, no model and no chunker."""
