"""Stored documents: ids, blocks, rows, pages, and a document opened at a citation."""
