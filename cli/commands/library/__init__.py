"""`casebook library`."""
