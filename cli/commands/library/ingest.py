"""`casebook library ingest`: folders, a file or standard input into the library, progress on stderr."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cli.context import MAX_TEXT, Context
from cli.format.layout import clip, counted, one_line
from cli.output import Output
from core.base.config.settings_sources import from_home
from core.base.fault import Fault
from core.base.wire import dumps
from core.library.ingest.readers import PICTURES
from core.library.ingest.report import IngestEvent, IngestReport
from core.store import open_store

if TYPE_CHECKING:
    from core.flows.ingest.api import IngestOptions
    from core.store import Store

_SLOWEST = 5
_WARNINGS = 5
"""Warnings that are shown without --verbose."""


def run_ingest(args: argparse.Namespace, context: Context) -> int:
    """`library ingest`: exit 0 done, 1 where there was nothing to read or a file could not be, 130 stopped."""
    from cli.progress import stoppable
    from core.library.ingest.options import options_of
    from core.library.parse.ocr import lacking as ocr_lacking

    single = args.file is not None or args.stdin
    if single and args.roots:
        raise Fault("invalid_input", "a folder and a single file cannot be combined", "pass one of them")
    roots = [from_home(root) for root in args.roots]
    for root in roots:
        if not root.is_dir():
            told = f"{root} is not a folder" if root.exists() else f"folder {root} not found"
            raise Fault("invalid_input", told, "pass a folder, or a file with --file")
    ocr = args.ocr or context.settings.library.ocr
    if ocr and (missing := ocr_lacking()):
        if args.ocr:
            told, _, command = missing.partition(" Run: ")
            raise Fault("config_invalid", told.rstrip("."), f"run: {command}")
        context.out.note(f"casebook: {missing}")
    options = replace(
        options_of(context.settings.chunking, context.settings.library.korean, ocr=ocr),
        include=tuple(args.include),
        exclude=tuple(args.exclude),
        rehash=args.rehash,
        rechunk=args.rechunk,
        follow_links=args.follow_links,
        source_type=args.type,
        trust_level=args.trust,
        summary=args.summary_only,
    )
    if args.watch and single:
        raise Fault("invalid_input", "--watch cannot be combined with --file or --stdin", "omit one of them")
    told = _Progress(context.out)
    if lacking := options.lacking:
        context.out.note(f"casebook: {lacking}")
    with open_store(context.database, write=True, create=True) as store, stoppable() as stopped:
        report = _run(args, store, roots, options, told.event, stopped)
        told.finish()
        if args.watch and not report.aborted:
            return _watch(context, store, options, report, stopped)
    context.log("info", "ingested", new=report.new, updated=report.updated, errors=report.errors)
    context.out.result(report, [*told.slowest(), *report_lines(context.out, report)])
    if report.aborted:
        return 130
    return 0 if report.scanned and not report.errors else 1


def _watch(
    context: Context, store: Store, options: IngestOptions, first: IngestReport, stopped: Callable[[], bool]
) -> int:
    """Go on until Ctrl-C: a report for each change."""
    from core.flows.ingest.api import watch_library

    out = context.out._replace(notify="off")  # it is watched: nothing has ended

    def report(report: IngestReport) -> None:
        out.result(report, report_lines(out, report))
        sys.stdout.flush()

    report(first)
    context.out.note("Watching for changes. Press Ctrl-C to stop.")
    watch_library(store, options, report, stopped)
    return 0


def _run(
    args: argparse.Namespace,
    store: Store,
    roots: list[Path],
    options: IngestOptions,
    told: Callable[[IngestEvent], None],
    stopped: Callable[[], bool],
) -> IngestReport:
    from core.flows.ingest.api import ingest

    if args.file is not None:
        from core.flows.ingest.single import ingest_file

        return ingest_file(store, from_home(args.file), options, on_event=told, cancelled=stopped)
    if args.stdin:
        data = sys.stdin.buffer.read(MAX_TEXT + 1)
        if not data.strip() or len(data) > MAX_TEXT:
            why = f"larger than {MAX_TEXT >> 20} MiB" if data.strip() else "empty"
            raise Fault("invalid_input", f"standard input is {why}", "pipe text into the command")
        from core.flows.ingest.single import ingest_stdin

        return ingest_stdin(store, data, args.ext, options, on_event=told, cancelled=stopped)
    return ingest(store, roots, options, on_event=told, cancelled=stopped)


class _Progress:
    """What is said while it runs: on a terminal one line that is written over, with --verbose a line a document.

    With --json every event is a line on stderr, so that stdout holds the report alone.
    """

    def __init__(self, out: Output) -> None:
        self._out = out
        self._terminal = sys.stderr.isatty() and not out.json
        self._last = 0.0
        self._start = time.monotonic()
        self._slow: list[tuple[float, str]] = []

    def event(self, event: IngestEvent) -> None:
        if event.kind == "asset_finished" and event.ms is not None:
            self._slow = sorted([*self._slow, (event.ms, event.path or "")], reverse=True)[:_SLOWEST]
        if self._out.json:
            sys.stderr.write(dumps(event) + "\n")
        elif self._out.verbose and not self._terminal and event.kind == "asset_finished":
            sys.stderr.write(clip(f"{event.idx}/{event.total} {event.result} {event.path}", 120) + "\n")
        elif self._terminal and event.kind.startswith("asset") and time.monotonic() - self._last > 0.1:
            self._last = time.monotonic()
            rate = (event.idx or 0) / max(self._last - self._start, 0.001)
            line = f"{event.idx} of {event.total}, {rate:.0f} per second  {event.path}"
            sys.stderr.write("\r\x1b[K" + clip(line, 79))
            sys.stderr.flush()

    def finish(self) -> None:
        """The line that was written over is taken away."""
        if self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def slowest(self) -> Iterator[str]:
        """With --verbose, what took longest."""
        if self._out.verbose and self._slow:
            yield "slowest:"
            for ms, path in self._slow:
                yield f"  {ms:8.0f} ms  {one_line(path)}"


def report_lines(out: Output, report: IngestReport) -> Iterator[str]:
    """What was read, what was left out and why, with examples."""
    counts = ("new", "updated", "moved", "removed", "unchanged", "skipped")
    parts = [f"{getattr(report, name)} {name}" for name in counts if getattr(report, name)]
    summary = ", ".join([*parts, *([counted(report.errors, "error")] if report.errors else [])])
    yield f"{counted(report.scanned, 'file')} in {report.duration_ms / 1000:.1f} s: {summary or 'nothing to read'}"
    yield f"{counted(report.chunks_indexed, 'passage')} indexed"
    for reason, paths in report.skip_examples.items():
        yield out.paint(clip(f"skipped, {reason.replace('_', ' ')}: {', '.join(paths)}", out.columns), "dim")
    if report.removed_links:
        names = ", ".join(report.removed_link_examples)
        more = ", …" if report.removed_links > len(report.removed_link_examples) else ""
        yield out.paint(
            clip(f"removed (links that point outside the folder): {report.removed_links} ({names}{more})", out.columns),
            "warn",
        )
    for item in report.items or ():
        if item.kind == "error":
            yield out.paint(clip(f"{item.doc_path}: {item.error}", out.columns * 2), "bad")
    yield from _warning_lines(out, report)
    if pictures := sum(report.skipped_by_extension.get(end, 0) for end in PICTURES):
        read = f"{counted(pictures, 'image')} not indexed. To index their text, run: casebook library ingest --ocr"
        yield out.paint(clip(read, out.columns * 2), "dim")
    if report.aborted:
        yield out.paint("Stopped. The next run resumes here.", "warn")


def _warning_lines(out: Output, report: IngestReport) -> Iterator[str]:
    """What was amiss with files that were read, for example pages without text."""
    told = [f"{item.doc_path}: {warning}" for item in report.items or () for warning in item.warnings]
    shown = told if out.verbose else told[:_WARNINGS]
    for line in shown:
        yield out.paint(clip(line, out.columns * 2), "warn")
    if more := len(told) - len(shown):
        yield out.paint(f"… and {counted(more, 'more warning')} (--verbose shows all)", "dim")
