"""A colleague's lessons answer here, marked as the team's, and what was decided here stays."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from core.base.fault import Fault
from core.flows.team.fresh import take_changed_quietly
from core.flows.team.place import raw_bytes, read_lessons
from core.store import open_store
from tests.flows.team.conftest import ROOT, Person

People = Callable[..., list[Person]]
NOWHERE = " "
KNOWN = "ModuleNotFoundError: No module named 'yaml'"


def share(mina: Person, *others: Person) -> None:
    """What mina has verified, exported, committed, and pulled by the others."""
    mina.run("team", "export", "--yes")
    mina.commit("lessons")
    mina.git("push", "-q", "origin", "HEAD:main")
    for one in others:
        one.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")


def search(person: Person, error: str, code: int | None = 0) -> Any:
    return person.json("errors", "search", error, code=code)


def hook(person: Person, error: str, folder: str = "") -> str:
    """What casebook tells the agent about a failed command."""
    payload = {
        "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": (folder or str(person.tree)).strip(),
        "tool_name": "Bash", "tool_input": {"command": "pytest"}, "error": f"Exit code 1\n{error}",
    }  # fmt: skip
    return person.run("hook", stdin=json.dumps(payload))


def test_a_colleague_finds_the_lesson_with_its_mark(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml", check="pytest -q")
    share(mina, joon)
    report = joon.json("import", "--team")
    assert (report["lessons"], report["added"], report["kept"]) == (1, 1, [])
    found = search(joon, KNOWN)["match"]
    assert (found["origin"], found["status"], found["confidence"]) == ("team", "verified", "high")
    assert found["lesson"]["do"]["text"] == "pip install pyyaml"
    assert found["lesson"]["check"] == "pytest -q"
    assert joon.json("errors", "list")["cases"][0]["origin"] == "team"
    assert "(team)" in joon.run("errors", "list")
    assert "your team" in joon.run("errors", "search", KNOWN)
    again = joon.json("import", "--team")
    assert (again["added"], again["changed"], again["unchanged"], again["change"]) == (0, 0, 1, None)
    assert joon.json("team", "export")["written"] is False
    assert joon.json("team", "check")["findings"] == []


def test_a_fresh_clone_is_told_by_its_first_hook(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    (joon.tree / "src").mkdir()
    assert not joon.database.exists()
    told = hook(joon, KNOWN, str(joon.tree / "src"))
    assert "pip install pyyaml" in told
    assert "lessons of your team" in told


@pytest.mark.skipif(sys.platform == "win32", reason="has no such permissions")
@pytest.mark.parametrize("which", ["the file", "its folder", "the repository", "another user"])
def test_lessons_that_others_can_write_are_only_taken_if_a_person_asks(
    people: People, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    if which == "another user":
        uid = joon.file.stat().st_uid or 4711
        os.chown(joon.file, uid, -1)
        monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
        with open_store(joon.database, write=True, create=True) as store:
            assert f"(uid {uid})" in take_changed_quietly(store, str(joon.tree))
    else:
        shared = {"the file": joon.file, "its folder": joon.file.parent, "the repository": joon.tree}[which]
        shared.chmod(shared.stat().st_mode | stat.S_IWOTH)
        assert "pip install" not in hook(joon, KNOWN)
        with open_store(joon.database, write=True) as store:
            assert f"{joon.file} was not imported (everyone can write" in take_changed_quietly(store, str(joon.tree))
    assert joon.json("import", "--team")["added"] == 1
    assert "pip install" in hook(joon, KNOWN)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such links")
def test_a_link_out_of_the_repository_is_not_followed_by_itself(people: People, tmp_path: Path) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    outside = joon.file.rename(tmp_path / "outside.jsonl")
    joon.file.symlink_to(outside)
    with open_store(joon.database, write=True, create=True) as store:
        assert "points outside the repository" in take_changed_quietly(store, str(joon.tree))
    search(joon, KNOWN, code=1)


@pytest.mark.skipif(sys.platform == "win32", reason="has no devices")
@pytest.mark.parametrize("target", ["/dev/zero", "pipe"])
def test_a_device_or_a_pipe_in_place_of_the_lessons_is_refused(people: People, target: str) -> None:
    (mina,) = people("mina")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.file.parent.mkdir()
    os.mkfifo(mina.file.parent / "pipe")
    mina.file.symlink_to(target)
    with pytest.raises(Fault, match="not a regular file"):
        read_lessons(mina.file)
    with pytest.raises(Fault, match="not a regular file"):
        raw_bytes(mina.file)


def test_a_hook_takes_over_what_changed_and_nothing_else(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    hook(joon, KNOWN)
    changes = joon.json("undo", "--list")["changes"]
    assert [one["actor"] for one in changes] == ["team"]
    hook(joon, KNOWN)
    (joon.tree / ".casebook/lessons.jsonl").touch()
    hook(joon, KNOWN)
    assert len(joon.json("undo", "--list")["changes"]) == 1
    mina.fix("KeyError: 'name'", "export NAME=1")
    share(mina, joon)
    assert "export NAME=1" in hook(joon, "KeyError: 'name'")


def test_an_import_is_undone_whole_and_does_not_come_back_by_itself(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    assert "pip install" in hook(joon, KNOWN)
    joon.run("undo")
    search(joon, KNOWN, code=1)
    assert "pip install" not in hook(joon, KNOWN)
    assert joon.json("import", "--team")["added"] == 1
    assert search(joon, KNOWN)["match"]["origin"] == "team"


def test_a_withdrawn_lesson_is_gone_for_everyone_until_it_is_shared_again(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    old = joon.file.read_bytes()
    joon.run("import", "--team")
    id_ = mina.lines()[0]["id"]
    mina.run("team", "export", "--withdraw", id_)
    share(mina, joon)
    assert joon.json("import", "--team")["withdrawn"] == 1
    search(joon, KNOWN, code=1)
    assert joon.json("errors", "list", code=1)["cases"] == []
    new = joon.file.read_bytes()
    joon.file.write_bytes(old)  # a branch that does not know of it
    assert joon.json("import", "--team")["added"] == 0
    joon.file.write_bytes(new)
    mina.run("team", "export", "--restore", id_)
    share(mina, joon)
    assert joon.json("import", "--team")["added"] == 1
    assert search(joon, KNOWN)["match"]["origin"] == "team"


def test_a_changed_lesson_changes_the_fix_that_came_from_it(people: People) -> None:
    mina, joon = people("mina", "joon")
    fix = mina.fix(KNOWN, "pip install pyyaml", check="pytest -q", dead_ends=("pip install yaml",))
    share(mina, joon)
    joon.run("import", "--team")
    mina.run("errors", "edit", "1", "--resolution", "Add pyyaml to the lock file.")
    mina.run("errors", "verify", "1")
    share(mina, joon)
    report = joon.json("import", "--team")
    assert (report["added"], report["changed"]) == (0, 1)
    found = search(joon, KNOWN)["match"]
    assert (found["resolution"], found["lesson"]["do"]["text"]) == ("Add pyyaml to the lock file.",) * 2
    assert (found["lesson"]["check"], found["lesson"]["not"]) == ("pytest -q", ["pip install yaml"])
    assert None not in mina.lines()[0].values()
    assert fix


def test_decisions_made_here_stay(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.fix("KeyError: 'name'", "export NAME=1")
    share(mina, joon)
    joon.fix("KeyError: 'name'", "export NAME=joon")
    joon.run("import", "--team")
    assert search(joon, "KeyError: 'name'")["match"]["lesson"]["do"]["text"] == "export NAME=joon"
    case = search(joon, KNOWN)["match"]["id"]
    joon.run("errors", "reject", str(case))
    mina.run("errors", "edit", "1", "--resolution", "Add pyyaml to the lock file.")
    mina.run("errors", "verify", "1")
    share(mina, joon)
    assert [one["reason"] for one in joon.json("import", "--team")["kept"]] == ["you rejected this lesson"]
    search(joon, KNOWN, code=1)
    assert "rejected" in {one["kind"] for one in joon.json("team", "check", code=1)["findings"]}


def test_two_edits_of_one_lesson_end_with_the_later_one_everywhere(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    joon.run("import", "--team")
    for who, text in ((mina, "First: use the lock file."), (joon, "Second: use the image.")):
        case = str(search(who, KNOWN)["match"]["id"])
        who.run("errors", "edit", case, "--resolution", text)
        who.run("errors", "verify", case)
        who.run("team", "export")
        who.commit(text)
    joon.git("config", "merge.casebook.driver", "false")
    mina.git("push", "-q", "origin", "HEAD:main")
    joon.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main", code=None)
    joon.run("team", "merge", str(joon.file))
    joon.commit("merged")
    joon.git("push", "-q", "origin", "HEAD:main")
    mina.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    assert mina.lines() == joon.lines()
    for who in (mina, joon):
        who.run("import", "--team")
        assert search(who, KNOWN)["match"]["resolution"] == "Second: use the image."
        assert who.json("team", "export")["written"] is False


def test_an_edit_of_a_withdrawn_lesson_is_not_shared_as_a_new_one(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    joon.run("import", "--team")
    joon.run("errors", "edit", str(search(joon, KNOWN)["match"]["id"]), "--resolution", "Use the image.", "--verify")
    id_ = mina.lines()[0]["id"]
    mina.run("team", "export", "--withdraw", id_)
    share(mina, joon)
    joon.run("import", "--team")
    assert search(joon, KNOWN)["match"]["resolution"] == "Use the image."
    report = joon.json("team", "export")
    assert (report["added"], [one["id"] for one in report["left_out"]]) == ([], [id_])
    assert [one["kind"] for one in joon.json("team", "check", code=1)["findings"]] == ["withdrawn"]
    assert joon.json("team", "export", "--restore", id_)["restored"] == [id_]
    assert [line["text"] for line in joon.lines()] == ["Use the image."]


def test_a_lesson_stays_the_same_one_through_edits_of_three_people(people: People) -> None:
    homes = people("mina", "joon", "sora")
    homes[0].fix(KNOWN, "pip install pyyaml")
    share(homes[0], *homes[1:])
    (line,) = homes[0].lines()
    for number in range(2):
        for who in homes:
            who.run("import", "--team")
            text = f"Version {number} of {homes.index(who)}."
            who.run("errors", "edit", str(search(who, KNOWN)["match"]["id"]), "--resolution", text, "--verify")
            share(who, *(one for one in homes if one is not who))
            who.run("import", "--team")
            assert [(one["id"], one["text"]) for one in who.lines()] == [(line["id"], text)]
    for who in homes:
        who.run("import", "--team")
        assert search(who, KNOWN)["match"]["resolution"] == "Version 1 of 2."
        assert who.json("team", "export")["written"] is False


def test_an_export_takes_over_what_was_pulled_before_it_writes(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    joon.run("import", "--team")
    joon.run("errors", "edit", str(search(joon, KNOWN)["match"]["id"]), "--resolution", "Use the image.", "--verify")
    share(joon, mina)
    assert mina.json("team", "export")["written"] is False
    assert search(mina, KNOWN)["match"]["resolution"] == "Use the image."
    mina.run("errors", "edit", "1", "--resolution", "Use the lock file.", "--verify")
    assert mina.json("team", "export")["changed"] == [mina.lines()[0]["id"]]
    assert mina.lines()[0]["text"] == "Use the lock file."


def test_a_preview_takes_over_what_was_pulled_as_the_export_does(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    joon.run("import", "--team")
    joon.run("errors", "edit", str(search(joon, KNOWN)["match"]["id"]), "--resolution", "Use the image.", "--verify")
    share(joon, mina)
    before = mina.file.read_bytes()
    assert mina.json("team", "preview", code=1)["lessons"] == []
    assert mina.file.read_bytes() == before
    assert mina.json("team", "export")["written"] is False


def test_an_export_after_an_undone_import_leaves_the_later_version_of_the_file(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    joon.run("import", "--team")
    joon.run("errors", "edit", str(search(joon, KNOWN)["match"]["id"]), "--resolution", "Use the image.", "--verify")
    share(joon, mina)
    mina.run("import", "--team")
    mina.run("undo")
    assert "pip install" in search(mina, KNOWN)["match"]["resolution"]
    report = mina.json("team", "export")
    assert (report["written"], [one["case_id"] for one in report["left_out"]]) == (False, [1])
    assert mina.lines()[0]["text"] == "Use the image."
    assert mina.json("team", "export", "--case", "1")["changed"] == [mina.lines()[0]["id"]]
    assert "pip install" in mina.lines()[0]["do"]["text"]
    assert mina.json("team", "export")["written"] is False


def test_an_edit_that_an_undone_import_replaced_does_not_overwrite_the_file(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    share(mina, joon)
    joon.run("import", "--team")
    joon.run("errors", "edit", str(search(joon, KNOWN)["match"]["id"]), "--resolution", "Use the image.", "--verify")
    share(joon, mina)
    mina.run("import", "--team")
    mina.run("errors", "edit", str(search(mina, KNOWN)["match"]["id"]), "--resolution", "Use the lock.", "--verify")
    share(mina, joon)
    joon.run("import", "--team")
    joon.run("undo")
    assert search(joon, KNOWN)["match"]["resolution"] == "Use the image."
    assert joon.json("team", "export")["written"] is False
    assert joon.lines()[0]["text"] == "Use the lock."
    joon.run("errors", "edit", str(search(joon, KNOWN)["match"]["id"]), "--resolution", "Use both.", "--verify")
    assert joon.json("team", "export")["changed"] == [joon.lines()[0]["id"]]
    assert joon.lines()[0]["text"] == "Use both."


def test_lessons_answer_in_their_own_repository_only(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix(KNOWN, "pip install pyyaml")
    mina.fix("KeyError: 'name'", "export NAME=1", scope="general")
    share(mina, joon)
    joon.run("import", "--team")
    elsewhere = Person(joon.home, joon.home / "bank")
    elsewhere.tree.mkdir()
    elsewhere.git("init", "-q")
    found = search(elsewhere, KNOWN, code=1)
    assert found["match"] is None
    assert "pip install" not in json.dumps(found)
    assert "another repository" in json.dumps(found)
    assert "pip install" not in hook(elsewhere, KNOWN)
    assert "pip install" not in hook(elsewhere, KNOWN, NOWHERE), "it is not known where the command ran"
    assert search(elsewhere, "KeyError: 'name'")["match"]["origin"] == "team"
    assert search(joon, KNOWN)["match"]["origin"] == "team"


@pytest.mark.parametrize("agrees", [("import", "--team"), ("init", "--yes", "--no-import"), ("team", "export")])
def test_a_repository_that_was_only_cloned_reaches_no_other(people: People, agrees: tuple[str, ...]) -> None:
    mina, joon = people("mina", "joon")
    mina.fix("KeyError: 'name'", "export NAME=1", scope="general")
    share(mina, joon)
    elsewhere = Person(joon.home, joon.home / "bank")
    elsewhere.tree.mkdir()
    elsewhere.git("init", "-q")
    own = joon.home / ".claude" / "CLAUDE.md"
    own.parent.mkdir()
    own.write_text("# Mine\n")
    assert "export NAME" in hook(joon, "KeyError: 'name'"), "the lesson came in by the hook, and answers in its place"
    assert "export NAME" not in hook(elsewhere, "KeyError: 'name'")
    found = search(elsewhere, "KeyError: 'name'", code=1)
    assert found["match"] is None
    assert "another repository" in json.dumps(found)
    joon.run("errors", "export", "--sync", str(own), "--yes", code=None)
    assert "export NAME" not in own.read_text()
    joon.run(*agrees)
    assert "export NAME" in hook(elsewhere, "KeyError: 'name'")
    assert search(elsewhere, "KeyError: 'name'")["match"]["origin"] == "team"
    joon.run("errors", "export", "--sync", str(own), "--yes", code=None)
    assert "export NAME" in own.read_text()


def test_a_lesson_of_another_file_is_checked_as_any_import(people: People) -> None:
    (mina,) = people("mina")
    lines = [
        {"id": "odd", "shared": "2026-11-01T00:00:00.000Z", "text": "x" * 10_000, "error": "KeyError: 'a'"},
        {"id": "none", "shared": "2026-11-01T00:00:00.000Z"},
        {"id": "do", "shared": "2026-11-01T00:00:00.000Z", "error": "KeyError: 'b'", "do": {"kind": "no", "text": "x"}},
        {"id": "good", "shared": "2026-11-01T00:00:00.000Z", "error": "KeyError: 'c'", "text": "token=ghp_" + "a" * 36},
    ]  # fmt: skip
    (mina.tree / "other.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines) + "{\n")
    report = mina.json("import", "--team", "other.jsonl")
    assert report["added"] == 1
    assert {one["id"] for one in report["kept"]} == {"odd", "none", "do"}
    assert [one["line"] for one in report["bad"]] == [5]
    assert "ghp_" not in json.dumps(search(mina, "KeyError: 'c'"))


def test_of_a_withdrawn_lesson_the_history_alone_keeps_the_text(people: People) -> None:
    mina, joon = people("mina", "joon")
    mina.fix("KeyError: 'zanzibar'", "export OSTRICH=1", check="make walrus", because="zanzibar needs a pelican")
    told = mina.run("team", "preview")
    assert "stays in the history" in told
    share(mina, joon)
    assert "OSTRICH" in hook(joon, "KeyError: 'zanzibar'")
    assert tables_with(joon.database, "OSTRICH", "walrus", "pelican") >= {"resolution", "journal"}
    told = mina.run("team", "export", "--withdraw", mina.lines()[0]["id"])
    assert "stays in the history" in told
    share(mina, joon)
    hook(joon, "KeyError: 'another'")
    search(joon, "KeyError: 'zanzibar'", code=1)
    with open_store(joon.database, write=True) as store:  # words of deleted rows stay in an index until it is rewritten
        store.con.execute("INSERT INTO case_fts(case_fts) VALUES ('optimize')")
    assert tables_with(joon.database, "OSTRICH", "walrus", "pelican") == {"journal"}
    joon.run("undo")
    assert search(joon, "KeyError: 'zanzibar'")["match"]["origin"] == "team"


def tables_with(database: Path, *said: str) -> set[str]:
    """The tables of a casebook that hold one of these words in any value, also as bytes."""
    found: set[str] = set()
    with open_store(database) as store:
        for (name,) in store.con.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            try:
                rows = store.con.execute(f'SELECT * FROM "{name}"').fetchall()
            except apsw.SQLError:  # a virtual table without its module
                continue
            values = [one if isinstance(one, bytes) else str(one).encode() for row in rows for one in row]
            if any(word.encode().lower() in value.lower() for word in said for value in values):
                found.add(str(name))
    return found


def test_no_secret_of_a_file_is_kept(people: People) -> None:
    """Another program wrote the file. Its lines are kept with the fixes: without what is secret, also after an edit."""
    (mina,) = people("mina")
    rows = [json.loads(line) for line in (ROOT / "tests/data/secrets.jsonl").read_text("utf-8").splitlines()]
    mina.file.parent.mkdir()
    for day in ("01", "02"):
        at = f"2026-11-{day}T09:00:00.000Z"
        lines = [
            json.dumps(
                {
                    "id": f"l{number}", "shared": "2026-11-01T09:00:00.000Z", "error": f"KeyError: 'k{number}'",
                    "text": f"{row['text']}\n{day}", "note": row["text"], "at": {"text": at},
                    "do": {"kind": "words", "text": row["text"]}, "not": [row["text"]],
                }
            )
            for number, row in enumerate(rows)
        ]  # fmt: skip
        mina.file.write_text("\n".join(lines) + "\n")
        done = mina.json("import", "--team")
        assert done["added"] + done["changed"] > len(rows) // 2
    with open_store(mina.database, write=True) as store:
        assert len(store.con.execute("SELECT 1 FROM resolution WHERE author = 'team'").fetchall()) > len(rows) // 2
        kept = json.dumps(store.con.execute("SELECT original, text, lesson FROM resolution").fetchall())
    held = kept + "".join(kept.replace("\\" * times, "") for times in (1, 2, 3))
    secrets = [row["secret"] for row in rows if len(row["secret"]) >= 8]
    assert [
        one for one in secrets if one in held or any(len(part) >= 12 and part in held for part in one.split())
    ] == []
