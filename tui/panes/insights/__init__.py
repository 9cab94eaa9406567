"""The Insights pane: what failed, what it cost, what came back, what helped."""
