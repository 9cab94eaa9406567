"""A sixth pane, made as an exercise: what a new pane takes is this folder, and one line in `tui.actions.registry`."""
