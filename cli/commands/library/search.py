"""`casebook library search`: one query, or many."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cli.context import Context, read_text_argument
from core.base.fault import Fault

if TYPE_CHECKING:
    from core.library.search.api import SearchQuery
    from core.library.search.fts import SearchFilters


def run_search(args: argparse.Namespace, context: Context) -> int:
    """`library search`: exit 1 where nothing is found; of several queries exit 2 where one has a fault."""
    from core.flows.ingest.search import model_search, search_library

    if args.jsonl or args.bulk:
        if args.text not in (None, "-"):
            raise Fault("invalid_input", "--jsonl and --bulk read queries from stdin", "omit QUERY")
        return _many(args, context)
    from cli.format.library import response_lines

    query = replace(_query(args, context, read_text_argument(args.text, "query")), rerank=True)
    with model_search(context.settings.embedding) as vectors:
        found = search_library(context.database, query, None if query.mode == "lexical" else vectors)
    context.out.result(found, response_lines(context.out, found, explain=args.explain))
    return 0 if found.hits else 1


def _many(args: argparse.Namespace, context: Context) -> int:
    """A stream of queries over one connection and one model."""
    import sys

    from cli.stream import capped_lines, run_stream
    from core.flows.ingest.search import BULK_MOST, QUERY, model_search, opened_search, query_of, search_bulk

    like = _query(args, context, "")
    with ExitStack() as stack:
        vectors = stack.enter_context(model_search(context.settings.embedding))
        search = stack.enter_context(opened_search(context.database, vectors))
        queries = 0

        def answer(item: dict[str, Any]) -> object:
            nonlocal queries
            queries += 1
            if queries > BULK_MOST:
                raise Fault("invalid_input", f"more than {BULK_MOST} queries", "send the rest in another call")
            return search(query_of(item, like))

        if args.jsonl:
            return 0 if run_stream(answer, QUERY) else 2
        found = search_bulk(search, (_read(line, like) for line in capped_lines(sys.stdin.buffer)))
    from core.base.wire import dumps

    context.out.line(dumps(found))
    return 2 if found.summary.failed else 0


def _read(line: bytes | None, like: SearchQuery) -> SearchQuery | Fault:
    """A line as a query, or the fault it is answered with."""
    from cli.stream import object_of
    from core.flows.ingest.search import QUERY, query_of

    try:
        return query_of(object_of(line, QUERY), like)
    except Fault as fault:
        return fault


def _query(args: argparse.Namespace, context: Context, text: str) -> SearchQuery:
    from core.library.search.api import SearchQuery

    usual = context.settings.search
    return SearchQuery(
        text,
        args.mode,
        usual.default_k if args.k is None else args.k,
        filters_of(args),
        args.cursor,
        args.max_tokens,
        usual.snippet_chars if args.snippet_chars is None else args.snippet_chars,
        explain=args.explain,
    )


def filters_of(args: argparse.Namespace) -> SearchFilters:
    """The filters that the arguments name."""
    from core.library.search.fts import SearchFilters

    return SearchFilters(
        tuple(args.tag), args.lang, args.path, args.trust, args.source, args.type, args.media, args.doc,
        args.code_lang, args.repo, args.since, args.until,
    )  # fmt: skip
