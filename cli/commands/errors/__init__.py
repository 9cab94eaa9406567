"""`casebook errors`."""
