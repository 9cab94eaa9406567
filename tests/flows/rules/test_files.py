"""Which rule files are found without being named: the user's own, the project's, and nothing outside of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.base.config.settings import RuleSettings
from core.base.fault import Fault
from core.flows.rules.files import named_files, no_files, rule_files, untrusted_files

RULES = RuleSettings()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("USERPROFILE", str(place))
    _file(place / ".claude" / "memory.md")
    return place


def _file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("### ERR-001: a\n", encoding="utf-8")
    return path


def test_the_users_own_comes_first_then_the_projects_from_anywhere_in_it(home: Path) -> None:
    project = home / "work" / "shop"
    inside = project / "src" / "api"
    inside.mkdir(parents=True)
    (project / ".git").mkdir()
    own = _file(project / ".claude" / "memory.md")
    assert rule_files(RULES, inside) == ((home / ".claude" / "memory.md", "global"), (own, "project"))
    assert rule_files(RULES) == ((home / ".claude" / "memory.md", "global"),)


def test_the_home_folder_is_no_project_and_a_project_ends_at_git(home: Path) -> None:
    (home / "notes").mkdir()
    assert [scope for _, scope in rule_files(RULES, home / "notes")] == ["global"]
    _file(home / "work" / ".claude" / "memory.md")
    inner = home / "work" / "lib"
    (inner / ".git").mkdir(parents=True)
    assert [scope for _, scope in rule_files(RULES, inner)] == ["global"]


def test_an_instruction_file_is_a_rule_file_if_it_has_a_rule_with_an_id(home: Path) -> None:
    project = home / "work" / "shop"
    (project / ".git").mkdir(parents=True)
    (project / "CLAUDE.md").write_text("- Never use `npm`.\n", encoding="utf-8")
    (home / ".codex").mkdir()
    (home / ".codex" / "AGENTS.md").write_text("Be brief.\n", encoding="utf-8")
    own = (home / ".claude" / "memory.md", "global")
    assert rule_files(RULES, project) == (own,)
    _file(project / "CLAUDE.md")
    _file(project / ".claude" / "rules" / "git.md")
    _file(home / ".codex" / "AGENTS.md")
    assert rule_files(RULES, project / "src") == (
        own,
        (home / ".codex" / "AGENTS.md", "global"),
        (project / "CLAUDE.md", "project"),
        (project / ".claude" / "rules" / "git.md", "project"),
    )


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_an_instruction_file_that_leads_out_of_the_project_is_not_read(home: Path, tmp_path: Path) -> None:
    project = home / "work"
    (project / ".git").mkdir(parents=True)
    (project / "CLAUDE.md").symlink_to(_file(tmp_path / "elsewhere.md"))
    assert [scope for _, scope in rule_files(RULES, project)] == ["global"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_projects_file_that_leads_out_of_it_is_not_read(home: Path, tmp_path: Path) -> None:
    project = home / "work"
    (project / ".claude").mkdir(parents=True)
    (project / ".git").mkdir()
    (project / ".claude" / "memory.md").symlink_to(_file(tmp_path / "elsewhere.md"))
    assert [scope for _, scope in rule_files(RULES, project)] == ["global"]


@pytest.mark.parametrize("name", ["/etc/rules.md", "../rules.md", "~/rules.md"])
def test_a_projects_file_is_named_within_the_project(home: Path, name: str) -> None:
    with pytest.raises(Fault, match="not a relative path"):
        rule_files(RuleSettings(project_files=name), home / "work")


def test_several_files_are_separated_as_in_path_and_none_counts_twice(home: Path) -> None:
    more = _file(home / "rules" / "b.md")
    files = RuleSettings(files=os.pathsep.join(["~/.claude/memory.md", "rules/b.md", str(more), "absent.md"]))
    assert [path for path, _ in rule_files(files)] == [home / ".claude" / "memory.md", more]
    assert rule_files(RuleSettings(files="", project_files=""), home / "rules") == ()


def test_of_several_named_files_the_first_is_the_users_own() -> None:
    assert [scope for _, scope in named_files(["a.md", "b.md"])] == ["global", "project"]
    assert [scope for _, scope in named_files(["a.md"])] == ["project"]


def test_a_file_that_is_named_twice_is_one(tmp_path: Path) -> None:
    one, other = _file(tmp_path / "one.md"), _file(tmp_path / "other.md")
    (tmp_path / "link.md").symlink_to(one)
    assert named_files([str(one), str(tmp_path / "link.md")]) == ((one, "project"),)
    found = named_files([str(one), str(other), str(one)])
    assert found == ((one, "global"), (other, "project"))
    loop = tmp_path / "loop.md"
    loop.symlink_to(loop)
    assert named_files([str(loop), str(one)])[0][0] == loop


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("kind", ["folder", "pipe", "link to itself", "link to nowhere"])
def test_what_stands_in_the_place_of_the_users_own_and_is_no_file_is_told(home: Path, kind: str) -> None:
    assert no_files(RULES) == ()
    place = home / ".claude" / "memory.md"
    place.unlink()
    assert no_files(RULES) == ()
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(place if kind == "link to itself" else home / "gone.md")
    assert rule_files(RULES) == ()
    assert no_files(RULES) == (f"skipped rules of {place}: not a file",)


@pytest.mark.skipif(os.name == "nt", reason="rights are others there")
@pytest.mark.parametrize("shared", [".claude/memory.md", ".claude", ""])
def test_a_projects_file_that_everyone_can_write_is_not_read_but_named(home: Path, shared: str) -> None:
    project = home / "shop"
    rules = _file(project / ".claude" / "memory.md")
    settings = RuleSettings(files="")
    assert rule_files(settings, project) == ((rules, "project"),)
    (project / shared).chmod(0o777)
    assert rule_files(settings, project / "deep" / "down") == ()
    ((path, told),) = untrusted_files(settings, project)
    assert path == rules
    assert "everyone can write" in told
    assert "rules.trust" in told
    assert no_files(settings, project) == (told,)
    for trusted in (rules, project):
        assert rule_files(RuleSettings(files="", trust=str(trusted)), project) == ((rules, "project"),)


@pytest.mark.skipif(os.name == "nt", reason="rights are others there")
def test_a_file_of_another_user_is_not_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = home / ".claude" / "memory.md"
    assert rule_files(RULES) == ((own, "global"),)
    if os.geteuid() == 0:
        os.chown(own, 65534, 65534)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: own.stat().st_uid + 1)
    assert rule_files(RULES) == ()
    assert "belongs to another user" in untrusted_files(RULES)[0][1]
    assert rule_files(RuleSettings(trust="~/.claude")) == ((own, "global"),)


@pytest.mark.skipif(os.name == "nt", reason="rights are others there")
def test_the_search_for_a_projects_file_does_not_go_above_a_shared_folder(home: Path) -> None:
    _file(home / "all" / ".claude" / "memory.md")
    shared = home / "all" / "tmp"
    (shared / "mine").mkdir(parents=True)
    assert rule_files(RuleSettings(files=""), shared / "mine")
    shared.chmod(0o1777)
    assert rule_files(RuleSettings(files=""), shared / "mine") == ()
    assert untrusted_files(RuleSettings(files=""), shared / "mine") == ()
