"""Whether two messages report the same error: templates, names, opposites, kinds of failure."""
