"""Labels of several projects, and a file with a broken line: what a comparison is made of, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.flows.rules.files import ScopedFiles
from core.flows.rules.labels import comparable, label_call
from core.rules.evaluation.labels import Label, label_file, label_of, put_label
from core.rules.matching.call import ToolCall

PUSH = ToolCall("Bash", {"command": "git push --force"})
READ = ToolCall("Read", {"file_path": "/x/y"})


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def files(folder: str) -> ScopedFiles:
    return ((Path(folder or "/none") / "memory.md", "project"),)


def test_a_label_is_compared_by_the_rules_it_was_said_of(database: Path) -> None:
    label_call(database, PUSH, "ERR-101", "right", project="/w/a")
    label_call(database, PUSH, "ERR-007", "right", project="/w/b")
    put_label(label_file(database), READ, "ERR-001", "right")
    found = comparable(database, files, "/w/b")
    assert [call.expected for call in found.calls] == [("ERR-007",), ("ERR-001",)]
    assert found.notes({"ERR-007"}) == (
        "1 call is skipped: labeled with rules of another project",
        "the labeled calls name unknown rules: ERR-001 (1)",
    )
    assert label_of(label_file(database), PUSH, "/w/a") == Label(("ERR-101",))
    assert label_of(label_file(database), PUSH, "/w/c") is None


def test_folders_with_the_same_rules_share_their_labels(database: Path) -> None:
    label_call(database, PUSH, "ERR-101", "right", project="/w/a")
    found = comparable(database, lambda _folder: (), "/w/b")
    assert (len(found.calls), found.elsewhere) == (1, 0)


def test_a_label_of_earlier_days_becomes_that_of_who_says_more(database: Path) -> None:
    path = label_file(database)
    put_label(path, PUSH, "ERR-001", "right")
    assert label_of(path, PUSH, "/w/a") == Label(("ERR-001",))
    put_label(path, PUSH, "ERR-002", "wrong", project="/w/a")
    assert label_of(path, PUSH, "/w/a") == Label(("ERR-001",), ("ERR-002",))
    assert label_of(path, PUSH, "/w/b") is None


def test_a_broken_line_is_told_by_its_number(database: Path) -> None:
    put_label(label_file(database), PUSH, "ERR-001", "right")
    with label_file(database).open("a", encoding="utf-8") as file:
        file.write("\n{broken\n")
    found = comparable(database, files, "")
    assert found.broken == (3,)
    assert found.notes({"ERR-001"}) == ("line 3 of the labels cannot be read",)


def test_a_label_leaves_every_other_line_as_it_is(database: Path) -> None:
    path = label_file(database)
    put_label(path, PUSH, "ERR-001", "right")
    mine = path.read_bytes().rstrip(b"\n")
    note = b'{"tool_name": "Bash", "tool_input": {"command": "\xff"}, "expected": []}'
    path.write_bytes(b"\xef\xbb\xbf" + mine + b"\n\xfe not a call\r\n" + note + b"\n")
    assert label_of(path, PUSH) == Label(("ERR-001",))
    put_label(path, PUSH, "ERR-002", "right")
    first, *others = path.read_bytes().split(b"\n")
    assert others == [b"\xfe not a call\r", note, b""]
    assert label_of(path, PUSH) == Label(("ERR-001", "ERR-002"))
    assert first.startswith(b'{"tool_name"')
