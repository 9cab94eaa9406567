"""What of an answer an agent may be told: everything but the slips of the moment (decision 3b)."""

from __future__ import annotations

from dataclasses import replace

from core.base.trace import Step, facts
from core.errors.retrieval.answer import Hit, SearchAnswer

SLIP = "its fix is a slip of the moment: kept as history, not told to an agent"


def for_agents(answer: SearchAnswer) -> SearchAnswer:
    """The answer without fixes that a harvest calls a slip; a match with one becomes a candidate without a fix."""
    match, looked_at, trace = answer.match, answer.candidates, answer.trace
    if match is not None and match.worth == "slip":
        looked_at = (match, *looked_at)
        trace = (*trace, Step("worth", "rejected", SLIP, facts(case=match.id)))
        match = None
    return replace(
        answer,
        match=match,
        candidates=tuple(map(_without_slip, looked_at)),
        similar=tuple(replace(one, resolution=None) if one.worth == "slip" else one for one in answer.similar),
        trace=trace,
    )


def _without_slip(one: Hit) -> Hit:
    if one.worth != "slip":
        return one
    return replace(one, resolution=None, resolved_by=None, tool_sequence=(), lesson=None, accepted=False, reason=SLIP)
