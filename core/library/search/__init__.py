"""Search of the library: lexical, by vectors, fused; filters, snippets and the explanation of a hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy import lazy_names

if TYPE_CHECKING:
    from core.library.search.api import SearchQuery, search

__getattr__ = lazy_names(__name__, {"api": ("SearchQuery", "search")})

__all__ = ["SearchQuery", "search"]
