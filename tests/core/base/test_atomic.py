"""Files written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.atomic import write_file
from core.base.fault import Fault


def test_a_file_is_whole_and_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    assert write_file(path, ["a", "오\ud800"], replace=False) == 7
    assert path.read_bytes() == "a오\ufffd".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("mine")
    with pytest.raises(Fault, match="already exists") as caught:
        write_file(path, ["x"], replace=False)
    assert "--force" in caught.value.hint
    assert path.read_text() == "mine"
    write_file(path, ["x"], replace=True)
    assert path.read_text() == "x"


def test_one_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"

    def chunks() -> Iterator[str]:
        yield "x"
        path.write_text("theirs")

    with pytest.raises(Fault, match="already exists"):
        write_file(path, chunks(), replace=False)
    assert path.read_text() == "theirs"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


def test_a_source_that_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("mine")

    def chunks() -> Iterator[str]:
        yield "x"
        raise Fault("io_error", "gone")

    with pytest.raises(Fault, match="gone"):
        write_file(path, chunks(), replace=True)
    assert path.read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


def test_places_that_are_no_files_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/null"), Path("a\0b"), tmp_path / "none" / "x"):
        with pytest.raises(Fault):
            write_file(path, ["x"], replace=True)


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("theirs")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "theirs")
    write_file(link, ["x"], replace=True)
    assert (tmp_path / "theirs").read_text() == "theirs"
    assert link.read_text() == "x"
