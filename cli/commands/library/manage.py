"""`casebook library list`, `inspect`, `open`, `index` and `reset`: inspect, open and rebuild the library."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from cli.commands.errors.cases import case_lines
from cli.context import Context, not_there, open_workbench, says_yes
from cli.format.layout import clip, counted, one_line, wrap
from cli.format.library import columns_of
from cli.output import Output
from core.base.config.settings_sources import from_home
from core.base.fault import Fault
from core.errors import show_case
from core.errors.curation.transaction import person
from core.library.ingest.write import ResetReport, reset_library, root_at
from core.library.search.api import EMPTY, NONE_PASSES
from core.library.search.fts import rebuild_fts
from core.library.search.inspect import ChunkInspection, DocInspection, DocPage, IndexReport, inspect, list_documents
from core.store import open_store


def run_list(args: argparse.Namespace, context: Context) -> int:
    """`library list`: exit 1 where there is none."""
    from cli.commands.library.search import filters_of

    if not 1 <= args.limit <= 1000:
        raise Fault(
            "invalid_input", f"--limit {args.limit} is not between 1 and 1000", "use a smaller limit and --after"
        )
    filters = filters_of(args)
    with context.store() as store:
        found = list_documents(store.con, filters, args.limit, args.after)
        filled = bool(found.total) or bool(list_documents(store.con, limit=1).total)
    context.out.result(found, _page_lines(context.out, found, filled=filled))
    return 0 if found.documents else 1


def _page_lines(out: Output, found: DocPage, *, filled: bool) -> Iterator[str]:
    if found.total and not found.documents:
        yield out.paint(f"No more documents after {found.total}.", "warn")
    elif filled and not found.documents:
        yield out.paint(NONE_PASSES, "warn")
    elif not found.documents:
        yield out.paint(EMPTY, "warn")
    for one in found.documents:
        told = ", ".join((one.lang, one.code_lang or one.media_type, *one.tags))
        yield columns_of([f"{one.chunk_count}", one_line(one.doc_path)], [5])
        yield "       " + clip(f"{one.title} ({told})", out.columns - 7)
    if found.documents:
        yield out.paint(f"{len(found.documents)} of {counted(found.total, 'document')}, with passage counts", "dim")
    if found.next:
        yield out.paint(f"more: add --after {one_line(found.next)}", "dim")


def run_inspect(args: argparse.Namespace, context: Context) -> int:
    """`library inspect`: a document with its passages, or one passage; exit 1 where there is none of that name."""
    with context.store() as store:
        try:
            found = inspect(store.con, args.name)
        except Fault as fault:
            return not_there(fault, context)
    lines = _chunk_lines(context.out, found) if isinstance(found, ChunkInspection) else _doc_lines(context.out, found)
    context.out.result(found, lines)
    return 0


def _chunk_lines(out: Output, one: ChunkInspection) -> Iterator[str]:
    yield out.paint(one_line(one.citation.uri), "bold")
    if one.heading_path:
        yield clip(" > ".join(one.heading_path), out.columns)
    yield from wrap(one.text, out.columns, "  ")
    known = ", ".join(one_line(made.model) for made in one.embeddings) or "no vector"
    told = f"passage {one.chunk_id}  {one.chunker_version}  about {one.token_estimate} tokens"
    yield out.paint(clip(f"{told}  {len(one.block_ids)} blocks  {known}", out.columns * 2), "dim")


def _doc_lines(out: Output, found: DocInspection) -> Iterator[str]:
    doc = found.document
    yield out.paint(one_line(doc.doc_path), "bold")
    yield clip(doc.title, out.columns)
    tags = ", ".join(doc.tags) or "no tags"
    yield clip(f"{doc.lang}, {doc.media_type}, {doc.trust_level}, {tags}, {doc.byte_len} bytes", out.columns)
    yield clip(f"document {doc.doc_id}, {doc.parser_version}, read {doc.indexed_at}", out.columns)
    for one in found.chunks:
        label = " > ".join(one.heading_path) or (one.section_label or "")
        yield f"  {one_line(one.citation.uri)}  {clip(label, 60)}"
        if out.verbose:
            yield from wrap(one.text, out.columns, "    ")


def run_open(args: argparse.Namespace, context: Context) -> int:
    """`library open`: the file at its line in `$VISUAL` or `$EDITOR`; off a terminal FILE:LINE.

    Exit 1: nothing of that name; 2: no editor.
    """
    from core.base.editor import at_line, editor_of
    from core.library.citations.store import file_place

    with context.store() as store:
        try:
            found = file_place(store.con, args.name)
        except Fault as fault:
            return not_there(fault, context)
    apart = context.out.json or not sys.stdout.isatty()
    if found.told and (apart or not args.workbench):  # the workbench tells it itself
        context.out.note(f"casebook: {one_line(found.doc_path)}: {found.told}")
    if apart:
        context.out.result(found, [f"{one_line(found.file)}:{found.line}"])
        return 0
    if args.workbench:
        cited = found.uri if "#" in found.uri else f"{found.doc_path}#L1"
        return open_workbench(context, ascii_only=args.ascii, cited=cited)
    words, why = editor_of(os.environ, to_read=False)
    if not words:
        raise Fault("invalid_input", why)
    try:
        ended = subprocess.run(at_line(words, Path(found.file), found.line), check=False)
    except OSError as error:
        raise Fault("io_error", f"cannot start {words[0]}: {error.strerror or error}", "set EDITOR") from error
    return 0 if ended.returncode == 0 else 2


def run_index(args: argparse.Namespace, context: Context) -> int:
    """`library index --rebuild-fts`: the index of words, from the passages."""
    from core.library.ingest.options import options_of

    options = options_of(context.settings.chunking, context.settings.library.korean)
    if lacking := options.lacking:
        context.out.note(f"casebook: {lacking}")
    with open_store(context.database, write=True) as store:
        count = rebuild_fts(store, analyser=options.analyser)
    context.out.result(IndexReport(count), [f"{counted(count, 'passage')} indexed again."])
    return 0


def run_embed(args: argparse.Namespace, context: Context) -> int:
    """`library embed`: exit 0 done, 1 where another run is at it, 130 where it was stopped."""
    from cli.commands.models.embed import report_lines
    from cli.progress import reporter, stoppable
    from core.flows.ingest.search import embed_passages

    kept = context.settings.embedding
    told = reporter(context.out, every_line=context.out.json)
    with stoppable() as stopped:
        report = embed_passages(context.database, kept, threads=kept.threads, progress=told, stop=stopped)
    context.log("info", "embedded", embedded=report.embedded, failed=len(report.failed), waiting=report.waiting)
    context.out.result(report, report_lines(context.out, report))
    return 130 if report.canceled else 1 if report.busy else 0


def run_reset(args: argparse.Namespace, context: Context) -> int:
    """`library reset`: asks first, unless --yes; exit 1 where the answer is no."""
    with open_store(context.database, write=True) as store:
        folder = None if args.folder is None else Path(args.folder)
        if folder is not None:
            root_at(store.con, folder)
        if not args.yes and not _agreed(args, context):
            context.out.note("No change.")
            return 1
        found = reset_library(store, orphans_only=args.orphans_only, folder=folder)
    context.out.result(found, _reset_lines(found))
    return 0


def _agreed(args: argparse.Namespace, context: Context) -> bool:
    what = "documents without a file" if args.orphans_only else "every document, passage and vector of the library"
    if args.folder is not None:
        what = f"every document of {one_line(args.folder)}"
    if not sys.stdin.isatty():
        raise Fault(
            "invalid_input", f"removing {what} needs your confirmation, but stdin is not a terminal", "pass --yes"
        )
    return says_yes(f"Remove {what}? Your files stay.")


def _reset_lines(found: ResetReport) -> Iterator[str]:
    within = f"{counted(found.passages, 'passage')} and {counted(found.vectors, 'vector')}"
    yield f"Removed {counted(found.documents, 'document')} with {within}."


def run_cite(args: argparse.Namespace, context: Context) -> int:
    """`library cite`: the fix that answers for a case cites a passage; `casebook undo` takes it back.

    Exit 1 where there is no such case or passage.
    """
    from core.flows.ingest.case_citations import cite_in_case, with_citations

    with context.store(write=True) as store:
        case = show_case(store, args.case) if 0 < args.case < 1 << 62 else None
        if case is None:
            return not_there(Fault("not_indexed", f"case {args.case} not found", "run: casebook errors list"), context)
        try:
            kept = cite_in_case(store, case, args.passage, args.author or person(), args.quote)
        except Fault as fault:
            return not_there(fault, context)
        case = with_citations(store, case)
    context.log("info", "cited", case=case.id, uri=kept.uri)
    context.out.result(case, case_lines(context.out, case))
    return 0


def run_ocr_data(args: argparse.Namespace, context: Context) -> int:
    """`library ocr-data`: exit 1 where a language that was named is missing, or none is ready."""
    from core.library.ingest.ocr_data import take_ocr_data

    found = take_ocr_data(None if args.folder is None else from_home(args.folder), args.language)
    lines = [
        f"{one.language}: {one.status}" + (f" from {one_line(one.source)}" if one.source else "")
        for one in found.languages
    ]
    lines += [f"languages in {one_line(found.folder)}: {', '.join(found.ready)}"] if found.ready else []
    lines += list(wrap(found.hint, context.out.columns)) if found.hint else []
    context.out.result(found, lines)
    missing = any(one.status == "missing" for one in found.languages)
    return 1 if not found.ready or (args.language and missing) else 0
