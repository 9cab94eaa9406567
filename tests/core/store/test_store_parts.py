"""The temporary file of a copy: exclusive, and cleaned up after a process that was killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.store import backup, open_store, store_checks
from core.store.files import part_file, sweep_parts
from core.store.schema.migrations import SHIPPED, Script
from core.store.store import Schema


def dead() -> int:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


@pytest.fixture
def casebook(tmp_path: Path) -> Path:
    path = tmp_path / "casebook.db"
    open_store(path, create=True).close()
    return path


def left(folder: Path, name: str, pid: int) -> list[Path]:
    """What a process left behind that was killed while it copied."""
    files = [folder / f"{name}.{pid}.0a1b2c3d.part{side}" for side in ("", "-journal")]
    for path in files:
        path.write_bytes(b"half")
        os.utime(path, (1, 1))
    return files


def test_a_link_that_was_planted_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim, target = tmp_path / "victim", tmp_path / "x.bak"
    victim.write_text("mine")
    monkeypatch.setattr(os, "urandom", bytes)
    (tmp_path / f"x.bak.{os.getpid()}.00000000.part").symlink_to(victim)
    with pytest.raises(FileExistsError), part_file(target):
        pass
    assert victim.read_text() == "mine"
    (tmp_path / f"x.bak.{os.getpid()}.part").symlink_to(victim)  # as it was named once
    monkeypatch.undo()
    with part_file(target) as part:
        assert part.stat().st_mode & 0o777 == 0o600
    assert victim.read_text() == "mine"


def test_two_copies_of_one_process_do_not_share_a_file(tmp_path: Path) -> None:
    with part_file(tmp_path / "x") as one, part_file(tmp_path / "x") as two:
        assert one != two


@pytest.mark.skipif(sys.platform == "win32", reason="there only its age tells")
def test_only_what_a_dead_process_left_is_removed(tmp_path: Path) -> None:
    gone = [*left(tmp_path, "casebook.db", dead()), *left(tmp_path, "casebook.db.backup-v4-1", dead())]
    old_name = tmp_path / f"casebook.db.{dead()}.part"
    old_name.touch()
    os.utime(old_name, (1, 1))
    recent = tmp_path / f"casebook.db.{dead()}.part"  # of another container, perhaps
    recent.touch()
    alive = left(tmp_path, "casebook.db", os.getppid())
    other = [tmp_path / "other.db.1.part", tmp_path / f"mine.{dead()}.part", tmp_path / "casebook.db.part"]
    for path in other:
        path.touch()
        os.utime(path, (1, 1))
    assert sweep_parts(tmp_path / "casebook.db") == len(gone) + 1
    with part_file(tmp_path / "casebook.db") as own:
        assert sweep_parts(tmp_path / "casebook.db") == 0
        assert own.exists()
    assert not any(path.exists() for path in (*gone, old_name))
    assert all(path.exists() for path in (*alive, *other, recent))


@pytest.mark.skipif(sys.platform == "win32", reason="there only its age tells")
def test_the_next_backup_migration_and_doctor_clean_up(casebook: Path, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    gone = left(tmp_path / "b", "x.bak", dead())
    backup(casebook, tmp_path / "b" / "x.bak")
    assert not any(path.exists() for path in gone)

    gone = left(tmp_path, "casebook.db", dead())
    store_checks(casebook)
    assert not any(path.exists() for path in gone)

    gone = left(tmp_path, "casebook.db.backup-v9-1", dead())
    later = Script(SHIPPED.version + 1, "later.sql", "CREATE TABLE extra(a)")
    open_store(casebook, write=True, schema=Schema(later.number, lambda: (*SHIPPED.scripts(), later))).close()
    assert not any(path.exists() for path in gone)


KILLED = """
import os, signal, sys
from pathlib import Path
import core.store.files as copying
copying.copy_pages = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from core.store import backup
backup(Path(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_a_killed_backup_leaves_nothing_after_the_next(casebook: Path, tmp_path: Path) -> None:
    target = tmp_path / "saved.db"
    assert subprocess.run([sys.executable, "-c", KILLED, str(casebook), str(target)], check=False).returncode < 0
    assert list(tmp_path.glob("*.part*"))
    for path in tmp_path.glob("*.part*"):
        os.utime(path, (1, 1))
    backup(casebook, target)
    assert not list(tmp_path.glob("*.part*"))
