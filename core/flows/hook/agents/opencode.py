"""casebook's plugin for opencode: a file of its own, which starts the hook after a tool and appends its answer."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from pathlib import Path

from core.base.fault import Fault
from core.base.managed_block import remove_file
from core.flows.hook.agents.forms import OPENCODE, TIMEOUT_S
from core.flows.hook.registration import HooksReport, read_settings, write_settings

MARK = "// casebook:hooks opencode. Written by `casebook hooks install --agent opencode`, which replaces this file.\n"


def plugin_text(command: Sequence[str]) -> str:
    """The plugin. `command` is what it starts, word by word, without a shell."""
    tools = OPENCODE.events["tool.execute.after"] or ""
    plugin = Path(__file__).with_suffix(".js").read_text("utf-8")
    body = plugin.replace("TOOLS", tools).replace("TIMEOUT", str(TIMEOUT_S * 1_000))
    return MARK + body.replace("COMMAND", json.dumps(list(command)))


def plugin_status(path: Path, command: Sequence[str]) -> HooksReport:
    """What the plugin file says. Raises Fault."""
    text = read_settings(path)
    events = tuple(OPENCODE.events) if text.startswith(MARK) else ()
    return HooksReport(str(path), text == plugin_text(command), events, agent=OPENCODE.agent)


def plugin_command(path: Path) -> list[str]:
    """The command that an installed plugin starts; empty if there is none."""
    line = next((one for one in read_settings(path).split("\n") if one.startswith("const command = ")), "")
    return json.loads(line.partition(" = ")[2]) if line else []


def write_plugin(path: Path, command: Sequence[str], *, dry: bool = False) -> HooksReport:
    """Write the plugin. Raises Fault, also for a file of this name that is not casebook's."""
    return _changed(path, plugin_text(command), command, dry=dry)


def remove_plugin(path: Path, command: Sequence[str], *, dry: bool = False) -> HooksReport:
    """Remove the plugin. Raises Fault as `write_plugin`."""
    return _changed(path, "", command, dry=dry)


def _changed(path: Path, new: str, command: Sequence[str], *, dry: bool) -> HooksReport:
    old = read_settings(path)
    if old and not old.startswith(MARK):
        raise Fault(
            "invalid_input",
            f"{path} was not written by casebook",
            "move the file to another folder, then run the command again",
        )
    lines = (old.splitlines(keepends=True), new.splitlines(keepends=True))
    diff = tuple(line.rstrip("\r\n") for line in difflib.unified_diff(*lines, str(path), str(path), n=2))
    events = tuple(OPENCODE.events) if new else ()
    changed = old != new and not dry
    if changed and new:
        write_settings(path, old, new)
    elif changed:
        remove_file(path)
    complete = new == plugin_text(command)
    return HooksReport(str(path), complete, events, changed, None, diff, OPENCODE.agent)
