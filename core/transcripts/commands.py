"""Tool calls as text: the command of a shell tool, else its input as JSON; for people, a patch as a patch."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, cast

from core.base.lazy import text_tables
from core.transcripts.fields import fields, items, json_text

_TABLES = text_tables(__file__)
SHELL_TOOLS = frozenset(_TABLES["SHELL_TOOLS"].split())
"""Tools that run a command line, as the agents name them."""

_SERVED_SHELL = re.compile(
    r"mcp__.+__(?:bash|shell|terminal|exec|(?:run|execute|start)_(?:command|process|bash|shell|in_terminal))"
)
"""A shell that a tool server offers; its results carry no exit code."""

OWN_TOOLS = frozenset({"KillShell", "KillBash", "BashOutput", "TaskStop", "TaskOutput"})
"""Tools that mind the agent's own background work: when they fail, nothing of the project has."""

LOOKS_AT_RUNNING = frozenset({"write_stdin", "wait"})
"""Codex tools whose result is what a command that still runs has printed since."""

LOOKING_TOOLS = frozenset(_TABLES["LOOKING_TOOLS"].split())
"""Tools that look, plan or ask: when they fail, nothing of the project has."""

_SHELLS = ("bash", "sh", "zsh", "dash", "fish", "pwsh", "powershell", "cmd")
_RUN_FLAGS = frozenset({"-c", "-lc", "-ic", "-lic", "-command", "-Command", "/c", "/C"})


def is_served_shell(name: str) -> bool:
    """Whether a tool is a shell of a tool server (`mcp__workspace__bash`)."""
    return name.startswith("mcp__") and _SERVED_SHELL.fullmatch(name) is not None


def shell_command(name: str, tool_input: Mapping[str, Any]) -> str | None:
    """The command line that a shell tool ran (`bash -lc X` is X), or None where `name` is no shell tool."""
    if name not in SHELL_TOOLS and not is_served_shell(name):
        return None
    action = fields(tool_input.get("action"))
    for source in (tool_input, action):
        for key in ("command", "cmd"):
            value = source.get(key)
            if isinstance(value, str):
                return value
            if argv := items(value):
                return _from_argv([str(part) for part in argv])
    return None


def _from_argv(argv: list[str]) -> str:
    program = argv[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    if len(argv) >= 3 and program in _SHELLS and argv[-2] in _RUN_FLAGS:
        return argv[-1]
    return " ".join(argv)


_FIELDS: dict[str, str] = {
    "filePath": "file_path",
    "oldString": "old_string",
    "newString": "new_string",
    "oldText": "old_string",
    "newText": "new_string",
}
"""Fields of edits as some agents name them, each with the name that the rest of the program knows."""


def with_known_fields(tool_input: Mapping[str, Any]) -> Mapping[str, Any]:
    """A tool's input whose edits have the names of fields that Claude Code gives them; else the same one."""
    edits = items(tool_input.get("edits"))
    listed = any(_FIELDS.keys() & fields(one).keys() for one in edits)
    if not listed and not tool_input.keys() & _FIELDS.keys():
        return tool_input
    names = {key: _FIELDS[key] for key in tool_input.keys() & _FIELDS.keys() if _FIELDS[key] not in tool_input}
    found = {names.get(key, key): value for key, value in tool_input.items()}
    if listed:
        found["edits"] = [with_known_fields(inner) if (inner := fields(one)) else one for one in edits]
    return found


def call_text(name: str, tool_input: Mapping[str, Any]) -> str:
    """What a person reads of a tool call."""
    command = shell_command(name, tool_input)
    return json_text(dict(tool_input)) if command is None else command


Sign = Literal["", "+", "-", "@", ":"]
"""Added, removed, where in a file, a field's name; else plain."""

MOST = 400_000
"""Code points; a longer input is shown as it was sent."""
_COMPARED = 2_000
"""Lines of one change that are compared; in a longer one, all old lines precede all new ones."""
_PATCHES = ("*** Begin Patch", "diff --git ", "--- a/")


class CallLine(NamedTuple):
    """One line of it. `text` has its sign, as in a patch."""

    sign: Sign
    text: str


def call_lines(text: str) -> tuple[CallLine, ...]:
    """The lines of a call, from the text that a transcript's reader made of it. Never raises; split on newline only."""
    given = _input(text)
    return tuple(_plain(text) if given is None else _read_lines(given))


def _input(text: str) -> dict[str, Any] | None:
    """The input as it was sent, or None where the text is none: a command, say."""
    if len(text) > MOST or not text.startswith("{"):
        return None
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) and found else None


def _read_lines(given: dict[str, Any]) -> Iterator[CallLine]:
    rest = dict(given)
    name = next((key for key in ("file_path", "path", "notebook_path") if isinstance(rest.get(key), str)), None)
    edits = [rest, *(fields(one) for one in items(rest.get("edits")))]
    changes = [
        one for one in edits if isinstance(one.get("old_string"), str) and isinstance(one.get("new_string"), str)
    ]
    written = rest.get("content")
    if name is not None and (changes or isinstance(written, str)):
        yield CallLine("@", _line(str(rest.pop(name))))
        for number, one in enumerate(changes):
            if number:
                yield CallLine("@", "@@")
            yield from _change(str(one["old_string"]), str(one["new_string"]))
        if not changes:
            yield from (CallLine("+", f"+ {line}") for line in str(rest.pop("content")).split("\n"))
        for key in ("old_string", "new_string", "edits"):
            rest.pop(key, None)
    for key, value in rest.items():
        yield from _field(key, value)


def _field(key: str, value: object) -> Iterator[CallLine]:
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, list | dict) and value else None)
    if "\n" not in value:
        yield CallLine(":", f"{_line(key)}: {value}")
        return
    yield CallLine(":", f"{_line(key)}:")
    yield from _plain(value, "  ")


def _line(name: str) -> str:
    return name.replace("\n", " ")


def _plain(text: str, indent: str = "") -> Iterator[CallLine]:
    """A text by its lines; those of a patch with their signs."""
    patch = any(line.startswith(_PATCHES) for line in text.split("\n", 40)[:40])
    for line in text.split("\n"):
        sign: Sign = ""
        if patch and line.startswith(("***", "@@", "diff ", "---", "+++")):
            sign = "@"
        elif patch and line.startswith(("+", "-")):
            sign = "+" if line[0] == "+" else "-"
        yield CallLine(sign, indent + line)


def _change(old: str, new: str) -> Iterator[CallLine]:
    before, after = old.split("\n"), new.split("\n")
    if len(before) + len(after) > _COMPARED:
        steps = [("replace", 0, len(before), 0, len(after))]
    else:
        steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    for step, first, last, begin, end in steps:
        if step == "equal":
            yield from (CallLine("", f"  {line}") for line in before[first:last])
            continue
        yield from (CallLine("-", f"- {line}") for line in before[first:last])
        yield from (CallLine("+", f"+ {line}") for line in after[begin:end])
