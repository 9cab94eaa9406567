"""Aligned entries as lines for people: each quote with its place, or why a person must look, and what differs."""

from __future__ import annotations

from collections.abc import Iterator

from cli.format.cases import field, trace_lines
from cli.format.layout import clip, wrap
from cli.output import Output, Style
from core.align.alignment import AlignedEntry, AlignResult, Evidence
from core.align.input import Extracted
from core.align.result import Difference, Failure, Status
from core.text import visible

_STYLE: dict[Status, Style] = {"aligned": "good", "flagged": "warn", "ambiguous": "warn", "failed": "bad"}
_WHY: dict[Failure, str] = {
    "not_found": "nothing in the session is like it",
    "below_threshold": "the likest place is not like enough",
    "empty_quote": "the quote is empty",
    "quote_too_long": "it is too long to be looked for with slips, and stands nowhere without",
    "index_out_of_range": "there is no such message",
}
_SHOWN = 5
"""Places of an ambiguous quote that are named."""


def alignment_lines(out: Output, found: AlignResult, extracted: Extracted) -> Iterator[str]:
    """Every entry with its quotes, then how many came to what, and the warnings."""
    for entry, said in zip(found.entries, extracted.entries, strict=True):
        yield from _entry_lines(out, entry, said.title)
        yield ""
    yield (
        f"{found.alignedCount} aligned, {found.flaggedCount} flagged, {found.ambiguousCount} ambiguous, "
        f"{found.failedCount} failed"
    )
    for warning in found.warnings:
        yield from wrap(f"warning: {warning}", out.columns)


def _entry_lines(out: Output, entry: AlignedEntry, title: str) -> Iterator[str]:
    verdict = out.paint("aligned", "good") if entry.evidenceAligned else out.paint("not aligned", "bad")
    yield f"{clip(visible(entry.entryId or '(no id)'), 40)}: {verdict}"
    if title:
        yield from field(out, "entry", title, "bold")
    if not entry.evidence:
        yield from field(out, "evidence", "none, so it can never be promoted")
    for one in entry.evidence:
        yield from _quote_lines(out, one)


def _quote_lines(out: Output, one: Evidence) -> Iterator[str]:
    yield from field(out, f"quote {one.index}", one.quote or "(empty)")
    yield from field(out, one.status, _told(one), _STYLE[one.status])
    for reason in one.reasons:
        yield from field(out, "because", reason.text)
    if one.status == "flagged" and one.diff:
        yield from field(out, "difference", diff_line(one.diff))
    for near in one.nearMisses:
        place = f"message {near.messageIndex}, {near.start} to {near.end}, {near.similarity:.2f} like it"
        yield from field(out, "near miss", place)
    if out.verbose:
        yield from trace_lines(out, one.trace)


def _told(one: Evidence) -> str:
    if one.reason is not None:
        return _WHY[one.reason]
    places = [f"{place.start} to {place.end}" for place in one.spans]
    moved = "" if one.relocatedFrom is None else f", not in message {one.relocatedFrom} as it says"
    if one.status == "ambiguous":
        more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
        return f"message {one.messageIndex}: it stands at {', '.join(places[:_SHOWN])}{more}{moved}"
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
