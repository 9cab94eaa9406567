"""What the Rules pane reads besides matches, each as the work of a job."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tui.panes.rules.matcher_client import Matching
from tui.runtime.jobs import Job
from tui.services.rule_sources import Sources, stamp_of
from tui.widgets.row_list import Page

if TYPE_CHECKING:
    from core.flows.rules.labels import Said
    from core.rules.calls import CallRow, StoredCall, Typed
    from core.rules.evaluation.clusters import Clusters
    from core.rules.evaluation.compare import CaseResult, Comparison
    from core.rules.evaluation.labels import Label, Verdict
    from core.rules.matching.call import ToolCall

INTERVAL = 0.25
"""Seconds between two looks at the rule files."""
Changed = Literal["rules", "labels"]
"""What others have written."""
FIRST = 64
"""Calls that are told before a search has seen all; then again whenever they are twice as many."""


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
    may not be on the screen yet; `said`: what came of it."""

    call: ToolCall
    rule: str | None
    verdict: Verdict
    seen: Label | None
    shown_from: str | None
    after: Saying | None
    project: str = ""
    said: Said | None = None


def read_keys(tool: str, query: str = "", keep: int | None = None) -> Callable[[Job[Keys]], Keys]:
    """The keys of all calls, or of those of one tool; of a search, those it finds, the first of them at once.

    `keep`: the call that is chosen; what is told before the end goes down to where it stands.
    """

    def work(job: Job[Any]) -> Keys:
        from core.rules.calls import call_keys, count_calls, find_calls, words_of

        store, words = job.store(), words_of(query)
        readonly = store.readonly or ""
        if not words:
            keys = call_keys(store, tool)
            return Keys(keys, readonly, len(keys))
        every, found, told = count_calls(store, tool), array("q"), 0
        for key in find_calls(store, words, tool):
            job.check()
            found.append(key)
            if len(found) >= max(FIRST, 2 * told) and (keep is None or key <= keep):
                told = len(found)
                job.partial(Keys(found[:], readonly, every, words, whole=False))
        return Keys(found, readonly, every, words)

    return work


def read_page(first: int, keys: Sequence[int], words: Sequence[str] = ()) -> Callable[[Job[Any]], Page[CallRow]]:
    """The rows of these keys; each shows the words that were searched."""

    def work(job: Job[Any]) -> Page[CallRow]:
        from core.rules.calls import call_rows

        found = {row.id: row for row in call_rows(job.store(), keys, words)}
        return Page(first, tuple(found.get(key) for key in keys))

    return work


def read_call(key: int) -> Callable[[Job[StoredCall | None]], StoredCall | None]:
    """One call whole."""

    def work(job: Job[Any]) -> StoredCall | None:
        from core.rules.calls import stored_call

        return stored_call(job.store(), key)

    return work


def check_typed(tool: str, text: str) -> Callable[[Job[Typed]], Typed]:
    """What was typed, as a call; a Fault says what is wrong with it, and where."""

    def work(_job: Job[Any]) -> Typed:
        from core.rules.calls import typed_call

        return typed_call(tool, text)

    return work


def watch_files(sources: Sources) -> Callable[[Job[Changed]], Changed]:
    """Tell each change of the rule files, and of what is said of calls, for as long as the pane is open."""

    def work(job: Job[Any]) -> Changed:
        from core.rules.evaluation.labels import label_file

        labels = label_file(job.lane.path)
        last, said = sources.stamp(), stamp_of(labels)
        while True:
            job.pause(INTERVAL)
            if stamp_of(labels) != said:  # it is put in its place whole
                said = stamp_of(labels)
                job.partial("labels")
            now = sources.stamp()
            if now != last:
                job.pause(INTERVAL / 5)  # an editor may write in two steps
                last = sources.stamp()
                job.partial("rules")

    return work


def read_label(call: ToolCall, project: str) -> Callable[[Job[Label | None]], Label | None]:
    """What is said of a call by now."""

    def work(job: Job[Any]) -> Label | None:
        from core.rules.evaluation.labels import label_file, label_of

        return label_of(label_file(job.lane.path), call, project)

    return work


def say(saying: Saying) -> Callable[[Job[Said]], Said]:
    """Label a call, unless it has another label by now than the one that was seen."""

    def work(job: Job[Any]) -> Said:
        from core.flows.rules.labels import label_call

        before = None if saying.after is None else saying.after.said
        seen = saying.seen if before is None or before.otherwise else before.label
        saying.said = label_call(
            job.lane.path, saying.call, saying.rule, saying.verdict,
            shown_from=saying.shown_from, project=saying.project, seen=seen,
        )  # fmt: skip
        saying.after = None
        return saying.said

    return work


def find_clusters(matching: Matching) -> Callable[[Job[Clusters]], Clusters]:
    """Rules that say nearly the same, or belong together."""

    def work(job: Job[Any]) -> Clusters:
        with matching.using(job) as matcher:
            asked = matcher.to_group()
        return matching.grouped(job, asked)

    return work


def measure(matching: Matching) -> Callable[[Job[Measured | None]], Measured | None]:
    """Compare every way of matching on what was labelled; None where nothing was."""

    def work(job: Job[Any]) -> Measured | None:
        from core.flows.rules.labels import comparable
        from core.rules.evaluation.compare import case_results
        from core.rules.evaluation.labels import known_names, named_in

        sources = matching.sources
        found = comparable(job.lane.path, lambda folder: sources.of(folder).files(), matching.folder)
        if not found.calls:
            return Measured(None, (), found.told(())) if found.elsewhere or found.broken else None
        calls = found.calls
        with matching.using(job) as matcher:
            compared = matcher.compare(calls)
            answer = lambda call: matcher.match(call, wait_s=600.0)  # noqa: E731
            notes = found.told(known_names(matcher.rules().rules, named_in(calls)))
            return Measured(compared, case_results(calls, answer, compared.differences), notes, sources.project)

    return work
