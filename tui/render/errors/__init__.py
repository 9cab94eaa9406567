"""Cases, fixes, their history and curation as content."""
