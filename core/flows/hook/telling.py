"""Whether a hook tells the fix it found: one a failed run, and none where it would mislead or annoy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import apsw

from core.errors.cases.derived import repository_of_folder
from core.errors.fixes import SILENT_AFTER, Telling, is_silent, is_withheld
from core.errors.retrieval.answer import Hit, SearchAnswer, for_agents
from core.errors.retrieval.tiers import AnsweringFix, answering_fixes
from core.flows.hook.payload import Payload
from core.flows.outcomes.recent import recent_of
from core.flows.outcomes.session import Due


@dataclass(frozen=True, slots=True)
class Told:
    """The answer that the agent gets (None: silence), the row to write about it, and why nothing is told."""

    answer: SearchAnswer | None = None
    telling: Telling | None = None
    reason: str = ""


def tellable(answer: SearchAnswer | None) -> Hit | None:
    """The match that an agent may be told at all: with a fix, of high confidence, no slip."""
    hit = None if answer is None else for_agents(answer).match
    return hit if hit is not None and hit.resolution and hit.confidence == "high" else None


def choose(
    con: apsw.Connection, payload: Payload, answer: SearchAnswer | None, hold_back: float, due: Sequence[Due] = ()
) -> Told:
    """Tell the fix of an answer, or say why not: then its practice is all that is left. Reads only. `due`: outcomes
    known by now, yet unwritten."""
    if answer is None:
        return Told(reason="not an error")
    hit, alone = tellable(answer), replace(answer, match=None)
    if hit is None and answer.practice is None:
        return Told(alone, reason="no fix of high confidence")
    if why := _bad_time(payload):
        return Told(reason=why)
    if hit is None:
        return Told(alone, reason="no fix of high confidence")
    if hit.resolution_id is None:  # of a row that has no history: there is nothing to count it by
        return Told(answer)
    repository = repository_of_folder(con, payload.cwd)
    failed = sum(
        one.telling.resolution_id == hit.resolution_id and one.settled == ("failed_again", True) for one in due
    )
    if is_silent(con, hit.resolution_id, repository, failed):
        return Told(alone, reason=f"performed {SILENT_AFTER} times in this repository, and the check stayed red")
    fingerprint = answer.query.fingerprint
    if _has_rival(answering_fixes(con, hit.id, fingerprint, repository), hit):
        return Told(alone, reason="two fixes of it disagree")
    withheld = is_withheld(payload.session_id, hit.resolution_id, hold_back)
    telling = Telling(hit.resolution_id, "hook", fingerprint, payload.session_id or None, repository, withheld)
    return Told(alone, telling, "held back to compare with") if withheld else Told(answer, telling)


def _bad_time(payload: Payload) -> str:
    """Why an agent is told nothing now, whatever is known; empty where it may be."""
    recent = recent_of(payload.transcript)
    if recent.declined:
        return "a person has just declined a call"
    if any(name in payload.text for name in recent.tests):
        return "the agent has just written the test that fails"
    return ""


def _has_rival(fixes: list[AnsweringFix], hit: Hit) -> bool:
    """Whether another fix, as good by origin and strength, undoes what this one does."""
    from core.flows.outcomes.actions import actions_of, disagree

    own = next((one for one in fixes if one.id == hit.resolution_id), None)
    if own is None:
        return False
    ours = actions_of(own.text)
    rivals = (
        one for one in fixes
        if one.id != own.id and (one.status, one.strength, one.worth == "slip") == (own.status, own.strength, False)
    )  # fmt: skip
    return any(disagree(ours, actions_of(one.text)) for one in rivals)
