"""What leaves for a team: this repository's verified fixes, shown first, and nothing private."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.errors.cases.record import record_resolution
from core.flows.team.export import plan_export, write_plan
from core.flows.team.place import place_of
from core.store import open_store
from tests.faults.kills import Program
from tests.flows.team.conftest import Person, add_fix

People = Callable[..., list[Person]]
SECRETS = [json.loads(line) for line in Path("tests/data/secrets.jsonl").read_text("utf-8").splitlines()]
KNOWN = "ModuleNotFoundError: No module named 'yaml'"


def test_an_export_holds_this_repositorys_verified_fixes_and_every_lesson_of_an_error(people: People) -> None:
    (mina,) = people("mina")
    mina.fix(KNOWN, "pip install pyyaml", check="pytest -q", because="yaml is in another package")
    mina.fix(KNOWN, "uv add pyyaml")
    mina.fix("KeyError: 'bank'", "export BANK=1", session="s2", repository="github.com/acme/bank")
    record_resolution(mina.database, "TypeError: a draft", "try something")
    report = mina.json("team", "export", "--yes")
    assert (report["lessons"], len(report["added"]), report["written"]) == (2, 2, True)
    lines = mina.lines()
    assert [line["id"] for line in lines] == sorted(line["id"] for line in lines)
    assert {line["do"]["text"] for line in lines} == {"pip install pyyaml", "uv add pyyaml"}
    assert {"check": "pytest -q", "because": "yaml is in another package"}.items() <= {
        **lines[0], **lines[1],
    }.items()  # fmt: skip
    before = mina.file.read_bytes()
    assert mina.json("team", "export")["written"] is False
    assert mina.file.read_bytes() == before


def test_a_preview_shows_what_leaves_and_writes_nothing(people: People) -> None:
    (mina,) = people("mina")
    mina.fix("psql: FATAL: role mina does not exist", f"createuser mina && cat {mina.home}/notes/x mina@example.com")
    shown = mina.json("team", "preview")
    assert not mina.file.exists()
    (lesson,) = shown["lessons"]
    assert lesson["fields"]["do"]["text"] == "createuser <user> && cat <path> <email>"
    assert "role <user> does not" in mina.run("team", "preview")
    mina.run("team", "export", "--yes")
    (line,) = mina.lines()
    assert lesson["fields"].items() <= line.items()
    text = mina.file.read_text("utf-8")
    assert "mina" not in text
    assert str(mina.home) not in text


def test_the_first_export_needs_a_person(people: People) -> None:
    (mina,) = people("mina")
    mina.fix(KNOWN, "pip install pyyaml")
    assert "team preview" in mina.run("team", "export", code=2)
    assert not mina.file.exists()


def test_no_secret_is_in_the_file_or_in_the_block(people: People, tmp_path: Path) -> None:
    (mina,) = people("mina")
    with open_store(mina.database, write=True, create=True):
        pass
    for number, row in enumerate(SECRETS):
        text = row["text"]
        more = {"said": f"Error: it failed\n{text}", "because": text, "check": text, "dead_ends": (text,)}
        add_fix(mina.database, str(mina.tree), f"Error: step{number} failed", f"deploy\n{text}\n", **more)
    with open_store(mina.database, write=True) as store:
        done = write_plan(store, plan_export(store, place_of(mina.tree)))
    assert done.lessons > len(SECRETS) // 2
    mina.run("errors", "export", "--sync", str(mina.tree / "AGENTS.md"), "--yes", "--budget", "100000")
    mina.run("team", "export")
    text = mina.file.read_text("utf-8") + json.dumps(mina.lines(), ensure_ascii=False)
    text += (mina.tree / "AGENTS.md").read_text("utf-8")
    secrets = [row["secret"] for row in SECRETS if len(row["secret"]) >= 8]
    assert [
        one for one in secrets if one in text or any(len(part) >= 12 and part in text for part in one.split())
    ] == []


def test_a_withdrawn_lesson_comes_back_only_by_a_decision(people: People) -> None:
    (mina,) = people("mina")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("team", "export", "--yes")
    (line,) = mina.lines()
    assert mina.json("team", "export", "--withdraw", line["id"][:6])["withdrawn"] == [line["id"]]
    assert [[*one] for one in mina.lines()] == [["id", "withdrawn"]]
    assert mina.json("team", "export")["left_out"][0]["id"] == line["id"]
    assert [[*one] for one in mina.lines()] == [["id", "withdrawn"]]
    assert mina.json("team", "export", "--restore", line["id"])["restored"] == [line["id"]]
    (back,) = mina.lines()
    assert back["do"] == line["do"]
    assert back["shared"] > back["withdrawn"] > line["shared"]
    assert "no lesson" in mina.run("team", "export", "--withdraw", "zzzz", code=2)


def test_an_edited_fix_stays_the_same_lesson_with_a_time_for_what_changed(people: People) -> None:
    (mina,) = people("mina")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("team", "export", "--yes")
    (before,) = mina.lines()
    mina.run("errors", "edit", "1", "--resolution", "Add pyyaml to the lock file.")
    mina.run("errors", "verify", "1")
    assert mina.json("team", "export")["changed"] == [before["id"]]
    (after,) = mina.lines()
    assert after["id"] == before["id"]
    assert after["text"] == "Add pyyaml to the lock file."
    assert after["shared"] == before["shared"] < after["at"]["text"]


def test_lines_that_are_no_lesson_are_named_and_kept(people: People) -> None:
    (mina,) = people("mina")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.file.parent.mkdir()
    mina.file.write_bytes(b'<html>\n<<<<<<< ours\n{"id": "half\n=======\n' + b"x" * 50_000_000 + b"\n")
    report = mina.json("team", "export")
    assert [(bad["line"], bad["kept"]) for bad in report["bad"]] == [
        (1, True),
        (2, False),
        (3, True),
        (4, False),
        (5, True),
    ]
    lines = mina.file.read_bytes().splitlines()
    assert json.loads(lines[0])["do"]["text"] == "pip install pyyaml"
    assert lines[1:] == [b"<html>", b"x" * 50_000_000, b'{"id": "half']


def test_a_check_names_stale_lessons(people: People) -> None:
    (mina,) = people("mina")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("team", "export", "--yes")
    assert mina.json("team", "check")["findings"] == []
    line = mina.lines()[0]
    foreign = {**line, "id": "foreign", "do": {"kind": "hunk", "text": "+ x", "file": "src/gone.py"}}
    other_key = {**line, "id": "other", "errors": [{**line["errors"][0], "line": "KeyError: 'x'"}]}
    mina.file.write_text("".join(json.dumps(one) + "\n" for one in (foreign, line, other_key)))
    found = mina.json("team", "check", code=1)
    assert {(one["id"], one["kind"]) for one in found["findings"]} == {
        ("foreign", "file"), ("foreign", "unknown"), ("other", "key_line"), ("other", "unknown"),
    }  # fmt: skip
    assert found["sorted"] is False
    mina.run("team", "merge", str(mina.file))
    assert mina.json("team", "check", code=1)["sorted"] is True


def test_the_block_of_a_colleague_keeps_the_lessons_of_the_team(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.run("init", "--yes", "--no-import")
    mina.commit("lessons")
    mina.git("push", "-q", "origin", "HEAD:main")
    joon.git("pull", "-q", "origin", "main")
    joon.run("init", "--yes", "--no-import")
    assert joon.git("status", "--porcelain") == ""
    assert "pip install pyyaml" in (joon.tree / "AGENTS.md").read_text("utf-8")


def test_outside_of_a_repository_nothing_is_shared(people: People) -> None:
    (mina,) = people("mina")
    mina.fix(KNOWN, "pip install pyyaml")
    assert "not in a git repository" in mina.run("team", "preview", "--repository", str(mina.home), code=2)


EXPORT = """
import os, sys
from pathlib import Path
from core.flows.team.export import plan_export, write_plan
from core.flows.team.place import place_of
from core.store import open_store
with open_store(Path(sys.argv[1]), write=True) as store:
    plan = plan_export(store, place_of(Path(sys.argv[2])))
    os.write(1, b"+")
    write_plan(store, plan)
    os.write(1, b".")
"""


def test_a_kill_while_exporting_leaves_the_old_file_or_the_new_one(people: People) -> None:
    (mina,) = people("mina")
    for number in range(20):
        mina.fix(f"KeyError: 'name{number}'", f"export NAME{number}=1")
    mina.run("team", "export", "--yes")
    old = mina.file.read_bytes()
    with Program(EXPORT) as program:
        mina.fix(KNOWN, "pip install pyyaml")
        whole = program.run(str(mina.database), str(mina.tree))
        assert whole.code == 0
        new = mina.file.read_bytes()
        assert new != old
        for step in range(1, whole.steps + 1):
            mina.file.write_bytes(old)
            program.run(str(mina.database), str(mina.tree), kill_at=step)
            assert len(mina.file.read_bytes()) in (len(old), len(new)), step
            assert mina.json("team", "check", code=None)["bad"] == []


def test_a_fix_recorded_in_the_repository_is_of_it(people: People, tmp_path: Path) -> None:
    """Also where the error was seen elsewhere before; what is recorded outside of a repository is of none."""
    (mina,) = people("mina")
    mina.fix("KeyError: 'bank'", "export BANK=1", session="s2", repository="github.com/acme/bank")
    for error in ("KeyError: 'bank'", KNOWN):
        recorded = mina.json("errors", "record", "--error", error, "--resolution", f"Set it up for {error[:3]}.")
        mina.run("errors", "verify", str(recorded["case_id"]))
    outside = replace(mina, tree=tmp_path)
    recorded = outside.json("errors", "record", "--error", "TypeError: none", "--resolution", "Ask somebody.")
    outside.run("errors", "verify", str(recorded["case_id"]))
    mina.run("team", "export", "--yes")
    assert {line["text"] for line in mina.lines()} == {"Set it up for Key.", "Set it up for Mod."}
