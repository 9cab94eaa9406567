"""An answer whose length ran out: how far it came, what allows more, and the sentence it broke off in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.library.ask.answer import AnswerCut, Claim, ClaimConcern, Support
from core.library.ask.checks.markers import sentences

_ENDED = lazy_pattern(r"[.!?。…]['\"”’)*_]*(?:[ \t]*\[[0-9]+\])*\Z")
CUT_OFF: Final = "cut off"
"""The concern about a sentence whose end never came."""


@dataclass(frozen=True, slots=True)
class Length:
    """How long an answer became before it was cut off: `tokens`, and the setting that allows more."""

    tokens: int
    setting: str | None


def cut_of(answer: str, length: Length) -> AnswerCut:
    """How an answer was cut off; its markers are in one form."""
    said = answer.rstrip()
    last = next(reversed(sentences(said)), None)
    if last is None:
        return AnswerCut(length.tokens, length.setting, 0, len(said))
    rest = said[last.end :].lstrip()
    whole = _ENDED.search(said[last.start : last.end]) is not None and not rest.startswith("[")  # half a marker
    return AnswerCut(length.tokens, length.setting, None if whole else last.start, None if whole else len(said))


def marked_cut(claims: Sequence[Claim], cut: AnswerCut) -> tuple[Claim, ...]:
    """The claims; that which was cut off says so, and is never a supported one."""
    return tuple(_cut_off(one) if one.start == cut.start else one for one in claims)


def _cut_off(claim: Claim) -> Claim:
    status: Support = "flagged" if claim.status == "supported" else claim.status
    concern = ClaimConcern(CUT_OFF, "", "", f"{CUT_OFF}: its end never came")
    return replace(claim, status=status, concerns=(*claim.concerns, concern))
