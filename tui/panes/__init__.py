"""The panes of the workbench, one folder each."""
