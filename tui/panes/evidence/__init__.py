"""The Evidence pane: the quotes that entries rest on, reviewed beside the messages they were taken from."""
