"""A quote at one place, after the guard has looked at it: aligned, or flagged with the reasons and a diff."""

from __future__ import annotations

from dataclasses import replace

from core.align.guard import beside, compare, cut_article, cut_off, cut_signs, is_diff
from core.align.result import Aligned, Concern, Method, hash_of
from core.align.session import Session
from core.align.settings import AlignSettings
from core.align.spans import Span
from core.base.trace import Step, Stopwatch, facts


def judged(
    session: Session,
    span: Span,
    quote: str,
    settings: AlignSettings,
    method: Method,
    confidence: float,
    similarity: float,
) -> Aligned:
    """What the guard says of `quote` at `span`; its trace is the guard's one step, or none where it had no question."""
    text, level = session.messages[span.message_index], settings.guard
    watch = Stopwatch()
    concerns: list[Concern] = []
    verdict = None
    if method != "exact":
        source = text[span.start : span.end]
        verdict = compare(quote, source, session.knows, level, in_diff=is_diff(text, span.start))
        concerns += verdict.concerns
    if level != "off":
        concerns += cut_signs(text, span.start, span.end, quote)
        concerns += cut_article(text, span.start, span.end, quote)
        concerns += cut_off(text, span.start, span.end, quote)
        concerns += beside(text, span.start, span.end)
    trace: tuple[Step, ...] = ()
    if method != "exact" or concerns:
        said = "; ".join(str(one) for one in concerns) or "it says the same"
        told = facts(message=span.message_index)
        trace = (Step("guard", "rejected" if concerns else "hit", said, told, elapsed_ms=watch.ms()),)
    return Aligned(
        "flagged" if concerns else "aligned",
        method,
        confidence,
        (span,),
        similarity,
        concerns=tuple(dict.fromkeys(concerns)),
        diff=() if verdict is None else verdict.diff,
        trace=trace,
    )


def settle(
    session: Session, quote: str, found: Aligned, span: Span, settings: AlignSettings, reason: str = "a person chose"
) -> Aligned:
    """An ambiguous quote at one of its places, guarded there. Raises ValueError where `span` is none of them."""
    if found.status != "ambiguous" or span not in found.spans:
        raise ValueError("only one of the places of an ambiguous quote can be chosen")
    made = judged(session, span, quote, settings, found.method, found.confidence, found.similarity)
    text = session.messages[span.message_index]
    step = Step("choice", "hit", reason, facts(start=span.start, places=len(found.spans)))
    return replace(
        made,
        matched_hash=hash_of(text[span.start : span.end]),
        relocated_from=found.relocated_from,
        trace=(*found.trace, step, *made.trace),
    )
