"""`casebook embed`: give the model what waits: cases, rules, passages of the library, found in other words too."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cli.context import Context
from cli.format.layout import clip
from cli.output import Output
from cli.parser import Parser, number
from core.base.fault import Fault
from core.embedding.runtime.report import EmbedReport
from core.text import visible

_EXAMPLES = """\
examples:
  casebook embed                compute missing embeddings, or all embeddings after you change the model
                                (first cases, then rules, then library passages)
  casebook embed --batch 10     write smaller batches, so other programs wait less

Ctrl-C stops the run. The next run resumes there.
"""
_MOST = 50
_NAMES = {"error": "case", "rule": "rule", "chunk": "passage"}


def add_to(parser: Parser, shared: Parser) -> None:
    parser.epilog = _EXAMPLES
    parser.argument("--batch", "N", f"texts per batch, 1 to {_MOST} (default {_MOST})", type=number, default=_MOST)
    parser.set_defaults(run=run_embed)


def run_embed(args: argparse.Namespace, context: Context) -> int:
    """`embed`: exit 0 done, 1 where another run is at it, 130 where it was stopped."""
    from cli.progress import reporter, stoppable
    from core.flows.system.embedding import embed_pending

    if not 1 <= args.batch <= _MOST:
        raise Fault("invalid_input", f"--batch {args.batch} is not between 1 and {_MOST}", "see casebook embed --help")
    with stoppable() as stopped:
        report = embed_pending(
            context.database,
            settings=context.settings.embedding,
            threads=context.settings.embedding.threads,
            batch=args.batch,
            progress=reporter(context.out, every_line=context.out.json),
            stop=stopped,
        )
    context.log("info", "embedded", embedded=report.embedded, failed=len(report.failed), waiting=report.waiting)
    context.out.result(report, report_lines(context.out, report))
    return 130 if report.canceled else 1 if report.busy else 0


def report_lines(out: Output, report: EmbedReport) -> Iterator[str]:
    """What a run did, and what it had to leave out."""
    if report.busy:
        yield out.paint("Another process is embedding. No change.", "warn")
        return
    model = clip(visible(report.model.partition("@")[0]), 80)
    good = report.reused - report.copied
    done = [(report.embedded, "embedded"), (report.copied, "copied from identical texts"), (good, "still valid")]
    summary = ", ".join(f"{count:,} {what}" for count, what in (*done, (report.removed, "removed")) if count)
    if summary:
        yield f"{summary[0].upper()}{summary[1:]}, with {model}."
    elif not (report.canceled or report.failed):
        yield f"Nothing to embed. Everything is embedded with {model}."
    made = [f"{part.embedded:,} {_NAMES.get(part.kind, part.kind)}s" for part in report.parts if part.embedded]
    if len(made) > 1:
        yield out.paint(f"Embedded: {', '.join(made)}.", "dim")
    if report.canceled:
        yield out.paint(f"Stopped, {report.waiting:,} remaining. The next run continues from here.", "warn")
    if report.failed:
        yield out.paint(f"{len(report.failed):,} could not be embedded. casebook skips them until they change:", "warn")
    most = len(report.failed) if out.verbose else 10
    for failed in report.failed[:most]:
        yield "  " + clip(visible(f"{_NAMES.get(failed.kind, failed.kind)} {failed.item_id}: {failed.reason}"), 500)
    if len(report.failed) > most:
        yield f"  … and {len(report.failed) - most:,} more (--verbose shows all)"
