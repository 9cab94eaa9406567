"""The rows that practice rests on: replaced as a whole by each harvest of a session, never written otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import apsw

from core.text import redact


class Finding(NamedTuple):
    """A row of `practice_finding`, without the session that was harvested."""

    session_id: str
    message_idx: int
    fingerprint: str
    kind: str
    tool: str
    name: str
    how: str
    shown: str
    names: str
    fix_session: str | None
    message_ids: str
    ts: str


class Warned(NamedTuple):
    """A row of `before_run`, without the session that was harvested."""

    program: str
    key: str
    session_id: str
    message_idx: int
    fingerprint: str
    fix_session: str
    message_ids: str
    worth: str
    lack_tool: str
    lack_name: str
    failed: str
    said: str
    passed: str


def replace_rows(con: apsw.Connection, harvest: str, findings: Iterable[Finding], warned: Iterable[Warned]) -> None:
    """Make these the rows of the harvest of a session. Within the caller's transaction."""
    con.execute("DELETE FROM practice_finding WHERE harvest = ?", (harvest,))
    con.execute("DELETE FROM before_run WHERE harvest = ?", (harvest,))
    con.executemany(
        f"INSERT OR IGNORE INTO practice_finding(harvest, {', '.join(Finding._fields)})"
        f" VALUES (?{', ?' * len(Finding._fields)})",
        ((harvest, *one._replace(shown=redact(one.shown), names=redact(one.names))) for one in findings),
    )
    con.executemany(
        f"INSERT OR IGNORE INTO before_run(harvest, {', '.join(Warned._fields)})"
        f" VALUES (?{', ?' * len(Warned._fields)})",
        (
            (harvest, *one._replace(failed=redact(one.failed), said=redact(one.said), passed=redact(one.passed)))
            for one in warned
        ),
    )
