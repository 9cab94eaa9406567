"""Ingest, search and asking."""
