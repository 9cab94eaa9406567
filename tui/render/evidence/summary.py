"""What an act on several quotes or entries came to, as one sentence or two."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tui.render.common.untrusted import inline

if TYPE_CHECKING:
    from core.evidence import DecidedMany, PromotedMany
    from core.evidence.review.decisions import Refusal

_NAME = 60
_DIFFER = frozenset(("needs_confirmation", "too_little"))
_LEFT: dict[Refusal, str] = {
    "needs_confirmation": "differing from the source",
    "too_little": "differing from the source",
    "choose_a_place": "in several places",
    "no_place": "not found",
    "not_aligned": "not aligned yet",
    "changed_meanwhile": "changed meanwhile",
    "as_it_was": "decided before",
}


def summary_of_decisions(done: DecidedMany, what: str) -> str:
    """How many quotes were `accepted` or `rejected`, and why the others are left."""
    count, left = len(done.done), [why for _, why in done.left]
    if not left:
        return f"{count:,} {what}."
    begin = f"{count:,} {what}." if count else f"Nothing {what}."
    if set(left) <= _DIFFER:
        these = "1 quote differs" if len(left) == 1 else f"{len(left):,} quotes differ"
        return f"{begin} {these} from the source: review one by one."
    reasons = Counter(_LEFT[why] for _, why in done.left)
    said = ", ".join(f"{number:,} {reason}" for reason, number in reasons.most_common())
    return f"{begin} Left: {said}."


def summary_of_promotions(done: PromotedMany) -> str:
    """How many entries were verified, and what blocks the others."""
    names, parts = done.promoted, list[str]()
    if names:
        one = f"“{_name(names[0].title, names[0].entry_id)}” is verified."
        parts.append(one if len(names) == 1 else f"{len(names):,} entries verified.")
    if done.blocked:
        first = done.blocked[0]
        which = f"“{_name(first.title, first.entry_id)}”"
        many = which if len(done.blocked) == 1 else f"{len(done.blocked):,} entries, first {which}"
        parts.append(f"Blocked: {many}. {inline(first.reason, 120)}")
    if done.verified_before:
        count = done.verified_before
        parts.append("1 entry was verified before." if count == 1 else f"{count:,} entries were verified before.")
    return " ".join(parts) or "Nothing to verify."


def _name(title: str, entry_id: str) -> str:
    return inline(title, _NAME).strip() or inline(entry_id, _NAME)
