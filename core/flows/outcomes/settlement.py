"""The outcome of a fix that was told, by what the session did next. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from core.errors.fixes import Outcome
from core.flows.harvest.command_relation import relation
from core.flows.harvest.session_events import Result
from core.flows.outcomes.actions import Actions, is_performed

WITHIN: Final = 3
"""Calls after the fix was performed in which the same check must be green."""
NEAR_S: Final = 5.0
"""Seconds by which a transcript may date a result later than the hook that told of it."""


class Settled(NamedTuple):
    """What became of a telling, and whether what was told was done."""

    outcome: Outcome
    performed: bool


def settle(
    fingerprint: str, told_at: str, actions: Actions, results: Sequence[Result], *, ended: bool
) -> Settled | None:
    """The outcome of a telling among the results of its session, in their order; None while it is open.

    `helped`: the fix was performed, and the same check was green within three calls. `failed_again`: the same failure
    came again. Everything else is `ignored`: another cure, no check in time, or a session that `ended`.
    """
    at = _failing(fingerprint, told_at, results)
    check = results[at] if at is not None else None
    later = results[at + 1 :] if at is not None else [one for one in results if one.ran.ts > told_at]
    performed, calls = False, 0
    for result in later:
        calls += performed
        if any(error.fingerprint == fingerprint for error in result.outcome.errors):
            return Settled("failed_again", performed or is_performed(actions, result.command, result.change))
        if not performed and is_performed(actions, result.command, result.change):
            performed, calls = True, 0
        green = result.outcome.verdict == "passed" and _checks(check, result, corrected=performed and calls == 0)
        if green:
            return Settled("helped" if performed else "ignored", performed)
        if performed and calls >= WITHIN:
            return Settled("ignored", performed=True)
    return Settled("ignored", performed) if ended else None


def _failing(fingerprint: str, told_at: str, results: Sequence[Result]) -> int | None:
    """Which result had the failure that was told of: the nearest in time, at most a moment later."""
    told = _seconds(told_at)
    found = [
        (abs(_seconds(one.ran.ts) - told), at)
        for at, one in enumerate(results)
        if any(error.fingerprint == fingerprint for error in one.outcome.errors)
        and _seconds(one.ran.ts) - told <= NEAR_S
    ]
    return min(found)[1] if found else None


def _checks(check: Result | None, later: Result, *, corrected: bool) -> bool:
    """Whether a passing run is the failing check again; `corrected`: or the told command in the place of it."""
    if check is None or check.command is None or later.command is None:
        return False
    error = check.outcome.errors[0].key
    found = relation(check.command, later.command, error.text, error.tool, check.mentions)
    return found in ("same", "covers") or (corrected and found == "variant")


def _seconds(ts: str) -> float:
    try:
        return datetime.fromisoformat(ts).timestamp()
    except ValueError:
        return 0.0
