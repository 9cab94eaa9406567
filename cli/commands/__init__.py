"""The commands, one module or folder for each group."""
