"""Where something is written: six kinds of citation and their one-line form `path#L12-L34` (W3C media fragments).

Source: kebab-frozen-design 2.1 and 3.5, decision 17. `parse` is the inverse of `to_uri`: it gives back the place. What
a citation says about its place (section, symbol, language, model, dates) is no part of the URI nor of equality.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal
from urllib.parse import quote, unquote

from core.base.fault import Fault


@dataclass(frozen=True, slots=True)
class LineCitation:
    """Lines of a text, counted from 1, both included."""

    SCHEMA: ClassVar[str] = "citation.v1"

    path: str
    start: int
    end: int
    section: str | None = field(default=None, compare=False)
    indexed_at: str = field(default="", compare=False)
    stale: bool = field(default=False, compare=False)
    uri: str = field(init=False, compare=False)
    kind: Literal["line"] = "line"

    def __post_init__(self) -> None:
        _require_span(self.path, self.start, self.end)
        object.__setattr__(self, "uri", f"{self.path}#{_lines(self.start, self.end)}")


@dataclass(frozen=True, slots=True)
class CodeCitation:
    """Lines of a program. Its URI is that of the same lines, so it is parsed as `LineCitation`."""

    SCHEMA: ClassVar[str] = "citation.v1"

    path: str
    line_start: int
    line_end: int
    symbol: str | None = field(default=None, compare=False)
    lang: str | None = field(default=None, compare=False)
    indexed_at: str = field(default="", compare=False)
    stale: bool = field(default=False, compare=False)
    uri: str = field(init=False, compare=False)
    kind: Literal["code"] = "code"

    def __post_init__(self) -> None:
        _require_span(self.path, self.line_start, self.line_end)
        object.__setattr__(self, "uri", f"{self.path}#{_lines(self.line_start, self.line_end)}")


@dataclass(frozen=True, slots=True)
class PageCitation:
    """A page of a paginated document, counted from 1."""

    SCHEMA: ClassVar[str] = "citation.v1"

    path: str
    page: int
    section: str | None = field(default=None, compare=False)
    indexed_at: str = field(default="", compare=False)
    stale: bool = field(default=False, compare=False)
    uri: str = field(init=False, compare=False)
    kind: Literal["page"] = "page"

    def __post_init__(self) -> None:
        _require_span(self.path, self.page, self.page)
        object.__setattr__(self, "uri", f"{self.path}#p={self.page}")


@dataclass(frozen=True, slots=True)
class RegionCitation:
    """A rectangle of an image, in pixels from its upper left corner."""

    SCHEMA: ClassVar[str] = "citation.v1"

    path: str
    x: int
    y: int
    w: int
    h: int
    indexed_at: str = field(default="", compare=False)
    stale: bool = field(default=False, compare=False)
    uri: str = field(init=False, compare=False)
    kind: Literal["region"] = "region"

    def __post_init__(self) -> None:
        _require_path(self.path)
        if min(self.x, self.y) < 0 or min(self.w, self.h) < 1:
            raise _invalid(f"{self.x},{self.y},{self.w},{self.h} is not a rectangle")
        object.__setattr__(self, "uri", f"{self.path}#xywh={self.x},{self.y},{self.w},{self.h}")


@dataclass(frozen=True, slots=True)
class CaptionCitation:
    """What a model said about an image; `model` names it."""

    SCHEMA: ClassVar[str] = "citation.v1"

    path: str
    model: str | None = field(default=None, compare=False)
    indexed_at: str = field(default="", compare=False)
    stale: bool = field(default=False, compare=False)
    uri: str = field(init=False, compare=False)
    kind: Literal["caption"] = "caption"

    def __post_init__(self) -> None:
        _require_path(self.path)
        object.__setattr__(self, "uri", f"{self.path}#caption")


@dataclass(frozen=True, slots=True)
class TimeCitation:
    """A part of a recording, in milliseconds from its start, and its speaker."""

    SCHEMA: ClassVar[str] = "citation.v1"

    path: str
    start_ms: int
    end_ms: int
    speaker: str | None = None
    indexed_at: str = field(default="", compare=False)
    stale: bool = field(default=False, compare=False)
    uri: str = field(init=False, compare=False)
    kind: Literal["time"] = "time"

    def __post_init__(self) -> None:
        _require_path(self.path)
        if not 0 <= self.start_ms <= self.end_ms:
            raise _invalid(f"{self.start_ms} to {self.end_ms} ms is not a time range")
        spoken = "" if self.speaker is None else f"&speaker={quote(self.speaker, safe='', errors='replace')}"
        clock = f"{_clock(self.start_ms)},{_clock(self.end_ms)}"
        object.__setattr__(self, "uri", f"{self.path}#t={clock}{spoken}")


Citation = LineCitation | CodeCitation | PageCitation | RegionCitation | CaptionCitation | TimeCitation

_NUMBER: Final = r"(0|[1-9][0-9]{0,17})"
_CLOCK: Final = r"([0-9]{2,9}):([0-5][0-9]):([0-5][0-9])\.([0-9]{3})"
_LINES_FORM = re.compile(rf"L{_NUMBER}(?:-L{_NUMBER})?")
_PAGE_FORM = re.compile(rf"p={_NUMBER}")
_REGION_FORM = re.compile(rf"xywh={_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}")
_TIME_FORM = re.compile(rf"t={_CLOCK},{_CLOCK}(?:&speaker=([^&#]*))?")


def to_uri(citation: Citation) -> str:
    """The citation on one line, as it is copied, printed and parsed."""
    return citation.uri


def parse(uri: str) -> Citation:
    """The place that a URI names. Raises Fault invalid_input where it names none."""
    path, mark, fragment = uri.partition("#")
    if not mark or not path:
        raise _invalid(f"{uri[:200]} does not name a place in a file")
    if found := _LINES_FORM.fullmatch(fragment):
        start = int(found[1])
        return LineCitation(path, start, int(found[2]) if found[2] else start)
    if found := _PAGE_FORM.fullmatch(fragment):
        return PageCitation(path, int(found[1]))
    if found := _REGION_FORM.fullmatch(fragment):
        x, y, w, h = (int(part) for part in found.groups())
        return RegionCitation(path, x, y, w, h)
    if fragment == "caption":
        return CaptionCitation(path)
    if found := _TIME_FORM.fullmatch(fragment):
        parts = found.groups()
        speaker = None if parts[8] is None else unquote(parts[8])
        return TimeCitation(path, _millis(parts[:4]), _millis(parts[4:8]), speaker)
    raise _invalid(f"{uri[:200]} does not name a place in a file")


def place(citation: Citation) -> Citation:
    """The bare place: what `parse` gives back of `to_uri`."""
    if isinstance(citation, CodeCitation):
        return LineCitation(citation.path, citation.line_start, citation.line_end)
    return citation


def first_line(citation: Citation) -> int:
    """The line to open an editor at: that of the citation, or 1 where it has none."""
    if isinstance(citation, LineCitation):
        return citation.start
    return citation.line_start if isinstance(citation, CodeCitation) else 1


def _lines(start: int, end: int) -> str:
    return f"L{start}" if start == end else f"L{start}-L{end}"


def _clock(ms: int) -> str:
    seconds, rest = divmod(ms, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:03}"


def _millis(parts: tuple[str | None, ...]) -> int:
    hours, minutes, seconds, rest = (int(part or 0) for part in parts)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest


def _require_path(path: str) -> None:
    if not path or "#" in path:
        raise _invalid(f"{path[:200]!r} cannot be cited: the path is empty or contains #")


def _require_span(path: str, start: int, end: int) -> None:
    _require_path(path)
    if not 1 <= start <= end:
        raise _invalid(f"{start} to {end} is not a valid range of lines or pages")


def _invalid(why: str) -> Fault:
    return Fault("invalid_input", why, "use the format notes/today.md#L12-L34 or paper.pdf#p=3")
