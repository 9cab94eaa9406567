"""What a model said, held against what it was given: markers, sentences, and whether it is an answer at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.library.ask_answer import AnswerCut, Claim, InventedCitation, Refusal
from core.library.ask_claims import NOTHING, Glossary, claims, contradicts, holds
from core.library.ask_cut import CUT_OFF, Length, cut_of, marked_cut
from core.library.ask_giving_up import sounds_like_giving_up
from core.library.ask_markers import Marked, checked_markers, sentences
from core.library.ask_prompt import only_refuses, refuses
from core.library.ask_refusal import Cause
from core.library.search_rows import Passage
from core.trace import Outcome, Step, Stopwatch, facts

_OUTCOMES: dict[str, Outcome] = {"supported": "hit", "flagged": "rejected", "unsupported": "miss"}


@dataclass(frozen=True, slots=True)
class Settled:
    """The checked text, the passages it cites in order of their markers, its cited sentences, those that cite what was
    never given, how it was cut off, if so, why it is none, if so, and then what the model did instead, and its words,
    if they say more."""

    text: str
    used: tuple[int, ...]
    claims: tuple[Claim, ...]
    invented: tuple[InventedCitation, ...]
    cut: AnswerCut | None
    refusal: Refusal | None
    cause: Cause
    said: str | None
    step: Step


def settle(
    text: str,
    packed: Sequence[Passage],
    *,
    broken: bool,
    length: Length | None = None,
    glossary: Glossary = NOTHING,
    question: str = "",
) -> Settled:
    """Check an answer. Raises nothing: what does not hold becomes a refusal, with its reason in the step.

    `length`: where that ran out; the sentence it broke off in holds nothing.
    """
    watch = Stopwatch()
    marked = checked_markers(text, len(packed))
    found = () if refuses(marked.text) else claims(marked.text, packed, glossary, question)
    none = _gave_up(marked.text, found)
    found = () if none else found
    cut = None if length is None or none else cut_of(marked.text, length)
    found = found if cut is None else marked_cut(found, cut)
    refusal, reason = _judged(marked, found, none=none, broken=broken, cut=cut is not None)
    told = facts(
        cited=len(marked.used),
        dropped=", ".join(f"[{one}]" for one in marked.unknown) or None,
        supported=sum(one.status == "supported" for one in found),
        flagged=sum(one.status == "flagged" for one in found),
        unsupported=sum(one.status == "unsupported" for one in found),
        gave_up=none or None,
    )
    steps = tuple(
        Step(
            "claim",
            _OUTCOMES[one.status],
            "; ".join(concern.text for concern in one.concerns) or one.status,
            facts(marker=one.marker, at=one.citation.uri, similarity=one.similarity, words=one.words),
        )
        for one in found
    )
    step = Step("citations", "rejected" if refusal else "hit", reason, told, steps, elapsed_ms=watch.ms())
    used, invented = tuple(sorted(marked.used)), () if none else _invented(marked)
    said = None if refusal is None or only_refuses(marked.text) else marked.text.strip() or None
    cause: Cause = "gave_up" if none else "silent" if not marked.text.strip() else "uncited" if not used else "unheld"
    return Settled(marked.text, used, found, invented, cut, refusal, cause, said, step)


def _gave_up(text: str, found: Sequence[Claim]) -> bool:
    """Whether the model says itself that there is not enough evidence. A sentence that cites and holds is an answer;
    one that sounds like giving up must stand in its source: `The documents do not say [1]` has few words to look for.
    """
    if not sounds_like_giving_up(text):
        return False
    stands = (
        not contradicts(one) and one.status != "unsupported" if sounds_like_giving_up(one.text) else holds(one)
        for one in found
    )
    return not any(stands)


def _invented(marked: Marked) -> tuple[InventedCitation, ...]:
    said = sentences(marked.text) if marked.dropped else ()
    out: list[InventedCitation] = []
    for number, at in marked.dropped:
        of = next((one for one in said if one.start <= at <= one.end), None)
        text, start, end = (of.text, of.start, of.end) if of else ("", at, at)
        out.append(InventedCitation(f"[{number}]", text, start, end))
    return tuple(dict.fromkeys(out))


def _judged(
    marked: Marked, found: tuple[Claim, ...], *, none: bool, broken: bool, cut: bool
) -> tuple[Refusal | None, str]:
    if broken:
        return "llm_stream_aborted", "it is not whole"
    if not marked.text.strip():
        return "llm_self_judge", "the model said nothing"
    if none:
        return "llm_self_judge", "the model says that there is not enough evidence"
    if not marked.used:
        return "llm_self_judge", "it was cut off before it cited a passage" if cut else "no passage is cited"
    wrong = sum(contradicts(one) for one in found)
    if wrong:
        return "llm_self_judge", f"{wrong} of {len(found)} cited sentences say otherwise than their source"
    whole = [one for one in found if not any(concern.kind == CUT_OFF for concern in one.concerns)]
    if found and not whole:
        return "llm_self_judge", "it was cut off before its first cited sentence had ended"
    if not any(holds(one) for one in whole):
        return "llm_self_judge", "no cited sentence stands in its source"
    return None, "at least one cited sentence stands in its source, none says otherwise"
