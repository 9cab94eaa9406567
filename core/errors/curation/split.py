"""A case is more than one: some of its finer cases become a case of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import apsw

from core.errors.curation.deciding import Curated, Done, decide
from core.errors.curation.seen import Seen
from core.errors.curation.written import Written, checked
from core.errors.normalize import normalize_error
from core.errors.resolutions import insert_resolution
from core.fault import Fault
from core.store import Store

_LONGEST_KEY = 200


def split(store: Store, actor: str, seen: Seen, fingerprints: Sequence[str], written: Written | None = None) -> Curated:
    """Move these finer cases, with the fixes that are theirs alone, into a case of their own (`Curated.made`).

    `written` becomes the new case's verified fix. To give a finer case a fix of its own within its case, `edit` with
    `Seen.fingerprint`. Raises Fault invalid_input if one is not of this case, or none would be left.
    """
    wanted = tuple(dict.fromkeys(fingerprints))
    mine = None if written is None else checked(written)
    made: list[int] = []

    def part(con: apsw.Connection, one: Seen, ts: str) -> Done:
        lines, stay = _parts(con, one.case_id, wanted)
        case_id = _new_case(con, one.case_id, lines, stay, ts)
        made.append(case_id)
        for mark in wanted:
            con.execute("UPDATE fingerprint SET case_id = ? WHERE fingerprint = ?", (case_id, mark))
            con.execute(
                "UPDATE resolution SET case_id = ? WHERE case_id = ? AND fingerprint = ?", (case_id, one.case_id, mark)
            )
        added = None
        if mine is not None:
            added = insert_resolution(
                con, case_id, None, mine.text, status="verified", resolved_by=mine.resolved_by,
                tool_sequence=mine.tool_sequence, author=actor, session_id=mine.source.session,
                message_ids=mine.source.messages, supersedes=None, ts=ts, tags=mine.tags,
            )  # fmt: skip
        return Done(added, (case_id,))

    done = decide(store, actor, "split", "split off", [seen], part, mine)
    return replace(done, made=made[0] if made else None)


def _parts(con: apsw.Connection, case_id: int, wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """The key lines that go and those that stay."""
    rows = con.execute("SELECT fingerprint, key_line FROM fingerprint WHERE case_id = ?", (case_id,)).fetchall()
    lines = dict(cast("list[tuple[str, str]]", rows))
    strange = [mark for mark in wanted if mark not in lines]
    if strange or not wanted:
        what = f"case {case_id} has no fingerprint {strange[0]}" if strange else "no fingerprint to split off"
        raise Fault("invalid_input", what, f"see: casebook errors show {case_id}")
    stay = [line for mark, line in lines.items() if mark not in wanted]
    if not stay:
        raise Fault("invalid_input", f"nothing would be left of case {case_id}", "leave it at least one fingerprint")
    return [lines[mark] for mark in wanted], stay


def _new_case(con: apsw.Connection, case_id: int, lines: Sequence[str], stay: Sequence[str], ts: str) -> int:
    """A case for these key lines: keys that no line left behind has go with them, else it gets one of its own."""
    own = {str(row[0]) for row in con.execute("SELECT error_normalized FROM case_key WHERE case_id = ?", (case_id,))}
    left = {normalize_error(line) for line in stay}
    going = [key for key in dict.fromkeys(normalize_error(line) for line in lines) if key in own and key not in left]
    row = con.execute("SELECT error_normalized FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    if row is not None and row[0] in going:
        rest = sorted(own - set(going)) or [_free(con, stay[0])]
        con.execute("UPDATE error_kb SET error_normalized = ? WHERE id = ?", (rest[0], case_id))
        con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)", (rest[0], case_id))
    name = next((key for key in going if not _taken(con, key)), None) or _free(con, lines[0])
    con.execute(
        "INSERT INTO error_kb(ts, error_normalized, error_raw, use_count) VALUES (?, ?, ?, 0)", (ts, name, lines[0])
    )
    made = con.last_insert_rowid()
    for key in going:
        con.execute("UPDATE case_key SET case_id = ? WHERE error_normalized = ?", (made, key))
    con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)", (name, made))
    return made


def _free(con: apsw.Connection, line: str) -> str:
    """A key that no case has: the line itself, numbered where that is taken."""
    base = line.strip()[: _LONGEST_KEY - 12] or "(no key line)"
    at = 1
    while _taken(con, name := base if at == 1 else f"{base} ({at})"):
        at += 1
    return name


def _taken(con: apsw.Connection, key: str) -> bool:
    return (
        con.execute(
            "SELECT 1 FROM error_kb WHERE error_normalized = ?1 UNION ALL SELECT 1 FROM case_key"
            " WHERE error_normalized = ?1 AND case_id NOT IN (SELECT id FROM error_kb WHERE error_normalized = ?1)",
            (key,),
        ).fetchone()
        is not None
    )
