"""Quotes and entries as lines for people: where each quote is, what differs, and what blocks a promotion."""

from __future__ import annotations

from collections.abc import Iterator

from cli.format.cases import field, trace_lines
from cli.format.layout import clip, counted, one_line, wrap
from cli.output import Output, Style
from core.align.alignment import AlignedEntry, AlignResult, Evidence
from core.align.input import Extracted
from core.align.result import Difference, Failure, Span, Status
from core.evidence.entries import EntryPage
from core.evidence.promotion import Promoted, PromotedMany, Promotion
from core.evidence.realign import SessionAligned
from core.evidence.review.decisions import Decided
from core.evidence.review.detail import Choice, Entry, Quote
from core.evidence.review.queue import QuotePage, QuoteRow
from core.evidence.rows import State
from core.flows.system.evidence import EvidenceAdded
from core.text import visible

_STYLE: dict[Status, Style] = {"aligned": "good", "flagged": "warn", "ambiguous": "warn", "failed": "bad"}
_WHY: dict[Failure, str] = {
    "not_found": "no similar text in the session",
    "below_threshold": "the most similar text is below the threshold",
    "empty_quote": "the quote is empty",
    "quote_too_long": "the quote was not found verbatim and is too long for a fuzzy search",
    "index_out_of_range": "the message does not exist",
}
_SHOWN = 5
"""Places of an ambiguous quote that are named."""


def alignment_lines(out: Output, found: AlignResult, extracted: Extracted) -> Iterator[str]:
    """Every entry with its quotes, then how many came to what, and the warnings."""
    for entry, source in zip(found.entries, extracted.entries, strict=True):
        yield from _entry_lines(out, entry, source.title)
        yield ""
    yield (
        f"{found.alignedCount} aligned, {found.flaggedCount} flagged, {found.ambiguousCount} ambiguous, "
        f"{found.failedCount} failed"
    )
    for warning in found.warnings:
        yield from wrap(f"warning: {warning}", out.columns)


def quote_alignment_lines(out: Output, found: AlignResult) -> Iterator[str]:
    """One quote with its place in a session, or why it has none."""
    for entry in found.entries:
        for one in entry.evidence:
            yield from _quote_lines(out, one)


def _entry_lines(out: Output, entry: AlignedEntry, title: str) -> Iterator[str]:
    verdict = out.paint("aligned", "good") if entry.evidenceAligned else out.paint("not aligned", "bad")
    yield f"{clip(visible(entry.entryId or '(no id)'), 40)}: {verdict}"
    if title:
        yield from field(out, "entry", title, "bold")
    if not entry.evidence:
        yield from field(out, "evidence", "none, so the entry cannot be promoted")
    for one in entry.evidence:
        yield from _quote_lines(out, one)


def _quote_lines(out: Output, one: Evidence) -> Iterator[str]:
    yield from field(out, f"quote {one.index}", one.quote or "(empty)")
    yield from field(out, one.status, _concern_line(one), _STYLE[one.status])
    for reason in one.reasons:
        yield from field(out, "because", reason.text)
    if one.status == "flagged" and one.diff:
        yield from field(out, "difference", diff_line(one.diff))
    for near in one.nearMisses:
        place = f"message {near.messageIndex}, {near.start} to {near.end}, {near.similarity:.2f} similar"
        yield from field(out, "near miss", place)
    if out.verbose:
        yield from trace_lines(out, one.trace)


def _concern_line(one: Evidence) -> str:
    if one.reason is not None:
        return _WHY[one.reason]
    places = [f"{place.start} to {place.end}" for place in one.spans]
    moved = "" if one.relocatedFrom is None else f", not in message {one.relocatedFrom} as stated"
    if one.status == "ambiguous":
        more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
        return f"message {one.messageIndex}: found at {', '.join(places[:_SHOWN])}{more}{moved}"
    return f"message {one.messageIndex}, {', '.join(places)}: {one.method}, {one.confidence:.3f}{moved}"


def diff_line(diff: tuple[Difference, ...]) -> str:
    """A verbatim diff on one line: `[-of the source-]` and `{+of the quote+}`, the quote's own text between them."""
    told = ""
    for run in diff:
        if run.same:
            told += run.quote
            continue
        marked = [f"[-{run.source}-]"] if run.source else []
        marked += [f"{{+{run.quote}+}}"] if run.quote else []
        told += " ".join(marked) + ("" if run.quote else " ")
    return told.rstrip()


_STATE_STYLE: dict[State, Style] = {
    "aligned": "good",
    "accepted": "good",
    "flagged": "warn",
    "ambiguous": "warn",
    "waiting": "warn",
    "near": "bad",
    "failed": "bad",
    "rejected": "dim",
}
_STATE_SHOWN: dict[State, str] = {"near": "failed"}
_DONE = {"reject": "Rejected", "words": "Replaced the quote with the source text:", "accept": "Accepted"}


def added_lines(out: Output, done: EvidenceAdded) -> Iterator[str]:
    """What was taken of a file, what was not and why, and how the quotes came out."""
    known = f", {done.known:,} already known" if done.known else ""
    entries = "1 entry" if len(done.added) == 1 else f"{len(done.added):,} entries"
    yield f"Added {entries} with {counted(done.quotes, 'quote')} to session {one_line(done.session)}{known}."
    for left in done.left[: None if out.verbose else 10]:
        yield from wrap(f"entry {left.entry_id or left.at} was not added: {left.reason}", out.columns)
    for warning in done.warnings[: None if out.verbose else 10]:
        yield from wrap(f"warning: {warning}", out.columns)
    if done.alignment is not None:
        yield from session_lines(out, done.alignment)


def session_lines(out: Output, done: SessionAligned) -> Iterator[str]:
    """Yield the states of a session's quotes, and what is new."""
    if not done.quotes:
        yield "The session has no quotes. To add some, run: casebook evidence add"
        return
    counts = [
        (done.aligned, "aligned"), (done.accepted, "accepted"), (done.flagged, "flagged"),
        (done.ambiguous, "ambiguous"), (done.failed, "failed"), (done.rejected, "rejected"), (done.waiting, "waiting"),
    ]  # fmt: skip
    yield (
        f"Session with {counted(done.quotes, 'quote')}: "
        + ", ".join(f"{count:,} {what}" for count, what in counts if count)
        + "."
    )
    yield out.paint(f"{counted(done.looked, 'quote')} checked, {done.changed:,} with a new status.", "dim")
    if done.returned:
        yield out.paint(f"{done.returned:,} that you accepted are missing from the session. Review them again.", "warn")
    for entry in done.demoted:
        yield from wrap(f"{entry} is a candidate again: one of its quotes is missing from the session.", out.columns)
    if done.canceled:
        yield out.paint("Stopped. The next run resumes here.", "warn")


def list_lines(out: Output, page: QuotePage) -> Iterator[str]:
    """A page of quotes, and what is left to decide."""
    counts = page.counts
    yield f"{counts.left:,} of {counts.total:,} undecided." if counts.total else "No quotes yet."
    for row in page.quotes:
        yield _row(out, row)
        if row.reason:
            yield out.paint(" " * 19 + clip(row.reason, out.columns - 19), "dim")
    if page.next is not None:
        yield out.paint(f"more: add --after {page.next}", "dim")


def _row(out: Output, row: QuoteRow) -> str:
    state = _STATE_SHOWN.get(row.state, row.state)
    head = f"{row.id:>6}  " + out.paint(f"{state:<9}", _STATE_STYLE[row.state]) + "  "
    return head + clip(row.quote, max(20, out.columns - 19))


def entry_list_lines(out: Output, page: EntryPage) -> Iterator[str]:
    """A page of entries, each with how many quotes still block it."""
    if not page.entries:
        yield "No entries yet."
    for entry in page.entries:
        blocked = f"{entry.blocking} of {entry.quotes} open" if entry.blocking else f"{entry.quotes} good"
        yield clip(f"{entry.stage:<9}  {blocked:<14}  {entry.id}  {entry.title}", out.columns)
    if page.next is not None:
        yield out.paint(f"more: add --after {one_line(page.next)!r}", "dim")


def quote_lines(out: Output, quote: Quote) -> Iterator[str]:
    """A quote whole: its state and why, the places that can be chosen with what differs there, the decision."""
    row = quote.row
    yield from field(out, "quote", f"{row.id}, of entry {row.entry_id} ({row.type}, {row.stage})")
    yield from field(out, "says", quote.quote or "(empty)", "bold")
    if quote.original is not None:
        yield from field(out, "extracted as", quote.original)
    yield from field(out, "entry", row.title)
    state = _STATE_SHOWN.get(row.state, row.state)
    yield from field(out, state, row.reason or f"in message {row.message_index}", _STATE_STYLE[row.state])
    if row.method != "none":
        yield from field(out, "match", f"{row.method}, similarity {row.confidence:.3f}")
    if quote.spans:
        yield from field(out, "found at", _place(quote.spans))
    if quote.decision is not None:
        made = quote.decision
        why = f": {made.reason}" if made.reason else ""
        yield from field(out, "decided", f"{made.act} by {made.by}, {made.at}{why}")
    if row.state not in ("aligned", "accepted"):
        for choice in quote.choices:
            yield from _choice_lines(out, choice)
    yield from _promotion_lines(out, quote.promotion)
    yield from field(out, "mark", quote.mark)
    if out.verbose and quote.found is not None:
        yield ""
        yield from trace_lines(out, quote.found.trace)


def _choice_lines(out: Output, choice: Choice) -> Iterator[str]:
    like = "" if choice.kind == "found" else f", {choice.similarity:.2f} similar"
    yield from field(out, f"location {choice.number}", f"{_place(choice.spans)}{like}")
    if any(not run.same for run in choice.diff):
        yield from field(out, "difference", diff_line(choice.diff))
    else:
        yield from field(out, "words", choice.words[:2000])
    for reason in choice.fit.reasons:
        yield from field(out, "because", reason)


def _place(spans: tuple[Span, ...]) -> str:
    return f"message {spans[0].message_index}, " + ", ".join(f"{span.start} to {span.end}" for span in spans[:20])


def _promotion_lines(out: Output, promotion: Promotion) -> Iterator[str]:
    if promotion.stage == "verified":
        yield from field(out, "stage", "verified", "good")
    elif promotion.promotionBlocked:
        yield from field(out, "blocked", promotion.promotionBlockReason or "", "warn")
    else:
        yield from field(out, "stage", "candidate, ready for promotion")


def entry_lines(out: Output, entry: Entry) -> Iterator[str]:
    """An entry with its quotes and what blocks its promotion."""
    yield from field(out, "entry", f"{entry.id} ({entry.type}), of session {entry.session}")
    yield from field(out, "says", entry.title, "bold")
    yield from _promotion_lines(out, entry.promotion)
    for row in entry.quotes:
        yield _row(out, row)
        if row.reason:
            yield out.paint(" " * 19 + clip(row.reason, out.columns - 19), "dim")


def decided_lines(out: Output, done: Decided) -> Iterator[str]:
    """What an act did, or why it was refused, and what the quote says otherwise than the place."""
    if done.refused is not None:
        yield out.paint(f"Quote {done.evidence_id} was not changed: {done.message}.", "warn")
    else:
        yield out.paint(f"{_DONE.get(done.act, 'Accepted')} quote {done.evidence_id}.", "good")
    if done.spans:
        yield from field(out, "at", _place(done.spans))
    if any(not run.same for run in done.diff) and done.act != "words":
        yield from field(out, "difference", diff_line(done.diff))
    for reason in done.trace[0].steps if done.refused == "needs_confirmation" else ():
        yield from field(out, "because", reason.reason)
    if done.refused == "needs_confirmation":
        yield "To accept it anyway, pass --confirm."
    if out.verbose and done.refused is not None:
        yield from trace_lines(out, done.trace)
    if done.demoted:
        yield out.paint(f"{one_line(done.entry_id)} is a candidate again.", "warn")
    yield from _promotion_lines(out, done.promotion)
    if done.change is not None:
        yield out.paint(f"Saved as change {done.change}. To undo it, run: casebook undo", "dim")


def promoted_lines(out: Output, done: Promoted) -> Iterator[str]:
    """Whether an entry was promoted, or what blocks it."""
    name = one_line(done.entry_id)
    if done.change is None:
        still = "stays a candidate" if done.promotion.stage == "candidate" else "is already verified"
        yield out.paint(f"{name} {still}.", "warn")
    else:
        stage = "verified" if done.promotion.stage == "verified" else "a candidate again"
        yield out.paint(f"{name} is {stage}.", "good")
    if done.promotion.promotionBlocked and done.promotion.stage == "candidate":
        yield from field(out, "blocked", done.promotion.promotionBlockReason or "", "warn")
        for quote in done.promotion.failedQuotes[:20]:
            yield from field(out, "quote", clip(quote, 300))
    if done.change is not None:
        yield out.paint(f"Saved as change {done.change}. To undo it, run: casebook undo", "dim")


def promoted_many_lines(out: Output, done: PromotedMany) -> Iterator[str]:
    """Which entries were promoted, and which are blocked and why."""
    shown = None if out.verbose else 20
    if not done.promoted and not done.blocked:
        yield "No entry is ready. To list the open quotes, run: casebook evidence list --open"
        return
    does = "Would verify" if done.dry_run else "Verified"
    yield out.paint(f"{does} {_entries(len(done.promoted))}.", "good" if done.promoted else "warn")
    for one in done.promoted[:shown]:
        yield clip(f"  {one_line(one.entry_id)}  {one_line(one.title)}", out.columns)
    if shown is not None and len(done.promoted) > shown:
        yield out.paint(f"  and {len(done.promoted) - shown:,} more", "dim")
    if done.blocked:
        yield out.paint(f"Blocked: {_entries(len(done.blocked))}.", "warn")
    for blocked in done.blocked[:shown]:
        yield clip(f"  {one_line(blocked.entry_id)}  {one_line(blocked.reason)}", out.columns)
    if done.dry_run:
        yield "No change written (--dry-run)."
    elif done.change is not None:
        yield out.paint(f"Saved as change {done.change}. To undo it, run: casebook undo", "dim")


def _entries(count: int) -> str:
    return f"{count:,} {'entry' if count == 1 else 'entries'}"
