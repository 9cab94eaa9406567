"""Every table is either salvaged or made anew from what was."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.fault import Fault
from core.store import open_store
from core.store.rescue import TABLES, _Saved, salvage

DERIVED = frozenset(
    (
        "answer_key", "vector_bits", "backlog", "backlog_size", "embed_failure", "hook_event", "review", "review_count",
        "evidence_session", "rule_file", "assets", "asset_paths", "documents", "document_tags", "blocks", "chunks",
        "derivation_cache", "kv", "insight_week", "insight_finding", "insight_session", "insight_answer", "token_bits",
    )
)  # fmt: skip
"""Made anew from the salvaged tables, from the files of the library, or by the next use."""


def test_a_table_is_salvaged_or_made_anew(tmp_path: Path) -> None:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        found = {str(row[0]) for row in store.con.execute("SELECT name FROM pragma_table_list WHERE type = 'table'")}
    assert {name for name in found if not name.startswith("sqlite_")} - {*TABLES} == DERIVED


def test_the_team_and_the_answers_are_salvaged(tmp_path: Path) -> None:
    path, target = tmp_path / "casebook.db", tmp_path / "new.db"
    with open_store(path, create=True) as store, store.transaction() as con:
        con.execute(
            "INSERT INTO team_server(one, address, team, login, role, machine) VALUES (1, 'a', 't', 'l', 'r', 'm')"
        )
        con.execute("INSERT INTO team_project VALUES ('r', '/r')")
        con.execute("INSERT INTO team_lesson(repository, lesson, line, waits) VALUES ('r', 'l', '{}', 1)")
        con.execute("INSERT INTO team_mark VALUES ('m', 'r', 'l')")
        con.execute(
            "INSERT INTO team_outbox(id, kind, repository, lesson, time, line) VALUES ('i', 'k', 'r', 'l', 't', '')"
        )
        for table in ("chat_sessions", "chat_turns", "answers"):
            columns = con.execute(f"PRAGMA table_info({table})").fetchall()
            values = [1 if str(column[2]).upper() in ("INTEGER", "REAL") else "x" for column in columns]
            con.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
    salvage(path, target)
    kept = ("team_server", "team_project", "team_lesson", "team_mark", "team_outbox", "chat_turns", "answers")
    with open_store(path) as old, open_store(target) as new:
        for table in kept:
            rows = old.con.execute(f"SELECT * FROM {table}").fetchall()
            assert rows and new.con.execute(f"SELECT * FROM {table}").fetchall() == rows


def test_a_full_disk_ends_it_and_names_the_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "casebook.db"
    with open_store(path, create=True) as store, store.transaction() as con:
        con.executemany("INSERT INTO team_project VALUES (?, ?)", [(f"r{at}", "/" * 4_000) for at in range(200)])

    class Small(_Saved):
        def __init__(self, part: Path) -> None:
            super().__init__(part)
            self.con.execute("PRAGMA max_page_count = 1")  # as many as there are

    monkeypatch.setattr("core.store.rescue._Saved", Small)
    before = {*tmp_path.iterdir()}
    with pytest.raises(Fault, match=r"the disk is full: .*new\.db could not be written"):
        salvage(path, tmp_path / "new.db")
    assert {*tmp_path.iterdir()} == before
