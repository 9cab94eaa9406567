"""Errors: what names them, what is known about them, and the search for the fix.

What a hook needs is here at once, the rest is loaded when it is first asked for. `browse` bears the name of its module
and is taken from there.
"""

# pyright: reportUnusedImport=false

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.lazy import lazy_names
from core.errors.identity.fingerprint import Identity, Masked, fingerprint, identify, masked_parts, normalize_error
from core.errors.identity.keylines.select import KeyLine, key_line
from core.errors.retrieval.answer import Hit, Query, SearchAnswer, Similar, Source
from core.errors.retrieval.api import count_use, search

if TYPE_CHECKING:
    from core.errors.cases.browse import (
        Facet,
        Facets,
        case_rows,
        count_cases,
        cursor_at,
        list_cases,
        occurrences_of,
        rank_of,
        show_case,
    )
    from core.errors.cases.case import Case, CaseList, CaseRow, Filters, Occurrence
    from core.errors.cases.record import Recorded, observe, record_resolution
    from core.errors.cases.resolutions import Resolution, add_resolution
    from core.errors.cases.source import SourceMessage, SourcePage, messages_around
    from core.errors.retrieval.match_location import matched_spans

_LATER = {
    "cases.browse": "Facet Facets case_rows count_cases cursor_at list_cases occurrences_of rank_of show_case",
    "cases.case": "Case CaseList CaseRow Filters Occurrence",
    "cases.record": "Recorded observe record_resolution",
    "cases.resolutions": "Resolution add_resolution",
    "cases.source": "SourceMessage SourcePage messages_around",
    "retrieval.match_location": "matched_spans",
}
_AT_ONCE = (
    "Hit Identity KeyLine Masked Query SearchAnswer Similar Source count_use fingerprint identify key_line "
    "masked_parts normalize_error search"
)
__getattr__, __all__ = lazy_names(__name__, _LATER, _AT_ONCE)
