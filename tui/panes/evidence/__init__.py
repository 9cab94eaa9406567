"""The Evidence pane: quotes of entries, reviewed next to their messages."""
