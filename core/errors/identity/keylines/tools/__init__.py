"""Key-line entries, one module for each family of tools."""
