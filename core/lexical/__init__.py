"""Lexical search over FTS5: quoted queries that no text can break, and Hangul bigrams."""

from core.lexical.hangul_bigrams import bigrams
from core.lexical.query import any_of, match_query, terms

__all__ = ["any_of", "bigrams", "match_query", "terms"]
