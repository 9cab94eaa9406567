"""Scripts that Codex writes to call its tools (`exec`): the commands and patches in their string literals."""

from __future__ import annotations

import re
from typing import Any, Final

from core.transcripts.fields import string
from core.transcripts.json_line import parse

_LIMIT: Final = 200_000
_LITERAL: Final = r"""(?P<literal>"(?>(?:[^"\\\n]|\\.)*)"|'(?>(?:[^'\\\n]|\\.)*)'|`(?>(?:[^`\\]|\\.)*)`)"""
_COMMAND: Final = re.compile(rf"""(?<![\w.])["']?cmd["']?\s{{0,9}}:\s{{0,9}}{_LITERAL}""", re.DOTALL)
_FOLDER: Final = re.compile(rf"""(?<![\w.])["']?workdir["']?\s{{0,9}}:\s{{0,9}}{_LITERAL}""", re.DOTALL)
_LOOK: Final = re.compile(r"(?<![\w.])tools\.write_stdin\(")
_SESSION: Final = re.compile(r"""(?<![\w.])["']?session_id["']?\s{0,9}:\s{0,9}["']?(\d{1,12})\b""")
_PATCH: Final = "*** Begin Patch"
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_SIGNS: Final = {"n": "\n", "t": "\t", "r": "\r"}


def script_call(script: str) -> tuple[str, dict[str, Any]]:
    """The tool that a script calls, and its input: its commands, one a line, as `cmd`; its patch; the session of a
    running command that it looks at; else itself."""
    source = script[:_LIMIT]
    if "exec_command" in source:
        commands = [_value(found["literal"]) for found in _COMMAND.finditer(source)]
        folders = {_value(found["literal"]) for found in _FOLDER.finditer(source)}
        if commands:
            folder = {"workdir": folders.pop()} if len(folders) == 1 else {}
            return "exec", {"cmd": "\n".join(commands), **folder, "input": script}
    elif "apply_patch" in source and _PATCH in source:
        literal = _literal_at(source, len(source[: source.find(_PATCH)].rstrip()) - 1)
        if literal:
            return "apply_patch", {"input": _value(literal).lstrip()}
    elif _LOOK.search(source) and len(sessions := {found[1] for found in _SESSION.finditer(source)}) == 1:
        return "write_stdin", {"session_id": int(sessions.pop()), "input": script}
    return "exec", {"input": script}


def _literal_at(source: str, start: int) -> str:
    """The literal of JavaScript that a quote at `start` opens, with its quotes; empty where none does."""
    quote = source[start] if start >= 0 else ""
    end = start
    while quote and quote in "\"'`" and (end := source.find(quote, end + 1)) != -1:
        escapes = end
        while source[escapes - 1] == "\\":
            escapes -= 1
        if (end - escapes) % 2 == 0:
            return source[start : end + 1]
    return ""


def _value(literal: str) -> str:
    """What a literal of JavaScript says."""
    if literal.startswith('"'):
        try:
            return string(parse(literal.encode("utf-8", "surrogatepass")))
        except ValueError:
            pass
    return _ESCAPED.sub(lambda found: _SIGNS.get(found[1], found[1]), literal[1:-1])
