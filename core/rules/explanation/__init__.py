"""Why a rule matches or not: shared words, highlights, the score in words, changes between two rankings."""
