"""Rule files as bytes: their encoding, and those that are no files."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.rules.format.parse import parse, read_bytes

TEXT = "### ERR-001: 규칙\n**Problem**: a problem\n"
pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are none")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_an_encoding_that_the_file_names_is_read(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "m.md").write_bytes(TEXT.encode(encoding))
    assert [rule.title for rule in parse(tmp_path / "m.md").rules] == ["규칙"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_an_encoding_that_the_file_does_not_name_is_told(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "m.md").write_bytes(TEXT.encode(encoding))
    found = parse(tmp_path / "m.md")
    assert found.rules == ()
    assert [(flaw.line, "Save it as UTF-8" in flaw.message) for flaw in found.flaws] == [(0, True)]


@pipes
def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "p"
    os.mkfifo(path)
    many = TEXT * 5_000
    writer = threading.Thread(target=lambda: path.write_text(many, encoding="utf-8"))
    writer.start()
    assert len(parse(path).rules) == 5_000
    writer.join()


@pipes
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "p")
    monkeypatch.setattr(sys.modules[parse.__module__], "read_bytes", lambda path, most: read_bytes(path, most, 0.01))
    with pytest.raises(Fault, match="no data"):
        parse(tmp_path / "p")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="cannot read the rules"):
        parse(tmp_path)
