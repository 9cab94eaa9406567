"""A casebook from elsewhere: SQL in its schema that casebook did not write is refused before anything runs it."""

from __future__ import annotations

import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

import apsw
import pytest

from core.base.fault import Fault
from core.store import ensure_vec_table, open_store, restore, store_checks
from core.store.rescue import salvage
from core.store.schema.migrations import APPLICATION_ID, DIGESTS, SHIPPED, digest_of
from core.store.vec import vec_tables

EVIL = "CREATE TRIGGER evil AFTER UPDATE OF use_count ON error_kb BEGIN DELETE FROM resolution; END"
ALTERED = {
    "trigger": EVIL,
    "named like a vec table": EVIL.replace("evil", "vec_error_384"),
    "view": "CREATE VIEW mine AS SELECT * FROM error_kb",
    "index on an expression": "CREATE INDEX mine ON error_kb(upper(resolution))",
    "plain index": "CREATE INDEX mine ON error_kb(use_count)",
    "table with a check": "CREATE TABLE mine(a CHECK (a > 1))",
    "table with a generated column": "CREATE TABLE mine(a, b AS (a || 'x'))",
    "table that cascades": "CREATE TABLE mine(a REFERENCES error_kb ON DELETE CASCADE)",
    "virtual table": "CREATE VIRTUAL TABLE mine USING fts5(a, content = 'error_kb')",
    "virtual table named like a vec table": "CREATE VIRTUAL TABLE vec_mine USING fts5(a, content = 'error_kb')",
    "table with a column more": "ALTER TABLE session ADD COLUMN mine INTEGER CHECK (mine > 1)",
    "replaced trigger": "DROP TRIGGER event_no_delete; CREATE TRIGGER event_no_delete BEFORE DELETE ON event"
    " BEGIN DELETE FROM resolution; END",
    "replaced table": "PRAGMA foreign_keys = OFF; DROP TABLE noise; CREATE VIEW noise AS SELECT 1",
}


@cache
def _made(version: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "casebook.db"
        with closing(apsw.Connection(str(path))) as con:
            for script in SHIPPED.scripts()[:version]:
                con.execute(script.sql)
            con.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version}")
        return path.read_bytes()


def made(path: Path, version: int = SHIPPED.version) -> apsw.Connection:
    """A casebook of an older version, as that version made it."""
    path.write_bytes(_made(version))
    return apsw.Connection(str(path))


def altered(path: Path, sql: str, version: int = SHIPPED.version) -> Path:
    con = made(path, version)
    con.execute(sql)
    con.close()
    return path


@pytest.mark.parametrize("version", range(1, SHIPPED.version + 1))
def test_the_digests_are_those_of_the_shipped_scripts(tmp_path: Path, version: int) -> None:
    assert DIGESTS.keys() == set(range(1, SHIPPED.version + 1))
    con = made(tmp_path / "casebook.db", version)
    assert digest_of(con) == (version, DIGESTS[version], 0)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("sql", ALTERED.values(), ids=ALTERED)
def test_what_casebook_did_not_write_is_refused(tmp_path: Path, sql: str, write: bool) -> None:
    path = altered(tmp_path / "evil.db", sql)
    before = path.read_bytes()
    with pytest.raises(Fault) as caught:
        open_store(path, write=write).close()
    assert caught.value.code == "db_damaged"
    assert "casebook did not write" in caught.value.message
    assert "casebook db salvage" in caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [1, 4, 8])
def test_it_is_refused_before_a_migration_runs_it(tmp_path: Path, version: int) -> None:
    path = altered(tmp_path / "old.db", EVIL, version)
    with pytest.raises(Fault, match="trigger evil"):
        open_store(path, write=True).close()
    assert [item.name for item in tmp_path.iterdir()] == ["old.db"]


def test_where_nothing_can_be_written_it_is_refused_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = altered(tmp_path / "evil.db", EVIL)
    monkeypatch.setattr("core.store.store.blocked", lambda _path: "it can only be read")
    with pytest.raises(Fault, match="trigger evil"):
        open_store(path).close()


def test_restore_refuses_it_and_replaces_it(tmp_path: Path) -> None:
    path, evil = tmp_path / "casebook.db", altered(tmp_path / "evil.db", EVIL)
    open_store(path, create=True).close()
    with pytest.raises(Fault, match="trigger evil"):
        restore(path, evil)
    done = restore(evil, path)
    open_store(evil, write=True).close()
    assert done.kept is not None
    assert b"evil" in done.kept.read_bytes(), "the altered casebook is kept"


def test_doctor_names_it_and_salvage_leaves_it_out(tmp_path: Path) -> None:
    path = tmp_path / "evil.db"
    con = made(path)
    con.execute("INSERT INTO error_kb(error_normalized, resolution, ts) VALUES ('e', 'fix', '2026-01-01T00:00:00Z')")
    con.execute(EVIL)
    con.close()
    (check,) = [one for one in store_checks(path) if one.name == "sqlite_open"]
    assert (check.ok, "trigger evil" in check.detail, "db salvage" in check.hint) == (False, True, True)
    salvage(path, tmp_path / "saved.db")
    with open_store(tmp_path / "saved.db", write=True) as store:
        assert store.con.execute("SELECT count(*) FROM error_kb").fetchone() == (1,)
        assert store.con.execute("SELECT 1 FROM sqlite_schema WHERE name = 'evil'").fetchone() is None


@pytest.mark.parametrize("version", range(SHIPPED.version + 1))
def test_every_casebook_that_casebook_makes_opens(tmp_path: Path, version: int) -> None:
    """New or migrated, with vectors of any width, with statistics, vacuumed, with tables of plain columns."""
    path = tmp_path / "casebook.db"
    made(path, version).close() if version else open_store(path, create=True).close()
    with open_store(path, write=True) as store:
        for kind in ("error", "rule", "chunk"):
            for dim in (384, 8):
                for table in vec_tables(kind, dim):
                    ensure_vec_table(store.con, table)
        store.con.execute("ANALYZE; CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT)")
    con = apsw.Connection(str(path))
    con.execute("VACUUM")
    con.close()
    for write in (True, False):
        open_store(path, write=write).close()


def test_white_space_that_another_sqlite_left_is_no_change(tmp_path: Path) -> None:
    path = tmp_path / "casebook.db"
    con = made(path)
    con.execute("PRAGMA writable_schema = ON")
    con.execute("UPDATE sqlite_schema SET sql = replace(sql, ', ', ' ,  ') WHERE name = 'nothing'")
    con.execute("UPDATE sqlite_schema SET sql = replace(sql, ' ', '  ') WHERE name = 'resolution'")
    con.close()
    open_store(path, write=True).close()
