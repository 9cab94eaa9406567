"""`casebook evidence`: are the quotes there? Of an extraction in files, or of a session in the casebook."""

from __future__ import annotations

import argparse

from cli.commands.evidence.input import align_settings, read_from
from cli.commands.evidence.review import add_review, run_align_session
from cli.context import Context
from cli.parser import Parser, add_group, add_leaf, path_name
from core.base.fault import Fault

_EXAMPLES = """\
examples:
  casebook evidence align --messages messages.json --extracted entries.json
  casebook evidence align --messages messages.json --extracted - --json < entries.json
  casebook evidence align --session 0f3c4143

messages: a JSON array of texts, or of {"role", "text"}
extracted: {"entries": [{"entryId", "type", "title", "evidence": [{"messageIndex", "quote"}]}]}

exit codes: 0 every entry is aligned, 1 a quote is not, 2 error
"""


def add_to(parser: argparse.ArgumentParser, shared: Parser) -> None:
    """The sub-commands and their arguments."""
    children = add_group(parser, "evidence_command")
    align = add_leaf(children, shared, "align", "are these quotes in these messages?", _EXAMPLES)
    align.add_argument("--messages", metavar="FILE", type=path_name, help="the messages of one session, as JSON")
    align.add_argument("--extracted", metavar="FILE", type=path_name, help="the entries with their quotes, as JSON")
    align.add_argument("--session", metavar="ID", help="instead: the stored entries of this imported session")
    align.add_argument("--again", action="store_true", help="with --session: also what was found before")
    align.add_argument("--guard", choices=("strict", "normal", "off"), help="what is flagged (default: the settings')")
    align.set_defaults(run=run_align)
    add_review(children, shared)


def run_align(args: argparse.Namespace, context: Context) -> int:
    """`evidence align`: every quote with its place, or the reason why it has none. Needs no casebook."""
    if args.session is not None or args.again:
        return run_align_session(args, context)
    if args.messages is None or args.extracted is None:
        raise Fault("invalid_input", "nothing to align was named", "give --messages and --extracted, or --session ID")
    from cli.format.evidence import alignment_lines
    from core.align import align, read_extracted, read_messages

    if args.messages == "-" and args.extracted == "-":
        raise Fault("invalid_input", "messages and entries cannot both be read from stdin", "name a file for one")
    messages = read_from(args.messages, read_messages)
    extracted = read_from(args.extracted, read_extracted)
    found = align(messages, extracted, align_settings(context, args.guard))
    context.out.result(found, alignment_lines(context.out, found, extracted))
    return 0 if found.evidence_aligned else 1
