"""What every pane is made of: its screen, its list, its memory."""
