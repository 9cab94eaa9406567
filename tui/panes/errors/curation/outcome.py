"""What became of a decision, in words: said once it is on disk, never before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.panes.errors.curation.decisions import DONE, Decision

if TYPE_CHECKING:
    from core.errors.curation import Curated


def outcome(decision: Decision, done: Curated) -> str:
    """What was done, to which case or how many, and what was left as it was, and why."""
    told = [_did(decision, done)] if done.cases else []
    if done.unchanged:
        told.append(f"{_which(done.unchanged)} unchanged")
    if done.conflicts:
        told.append(f"{_which([one.case_id for one in done.conflicts])} left alone: somebody was faster")
    return ", ".join(told) or "nothing was changed"


def _did(decision: Decision, done: Curated) -> str:
    done_so = DONE[decision.act].casefold()
    if decision.act == "merge":
        return f"{done_so} {_which(decision.cases[1:])} into #{done.cases[0]}"
    if decision.act == "split":
        return f"{done_so} #{done.made} from #{done.cases[0]}"
    return f"{done_so} {_which(done.cases)}"


def _which(cases: Sequence[int]) -> str:
    return f"#{cases[0]}" if len(cases) == 1 else f"{len(cases):,} cases"
