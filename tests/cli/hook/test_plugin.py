"""`casebook plugin`: a folder that Claude Code and Codex install, by the schemas that both publish."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema.validators import validator_for

from core.base.fault import Fault
from core.flows.plugin import plugin_files, write_plugin_folder

Run = Callable[..., Any]
KNOWN = json.loads((Path(__file__).parents[2] / "data/agents/plugins.json").read_text("utf-8"))["files"]


def written(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_the_manifests_satisfy_the_published_schemas(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    report = json.loads(run("plugin", str(folder), "--json").out)
    assert report["schema_version"] == "plugin.v1"
    assert written(folder) == set(report["files"]) == set(report["written"])
    for name, known in KNOWN.items():
        validator_for(known["schema"])(known["schema"]).validate(json.loads((folder / name).read_text("utf-8")))
    versions = [json.loads((folder / "casebook" / name / "plugin.json").read_text("utf-8"))["version"]
        for name in (".claude-plugin", ".codex-plugin")]  # fmt: skip
    assert versions == [report["version"]] * 2


def test_the_skill_says_what_a_draft_is(run: Run, tmp_path: Path) -> None:
    assert run("plugin", str(tmp_path / "p")).code == 0
    text = (tmp_path / "p/casebook/skills/casebook/SKILL.md").read_text("utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    assert head.keys() == {"name", "description"}
    assert head["name"] == "casebook"
    assert len(head["description"]) <= 1_024
    for said in ("Search before you guess", "hypothesis", "`check`", "verified", "Say which fix you used"):
        assert said in text


def test_writing_again_changes_nothing_and_an_update_changes_the_version(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    first = json.loads(run("plugin", str(folder), "--json").out)
    assert json.loads(run("plugin", str(folder), "--json").out)["written"] == []
    again = json.loads(run("plugin", str(folder), "--db", str(tmp_path / "other.db"), "--json").out)
    assert again["version"] != first["version"]
    assert "casebook/hooks/hooks.json" in again["written"]


def test_a_folder_of_somebody_else_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.md").write_text("mine\n")
    done = run("plugin", str(tmp_path / "mine"))
    assert done.code == 2
    assert written(tmp_path / "mine") == {"notes.md"}


def test_a_run_that_could_not_write_is_repeated(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plugin"

    def refuse(*_: object, **__: object) -> int:
        raise Fault("io_error", "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("core.flows.plugin.write_file", refuse)
        with pytest.raises(Fault, match="No space"):
            write_plugin_folder(folder, ["casebook"])
    assert write_plugin_folder(folder, ["casebook"]).written


def test_hooks_in_the_settings_are_to_be_removed_first(run: Run, home: Path) -> None:
    assert "hooks uninstall" not in run("plugin").out.decode()
    assert run("hooks", "install", "--agent", "codex").code == 0
    said = run("plugin").out.decode()
    assert "casebook hooks uninstall --agent codex" in said
    assert "--agent claude-code" not in said
    assert "/hooks" in said
    assert ".." not in said


@pytest.mark.parametrize("mcp", [True, False])
def test_the_server_is_named_only_if_it_can_run(mcp: bool) -> None:
    files = plugin_files(["/usr/bin/python3", "-I", "-m", "agent_casebook"], mcp=mcp)
    assert ("casebook/.mcp.json" in files) is mcp
    assert ("mcpServers" in json.loads(files["casebook/.codex-plugin/plugin.json"])) is mcp
