"""What the Errors pane asks the core, each a piece of work for a job's own thread; what a person picks to filter by."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from core.base.fault import Fault, remedy_of
from tui.render.case import colour_ahead, fix_of
from tui.render.case_list import Row, near_row, row_of, similar_row
from tui.runtime.jobs import Job, job_work
from tui.runtime.vector_process import Question, VectorProcess

if TYPE_CHECKING:
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.runtime.query_model import NoVectors, VectorSearch
    from core.errors import Case, Facets, Filters, Hit, Occurrence, Query, Resolution, SearchAnswer
    from core.errors.cases.case import CaseKeyLine, Sort
    from core.errors.practice import Practice
    from core.errors.retrieval.match_location import Standing
    from core.errors.retrieval.neighbours import CasesLike
    from core.store import Store


Kind = Literal["status", "worth", "period", "tool", "project", "tag"]
KINDS: tuple[Kind, ...] = ("status", "worth", "period", "tool", "project", "tag")
STATUSES = ("unresolved", "draft", "verified")
WORTHS = ("general", "project", "slip")
PERIODS = {"today": 0, "7 days": 7, "30 days": 30}
"""The times to pick, each with how many days it goes back; today begins at midnight where the person is."""

SORTS: dict[Sort, str] = {"last_seen": "last seen", "seen": "most seen", "first_seen": "first seen, newest first"}


@dataclass(frozen=True, slots=True)
class Scope:
    """What was picked. `since` is what `period` means now, an ISO 8601 time."""

    status: str | None = None
    sort: Sort = "last_seen"
    period: str | None = None
    tool: str | None = None
    project: str | None = None
    since: str | None = None
    tag: str | None = None
    worth: str | None = None

    @property
    def picked(self) -> tuple[tuple[Kind, str], ...]:
        """Each filter that is on, in the order of the menu."""
        values: tuple[str | None, ...] = (
            self.status, self.worth, self.period, self.tool, self.project, self.tag,
        )  # fmt: skip
        return tuple((kind, value) for kind, value in zip(KINDS, values, strict=True) if value is not None)

    def toggled(self, kind: Kind, value: str) -> Scope:
        """With this filter on, in the place of another of its kind; or off, if it was on."""
        was_on = (kind, value) in self.picked
        return replace(self, since=None, **{kind: None if was_on else value})

    def cleared(self) -> Scope:
        """In the same order, without a filter."""
        return Scope(sort=self.sort)

    def reordered(self) -> Scope:
        """In the next order."""
        orders = list(SORTS)
        return replace(self, sort=orders[(orders.index(self.sort) + 1) % len(orders)])

    def at(self, now: datetime) -> Scope:
        """With the period reckoned from `now`."""
        return replace(self, since=None if self.period is None else since_of(self.period, now))

    def filters(self) -> Filters:
        """The core's own filters."""
        from core.errors import Filters

        return Filters(
            self.status,  # pyright: ignore[reportArgumentType]
            self.tool, self.project, self.since, self.tag,
            self.worth,  # pyright: ignore[reportArgumentType]
        )  # fmt: skip


def since_of(period: str, now: datetime) -> str:
    """When a period began, as the casebook writes times."""
    days = PERIODS[period]
    start = now - timedelta(days=days) if days else now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return start.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


SOON = "the vector tier is running"
LOADING = "the model is loading"
ONLY_TEXT = "only the text tiers ran"

T = TypeVar("T")


class Meaning:
    """Vector search. Methods for a job's thread say so; the others run on the interface's thread.

    `process` is where they are compared, for other panes too.
    """

    def __init__(self, casebook: Path, settings: EmbeddingSettings | None) -> None:
        self._settings = settings
        self.process = None if settings is None else VectorProcess(casebook, settings)
        self._off: NoVectors | None = None  # why the last vector search failed
        self.warm = False  # whether the model has answered

    def is_needed(self, answer: SearchAnswer) -> bool:
        """Whether the vector tier has a say: no tier has answered, or only a weak prefix."""
        from core.errors.retrieval.api import weak_match

        can_search = self.process is not None and bool(answer.query.normalized)
        return can_search and (answer.match is None or weak_match(answer) is not None)

    def later(self) -> VectorSearch:
        """For a search that is answered at once: a way to no vectors, which says when they come, or why not."""
        from core.embedding.runtime.query_model import NoVectors, VectorSearch

        off = NoVectors(ONLY_TEXT) if self.process is None else self._off or NoVectors(SOON if self.warm else LOADING)
        return VectorSearch(lambda: off)

    def deepened(self, job: Job[Any], answer: SearchAnswer) -> SearchAnswer:
        """On a job's thread: return the results of the text tiers and of the vector tier, or why it is unavailable."""
        from core.errors.retrieval.api import deepened, vector_skipped, weak_match
        from core.errors.retrieval.vector_tier import Nearest

        self._off = self._why_off(job.store())
        if self._off is None and self.process is not None:
            weak, query = weak_match(answer), answer.query
            try:
                looked = self.process.ask(job, Nearest(query, None if weak is None else weak.id))
                self.warm = True
                return deepened(answer, looked)
            except Fault as fault:
                self._off = _failed(fault)
        return answer if self._off is None else deepened(answer, vector_skipped(self._off))

    def ask(self, job: Job[Any], question: Question[T]) -> T:
        """On a job's thread: the answer to a question that needs no model; from here where nothing else can give it."""
        from core.embedding.index.state import read_state
        from core.embedding.runtime.query_model import NoVectors, VectorSearch

        store = job.store()
        state = read_state(store.con, "error")
        if self.process is not None and state is not None and state.complete:
            with suppress(Fault):
                return self.process.ask(job, question)
        return question(store, VectorSearch(lambda: NoVectors(ONLY_TEXT)))

    def end(self) -> None:
        """The workbench is left."""
        if self.process is not None:
            self.process.end()

    def _why_off(self, store: Store) -> NoVectors | None:
        from core.flows.system.vectors import why_no_vectors

        return None if self._settings is None else why_no_vectors(store, self._settings)


def _failed(fault: Fault) -> NoVectors:
    from core.embedding.runtime.query_model import NoVectors

    return NoVectors(fault.message, remedy_of(fault), "failed")


PAGE = 500
"""Rows read at a time from the list of all cases."""

CANDIDATES = 200
"""The most candidates of one search."""


@dataclass(frozen=True, slots=True)
class Counted:
    """How many cases there are, how many pass the filter, and why the file cannot be written, if so."""

    every: int
    listed: int
    readonly: str
    path: Path


@dataclass(frozen=True, slots=True)
class Pages:
    """Rows read in a row: the number of the first one, the rows, and the key of the next page (None: the end).

    `behind`: the key they begin behind, where it is known; the first rows have none.
    """

    first: int
    rows: tuple[Row, ...]
    after: str | None
    behind: str | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows to be read, from a page's first row up to row `upto`; `behind` is None where its key must be looked up."""

    first: int
    upto: int
    behind: str | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search has found so far: the answer with its trace, and the rows that pass the filter, the match first.

    `hidden`: how many cases that a tier named do not pass it.
    """

    answer: SearchAnswer | None
    rows: tuple[Row, ...]
    hidden: int = 0


@dataclass(frozen=True, slots=True)
class Read:
    """A case, the last time it was seen with the raw text of that time, and the file that holds it.

    `chosen`: the fix of the matched error, after a search; None: the fix of the whole case. `error`: the one
    of its errors that the search matched, of which `latest` is the last time then. `standing`: what the case is to what
    was searched, where it is no answer to that. `practice`: what its repository does about such errors. `titled`: the
    last time that the error of the key line was seen, in a case of several.
    """

    case: Case
    latest: Occurrence | None
    path: Path | None = None
    chosen: Resolution | None = None
    error: CaseKeyLine | None = None
    standing: Standing | None = None
    practice: Practice | None = None
    titled: Occurrence | None = None

    @property
    def at(self) -> str | None:
        """The fingerprint of the matched error."""
        return None if self.error is None else self.error.fingerprint

    def variant_note(self, one: Occurrence | None) -> str:
        """That `one` is of another error than the one that names the case, where it has several."""
        finer = self.case.fingerprints
        if one is None or len(finer) < 2 or one.fingerprint == (self.at or finer[0].fingerprint):
            return ""
        return f" (another of the {len(finer):,} variants)"


def count(scope: Scope) -> Callable[[Job[Counted]], Counted]:
    return lambda job: _counted(job.store(), scope)


def _counted(store: Store, scope: Scope) -> Counted:
    from core.errors import count_cases

    every = count_cases(store)
    listed = every if not scope.picked else count_cases(store, scope.filters())
    return Counted(every, listed, store.readonly or "", store.path)


@job_work
def read_pages(job: Job[Pages], scope: Scope, stretch: Stretch) -> Pages:
    """Read the pages of a stretch, handing over each as it comes; no page before it is read."""
    store = job.store()
    at, behind = stretch.first, stretch.behind
    if behind is None:
        at, behind = _look_up(store, scope, at)
    while True:
        page = _page(store, scope, at, behind)
        if page.after is None or at + len(page.rows) > stretch.upto:
            return page
        job.partial(page)
        at, behind = at + len(page.rows), page.after


def _look_up(store: Store, scope: Scope, first: int) -> tuple[int, str | None]:
    """The key behind which row `first` begins; of the last page where there are not so many rows any more."""
    from core.errors import count_cases, cursor_at

    filters = scope.filters()
    key = cursor_at(store, first, filters, scope.sort)
    if first and key is None:
        first = max(0, count_cases(store, filters) - 1) // PAGE * PAGE
        key = cursor_at(store, first, filters, scope.sort)
    return first, key


def _page(store: Store, scope: Scope, first: int, behind: str | None) -> Pages:
    from core.errors import list_cases

    found = list_cases(store, scope.filters(), scope.sort, PAGE, behind)
    return Pages(first, tuple(row_of(case) for case in found.cases), found.next, behind)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person is in the list: the chosen case and its row, the first row on the screen, how many fit."""

    chosen: int | None
    at: int
    top: int
    height: int

    def moved_to(self, at: int) -> Place:
        """Return the place for another row of the selected case: the rows move with it. The top stays the top."""
        return Place(self.chosen, at, max(0, self.top + at - self.at) if self.top else 0, self.height)


@dataclass(frozen=True, slots=True)
class Renewed:
    """What is shown, read again: the counts, and the rows found, or the pages around the place."""

    counted: Counted
    found: SearchResult | None
    pages: tuple[Pages, ...]
    place: Place


@job_work
def renew(
    job: Job[Renewed], scope: Scope, place: Place, searched: Callable[[Job[Any]], SearchResult] | None
) -> Renewed:
    """Read the rows around `place` again, wherever its case is now; or search again."""
    from core.errors import cursor_at, rank_of

    store, filters = job.store(), scope.filters()
    counted = _counted(store, scope)
    if searched is not None:
        return Renewed(counted, searched(job), (), place)
    rank = None if place.chosen is None else rank_of(store, place.chosen, filters, scope.sort)
    here = place.moved_to(min(place.at, max(0, counted.listed - 1)) if rank is None else rank)
    visible = range(here.top // PAGE, (here.top + here.height) // PAGE + 1)
    pages: list[Pages] = []
    for number in sorted({here.at // PAGE, *visible}):
        key = cursor_at(store, number * PAGE, filters, scope.sort)
        if number and key is None:
            break
        pages.append(_page(store, scope, number * PAGE, key))
    return Renewed(counted, None, tuple(pages), here)


@job_work
def find(
    job: Job[SearchResult], text: str, scope: Scope, meaning: Meaning, *, typed: bool, deep: bool = False
) -> SearchResult:
    """Search by the text tiers and by words; what the tiers say comes first, then the rest.

    `deep`: also query the vector tier, and wait for it.
    """
    from core.errors import search
    from core.errors.cases.browse import browsed
    from core.flows.team.ask_server import take_received

    store, filters = job.store(), scope.filters()
    answer = search(store, text, count=False, vectors=meaning.later(), received=take_received)
    _raise_failed(answer)
    if deep and meaning.is_needed(answer):
        answer = meaning.deepened(job, answer)
    result = _to_result(store, answer, filters)
    if result.rows and result.rows[0].answers:
        job.partial(result)
    words, step = browsed(store, text if typed else answer.query.key_line or text[:4_000], CANDIDATES, filters)
    job.check()
    if answer.match is None:
        result = replace(result, answer=replace(answer, trace=(*answer.trace, step)))
    return joined(result, _rows(store, words, answer.query, filters))


@job_work
def deepen(job: Job[SearchResult | None], found: SearchAnswer, scope: Scope, meaning: Meaning) -> SearchResult | None:
    """Ask the vector tier too, after the text tiers have `found`; None if they answered."""
    answer = meaning.deepened(job, found)
    return None if answer == found else _to_result(job.store(), answer, scope.filters())


@job_work
def ask_team(job: Job[SearchResult | None], found: SearchAnswer, scope: Scope) -> SearchResult | None:
    """Ask the team's server, where nothing here answers; None without a team. What answers is in the casebook then."""
    from core.errors import search
    from core.flows.team.ask_server import with_team

    store, text = job.store(), found.query.raw
    answer = with_team(store.path, found, lambda held: search(held, text, count=False))
    return None if answer is found else _to_result(store, answer, scope.filters())


def joined(result: SearchResult, others: tuple[Row, ...]) -> SearchResult:
    """What the tiers say and the other rows, each case once: answers, this very error, every word, similar, some words.

    A case that a tier only finds alike is shown by the error that has every word, if one has.
    """
    from core.errors.retrieval.match_location import in_search_order

    known, by_id = {row.id for row in result.rows}, {row.id: row for row in others if row.has_words}
    first = (similar_row(row, by_id[row.id]) if row.id in by_id else row for row in result.rows)
    rows = (*first, *(row for row in others if row.id not in known))
    words = [row.id for row in others]
    return replace(result, rows=in_search_order(rows, lambda row: row.rank, lambda row: row.id, words))


def _to_result(store: Store, answer: SearchAnswer, filters: Filters) -> SearchResult:
    """The match, what nearly matched, and what is similar: of the vector tier's misses only what it calls similar."""
    from core.errors import case_rows

    similar = {one.id: one.similarity for one in answer.similar}
    hits = _ranked(answer)
    misses = {hit.id: hit for hit in hits if hit.tier == "vector" and not hit.accepted}
    listed = tuple(hit for hit in hits if hit.id not in misses and hit.id not in similar)
    near = tuple(
        near_row(case, similar[case.id], misses.get(case.id), answer.query)
        for case in case_rows(store, tuple(similar), filters)
    )
    rows = (*_rows(store, listed, answer.query, filters), *near)
    return SearchResult(answer, rows, len(listed) + len(similar) - len(rows))


@job_work
def read_like(job: Job[CasesLike], case_id: int, meaning: Meaning) -> CasesLike:
    """Find the cases that are like this one, by the vector that is kept of it, else by words."""
    from core.errors.retrieval.vector_tier import Like

    return meaning.ask(job, Like(case_id))


@job_work
def count_values(job: Job[Facets], scope: Scope, now: datetime) -> Facets:
    """Count what one can filter by."""
    from core.errors.cases.browse import facets

    return facets(job.store(), scope.at(now).filters(), tuple(since_of(period, now) for period in PERIODS))


@job_work
def read_case(job: Job[Any], case_id: int, hit: Hit | None = None, *, searched: bool = False) -> Read | None:
    """Read one case whole, and how it looked the last time it was seen; None if it is gone.

    `hit`: the search result of the case, for one of its errors; `searched`: whether there was a search.
    """
    from core.errors import occurrences_of, show_case
    from core.errors.practice import practice_of_case
    from core.errors.retrieval.match_location import matched_error, matched_fix, standing

    store = job.store()
    case = show_case(store, case_id)
    if case is None:
        return None
    error = matched_error(case, hit)
    seen = occurrences_of(store, case_id, 1, fingerprint=None if error is None else error.fingerprint)
    first, *more = case.fingerprints or (None,)
    titled = occurrences_of(store, case_id, 1, fingerprint=first.fingerprint) if first and more and not error else ()
    other = searched and not (hit is not None and hit.accepted)
    fix = matched_fix(case, hit)
    colour_ahead(case, fix_of(case, hit, fix), seen[0].raw if seen else "")
    return Read(
        case, seen[0] if seen else None, job.lane.path, fix, error,
        standing(hit) if other else None, practice_of_case(store, case, error), titled[0] if titled else None,
    )  # fmt: skip


@job_work
def use_case(job: Job[bool], case_id: int, hit: Hit | None) -> bool:
    """Count that the answer of a case, a `hit`, was opened or copied; False where nothing can be written."""
    from core.errors import count_use
    from core.errors.fixes import Telling

    fix = None if hit is None else hit.resolution_id
    mark = "" if hit is None or hit.place is None else hit.place.fingerprint or ""
    telling = None if fix is None else Telling(fix, "workbench", mark)
    return count_use(job.lane.path, case_id, telling)


def _ranked(answer: SearchAnswer) -> tuple[Hit, ...]:
    """The match first, then the other candidates as the tiers found them, each case once."""
    hits = ((answer.match,) if answer.match is not None else ()) + answer.candidates
    seen: dict[int, Hit] = {}
    for hit in hits:
        seen.setdefault(hit.id, hit)
    return tuple(seen.values())


def _rows(store: Store, hits: tuple[Hit, ...], query: Query, filters: Filters) -> tuple[Row, ...]:
    from core.errors import case_rows

    by_id = {hit.id: hit for hit in hits}
    return tuple(row_of(case, by_id[case.id], query) for case in case_rows(store, tuple(by_id), filters))


def _raise_failed(answer: SearchAnswer) -> None:
    """A search never raises; its `failed` step says what a person must hear."""
    for step in answer.trace:
        if step.outcome == "failed":
            code = step.fact("code")
            raise Fault(
                code if code is not None else "generic",  # pyright: ignore[reportArgumentType]
                step.reason,
                str(step.fact("hint") or ""),
            )
