"""What of the library is searched, and how: the mode, and a filter of each kind; the menu of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, get_args

from textual.content import Content
from textual.widgets import Input

from tui.panes.common.filter_menu import Choices, FilterScreen, Value
from tui.render.common.glyphs import Signs
from tui.render.hits import KIND_NAMES, draw_filter_value
from tui.runtime.jobs import Job, Jobs, job_work

if TYPE_CHECKING:
    from core.library.documents.opened import FilterValue
    from core.library.search.fts import SearchFilters
    from core.library.search.rows import Mode


Kind = Literal["period", "tag", "path", "lang", "code", "media", "type", "trust", "source", "repo", "doc"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MODES: tuple[Mode, ...] = ("hybrid", "lexical", "vector")
"""In the order in which one key goes through them."""
PERIODS = {"7 days": 7, "30 days": 30, "1 year": 365}


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
        return getattr(self, kind)

    @property
    def picked(self) -> tuple[tuple[Kind, str], ...]:
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
    pattern = text.strip()
    return pattern if any(sign in pattern for sign in "*?/.") else ""


Counted = tuple["tuple[FilterValue, ...]", dict[str, int]]
"""What there is, and how many documents have a path that fits a glob."""


@job_work
def read_values(job: Job[Any]) -> tuple[FilterValue, ...]:
    """What documents can be filtered by."""
    from core.library.documents.opened import filter_values

    return filter_values(job.store().con)


class LibraryFilters(Choices[Scope, Counted]):
    """The filters of a scope; `glob`: one of the person's own, as it is typed."""

    HINT: ClassVar[str] = "Filter by tag, language or path (docs/**/*.md)"
    LANE: ClassVar[str] = "library-values"

    def __init__(self, scope: Scope, signs: Signs, apply: Callable[[Scope], None]) -> None:
        super().__init__(scope, signs, apply)
        self._fitting: dict[str, int] = {}
        self.glob = ""

    def values(self) -> Sequence[Value]:
        """Every value with its count, where that is known; what is on is always among them, and first."""
        counts: dict[tuple[Kind, str], int | None] = dict.fromkeys(self.picked.picked)
        for one in self.found[0] if self.found is not None else ():
            counts[cast("Kind", one.kind), one.value] = one.documents
        for period in PERIODS:
            counts.setdefault(("period", period), None)
        on = set(self.picked.picked)
        order = sorted(counts, key=lambda choice: (choice not in on, KINDS.index(choice[0])))
        own: tuple[Kind, str] = ("path", self.glob)
        if self.glob and own not in counts:  # what has a sign of a glob was not typed to narrow the others down
            order = [own, *order] if set(self.glob) & set("*?") else [*order, own]
        for one in order:
            if one[0] == "path" and counts.get(one) is None:
                counts[one] = self._fitting.get(one[1])
        return [(kind, value, counts[kind, value]) for kind, value in order]

    def words(self, kind: str, value: str) -> str:
        """The kind as it is shown, and the value."""
        return f"{KIND_NAMES[kind]} {value}"

    def draw(self, kind: str, value: str, count: int | None) -> Content:
        """The value with how many documents have it."""
        return draw_filter_value(kind, value, count, self.signs, on=(kind, value) in self.picked.picked)

    def count(self) -> Callable[[Job[Any]], Counted]:
        """Reads what there is, once, and counts what globs of one's own let pass."""
        known = self.found[0] if self.found is not None else ()
        globs = [one for one in (self.glob, self.picked.path) if one and one not in self._fitting]
        values = read_values()

        def work(job: Job[Any]) -> Counted:
            from core.library.search.fts import SearchFilters, documents_passing

            con = job.store().con
            fitting = {one: len(documents_passing(con, SearchFilters(path_glob=one)) or ()) for one in globs}
            return known or values(job), fitting

        return work

    def counted(self, found: Counted) -> None:
        super().counted(found)
        self._fitting |= found[1]


class LibraryFilterScreen(FilterScreen):
    """The menu, in which a glob of one's own is one more value as soon as it is typed."""

    def __init__(self, choices: LibraryFilters, jobs: Jobs) -> None:
        super().__init__(choices, jobs)
        self._own = choices

    def on_input_changed(self, event: Input.Changed) -> None:
        """Count what it lets pass; the base class narrows the values down."""
        glob = glob_typed(event.value)
        if glob != self._own.glob:
            self._own.glob = glob
            self._count()
