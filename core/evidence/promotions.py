"""Promoting several entries at once: one change in the history, so that one undo takes all of it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from core.base.fault import Fault
from core.evidence.promotion import promotion_of, promotion_title, set_stage
from core.store import Store, change

READY = (
    "e.stage = 'candidate' AND EXISTS (SELECT 1 FROM evidence q WHERE q.entry_id = e.id)"
    " AND NOT EXISTS (SELECT 1 FROM evidence q JOIN review r ON r.evidence_id = q.id"
    " WHERE q.entry_id = e.id AND r.state NOT IN ('aligned', 'accepted'))"
)
"""The SQL condition on `entry e` for an entry that is ready: a candidate with quotes, every one aligned or accepted."""


@dataclass(frozen=True, slots=True)
class NamedEntry:
    """An entry's id and title."""

    entry_id: str
    title: str


@dataclass(frozen=True, slots=True)
class BlockedEntry:
    """An entry that was not promoted. `reason`: why, in plain words; `failed_quotes`: the quotes that block it."""

    entry_id: str
    title: str
    reason: str
    failed_quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromotedMany:
    """The result of promoting several entries. `change` None: nothing was changed.

    `verified_before`: how many were verified already. `dry_run`: `promoted` would be promoted, nothing was written.
    """

    SCHEMA: ClassVar[str] = "evidence_promotions.v1"

    change: int | None
    promoted: tuple[NamedEntry, ...]
    blocked: tuple[BlockedEntry, ...]
    verified_before: int
    dry_run: bool = False


def ready_entries(store: Store, *, session: str | None = None, type: str | None = None) -> tuple[NamedEntry, ...]:
    """The candidates whose quotes are all aligned or accepted, by id; of one session or one type.

    Whether the words still stand in the session is tested when they are promoted.
    """
    tests, values = [READY], list[str]()
    for name, value in (("session_id", session), ("type", type)):
        if value is not None:
            tests.append(f"e.{name} = ?")
            values.append(value)
    rows = store.con.execute(f"SELECT e.id, e.title FROM entry e WHERE {' AND '.join(tests)} ORDER BY e.id", values)
    return tuple(NamedEntry(str(row[0]), " ".join(str(row[1]).split())[:80]) for row in rows.fetchall())


def promote_many(
    store: Store, actor: str, entry_ids: Sequence[str] | None = None, *, dry_run: bool = False
) -> PromotedMany:
    """Promote those of these entries (None: of the ready ones) that nothing blocks; the others come back with why.

    One change in the history. An entry that is gone counts as blocked. Raises what `Store.transaction` raises.
    """
    if dry_run:
        with store.moment():
            return _judge_all(store, entry_ids)
    with change(store, actor, "promote entries") as made:
        found = _judge_all(store, entry_ids)
        names = found.promoted
        made.title = f"promote: {names[0].title}" if len(names) == 1 else f"promote {len(names):,} entries"
        set_stage(store.con, [one.entry_id for one in names], "verified", actor)
        made.subjects |= {("entry", one.entry_id) for one in names}
    return replace(found, change=made.id, dry_run=False)


def _judge_all(store: Store, entry_ids: Sequence[str] | None) -> PromotedMany:
    """What would be promoted, and what blocks the others."""
    ids = [one.entry_id for one in ready_entries(store)] if entry_ids is None else dict.fromkeys(entry_ids)
    free: list[NamedEntry] = []
    blocked: list[BlockedEntry] = []
    before = 0
    for entry_id in ids:
        try:
            title, found = promotion_title(store.con, entry_id), promotion_of(store.con, entry_id)
        except Fault as fault:
            blocked.append(BlockedEntry(entry_id, "", f"{fault.message}.", ()))
            continue
        if found.stage == "verified":
            before += 1
        elif found.promotionBlocked:
            blocked.append(BlockedEntry(entry_id, title, found.promotionBlockReason or "", found.failedQuotes))
        else:
            free.append(NamedEntry(entry_id, title))
    return PromotedMany(None, tuple(free), tuple(blocked), before, dry_run=True)
