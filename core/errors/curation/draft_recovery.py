"""Texts that were typed and never saved: which case each is for by now."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from core.errors.curation.autosave import Scratch, discard_scratch, keep_scratch
from core.errors.curation.optimistic_lock import moved_to
from core.errors.curation.session_lock import Writer
from core.store import Store, faults


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What was typed, and the case it is for by now: another one after a merge, None where it is gone."""

    scratch: Scratch
    case_id: int | None


def unsaved_texts(store: Store, writer: Writer) -> tuple[Unsaved, ...]:
    """Every half-written text that is free to go on with. Raises Fault where the store cannot be read."""
    found: list[Unsaved] = []
    with faults(store.path):
        for one in writer.kept().free:
            there = store.con.execute("SELECT 1 FROM error_kb WHERE id = ?", (one.case_id,)).fetchone()
            found.append(Unsaved(one, one.case_id if there else moved_to(store.con, one.case_id)))
    return tuple(found)


def take_along(folder: Path, one: Unsaved) -> int:
    """Keep the text under the case that its own was merged into; which one that is. Raises Fault io_error."""
    case_id = one.case_id or one.scratch.case_id
    if case_id != one.scratch.case_id:
        keep_scratch(folder, replace(one.scratch, case_id=case_id))
        discard_scratch(folder, one.scratch.case_id, one.scratch.writer)
    return case_id
