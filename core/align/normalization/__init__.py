"""Normalized views of a text, each with a way back to the original offsets."""
