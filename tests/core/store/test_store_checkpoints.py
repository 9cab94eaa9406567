"""Much that is written is written back meanwhile, and nothing of it is lost or left behind."""

from __future__ import annotations

import threading
from pathlib import Path
from queue import SimpleQueue

import apsw
import pytest

from core.store import Store, open_store, wal
from core.store.wal import checkpoints_aside


def write(store: Store, count: int) -> None:
    for number in range(count):
        with store.transaction() as con:
            con.execute("INSERT INTO meta(key, value) VALUES (?, ?)", (f"test:{number}", "x" * 40_000))


def settings(store: Store) -> list[object]:
    return [store.con.execute(f"PRAGMA {name}").get for name in ("wal_autocheckpoint", "journal_size_limit")]


def test_the_wal_begins_anew_once_it_was_written_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wal, "_MANY", 40)
    path = tmp_path / "casebook.db"
    with open_store(path, write=True, create=True) as store:
        store.con.execute("PRAGMA wal_autocheckpoint = 0")
        write(store, 100)
        wanted = SimpleQueue[bool]()
        wanted.put(True)
        wanted.put(False)
        wal._write_back_when(path, wanted)
        with store.transaction() as con:
            con.execute("DELETE FROM meta WHERE key = 'test:1'")
        pages, _ = store.con.wal_checkpoint()
        assert pages < 100


def test_settings_and_rows_are_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wal, "_OFTEN", 20)
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        before = settings(store)
        with checkpoints_aside(store):
            write(store, 200)
        assert store.path.with_name("casebook.db-wal").stat().st_size == 0, "a copy of the file alone is complete"
        assert settings(store) == before
        assert store.con.execute("SELECT count(*) FROM meta WHERE key LIKE 'test:%'").get == 200
        assert store.con.execute("PRAGMA integrity_check").get == "ok"


def test_the_writer_does_it_where_the_thread_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wal, "_OFTEN", 20)
    monkeypatch.setattr(wal, "_MOST", 60)
    monkeypatch.setattr(wal, "_write_back_when", lambda path, wanted: None)
    path = tmp_path / "casebook.db"
    with open_store(path, write=True, create=True) as store, checkpoints_aside(store):
        write(store, 200)
        assert path.with_name("casebook.db-wal").stat().st_size < 200 * 40_000 / 4


@pytest.mark.parametrize("count", [0, 5, 200])
def test_no_thread_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(wal, "_OFTEN", 100)
    threads = threading.active_count()
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        with pytest.raises(ZeroDivisionError), checkpoints_aside(store):
            write(store, count)
            raise ZeroDivisionError
        assert threading.active_count() == threads
        other = apsw.Connection(str(store.path))
        assert other.execute("SELECT count(*) FROM meta WHERE key LIKE 'test:%'").get == count
        other.close()
