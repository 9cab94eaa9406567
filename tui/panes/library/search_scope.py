"""What of the library is searched, and how: the mode, and a filter of each kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from core.library.search.fts import SearchFilters
    from core.library.search.rows import Mode

Kind = Literal["period", "tag", "path", "lang", "code", "media", "type", "trust", "source", "repo", "doc"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MODES: tuple[Mode, ...] = ("hybrid", "lexical", "vector")
"""In the order in which one key goes through them."""
PERIODS = {"7 days": 7, "30 days": 30, "a year": 365}


@dataclass(frozen=True, slots=True)
class Scope:
    """One value of each kind, None where any is let through. `period`: how old a document may be at most."""

    mode: Mode = "hybrid"
    tag: str | None = None
    path: str | None = None
    period: str | None = None
    lang: str | None = None
    code: str | None = None
    media: str | None = None
    type: str | None = None
    trust: str | None = None
    source: str | None = None
    repo: str | None = None
    doc: str | None = None

    def value(self, kind: Kind) -> str | None:
        """What is on of this kind."""
        return getattr(self, kind)

    @property
    def picked(self) -> tuple[tuple[Kind, str], ...]:
        """The filters that are on."""
        found: list[tuple[Kind, str]] = []
        for kind in KINDS:
            if (value := self.value(kind)) is not None:
                found.append((kind, value))
        return tuple(found)

    def toggled(self, kind: Kind, value: str) -> Scope:
        """With this filter on in the place of another of its kind; or off, if it was on."""
        return replace(self, **{kind: None if self.value(kind) == value else value})

    def cleared(self) -> Scope:
        """Without any filter."""
        return Scope(self.mode)

    def next_mode(self) -> Scope:
        """The mode that follows."""
        return replace(self, mode=MODES[(MODES.index(self.mode) + 1) % len(MODES)])

    def filters(self, now: datetime) -> SearchFilters:
        """As the core takes them."""
        from core.library.search.fts import SearchFilters

        days = PERIODS.get(self.period or "")
        return SearchFilters(
            tags_any=(self.tag,) if self.tag is not None else (),
            lang=self.lang,
            path_glob=self.path,
            trust_min=self.trust,  # pyright: ignore[reportArgumentType]  the core says what is wrong with another one
            source=self.source,
            source_type=self.type,
            media=self.media,
            doc=self.doc,
            code_lang=self.code,
            repo=self.repo,
            since=f"{now - timedelta(days=days):%Y-%m-%d}" if days else None,
        )


def glob_typed(text: str) -> str:
    """The path or the glob that a person has typed; empty where it looks like neither."""
    said = text.strip()
    return said if any(sign in said for sign in "*?/.") else ""
