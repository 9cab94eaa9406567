"""Frames around a quote that change what it claims: negation, doubt, condition, retraction."""
