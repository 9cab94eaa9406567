"""Terminal input and output below Textual: parsing, key order, paste, signals."""
