"""The grammar of the command line: the commands, the options they share, and which module knows the rest."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from core.base.fault import Fault
from core.base.lazy import lazy_pattern

if TYPE_CHECKING:
    from cli.context import Context


class Command(NamedTuple):
    """One command of the first level: its line in the help, and the module that adds its arguments (`add_to`)."""

    help: str
    module: str


COMMANDS: dict[str, Command] = {
    "demo": Command("open the workbench on sample transcripts", "cli.commands.demo"),
    "init": Command("write the first lessons of a repository for your team", "cli.commands.team.init"),
    "import": Command("import errors and fixes from agent transcripts", "cli.commands.importing"),
    "errors": Command("search, record, review and export errors and fixes", "cli.commands.errors.group"),
    "evidence": Command("check quotes against their transcripts", "cli.commands.evidence"),
    "rules": Command("show which rules apply to a tool call, and why", "cli.commands.rules"),
    "library": Command("search notes, documents and code, with line citations", "cli.commands.library.group"),
    "insights": Command("report failures, their cost, recurrences and fixes that helped", "cli.commands.insights"),
    "replay": Command("show the answers that casebook would have given in past sessions", "cli.commands.replay"),
    "team": Command("share lessons with your team through git or a server", "cli.commands.team.group"),
    "hook": Command("answer a hook payload from standard input", "cli.commands.hook"),
    "hooks": Command("install, uninstall or test the hooks of your agents", "cli.commands.agents.hooks"),
    "plugin": Command("write a plugin for Claude Code and Codex", "cli.commands.agents.plugin"),
    "mcp": Command("serve agents over the Model Context Protocol", "cli.commands.agents.mcp"),
    "models": Command("list, download, add, select and calibrate embedding models", "cli.commands.models.models"),
    "embed": Command("compute missing embeddings for semantic search", "cli.commands.models.embed"),
    "serve-model": Command(
        "keep an embedding model in memory for hooks and searches", "cli.commands.models.serve_model"
    ),
    "undo": Command("undo, redo or list changes", "cli.commands.undo"),
    "doctor": Command("check the installation and the casebook", "cli.commands.doctor"),
    "schema": Command("show capabilities, models, versions and JSON Schemas", "cli.commands.schema"),
    "config": Command("show settings and their sources", "cli.commands.config"),
    "db": Command("back up, restore or salvage the database", "cli.commands.db"),
    "completion": Command("print a completion script for your shell", "cli.commands.completion"),
    "man": Command("print the manual page", "cli.commands.man"),
}

GROUPS = {
    "use": ("demo", "import", "errors", "evidence", "rules", "library", "insights"),
    "curate": ("undo", "replay", "init", "team"),
    "agents": ("hooks", "plugin", "mcp", "hook", "schema"),
    "maintain": ("models", "embed", "serve-model", "doctor", "config", "db", "completion", "man"),
}
"""The commands as the help groups them."""

_MODULES = {name: command.module for name, command in COMMANDS.items()}
_ALONE = {"errors search": "cli.commands.errors.search"}
"""Sub-commands so frequent that a command line which begins with one is read by a module that adds no other."""

_EXAMPLES = """\
examples:
  casebook                                  open the workbench
  casebook demo                             open the workbench on sample transcripts
  casebook import auto                      import the transcripts of your agents
  npm test 2>&1 | casebook errors search    search for a known fix
  casebook errors search "EADDRINUSE: address already in use :::3000" --json

exit codes: 0 success, 1 no result or refused, 2 error, 3 failed check (doctor)
"""
_VALUED = ("--db", "--config")
_WRONG_WORD = lazy_pattern(r"argument (?P<argument>.*): invalid choice: (?P<given>.*) \(choose from (?P<known>.*)\)")
"""How argparse says that a word is none of those it knows; Python 3.14 quotes them no more."""
_NO_COMMAND = "the following arguments are required: COMMAND"
"""argparse's message for a group of commands without a command."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is a fault like any other, and that takes no abbreviations."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("formatter_class", _unseen)
        kwargs["allow_abbrev"] = False
        self.suggested: dict[str, Callable[[], Iterable[str]]] = {}
        self.stored: dict[str, str] = {}
        super().__init__(*args, **kwargs)  # pyright: ignore[reportArgumentType]

    def flag(self, *names: str) -> None:
        """Add an option without a value: its names, then what it does."""
        self.add_argument(*names[:-1], action="store_true", help=names[-1])

    def argument(
        self, *names: str, suggested: Callable[[], Iterable[str]] | None = None, stored: str = "", **how: Any
    ) -> None:
        """Add an option or argument with a value: its names, how the help calls the value, then what it does.

        `suggested`: the values that a shell completes, although others are allowed. `stored`: the kind of values of
        the casebook that a shell completes (case, project, tool).
        """
        action = self.add_argument(*names[:-2], metavar=names[-2], help=names[-1], **how)
        if suggested is not None:
            self.suggested[action.dest] = suggested
        if stored:
            self.stored[action.dest] = stored

    def format_help(self) -> str:
        """The help, as wide as the terminal."""
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        self.add_sections(formatter)
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def add_sections(self, formatter: argparse.HelpFormatter) -> None:
        """The groups of options and commands; the commands of the program in groups of their purpose."""
        for group in sorted(self._action_groups, key=lambda group: group.title != "commands"):
            actions = group._group_actions
            if group.title == "commands" and len(actions) == 1 and set(actions[0].choices or ()) == set(COMMANDS):
                named = {action.dest: action for action in getattr(actions[0], "_choices_actions", ())}
                sections = [(title, [named[name] for name in names]) for title, names in GROUPS.items()]
            else:
                sections = [(group.title, actions)]
            for title, shown in sections:
                formatter.start_section(title)
                formatter.add_arguments(shown)
                formatter.end_section()

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse does, but what cannot be written is no secret."""
        (sys.stderr if file is None else file).write(message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """As argparse does, but the named command reports extra arguments, not the program."""
        found, left = super().parse_known_args(args, namespace)
        if left:
            option = next((word for word in left if word.startswith("-")), "")
            meant = _suggestion(option.partition("=")[0], [*self._option_string_actions])
            raise Fault("invalid_input", f"unrecognized arguments: {' '.join(left)}", meant + self._see())
        return found, left

    def error(self, message: str) -> NoReturn:
        meant = ""
        if (wrong := _WRONG_WORD.fullmatch(message)) is not None:
            given, known = wrong["given"].strip("'"), [word.strip(" '") for word in wrong["known"].split(",")]
            meant = _suggestion(given, known)
            if wrong["argument"] == "COMMAND":
                message = f"unknown command {given!r}"
                meant = meant or _elsewhere(given)
        elif message == _NO_COMMAND:
            groups = [action for action in self._actions if isinstance(action, argparse._SubParsersAction)]
            message = f"missing command for {self.prog}: {', '.join(groups[0].choices)}"
        raise Fault("invalid_input", message.removeprefix("argument "), meant + self._see())

    def _see(self) -> str:
        return f"see {self.prog} --help"


def _suggestion(given: str, known: Sequence[str]) -> str:
    """The one of these words that was nearly written, as a question."""
    from difflib import get_close_matches

    near = get_close_matches(given, known, n=1, cutoff=0.7)
    return f"did you mean {near[0]!r}? " if near else ""


def _elsewhere(given: str) -> str:
    """The sub-commands with this name, as a question: a person left out the group."""
    found = [f"casebook {path}" for path in _paths(build(), "") if path.rpartition(" ")[2] == given]
    return f"did you mean {' or '.join(map(repr, found[:3]))}? " if found else ""


def _paths(parser: argparse.ArgumentParser, above: str) -> Iterator[str]:
    """The commands below this one, each with those above it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            children: Mapping[str, argparse.ArgumentParser] = action.choices
            for name, child in children.items():
                path = f"{above} {name}".lstrip()
                yield path
                yield from _paths(child, path)


_LARGEST = 2**63 - 1


def number(text: str) -> int:
    """An integer; the command checks its range. One that SQLite cannot hold becomes the largest it can: nothing has
    that number either."""
    try:
        return max(-_LARGEST, min(int(text), _LARGEST))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not an integer") from None


def path_name(text: str) -> str:
    """A file or a folder. An empty name, as of a variable that is not set, does not mean the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def _unseen(prog: str) -> argparse.HelpFormatter:
    """What every argument is tried with as it is added. The width of the terminal, which costs to ask for, is not."""
    return argparse.RawDescriptionHelpFormatter(prog, width=80)


def common() -> Parser:
    """The options every command takes, before or after its name: what was not given leaves no trace."""
    parser = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = parser.add_argument_group("global options")
    group.add_argument("--db", metavar="PATH", help="database file (default: your casebook)")
    group.add_argument("--config", metavar="FILE", type=path_name, help="settings file (default: your settings)")
    group.add_argument("--json", action="store_true", help="print JSON instead of text, and errors as JSON on stderr")
    group.add_argument("--verbose", action="store_true", help="show the full trace and progress")
    group.add_argument("--debug", action="store_true", help="show the traceback of an unexpected error")
    return parser


def command_named(argv: Sequence[str]) -> str | None:
    """The command that a command line names: its first word that is neither an option nor an option's value."""
    skip = False
    for word in argv:
        if skip:
            skip = False
        elif word in _VALUED:
            skip = True
        elif not word.startswith("-"):
            return word
    return None


def build_for(argv: Sequence[str], named: str | None) -> Parser:
    """The parser for one command line that names this command: only what it needs of the grammar is there."""
    if named not in COMMANDS:
        return build({})
    begin = " ".join(argv[:2])
    return build({named: _ALONE.get(begin, COMMANDS[named].module)}, only=argv[0] == named)


def build(modules: Mapping[str, str] = _MODULES, *, only: bool = False) -> Parser:
    """The parser, with the arguments of these commands filled in, each by its module; no other module is imported.

    `only`: the others are not even named, for a command line that asks for none of them, nor for the list of all.
    """
    shared = common()
    parser = Parser(
        prog="casebook",
        description="Terminal workbench for errors and fixes of coding agents. If you pass no command, it opens.",
        epilog=_EXAMPLES,
        parents=[shared],
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument("--ascii", action="store_true", help="open the workbench with ASCII characters only")
    # Given its name, argparse need not format a usage line to find it, which loads modules nobody else wants.
    children = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=Parser, prog=parser.prog
    )
    for name in modules if only else COMMANDS:
        command = COMMANDS[name]
        child = children.add_parser(name, help=command.help, description=_sentence(command.help), parents=[shared])
        if name in modules:
            importlib.import_module(modules[name]).add_to(child, shared)
    return parser


Run: TypeAlias = "Callable[[argparse.Namespace, Context], int]"


class Group:
    """The sub-commands of a command, which take the shared options too; one must be given."""

    def __init__(self, parser: argparse.ArgumentParser, shared: Parser, dest: str) -> None:
        self._shared = shared
        self._children = parser.add_subparsers(
            dest=dest, metavar="COMMAND", title="commands", required=True, parser_class=Parser, prog=parser.prog
        )

    def leaf(self, name: str, about: str, run: Run | str, epilog: str = "") -> Parser:
        """One sub-command. `run` as `module:function` is imported when the command runs."""
        leaf = self._children.add_parser(
            name, help=about, description=_sentence(about), epilog=epilog, parents=[self._shared]
        )
        leaf.set_defaults(run=_run_later(run) if isinstance(run, str) else run)
        return leaf


def _run_later(place: str) -> Run:
    module, _, name = place.partition(":")

    def run(args: argparse.Namespace, context: Context) -> int:
        return getattr(importlib.import_module(module), name)(args, context)

    return run


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith("?") else ".")
