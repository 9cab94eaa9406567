"""The Errors pane: search errors and their fixes."""
