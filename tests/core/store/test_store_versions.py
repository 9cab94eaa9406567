"""Casebooks of every shipped schema version: opened, backed up, and all that was in them is there and found."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

from cli.main import main
from core.store import open_store
from core.store.checks import store_checks
from core.store.schema.migrations import SHIPPED, shipped
from tests.casebook_versions import unpack, versions

PINNED = {
    "0001_casebook.sql": "0aaeed1793d52e189c6719755baf44bc124e60a6a67dda9a3def0eeb753beb64",
    "0002_vectors.sql": "f02ccf95b7031bd16ee056c6fa77a7bd79517760ca3b47daf63a10be1edc89db",
    "0003_hooks.sql": "f60219f989b2152f7457a082250a9399aba5cb65efc43cc9f4134964b0779e6b",
    "0004_curation.sql": "9e91dcdc47dbd22f91de05f8b87acadffb658254d97a6fc4dbcf9b9fd6c4bb22",
    "0005_evidence.sql": "ca8fd84a2bb66c62566970ad79444e71b36e8532ce42310663310891347d9db3",
    "0006_rules.sql": "057c80f890804cfccf7e0c684b511b9f5770be69554555d38a80e2207002d813",
    "0007_library.sql": "6ee339c1849f91522b96d72bcf8f548eb40d002b96d6874d0db95c3ef45ea8bc",
    "0008_ask.sql": "d66bcc73fd9ac12b9706a2b0e714c601ef8d80e878fc7ba3f1417dcb684a7ba8",
    "0009_vector_texts.sql": "f4ed1214c95081e3746706b9d5fed7cc4dd17d452d4581f4f15b1305b7ba8424",
    "0010_projects.sql": "77035ad845f648f6739b95bd5791725530eeb51f05276302167aee192baf5d11",
    "0011_real_life.sql": "89d2f825118319fad81a14091f732fa6c16ae43be5e5d84cfff10bb8630a7253",
    "0012_queue_groups.sql": "5b2aaf8d1352f14e5f4dd07532fe37620626ca789208b0f3d6e3cf58e132a695",
    "0013_team.sql": "63851017203804fb514a897648f7c5e4d3cfa86a31cacad8b95bd8ad694afdab",
    "0014_team_fixes.sql": "f270c9caa84ca8fc844a3e8b772dbd075338b89ec1c13fca99c763451a0e407d",
    "0015_queue_incidents.sql": "9c738dde3bd5850db521d63b61f6523237c11f16d468818c9e26533c70b8a43c",
    "0016_queue_offer.sql": "f0c4b094819e04b1a8c6d6e4d5d66ef8be6b10f27fe5cfd78977c3791af13f49",
    "0017_token_bits.sql": "129256e4d8d594edef35f1cf1bf187551f77d57142080d7586df57fbfde8752a",
    "0018_team_received.sql": "f4d5d595f70a8e57ef94e02152f65638a7bac301c73119b7991be8ca5b86fd35",
}
"""SHA-256 of each migration. Users have casebooks made by them: a change to the schema is a new file, not an edit."""
GROWN = {"backlog_size"}
"""What a migration may count anew."""
YAML = "ModuleNotFoundError: No module named 'yaml'"

each = pytest.mark.parametrize("version", range(1, SHIPPED.version + 1))


def rows_of(con: apsw.Connection) -> dict[str, tuple[list[str], set[tuple[Any, ...]]]]:
    """The columns and rows of every table that is no virtual one and no part of one."""
    names = [
        str(row[0])
        for row in con.execute(
            "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite_%'"
        )
    ]
    found: dict[str, tuple[list[str], set[tuple[Any, ...]]]] = {}
    for name in names:
        columns = [str(row[1]) for row in con.execute(f'PRAGMA table_info("{name}")')]
        found[name] = columns, set(con.execute(f'SELECT {", ".join(columns)} FROM "{name}"'))
    return found


def test_no_shipped_migration_was_edited() -> None:
    assert {script.name: sha256(script.sql.encode()).hexdigest() for script in shipped()} == PINNED


def test_every_shipped_version_has_its_casebook() -> None:
    assert sorted(versions()) == list(range(1, SHIPPED.version + 1))


@each
def test_all_rows_of_a_shipped_version_are_there_after_a_backup(version: int, tmp_path: Path) -> None:
    path = unpack(version, tmp_path / "casebook.db")
    old = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    before = rows_of(old)
    old.close()
    assert len(before["error_kb"][1]) == 4
    with open_store(path, write=True) as store:
        for name, (columns, rows) in before.items():
            now = set(store.con.execute(f'SELECT {", ".join(columns)} FROM "{name}"'))
            assert name in GROWN or rows <= now, name
        assert [check for check in store_checks(path) if not check.ok] == []
    backups = list(tmp_path.glob("casebook.db.backup-v*"))
    assert [path.name.split("-")[1] for path in backups] == ([f"v{version}"] if version < SHIPPED.version else [])
    for backup in backups:
        kept = apsw.Connection(str(backup), flags=apsw.SQLITE_OPEN_READONLY)
        assert rows_of(kept) == before
        kept.close()


@pytest.fixture
def asked(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a command line on a casebook; gives its exit code and the JSON object it printed."""
    monkeypatch.setenv("CASEBOOK_EMBEDDING_MODEL", "all-mpnet-base-v2")  # not here: no model is loaded

    def ask(path: Path, *words: str) -> tuple[int, Any]:
        code = main([*words, "--json", "--db", str(path)])
        said = capsys.readouterr().out
        return code, json.loads(said) if said.strip() else None

    return ask


@each
def test_a_casebook_of_a_shipped_version_is_searched_and_exported(version: int, tmp_path: Path, asked: Any) -> None:
    path = unpack(version, tmp_path / "casebook.db")
    code, answer = asked(path, "errors", "search", YAML)
    assert (code, answer["match"]["resolution"]) == (0, "pip install pyyaml")
    assert asked(path, "errors", "search", "Error: disk quota exceeded")[0] == 1  # its only fix was rejected
    assert len(asked(path, "errors", "list")[1]["cases"]) == 4
    exported = tmp_path / "cases.jsonl"
    assert asked(path, "errors", "export", "-o", str(exported))[0] == 0
    assert len(exported.read_text().splitlines()) == 4
    with open_store(path) as store:
        assert [check for check in store_checks(path) if not check.ok] == []
        assert store.con.execute("SELECT count(*) FROM hook_event").fetchone() == (int(version >= 3),)
        vectors = {str(row[0]) for row in store.con.execute("SELECT DISTINCT kind FROM vector")}
        since = {"error": 2, "rule": 6, "chunk": 7}
        assert vectors == {kind for kind, first in since.items() if version >= first}
    checks = {check["name"]: check["ok"] for check in asked(path, "doctor")[1]["checks"]}
    assert checks["sqlite_open"] and checks["vec_loaded"] and checks["counts_match"]
    assert asked(path, "undo")[0] == (0 if version >= 4 else 1)


@each
def test_quotes_passages_and_answers_of_a_shipped_version_are_found(version: int, tmp_path: Path, asked: Any) -> None:
    path = unpack(version, tmp_path / "casebook.db")
    quotes = asked(path, "evidence", "list")[1]["quotes"] if version >= 5 else []
    assert [one["state"] for one in quotes] == (["accepted", "failed"] if version >= 5 else [])
    if version >= 7:
        code, found = asked(path, "library", "search", "port 3000")
        assert (code, found["hits"][0]["citation"]["path"]) == (0, "ports.md")
        with open_store(path) as store:
            assert store.con.execute("SELECT uri FROM citation").fetchall() == [("ports.md#L3-L7",)]
    if version >= 8:
        assert [one["session_id"] for one in asked(path, "library", "ask", "sessions")[1]["sessions"]] == ["ports"]
