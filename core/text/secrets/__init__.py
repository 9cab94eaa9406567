"""Detection of secrets in foreign text, one module for each kind of evidence."""
