"""Tools over the library: search, many searches, and the text behind a citation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from core.base.fault import Fault
from core.flows.ingest.search import BULK_MOST, Search, opened_search, query_of, search_bulk
from core.flows.mcp.context import Desk
from core.flows.mcp.tool import Cancelled, Tool, checked, flag, many, number, sent_bytes, shape, text
from core.library.documents.opened import CHARS, MOST_AROUND, MOST_CHARS, Fetched, fetch
from core.library.documents.rows import MEDIA, SOURCE_TYPES
from core.library.search.api import SearchQuery, fits
from core.library.search.rows import BriefBulk, BriefResponse, BulkResponse, SearchResponse, brief, brief_bulk
from core.store import faults, open_store

if TYPE_CHECKING:
    from core.library.ask.answer import Answer


_MOST_QUERY: Final = 4_000
_K: Final = 8
_BRIEF_CHARS: Final = 500
"""Code points of a passage in a brief answer."""
_SHORTER: Final = (250, 120, 60, 40)
"""The same where one passage alone is beyond the budget of tokens."""
_MOST_K: Final = 50
_FIELDS: Final = {
    "query": text("Words or a question, in Korean or English.", _MOST_QUERY),
    "mode": text("Search by words, by meaning, or both (default hybrid).", 0, choices=("lexical", "vector", "hybrid")),
    "k": number("Maximum number of hits.", 1, _MOST_K, _K),
    "tags_any": many("Only documents with one of these tags.", text("a tag", 200), 50),
    "lang": text("Only this language: ko, en or mixed (ko and en include mixed).", 20),
    "path_glob": text("Only matching paths (docs/**/*.md) or file names.", 500),
    "trust_min": text("Minimum trust level.", 0, choices=("primary", "secondary", "generated")),
    "source": text("Only documents of this root.", 200),
    "source_type": text("Only documents of this type.", 0, choices=SOURCE_TYPES),
    "media": text("Only files of this medium.", 0, choices=MEDIA),
    "doc": text("Only this document (path or id).", 1_000),
    "code_lang": text("Only code or configuration in this language (python, toml, dockerfile).", 40),
    "repo": text("Only documents of this repository.", 300),
    "since": text("Only documents dated on or after this date (2026-01-31).", 40),
    "until": text("Only documents dated on or before this date.", 40),
    "max_tokens": number("Maximum tokens of the reply (bytes / 3). 0: no limit.", 0, 100_000, 0),
    "snippet_chars": number("Characters per passage (220 with format full).", 40, 2_000, 500),
}  # fmt: skip
_FORM: Final = text(
    "brief: citation, headings, text and score of each hit. full: the --json object of the command line.", 0,
    choices=("brief", "full"),
)  # fmt: skip


_ONE: Final = shape(("query",), **_FIELDS)


def _like(given: dict[str, Any]) -> SearchQuery:
    """What a query leaves out."""
    if given.get("format") == "full":
        return SearchQuery("", k=_K, explain=bool(given.get("explain")), sent=sent_bytes)
    return SearchQuery("", k=_K, snippet_chars=_BRIEF_CHARS, sent=lambda found: sent_bytes(brief(found)))


def _search(desk: Desk, given: dict[str, Any], _: Cancelled) -> SearchResponse | BriefResponse:
    query = query_of(given, replace(_like(given), rerank=True))
    with desk.vectors() as vectors, opened_search(desk.database, vectors) as answer:
        found = _fitting(answer, query)
    return found if given.get("format") == "full" else brief(found)


def _fitting(answer: Search, query: SearchQuery) -> SearchResponse:
    """The answer; where one hit alone is beyond the budget, with less of its text."""
    found = answer(query)
    for chars in _SHORTER:
        if fits(found, query):
            break
        if chars < query.snippet_chars:
            found = answer(replace(query, snippet_chars=chars))
    return found


def _bulk_search(desk: Desk, given: dict[str, Any], cancelled: Cancelled) -> BulkResponse | BriefBulk:
    like = _like(given)

    def queries() -> list[SearchQuery | Fault]:
        return [_query(one, f"queries[{at}]", like) for at, one in enumerate(given["queries"])]

    if not given["queries"]:
        raise Fault("invalid_input", "`queries` is empty", "pass at least one query")
    with desk.vectors() as vectors, opened_search(desk.database, vectors) as answer:
        found = search_bulk(lambda query: _fitting(answer, query), (one for one in queries() if not cancelled()))
    return found if given.get("format") == "full" else brief_bulk(found)


def _query(one: object, name: str, like: SearchQuery) -> SearchQuery | Fault:
    try:
        return query_of(checked(one, _ONE, name), like)
    except Fault as fault:
        return fault


_NAMES: Final = ("citation", "name", "uri")
"""The argument of `fetch`, and what agents call it."""


def _fetch(desk: Desk, given: dict[str, Any], _: Cancelled) -> Fetched:
    named = [given[name] for name in _NAMES if name in given]
    if len(named) != 1:
        message = (
            "the argument citation is missing" if not named else "more than one of citation, name and uri was passed"
        )
        raise Fault("invalid_input", message, 'pass one, for example {"citation": "notes/retries.md#L33"}')
    with open_store(desk.database) as store, faults(desk.database):
        return fetch(store.con, named[0], max_chars=given.get("max_chars", CHARS), around=given.get("around", 0))


SEARCH: Final = Tool(
    "search",
    "Search the library",
    "Search the user's notes, documents and code. Every hit cites its lines (`uri`). To read more of a hit, call "
    "fetch. No hits is a normal result. A filter that matches no document is an error with the possible values. "
    "Returns search_brief.v1, or search_response.v1 with format full.",
    shape(
        ("query",),
        **_FIELDS,
        format=_FORM,
        cursor=text("`next_cursor` of the previous page.", 2_000),
        explain=flag("With format full: the trace contains both lists, not only their counts."),
    ),
    _search,
)
BULK_SEARCH: Final = Tool(
    "bulk_search",
    "Run several library searches",
    f"Up to {BULK_MOST} searches in one call. A failed search does not affect the others. "
    "Returns bulk_search_brief.v1, or bulk_search_response.v1 with format full.",
    shape(("queries",), queries=many("The searches.", _ONE, BULK_MOST), format=_FORM),
    _bulk_search,
    loose=shape(("queries",), queries=many("The searches.", {}, BULK_MOST), format=_FORM),
)
FETCH: Final = Tool(
    "fetch",
    "Read a citation",
    "Read a citation (path#L12-L34, path#p=3), a document (path or id) or a passage (chunk_id), with line numbers. "
    "If a text is too long, fetch `next` to read on. Returns fetch_result.v1.",
    shape(
        citation=text("A citation's uri, a document's path or id, or a passage's chunk_id. Required.", 4_000),
        name=text("Alias of citation.", 4_000),
        uri=text("Alias of citation.", 4_000),
        max_chars=number("Maximum number of characters.", 1, MOST_CHARS, CHARS),
        around=number("Context lines before and after.", 0, MOST_AROUND, 0),
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
    "The user's LLM answers a question from their notes, documents and code. casebook checks every sentence against "
    "its source (`claims`). If `refusal_reason` is set, the result contains only the nearest passages. If "
    "`grounded` is false without a `refusal_reason`, the answer is unverified: do not rely on it. See `trace`. "
    "A call may take minutes. Returns answer.v1.",
    shape(
        ("question",),
        question=text("The question, in Korean or English.", _MOST),
        session=text("Name of a conversation to continue or start.", 100),
        k=number("Number of passages to retrieve.", 1, _MOST_K, 8),
        multi_hop=flag("Split the question into several searches (slower)."),
    ),
    _ask,
    asks_network=True,
    writes=True,
)
