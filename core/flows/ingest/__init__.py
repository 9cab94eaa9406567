"""Reading folders into the library, watching them, and searching what was read."""
