"""`casebook replay`: what casebook would have answered, session by session."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from cli.context import Context
from cli.parser import Parser, path_name
from core.base.config.settings import EmbeddingSettings

_EXAMPLES = """\
examples:
  casebook replay ~/.claude/projects/-home-me-shop
  casebook replay sessions/ --json > replay.json
  casebook replay sessions/ --tiers all         load a model for the vector tier

replay does not read or write your casebook. Ctrl-C stops after the current transcript and prints the results so far.
"""


def add_to(parser: Parser, shared: Parser) -> None:
    parser.epilog = _EXAMPLES
    parser.argument("paths", "PATH", "transcripts or folders", type=path_name, nargs="+")
    parser.add_argument(
        "--tiers",
        choices=("text", "all"),
        default="text",
        help="text: compare words only (default). all: also load the model for the vector tier",
    )
    parser.set_defaults(run=run_replay)


def run_replay(args: argparse.Namespace, context: Context) -> int:
    """`replay`: exit 0 if a failure was found, 1 if none was, 130 if it was stopped."""
    from cli.format.insights import replay_lines
    from cli.progress import reporter, stoppable
    from core.flows.replay import replay

    with ExitStack() as stack:
        stopped = stack.enter_context(stoppable())
        embed = vectors = None
        if args.tiers == "all":
            from core.flows.system.vectors import vector_search

            vectors = stack.enter_context(vector_search(context.settings.embedding, "process"))
            embed = partial(_embed, context.settings.embedding, stopped)
        told = reporter(context.out, every_line=True)
        report = replay(args.paths, vectors=vectors, after_import=embed, on_progress=told, cancelled=stopped)
    context.log("info", "replayed", sessions=report.sessions, failures=report.failures)
    context.out.result(report, replay_lines(context.out, report))
    if report.canceled:
        return 130
    return 0 if report.failures else 1


def _embed(settings: EmbeddingSettings, stopped: Callable[[], bool], database: Path) -> None:
    """Compute the embeddings that the temporary casebook lacks."""
    from core.flows.system.embedding import embed_pending

    embed_pending(database, settings=settings, threads=settings.threads, stop=stopped)
