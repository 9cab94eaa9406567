"""`casebook rules drafts`, `accept`, `reject` and the undo of each, as a person runs them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.flows.corrections.drafts import rule_drafts
from core.store import open_store
from tests.cli.conftest import Result
from tests.flows.corrections.chat import Transcript, imported

MINE = "# Notes\n\nMine.\n"


class Project:
    """A project with a casebook that holds one draft rule. Its commands run in this process."""

    def __init__(self, folder: Path, run: Callable[..., Result]) -> None:
        self._run = run
        self.folder = folder / "shop"
        (self.folder / ".git").mkdir(parents=True)
        (self.folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.file = self.folder / "CLAUDE.md"
        self.file.write_text(MINE)
        self.db = folder / "casebook.db"
        with open_store(self.db, create=True) as store:
            one = Transcript(folder / "logs", "a", str(self.folder))
            imported(store, one.declines("git push -f origin main", "no! Never force push to shared branches"))

    def run(self, *args: str) -> Result:
        return self._run(*args, "--db", str(self.db))

    def json(self, *args: str) -> Any:
        return self.run(*args, "--json").json()

    @property
    def status(self) -> list[str]:
        with open_store(self.db) as store:
            return [one.status for one in rule_drafts(store, None).drafts]


@pytest.fixture
def project(tmp_path: Path, run: Callable[..., Result]) -> Project:
    return Project(tmp_path, run)


def test_listed_accepted_matched_and_undone(project: Project) -> None:
    listed = project.json("rules", "drafts")
    (draft,) = listed["drafts"]
    assert (draft["rule"], draft["tool"], draft["said_in"]) == ("Never force push to shared branches", "Bash", ["a"])
    assert draft["call"] == "git push -f origin main"
    done = project.json("rules", "accept", str(draft["id"]), "--file", str(project.file))
    assert (done["drafts"][0]["status"], done["drafts"][0]["rule_id"], done["change"]) == ("accepted", "ERR-001", 1)
    given = '{"command": "git push -f origin main"}'
    match = project.json(
        "rules", "match", "--rules", str(project.file), "--tool", "Bash", "--input", given, "--no-model"
    )
    assert match["rules"][0]["solution"] == "Never force push to shared branches"
    assert project.run("rules", "drafts").code == 1
    assert project.run("undo").code == 0
    assert project.file.read_text() == MINE
    assert project.status == ["draft"]
    assert project.run("undo", "--redo").code == 0
    assert "ERR-001" in project.file.read_text()


def test_undo_refuses_where_the_block_was_edited(project: Project) -> None:
    project.run("rules", "accept", "1", "--file", str(project.file))
    project.file.write_text(edited := project.file.read_text().replace("Never", "Rarely"))
    refused = project.run("undo")
    assert refused.code == 1
    assert "CLAUDE.md:5: the casebook block was edited by hand" in refused.said
    assert "delete ERR-001 manually" in refused.said
    assert project.file.read_text() == edited
    assert project.status == ["accepted"]
    project.file.write_text(MINE)
    assert project.run("undo").code == 0
    assert project.status == ["draft"]


def test_a_file_outside_the_project_is_refused(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "CLAUDE.md"
    link = project.folder / "AGENTS.md"
    link.symlink_to(outside)
    for path in (
        outside,
        link,
        project.folder / ".." / "x.md",
        project.folder / "app.py",
        project.folder / "no" / "x.md",
    ):
        assert project.run("rules", "accept", "1", "--file", str(path)).code == 2
    assert not outside.exists()
    assert project.status == ["draft"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name")
def test_a_file_whose_name_is_no_text_is_refused(project: Project) -> None:
    done = project.run("rules", "accept", "1", "--file", str(project.folder / "a\udcff.md"))
    assert (done.code, "is not UTF-8" in done.said) == (2, True)
    assert project.status == ["draft"]


def test_undo_says_what_it_undid_before_a_file_refused(project: Project) -> None:
    project.run("rules", "accept", "1", "--file", str(project.file))
    project.run("errors", "record", "--error", "ValueError: a", "--resolution", "b")
    project.file.unlink()
    project.file.mkdir()
    done = project.run("undo", "2")
    assert done.code == 1
    assert "Undone: " in done.text
    assert "Stopped: cannot read" in done.text
    assert project.status == ["accepted"]


def test_a_rejected_draft_stays_rejected_until_undone(project: Project) -> None:
    assert project.run("rules", "reject", "1", "--reason", "too strict").code == 0
    assert project.status == ["rejected"]
    assert project.run("rules", "accept", "1", "--file", str(project.file)).code == 2
    assert project.run("rules", "reject", "7").code == 2
    assert project.run("undo").code == 0
    assert project.status == ["draft"]
    assert project.file.read_text() == MINE


def test_nothing_of_a_draft_is_exported_or_told_to_a_hook(project: Project) -> None:
    for more in ([], ["--fixes"]):
        for name in ("jsonl", "markdown", "csv"):
            done = project.run("errors", "export", "--format", name, *more)
            assert (done.code, "force push" in done.text) == (0, False)
    call = {"tool_name": "Bash", "tool_input": {"command": "git push -f origin main"}, "cwd": str(project.folder)}
    event = json.dumps({"hook_event_name": "PreToolUse", "session_id": "s", **call})
    line = [sys.executable, "-m", "agent_casebook", "hook", "claude-code", "--db", str(project.db)]
    told = subprocess.run(line, input=event, capture_output=True, text=True, timeout=120, check=False)
    assert (told.returncode, "force push" in told.stdout) == (0, False)


KILLED = """
import os, signal, sys
from pathlib import Path
from core.flows.corrections.drafts import accept_draft
from core.flows.system.history import take_back
from core.store import open_store

db, file, what, when = sys.argv[1:]
with open_store(Path(db), write=True) as store:
    kill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    if when == "before the file":
        store.con.set_update_hook(lambda _kind, _db, table, _row: kill() if table == "rule_draft" else None)
    else:
        store.con.set_commit_hook(kill)
    accept_draft(store, "ana", 1, Path(file)) if what == "accept" else take_back(store, "ana")
"""


@pytest.mark.parametrize("when", ["before the file", "before the commit"])
def test_killed_in_the_middle_loses_nothing(project: Project, when: str) -> None:
    def killed(what: str) -> None:
        line = [sys.executable, "-c", KILLED, str(project.db), str(project.file), what, when]
        assert subprocess.run(line, timeout=120, check=False).returncode == -signal.SIGKILL

    killed("accept")
    assert project.status == ["draft"]
    assert ("ERR-001" in project.file.read_text()) == (when == "before the commit")
    assert project.run("rules", "accept", "1", "--file", str(project.file)).code == 0
    assert project.file.read_text().count("### ERR-") == 1
    killed("undo")
    assert project.status == ["accepted"]
    assert project.run("undo").code == 0
    assert project.file.read_text() == MINE
    assert project.status == ["draft"]


def test_a_declined_plan_is_cut_and_whole_with_verbose(project: Project) -> None:
    plan = "Never push before the tests. " + "Then we go on with the next step. " * 40
    with open_store(project.db, write=True) as store, store.transaction() as con:
        con.execute("UPDATE rule_draft SET rule = ?", (plan.strip(),))
    cut, whole = (" ".join(project.run("rules", "drafts", *more).text.split()) for more in ((), ("--verbose",)))
    assert "Never push before the tests." in cut
    assert cut.count("next step") < 10
    assert f"{len(plan.strip()) - 280:,} more characters: casebook rules drafts --verbose" in cut
    assert whole.count("next step") >= 40
