"""Embedding, nearest neighbours, the model service."""
