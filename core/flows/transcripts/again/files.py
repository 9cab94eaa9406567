"""Sessions whose stored messages are gone or incomplete, read again from their files."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, cast

import apsw

from core.flows.system.parallel import Second
from core.flows.transcripts.api import read_files
from core.store import Store
from core.store.sql import number

TABLES: Final = ("message", "tool_call", "source_file")
"""What is read of a session, in the order it is written."""
# Messages are numbered from 0 without a gap, and a call names the messages of its call and its result.
_LOST: Final = """SELECT DISTINCT session_id, path FROM source_file f JOIN session s ON s.id = f.session_id
 WHERE f.offset > 0 AND (
  (SELECT coalesce(max(idx) + 1, 0) <> count(*) OR count(*) = 0 FROM message m WHERE m.session_id = f.session_id)
  OR (SELECT max(max(call_idx), coalesce(max(result_idx), 0)) FROM tool_call c WHERE c.session_id = f.session_id)
   > (SELECT max(idx) FROM message m WHERE m.session_id = f.session_id))
 ORDER BY session_id, path"""
_COUNT: Final = "SELECT count(*) FROM message WHERE session_id = ?"


class _Worse(Exception):
    """The files hold less of the session than is stored."""


def lost_sessions(con: apsw.Connection) -> dict[str, tuple[Path, ...]]:
    """The sessions whose messages are gone or incomplete and whose files exist, with these files.

    A session whose messages all belong to the one it continues counts too: reading it again adds nothing.
    """
    found: dict[str, tuple[Path, ...]] = {}
    for session, name in cast("list[tuple[str, str]]", con.execute(_LOST).fetchall()):
        with suppress(OSError, ValueError):
            if (path := Path(name)).is_file():
                found[session] = (*found.get(session, ()), path)
    return found


def read_again(store: Store, session: str, files: tuple[Path, ...], second: Second) -> bool:
    """Read the session from its files in place of what is stored; False, and nothing is changed, where they hold less.

    Raises Fault of the store.
    """
    try:
        with store.transaction() as con:
            before = number(con, _COUNT, (session,))
            for table in TABLES:
                con.execute(f"DELETE FROM {table} WHERE session_id = ?", (session,))
            read_files(store, files, second)
            if number(con, _COUNT, (session,)) <= before:
                raise _Worse
    except _Worse:
        return False
    return True


def bring_messages(con: apsw.Connection, copy: Path, sessions: Iterable[str]) -> None:
    """Replace what is stored of the sessions by what `copy` has, within the caller's transaction."""
    with closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)) as source:
        for table in TABLES:
            columns = [str(row[1]) for row in con.execute(f"PRAGMA table_info({table})") if row[1] != "id"]
            names, places = ", ".join(columns), ", ".join("?" * len(columns))
            for session in sessions:
                con.execute(f"DELETE FROM {table} WHERE session_id = ?", (session,))
                rows = source.execute(f"SELECT {names} FROM {table} WHERE session_id = ?", (session,))
                con.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", rows)


def read_from_files(base: apsw.Connection, copy: apsw.Connection) -> tuple[str, ...]:
    """The sessions that the copy has read again: those lost in `base` of which it has more messages."""
    return tuple(
        session
        for session in lost_sessions(base)
        if number(copy, _COUNT, (session,)) > number(base, _COUNT, (session,))
    )
