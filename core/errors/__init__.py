"""Errors: what names them, what is known about them, and the search for the fix.

What a hook needs is here at once, the rest is loaded when it is first asked for. `browse` and `facets` bear the names
of their modules and are taken from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors.answer import Hit, Query, SearchAnswer, Similar, Source
from core.errors.fingerprint import fingerprint
from core.errors.identify import identify, key_line
from core.errors.identity import Identity, KeyLine
from core.errors.normalize import normalize_error
from core.errors.search import count_use, search
from core.lazy_names import lazy_names

if TYPE_CHECKING:
    from core.errors.browse import case_rows, count_cases, list_cases, occurrences_of, show_case
    from core.errors.case import Case, CaseList, CaseRow, Filters, Occurrence
    from core.errors.cases import observe
    from core.errors.facets import Facet, Facets
    from core.errors.masks import Masked, masked_parts
    from core.errors.positions import cursor_at, rank_of
    from core.errors.record import Recorded, record_resolution
    from core.errors.resolutions import Resolution, add_resolution
    from core.errors.source import SourceMessage, SourcePage, messages_around
    from core.errors.spans import matched_spans

_LATER = {
    "browse": ("case_rows", "count_cases", "list_cases", "occurrences_of", "show_case"),
    "case": ("Case", "CaseList", "CaseRow", "Filters", "Occurrence"),
    "cases": ("observe",),
    "facets": ("Facet", "Facets"),
    "masks": ("Masked", "masked_parts"),
    "positions": ("cursor_at", "rank_of"),
    "record": ("Recorded", "record_resolution"),
    "resolutions": ("Resolution", "add_resolution"),
    "source": ("SourceMessage", "SourcePage", "messages_around"),
    "spans": ("matched_spans",),
}
__getattr__ = lazy_names(__name__, _LATER)

__all__ = [
    "Case",
    "CaseList",
    "CaseRow",
    "Facet",
    "Facets",
    "Filters",
    "Hit",
    "Identity",
    "KeyLine",
    "Masked",
    "Occurrence",
    "Query",
    "Recorded",
    "Resolution",
    "SearchAnswer",
    "Similar",
    "Source",
    "SourceMessage",
    "SourcePage",
    "add_resolution",
    "case_rows",
    "count_cases",
    "count_use",
    "cursor_at",
    "fingerprint",
    "identify",
    "key_line",
    "list_cases",
    "masked_parts",
    "matched_spans",
    "messages_around",
    "normalize_error",
    "observe",
    "occurrences_of",
    "rank_of",
    "record_resolution",
    "search",
    "show_case",
]
