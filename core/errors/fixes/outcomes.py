"""What became of a fix that was told (`answer_outcome`): written when it is told, settled by what the session did."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, cast

import apsw

from core.base.digest import digest

Via = Literal["hook", "before_run", "search", "mcp", "workbench"]
Outcome = Literal["helped", "failed_again", "ignored"]
SILENT_AFTER: Final = 3
"""Times that a fix was performed in a repository, with the check still red, before it is not told there any more."""


class Telling(NamedTuple):
    """A fix that an agent or a person is told. `repository`: where, else the folder; `withheld`: it was held back."""

    resolution_id: int
    via: Via
    fingerprint: str = ""
    session_id: str | None = None
    repository: str = ""
    withheld: bool = False


class OpenTelling(NamedTuple):
    """A telling whose outcome is not known yet, with the fix as it now reads and what is structured of it."""

    id: int
    resolution_id: int
    case_id: int
    fingerprint: str
    told_at: str
    text: str
    lesson: str | None


def write_telling(con: apsw.Connection, telling: Telling, ts: str) -> None:
    """Keep that a fix was told at `ts`, inside the caller's transaction; nothing where the fix is gone."""
    version = version_of(con, telling.resolution_id)
    if version:
        con.execute(
            "INSERT INTO answer_outcome(resolution_id, fingerprint, via, session_id, repository, version, told_at,"
            " withheld) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                telling.resolution_id, telling.fingerprint, telling.via, telling.session_id or None,
                telling.repository, version, ts, telling.withheld,
            ),
        )  # fmt: skip


def version_of(con: apsw.Connection, resolution_id: int) -> str:
    """A digest of a fix's text and status: another one after it was changed or verified. Empty where it is gone."""
    row = con.execute("SELECT status, text FROM resolution WHERE id = ?", (resolution_id,)).fetchone()
    if row is None:
        return ""
    return digest("\0".join(map(str, row))).hex()[:16]


def is_silent(con: apsw.Connection, resolution_id: int, repository: str, more: int = 0) -> bool:
    """Whether a fix was performed here three times with the check still red, since it helped here last.

    One that was changed or verified since is told again. `more`: times that were not written yet.
    """
    row = con.execute(
        "SELECT count(*) FROM answer_outcome o WHERE resolution_id = ?1 AND repository = ?2 AND version = ?3"
        " AND performed = 1 AND outcome = 'failed_again' AND id > coalesce((SELECT max(id) FROM answer_outcome"
        "   WHERE resolution_id = ?1 AND repository = ?2 AND outcome = 'helped'), 0)",
        (resolution_id, repository, version_of(con, resolution_id)),
    ).fetchone()
    return row is not None and cast("int", row[0]) + more >= SILENT_AFTER


def is_withheld(session_id: str, resolution_id: int, share: float) -> bool:
    """Whether this fix is held back in this session: the same answer each time, for a `share` of all pairs (0..1)."""
    found = digest(f"{session_id}\0{resolution_id}")
    return int.from_bytes(found[:8], "big") < share * 2**64


_OPEN: Final = "session_id = ? AND outcome IN ('open', iif(?, 'ignored', 'open')) AND via <> 'before_run'"
"""What was told before a run is settled by practice."""


def has_open(con: apsw.Connection, session_id: str, *, ignored: bool = False) -> bool:
    """Whether a telling of this session has no outcome yet, or with `ignored` none but that."""
    found = con.execute(f"SELECT 1 FROM answer_outcome WHERE {_OPEN} LIMIT 1", (session_id, ignored))
    return bool(session_id) and found.fetchone() is not None


def open_tellings(con: apsw.Connection, session_id: str, *, ignored: bool = False) -> tuple[OpenTelling, ...]:
    """The tellings of a session that have no outcome yet, or with `ignored` none but that, the oldest first."""
    rows = con.execute(
        "SELECT o.id, r.id, r.case_id, o.fingerprint, o.told_at, r.text, r.lesson FROM answer_outcome o"
        f" JOIN resolution r ON r.id = o.resolution_id WHERE o.{_OPEN} ORDER BY o.id",
        (session_id, ignored),
    ).fetchall()
    return tuple(OpenTelling(*cast("tuple[int, int, int, str, str, str, str | None]", row)) for row in rows)


def settle_telling(con: apsw.Connection, telling: OpenTelling, outcome: Outcome, ts: str, *, performed: bool) -> None:
    """Write the outcome of a telling, inside the caller's transaction; the case shows the fix that now answers."""
    from core.errors.cases.columns import mirror_current
    from core.errors.cases.derived import index_case

    con.execute(
        "UPDATE answer_outcome SET outcome = ?, performed = ?, settled_at = ? WHERE id = ?",
        (outcome, performed, ts, telling.id),
    )
    if outcome != "ignored":
        mirror_current(con, telling.case_id)
        index_case(con, telling.case_id)
