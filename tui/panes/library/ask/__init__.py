"""Conversations with the library and the process that answers."""
