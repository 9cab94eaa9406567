"""Word classes and word forms, English and Korean."""
