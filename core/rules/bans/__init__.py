"""Code that people's own rule files forbid in so many words: the reader, and the exact match on a call."""
