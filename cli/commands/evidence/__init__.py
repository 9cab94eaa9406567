"""`casebook evidence`."""
