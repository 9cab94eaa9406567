"""`casebook schema`: what this casebook writes, can do, holds; and the JSON Schemas themselves."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from cli.context import Context
from cli.format.cases import field
from cli.format.layout import counted
from cli.output import Output
from cli.parser import Parser
from core.flows.system.capabilities import Capabilities, LibraryState, capabilities, schema_names, schema_text


def add_to(parser: Parser, shared: Parser) -> None:
    parser.argument(
        "name", "NAME", "print a JSON Schema, for example error_search.v1", nargs="?", suggested=schema_names
    )
    parser.set_defaults(run=run_schema)


def run_schema(args: argparse.Namespace, context: Context) -> int:
    if args.name is not None:
        sys.stdout.write(schema_text(args.name))
        return 0
    found = capabilities(context.database)
    context.out.result(found, _lines(context.out, found))
    return 0


def _lines(out: Output, found: Capabilities) -> Iterator[str]:
    versions = found.versions
    yield from field(out, "casebook", f"{versions.casebook}, database schema {versions.database}")
    yield from field(out, "runs on", f"Python {versions.python}, SQLite {versions.sqlite}")
    yield from field(out, "writes", ", ".join(found.wire))
    yield from field(out, "models", ", ".join(found.models) or "not configured")
    for status, label in (("ready", "features"), ("missing", "not installed"), ("planned", "planned")):
        these = [one for one in found.capabilities if one.status == status]
        if these:
            yield ""
            yield out.paint(label, "bold")
        for one in these:
            yield from field(out, one.name, one.about + (f"; {one.needs}" if one.needs else ""))
    yield ""
    if found.stats is None:
        yield "No casebook yet. To create one, run: casebook import auto"
        return
    stats = found.stats
    cases = f"{counted(stats.cases, 'case')} ({stats.unresolved:,} unresolved)"
    yield from field(out, "holds", f"{cases}, {counted(stats.resolutions, 'fix')}")
    read = ((stats.sessions, "session"), (stats.messages, "message"), (stats.tool_calls, "call"))
    yield from field(out, "from", ", ".join(counted(count, what) for count, what in read))
    if (library := found.library) is not None:
        yield from field(out, "library", _library(library))


def _library(found: LibraryState) -> str:
    if found.last_ingest_at is None:
        return "empty"
    held = f"{counted(found.documents, 'document')}, {counted(found.passages, 'passage')}"
    waiting = f", {found.waiting:,} not embedded" if found.waiting else ""
    return f"{held}{waiting}, last ingest {found.last_ingest_at}"
