"""Draft rules as lines for people."""

from __future__ import annotations

from collections.abc import Iterator

from cli.format.layout import clip, one_line, wrap
from cli.output import Output
from core.flows.corrections.drafts import RuleDraft, RuleDrafts


def draft_lines(out: Output, found: RuleDrafts) -> Iterator[str]:
    """Each draft with the call that was declined, its evidence and where it was said."""
    for one in found.drafts:
        yield from _draft_lines(out, one)
    if not found.drafts:
        yield out.paint("There are no draft rules.", "dim")
    elif any(one.status == "draft" for one in found.drafts):
        yield out.paint("casebook rules accept ID --file CLAUDE.md writes one into a rule file.", "dim")


def _draft_lines(out: Output, one: RuleDraft) -> Iterator[str]:
    state = "" if one.status == "draft" else f"  ({one.status}{f' into {one_line(one.path)}' if one.path else ''})"
    first, *rest = list(wrap(one.rule, out.columns - 8 - len(state), "")) or [""]
    yield f"{one.id:>4}  " + out.paint(first, "bold") + state
    yield from (" " * 6 + out.paint(line, "bold") for line in rest)
    count = len(one.said_in)
    where = f"{one_line(one.session)}:{one.message_index}" + (f", in {count} sessions" if count > 1 else "")
    for told in (f'quote: "{one.quote}"', f"declined: {one.tool} {one.call}", f"{one.why}; {one.repository}; {where}"):
        yield out.paint("      " + clip(one_line(told), max(20, out.columns - 6)), "dim")


def decided_lines(out: Output, done: RuleDrafts) -> Iterator[str]:
    """What was decided, and how to take it back."""
    for one in done.drafts:
        if one.status == "accepted":
            yield f"Wrote {one.rule_id} into {one_line(one.path or '')}: {clip(one_line(one.rule), out.columns)}"
        else:
            yield f"Rejected: {clip(one_line(one.rule), out.columns)}"
    yield out.paint("casebook undo takes it back.", "dim")
