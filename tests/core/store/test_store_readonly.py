"""Where nothing may be written, reading still works, nothing committed is missed, and the store says why."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.store import Store, open_store, store_checks
from core.store.schema.migrations import SHIPPED, Schema, Script, shipped
from core.store.sql import SPACE

Nobody = Callable[[Callable[[], Any]], Any]


def keys(store: Store) -> list[str]:
    return [str(row[0]) for row in store.con.execute("SELECT error_normalized FROM error_kb ORDER BY id")]


def read(path: Path, write: bool) -> tuple[list[str], str | None, str]:
    """What a process sees there: the keys, why it cannot write, and the code of the fault that writing raises."""
    with open_store(path, write=write) as store:
        try:
            with store.transaction():
                code = "written"
        except Fault as fault:
            code = fault.code
        with open_store(store.place) as again:  # others may read the same private copy
            assert keys(again) == keys(store)
        return keys(store), store.readonly, code


def leave_wal(path: Path, case: Any) -> None:
    """A casebook with one case in the file and one in the WAL only, and no process that has it open."""
    with open_store(path, create=True) as store:
        case(store, "in the file")
        store.con.wal_checkpoint()
        store.con.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        case(store, "in the wal")


def seal(folder: Path, *, files: bool = True) -> None:
    for item in folder.iterdir() if files else ():
        item.chmod(0o444)
    folder.chmod(0o555)


@pytest.mark.parametrize("write", [True, False])
def test_a_folder_without_a_wal(open_folder: Path, case: Any, as_nobody: Nobody, write: bool) -> None:
    path = open_folder / "casebook.db"
    with open_store(path, create=True) as store:
        case(store, "in the file")
    seal(open_folder)
    before = path.read_bytes()
    found, why, code = as_nobody(lambda: read(path, write))
    assert found == ["in the file"]
    assert why is not None
    assert "is read-only" in why
    assert code == "db_readonly"
    assert path.read_bytes() == before
    assert [item.name for item in open_folder.iterdir()] == ["casebook.db"]


@pytest.mark.parametrize("shm", [True, False], ids=["with shm", "without shm"])
def test_a_folder_with_rows_in_the_wal_gives_those_too(
    open_folder: Path, case: Any, as_nobody: Nobody, shm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = Path(tempfile.mkdtemp())
    copies.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    path = open_folder / "casebook.db"
    leave_wal(path, case)
    if not shm:
        path.with_name("casebook.db-shm").unlink()
    seal(open_folder)
    before = {item.name: item.read_bytes() for item in open_folder.iterdir()}
    found, why, code = as_nobody(lambda: read(path, True))
    assert found == ["in the file", "in the wal"]
    assert why
    assert code == "db_readonly"
    assert {item.name: item.read_bytes() for item in open_folder.iterdir()} == before
    assert list(copies.iterdir()) == []  # the private copy is gone
    copies.rmdir()


def test_a_file_that_can_only_be_read_in_a_folder_that_can_be_written(
    open_folder: Path, case: Any, as_nobody: Nobody
) -> None:
    path = open_folder / "casebook.db"
    leave_wal(path, case)
    path.with_name("casebook.db-shm").unlink()
    for item in open_folder.iterdir():
        item.chmod(0o444)
    open_folder.chmod(0o777)
    found, why, _ = as_nobody(lambda: read(path, True))
    assert found == ["in the file", "in the wal"]
    assert why is not None
    assert str(path) in why


def test_a_missing_casebook_in_such_a_folder_is_a_fault(open_folder: Path, as_nobody: Nobody) -> None:
    open_folder.chmod(0o555)

    def attempt() -> str:
        try:
            open_store(open_folder / "new" / "casebook.db", create=True).close()
        except Fault as fault:
            return fault.code
        return "made"

    assert as_nobody(attempt) == "db_readonly"


def test_a_file_that_may_not_be_read_is_a_fault(open_folder: Path, case: Any, as_nobody: Nobody) -> None:
    path = open_folder / "casebook.db"
    with open_store(path, create=True) as store:
        case(store, "private")
    path.chmod(0o000)

    def attempt() -> str:
        try:
            open_store(path).close()
        except Fault as fault:
            return fault.code
        return "read"

    try:
        assert as_nobody(attempt) == "io_error"
    finally:
        path.chmod(0o600)


def test_an_empty_file_that_can_only_be_read_is_an_empty_casebook(open_folder: Path, as_nobody: Nobody) -> None:
    path = open_folder / "casebook.db"
    path.touch()
    seal(open_folder)
    found, why, _ = as_nobody(lambda: read(path, True))
    assert (found, bool(why)) == ([], True)


def test_an_older_schema_is_read_through_a_copy_that_is_brought_up_to_date(
    open_folder: Path, case: Any, as_nobody: Nobody
) -> None:
    path = open_folder / "casebook.db"
    with open_store(path, create=True) as store:
        case(store, "old")
    seal(open_folder)
    step = Script(SHIPPED.version + 1, "later.sql", "ALTER TABLE error_kb ADD COLUMN mood TEXT DEFAULT 'calm'")
    later = Schema(step.number, lambda: (*shipped(), step))

    def attempt() -> list[Any]:
        with open_store(path, write=True, schema=later) as store:
            assert store.readonly
            return list(store.con.execute("SELECT error_normalized, mood FROM error_kb"))

    assert as_nobody(attempt) == [("old", "calm")]


def test_reading_a_sealed_copy_sees_what_another_process_commits_beside_it(
    open_folder: Path, case: Any, as_nobody: Nobody
) -> None:
    """A writer with rights has it open; a reader without any looks at the same files."""
    path = open_folder / "casebook.db"
    with open_store(path, create=True) as store:
        case(store, "first")
        for item in open_folder.iterdir():
            item.chmod(0o644)
        open_folder.chmod(0o755)
        if os.geteuid() != 0:
            open_folder.chmod(0o555)
        assert as_nobody(lambda: read(path, True))[0] == ["first"]
        case(store, "second")
        assert as_nobody(lambda: read(path, False))[0] == ["first", "second"]
        open_folder.chmod(0o755)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MB: the schema alone takes one, with its log."""
    folder = tmp_path / "disk"
    folder.mkdir()
    tool = shutil.which("mount")
    command = [str(tool), "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)]
    if tool is None or os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk; test_a_full_database stands in")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_loses_nothing(small_disk: Path, case: Any) -> None:
    path, other = small_disk / "casebook.db", small_disk / "other"
    other.write_bytes(b"x" * 1_000_000)
    with open_store(path, create=True) as store:
        done = fill(store, case)
        assert keys(store) == done  # reads go on
    fill_up(small_disk / "ballast")
    with open_store(path, write=True) as store:  # not even a lock file finds room
        assert keys(store) == done
        with pytest.raises(Fault) as caught:
            case(store, "no room")
        assert caught.value.code == "io_error"
        assert "full" in caught.value.message
    check = store_checks(path)[0]
    assert (check.name, check.ok) == ("data_dir_writable", False)
    other.unlink()
    with open_store(path, write=True) as store:
        case(store, "later")
        assert keys(store) == [*done, "later"]
        assert store.con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def fill_up(path: Path) -> None:
    """Write to a file until the disk has no room at all."""
    with path.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(b"x" * 4096)


def test_a_casebook_cannot_be_made_on_a_full_disk(small_disk: Path) -> None:
    fill_up(small_disk / "ballast")
    with pytest.raises(Fault) as caught:
        open_store(small_disk / "casebook.db", create=True).close()
    assert caught.value.code == "io_error"


def test_one_that_has_room_for_half_of_a_new_casebook_says_what_makes_room(small_disk: Path, case: Any) -> None:
    piece = small_disk / "piece"
    piece.write_bytes(b"x" * 600_000)
    fill_up(small_disk / "ballast")
    piece.unlink()
    with pytest.raises(Fault) as caught, open_store(small_disk / "casebook.db", create=True) as store:
        case(store, "no room")
    assert (caught.value.code, caught.value.hint) == ("io_error", SPACE)
    (small_disk / "ballast").unlink()
    with open_store(small_disk / "casebook.db", create=True) as store:
        case(store, "room")
        assert keys(store) == ["room"]


def test_a_full_database(store: Store, case: Any) -> None:
    """A stand-in for a full disk where none can be mounted: SQLite's page limit raises the same error."""
    pages = store.con.execute("PRAGMA page_count").fetchone()[0]
    store.con.execute(f"PRAGMA max_page_count = {pages + 60}")
    done = fill(store, case)
    assert keys(store) == done
    store.con.execute("PRAGMA max_page_count = 1000000")
    case(store, "later")
    assert keys(store) == [*done, "later"]


def fill(store: Store, case: Any) -> list[str]:
    """Add cases until the disk is full; the keys of those that were committed."""
    done: list[str] = []
    with pytest.raises(Fault) as caught:
        for at in range(2000):
            case(store, f"error {at}", error_raw="x" * 9000)
            done.append(f"error {at}")
    assert caught.value.code == "io_error"
    assert "full" in caught.value.message
    assert done
    return done


def _hold(path: Path, ready: Any, end: Any) -> None:
    with open_store(path) as store:
        store.con.execute("SELECT count(*) FROM error_kb").fetchall()
        ready.set()
        end.wait(120)


def test_an_idle_reader_does_not_let_the_wal_grow(store: Store) -> None:
    context = multiprocessing.get_context("fork")
    ready, end = context.Event(), context.Event()
    reader = context.Process(target=_hold, args=(store.path, ready, end))
    reader.start()
    assert ready.wait(120)
    try:
        for at in range(4000):
            with store.transaction() as con:
                con.execute(
                    "INSERT INTO error_kb(ts, error_normalized, use_count) VALUES ('t', ?, 1)"
                    " ON CONFLICT(error_normalized) DO UPDATE SET use_count = use_count + 1",
                    (f"error {at % 50}",),
                )
        wal = store.path.with_name("casebook.db-wal").stat().st_size
    finally:
        end.set()
        reader.join()
    assert wal < 8 * 1024 * 1024
    assert store.con.execute("SELECT sum(use_count) FROM error_kb").fetchone() == (4000,)
