"""A search as it goes from one process to another, and back: the JSON that everybody gets, read again."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

from core.fault import Fault
from core.library.citation import (
    CaptionCitation,
    Citation,
    CodeCitation,
    LineCitation,
    PageCitation,
    RegionCitation,
    TimeCitation,
)
from core.library.filters import SearchFilters
from core.library.search import SearchQuery
from core.library.search_hit import Retrieval, SearchHit, SearchResponse
from core.trace import Step
from core.wire import to_wire

_CITATIONS: dict[str, type[Citation]] = {
    "line": LineCitation,
    "code": CodeCitation,
    "page": PageCitation,
    "region": RegionCitation,
    "caption": CaptionCitation,
    "time": TimeCitation,
}


def query_object(query: SearchQuery) -> dict[str, Any]:
    """A query as an object."""
    return cast("dict[str, Any]", to_wire(query))


def query_from(found: dict[str, Any]) -> SearchQuery:
    """What `query_object` made. Raises KeyError, TypeError for anything else."""
    given: dict[str, Any] = {one.name: found[one.name] for one in fields(SearchQuery)}
    said: dict[str, Any] = given["filters"]
    filters: dict[str, Any] = {one.name: said[one.name] for one in fields(SearchFilters)}
    filters["tags_any"] = tuple(filters["tags_any"])
    given["filters"] = SearchFilters(**filters)
    return SearchQuery(**given)


def response_from(found: dict[str, Any]) -> SearchResponse:
    """A `search_response.v1`; fields this version does not know are left out. Raises Fault for anything else."""
    try:
        given = _given(SearchResponse, found)
        given["hits"] = tuple(map(_hit, found["hits"]))
        given["trace"] = tuple(map(_step, found["trace"]))
        return SearchResponse(**given)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Fault("generic", f"that is no answer of a search: {type(error).__name__}") from error


def _hit(found: dict[str, Any]) -> SearchHit:
    given = _given(SearchHit, found)
    for name in ("heading_path", "words", "missing"):
        given[name] = tuple(found[name])
    given["matched"] = tuple((start, end) for start, end in found["matched"])
    given["retrieval"] = Retrieval(**_given(Retrieval, found["retrieval"]))
    given["citation"] = _citation(found["citation"])
    return SearchHit(**given)


def _citation(found: dict[str, Any]) -> Citation:
    kind = _CITATIONS[found["kind"]]
    given = _given(kind, found)
    given.pop("kind", None)
    return kind(**given)


def _step(found: dict[str, Any]) -> Step:
    given = _given(Step, found)
    given["facts"] = tuple(found["facts"].items())
    given["steps"] = tuple(map(_step, found["steps"]))
    return Step(**given)


def _given(kind: type[Any], found: dict[str, Any]) -> dict[str, Any]:
    return {one.name: found[one.name] for one in fields(kind) if one.init}
