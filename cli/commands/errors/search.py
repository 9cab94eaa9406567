"""`casebook errors search`: the command that is run most, so it is read and answered without its siblings."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from cli.context import Context, fault_in, read_text_argument
from cli.parser import Group, Parser
from core.base.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.errors.retrieval.answer import SearchAnswer

_EXAMPLES = """\
examples:
  npm test 2>&1 | casebook errors search
  casebook errors search "error TS2304: Cannot find name 'foo'." --json
  casebook errors search -- "-bash: frobnicate: command not found"
  casebook errors search --jsonl < errors.jsonl      lines like {"text": "…"}
"""


def add_to(parser: Parser, shared: Parser) -> None:
    """The sub-command without its siblings."""
    add_search(Group(parser, shared, "errors_command"))


def add_search(children: Group) -> None:
    """The sub-command and its arguments."""
    search = children.leaf("search", "search for a known fix", run_search, _EXAMPLES)
    add_text(search)
    search.argument("--session", "ID", "session of the calling agent, to track whether the fix helps")
    search.flag("--no-count", "do not count this search as a use")
    search.add_argument(
        "--tiers",
        choices=("text", "all"),
        default="text",
        help="all: load the model for the vector tier. text (default): use the model only if it is already loaded",
    )


def add_text(parser: Parser) -> None:
    """The text that a command is about, or a stream of them."""
    parser.argument("text", "TEXT", "error output (default: stdin)", nargs="?")
    parser.flag("--jsonl", "read one JSON object per line from stdin, print one per line")


def run_search(args: argparse.Namespace, context: Context) -> int:
    """`errors search`: the known fix of one error, or of every error of a stream."""
    from core.errors import search
    from core.flows.practice.answer import here, with_practice

    count = context.settings.search.count and not args.no_count
    if args.jsonl:
        refuse_text(args)
        return 0 if _search_stream(context, count=count, tiers=args.tiers, session=args.session) else 2
    from cli.format.cases import answer_lines

    text, folder = read_text_argument(args.text, "error"), here()
    with _vectors(context, args.tiers) as vectors:

        def look(target: Any) -> SearchAnswer:
            return search(
                target, text, count=count, vectors=vectors, words=True, session=args.session, project=folder,
                received=_take_received,
            )  # fmt: skip

        answer = with_practice(context.database, look(context.database), folder)
        fault = fault_in(answer.trace)
        if fault is not None and answer.match is None:
            raise fault
        lines = answer_lines(context.out, answer)
        if answer.match is None and context.database.exists():
            answer, lines = _ask_team(context, answer, look, folder, vectors, lines)
    context.out.result(answer, lines)
    return 1 if answer.match is None else 0


def _ask_team(
    context: Context, here: SearchAnswer, look: Any, folder: str, vectors: Any, lines: Iterable[str]
) -> tuple[SearchAnswer, Iterable[str]]:
    """The answer with what the team's server knows, and the lines to show. What is known here is shown before."""
    from cli.format.cases import team_lines
    from core.flows.team.ask_server import with_team

    if not context.out.json:
        context.out.result(here, lines)
        sys.stdout.flush()
    answer = with_team(context.database, here, look, project=folder, vectors=vectors)
    return answer, team_lines(context.out, here, answer)


def _vectors(context: Context, tiers: str) -> Any:
    """What the vector tier searches with: `all` loads a model; else the model service is asked, if one answers."""
    from core.flows.system.vectors import vector_search

    return vector_search(context.settings.embedding, "process" if tiers == "all" else "service")


def _search_stream(context: Context, *, count: bool, tiers: Any, session: str | None) -> bool:
    """Use one connection for the whole stream, if there is a casebook; faults are reported by line."""
    from contextlib import ExitStack, suppress

    from cli.stream import run_stream, text_of
    from core.errors import search
    from core.flows.practice.answer import here, with_practice
    from core.store import open_store

    with ExitStack() as stack:
        target: Any = context.database
        with suppress(Fault):
            target = stack.enter_context(open_store(context.database, write=count))
        vectors = stack.enter_context(_vectors(context, tiers))

        folder = here()

        def answer(item: dict[str, Any]) -> object:
            def look(target: Any) -> SearchAnswer:
                return search(
                    target, text_of(item), count=count, vectors=vectors, words=True, session=session, project=folder,
                    received=_take_received,
                )  # fmt: skip

            found = look(target)
            fault = fault_in(found.trace)
            if fault is not None and found.match is None:
                raise fault
            if found.match is None and context.database.exists():
                from core.flows.team.ask_server import with_team

                found = with_team(context.database, found, look, project=folder, vectors=vectors)
            return with_practice(target, found, folder)

        return run_stream(answer)


def _take_received(*given: Any) -> Any:
    """Take over the lessons of a team about an error. Imported only if there are some."""
    from core.flows.team.ask_server import take_received

    return take_received(*given)


def refuse_text(args: argparse.Namespace) -> None:
    """Refuse a text argument together with a stream. Raises Fault invalid_input."""
    if args.text not in (None, "-"):
        raise Fault(
            "invalid_input", "--jsonl reads standard input and cannot be combined with TEXT", "omit one of them"
        )
