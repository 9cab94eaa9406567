"""What the tests of the import share: a store, a harvest that only counts, and everything an import has stored."""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import pytest

from core.flows.transcripts.api import ImportReport, import_transcripts
from core.store import Store, open_store

TABLES = {
    "session": "SELECT id, agent, project, started, parent, continues FROM session ORDER BY id",
    "message": "SELECT session_id, idx, role, kind, text, uuid, block, ts, sha256, chain, meta, tool_use_id"
    " FROM message ORDER BY session_id, idx",
    "tool_call": "SELECT session_id, tool_use_id, name, input_json, call_idx, result_idx, failed, failure, exit_code,"
    " facts_json, chain FROM tool_call ORDER BY session_id, tool_use_id",
    "source_file": "SELECT path, size, head_hash, offset, line, session_id FROM source_file ORDER BY path",
    "meta": "SELECT key, value FROM meta ORDER BY key",
}


class Harvests:
    """Stands in for the harvest: notes which sessions it was asked for; `fail` makes it break off."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fail = False

    def __call__(self, store: Store, session_id: str, second: Any = None, **_how: Any) -> Any:
        assert store.con.in_transaction
        if self.fail:
            raise KeyboardInterrupt
        self.asked.append(session_id)
        return types.SimpleNamespace(errors=1, resolutions=0)


def count_harvests(monkeypatch: pytest.MonkeyPatch) -> Harvests:
    """Put a counting harvest in the place of the real one."""
    harvests = Harvests()
    monkeypatch.setattr("core.flows.harvest.session.harvest_session", harvests)
    return harvests


def run(db: Path, *paths: Path, agent: Any = "auto", **how: Any) -> ImportReport:
    """Import into the casebook at `db`, making it if it is not there."""
    with open_store(db, create=True) as store:
        return import_transcripts(store, agent, paths, **how)


def rows(db: Path, table: str) -> list[tuple[Any, ...]]:
    """The rows of one table, in a fixed order."""
    with open_store(db) as store:
        return [tuple(row) for row in store.con.execute(TABLES[table])]


def stored(db: Path, *, but: tuple[str, ...] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Everything an import writes."""
    return {table: rows(db, table) for table in TABLES if table not in but}


def texts(db: Path) -> list[str]:
    """The texts of all messages, by session and place."""
    return [row[4] for row in rows(db, "message")]


def calls(db: Path) -> dict[str, tuple[Any, ...]]:
    """Each tool call: where it was made and answered, what failed, and the exit code."""
    return {row[1]: (row[4], row[5], row[7], row[8]) for row in rows(db, "tool_call")}
