"""casebook's hooks in an agent's settings: only its own block changes, byte for byte."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.fault import Fault
from core.flows.hook.agents.forms import CURSOR, FORMS
from core.flows.hook.agents.status import install_hooks, uninstall_all_hooks
from core.flows.hook.registration import (
    EVENTS,
    add_hooks,
    command_line,
    install,
    registered,
    remove_hooks,
    status,
    uninstall,
)

COMMAND = "/opt/bin/casebook hook"
OTHER = {"matcher": "Edit", "hooks": [{"type": "command", "command": "gofmt -w"}]}

_value = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_settings = st.builds(
    lambda rest, hooks: rest | ({"hooks": hooks} if hooks else {}),
    st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), _value, max_size=4),
    st.dictionaries(
        st.sampled_from([*EVENTS, "Stop", 'odd"key']), st.lists(st.just(OTHER), min_size=1, max_size=2), max_size=3
    ),
)
_style = st.sampled_from(
    [{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}, {"indent": 0}]
)


@given(_settings, _style, st.sampled_from(["", "\n", "\n\n  "]), st.booleans(), st.booleans())
def test_taking_the_hooks_out_again_leaves_every_byte_as_it_was(
    settings: dict[str, Any], style: dict[str, Any], end: str, crlf: bool, bom: bool
) -> None:
    text = json.dumps(settings, ensure_ascii=False, **style) + end
    text = ("\ufeff" if bom else "") + (text.replace("\n", "\r\n") if crlf else text)
    there = install(text, "settings.json", COMMAND)
    assert registered(there, "settings.json", COMMAND).complete
    assert json.loads(there.lstrip("\ufeff")).keys() - {"hooks"} == settings.keys() - {"hooks"}
    if settings:
        assert uninstall(there, "settings.json") == text
    else:
        assert json.loads(uninstall(there, "settings.json").lstrip("\ufeff")) == {}


@given(_settings, _style)
def test_installing_twice_changes_nothing_more(settings: dict[str, Any], style: dict[str, Any]) -> None:
    once = install(json.dumps(settings, **style), "settings.json", COMMAND)
    assert install(once, "settings.json", COMMAND) == once


def test_another_path_to_casebook_takes_the_place_of_the_old_one() -> None:
    moved = install(install("{}", "s", "casebook hook"), "s", COMMAND)
    assert moved.count(COMMAND) == len(EVENTS)
    assert '"casebook hook"' not in moved


def test_groups_that_call_more_than_casebook_are_somebody_elses() -> None:
    mixed = {"hooks": [{"type": "command", "command": "casebook hook"}, {"type": "command", "command": "say done"}]}
    text = json.dumps({"hooks": {"PostToolUse": [mixed]}})
    assert json.loads(uninstall(text, "s")) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n  "a": 1,\n}', "s:3:"),
        ('{\n  // why\n  "a": 1\n}', "s:2: a comment"),
        ('{\n  "a": 1, /* no */\n  "b": 2\n}', "s:2: a comment"),
        ('{"a": 1', "s:1:"),
        ("[]", "s:1: the settings are not a JSON object"),
        ('{\n"hooks": []}', "s:2: hooks is not an object"),
        ('{\n"hooks": {\n"PostToolUse": {}}}', "s:3: hooks.PostToolUse is not a list"),
        ('{"hooks": {}, "hooks": {}}', "duplicate key 'hooks'"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(Fault, match="s") as caught:
        install(text, "s", COMMAND)
    assert said in caught.value.message


def test_the_file_is_backed_up_and_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"model": "x"}')
    path.chmod(0o640)
    report = add_hooks(path, COMMAND)
    assert report.changed
    assert report.installed
    assert report.backup is not None
    assert Path(report.backup).read_text() == '{"model": "x"}'
    assert path.stat().st_mode & 0o777 == 0o640
    assert not add_hooks(path, COMMAND).changed
    assert remove_hooks(path, COMMAND).changed
    assert path.read_text() == '{"model": "x"}'


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    real.write_text("{}")
    link.symlink_to(real)
    add_hooks(link, COMMAND)
    assert link.is_symlink()
    assert status(real, COMMAND).installed


def test_a_file_that_held_only_the_hooks_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    add_hooks(path, COMMAND)
    report = remove_hooks(path, COMMAND)
    assert (report.changed, report.installed, report.backup) == (True, False, None)
    assert list(tmp_path.iterdir()) == []
    real, link = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    real.write_text("{}")
    link.symlink_to(real)
    add_hooks(link, COMMAND)
    assert remove_hooks(link, COMMAND).changed
    assert (link.is_symlink(), json.loads(real.read_text())) == (True, {})


@pytest.mark.parametrize("before", ["{}", "{}\n", ""])
def test_a_file_that_casebook_did_not_create_stays(tmp_path: Path, before: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(before)
    add_hooks(path, COMMAND)
    remove_hooks(path, COMMAND)
    assert json.loads(path.read_text()) == {}

    path.write_text(install("", "settings.json", COMMAND))  # a file from a folder of dotfiles
    remove_hooks(path, COMMAND)
    assert json.loads(path.read_text()) == {}


def test_a_file_created_twice_is_removed_twice(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for _ in range(2):
        add_hooks(path, COMMAND)
        add_hooks(path, f"{COMMAND} --agent x")
        remove_hooks(path, COMMAND)
        assert not path.exists()
    path.write_text(install("", "settings.json", COMMAND))
    remove_hooks(path, COMMAND)
    assert path.exists()


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "none" / "settings.json"
    assert add_hooks(path, COMMAND, dry=True).diff
    assert not path.parent.exists()


def test_a_broken_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b'{"a": \xff}')
    with pytest.raises(Fault, match="not UTF-8"):
        add_hooks(path, COMMAND)
    assert path.read_bytes() == b'{"a": \xff}'
    assert [item.name for item in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.parametrize("tool", ["Bash", "Edit", "Write", "Task", "Agent", "mcp__db__query"])
def test_calls_that_do_something_are_heard_of_before_they_are_made(tool: str) -> None:
    """`Task` is called `Agent` by newer agents."""
    matcher = EVENTS["PreToolUse"]
    assert matcher is not None and re.fullmatch(matcher, tool)
    assert not re.fullmatch(matcher, "Read")


OLD = (
    "casebook hook",
    "/opt/my tools/casebook hook --db /a",
    "'/opt/x y/python' -P -m cli.main hook",
    "casebook.exe hook",
)


@pytest.mark.parametrize("old", OLD)
def test_an_older_line_is_recognised_upgraded_where_it_is_and_taken_out(old: str) -> None:
    new = command_line(["/opt/my tools/python", "-I", "-m", "agent_casebook"], ["--db", "/a b/c.db"])
    text = install(json.dumps({"hooks": {"PreToolUse": [OTHER]}}, indent=2), "s", old)
    text = text.replace('"gofmt -w"\n', '"gofmt -w"  \n')  # as nobody but a person writes it
    found = registered(text, "s", new)
    assert (set(found.events), found.complete) == (set(EVENTS), False)
    upgraded = install(text, "s", new)
    assert registered(upgraded, "s", new).complete
    assert upgraded == text.replace(json.dumps(old), json.dumps(new))
    assert uninstall(upgraded, "s") == uninstall(text, "s")


def test_an_old_line_beside_the_new_one_goes() -> None:
    both = json.loads(install("{}", "s", COMMAND))
    for groups in both["hooks"].values():
        groups.insert(0, json.loads(json.dumps(groups[0]).replace(COMMAND, "casebook hook")))
    text = json.dumps(both)
    assert not registered(text, "s", COMMAND).complete
    assert json.loads(install(text, "s", COMMAND)) == json.loads(install("{}", "s", COMMAND))


def test_the_line_exits_0_and_says_nothing_once_the_interpreter_or_casebook_is_gone(tmp_path: Path) -> None:
    gone = command_line([str(tmp_path / "it's gone" / "python"), "-I", "-m", "agent_casebook"])
    bare = command_line([sys.executable, "-I", "-S", "-m", "agent_casebook"])  # an interpreter without casebook
    for line in (gone, bare):
        done = subprocess.run(["sh", "-c", line], input=b"{}", capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), line


@pytest.mark.parametrize("before", ['{"version": 1, "hooks": {}}', '{"version": 1, "hooks": {\n}, "mine": 1}\n'])
def test_a_file_with_a_version_that_casebook_did_not_create_stays(tmp_path: Path, before: str) -> None:
    path, link = tmp_path / "dotfiles.json", tmp_path / "hooks.json"
    path.write_text(before)
    link.symlink_to(path)
    for place in (path, link):
        add_hooks(place, COMMAND, CURSOR)
        assert remove_hooks(place, COMMAND, CURSOR).changed
        assert json.loads(path.read_text()) == json.loads(before)
    assert link.is_symlink()
    own = tmp_path / "own.json"
    add_hooks(own, COMMAND, CURSOR)
    remove_hooks(own, COMMAND, CURSOR)
    assert not own.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    os.mkfifo(path)
    for act in (add_hooks, remove_hooks, status):
        with pytest.raises(Fault, match="not a regular file"):
            act(path, COMMAND)


def test_one_agent_whose_file_cannot_be_removed_does_not_keep_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for agent in ("codex", "gemini", "opencode"):
        install_hooks(FORMS[agent], FORMS[agent].path({}), ["/opt/bin/casebook"])
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path.name in ("hooks.json", "casebook.js"):
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    report = uninstall_all_hooks(["/opt/bin/casebook"], [], {})
    assert [(one.agent, bool(one.fault)) for one in report.agents] == [
        ("codex", True), ("gemini", False), ("opencode", True),
    ]  # fmt: skip
    assert not FORMS["gemini"].path({}).exists()
