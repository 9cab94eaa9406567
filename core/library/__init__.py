"""The library: what stands in notes, documents and code, cut into passages that can be found and cited by line."""
