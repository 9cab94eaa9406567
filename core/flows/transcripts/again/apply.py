"""What was harvested again on a copy, into the casebook: one change in the history, after a backup."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import apsw

from core.errors.cases.resolutions import MIRRORED, refresh_touched
from core.evidence.entries import tell_added
from core.evidence.realign import mark_to_align
from core.flows.transcripts.again.files import bring_messages, lost_sessions, read_from_files
from core.flows.transcripts.again.report import ImportAgain
from core.flows.transcripts.again.work import Work, last_change
from core.store import Store, change, faults, open_store
from core.store.clock import stamp
from core.store.files import copy_database
from core.store.journal.journal import columns_of, touched_rows
from core.store.journal.undo import apply_elsewhere


class Changed(Exception):
    """The casebook is no longer as it was when the copy was made."""


def apply(store: Store, work: Work, actor: str, report: ImportAgain, changeset: bytes) -> ImportAgain:
    """Apply the changes; messages that were read from files come along, and stay when the change is undone.

    Raises Changed where the casebook was changed meanwhile, and then nothing was done."""
    real = store.path.resolve()
    backup = real.with_name(f"{real.name}.before-again-{stamp()}")
    with faults(backup):
        copy_database(work.base, backup)
    try:
        with open_store(work.base) as base:
            journal = last_change(base.con)
            with open_store(work.copy) as copy:
                read = read_from_files(base.con, copy.con)
        with change(store, actor, f"harvest again: {report.sessions:,} sessions") as made:
            con = store.con
            if not set(read) <= set(lost_sessions(con)):
                raise Changed
            bring_messages(con, work.copy, read)
            if last_change(con) != journal or not apply_elsewhere(con, changeset, MIRRORED):
                raise Changed
            refresh_touched(con, touched_rows(con, changeset))
            for session, entries in _new_entries(con, changeset).items():
                tell_added(con, session, entries, "harvest")
                mark_to_align(con, session)
    except BaseException:
        backup.unlink(missing_ok=True)
        raise
    return replace(report, applied=True, change=made.id, backup=str(backup))


def _new_entries(con: apsw.Connection, changeset: bytes) -> dict[str, list[str]]:
    """The entries that the changes add, by session."""
    columns = columns_of(con, "entry")
    name, session = columns.index("id"), columns.index("session_id")
    found: dict[str, list[str]] = {}
    for item in apsw.Changeset.iter(changeset):
        if item.name == "entry" and item.op == "INSERT" and item.new is not None:
            found.setdefault(cast("str", item.new[session]), []).append(cast("str", item.new[name]))
    return found
