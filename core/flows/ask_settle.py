"""What a model said, held against what it was given: markers, sentences, and whether it is an answer at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.library.ask_answer import Claim, InventedCitation, Refusal
from core.library.ask_claims import NOTHING, Glossary, claims, contradicts, holds
from core.library.ask_markers import Marked, checked_markers, sentences
from core.library.ask_prompt import gave_up
from core.library.search_rows import Passage
from core.trace import Outcome, Step, Stopwatch, facts

_OUTCOMES: dict[str, Outcome] = {"supported": "hit", "flagged": "rejected", "unsupported": "miss"}


@dataclass(frozen=True, slots=True)
class Settled:
    """The checked text, the passages it cites in order of their markers, its cited sentences, those that cite what was
    never given, and why it is none, if so."""

    text: str
    used: tuple[int, ...]
    claims: tuple[Claim, ...]
    invented: tuple[InventedCitation, ...]
    refusal: Refusal | None
    step: Step


def settle(
    text: str, packed: Sequence[Passage], *, broken: bool, glossary: Glossary = NOTHING, question: str = ""
) -> Settled:
    """Check an answer. Raises nothing: what does not hold becomes a refusal, with its reason in the step."""
    watch = Stopwatch()
    marked = checked_markers(text, len(packed))
    none = gave_up(marked.text)
    found = () if none else claims(marked.text, packed, glossary, question)
    refusal, reason = _judged(marked.text, marked.used, found, broken=broken)
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
    return Settled(marked.text, tuple(sorted(marked.used)), found, () if none else _invented(marked), refusal, step)


def _invented(marked: Marked) -> tuple[InventedCitation, ...]:
    said = sentences(marked.text) if marked.dropped else ()
    out: list[InventedCitation] = []
    for number, at in marked.dropped:
        of = next((one for one in said if one.start <= at <= one.end), None)
        text, start, end = (of.text, of.start, of.end) if of else ("", at, at)
        out.append(InventedCitation(f"[{number}]", text, start, end))
    return tuple(dict.fromkeys(out))


def _judged(text: str, used: tuple[int, ...], found: tuple[Claim, ...], *, broken: bool) -> tuple[Refusal | None, str]:
    if broken:
        return "llm_stream_aborted", "it is not whole"
    if not text.strip():
        return "llm_self_judge", "the model said nothing"
    if gave_up(text):
        return "llm_self_judge", "the model says that there is not enough evidence"
    if not used:
        return "llm_self_judge", "no passage is cited"
    wrong = sum(contradicts(one) for one in found)
    if wrong:
        return "llm_self_judge", f"{wrong} of {len(found)} cited sentences say otherwise than their source"
    if not any(holds(one) for one in found):
        return "llm_self_judge", "no cited sentence stands in its source"
    return None, "at least one cited sentence stands in its source, none says otherwise"
