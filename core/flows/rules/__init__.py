"""Rule files and vectors brought together for a match; labels, trust, watching."""
