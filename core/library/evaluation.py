"""Golden queries: questions with the places that answer them, metrics, a baseline and the report (frozen design 10.3).

A place is a document with a section (a heading or a symbol) or with a quote: both outlive an edit that moves lines and
changes ids. Ids of documents and chunks are taken too. The baseline is FTS5 alone, words joined with OR.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, cast

import apsw

from core.base.fault import Fault
from core.base.wire import dumps
from core.lexical import WORD, quoted
from core.library.search.api import SearchQuery, search
from core.library.search.fts import index_version, indexed_by
from core.library.search.korean import analyse
from core.library.search.lexical import STOP
from core.library.search.rows import Mode, Passage, passages
from core.store import Store, now
from core.store.sql import number

if TYPE_CHECKING:
    from core.embedding.runtime.query_model import VectorSearch

_KEYS: Final = frozenset(
    [
        "id",
        "query",
        "kind",
        "lang",
        "expect",
        "expected_doc_ids",
        "expected_chunk_ids",
        "must_contain",
        "forbidden",
        "note",
    ]
)
_MOST: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an answer: a document's path, and a section (last heading or symbol) or a quote in it."""

    doc: str
    section: str | None = None
    quote: str | None = None


@dataclass(frozen=True, slots=True)
class Golden:
    """A labelled question. `expect`: any of them answers. `must_contain` and `forbidden`: what the first k passages
    say, all of the one and none of the other."""

    id: str
    query: str
    kind: str = ""
    lang: str = ""
    expect: tuple[Place, ...] = ()
    doc_ids: tuple[str, ...] = ()
    chunk_ids: tuple[str, ...] = ()
    must_contain: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """Questions under one name, and the files they are about (`corpus`, relative to the working folder)."""

    name: str
    corpus: tuple[str, ...]
    queries: tuple[Golden, ...]


def read_suite(path: Path) -> Suite:
    """The suite in a YAML file. Raises Fault io_error, invalid_input with what is wrong and where."""
    import yaml

    try:
        data = path.read_bytes()
    except OSError as error:
        raise Fault("io_error", f"{path}: {error.strerror or error}", "pass a file of golden queries") from None
    if len(data) > _MOST:
        raise Fault("invalid_input", f"{path} is larger than {_MOST >> 20} MiB", "split the file")
    try:
        content: object = yaml.safe_load(data.decode("utf-8-sig"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        what = " ".join(str(error).split())
        raise Fault("invalid_input", f"{path} is not valid YAML: {what}", "correct that line") from None
    if not isinstance(content, dict | list):
        raise _wrong(path, "it is not a mapping with `queries`")
    top = cast("dict[str, Any]", content) if isinstance(content, dict) else {"queries": cast("list[object]", content)}
    rows: object = top.get("queries")
    if not isinstance(rows, list) or not rows:
        raise _wrong(path, "it has no queries")
    found = tuple(_golden(path, at, one) for at, one in enumerate(cast("list[object]", rows), 1))
    twice = [one.id for at, one in enumerate(found) if one.id in {other.id for other in found[:at]}]
    if twice:
        raise _wrong(path, f"duplicate id {twice[0]}")
    return Suite(str(top.get("suite") or path.stem), _texts(path, top, "corpus"), found)


def _golden(path: Path, at: int, value: object) -> Golden:
    if not isinstance(value, dict):
        raise _wrong(path, f"query {at} is not a mapping")
    row = cast("dict[str, Any]", value)
    unknown = sorted(set(row) - _KEYS)
    if unknown:
        raise _wrong(path, f"query {at} has an unknown key: {unknown[0]}")
    query: object = row.get("query")
    if not isinstance(query, str) or not query.strip():
        raise _wrong(path, f"query {at} has no text")
    where: object = row.get("expect") or []
    if not isinstance(where, list):
        raise _wrong(path, f"`expect` of query {at} is not a list")
    return Golden(
        str(row.get("id") or at),
        query,
        str(row.get("kind") or ""),
        str(row.get("lang") or ""),
        tuple(_place(path, at, one) for one in cast("list[object]", where)),
        _texts(path, row, "expected_doc_ids"),
        _texts(path, row, "expected_chunk_ids"),
        _texts(path, row, "must_contain"),
        _texts(path, row, "forbidden"),
    )


def _place(path: Path, at: int, value: object) -> Place:
    row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if not isinstance(row.get("doc"), str) or set(row) - {"doc", "section", "quote"}:
        raise _wrong(path, f"an item of `expect` of query {at} does not have the form {{doc, section or quote}}")
    section, quote = row.get("section"), row.get("quote")
    return Place(str(row["doc"]), None if section is None else str(section), None if quote is None else str(quote))


def _texts(path: Path, row: dict[str, Any], name: str) -> tuple[str, ...]:
    value: object = row.get(name) or []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in cast("Sequence[object]", value)):
        raise _wrong(path, f"`{name}` is not a list of strings")
    return tuple(cast("list[str]", value))


_FORM = "a query has the form: {id: NAME, query: TEXT, expect: [{doc: PATH, section: HEADING}]}"


def _wrong(path: Path, what: str) -> Fault:
    return Fault("invalid_input", f"{path}: {what}", _FORM)


RESAMPLES: Final = 2_000
"""Draws of the bootstrap behind an interval; seeded, so a repetition gives the same one."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage that a search put forward: what is needed to tell whether it answers. `labels`: its last
    heading, its symbol."""

    chunk_id: str
    doc_id: str
    path: str
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One query measured. `rank`: of the first passage that answers, None if none does; shares are None where the query
    has no labels of that kind; `must_contain` and `forbidden` are true where they hold."""

    id: str
    kind: str
    lang: str
    found: int
    rank: int | None
    doc_rank: int | None
    recall_doc: float | None
    precision_chunk: float | None
    must_contain: bool | None
    forbidden: bool | None


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % confidence interval (bootstrap over the queries), and of how many."""

    value: float
    low: float
    high: float
    of: int


def measure(golden: Golden, shown: Sequence[ShownPassage], k: int) -> Measured:
    """How the first `k` passages answer a query. `shown` are all that were asked for, best first."""
    answers = [at for at, one in enumerate(shown, 1) if is_answer(golden, one)]
    documents = [at for at, one in enumerate(shown, 1) if _is_document(golden, one)]
    first = shown[:k]
    expected = {place.doc for place in golden.expect} | set(golden.doc_ids)
    seen = {one.path for one in first} | {one.doc_id for one in first}
    labelled = bool(golden.expect or golden.chunk_ids)
    joined = "\n".join(one.text for one in first)
    return Measured(
        golden.id,
        golden.kind,
        golden.lang,
        len(shown),
        answers[0] if answers else None,
        documents[0] if documents else None,
        len(expected & seen) / len(expected) if expected else None,
        sum(is_answer(golden, one) for one in first) / k if labelled else None,
        all(text in joined for text in golden.must_contain) if golden.must_contain else None,
        not any(text in joined for text in golden.forbidden) if golden.forbidden else None,
    )


def is_answer(golden: Golden, one: ShownPassage) -> bool:
    return one.chunk_id in golden.chunk_ids or any(holds(place, one) for place in golden.expect)


def holds(place: Place, one: ShownPassage) -> bool:
    """Whether a passage is of that place: the document, and its section or the quote."""
    if place.doc != one.path:
        return False
    if place.section is not None and _folded(place.section) not in map(_folded, one.labels):
        return False
    return place.quote is None or _folded(place.quote) in _folded(one.text)


def _is_document(golden: Golden, one: ShownPassage) -> bool:
    return one.doc_id in golden.doc_ids or any(place.doc == one.path for place in golden.expect)


def _folded(text: str) -> str:
    """Markdown's marks and runs of blanks are no difference: a parser takes them out of the headings."""
    return " ".join(text.replace("`", "").split())


def hit_at(found: Sequence[Measured], k: int) -> float:
    """The share of queries with an answer among the first `k`."""
    return mean([float(one.rank is not None and one.rank <= k) for one in found])


def mrr(found: Sequence[Measured]) -> float:
    """The mean of one divided by the rank of the first answer."""
    return mean([1 / one.rank if one.rank else 0.0 for one in found])


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def interval(values: Sequence[float]) -> Interval:
    """The mean of one number a query, with its interval."""
    if not values:
        return Interval(0.0, 0.0, 0.0, 0)
    draw = random.Random(0)
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(RESAMPLES))
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]
    return Interval(round(mean(values), 4), round(low, 4), round(high, 4), len(values))


def paired(ours: Sequence[Measured], theirs: Sequence[Measured], k: int) -> Interval:
    """How much more often ours has an answer among the first `k`, query by query."""
    rank = {one.id: one.rank for one in theirs}
    return interval([float(_within(one.rank, k)) - float(_within(rank.get(one.id), k)) for one in ours])


Verdict = Literal["better", "same", "regressed"]


def verdict(now: int | None, before: int | None) -> Verdict:
    """Return whether the first answer ranks earlier, equally, or later (None: nowhere) than in an earlier run."""
    ranks = now or math.inf, before or math.inf
    return "same" if ranks[0] == ranks[1] else "better" if ranks[0] < ranks[1] else "regressed"


def _within(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k


@dataclass(frozen=True, slots=True)
class SystemRow:
    """How one way of searching did: means over the queries; `empty`: queries without any result."""

    name: str
    queries: int
    empty: int
    hit_at_1: float
    hit_at_3: Interval
    hit_at_10: float
    mrr: float
    doc_hit_at_3: float
    recall_at_k_doc: float | None
    precision_at_k_chunk: float | None
    must_contain: float | None
    forbidden: float | None


@dataclass(frozen=True, slots=True)
class KindRow:
    """Section hit@3 of the queries of one kind, by way of searching."""

    kind: str
    queries: int
    hit_at_3: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Pairing:
    """How much more often one way has an answer among the first three than another, query by query."""

    better: str
    than: str
    difference: Interval


@dataclass(frozen=True, slots=True)
class Moved:
    """A query with another rank of its answer than in the compared run."""

    id: str
    verdict: Verdict
    rank: int | None
    before: int | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome (`library_eval.v1`). `unanswerable`: labels that no passage of the library has; `misses`: queries of
    the last way whose answer is not among the first three; `compared_with`: the run that `moved` looks back to."""

    SCHEMA: ClassVar[str] = "library_eval.v1"

    run_id: str
    suite: str
    k: int
    chunks: int
    index_version: str
    embedding_model: str | None
    systems: tuple[SystemRow, ...]
    kinds: tuple[KindRow, ...]
    pairings: tuple[Pairing, ...]
    unanswerable: tuple[str, ...]
    misses: tuple[str, ...]
    queries: Mapping[str, tuple[Measured, ...]]
    compared_with: str | None = None
    moved: tuple[Moved, ...] = ()


_BATCH: Final = 2_000

PLAIN: Final = "plain OR"
FIRST: Final = 3
"""Hits among which an answer counts in what is compared."""
_DEPTH: Final = 50  # hits that ranks are looked for in


def plain_index(con: apsw.Connection) -> apsw.Connection:
    """The passages of a casebook in an index of its own, in memory: headings and text, `unicode61`."""
    plain = apsw.Connection(":memory:")
    plain.execute("CREATE VIRTUAL TABLE plain USING fts5(heading, text, tokenize = 'unicode61')")
    last = 0
    while rows := cast(
        "list[tuple[int, str, str]]",
        con.execute(
            "SELECT id, heading_path_json, text FROM chunks WHERE id > ? ORDER BY id LIMIT ?", (last, _BATCH)
        ).fetchall(),
    ):
        plain.executemany("INSERT INTO plain(rowid, heading, text) VALUES (?, ?, ?)", rows)
        last = rows[-1][0]
    return plain


def plain_search(plain: apsw.Connection, text: str, limit: int) -> list[int]:
    """The chunks with any of the words, by bm25."""
    words = list(dict.fromkeys(word.casefold() for word in WORD.findall(text)))
    kept = [word for word in words if word not in STOP] or words
    if not kept:
        return []
    match = " OR ".join(quoted(word) for word in kept)
    rows = plain.execute(
        "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain), rowid LIMIT ?", (match, limit)
    ).fetchall()
    return [cast("int", row[0]) for row in rows]


def evaluate(
    store: Store, suite: Suite, modes: Sequence[Mode], vectors: VectorSearch | None = None, k: int = 10
) -> Evaluation:
    """Ask every query in every mode, and of the plain search; `k`: of recall and precision. Raises as `search`."""
    plain, con = plain_index(store.con), store.con
    found: dict[str, list[Measured]] = {PLAIN: [], **{mode: list[Measured]() for mode in modes}}
    model: str | None = None
    for golden in suite.queries:
        found[PLAIN].append(measure(golden, _read_passages(con, plain_search(plain, golden.query, _DEPTH)), k))
        for mode in modes:
            chunks, used = _search_passages(store, golden.query, mode, vectors)
            model = used or model
            found[mode].append(measure(golden, _read_passages(con, _ids(con, chunks)), k))
    names, ours = list(found), found[modes[-1] if modes else PLAIN]
    pairs = [(one, other) for at, other in enumerate(names) for one in names[at + 1 :]]
    kept = {name: tuple(rows) for name, rows in found.items()}
    return Evaluation(
        run_id=hashlib.sha256(f"{now()}{suite.name}{kept}".encode()).hexdigest()[:16],
        suite=suite.name,
        k=k,
        chunks=number(con, "SELECT count(*) FROM chunks"),
        index_version=index_version(indexed_by(con)),
        embedding_model=model,
        systems=tuple(_system(name, rows) for name, rows in kept.items()),
        kinds=tuple(_kind(kind, kept) for kind in dict.fromkeys(one.kind for one in suite.queries)),
        pairings=tuple(Pairing(one, other, paired(kept[one], kept[other], FIRST)) for one, other in pairs),
        unanswerable=tuple(_unanswerable(con, suite.queries)),
        misses=tuple(one.id for one in ours if one.rank is None or one.rank > FIRST),
        queries=kept,
    )


def _search_passages(store: Store, text: str, mode: Mode, vectors: VectorSearch | None) -> tuple[list[str], str | None]:
    """The passages found, and the model used. A question that the model does not read finds nothing by meaning."""
    try:
        answer = search(store, SearchQuery(text, mode, _DEPTH), vectors, analyse)
    except Fault as fault:
        if fault.code != "model_unreachable":
            raise
        return [], None
    return [hit.chunk_id for hit in answer.hits], answer.embedding_model


def keep(store: Store, done: Evaluation) -> None:
    """Store a run, so that a later one can be compared with it. Raises Fault as `Store.transaction`."""
    snapshot = json.dumps({"index_version": done.index_version, "model": done.embedding_model, "k": done.k})
    with store.transaction() as con:
        aggregate = dumps(replace(done, queries={}))
        con.execute(
            "INSERT OR REPLACE INTO eval_runs VALUES (?, ?, ?, ?, NULL, ?)",
            (done.run_id, done.suite, snapshot, aggregate, now()),
        )
        for at in range(len(done.queries[PLAIN])):
            rows = {name: dumps(rows[at]) for name, rows in done.queries.items()}
            con.execute(
                "INSERT OR REPLACE INTO eval_query_results VALUES (?, ?, ?)",
                (done.run_id, done.queries[PLAIN][at].id, json.dumps(rows)),
            )


def compared(store: Store, done: Evaluation, with_run: str | None = None) -> Evaluation:
    """The same, with what moved since the newest kept run of the suite (or the one named).

    Raises Fault invalid_input where there is no such run.
    """
    row = store.con.execute(
        "SELECT run_id FROM eval_runs WHERE suite = ?1 AND run_id <> ?2 AND (?3 IS NULL OR run_id = ?3)"
        " ORDER BY created_at DESC, run_id LIMIT 1",
        (done.suite, done.run_id, with_run),
    ).fetchone()
    if row is None:
        if with_run is None:
            return done
        raise Fault("invalid_input", f"no saved run {with_run} of the suite {done.suite}", "omit --compare")
    before = str(row[0])
    name = list(done.queries)[-1]
    ranks = dict(_ranks_of(store.con, before, name))
    moved: list[Moved] = []
    for one in done.queries[name]:
        if one.id in ranks:
            outcome = verdict(one.rank, ranks[one.id])
            moved += [Moved(one.id, outcome, one.rank, ranks[one.id])] if outcome != "same" else []
    return replace(done, compared_with=before, moved=tuple(moved))


def _ranks_of(con: apsw.Connection, run_id: str, name: str) -> Iterable[tuple[str, int | None]]:
    rows = con.execute("SELECT query_id, result_json FROM eval_query_results WHERE run_id = ?", (run_id,)).fetchall()
    for query_id, result in cast("list[tuple[str, str]]", rows):
        outcome = cast("dict[str, str]", json.loads(result)).get(name)
        if outcome is not None:
            yield query_id, cast("dict[str, Any]", json.loads(outcome))["rank"]


def _ids(con: apsw.Connection, chunk_ids: Sequence[str]) -> list[int]:
    rows = con.execute(
        "SELECT chunk_id, c.id FROM json_each(?) CROSS JOIN chunks c ON c.chunk_id = value", (json.dumps(chunk_ids),)
    ).fetchall()
    by_id = dict(cast("list[tuple[str, int]]", rows))
    return [by_id[one] for one in chunk_ids]


def _read_passages(con: apsw.Connection, ids: Sequence[int]) -> list[ShownPassage]:
    rows = passages(con, ids)
    return [_to_passage(rows[item]) for item in ids if item in rows]


def _to_passage(one: Passage) -> ShownPassage:
    labels = (*one.heading_path[-1:], *((one.section_label,) if one.section_label else ()))
    return ShownPassage(one.chunk_id, one.doc_id, one.path, labels, one.text)


def _system(name: str, rows: Sequence[Measured]) -> SystemRow:
    return SystemRow(
        name,
        len(rows),
        sum(one.found == 0 for one in rows),
        round(hit_at(rows, 1), 4),
        interval([float(one.rank is not None and one.rank <= FIRST) for one in rows]),
        round(hit_at(rows, 10), 4),
        round(mrr(rows), 4),
        round(mean([float(one.doc_rank is not None and one.doc_rank <= FIRST) for one in rows]), 4),
        _mean_of([one.recall_doc for one in rows]),
        _mean_of([one.precision_chunk for one in rows]),
        _mean_of([one.must_contain for one in rows]),
        _mean_of([one.forbidden for one in rows]),
    )


def _mean_of(values: Iterable[float | bool | None]) -> float | None:
    numbers = [float(one) for one in values if one is not None]
    return round(mean(numbers), 4) if numbers else None


def _kind(kind: str, found: Mapping[str, Sequence[Measured]]) -> KindRow:
    own = {name: [one for one in rows if one.kind == kind] for name, rows in found.items()}
    return KindRow(kind, len(own[PLAIN]), {name: round(hit_at(rows, FIRST), 4) for name, rows in own.items()})


def _unanswerable(con: apsw.Connection, queries: Sequence[Golden]) -> Iterable[str]:
    """Queries whose labelled places no passage has: the labels are out of date, or the corpus is another one."""
    for golden in queries:
        paths = sorted({place.doc for place in golden.expect})
        rows = con.execute(
            "SELECT c.id FROM documents d JOIN chunks c ON c.doc_id = d.doc_id"
            " WHERE d.workspace_path IN (SELECT value FROM json_each(?))",
            (json.dumps(paths),),
        ).fetchall()
        there = _read_passages(con, [cast("int", row[0]) for row in rows])
        if golden.expect and not any(holds(place, one) for place in golden.expect for one in there):
            yield golden.id
