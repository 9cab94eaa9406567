"""What a person says of a rule that was shown for a call: kept as a label, and counted as helped or dismissed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from core.base.fault import Fault
from core.flows.rules.files import ScopedFiles
from core.rules.evaluation.labels import (
    Label,
    LabelConflict,
    LabelledCall,
    Seen,
    Verdict,
    broken_lines,
    expected_elsewhere,
    id_of,
    label_file,
    label_of,
    put_label,
    read_labels,
)
from core.rules.format.store import count_back, count_use
from core.rules.matching.call import ToolCall
from core.store import open_store

COUNT_WAIT_MS = 500
"""How long counting waits for another writer: the label is kept all the same."""


@dataclass(frozen=True, slots=True)
class LabelResult:
    """The label of a call now, and why it could not be counted (or ""). `otherwise`: another label than the one that
    was seen was kept meanwhile, and nothing was changed."""

    label: Label | None
    uncounted: str = ""
    otherwise: bool = False


@dataclass(frozen=True, slots=True)
class Comparable:
    """The labelled calls that were said among the rules in force; `elsewhere` counts those of other rules, `broken` are
    the lines of the file that are no labelled call."""

    calls: tuple[LabelledCall, ...]
    elsewhere: int = 0
    broken: tuple[int, ...] = ()

    def notes(self, known: Collection[str]) -> tuple[str, ...]:
        """What is to be said of a comparison on them, `known` are the names of its rules; nothing where all is well."""
        out: list[str] = []
        if self.broken:
            lines = ", ".join(map(str, self.broken[:5])) + (", ..." if len(self.broken) > 5 else "")
            out.append(f"{'line' if len(self.broken) == 1 else 'lines'} {lines} of the labels cannot be read")
        if self.elsewhere:
            calls = "1 call is" if self.elsewhere == 1 else f"{self.elsewhere:,} calls are"
            out.append(f"{calls} skipped: labeled with rules of another project")
        if absent := expected_elsewhere(self.calls, known):
            named = ", ".join(f"{name} ({count})" for name, count in absent.items())
            out.append(f"the labeled calls name unknown rules: {named}")
        return tuple(out)


def comparable(database: Path, files: Callable[[str], ScopedFiles], project: str) -> Comparable:
    """The labels that can be compared by the rules of a project; `files` are those in force for a folder. A label of
    earlier days, without a project, counts everywhere. Raises Fault io_error."""
    path, here = label_file(database), files(project)
    every = [call for call, _ in read_labels(path)]
    same = {one: files(one) == here for one in {call.project for call in every} if one}
    calls = tuple(call for call in every if same.get(call.project, True))
    return Comparable(calls, len(every) - len(calls), broken_lines(path))


def label_call(
    database: Path,
    call: ToolCall,
    rule: str | None,
    verdict: Verdict,
    *,
    shown_from: str | None = None,
    project: str | None = None,
    seen: Seen = "any",
) -> LabelResult:
    """Say something of a call, as `put_label` does.

    `shown_from` is the file of a rule that is shown for the call: only such a rule can have helped, or be dismissed.
    Saying the same again takes it back, from the counts too. Raises Fault as `put_label`.
    """
    path = label_file(database)
    before = label_of(path, call, project) if seen == "any" else seen
    try:
        now = put_label(path, call, rule, verdict, seen=seen, project=project)
    except LabelConflict as other:
        return LabelResult(other.label, otherwise=True)
    if rule is None or shown_from is None:
        return LabelResult(now)
    try:
        _count(database, shown_from, rule, before or Label(), now or Label())
    except Fault as fault:
        return LabelResult(now, fault.message)
    return LabelResult(now)


def _count(database: Path, path: str, rule: str, before: Label, now: Label) -> None:
    """One use more for what is said now and was not before, one less the other way round."""
    with open_store(database, write=True, timeout_ms=COUNT_WAIT_MS) as store:
        if store.readonly is not None:
            raise Fault("db_readonly", store.readonly)
        if rule in now.applies and rule not in before.applies:
            count_use(store, [(path, id_of(rule))], "helped")
        if rule in before.applies and rule not in now.applies:
            count_back(store, path, id_of(rule), "helped")
        if rule in now.not_these and rule not in before.not_these:
            count_use(store, [(path, id_of(rule))], "dismissed")
        if rule in before.not_these and rule not in now.not_these:
            count_back(store, path, id_of(rule), "dismissed")
