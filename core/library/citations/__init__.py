"""Citations: their text form, anchors that follow edits, and their rows."""
