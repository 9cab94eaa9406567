"""The library: notes, documents and code, split into passages that can be searched and cited by line."""
