"""Undo: the inverse of a recorded change, as a whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import apsw

from core.base.fault import Fault
from core.store.journal.changed_rows import Touched, note_subjects, subjects_of, touched_rows
from core.store.journal.inverse_changeset import NOTHING_MIRRORED, Mirrored, apply_inverse, refuse_loose_ends
from core.store.journal.journal import JournalEntry, read_entry, recording, write_entry
from core.store.store import Store

After = Callable[[apsw.Connection, Touched], None]


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did: its own place in the history, the change it took back, and the rows it touched.

    `touched` holds (table, primary key) of each row, and of each row that one of them refers to or referred to.
    """

    id: int
    undid: JournalEntry
    touched: Touched


def undo(
    store: Store,
    actor: str,
    journal_id: int | None = None,
    after: After | None = None,
    *,
    by: str | None = None,
    mirrored: Mirrored = NOTHING_MIRRORED,
) -> Undone:
    """Take back the change `journal_id`; by default the newest (of the actor `by`) that stands and is no undo itself.

    The undo is a change of its own: undoing it brings the first one back. `after(con, touched)` runs in the same
    transaction, to refresh what is derived. `use_count` keeps what was counted since. The columns in `mirrored` show
    what other rows say: one changed since stands in nobody's way, and `after` brings it up to date.

    Raises Fault invalid_input, and changes nothing, if there is no such change, it was already taken back, or a row
    of it was changed since (details: table, row, column); RuntimeError inside another transaction.
    """
    if store.con.in_transaction:
        raise RuntimeError("an undo cannot be made inside another transaction")
    with store.transaction() as con:
        entry = _pick(con, journal_id, by)
        row = con.execute("SELECT changeset FROM journal WHERE id = ?", (entry.id,)).fetchone()
        inverse = apsw.Changeset.invert(cast("bytes", row[0])) if row and row[0] else b""
        with recording(con) as session:
            touched = touched_rows(con, inverse)
            loose = bool(inverse) and apply_inverse(con, entry, inverse, mirrored)
            if after is not None:
                after(con, touched)
            if loose:  # `after` may have moved what was written meanwhile to where it belongs
                refuse_loose_ends(con, entry)
            changeset = session.changeset()
        made = write_entry(con, actor, _title(entry), changeset, entry.id)
        note_subjects(con, made, touched | subjects_of(con, entry.id))
        _mark(con, entry, made)
    return Undone(made, entry, touched)


def _pick(con: apsw.Connection, journal_id: int | None, by: str | None) -> JournalEntry:
    if journal_id is None:
        sql = (
            "SELECT id FROM journal WHERE undone_by IS NULL AND undoes IS NULL AND (?1 IS NULL OR actor = ?1)"
            " ORDER BY id DESC LIMIT 1"
        )
        row = con.execute(sql, (by,)).fetchone()
        if row is None:
            raise Fault("invalid_input", "There is nothing to undo.")
        journal_id = cast("int", row[0])
    entry = read_entry(con, journal_id)
    if entry is None:
        raise Fault("invalid_input", f"There is no change {journal_id} in the history.", journal_id=journal_id)
    if entry.undone_by is not None:
        message = f"Change {entry.id} was already taken back by change {entry.undone_by}."
        raise Fault("invalid_input", message, f"Undo {entry.undone_by} to bring it back.", journal_id=entry.id)
    return entry


def _title(entry: JournalEntry) -> str:
    if entry.undoes is None:
        return f"undo: {entry.title}"
    before, _, rest = entry.title.partition(": ")
    return f"{'redo' if before == 'undo' else 'undo'}: {rest}"


def _mark(con: apsw.Connection, entry: JournalEntry, by: int) -> None:
    """Note that `entry` no longer stands; what it had taken back stands again, and so on down the chain."""
    current: JournalEntry | None = entry
    marker: int | None = by
    while current is not None:
        con.execute("UPDATE journal SET undone_by = ? WHERE id = ?", (marker, current.id))
        marker = current.id if marker is None else None
        current = None if current.undoes is None else read_entry(con, current.undoes)
