"""The merge driver under a real git: two branches of lessons always merge, and nothing is lost."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.flows.team.conftest import ROOT, Person

People = Callable[..., list[Person]]


def use_driver(person: Person) -> None:
    person.git("config", "merge.casebook.driver", f"env PYTHONPATH={ROOT} {sys.executable} -m cli team merge %O %A %B")
    (person.tree / ".gitattributes").write_text(".casebook/lessons.jsonl merge=casebook\n")


def test_a_real_git_merge_joins_two_branches_field_by_field(people: People) -> None:
    (mina,) = people("mina")
    use_driver(mina)
    mina.fix("TypeError: apples", "export A=1")
    mina.fix("RuntimeError: gone", "export GONE=1")
    mina.run("team", "export", "--yes")
    mina.commit("two lessons")
    start = {line["do"]["text"]: line["id"] for line in mina.lines()}
    mina.git("checkout", "-qb", "theirs")
    mina.run("team", "export", "--withdraw", start["export GONE=1"])
    mina.fix("ValueError: books", "export B=1")
    mina.run("team", "export")
    mina.commit("theirs")
    mina.git("checkout", "-q", "main")
    mina.run("errors", "edit", "1", "--resolution", "Export A in the shell.")
    mina.run("errors", "verify", "1")
    mina.run("errors", "reject", "3")
    mina.run("team", "export")
    mina.commit("ours")
    mina.git("merge", "-q", "-m", "both", "theirs")
    merged = {line["id"]: line for line in mina.lines()}
    assert merged[start["export A=1"]]["text"] == "Export A in the shell."
    assert [*merged[start["export GONE=1"]]] == ["id", "withdrawn"]
    assert {line["do"]["text"] for line in merged.values() if "do" in line} == {"Export A in the shell.", "export B=1"}
    assert len(merged) == 3
    one = mina.file.read_bytes()
    mina.git("checkout", "-q", "theirs")
    mina.git("merge", "-q", "-m", "back", "main~1")
    assert mina.file.read_bytes() == one


def test_without_the_driver_a_conflict_is_resolved_by_one_command(people: People) -> None:
    (mina,) = people("mina")
    mina.fix("TypeError: apples", "export A=1")
    mina.run("team", "export", "--yes")
    mina.commit("begin")
    mina.git("checkout", "-qb", "theirs")
    mina.fix("ValueError: books", "export B=1")
    mina.run("team", "export")
    mina.commit("theirs")
    mina.git("checkout", "-q", "main")
    mina.run("errors", "reject", "2")
    mina.fix("OSError: clouds", "export C=1")
    mina.run("team", "export")
    mina.commit("ours")
    mina.git("merge", "-q", "theirs", code=None)
    mina.run("team", "merge", str(mina.file))
    assert {line["do"]["text"] for line in mina.lines()} == {"export A=1", "export B=1", "export C=1"}
    assert mina.json("team", "check", code=None)["bad"] == []


def test_a_merge_that_cannot_be_made_leaves_our_file_and_says_so(people: People) -> None:
    (mina,) = people("mina")
    mina.file.parent.mkdir()
    mina.file.write_text("ours\n")
    assert "not found" in mina.run("team", "merge", "no-base", str(mina.file), "no-theirs", code=2)
    assert mina.file.read_text() == "ours\n"
