"""Documents, passages, hits and answers as content."""
