"""The identity of an error: key line, normalized form, masks, codes, fingerprint."""
