"""Answers, cases and reports as lines for people: plain words, nothing that could act on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from cli.format.layout import UNCUT, clip, one_line, wrap
from cli.output import Output, Style
from core.base.trace import Step, lines
from core.errors.equivalence import in_words
from core.errors.identity.fingerprint import Identity
from core.errors.lessons import Lesson, card
from core.errors.retrieval.answer import Hit, SearchAnswer, Source

_LABEL = 15
_SAME = {
    "fingerprint": "the same error",
    "exact": "the same kind of error",
    "prefix": "an error that begins with the same words",
    "vector": "an error with a similar meaning",
    "text": "an error with these words",
}
_DIFF: dict[str, Style | None] = {"+": "good", "-": "bad"}
_CODE = ("Do", "Instead of", "Not", "Check")
_STATUS = {
    "draft": "draft, unverified",
    "verified": "verified",
    "rejected": "rejected",
}
_LOW = "low confidence, check before use"
_STRENGTH = {"strong": "strong", "weak": "weak, may belong to a different error"}


def field(out: Output, label: str, text: str, style: Style | None = None, *, code: bool = False) -> Iterator[str]:
    """Yield a labelled foreign value, made inert and wrapped, so that it cannot imitate our output.

    Code is not wrapped, so that a command can be copied. Lines that a change adds and removes have their colours.
    """
    for at, line in enumerate(wrap(text, UNCUT if code else out.columns - _LABEL)):
        head = " " * _LABEL if at else out.paint(f"  {label:<{_LABEL - 2}}", "dim")
        shown = _DIFF.get(line[:1], style) if code else style
        yield (head + (line if shown is None else out.paint(line, shown))).rstrip()


def markdown_field(out: Output, label: str, text: str) -> Iterator[str]:
    """Yield a labelled foreign Markdown text."""
    if not out.colour:
        yield from field(out, label, text)
        return
    from cli.format.markdown import markdown

    lines = markdown(out, text, _LABEL)
    yield (out.paint(f"  {label:<{_LABEL - 2}}", "dim") + next(lines, "")[_LABEL:]).rstrip()
    yield from lines


def lesson_lines(out: Output, lesson: Lesson, shown: str = "") -> Iterator[str]:
    """The card of a lesson; `shown` is the error line above it, which it does not repeat."""
    for label, text in card(lesson, shown):
        style = "warn" if label in ("Workaround", "Recheck") else "bold" if label == "Do" else None
        yield from field(out, label.lower(), text, style, code=label in _CODE)


def identity_lines(out: Output, found: Identity) -> Iterator[str]:
    """What names an error."""
    yield from field(out, "key line", found.key_line or "(no key line)", "bold")
    for line in found.key_lines[1:]:
        yield from field(out, "also", one_line(line.text))
    yield from field(out, "tool", found.tool)
    yield from field(out, "normalized", found.normalized)
    yield from field(out, "fingerprint", found.fingerprint)


def answer_lines(out: Output, answer: SearchAnswer) -> Iterator[str]:
    """The match with the reason for it, or none with the reason for that; the candidates; the trace if asked for."""
    known = answer.unfixed
    if known is not None:
        yield out.paint(f"{known.reason[:1].upper()}{known.reason[1:]}.", "warn")
        yield from field(out, "case", f"{known.id}, {known.tier} tier")
        yield from field(out, "error", known.key_line, "bold")
    elif answer.match is None:
        yield out.paint("No known fix.", "warn")
        yield from field(out, "error", answer.query.key_line or "(no key line)", "bold")
        if answer.query.fingerprint != answer.query.key_line:
            yield from field(out, "searched", answer.query.fingerprint)
        missed = [step for step in answer.trace if step.outcome != "hit"]
        if missed and missed[0].stage == "store" and missed[0].outcome == "miss":  # nothing was searched
            yield from wrap(missed[0].reason[:1].upper() + missed[0].reason[1:], out.columns)
        else:
            yield from field(out, "tried", "\n".join(map(_step_line, missed)))
    else:
        yield from _match_lines(out, answer.match)
    if answer.practice is not None:
        yield from field(out, "practice", f"{answer.practice.project}: {answer.practice.line}")
    others = [hit for hit in answer.candidates if hit is not known]
    if others:
        yield ""
        yield "Rejected candidates:"
        for hit in others[: None if out.verbose else 5]:
            yield from _candidate_lines(out, hit)
    shown = {hit.id for hit in answer.candidates}
    if similar := [near for near in answer.similar if near.id not in shown]:
        yield ""
        yield "Similar cases (not answers):"
        for near in similar:
            yield "  " + clip(f"case {near.id}  {near.similarity:.2f}  {near.error_normalized}", out.columns - 2)
    if out.verbose:
        yield ""
        yield from trace_lines(out, answer.trace)


def team_lines(out: Output, here: SearchAnswer, answer: SearchAnswer) -> Iterator[str]:
    """What the team's server adds to an answer that was shown already; nothing without a team."""
    if answer is here:
        return
    yield ""
    if answer.match is not None:
        yield from _match_lines(out, answer.match)
    else:
        yield from field(out, "team", answer.trace[-1].reason)
    for hit in answer.candidates:
        if hit.id == 0:
            yield from _candidate_lines(out, hit)
    if out.verbose:
        yield from trace_lines(out, answer.trace[-1:])


def _step_line(step: Step) -> str:
    remedy = dict(step.facts).get("remedy")
    return f"{step.stage}: {step.reason}" + (f" ({remedy})" if remedy else "")


def _match_lines(out: Output, hit: Hit) -> Iterator[str]:
    sure = "" if hit.confidence == "high" else f" ({_LOW})"
    named = f"; {in_words(hit.other_names)}" if hit.other_names else ""
    for line in wrap(f"Known: {_SAME[hit.tier]}{named}{sure}.", out.columns):
        yield out.paint(line, "good" if not sure else "warn")
    yield from field(
        out, "case", f"{hit.id}, {hit.tier} tier ({hit.score:.2f}), {hit.confidence} confidence, {uses(hit.use_count)}"
    )
    yield from field(out, "error", hit.key_line, "bold")
    yield from field(out, "why", "; ".join(hit.why))
    if hit.lesson is not None:
        yield from lesson_lines(out, hit.lesson, hit.key_line)
    if hit.lesson is None or out.verbose:
        yield from markdown_field(out, "fix", hit.resolution or "")
    elif hit.id:
        yield from field(out, "full fix", f"casebook errors show {hit.id}")
    yield from field(out, "status", _STATUS[hit.status] if hit.status else "unknown")
    yield from field(out, "likeness", hit.likeness)
    if hit.fix_strength:
        yield from field(out, "fix strength", _STRENGTH[hit.fix_strength])
    if hit.resolved_by:
        yield from field(out, "fixed by", hit.resolved_by)
    if hit.tool_sequence:
        yield from field(out, "tools", " > ".join(hit.tool_sequence))
    source = "the lessons of your team" if hit.origin == "team" else source_line(hit.source)
    yield from field(out, "source", source)


def _candidate_lines(out: Output, hit: Hit) -> Iterator[str]:
    score = "" if hit.tier == "text" else f"{hit.score:.2f}  "
    named = f"case {hit.id}" if hit.id else "team"
    yield "  " + clip(f"{named}  {hit.tier}  {score}{hit.key_line}", out.columns - 2)
    yield from wrap(hit.reason or "; ".join(hit.why), out.columns, "      ")


def uses(count: int) -> str:
    """How often a case was of use."""
    return "never used" if count == 0 else "used once" if count == 1 else f"used {count:,} times"


def source_line(source: Source) -> str:
    """Where a resolution comes from."""
    if source.session is None:
        return "recorded manually or imported from a file"
    messages = ", ".join(map(str, source.messages))
    return f"session {source.session}" + (f", messages {messages}" if messages else "")


def trace_lines(out: Output, trace: tuple[Step, ...]) -> Iterator[str]:
    yield "Search trace:"
    for line in lines(trace):
        indent = "  " + " " * (len(line) - len(line.lstrip(" ")))
        first, *rest = wrap(line.strip(), out.columns, indent + "  ")
        yield out.paint(first[2:], "dim")
        yield from (out.paint(part, "dim") for part in rest)
