"""Sharing with a team through a server: what this casebook knows of it, what leaves, what arrives."""
