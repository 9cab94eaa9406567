"""Rule files watched: who edits a rule has it embedded at once, that rule alone (REQ-SEM-005)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from core.base.fault import Fault
from core.embedding.runtime.query_model import NoVectors
from core.flows.rules.matcher import RuleMatcher
from core.rules.format.rule import Rule, RuleList

LOOK_MS = 300
"""How often the files are looked at where nobody tells of a change (a network drive does not), and `stop` is asked."""
_SETTLE_MS = 60


@dataclass(frozen=True, slots=True)
class RuleEdit:
    """What an edit of rule files came to (`rule_edit.v1`): ids, how many rules were embedded, and why none could be.

    `fault` is set where a file cannot be read just now; the rules read before hold until it can.
    """

    SCHEMA: ClassVar[str] = "rule_edit.v1"

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    embedded: int = 0
    without: str = ""
    fault: str = ""


def watch_rules(
    matcher: RuleMatcher,
    tell: Callable[[RuleEdit], object],
    stop: Callable[[], bool],
    ready: Callable[[], object] = lambda: None,
) -> None:
    """Follow the matcher's files until `stop`; after each edit embed what changed, then `tell`. Belongs to one thread.

    `ready` is called once the files are watched. Raises Fault where the rules cannot be read at the start.
    """
    from watchfiles import watch

    before = matcher.rules()
    names = {str(place) for path, _ in matcher.paths for place in (path.absolute(), path.resolve())}
    folders = {Path(name).parent for name in names}
    failing = ""
    events = watch(
        *sorted(folder for folder in folders if folder.is_dir()),
        watch_filter=lambda _, name: name in names,
        debounce=_SETTLE_MS, step=20, rust_timeout=LOOK_MS, yield_on_timeout=True, raise_interrupt=False,
        recursive=False,
    )  # fmt: skip
    told = emptied = False
    for _ in events:
        if not told:
            told = True
            ready()
        if stop():
            return
        try:
            now = matcher.rules()
            if before.rules and not now.rules and not emptied:
                emptied = True  # an editor that truncates the file before it writes: look again before believing it
                continue
            edit, before = (None, before) if now is before else _followed(matcher, before)
        except Fault as fault:
            if fault.message != failing:
                failing = fault.message
                tell(RuleEdit(fault=fault.message))
            continue
        failing, emptied = "", False
        if edit is not None and (edit.added or edit.edited or edit.removed):
            tell(edit)


def _followed(matcher: RuleMatcher, before: RuleList) -> tuple[RuleEdit, RuleList]:
    """What changed, embedded, and the rules as they were read for that."""
    embedded, without = _embedded(matcher)
    now = matcher.rules()
    return replace(difference(before, now), embedded=embedded, without=without), now


def difference(before: RuleList, now: RuleList) -> RuleEdit:
    """Which rules came, went, and say something else than before."""
    old, new = ({rule.key: rule for rule in one.rules} for one in (before, now))
    edited = [rule for key, rule in new.items() if key in old and old[key].content_hash != rule.content_hash]
    return RuleEdit(
        _ids([rule for key, rule in new.items() if key not in old]),
        _ids(edited),
        _ids([rule for key, rule in old.items() if key not in new]),
    )


def _ids(rules: list[Rule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.id for rule in rules))


def _embedded(matcher: RuleMatcher) -> tuple[int, str]:
    """How many rules were embedded, and why not all: keywords answer for those until then (REQ-SEM-006)."""
    try:
        report = matcher.refresh()
    except Fault as fault:
        matcher.log(f"rules could not be embedded: {fault.message}")
        return 0, fault.message
    if isinstance(report, NoVectors):
        return 0, report.reason
    if report.failed:
        matcher.log(f"rules that could not be embedded: {len(report.failed)} ({report.failed[0].reason})")
        return report.embedded, report.failed[0].reason
    return report.embedded, "another run is embedding just now" if report.busy else ""
