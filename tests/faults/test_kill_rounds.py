"""Kill -9 while a person decides, while a copy, an export or a setting is written, and while a casebook is migrated."""

from __future__ import annotations

import json
import signal
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from core.embedding.models.choose_model import choose_model
from core.errors import list_cases, record_resolution
from core.flows.system.history import bring_back, take_back
from core.store import Store, open_store, store_checks
from core.store.schema.migrations import SHIPPED, Schema, migrate, shipped, version_of
from core.store.sql import number
from tests.faults.kills import kill_rounds

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")

CASES = 24
OLD_VERSION = 4
BEGIN = """
import os, sys
import core.text.secrets.scan
from pathlib import Path
from core.store import open_store
path, number = Path(sys.argv[1]), int(sys.argv[2])
"""
DECIDE = (
    BEGIN
    + """
from core.errors.curation.transaction import Written, look
from core.errors.curation.decisions import edit, reject, verify
from core.flows.system.history import take_back
with open_store(path, write=True) as store:
    case = lambda at: look(store.con, (at + number) % 24 + 1)
    acts = (
        lambda at: verify(store, "person", [case(at)]),
        lambda at: edit(store, "person", [case(at), case(at + 1)], Written(f"fix {number}.{at}")),
        lambda at: reject(store, "person", [case(at)], "does not help"),
        lambda at: edit(store, "person", [case(at)], Written(f"another fix {number}.{at}"), status="verified"),
        lambda at: take_back(store, "person"),
    )
    os.write(1, b"+")
    for at in range(10_000):
        done = acts[at % len(acts)](at)
        if getattr(done, "change", at) is not None:  # None: there was nothing to decide
            os.write(1, b".")
"""
)
BACK_UP = (
    BEGIN
    + """
from core.store.backups import backup
os.write(1, b"+")
for at in range(10_000):
    backup(path, path.with_name(f"copy-{number}-{at}.db"))
    os.write(1, b".")
"""
)
MIGRATE = (
    BEGIN
    + """
import shutil
os.write(1, b"+")
for at in range(10_000):
    book = path.with_name(f"book-{number}-{at}.db")
    shutil.copy(path, book)
    open_store(book, write=True).close()
    os.write(1, b".")
"""
)
EXPORT = (
    BEGIN
    + """
from core.errors.exchange.case_export import export_file
from core.embedding.models.choose_model import choose_model
with open_store(path) as store:
    os.write(1, b"+")
    for at in range(10_000):
        export_file(store, path.with_name("out.jsonl"), replace=True)
        choose_model(path.with_name("config.toml"), f"model-{at}")
        os.write(1, b".")
"""
)


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A casebook with `CASES` cases, each with a fix and a long output."""
    path = tmp_path / "casebook.db"
    words = ("alpha", "beta", "gamma", "delta", "kappa", "omega")
    with open_store(path, create=True) as store:
        for at in range(CASES):
            error = f"ModuleNotFoundError: No module named '{words[at % 6]}'\nin {words[at // 6]} stage\n{'x' * 3000}"
            record_resolution(store, f"{words[at // 6]} {words[at % 6]} {error}", f"install {at}")
        assert store.con.execute("SELECT count(*) FROM error_kb").fetchone() == (CASES,)
    return path


def rows(store: Store) -> list[tuple[object, ...]]:
    """Every case with its answer, and every fix."""
    cases = store.con.execute(
        "SELECT id, error_normalized, resolution, status FROM error_kb JOIN case_state ON case_id = id ORDER BY id"
    )
    return [*cases, *store.con.execute("SELECT id, case_id, text, status FROM resolution ORDER BY id")]


def assert_sound(path: Path) -> None:
    """SQLite finds no damage, and what is derived agrees with the decisions."""
    with open_store(path) as store:
        assert store.con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert [check for check in store_checks(path) if not check.ok] == []


def test_a_decision_stands_whole_or_not_at_all(filled: Path) -> None:
    """A dot is written after a decision was committed: it is in the history, with all its rows, or it never was."""
    with open_store(filled) as store:
        known = store.con.execute("SELECT count(*) FROM journal").fetchone()[0]
    decided = 0
    for done in kill_rounds(DECIDE, str(filled), rounds=20, every=17):
        assert_sound(filled)
        with open_store(filled, write=True) as store:
            journaled = store.con.execute("SELECT count(*) FROM journal").fetchone()[0] - known
            assert journaled in (done, done + 1)
            known += journaled
            before = rows(store)
            assert take_back(store, "test").touched
            assert rows(store) != before
            bring_back(store, "test")
            assert rows(store) == before
            known = store.con.execute("SELECT count(*) FROM journal").fetchone()[0]
        decided += journaled
    assert decided > 20


def test_a_copy_has_its_name_only_when_it_is_whole(filled: Path) -> None:
    with open_store(filled) as store:
        expected = rows(store)
    made = 0
    for done in kill_rounds(BACK_UP, str(filled), rounds=15, every=7):
        copies = sorted(filled.parent.glob("copy-*.db"))
        assert len(copies) in (done, done + 1)
        for copy in copies:
            assert copy.stat().st_mode & 0o777 == 0o600
            assert_sound(copy)
            with open_store(copy) as store:
                assert rows(store) == expected
            copy.unlink()
        made += len(copies)
    assert made > 5


def test_a_migration_leaves_the_old_schema_or_the_new_one(tmp_path: Path) -> None:
    old, steps = tmp_path / "old.db", shipped()[:OLD_VERSION]
    with closing(apsw.Connection(str(old))) as con:
        migrate(con, None, Schema(OLD_VERSION, lambda: steps))
        with con:
            insert = "INSERT INTO error_kb(ts, error_normalized, error_raw) VALUES ('2026-01-01', ?, ?)"
            con.executemany(insert, [(f"error {at}", "x" * 900) for at in range(2000)])
    versions: list[int] = []
    for _ in kill_rounds(MIGRATE, str(old), rounds=12, every=23):
        *made, last = sorted(tmp_path.glob("book-*.db"), key=lambda path: int(path.stem.rpartition("-")[2]))
        for path in tmp_path.glob("book-*.db.backup-*Z"):  # a backup has its name only when it is whole
            assert schema_and_rows(path) == (OLD_VERSION, 2000)
        assert {schema_and_rows(path) for path in made} <= {(SHIPPED.version, 2000)}
        if last.stat().st_size >= old.stat().st_size:  # else it was still being copied
            version, count = schema_and_rows(last)
            assert OLD_VERSION <= version <= SHIPPED.version and count == 2000
            versions.append(version)
            open_store(last, write=True).close()
            assert schema_and_rows(last) == (SHIPPED.version, 2000)
        for path in tmp_path.glob("book-*"):
            path.unlink()
    assert OLD_VERSION in versions and len(set(versions)) > 2, "some were struck between two migrations"


def schema_and_rows(path: Path) -> tuple[int, int]:
    """The schema version of a casebook without damage, and how many cases it holds."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as con:
        assert con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return version_of(con), number(con, "SELECT count(*) FROM error_kb")


def test_an_export_and_the_settings_are_the_old_or_the_new_ones(filled: Path) -> None:
    config = filled.with_name("config.toml")
    choose_model(config, "model-first")
    with open_store(filled) as store:
        expected = {one.id for one in list_cases(store).cases}
    seen = 0
    for done in kill_rounds(EXPORT, str(filled), rounds=15, every=31):
        out = filled.with_name("out.jsonl")
        if out.exists():
            lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
            assert {line["id"] for line in lines} == expected
            seen += 1
        assert config.read_text("utf-8").count("model-") == 1
        assert out.exists() or not done
    assert seen
