"""`casebook demo`: a casebook of sample transcripts, in the workbench or, off a terminal, in plain text."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cli.commands.importing import report_lines
from cli.context import Context, open_workbench
from cli.format.cases import answer_lines, trace_lines
from cli.format.evidence import quote_lines
from cli.format.layout import clip, wrap
from cli.format.library import response_lines
from cli.format.rules import match_lines
from cli.output import Output
from cli.parser import Parser
from cli.progress import reporter
from core.errors.retrieval.answer import SearchAnswer
from core.flows.system.demo import Demo, fill_demo, fill_demo_rules, run_demo
from core.flows.system.demo_weeks import add_weeks


def add_to(parser: Parser, shared: Parser) -> None:
    parser.flag("--plain", "print the demo as text, even on a terminal")
    parser.add_argument("--ascii", action="store_true", default=argparse.SUPPRESS, help="use ASCII characters only")
    parser.set_defaults(run=run_command)


def run_command(args: argparse.Namespace, context: Context) -> int:
    """`demo`: your own casebook is neither read nor written; the temporary one is gone afterwards."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    with tempfile.TemporaryDirectory(prefix="casebook-demo-", ignore_cleanup_errors=True) as folder:
        database = Path(folder) / "demo.db"
        if on_terminal and not args.plain and not context.out.json:
            context.out.note("Reading the samples...")
            fill_demo(database, reporter(context.out))
            add_weeks(database)
            rules = (fill_demo_rules(database),)
            return open_workbench(context, database, title="demo", ascii_only=args.ascii, rules=rules)
        demo = run_demo(database, reporter(context.out), context.settings.embedding)
    context.out.result(demo, _lines(context.out, demo))
    return 0


def _answer_lines(out: Output, answer: SearchAnswer) -> Iterator[str]:
    yield ""
    yield clip("> " + answer.query.raw.strip(), out.columns)
    yield from answer_lines(out, answer)
    if not out.verbose:
        yield from trace_lines(out, answer.trace)


def _lines(out: Output, demo: Demo) -> Iterator[str]:
    yield out.paint("1. Import sample transcripts into a temporary casebook.", "bold")
    yield from report_lines(out, demo.report)
    yield ""
    *answers, paraphrased = demo.answers
    yield out.paint(f"2. Search for {len(answers)} errors.", "bold")
    for answer in answers:
        yield from _answer_lines(out, answer)
    yield ""
    by = f"by meaning, {demo.model}" if demo.model else "without a model"
    yield out.paint(clip(f"3. Search for an error in different words ({by}).", out.columns), "bold")
    if demo.without_model:
        yield from wrap(f"This search needs an embedding model: {demo.without_model}.", out.columns)
    yield from _answer_lines(out, paraphrased)
    yield ""
    yield out.paint(f"4. Find {len(demo.quotes)} quotes from an LLM in a session.", "bold")
    for quote in demo.quotes:
        yield ""
        yield from quote_lines(out, quote)
        if quote.found is not None and not out.verbose:
            yield from trace_lines(out, quote.found.trace)
    yield ""
    yield out.paint(f"5. Search the sample notes with {len(demo.library)} questions.", "bold")
    for found in demo.library:
        yield ""
        yield clip("> " + found.query, out.columns)
        yield from response_lines(out, found, explain=True)
    yield ""
    yield out.paint(f"6. Match {len(demo.rules)} tool calls with the sample rules.", "bold")
    for match in demo.rules:
        yield ""
        yield clip("> " + match.query.replace("\n", " "), out.columns)
        yield from match_lines(out, match)
        if not out.verbose:
            yield from trace_lines(out, match.trace)
    yield ""
    yield "On a terminal, casebook demo opens the workbench on the same transcripts."
    yield "To use your own transcripts, run: casebook import auto"
