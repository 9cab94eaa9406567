"""`casebook man`: the manual page, made from the parser itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from cli.context import Context
from cli.parser import COMMANDS, GROUPS, Parser, build
from core.base.program import VERSION

_EPILOG = """\
to read:     casebook man | man -l -
to install:  casebook man > ~/.local/share/man/man1/casebook.1
"""
_VARIABLES = (
    ("CASEBOOK_SECTION_KEY", "A setting, for example CASEBOOK_STORE_PATH. casebook config show lists all settings."),
    ("NO_COLOR", "No color, unless it is empty."),
    ("FORCE_COLOR, CLICOLOR_FORCE", "Color also in a pipe or a file."),
    ("COLUMNS", "The width, also in a pipe or a file."),
    ("PAGER", "On a terminal, shows a result that is longer than the screen."),
)
_CODES = (
    ("0", "Success."),
    ("1", "Nothing found, nothing to import, or casebook refused the action."),
    ("2", "Error."),
    ("3", "A check of doctor failed."),
    ("130", "Stopped with Ctrl-C."),
)
_FILES = (
    ("~/.local/share/casebook", "The casebook and its backups (XDG_DATA_HOME)."),
    ("~/.config/casebook", "Settings (XDG_CONFIG_HOME)."),
    ("~/.local/state/casebook", "The log (XDG_STATE_HOME)."),
    ("~/.cache/casebook", "Models (XDG_CACHE_HOME)."),
)


def add_to(parser: Parser, shared: Parser) -> None:
    parser.set_defaults(run=run_man, bare=True)
    parser.epilog = _EPILOG


def run_man(args: argparse.Namespace, context: Context) -> int:
    """`man`: the page on stdout, for a program that formats roff."""
    for line in _page(build()):
        sys.stdout.write(line + "\n")
    return 0


def _page(parser: Parser) -> Iterator[str]:
    yield f'.TH CASEBOOK 1 "" "casebook {VERSION}" "User Commands"'
    yield ".SH NAME"
    yield "casebook \\- errors and fixes of coding agents"
    yield ".SH SYNOPSIS"
    yield ".B casebook"
    yield "[options] [command]"
    yield ".SH DESCRIPTION"
    yield _text(parser.description or "")
    yield ".SH OPTIONS"
    for action in parser._actions:
        if action.option_strings:
            yield from _action(action)
    children = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction)).choices
    for title, names in GROUPS.items():
        yield f".SH {title.upper()} COMMANDS"
        for name in names:
            yield from _command(children[name], COMMANDS[name].help)
    for title, rows in (("ENVIRONMENT", _VARIABLES), ("EXIT STATUS", _CODES), ("FILES", _FILES)):
        yield f".SH {title}"
        for name, about in rows:
            yield from _entry(f"\\fB{_escaped(name)}\\fR", about)


def _command(parser: Parser, about: str) -> Iterator[str]:
    """A command and its sub-commands, each with its own arguments: the global options stand once, above."""
    yield f'.SS "{_escaped(parser.prog)}"'
    yield _text(about[:1].upper() + about[1:] + ".")
    shared = {
        action for group in parser._action_groups if group.title == "global options" for action in group._group_actions
    }
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            abouts = {str(one.dest): one.help or "" for one in action._choices_actions}
            for name, child in action.choices.items():
                yield from _command(child, abouts[name])
        elif action not in shared and action.dest != "help" and action.help != argparse.SUPPRESS:
            yield from _action(action)
    if parser.epilog and parser.prog.count(" ") == 1:
        yield ".PP"
        yield ".nf"
        yield from (_text(line) for line in parser.epilog.rstrip().split("\n"))
        yield ".fi"


def _action(action: argparse.Action) -> Iterator[str]:
    value = action.metavar if isinstance(action.metavar, str) else "|".join(map(str, action.choices or ()))
    names = ", ".join(f"\\fB{_escaped(name)}\\fR" for name in action.option_strings)
    shown = f"\\fI{_escaped(value or action.dest.upper())}\\fR" if action.nargs != 0 else ""
    yield from _entry(" ".join(filter(None, (names, shown))), (action.help or "").replace("%%", "%"))


def _entry(head: str, about: str) -> Iterator[str]:
    yield ".TP"
    yield head
    yield _text(about)


def _text(text: str) -> str:
    """A line of text; roff takes one that begins with a dot or a quote for a request."""
    line = _escaped(text.rstrip())
    return f"\\&{line}" if line.startswith((".", "'")) else line


def _escaped(text: str) -> str:
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return "".join(sign if sign.isascii() else f"\\[u{ord(sign):04X}]" for sign in plain)
