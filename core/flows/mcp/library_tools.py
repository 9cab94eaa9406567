"""Tools over the library: search, many searches, and the text behind a citation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from core.base.fault import Fault
from core.flows.ingest.search import BULK_MOST, opened_search, query_of, search_bulk, search_library
from core.flows.mcp.context import Desk
from core.flows.mcp.tool import Cancelled, Tool, checked, flag, many, number, shape, text
from core.library.documents.opened import CHARS, MOST_AROUND, MOST_CHARS, Fetched, fetch
from core.library.documents.rows import MEDIA, SOURCE_TYPES
from core.library.search.api import SearchQuery
from core.library.search.rows import BulkResponse, SearchResponse
from core.store import faults, open_store

if TYPE_CHECKING:
    from core.library.ask.answer import Answer


_MOST_QUERY: Final = 4_000
_K: Final = 8
_MOST_K: Final = 50
_FIELDS: Final = {
    "query": text("What to look for, in words or as a question; Korean and English.", _MOST_QUERY),
    "mode": text("How: by words, by meaning, or both (default hybrid).", 0, choices=("lexical", "vector", "hybrid")),
    "k": number("Hits at most.", 1, _MOST_K, _K),
    "tags_any": many("Only documents with one of these tags.", text("a tag", 200), 50),
    "lang": text("Only documents in this language (ko, en, mixed); ko and en include mixed.", 20),
    "path_glob": text("Only paths like docs/**/*.md.", 500),
    "trust_min": text("At least as trusted.", 0, choices=("primary", "secondary", "generated")),
    "source": text("Only of this root.", 200),
    "source_type": text("Only documents of this type.", 0, choices=SOURCE_TYPES),
    "media": text("Only files of this medium.", 0, choices=MEDIA),
    "doc": text("Only in this document (a path or an id).", 1_000),
    "code_lang": text("Only code in this language.", 40),
    "repo": text("Only of this repository.", 300),
    "since": text("Only documents dated since (2026-01-31).", 40),
    "until": text("Only documents dated until.", 40),
    "max_tokens": number("About how many tokens the hits may have; 0: any.", 0, 100_000, 0),
    "snippet_chars": number("Characters shown of each passage.", 40, 2_000, 220),
}  # fmt: skip


_ONE: Final = shape(("query",), **_FIELDS)


def _search(desk: Desk, given: dict[str, Any], _: Cancelled) -> SearchResponse:
    query = query_of(given, SearchQuery("", k=_K, explain=bool(given.get("explain"))))
    with desk.vectors() as vectors:
        return search_library(desk.database, query, None if query.mode == "lexical" else vectors)


def _bulk_search(desk: Desk, given: dict[str, Any], cancelled: Cancelled) -> BulkResponse:
    def queries() -> list[SearchQuery | Fault]:
        return [_query(one, f"queries[{at}]") for at, one in enumerate(given["queries"])]

    with desk.vectors() as vectors, opened_search(desk.database, vectors) as answer:
        return search_bulk(answer, (one for one in queries() if not cancelled()))


def _query(one: object, name: str) -> SearchQuery | Fault:
    try:
        return query_of(checked(one, _ONE, name), SearchQuery("", k=_K))
    except Fault as fault:
        return fault


def _fetch(desk: Desk, given: dict[str, Any], _: Cancelled) -> Fetched:
    with open_store(desk.database) as store, faults(desk.database):
        return fetch(store.con, given["name"], max_chars=given.get("max_chars", CHARS), around=given.get("around", 0))


SEARCH: Final = Tool(
    "search",
    "Search the library",
    "Search the user's notes, documents and code. Every hit cites its lines and says why it was found. "
    "Nothing found is a normal answer with no hits. Answers search_response.v1.",
    shape(
        ("query",),
        **_FIELDS,
        cursor=text("`next_cursor` of the page before.", 2_000),
        explain=flag("The trace holds both lists, not only their counts."),
    ),
    _search,
)
BULK_SEARCH: Final = Tool(
    "bulk_search",
    "Search the library for many things",
    f"Up to {BULK_MOST} searches in one call; what is wrong with one costs the others nothing. "
    "Answers bulk_search_response.v1.",
    shape(("queries",), queries=many("The searches.", _ONE, BULK_MOST)),
    _bulk_search,
    loose=shape(("queries",), queries=many("The searches.", {}, BULK_MOST)),
)
FETCH: Final = Tool(
    "fetch",
    "Read what a citation names",
    "The text of a citation (path#L12-L34, path#p=3), of a document (its path or id) or of a passage (chunk_id), "
    "with its line numbers; long texts in parts, `next` names the following one. Answers fetch_result.v1.",
    shape(
        ("name",),
        name=text("A citation's uri, a document's path or id, or a passage's chunk_id.", 4_000),
        max_chars=number("Characters at most.", 1, MOST_CHARS, CHARS),
        around=number("Lines before and behind the cited ones.", 0, MOST_AROUND, 0),
    ),
    _fetch,
)


_MOST: Final = 8_000


def _ask(desk: Desk, given: dict[str, Any], cancelled: Cancelled) -> Answer:
    """The answer is kept, as every answer is; of a casebook that cannot be written it is given all the same."""
    from core.flows.ask.api import ask_library, ask_options
    from core.llm.factory import language_model

    more: dict[str, object] = {name: given[name] for name in ("session", "multi_hop", "k") if name in given}
    options = ask_options(desk.settings, **more)
    model = language_model(desk.settings.llm)
    with desk.vectors() as vectors:
        try:
            return ask_library(desk.database, given["question"], options, model, vectors, cancelled=cancelled)
        except Fault as fault:
            if fault.code != "db_readonly":
                raise
        loose = replace(options, keep=False, session=None)
        return ask_library(desk.database, given["question"], loose, model, vectors, cancelled=cancelled)


ASK: Final = Tool(
    "ask",
    "Ask the library",
    "A question answered from the user's notes, documents and code by their own language model, every sentence "
    "checked against its source (`claims`). `grounded` false without a `refusal_reason`: not verified, do not rely on "
    "it; `trace` says why. With a reason it is a refusal, with the nearest passages: the library does not say. "
    "It may take minutes. Answers answer.v1.",
    shape(
        ("question",),
        question=text("What to answer, in whole words; Korean and English.", _MOST),
        session=text("Goes on with the conversation of that name, and begins it.", 100),
        k=number("Passages looked for.", 1, _MOST_K, 8),
        multi_hop=flag("Take the question apart into several searches first: slower."),
    ),
    _ask,
    asks_network=True,
    writes=True,
)
