"""Rule files: reading, parsing, problems, code snippets, the rows of a rule."""
