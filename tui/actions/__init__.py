"""The action registry: ids, keys, scopes, and what each pane declares."""
