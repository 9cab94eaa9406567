"""Decisions on their way to disk: carried out in turn by jobs, and told when they did not come about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.fault import Fault
from tui.jobs import Jobs
from tui.panes.evidence.decisions import DONE, LANE, Decision, decided, decided_all, promoted, taken_back
from tui.render.foreign import inline, title
from tui.render.signs import Signs

if TYPE_CHECKING:
    from core.evidence import Decided, DecidedMany, Promoted
    from core.evidence.stored import State
    from tui.panes.evidence.queries import ReadQuote


@dataclass(frozen=True, slots=True)
class Ended:
    """How something ended: the quote it was about (None: an entry, an undo), whether it was done, what to say.

    `back`: it was an undo, so that the quote may be one to decide on again.
    """

    evidence_id: int | None
    done: bool
    told: str
    back: bool = False


class Reviewing:
    """Carries decisions out; `heard` hears how each ended. Used from the interface's thread only."""

    def __init__(self, jobs: Jobs, signs: Signs, heard: Callable[[Ended], object]) -> None:
        self._jobs = jobs
        self._signs = signs
        self._heard = heard
        self.pending: set[int] = set()
        self.made: list[int] = []

    def decide(self, decision: Decision) -> None:
        """On disk in its turn."""
        one = decision.evidence_id
        self.pending.add(one)

        def ended(done: Decided, _final: bool) -> None:
            self.pending.discard(one)
            if done.refused is not None:
                self._heard(Ended(one, False, f"{done.message[:1].upper()}{done.message[1:]}."))
                return
            self.made.append(one)
            free = not done.promotion.promotionBlocked and done.promotion.stage == "candidate"
            told = f"#{one} {DONE[decision.act]}"
            told += "; its entry is a candidate again" if done.demoted else ""
            told += "; entry can be promoted" if free else ""
            self._heard(Ended(one, True, told + self._signs.told("  {undo.last} undoes")))

        def failed(fault: Fault) -> None:
            self.pending.discard(one)
            self._heard(Ended(one, False, _told(fault)))

        self._jobs.run(LANE, decided(decision), ended, failed, keep=True)

    def decide_all(self, seen: Sequence[tuple[int, State]], reason: str | None) -> None:
        """Reject them all for one reason, or (None) accept those that need no question; what is left is told."""
        ids = {one for one, _ in seen}
        self.pending |= ids
        what = "accepted" if reason is None else "rejected"

        def ended(done: DecidedMany, _final: bool) -> None:
            self.pending -= ids
            if done.done:
                self.made.append(done.done[0])
            told = f"{len(done.done):,} {what}" + self._signs.told("  {undo.last} undoes" if done.done else "")
            if done.left:
                asked = f"{len(done.left):,} of {len(ids):,} are left: each needs a look of its own"
                self._heard(Ended(None, False, f"{len(done.done):,} {what}; {asked}."))
            else:
                self._heard(Ended(None, True, told))

        def failed(fault: Fault) -> None:
            self.pending -= ids
            self._failed(fault)

        self._jobs.run(LANE, decided_all(seen, reason), ended, failed, keep=True)

    def blocked(self, read: ReadQuote | None) -> str:
        """Why the entry of this quote cannot be promoted; empty: it can."""
        if read is None:
            return ""
        promotion = read.quote.promotion
        if promotion.promotionBlocked:
            return f"Its entry stays a candidate. {promotion.promotionBlockReason or 'It cannot be promoted.'}"
        return "The entry is verified already." if promotion.stage == "verified" else ""

    def promote(self, read: ReadQuote) -> None:
        """Make the entry of this quote verified, if nothing blocks it, and say which one it is."""
        row = read.quote.row
        name = inline(row.title or row.entry_id, 60)

        def ended(done: Promoted, _final: bool) -> None:
            told = f"entry “{name}” is verified" + self._signs.told("  {undo.last} undoes")
            if done.change is None:
                told = f"“{name}”: {done.promotion.promotionBlockReason or 'It is verified already.'}"
            self._heard(Ended(None, done.change is not None, told))

        self._jobs.run(LANE, promoted(row.entry_id), ended, self._failed, keep=True)

    def take_back(self, *, again: bool = False) -> None:
        """Take back what the person decided last, or bring it back."""

        def ended(what: str, _final: bool) -> None:
            at = self.made.pop() if self.made and not again else None
            self._heard(Ended(at, True, f"{'brought' if again else 'taken'} back: {title(what)}", back=True))

        self._jobs.run(LANE, taken_back(again=again), ended, self._failed, keep=True)

    def _failed(self, fault: Fault) -> None:
        self._heard(Ended(None, False, _told(fault)))


def _told(fault: Fault) -> str:
    return " ".join(part for part in (title(fault.message), title(fault.hint)) if part)
