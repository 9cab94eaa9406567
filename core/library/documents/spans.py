"""Where a block or a passage stands in its source, and how that is written in a row (frozen design 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import orjson


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Lines `start` to `end`, counted from 1, both included."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Lines of a piece of code, counted from 1, both included; `symbol` names it, `lang` its language."""

    line_start: int
    line_end: int
    symbol: str | None = None
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class PageSpan:
    """A page, counted from 1, and the half-open range of its code points; None: the whole page."""

    page: int
    char_start: int | None = None
    char_end: int | None = None


@dataclass(frozen=True, slots=True)
class RegionSpan:
    """A rectangle of a picture, in pixels."""

    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A stretch of a recording, in milliseconds."""

    start_ms: int
    end_ms: int


SourceSpan = LineSpan | CodeSpan | PageSpan | RegionSpan | TimeSpan

_KINDS: dict[str, type[SourceSpan]] = {
    "line": LineSpan,
    "code": CodeSpan,
    "page": PageSpan,
    "region": RegionSpan,
    "time": TimeSpan,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def span_object(span: SourceSpan) -> dict[str, str | int | None]:
    """The span as an object with its `kind`, the form that ids and rows are made of."""
    return {"kind": _NAMES[type(span)], **{name: getattr(span, name) for name in type(span).__slots__}}


def span_of(value: dict[str, Any]) -> SourceSpan:
    """What `span_object` made; fields this version does not know are left out. Raises ValueError for anything else."""
    kind = _KINDS.get(str(value.get("kind")))
    if kind is None:
        raise ValueError(f"no such span: {value.get('kind')}")
    try:
        return kind(**{name: value[name] for name in kind.__slots__ if name in value})
    except TypeError as error:
        raise ValueError(f"half a span: {value}") from error


def spans_json(spans: tuple[SourceSpan, ...]) -> str:
    """Spans as a row keeps them."""
    return orjson.dumps([span_object(span) for span in spans]).decode()


def spans_of(text: str) -> tuple[SourceSpan, ...]:
    """Spans out of a row. Raises ValueError."""
    return tuple(span_of(one) for one in cast("list[dict[str, Any]]", orjson.loads(text)))


def lines_of(spans: tuple[SourceSpan, ...]) -> tuple[int, int] | None:
    """The first and the last line that the spans name, or None where they name none."""
    ends = [
        (span.start, span.end) if isinstance(span, LineSpan) else (span.line_start, span.line_end)
        for span in spans
        if isinstance(span, LineSpan | CodeSpan)
    ]
    return (min(start for start, _ in ends), max(end for _, end in ends)) if ends else None
