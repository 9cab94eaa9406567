"""Opening: what is made, with which permissions, and what is refused with one clear line."""

from __future__ import annotations

import multiprocessing
import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.store import Store, now, open_store
from core.store.schema.migrations import APPLICATION_ID, SHIPPED, is_blank, shipped


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def refusal(path: Path, **options: Any) -> Fault:
    with pytest.raises(Fault) as caught:
        open_store(path, **options).close()
    assert "\n" not in caught.value.message
    assert str(path) in caught.value.message
    return caught.value


def test_a_new_casebook_and_its_folder_belong_to_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "casebook.db"
    before = os.umask(0o022)
    try:
        with open_store(path, create=True) as store, store.transaction() as con:
            con.execute("INSERT INTO meta VALUES ('a', 'b')")
            sides = [mode(path.with_name(path.name + side)) for side in ("", "-wal", "-shm")]
    finally:
        os.umask(before)
    assert sides == [0o600] * 3
    assert [mode(path.parent), mode(path.parent.parent)] == [0o700] * 2


def test_a_new_casebook_is_marked_and_tuned(store: Store) -> None:
    def ask(pragma: str) -> object:
        return store.con.execute(f"PRAGMA {pragma}").fetchone()[0]

    assert ask("application_id") == APPLICATION_ID == 0x4353424B
    assert ask("user_version") == SHIPPED.version == max(script.number for script in shipped())
    assert [ask(name) for name in ("journal_mode", "synchronous", "foreign_keys", "trusted_schema")] == ["wal", 1, 1, 0]
    assert store.con.transaction_mode == "IMMEDIATE"
    assert store.readonly is None


def test_a_missing_casebook_is_not_made_by_reading_or_writing(db: Path) -> None:
    assert refusal(db).code == "not_indexed"
    assert refusal(db, write=True).code == "not_indexed"
    assert not db.parent.exists()


def test_what_is_written_is_there_after_reopening_and_no_side_file_stays(db: Path) -> None:
    with open_store(db, create=True) as store, store.transaction() as con:
        con.execute("INSERT INTO meta VALUES ('greeting', '안녕')")
    assert [item.name for item in db.parent.iterdir()] == ["casebook.db"]
    with open_store(db) as store:
        assert store.con.execute("SELECT value FROM meta").fetchall() == [("안녕",)]


def test_a_reader_cannot_write(db: Path) -> None:
    open_store(db, create=True).close()
    with open_store(db) as store:
        with pytest.raises(Fault) as caught, store.transaction():
            pass
        assert caught.value.code == "db_readonly"
        with pytest.raises(apsw.ReadOnlyError):
            store.con.execute("INSERT INTO meta VALUES ('a', 'b')")


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda path: path.mkdir(), "folder"),
        (os.mkfifo, "pipe"),
        (lambda path: path.symlink_to("nowhere"), "link"),
        (lambda path: socket.socket(socket.AF_UNIX).bind(str(path)), "socket"),
    ],
    ids=["folder", "pipe", "dangling link", "socket"],
)
@pytest.mark.parametrize("create", [True, False])
def test_what_can_be_no_database_is_refused(tmp_path: Path, make: Any, word: str, create: bool) -> None:
    path = tmp_path / "x"
    make(path)
    fault = refusal(path, create=create)
    assert fault.code == "invalid_input"
    assert word in fault.message


def test_a_device_is_refused() -> None:
    assert refusal(Path("/dev/null"), create=True).code == "invalid_input"


def test_odd_names_are_names(tmp_path: Path) -> None:
    for name in (":memory:", "file:x?mode=memory", "a b%20#?.db", "사건.db"):
        with open_store(tmp_path / name, create=True):
            assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("name", ["a\0b", "a\udcffb\ud800", "x" * 5000])
def test_impossible_names_are_a_fault(tmp_path: Path, name: str) -> None:
    with pytest.raises(Fault):
        open_store(tmp_path / name, create=True).close()


def test_an_empty_file_is_an_empty_casebook(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch(0o644)
    with open_store(path) as store:
        assert store.con.execute("SELECT count(*) FROM error_kb").fetchone() == (0,)
    assert path.read_bytes() == b""  # reading makes nothing
    with open_store(path, write=True) as store, store.transaction() as con:
        con.execute("INSERT INTO meta VALUES ('a', 'b')")
    assert path.stat().st_size > 0
    assert mode(path) == 0o600


def test_another_programs_database_is_refused_by_name_of_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    con = apsw.Connection(str(path))
    con.execute("PRAGMA application_id = 0x0F055112; CREATE TABLE t(a)")
    con.close()
    before = path.read_bytes()
    fault = refusal(path, create=True)
    assert fault.code == "invalid_input"
    assert "0x0F055112" in fault.message
    assert path.read_bytes() == before


def test_a_plain_database_without_our_mark_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plain.db"
    apsw.Connection(str(path)).execute("CREATE TABLE t(a)")
    assert refusal(path, write=True).code == "invalid_input"


def test_a_seed_database_is_to_be_imported(tmp_path: Path) -> None:
    path = tmp_path / "self-gen.db"
    apsw.Connection(str(path)).execute("PRAGMA user_version = 1; CREATE TABLE error_kb(id INTEGER PRIMARY KEY, ts)")
    assert f"casebook errors import {path}" in refusal(path).hint


@pytest.mark.parametrize("content", [b"not a database at all\n" * 400, b"x", b"SQLite format 3\0" + b"\xff" * 5000])
@pytest.mark.parametrize("write", [True, False])
def test_what_is_no_database_is_damaged_and_stays_as_it_is(tmp_path: Path, content: bytes, write: bool) -> None:
    path = tmp_path / "casebook.db"
    path.write_bytes(content)
    fault = refusal(path, write=write, create=write)
    assert fault.code == "db_damaged"
    assert "casebook db salvage" in fault.hint
    assert path.read_bytes() == content
    assert [item.name for item in tmp_path.iterdir()] == ["casebook.db"]


def test_a_truncated_file_is_damaged_and_stays_as_it_is(db: Path, case: Any) -> None:
    with open_store(db, create=True) as store:
        for at in range(300):
            case(store, f"error {at}", "a fix " * 50)
    content = db.read_bytes()[: db.stat().st_size // 2]
    db.write_bytes(content)
    for write in (False, True):
        assert refusal(db, write=write).code == "db_damaged"
        assert db.read_bytes() == content


def test_a_wal_beside_a_damaged_file_is_not_written_into_it(db: Path, case: Any) -> None:
    with open_store(db, create=True) as store:
        for at in range(200):
            case(store, f"error {at}", "a fix " * 50)
        store.con.wal_checkpoint()
        case(store, "one more")
        wal = db.with_name("casebook.db-wal").read_bytes()
    content = b"SQLite format 3\0" + b"\xff" * 200 + db.read_bytes()[216:]
    db.write_bytes(content)
    db.with_name("casebook.db-wal").write_bytes(wal)
    refusal(db, write=True)
    assert (db.read_bytes(), db.with_name("casebook.db-wal").read_bytes()) == (content, wal)


def test_a_newer_schema_opens_for_reading_and_says_which(db: Path, case: Any) -> None:
    with open_store(db, create=True) as store:
        case(store, "an error")
        store.con.execute("PRAGMA user_version = 999")
    for write in (False, True):
        with open_store(db, write=write) as store:
            assert store.readonly is not None
            assert "999" in store.readonly
            assert store.newer
            assert store.con.execute("SELECT error_normalized FROM error_kb").fetchall() == [("an error",)]
            with pytest.raises(Fault) as caught, store.transaction():
                pass
            assert caught.value.code == "db_newer"


def test_a_lock_held_too_long_is_a_fault(store: Store) -> None:
    with store.transaction(), open_store(store.path, write=True, timeout_ms=30) as other:
        with pytest.raises(Fault) as caught, other.transaction():
            pass
        assert caught.value.code == "db_locked"
        assert other.con.execute("SELECT count(*) FROM error_kb").fetchone() == (0,)  # readers are not held up


def test_a_transaction_is_whole_or_nothing(store: Store) -> None:
    with pytest.raises(KeyError), store.transaction() as con:
        con.execute("INSERT INTO meta VALUES ('a', '1')")
        raise KeyError
    with store.transaction() as con:
        con.execute("INSERT INTO meta VALUES ('b', '2')")
        with store.transaction() as inner:
            inner.execute("INSERT INTO meta VALUES ('c', '3')")
        assert con.in_transaction  # the inner one ended nothing
    assert store.con.execute("SELECT key FROM meta").fetchall() == [("b",), ("c",)]
    assert not store.con.in_transaction


def test_half_a_surrogate_pair_is_a_fault_and_leaves_nothing(store: Store) -> None:
    with pytest.raises(Fault) as caught, store.transaction() as con:
        con.execute("INSERT INTO meta VALUES ('a', '1')")
        con.execute("INSERT INTO meta VALUES ('b', ?)", ("\ud800",))
    assert caught.value.code == "invalid_input"
    assert store.con.execute("SELECT count(*) FROM meta").fetchone() == (0,)


def test_an_interrupted_query_is_a_fault_and_a_closed_store_may_be_interrupted(store: Store) -> None:
    def stop() -> int:
        store.interrupt()
        return 0

    store.con.create_scalar_function("stop", stop)
    with pytest.raises(Fault) as caught, store.transaction() as con:
        con.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT stop() FROM n").fetchall()
    assert caught.value.code == "timeout"
    store.close()
    store.interrupt()
    store.close()


def _open_at(path: Path, start: float, told: Any) -> None:
    time.sleep(max(0.0, start - time.time()))
    try:
        with open_store(path, create=True) as store, store.transaction() as con:
            con.execute("INSERT INTO meta VALUES (?, '')", (str(os.getpid()),))
        told.put("ok")
    except Exception as error:  # noqa: BLE001
        told.put(repr(error))


def test_several_processes_may_make_the_same_casebook_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    for attempt in range(8):
        path = tmp_path / str(attempt) / "casebook.db"
        told: Any = context.SimpleQueue()
        start = time.time() + 0.05
        children = [context.Process(target=_open_at, args=(path, start, told)) for _ in range(4)]
        for child in children:
            child.start()
        for child in children:
            child.join(120)
        assert [child.exitcode for child in children] == [0] * 4
        assert [told.get() for _ in children] == ["ok"] * 4
        with open_store(path) as store:
            assert store.con.execute("SELECT count(*) FROM meta").fetchone() == (4,)


def test_a_casebook_made_while_its_blank_file_is_looked_at_is_no_foreign_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "casebook.db"
    path.touch()

    def made_before(con: apsw.Connection) -> bool:
        monkeypatch.undo()
        open_store(path, create=True).close()
        return is_blank(con)

    monkeypatch.setattr("core.store.store.is_blank", made_before)
    with open_store(path, create=True) as store:
        assert store.con.execute("SELECT count(*) FROM meta").fetchone() == (0,)


def test_now_is_utc_with_milliseconds_and_sorts_by_time() -> None:
    stamps = [now() for _ in range(3)]
    assert stamps == sorted(stamps)
    assert all(len(stamp) == 24 and stamp.endswith("Z") and stamp[10] == "T" and stamp[19] == "." for stamp in stamps)


def test_importing_the_store_loads_nothing_heavy() -> None:
    heavy = [
        "numpy",
        "textual",
        "sqlite_vec",
        "importlib.resources",
        "tempfile",
        "shutil",
        "core.store.rescue",
    ]
    code = (
        "import sys; before = set(sys.modules); import core.store;"
        f"print([name for name in {heavy!r} if name in set(sys.modules) - before])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
