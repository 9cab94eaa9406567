"""casebook as a plugin of Claude Code and Codex: one folder with hooks, the MCP server and a skill.

The folder is a marketplace of both agents that holds the one plugin `casebook`. Layout and fields: the plugin
references of code.claude.com and developers.openai.com, read in November 2026.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from core.base.atomic import make_parents, write_file
from core.base.fault import Fault
from core.base.program import VERSION
from core.flows.hook.agents.forms import CLAUDE_CODE, CODEX
from core.flows.hook.agents.status import hook_line
from core.transcripts.fields import fields

NAME: Final = "casebook"
_ABOUT: Final = "Search known errors and verified fixes before you debug."
_OWNER: Final = {"name": "casebook"}
_MANIFEST: Final = f"{NAME}/.claude-plugin/plugin.json"
SKILL: Final = "skill.md"
"""The skill's text, next to this module."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """The plugin folder (`plugin.v1`): its files below `path`, and those that were written now."""

    SCHEMA: ClassVar[str] = "plugin.v1"

    path: str
    version: str
    files: tuple[str, ...]
    written: tuple[str, ...]
    mcp: bool


def plugin_files(program: Sequence[str], options: Sequence[str] = (), *, mcp: bool = True) -> dict[str, str]:
    """The text of each file by its path. `program` is how this copy of casebook is started, with absolute paths.

    The version ends in a digest of the files: agents update a plugin only if its version changes.
    """
    hooks = {
        event: [CLAUDE_CODE.entry(event, hook_line(CLAUDE_CODE, program, options))] for event in CLAUDE_CODE.events
    }
    files: dict[str, Any] = {
        f"{NAME}/hooks/hooks.json": {"description": _ABOUT, "hooks": hooks},
        f"{NAME}/skills/{NAME}/SKILL.md": Path(__file__).with_name(SKILL).read_text("utf-8"),
    }
    if mcp:
        command, *words = program
        server = {"command": command, "args": [*words, *options, "mcp"]}
        files[f"{NAME}/.mcp.json"] = {"mcpServers": {NAME: server}}
    digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:8]
    files |= _manifests(f"{VERSION}+{digest}", mcp=mcp)
    return {path: one if isinstance(one, str) else json.dumps(one, indent=2) + "\n" for path, one in files.items()}


def _manifests(version: str, *, mcp: bool) -> dict[str, Any]:
    own = {"name": NAME, "version": version, "description": _ABOUT, "author": _OWNER, "license": "MIT"}
    own |= {"keywords": ["errors", "debugging", "memory"]}
    codex: dict[str, Any] = {**own, "skills": "./skills/"}
    if mcp:
        codex["mcpServers"] = "./.mcp.json"
    codex["interface"] = {
        "displayName": NAME,
        "shortDescription": _ABOUT,
        "longDescription": "Answers failed commands with fixes that worked before. Searches your records and notes.",
        "developerName": NAME,
        "category": "Developer Tools",
        "capabilities": ["Interactive", "Read"],
        "defaultPrompt": ["Search casebook for this error."],
    }
    local = {"source": "local", "path": f"./{NAME}"}
    policy = {"installation": "AVAILABLE", "authentication": "ON_INSTALL"}
    listed = {"name": NAME, "source": local, "policy": policy, "category": "Developer Tools"}
    return {
        _MANIFEST: own,
        f"{NAME}/.codex-plugin/plugin.json": codex,
        ".claude-plugin/marketplace.json": {
            "name": NAME,
            "owner": _OWNER,
            "description": _ABOUT,
            "plugins": [{"name": NAME, "source": f"./{NAME}", "description": _ABOUT, "version": version}],
        },
        ".agents/plugins/marketplace.json": {"name": NAME, "interface": {"displayName": NAME}, "plugins": [listed]},
    }


def write_plugin_folder(
    folder: Path, program: Sequence[str], options: Sequence[str] = (), *, mcp: bool = True
) -> Plugin:
    """Write or update the plugin in `folder`. Raises Fault, also for a folder that holds anything else."""
    files = plugin_files(program, options, mcp=mcp)
    _refuse_other(folder)
    written: list[str] = []
    for name, text in sorted(files.items(), key=lambda one: one[0] != _MANIFEST):  # by this one the folder is known
        path = folder / name
        if _read(path) != text:
            make_parents(path, "pass another folder")
            write_file(path, [text], replace=path.exists(), mode=stat.S_IRUSR | stat.S_IWUSR)
            written.append(name)
    left = folder / NAME / ".mcp.json"
    if not mcp and left.exists():
        left.unlink()
    return Plugin(str(folder), json.loads(files[_MANIFEST])["version"], tuple(files), tuple(written), mcp)


def _refuse_other(folder: Path) -> None:
    try:
        full = folder.is_dir() and any(not path.is_dir() for path in folder.rglob("*"))
        known = fields(json.loads(_read(folder / _MANIFEST) or "{}"))
    except (OSError, ValueError) as error:
        raise Fault("invalid_input", f"{folder} cannot be read: {error}", "pass another folder") from error
    if (full and known.get("name") != NAME) or (folder.exists() and not folder.is_dir()):
        raise Fault(
            "invalid_input", f"{folder} contains files that are not part of casebook's plugin", "pass an empty folder"
        )


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (FileNotFoundError, UnicodeDecodeError):
        return ""


def installation_steps(plugin: Plugin, installed: Mapping[str, bool]) -> list[str]:
    """What a person runs to install the plugin. `installed`: agents that have casebook's hooks in their settings, which
    would answer each event a second time."""
    steps: list[str] = []
    for form, install in (
        (CLAUDE_CODE, "claude plugin marketplace add {0} && claude plugin install casebook@casebook"),
        (CODEX, "codex plugin marketplace add {0} && codex plugin add casebook@casebook"),
    ):
        steps.append(f"{form.title}:")
        if installed.get(form.agent):
            steps.append(f"  casebook hooks uninstall --agent {form.agent}")
        steps.append("  " + install.format(plugin.path))
        steps += [f"  {form.note}"] if form.note else []
    return steps
