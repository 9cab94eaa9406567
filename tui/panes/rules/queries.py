"""What the Rules pane reads, and its matchers, as the work of jobs.

The model is in a process of its own (`vector_process`), which only makes vectors: the casebook keeps and compares
them. A matcher belongs to one thread at a time, and jobs change threads: whoever matches holds the lock. A job that
nobody waits for any more gives up waiting for it.
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.base.fault import Fault
from tui.render.ranking import Ranked, Reasons, RuleKey, key_of, unfinished
from tui.runtime.jobs import Job, Stopped, job_work
from tui.runtime.vector_process import PATIENCE, VectorProcess
from tui.services.environment import Sources, stamp_of
from tui.widgets.row_list import Page

if TYPE_CHECKING:
    from core.embedding.runtime.embedder import Kind, Vector
    from core.embedding.service.client import Embed
    from core.flows.rules.labels import LabelResult
    from core.flows.rules.matcher import RuleMatcher
    from core.rules.calls import CallRow, StoredCall, Typed
    from core.rules.evaluation.clusters import Clusters, ToGroup
    from core.rules.evaluation.compare import CaseResult, Comparison
    from core.rules.evaluation.labels import Label, Verdict
    from core.rules.explanation import WhyNot
    from core.rules.format.book import Book
    from core.rules.format.rule import Rule
    from core.rules.format.store import Usage
    from core.rules.matching.api import MatchedRule, RuleMatch
    from core.rules.matching.call import ToolCall
    from core.rules.matching.semantic import CacheState


INTERVAL = 0.25
"""Seconds between two looks at the rule files."""
Changed = Literal["rules", "labels"]
"""What others have written."""
FIRST = 64
"""Calls that are reported before a search has seen all; then again at each doubling."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of the calls that are listed, and why the casebook cannot be written, if so.

    `every`: how many calls were searched; `words`: for what, none where all are listed; `whole`: no more are to come.
    """

    keys: array[int]
    readonly: str
    every: int
    words: tuple[str, ...] = ()
    whole: bool = True

    def __hash__(self) -> int:
        return id(self.keys)


@dataclass(frozen=True, slots=True)
class Measured:
    """A comparison (None: there is nothing to measure), and how each case fares. `notes`: what was left out, and why;
    `project`: whose own rules were compared."""

    comparison: Comparison | None
    cases: tuple[CaseResult, ...]
    notes: tuple[str, ...] = ()
    project: str = ""


@dataclass(slots=True)
class Saying:
    """What a person says of a call. `seen`: the label on the screen; `after`: what was said of the call just before and
    may not be on the screen yet; `result`: the outcome."""

    call: ToolCall
    rule: str | None
    verdict: Verdict
    seen: Label | None
    shown_from: str | None
    after: Saying | None
    project: str = ""
    result: LabelResult | None = None


@job_work
def read_keys(job: Job[Any], tool: str, query: str = "", keep: int | None = None) -> Keys:
    """The keys of all calls, or of those of one tool; of a search, those it finds, the first of them at once.

    `keep`: the call that is chosen; the reports before the end reach down to this call.
    """
    from core.rules.calls import call_keys, count_calls, find_calls, words_of

    store, words = job.store(), words_of(query)
    readonly = store.readonly or ""
    if not words:
        keys = call_keys(store, tool)
        return Keys(keys, readonly, len(keys))
    every, found, reported = count_calls(store, tool), array("q"), 0
    for key in find_calls(store, words, tool):
        job.check()
        found.append(key)
        if len(found) >= max(FIRST, 2 * reported) and (keep is None or key <= keep):
            reported = len(found)
            job.partial(Keys(found[:], readonly, every, words, whole=False))
    return Keys(found, readonly, every, words)


@job_work
def read_page(job: Job[Any], first: int, keys: Sequence[int], words: Sequence[str] = ()) -> Page[CallRow]:
    """The rows of these keys; each shows the words that were searched."""
    from core.rules.calls import call_rows

    found = {row.id: row for row in call_rows(job.store(), keys, words)}
    return Page(first, tuple(found.get(key) for key in keys))


@job_work
def read_call(job: Job[Any], key: int) -> StoredCall | None:
    from core.rules.calls import stored_call

    return stored_call(job.store(), key)


@job_work
def check_typed(_job: Job[Any], tool: str, text: str) -> Typed:
    """What was typed, as a call; a Fault says what is wrong with it, and where."""
    from core.rules.calls import typed_call

    return typed_call(tool, text)


@job_work
def watch_files(job: Job[Any], sources: Sources) -> Changed:
    """Report each change of the rule files and of the labels while the pane is open."""
    from core.rules.evaluation.labels import label_file

    labels = label_file(job.lane.path)
    last, before = sources.stamp(), stamp_of(labels)
    while True:
        job.pause(INTERVAL)
        if stamp_of(labels) != before:  # it is put in its place whole
            before = stamp_of(labels)
            job.partial("labels")
        now = sources.stamp()
        if now != last:
            job.pause(INTERVAL / 5)  # an editor may write in two steps
            last = sources.stamp()
            job.partial("rules")


@job_work
def read_label(job: Job[Any], call: ToolCall, project: str) -> Label | None:
    """What is said of a call by now."""
    from core.rules.evaluation.labels import label_file, label_of

    return label_of(label_file(job.lane.path), call, project)


@job_work
def label_call(job: Job[Any], saying: Saying) -> LabelResult:
    """Label a call, unless it has another label by now than the one that was seen."""
    from core.flows.rules.labels import label_call

    before = None if saying.after is None else saying.after.result
    seen = saying.seen if before is None or before.otherwise else before.label
    saying.result = label_call(
        job.lane.path, saying.call, saying.rule, saying.verdict,
        shown_from=saying.shown_from, project=saying.project, seen=seen,
    )  # fmt: skip
    saying.after = None
    return saying.result


@job_work
def find_clusters(job: Job[Any], matching: Matching) -> Clusters:
    """Rules that say nearly the same, or belong together."""
    with matching.using(job) as matcher:
        to_group = matcher.to_group()
    return matching.grouped(job, to_group)


@job_work
def measure(job: Job[Any], matching: Matching) -> Measured | None:
    """Compare every way of matching on what was labelled; None where nothing was."""
    from core.flows.rules.labels import comparable
    from core.rules.evaluation.compare import case_results
    from core.rules.evaluation.labels import named_in, rule_names

    sources = matching.sources
    found = comparable(job.lane.path, lambda folder: sources.of(folder).files(), matching.folder)
    if not found.calls:
        return Measured(None, (), found.notes(())) if found.elsewhere or found.broken else None
    calls = found.calls
    with matching.using(job) as matcher:
        compared = matcher.compare(calls)
        answer = lambda call: matcher.match(call, wait_s=600.0)  # noqa: E731
        notes = found.notes(rule_names(matcher.rules().rules, named_in(calls)))
        return Measured(compared, case_results(calls, answer, compared.differences), notes, sources.project)


WAIT = 600.0
"""Seconds that a match in the pane may wait for a model that loads: keywords answer meanwhile."""
_LATE: dict[Kind, float] = {"query": 10.0, "document": 60.0}
"""Seconds that a model which has answered before may take for one question, or for the few rules it reads at once."""
_POLL = 0.05


class Matching:
    """The matchers of one workbench: one by keywords alone, one with the model. Its methods make the work of jobs.

    `process` has the model; None: keywords alone.
    """

    def __init__(
        self, sources: Sources, database: Path, process: VectorProcess | None, log: Callable[[str], object]
    ) -> None:
        self.sources = sources
        self._own = sources
        self._process = process
        self.warm = False  # whether the model has answered since it last failed
        self._none = False  # whether there is no model to wait for
        self._database = database
        self._log = log
        self._locks = (threading.Lock(), threading.Lock())
        self._matchers: list[RuleMatcher | None] = [None, None]
        self._job: Job[Any] | None = None  # the one that holds the matcher with the model
        self._late: Callable[[], object] | None = None  # what it does once the model keeps it waiting

    def look_from(self, project: str) -> bool:
        """Match by the rules of this project (its folder; empty: the workbench's own) from now on; False: as before."""
        sources = self._own.of(project)
        changed, self.sources = sources != self.sources, sources
        return changed

    @property
    def folder(self) -> str:
        """The folder whose rules are in force; empty for none."""
        return "" if self.sources.folder is None else str(self.sources.folder)

    # Work of jobs ----------------------------------------------------------------------------------------------------

    def rank(
        self, call: ToolCall | None, before: Ranked | None, pinned: RuleKey | None, *, again: bool = False
    ) -> Callable[[Job[Ranked | None]], Ranked | None]:
        """Match a call (None: only read the rules); None where no rule file is named. `before`: what moved since?
        `again`: what words say is on the screen already."""

        def work(job: Job[Any]) -> Ranked | None:
            from core.rules.matching.call import ToolCall

            if not self.sources.files() and not self.sources.bans().places():
                return None
            tool_call = call or ToolCall("")
            meaning = self._by_meaning()
            by_words = lambda: self._ranked(job, tool_call, before, pinned, meaning=False)  # noqa: E731
            if not meaning:
                return by_words()
            at_once = not (again or self.warm or self._none)
            if at_once:
                job.partial(by_words())
            late = None if at_once or again else lambda: job.partial(by_words())
            return self._ranked(job, tool_call, before, pinned, meaning=True, late=late)

        return work

    def reasons(
        self, call: ToolCall, matched: MatchedRule, *, is_shown: bool
    ) -> Callable[[Job[Reasons | None]], Reasons | None]:
        """Everything about one rule of a match; None where its file no longer has it."""

        def work(job: Job[Any]) -> Reasons | None:
            from core.rules.explanation import explain, place_of

            with self._locked_matcher(job, meaning=False) as matcher:
                book = matcher.book()
            explained, at = explain(book, call, matched), place_of(book, matched)
            if explained is None or at is None:
                return None
            found = None if is_shown else self._why_not(job, book, call, at)
            cache, used, no_cache = self._stored_facts(job, explained.rule)
            return Reasons(key_of(matched), explained, found, cache, no_cache, used)

        return work

    def all_rules(self) -> Callable[[Job[tuple[Rule, ...]]], tuple[Rule, ...]]:
        """Every rule there is, in the order of the files."""

        def work(job: Job[Any]) -> tuple[Rule, ...]:
            with self._locked_matcher(job, meaning=False) as matcher:
                return matcher.rules().rules

        return work

    @contextmanager
    def using(self, job: Job[Any]) -> Generator[RuleMatcher]:
        """The best matcher there is, for this job alone: with the model where there is one. Raises Fault."""
        with self._locked_matcher(job, meaning=self._by_meaning()) as matcher:
            yield matcher

    def grouped(self, job: Job[Any], to_group: ToGroup) -> Clusters:
        """The rules grouped by the process, whatever it takes; where that is not to be had, by words here."""
        from core.rules.evaluation.clusters import clusters

        if self._process is not None:
            with suppress(Fault):
                return self._process.ask(job, to_group)
        return clusters(to_group.rules, to_group.glossary, {}, job.check)

    # -----------------------------------------------------------------------------------------------------------------

    def _ranked(
        self, job: Job[Any], call: ToolCall, before: Ranked | None, pinned: RuleKey | None, *,
        meaning: bool, late: Callable[[], object] | None = None,
    ) -> Ranked:  # fmt: skip
        from core.rules.evaluation.labels import label_file, label_of
        from core.rules.explanation import call_texts
        from core.rules.ranking_diff import in_words, moved

        with self._locked_matcher(job, meaning=meaning, late=late) as matcher:
            found, listed, book = matcher.match(call, wait_s=WAIT), matcher.rules(), matcher.book()
            elsewhere = meaning and _embedded_elsewhere(found)
            if meaning and unfinished(found) and not elsewhere:
                self._forget()
        every, bans = tuple((one.path, one.id) for one in book.rules), self.sources.bans()
        forbidden = len(bans.every())
        read = () if every or forbidden else bans.places()
        moves, words = (), ()
        if before is not None and before.match.fallback_used == found.fallback_used:
            moves = moved(before.match, found, before.every, every)
            words = in_words(before.match, found, before.every, every)
        extra = None
        if pinned is not None and (at := _place(book, pinned)) is not None:
            extra = self._why_not(job, book, call, at) if meaning else _by_words(book, call, at)
        label = label_of(label_file(self._database), call, self.folder)
        soon = not meaning and self._by_meaning()
        found = _still_loading(found) if soon else found
        return Ranked(
            call, found, listed.files, len(listed.rules), listed.flaws, label, extra, moves, words,
            soon=soon, elsewhere=elsewhere, project=self.sources.project,
            texts=call_texts(call), every=every, used=_used(job), forbidden=forbidden,
            instructions=tuple(str(place.path) for place in read),
        )  # fmt: skip

    def _why_not(self, job: Job[Any], book: Book, call: ToolCall, at: int) -> WhyNot:
        if not self.warm:
            return _by_words(book, call, at)
        from core.flows.rules.matcher import stored_tier
        from core.rules.explanation import why_not

        with self._locked_matcher(job, meaning=True) as matcher:
            semantic = None if matcher.vectors is None else stored_tier(job.store(), book, matcher.vectors)
            return why_not(book, call, semantic, at)

    def _stored_facts(self, job: Job[Any], rule: Rule) -> tuple[CacheState | None, Usage | None, str]:
        """What the casebook keeps of a rule: its vector, how often it was used; or why it cannot be read."""
        from core.rules.format.store import usage_of
        from core.rules.matching.semantic import cache_state

        try:
            return cache_state(job.store(), rule), usage_of(job.store(), rule.path, rule.id), ""
        except Fault as fault:
            return None, None, fault.message

    def _by_meaning(self) -> bool:
        return self._process is not None and self.sources.embedding is not None and self._database.exists()

    @contextmanager
    def _locked_matcher(
        self, job: Job[Any], *, meaning: bool, late: Callable[[], object] | None = None
    ) -> Generator[RuleMatcher]:
        lock, patience = self._locks[meaning], time.monotonic() + PATIENCE
        while not lock.acquire(timeout=_POLL):
            job.check()
            if late is not None and time.monotonic() > patience:
                late()
                late = None
        try:
            if meaning:
                self._job, self._late = job, late
            yield self._matcher(meaning)
        finally:
            lock.release()

    def _matcher(self, meaning: bool) -> RuleMatcher:
        """The matcher for the files in force: another one once other files are."""
        from core.embedding.runtime.query_model import NoVectors
        from core.flows.rules.matcher import RuleMatcher
        from core.flows.system.vectors import remote_search

        files, known = self.sources.files(), self._matchers[meaning]
        if known is not None and tuple(known.paths) == files:
            known.bans = self.sources.bans()
            return known
        if known is not None:
            known.close()
        settings = self.sources.embedding if meaning else None
        vectors = None if settings is None else remote_search(settings, self._embed)
        bans = self.sources.bans()
        made = RuleMatcher(files, self._database, vectors, log=self._set_status, in_memory=False, bans=bans)
        self._none = self._none if vectors is None else isinstance(vectors.model(), NoVectors)
        self._matchers[meaning] = made
        return made

    def _forget(self) -> None:
        """Reset after a failure of the model: the next query starts again with keywords. The caller holds the
        matcher."""
        known, self._matchers[True] = self._matchers[True], None
        self.warm = False
        if known is not None:
            known.close()

    def _embed(self, question: Embed) -> list[tuple[Vector, ...]]:
        """Let the process embed it. Raises Fault; Stopped if the answer to a question is no longer wanted, while rules
        are embedded anyway: the next query needs them too."""
        if self._process is None:
            raise Fault("model_unreachable", "embedding is not available")
        job = self._job if question.kind == "query" else None
        seconds = _LATE[question.kind] if self.warm else WAIT
        found = self._process.ask(job, question, seconds, self._raise_if_busy if self._late is not None else None)
        self.warm = True
        return found

    def _raise_if_busy(self) -> None:
        late, self._late = self._late, None
        if late is not None:
            with suppress(Fault, Stopped):  # the match itself will say so
                late()

    def _set_status(self, text: str) -> None:
        self._log(text)


def _still_loading(match: RuleMatch) -> RuleMatch:
    """The match with a trace that says why meaning is not compared yet."""
    reason = "the model is still loading"
    steps = (replace(step, reason=reason) if step.stage == "semantic" else step for step in match.trace)
    return replace(match, trace=tuple(steps))


def _embedded_elsewhere(match: RuleMatch) -> bool:
    from core.rules.matching.semantic import ELSEWHERE

    return any(step.stage == "semantic" and bool(step.fact(ELSEWHERE)) for step in match.trace)


def _place(book: Book, key: RuleKey) -> int | None:
    """The rule of this file and id nearest to that line: an edit moves lines."""
    path, rule_id, line = key
    there = [at for at, rule in enumerate(book.rules) if (rule.path, rule.id) == (path, rule_id)]
    return min(there, key=lambda at: abs(book.rules[at].line - line)) if there else None


def _used(job: Job[Any]) -> Mapping[tuple[str, str], Usage]:
    """How often each rule was used, by file and id; nothing where it cannot be read."""
    from core.rules.format.store import usage

    with suppress(Fault):
        return usage(job.store())
    return {}


def _by_words(book: Book, call: ToolCall, at: int) -> WhyNot:
    from core.rules.explanation import why_not

    return why_not(book, call, None, at)
