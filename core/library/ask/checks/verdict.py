"""Whether an answer is verified: what its sentences state must stand in the passages that they cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.library.ask.answer import AnswerCut, Claim, InventedCitation
from core.library.ask.checks.claims import contradicts, holds
from core.library.ask.checks.figures import names_number
from core.library.ask.checks.negation_scope import plain, read
from core.library.ask.checks.refusal_phrases import sounds_like_giving_up
from core.library.ask.gate.answer_type import shows

_LEADS_IN = lazy_pattern(r"[:：]\s*\Z")
_SAYS: Final = 2
"""Words of weight from which on a cited sentence says something: a bare `600` fits any question."""


def states_fact(text: str, question: str) -> bool:
    """Whether a sentence states a number, a name that the question does not have, or a negation.

    What leads in (`Here is how:`) states none, and neither does the sentence that the sources do not say something.
    """
    if names_number(text) or shows("name", text, question):
        return True
    return bool(read(plain(text)).denials) and not sounds_like_giving_up(text)


def unverified(
    found: Sequence[Claim],
    invented: Sequence[InventedCitation],
    cut: AnswerCut | None,
    marked: Mapping[str, str],
    question: str,
) -> str | None:
    """Why an answer is not verified; None where it is.

    `marked`: the passages that speak to the model, by chunk id. The sentence that was cut off is `cut`'s to tell.
    """
    whole = [one for one in found if cut is None or one.start != cut.start]
    cited = [one for one in whole if one.status != "uncited"]
    if not cited:
        if cut is not None:
            return "it was cut off before its first cited sentence had ended"
        return "no passage is cited"
    support = [one for one in cited if one.status == "supported" and len(read(plain(one.text)).terms) >= _SAYS]
    loose = [
        one for one in cited if one.status == "unsupported" and (not holds(one) or states_fact(one.text, question))
    ]
    bare = [one for one in whole if one.status == "uncited" and _states(one, question)]
    if wrong := [one for one in cited if contradicts(one)]:
        return f"{_of(wrong, cited)} {'contradicts its source' if len(wrong) == 1 else 'contradict their sources'}"
    if changed := [one for one in cited if one.status == "flagged"]:
        return (
            f"{_of(changed, cited)} {'differs from its source' if len(changed) == 1 else 'differ from their sources'}"
        )
    if invented:
        return f"{' '.join(dict.fromkeys(one.marker for one in invented))} cites a passage that was not given"
    if not support:
        return "no cited sentence stands word for word in its source"
    if all(one.chunk_id in marked for one in support):
        return "its only support is a passage that speaks to the model"
    if loose:
        return (
            f"{_of(loose, cited)} {'is not in its source' if len(loose) == 1 else 'are not in their sources'} as worded"
        )
    if bare:
        said = "1 sentence states" if len(bare) == 1 else f"{len(bare)} sentences state"
        return f"{said} a number, a name or a negation without a citation"
    return None


def _states(one: Claim, question: str) -> bool:
    return _LEADS_IN.search(one.text) is None and states_fact(one.text, question)


def _of(some: Sequence[Claim], cited: Sequence[Claim]) -> str:
    if len(cited) == 1:
        return "the cited sentence"
    return f"{len(some)} of {len(cited)} cited sentences"
