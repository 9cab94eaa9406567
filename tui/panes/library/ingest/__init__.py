"""Ingest from within the workbench: its process, queries and control."""
