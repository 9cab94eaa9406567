"""Asking the library: retrieval, generation, verification, recovery after a crash."""
