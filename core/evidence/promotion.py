"""Promotion: a candidate becomes verified only if its quotes are at the places they name (decision 12).

Promoting several entries is one change in the history: one undo takes all of it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, cast

import apsw

from core.base.fault import Fault
from core.evidence.events import append, entry_images
from core.evidence.rows import GOOD, State, StoredMessages, StoredQuote, quotes_of, still_right, words_at
from core.store import Store, change, now
from core.store.journal import title_text

Stage = Literal["candidate", "verified"]
_STATE_NAMES: dict[State, str] = {"near": "failed", "waiting": "not aligned yet"}


@dataclass(frozen=True, slots=True)
class Promotion:
    """Whether an entry may be (or stay) verified; the names are those of evidence-aligner-v2, phase 4.

    `failedQuotes` are the quotes that stand in its way, in the entry's order.
    """

    stage: Stage
    promotionBlocked: bool
    promotionBlockReason: str | None
    failedQuotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Promoted:
    """What asking for a promotion (or a demotion) came to; `change` None: nothing changed, and `promotion` says why."""

    SCHEMA: ClassVar[str] = "evidence_promotion.v1"

    entry_id: str
    change: int | None
    promotion: Promotion


def promotion_of(con: apsw.Connection, entry_id: str) -> Promotion:
    """Return what blocks an entry's promotion. Raises Fault not_indexed for an unknown entry."""
    row = con.execute("SELECT stage, session_id FROM entry WHERE id = ?", (entry_id,)).fetchone()
    if row is None:
        raise Fault("not_indexed", f"entry {entry_id[:80]!r} not found", "run: casebook evidence list")
    stage, quotes = cast("Stage", row[0]), quotes_of(con, entry_id)
    if not quotes:
        return Promotion(stage, True, "Evidence alignment failed: the entry has no quotes.", ())
    messages = StoredMessages(con, str(row[1] or ""))
    states = [_state(one, messages) for one in quotes]
    bad = [(one, state) for one, state in zip(quotes, states, strict=True) if state not in GOOD]
    if not bad:
        return Promotion(stage, False, None, ())
    counts = Counter(_STATE_NAMES.get(cast("State", state), state) for _, state in bad)
    summary = ", ".join(f"{count} {what}" for what, count in counts.items())
    plural = "quote" if len(quotes) == 1 else "quotes"
    reason = f"Evidence alignment failed: of {len(quotes)} {plural}, {summary}."
    return Promotion(stage, True, reason, tuple(one.quote for one, _ in bad))


def _state(one: StoredQuote, messages: StoredMessages) -> str:
    """The quote's state, with a look at whether its words are really there."""
    if one.state == "accepted" and one.decision is not None:
        right = bool(one.spans) and words_at(messages, one.spans) == one.decision.words
    elif one.state == "aligned" and one.aligned is not None:
        right = still_right(messages, one.aligned)
    else:
        return one.state
    return one.state if right else "missing from its location"


def promote(store: Store, actor: str, entry_id: str) -> Promoted:
    """Make an entry verified, if nothing blocks it: one change in the history.

    Raises Fault not_indexed where there is no such entry, and what `Store.transaction` raises.
    """
    return _move(store, actor, entry_id, "verified")


def demote(store: Store, actor: str, entry_id: str) -> Promoted:
    """Make an entry a candidate again. Raises what `promote` raises."""
    return _move(store, actor, entry_id, "candidate")


def _move(store: Store, actor: str, entry_id: str, stage: Stage) -> Promoted:
    title = promotion_title(store.con, entry_id)
    with change(store, actor, f"{'verify' if stage == 'verified' else 'make a candidate'}: {title}") as made:
        before = promotion_of(store.con, entry_id)
        if before.stage != stage and not (stage == "verified" and before.promotionBlocked):
            set_stage(store.con, [entry_id], stage, actor)
            made.subjects.add(("entry", entry_id))
    return Promoted(entry_id, made.id, promotion_of(store.con, entry_id))


def promotion_title(con: apsw.Connection, entry_id: str) -> str:
    """What an entry is called in the history. Raises Fault not_indexed."""
    row = con.execute("SELECT title FROM entry WHERE id = ?", (entry_id,)).fetchone()
    if row is None:
        raise Fault("not_indexed", f"entry {entry_id[:80]!r} not found", "run: casebook evidence list")
    return title_text(str(row[0]))


def set_stage(con: apsw.Connection, ids: Iterable[str], stage: Stage, actor: str | None, why: str = "") -> None:
    """Write a stage and its event inside the caller's transaction."""
    for entry_id in ids:
        con.execute("UPDATE entry SET stage = ?, updated = ? WHERE id = ?", (stage, now(), entry_id))
        (image,) = entry_images(con, [entry_id])
        kind = "entry_promoted" if stage == "verified" else "entry_demoted"
        append(con, kind, image["session_id"], {"actor": actor, "reason": why, "entries": [image]})


def demote_unfounded(con: apsw.Connection, ids: Iterable[str], actor: str | None = None) -> tuple[str, ...]:
    """Make candidates again of the verified ones among these entries that nothing founds any more; which they were."""
    fallen: list[str] = []
    for entry_id in _verified(con, ids):
        found = promotion_of(con, entry_id)
        if found.promotionBlocked:
            set_stage(con, [entry_id], "candidate", actor, found.promotionBlockReason or "")
            fallen.append(entry_id)
    return tuple(fallen)


def demote_lapsed(con: apsw.Connection, ids: Iterable[str]) -> tuple[str, ...]:
    """Make candidates again of the verified ones among these entries, of which a place that a person took is gone.

    Even where the quote itself is still found: the person had said that it stands elsewhere, and is to look again.
    """
    fallen = _verified(con, ids)
    set_stage(con, fallen, "candidate", None, "The text of an accepted quote is missing from the session.")
    return fallen


def _verified(con: apsw.Connection, ids: Iterable[str]) -> tuple[str, ...]:
    rows = {name: con.execute("SELECT stage FROM entry WHERE id = ?", (name,)).fetchone() for name in ids}
    return tuple(name for name, row in rows.items() if row is not None and row[0] == "verified")


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
    return tuple(NamedEntry(str(row[0]), title_text(str(row[1]))) for row in rows.fetchall())


def promote_many(
    store: Store, actor: str, entry_ids: Sequence[str] | None = None, *, dry_run: bool = False
) -> PromotedMany:
    """Promote those of these entries (None: of the ready ones) that nothing blocks; the others come back with why.

    One change in the history. An entry that is gone counts as blocked. Raises what `Store.transaction` raises.
    """
    if dry_run:
        with store.moment():
            return _judge_all(store, entry_ids)
    with change(store, actor, "verify entries") as made:
        found = _judge_all(store, entry_ids)
        names = found.promoted
        made.title = f"verify: {names[0].title}" if len(names) == 1 else f"verify {len(names):,} entries"
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
