"""Search of the library: lexical, by vectors, or both fused. Every hit cites its lines and has its ranks.

Source: kebab-frozen-design 1.5, 1.6, 2.2, 3.7; decisions 18 to 20.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, cast

from core.base.fault import Fault, hint_of
from core.base.trace import Step, Stopwatch, facts
from core.base.wire import dumps
from core.library.chunk import BYTES_PER_TOKEN
from core.library.documents.read import corpus_revision
from core.library.search.fts import (
    EVERYTHING,
    SearchFilters,
    chunks_passing,
    documents_passing,
    index_version,
    indexed_by,
    korean_hint,
    query_analyser,
    refuse_unknown,
)
from core.library.search.hybrid import (
    EMBED,
    FAN,
    Fused,
    Weighed,
    by_share,
    hybrid,
    prose_first,
    vector_search,
    weighed,
)
from core.library.search.korean import analyse
from core.library.search.lexical import CHARS, LexicalQuery, Ranked, is_last_word_indexed, lexical_query, lexical_search
from core.library.search.rerank import rerank
from core.library.search.rows import (
    Mode,
    Passage,
    Retrieval,
    ScoreKind,
    SearchHit,
    SearchResponse,
    citation_of,
    hit,
    passages,
)
from core.store import Store, faults, now
from core.store.sql import value

if TYPE_CHECKING:
    import apsw

    from core.embedding.runtime.query_model import VectorSearch
    from core.library.search.korean import Analyse

_MOST = 100_000

DEFAULT_K: Final = 10
MOST_K: Final = 200
UNASKED: Final = "not used in this mode"
EMPTY: Final = "The library is empty. Run: casebook library ingest FOLDER"
NONE_PASSES: Final = "No document matches the filters."
_KIND: dict[Mode, ScoreKind] = {"lexical": "bm25", "vector": "cosine", "hybrid": "rrf"}


def write_cursor(revision: int, offset: int, question: tuple[object, ...]) -> str:
    """A cursor for the hits from `offset` on; `question` is everything that decides their order."""
    content = json.dumps([revision, offset, _digest(question)], separators=(",", ":"))
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


def read_cursor(cursor: str, revision: int, question: tuple[object, ...]) -> int:
    """The offset in it. Raises Fault invalid_input, with the `reason` stale_cursor where the library has changed."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        value: object = json.loads(base64.urlsafe_b64decode(padded))
    except (ValueError, RecursionError):
        value = None
    parts = cast("list[object]", value) if isinstance(value, list) else []
    if len(parts) != 3 or not isinstance(parts[1], int) or not 0 <= parts[1] <= _MOST:
        raise Fault("invalid_input", "invalid cursor", "use `next_cursor` of the previous page")
    if parts[2] != _digest(question):
        raise Fault("invalid_input", "the cursor belongs to another query", "repeat the original query and filters")
    if parts[0] != revision:
        raise Fault(
            "invalid_input", "the library has changed since that page", "search again without --cursor",
            reason="stale_cursor",
        )  # fmt: skip
    return parts[1]


def _digest(question: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(question).encode("utf-8", "replace")).hexdigest()[:16]


def json_bytes(value: object) -> int:
    """How many bytes the JSON of a value has."""
    return len(dumps(value).encode())


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Called with a casebook and the way to its vectors. Raises Fault: what `search` raises."""

    query: SearchQuery

    def __call__(self, store: Store, vectors: VectorSearch) -> SearchResponse:
        return search(store, self.query, vectors, analyse)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is asked. `k`: hits a page; `max_tokens`: tokens the answer may have as it is sent (bytes / 3), 0: any.

    `prefix_last`: the last word may be half typed, unless it stands whole in a passage; `explain`: the trace holds both
    lists, not only their counts. `rerank`: order the best hits of both lists by their tokens, which takes 20 ms,
    or up to a second where these are not stored (`core.library.search.rerank`).
    `sent`: the bytes of an answer as it is sent; None: those of its JSON. A query that has it stays in its process.
    """

    text: str
    mode: Mode = "hybrid"
    k: int = DEFAULT_K
    filters: SearchFilters = EVERYTHING
    cursor: str | None = None
    max_tokens: int = 0
    snippet_chars: int = CHARS
    prefix_last: bool = False
    explain: bool = False
    rerank: bool = False
    sent: Callable[[SearchResponse], int] | None = field(default=None, compare=False, repr=False)


def search(
    store: Store, query: SearchQuery, vectors: VectorSearch | None = None, analysing: Analyse | None = None
) -> SearchResponse:
    """One page of hits. `vectors` is the way to the model; without it `hybrid` answers by words alone and says so.

    `analysing` (`morphemes.analyse`) takes Korean apart where the index was made with it; it may load for seconds and
    hold Python's lock meanwhile, so a process with a screen leaves it out.

    Raises Fault invalid_input (no text, a wrong filter or cursor), model_unreachable where `vector` was asked for and
    cannot be had (not_indexed: only embeddings are missing), and what the store raises.
    """
    checked(query)
    with faults(store.path):
        return _answer(store, query, vectors, analysing)


def checked(query: SearchQuery) -> None:
    """Raise Fault invalid_input where the query asks for nothing or too much."""
    if not query.text.strip():
        raise Fault("invalid_input", "the query is empty", "pass a query")
    if not 1 <= query.k <= MOST_K:
        raise Fault(
            "invalid_input", f"k must be between 1 and {MOST_K}, not {query.k}", "for more results, pass the cursor"
        )
    if query.max_tokens < 0 or not 40 <= query.snippet_chars <= 10_000:
        raise Fault(
            "invalid_input",
            "max_tokens must be at least 0, and snippet_chars must be between 40 and 10,000",
            "correct these numbers",
        )


def _answer(
    store: Store, query: SearchQuery, vectors: VectorSearch | None, analysing: Analyse | None
) -> SearchResponse:
    con, watch = store.con, Stopwatch()
    revision = corpus_revision(con)
    question = (query.text, query.mode, query.filters, query.prefix_last, *(("rerank",) if query.rerank else ()))
    start = read_cursor(query.cursor, revision, question) if query.cursor else 0
    analysing, korean = query_analyser(con, query.text, analysing) if query.mode != "vector" else (None, ())
    half = query.prefix_last and not is_last_word_indexed(con, query.text)
    lexical = lexical_query(query.text, prefix_last=half, analysing=analysing)
    documents = documents_passing(con, query.filters)
    if documents == ():
        refuse_unknown(con, query.filters)
    filtered = _filter_step(query.filters, documents)
    fan = FAN if query.mode == "hybrid" else start + query.k + 1
    words, near, model, known = _not_searched("lexical"), _not_searched("vector"), None, Weighed({})
    if query.mode != "vector":
        words, known = _by_words(con, lexical, documents, fan)
    if query.mode == "hybrid" and lexical.is_name:
        near = Ranked((), Step("vector", "skipped", "a name is searched by keywords only"))
    elif query.mode != "lexical":
        among = chunks_passing(con, documents)
        near, model = vector_search(con, query.text, vectors, among, fan)
        if query.mode == "vector" and model is None:
            raise _no_meaning(near.step)
    mode: Mode = "lexical" if query.mode == "hybrid" and model is None else query.mode
    fused, fusion = _ordered(con, mode, words, near, known)
    if query.mode == "hybrid":
        fused, further_steps = _settled(con, query, lexical, fused, vectors if mode == "hybrid" else None)
        fusion = (*fusion, *further_steps)
    page = fused[start : start + query.k]
    rows = passages(con, [one.item for one in page])
    version, scores = index_version(indexed_by(con)), (dict(words.items), dict(near.items))
    hits = [
        _hit(rows[one.item], at, one, mode, scores, lexical, query, model, version)
        for at, one in enumerate(page, start + 1)
        if one.item in rows
    ]
    if query.explain:
        words, near = _listed(store, words, query.k), _listed(store, near, query.k)
    steps = (*filtered, *korean, words.step, near.step, *fusion)
    hint, further = _hint(store, query, mode, hits, near, documents, korean), len(fused) > start + len(page)

    def answer(count: int) -> SearchResponse:
        count_text = f"{count} hit{'' if count == 1 else 's'}"
        done = Step("search", "hit" if count else "miss", count_text, facts(mode=mode), elapsed_ms=watch.ms())
        more = count and (further or count < len(hits))
        return SearchResponse(
            query=query.text,
            mode=mode,
            hits=tuple(hits[:count]),
            next_cursor=write_cursor(revision, start + count, question) if more else None,
            truncated=count < len(hits),
            hint=hint,
            index_version=version,
            embedding_model=model,
            trace=(*steps, done),
        )

    return _within(answer, len(hits), query)


def _by_words(
    con: apsw.Connection, lexical: LexicalQuery, documents: tuple[str, ...] | None, fan: int
) -> tuple[Ranked, Weighed]:
    """The keyword list, of at least `fan` passages, and how much of the query each holds."""
    words = lexical_search(con, lexical, documents, -(-fan // FAN) * FAN)
    known = weighed(con, lexical, words.ids)
    return by_share(words, known), known


def _no_meaning(step: Step) -> Fault:
    remedy = str(step.fact("remedy") or "search with --mode lexical")
    code = "not_indexed" if remedy == EMBED else "model_unreachable"
    return Fault(code, f"no semantic search: {step.reason}", hint_of(remedy))


def _ordered(
    con: apsw.Connection, mode: Mode, words: Ranked, near: Ranked, known: Weighed
) -> tuple[list[Fused], tuple[Step, ...]]:
    if mode == "hybrid":
        found, step = hybrid(con, words, near, known)
        return found, (step,)
    if mode == "lexical":
        return [Fused(item, score, at, None) for at, (item, score) in enumerate(words.items, 1)], ()
    return [Fused(item, score, None, at) for at, (item, score) in enumerate(near.items, 1)], ()


def _settled(
    con: apsw.Connection, query: SearchQuery, lexical: LexicalQuery, fused: list[Fused], vectors: VectorSearch | None
) -> tuple[list[Fused], tuple[Step, ...]]:
    """The fused list with prose first, and its best hits reranked if the query requests it."""
    fused, lowered = prose_first(con, lexical, fused)
    steps = () if lowered is None else (lowered,)
    if not query.rerank or vectors is None or not fused:
        return fused, steps
    fused, step = rerank(con, query.text, fused, vectors)
    return fused, (*steps, step)


def _hit(
    row: Passage,
    rank: int,
    one: Fused,
    mode: Mode,
    scores: tuple[dict[int, float], dict[int, float]],
    lexical: LexicalQuery,
    query: SearchQuery,
    model: str | None,
    version: str,
) -> SearchHit:
    retrieval = Retrieval(
        mode,
        scores[0].get(row.id),
        scores[1].get(row.id),
        one.score if mode == "hybrid" else None,
        one.lexical_rank,
        one.vector_rank,
        one.late,
    )
    kind: ScoreKind = _KIND[mode] if one.late is None else "rerank"
    return hit(
        row, rank, one.points, kind, retrieval, lexical.terms,
        chars=query.snippet_chars, index_version=version, model=model, now=now(),
    )  # fmt: skip


def fits(found: SearchResponse, query: SearchQuery) -> bool:
    """Whether an answer is within the budget of tokens."""
    return not query.max_tokens or (query.sent or json_bytes)(found) <= query.max_tokens * BYTES_PER_TOKEN


def _within(answer: Callable[[int], SearchResponse], most: int, query: SearchQuery) -> SearchResponse:
    """The answer with as many hits as the budget has room for, at least one."""
    whole = answer(most)
    if most <= 1 or fits(whole, query):
        return whole
    low, high = 1, most  # one may be too many, `most` is
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(answer(middle), query) else (low, middle)
    return answer(low)


def _listed(store: Store, ranked: Ranked, most: int) -> Ranked:
    """Return the list with a step of the trace for each of its best hits."""
    rows = passages(store.con, ranked.ids[:most])
    steps = tuple(
        Step("listed", "hit", citation_of(rows[item]).uri, facts(rank=at, score=round(score, 4)))
        for at, (item, score) in enumerate(ranked.items[:most], 1)
        if item in rows
    )
    return replace(ranked, step=replace(ranked.step, steps=steps))


def _filter_step(filters: SearchFilters, documents: tuple[str, ...] | None) -> tuple[Step, ...]:
    if documents is None:
        return ()
    details = facts(dict(filters.active()), documents=len(documents))
    reason = f"{len(documents)} documents match" if documents else "no document matches"
    return (Step("filters", "hit" if documents else "miss", reason, details),)


def _not_searched(stage: str) -> Ranked:
    return Ranked((), Step(stage, "skipped", UNASKED))


def _hint(
    store: Store,
    query: SearchQuery,
    mode: Mode,
    hits: list[SearchHit],
    near: Ranked,
    documents: tuple[str, ...] | None,
    korean: tuple[Step, ...],
) -> str | None:
    """What a person may want to know of an answer that is empty or less than was asked for."""
    hints = [] if hits else [_why_nothing(store, query, documents)]
    if query.mode != mode:
        remedy = near.step.fact("remedy")
        hints.append(f"Keyword search only: {near.step.reason}." + (f" Run: {remedy}" if remedy else ""))
    elif waiting := near.step.fact("waiting"):
        hints.append(f"Passages without an embedding, found by keywords only: {waiting:,}. Run: {EMBED}")
    return " ".join((*hints, *korean_hint(korean))) or None


def _why_nothing(store: Store, query: SearchQuery, documents: tuple[str, ...] | None) -> str:
    if value(store.con, "SELECT 1 FROM chunks LIMIT 1") is None:
        return EMPTY
    if documents is not None and not documents:
        return NONE_PASSES
    if query.cursor:
        return "No more results."
    return "No passage contains these words."
