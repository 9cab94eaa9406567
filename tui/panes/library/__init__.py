"""The Library pane: where does it say so? What was ingested, searched as one types, read at the cited lines."""
