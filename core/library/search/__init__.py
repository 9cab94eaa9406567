"""Search of the library: lexical, by vectors, fused; filters, snippets and the explanation of a hit."""

# pyright: reportUnusedImport=false

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy import lazy_names

if TYPE_CHECKING:
    from core.library.search.api import SearchQuery, search

_LATER = {
    "api": "SearchQuery search",
}
__getattr__, __all__ = lazy_names(__name__, _LATER)
