"""The commands that connect agents: their hooks, the plugin, and the block in their files."""
