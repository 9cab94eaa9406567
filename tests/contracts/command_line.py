"""The grammar of the command line, read from the parser: argparse's own layout differs between Python versions."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from argparse import _SubParsersAction
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from cli.parser import build

SCHEMAS = Path(__file__).resolve().parents[2] / "core" / "schemas"
SHARED = "global options"
"""The group that every command has: described once, afterwards only named."""

_KINDS = {"_StoreAction": None, "_StoreTrueAction": "flag", "_AppendAction": "repeatable", "_SubParsersAction": None}


def commands() -> Iterator[tuple[list[str], argparse.ArgumentParser]]:
    """Every command and sub-command with its parser, in the order of the help."""

    def walk(words: list[str], parser: argparse.ArgumentParser) -> Iterator[tuple[list[str], argparse.ArgumentParser]]:
        yield words, parser
        for action in parser._actions:
            if isinstance(action, _SubParsersAction):
                for name, child in action.choices.items():
                    yield from walk([*words, name], child)

    return walk([], build())


def leaves() -> Iterator[tuple[list[str], argparse.ArgumentParser]]:
    """The commands that do something."""
    for words, parser in commands():
        if words and not any(isinstance(action, _SubParsersAction) for action in parser._actions):
            yield words, parser


def help_text(_folder: Path) -> str:
    """What `--help` says of every command: its words, without their layout."""
    text = "\n".join(line for words, parser in commands() for line in _command(words, parser))
    own = rf"{re.escape(shlex.quote(sys.executable))} -[-IEP ]+m agent_casebook"
    return re.sub(own, "/python -I -m agent_casebook", text)


def schemas_text(_folder: Path) -> str:
    """The SHA-256 of each JSON Schema by its file name."""
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in SCHEMAS.glob("*.json")}
    return "".join(f"{name} {found[name]}\n" for name in sorted(found))


def _command(words: list[str], parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"# {' '.join(['casebook', *words])}"
    yield f"prog: {parser.prog}"
    yield from _said("description", parser.description)
    for group in parser._action_groups:
        if group._group_actions:
            shared = words and group.title == SHARED
            yield f"group: {group.title}"
            for action in group._group_actions:
                yield from [f"  {action.option_strings[0]}"] if shared or action.dest == "help" else _argument(action)
    for exclusive in parser._mutually_exclusive_groups:
        names = [" ".join(action.option_strings) or action.dest for action in exclusive._group_actions]
        yield f"one of: {', '.join(names)}{' (required)' if exclusive.required else ''}"
    yield from _said("epilog", parser.epilog)
    yield ""


def _argument(action: argparse.Action) -> Iterator[str]:
    facts: dict[str, object] = {
        "metavar": action.metavar,
        "nargs": action.nargs,
        "choices": list(action.choices) if action.choices is not None else None,
        "default": None if action.default == argparse.SUPPRESS else action.default,
        "required": action.required or None,
        "kind": _KINDS.get(type(action).__name__, type(action).__name__),
    }
    said = " ".join(f"{name}={json.dumps(one, ensure_ascii=False)}" for name, one in facts.items() if one is not None)
    yield f"  {' '.join(action.option_strings) or action.dest}: {said}"
    if isinstance(action, _SubParsersAction):
        for one in action._choices_actions:
            yield f"    {one.dest}: {one.help}"
    yield from _said("    help", action.help)


def _said(name: str, text: str | None) -> Iterator[str]:
    if text:
        first, *rest = text.rstrip("\n").split("\n")
        yield f"{name}: {first}"
        yield from (f"  | {line}" if line else "  |" for line in rest)
