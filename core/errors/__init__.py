"""Errors: what names them, what is known about them, and the search for the fix."""

from core.errors.answer import Hit, Query, SearchAnswer, Similar, Source
from core.errors.browse import browse, case_rows, count_cases, list_cases, occurrences_of, show_case
from core.errors.case import Case, CaseList, CaseRow, Filters, Occurrence
from core.errors.cases import observe
from core.errors.facets import Facet, Facets, facets
from core.errors.fingerprint import fingerprint
from core.errors.identify import identify, key_line
from core.errors.identity import Identity, KeyLine
from core.errors.masks import Masked, masked_parts
from core.errors.normalize import normalize_error
from core.errors.positions import cursor_at, rank_of
from core.errors.record import Recorded, record_resolution
from core.errors.resolutions import Resolution, add_resolution
from core.errors.search import count_use, search
from core.errors.source import SourceMessage, SourcePage, messages_around
from core.errors.spans import matched_spans

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
    "browse",
    "case_rows",
    "count_cases",
    "count_use",
    "cursor_at",
    "facets",
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
