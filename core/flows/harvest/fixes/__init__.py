"""What fixed an error: what its output points at, the steps linked to it, how strong that is, and what it is worth."""
