"""Verification of a model's answer: markers, sentences, refusals; and recovery of an answer that a crash cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from core.base.trace import Outcome, Step, Stopwatch, facts
from core.base.wire import to_wire
from core.flows.ask.options import load_glossary
from core.flows.ask.retrieve import by_chunk
from core.library.ask.answer import AnswerCut, Claim, InventedCitation, Refusal
from core.library.ask.markers import Marked, checked_markers, sentences, sounds_like_giving_up
from core.library.ask.prompt import Cause, only_refuses, refuses
from core.library.ask.verdict import (
    NOTHING,
    Glossary,
    Length,
    claims,
    contradicts,
    cut_of,
    holds,
    marked_cut,
    unverified,
)
from core.library.search.rows import Passage
from core.text import estimate_tokens

_OUTCOMES: dict[str, Outcome] = {
    "supported": "hit", "flagged": "rejected", "unsupported": "miss", "uncited": "miss",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settled:
    """The checked text, the passages it cites in order of their markers, its sentences, those that cite what was never
    given, how it was cut off, if so, whether all of it is verified, why it is no answer, if so, and then what the model
    did instead, and its words, if they say more."""

    text: str
    used: tuple[int, ...]
    claims: tuple[Claim, ...]
    invented: tuple[InventedCitation, ...]
    cut: AnswerCut | None
    grounded: bool
    refusal: Refusal | None
    cause: Cause
    reply: str | None
    step: Step


def settle(
    text: str,
    packed: Sequence[Passage],
    *,
    broken: bool,
    length: Length | None = None,
    glossary: Glossary = NOTHING,
    question: str = "",
    injected: Mapping[str, str] = NOTHING,
) -> Settled:
    """Check an answer. Raises nothing: one that does not hold is not `grounded`, with the reason in the step.

    `length`: where that ran out; the sentence it broke off in holds nothing. `injected`: the passages that speak to the
    model, by chunk id.
    """
    watch = Stopwatch()
    marked = checked_markers(text, len(packed))
    found = () if refuses(marked.text) else claims(marked.text, packed, glossary, question)
    none = _gave_up(marked.text, found)
    found = () if none else found
    cut = None if length is None or none else cut_of(marked.text, length)
    found = found if cut is None else marked_cut(found, cut)
    invented = () if none else _invented(marked)
    refusal, reason = _refused(marked, found, none=none, broken=broken)
    doubt = unverified(found, invented, cut, injected, question) if refusal is None else None
    grounded = refusal is None and doubt is None
    reason = reason or doubt or "every stated fact is in its source"
    details = facts(
        cited=len(marked.used),
        dropped=", ".join(f"[{one}]" for one in marked.unknown) or None,
        supported=sum(one.status == "supported" for one in found),
        flagged=sum(one.status == "flagged" for one in found),
        unsupported=sum(one.status == "unsupported" for one in found),
        uncited=sum(one.status == "uncited" for one in found),
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
        if one.citation is not None
    )
    step = Step("citations", "hit" if grounded else "rejected", reason, details, steps, elapsed_ms=watch.ms())
    reply = None if refusal is None or only_refuses(marked.text) else marked.text.strip() or None
    cause: Cause = "gave_up" if none else "unheld" if marked.text.strip() else "silent"
    return Settled(marked.text, tuple(sorted(marked.used)), found, invented, cut, grounded, refusal, cause, reply, step)


def _gave_up(text: str, found: Sequence[Claim]) -> bool:
    """Whether the model says itself that there is not enough evidence. A sentence that cites and holds is an answer;
    one that sounds like giving up must stand in its source: `The documents do not say [1]` has few words to look for.
    """
    if not sounds_like_giving_up(text):
        return False
    signs = (
        not contradicts(one) and one.status != "unsupported" if sounds_like_giving_up(one.text) else holds(one)
        for one in found
        if one.status != "uncited"
    )
    return not any(signs)


def _invented(marked: Marked) -> tuple[InventedCitation, ...]:
    sentence_list = sentences(marked.text) if marked.dropped else ()
    out: list[InventedCitation] = []
    for number, at in marked.dropped:
        of = next((one for one in sentence_list if one.start <= at <= one.end), None)
        text, start, end = (of.text, of.start, of.end) if of else ("", at, at)
        out.append(InventedCitation(f"[{number}]", text, start, end))
    return tuple(dict.fromkeys(out))


def _refused(marked: Marked, found: Sequence[Claim], *, none: bool, broken: bool) -> tuple[Refusal | None, str]:
    """Return why there is no answer to check, with its wording; nothing if there is one."""
    if broken:
        return "llm_stream_aborted", "incomplete answer"
    if not marked.text.strip():
        return "llm_self_judge", "empty answer"
    if none:
        return "llm_self_judge", "the model reports insufficient evidence"
    if not found:
        return "llm_self_judge", "the answer has no content"
    return None, ""


def broken_off(con: apsw.Connection, answer: dict[str, Any], packed: list[str], text: str) -> dict[str, Any]:
    """The answer, as `answer.v1`, with the words that had come and why no more did. `packed`: the chunks it was given.

    Where one of them is gone since, no sentence is held against any: the markers count the passages. Raises apsw
    errors, and LookupError or TypeError where it is no such answer.
    """
    found = by_chunk(con, packed)
    marked = checked_markers(text.strip(), len(packed))
    why = "the process ended early: incomplete answer" if text else "the process ended before the answer began"
    steps = [Step("model", "failed", why, facts(characters=len(text)))]
    made = {**answer}
    if marked.text:
        made["answer"] = marked.text
        made["citations"] = [answer["packed"][one - 1] for one in sorted(marked.used)]
        made["usage"] = {**answer["usage"], "completion_tokens": estimate_tokens(text)}
    if marked.text and len(found) == len(packed):
        settled = settle(text.strip(), found, broken=True, glossary=load_glossary(), question=answer["query"])
        made["claims"] = [to_wire(one) for one in settled.claims]
        made["invented"] = [to_wire(one) for one in settled.invented]
        steps.append(settled.step)
    trace = answer["trace"]
    return {**made, "trace": [*trace[:-1], *map(to_wire, steps), *trace[-1:]]}
