"""One act on several quotes: one change in the history, so that one undo takes all of it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.evidence.messages import StoredMessages
from core.evidence.promotion import demote_unfounded
from core.evidence.review.decisions import REASON_KEPT, Plan, Refusal, accept_plan, store_plan
from core.evidence.rows import Decision, Kept, State, kept
from core.store import Store, change
from core.store.sql import storable
from core.text import redact


@dataclass(frozen=True, slots=True)
class DecidedMany:
    """What was done about several quotes; `left` were not decided, each with why. `change` None: none was."""

    change: int | None
    done: tuple[int, ...]
    left: tuple[tuple[int, Refusal], ...]


def reject_all(store: Store, actor: str, seen: Sequence[tuple[int, State]], reason: str) -> DecidedMany:
    """Reject these quotes, each with the state it was seen in, for one reason; one decided otherwise meanwhile is left.

    Raises what `Store.transaction` raises.
    """
    why = storable(redact(reason)).strip()[:REASON_KEPT]
    return _all(store, actor, seen, Plan(Decision("reject", reason=why), "rejected"))


def accept_all(store: Store, actor: str, seen: Sequence[tuple[int, State]]) -> DecidedMany:
    """Accept those of these quotes that need no question where they were found; the others are left."""
    return _all(store, actor, seen, None)


def _all(store: Store, actor: str, seen: Sequence[tuple[int, State]], plan: Plan | None) -> DecidedMany:
    done: list[int] = []
    left: list[tuple[int, Refusal]] = []
    with change(store, actor, f"{'accept' if plan is None else 'reject'} {len(seen):,} quotes") as made:
        entries: set[str] = set()
        for evidence_id, state in seen:
            one = kept(store.con, evidence_id)
            if one is None or one.state != state:
                left.append((evidence_id, "changed_meanwhile"))
                continue
            planned = plan or accept_plan(one, StoredMessages(store.con, one.session_id))
            refused = _refused(one, planned)
            if refused is not None:
                left.append((evidence_id, refused))
                continue
            store_plan(store.con, actor, one, planned)
            entries.add(one.entry_id)
            done.append(evidence_id)
        made.subjects |= {("entry", entry_id) for entry_id in entries}
        demote_unfounded(store.con, sorted(entries), actor)
    return DecidedMany(made.id, tuple(done), tuple(left))


def _refused(one: Kept, planned: Plan) -> Refusal | None:
    if one.aligned is None:
        return "not_aligned"
    return "as_it_was" if one.verdict == planned.verdict else planned.refused
