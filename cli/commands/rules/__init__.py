"""`casebook rules` and its sub-commands."""
