"""A decision about a quote as a value; jobs carry it out, each in its turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.align import Span
    from core.evidence import Decided, DecidedMany, PromotedMany, Promotion, QuoteRow
    from core.evidence.rows import State

Act = Literal["accept", "choose", "adjust", "look", "words", "reject"]
DONE: dict[Act, str] = {
    "accept": "accepted",
    "choose": "accepted",
    "adjust": "accepted",
    "look": "accepted there",
    "words": "took the original's words",
    "reject": "rejected",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """One act on a quote as it was seen (`mark`). `number`: the place chosen; `spans`: the place drawn by hand."""

    act: Act
    evidence_id: int
    mark: str
    number: int = 0
    spans: tuple[Span, ...] | None = None
    reason: str = ""
    confirmed: bool = False

    @property
    def state(self) -> Literal["accepted", "rejected"]:
        """What it makes of the quote."""
        return "rejected" if self.act == "reject" else "accepted"


def decided(decision: Decision) -> Callable[[Job[Decided]], Decided]:
    """Carry it out: one change in the history, unless it is refused."""

    def work(job: Job[Any]) -> Decided:
        from core import evidence as core
        from core.errors.curation.transaction import person
        from core.store import faults, open_store

        one, me = decision, person()
        with open_store(job.lane.path, write=True) as store, faults(job.lane.path):
            if one.act == "reject":
                return core.reject(store, me, one.evidence_id, one.reason, expect=one.mark)
            if one.act == "words":
                return core.take_words(store, me, one.evidence_id, one.spans, expect=one.mark)
            if one.act == "choose":
                return core.choose(store, me, one.evidence_id, one.number, confirmed=one.confirmed, expect=one.mark)
            act = "adjust" if one.act == "adjust" else None
            return core.accept(store, me, one.evidence_id, one.spans, confirmed=one.confirmed, expect=one.mark, act=act)

    return work


@dataclass(frozen=True, slots=True)
class DecidedAll:
    """What became of several quotes, and which of the entries of those decided can be promoted now."""

    many: DecidedMany
    free: frozenset[str]


def decided_all(rows: Sequence[QuoteRow], reason: str | None) -> Callable[[Job[DecidedAll]], DecidedAll]:
    """Reject them all for a reason, or (None) accept those that need no question: one change."""
    seen: list[tuple[int, State]] = [(row.id, row.state) for row in rows]

    def work(job: Job[Any]) -> DecidedAll:
        from core.errors.curation.transaction import person
        from core.evidence import accept_all, promotion_of, reject_all
        from core.store import faults, open_store

        with open_store(job.lane.path, write=True) as store, faults(job.lane.path):
            me = person()
            many = accept_all(store, me, seen) if reason is None else reject_all(store, me, seen, reason)
            about = {row.entry_id for row in rows if row.id in many.done}
            now = {entry: promotion_of(store.con, entry) for entry in about}
            return DecidedAll(many, frozenset(one for one, its in now.items() if can_be_promoted(its)))

    return work


def can_be_promoted(promotion: Promotion) -> bool:
    """Whether an entry waits for nothing but that."""
    return not promotion.promotionBlocked and promotion.stage == "candidate"


def promoted(entry_ids: Sequence[str]) -> Callable[[Job[PromotedMany]], PromotedMany]:
    """Promote those of these entries that nothing blocks: one change."""

    def work(job: Job[Any]) -> PromotedMany:
        from core.errors.curation.transaction import person
        from core.evidence import promote_many
        from core.store import faults, open_store

        with open_store(job.lane.path, write=True) as store, faults(job.lane.path):
            return promote_many(store, person(), entry_ids)

    return work
