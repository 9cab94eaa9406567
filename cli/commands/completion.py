"""`casebook completion`: a script that completes commands, options and choices, made from the parser itself.

Case ids, projects and tools are completed by `casebook completion --values KIND PREFIX`, which the scripts run.
By hand rather than with shtab: what is needed fits in this file, and it costs no dependency.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cli.context import Context, context_for
from cli.format.layout import clip
from cli.parser import Parser, build
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.errors.cases.completions import Kind

_SHELLS = ("bash", "zsh", "fish")
_ABOUT = 60
"""Cells of an error behind the id of its case."""

_FISH = "(casebook completion --values {} (commandline -ct) 2>/dev/null)"
"""How fish asks for values of the casebook."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word that may follow: what it is for, whether a value follows it, and which.

    `stored`: the kind of values of the casebook that follow it.
    """

    name: str
    about: str
    valued: bool = False
    choices: tuple[str, ...] = ()
    stored: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """One place in the grammar (`/errors/search`) and the words that may follow there.

    `stored`: the kind of values of the casebook that its argument takes.
    """

    path: str
    words: tuple[Word, ...]
    stored: str = ""


def add_to(parser: Parser, shared: Parser) -> None:
    parser.argument("shell", "SHELL", "bash, zsh or fish", choices=_SHELLS, nargs="?")
    parser.add_argument("--values", nargs=2, metavar=("KIND", "PREFIX"), help=argparse.SUPPRESS)
    parser.set_defaults(run=run_completion, bare=True)
    parser.epilog = (
        "to install:\n"
        '  bash   eval "$(casebook completion bash)"   in ~/.bashrc\n'
        '  zsh    eval "$(casebook completion zsh)"    in ~/.zshrc, after compinit\n'
        "  fish   casebook completion fish > ~/.config/fish/completions/casebook.fish\n"
    )


def run_completion(args: argparse.Namespace, context: Context) -> int:
    """`completion`: the script on stdout. `--values`: what the script asks for, never a fault."""
    if args.values is not None:
        with suppress(Exception):  # a person who presses tab must not read an error
            for line in _values(args, context, *args.values):
                sys.stdout.write(line + "\n")
        return 0
    if args.shell is None:
        raise Fault("invalid_input", "no shell given", f"use one of: {', '.join(_SHELLS)}")
    places = tuple(_walk(build(), ""))
    sys.stdout.write({"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell](places))
    return 0


def _values(args: argparse.Namespace, context: Context, kind: str, prefix: str) -> Iterator[str]:
    """Yield each value, and behind a tab what it is."""
    from core.errors.cases.completions import completions

    with context_for(args, context.out).store() as store:
        found = completions(store.con, cast("Kind", kind), prefix)
    for one in found:
        yield f"{one.value}\t{clip(one.about, _ABOUT)}" if one.about else one.value


def _walk(parser: Parser, path: str) -> Iterator[Place]:
    words: list[Word] = []
    below: list[Place] = []
    stored = ""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                words.append(Word(str(choice.dest), choice.help or ""))
            for name, child in action.choices.items():
                below.extend(_walk(child, f"{path}/{name}"))
            continue
        if action.help == argparse.SUPPRESS:
            continue
        choices = tuple(map(str, action.choices or parser.suggested.get(action.dest, tuple)()))
        kind = parser.stored.get(action.dest, "")
        if action.option_strings:
            words.append(Word(action.option_strings[-1], action.help or "", action.nargs != 0, choices, kind))
        else:
            words.extend(Word(choice, "") for choice in choices)
            stored = stored or kind
    yield Place(path, tuple(words), stored)
    yield from below


def _filled(shell: str, places: tuple[Place, ...], values: Iterator[str], words: Iterator[str]) -> str:
    """The script of a shell. `values`: its lines for options with a value, `words`: those for each place."""
    template = Path(__file__).parents[1] / "completion" / f"casebook.{shell}"
    joint = " " if shell == "fish" else "|"
    parts = {
        "PATHS": joint.join(place.path for place in places if place.path),
        "VALUES": "\n".join(values),
        "FREE": _free(places),
        "PLACES": "\n".join(words),
    }
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], template.read_text("utf-8"))


def _valued(places: tuple[Place, ...], choose: Callable[[Word], str]) -> Iterator[str]:
    for place in places:
        for word in place.words:
            if word.valued and word.choices:
                yield f'    "{place.path} {word.name}") {choose(word)}; return ;;'
            elif word.stored:
                yield f'    "{place.path} {word.name}") stored={word.stored} ;;'


def _bash(places: tuple[Place, ...]) -> str:
    def words() -> Iterator[str]:
        for place in places:
            stored = f' stored="${{stored:-{place.stored}}}"' if place.stored else ""
            yield f'    "{place.path}") words="{" ".join(word.name for word in place.words)}"{stored} ;;'

    values = _valued(places, lambda word: f'COMPREPLY=($(compgen -W "{" ".join(word.choices)}" -- "$cur"))')
    return _filled("bash", places, values, words())


def _free(places: tuple[Place, ...]) -> str:
    """Return a shell pattern for the options that take any value, in any position."""
    names = {word.name for place in places for word in place.words if word.valued and not word.choices}
    return "|".join(f'*" {name}"' for name in sorted(names))


def _zsh(places: tuple[Place, ...]) -> str:
    def words() -> Iterator[str]:
        for place in places:
            listed = " ".join(_quoted(f"{word.name}:{word.about}" if word.about else word.name) for word in place.words)
            stored = f" stored=${{stored:-{place.stored}}}" if place.stored else ""
            yield f'    "{place.path}") found=({listed}){stored} ;;'

    values = _valued(places, lambda word: f"compadd -- {' '.join(word.choices)}")
    return _filled("zsh", places, values, words())


def _fish(places: tuple[Place, ...]) -> str:
    return _filled("fish", places, iter(()), _fish_lines(places))


def _fish_lines(places: tuple[Place, ...]) -> Iterator[str]:
    paths = {place.path for place in places}
    for place in places:
        if place.stored:
            candidates = _FISH.format(place.stored)
            yield f"complete -c casebook -n '__casebook_at \"{place.path}\"' -k -f -a '{candidates}'"
        for word in place.words:
            head = f"complete -c casebook -n '__casebook_at \"{place.path}\"'"
            about = f" -d {_quoted(word.about)}" if word.about else ""
            if not word.name.startswith("-"):
                no_files = " -f" if f"{place.path}/{word.name}" in paths else ""
                yield f"{head}{no_files} -a {word.name}{about}"
                continue
            value = f" -x -a '{' '.join(word.choices)}'" if word.choices else " -r" if word.valued else ""
            value = f" -k -x -a '{_FISH.format(word.stored)}'" if word.stored else value
            flag = f"-l {word.name[2:]}" if word.name.startswith("--") else f"-s {word.name[1:]}"
            yield f"{head} {flag}{value}{about}"


def _quoted(text: str) -> str:
    """A word in single quotes; quotes and backslashes, which the shells treat differently, are left out."""
    return "'" + text.replace("'", "").replace("\\", "") + "'"
