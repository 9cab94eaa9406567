"""Evaluation of the search on golden queries, beside a baseline: FTS5 alone, words joined with OR."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

import apsw

from core.base.fault import Fault
from core.base.wire import dumps
from core.lexical import WORD, quoted
from core.library.evaluation.golden import Golden, Suite
from core.library.evaluation.metrics import (
    Evaluation,
    KindRow,
    Measured,
    Moved,
    Pairing,
    Shown,
    SystemRow,
    hit_at,
    holds,
    interval,
    mean,
    measure,
    mrr,
    paired,
    verdict,
)
from core.library.search.api import SearchQuery, search
from core.library.search.fts import index_version, indexed_by
from core.library.search.hit import Mode
from core.library.search.korean import analyse
from core.library.search.lexical import STOP
from core.library.search.rows import Passage, passages
from core.store import Store, now
from core.store.sql import number

if TYPE_CHECKING:
    from core.embedding.runtime.query_model import VectorSearch

_BATCH: Final = 2_000

PLAIN: Final = "plain OR"
FIRST: Final = 3
"""Hits among which an answer counts in what is compared."""
_ASKED: Final = 50  # hits that ranks are looked for in


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
    asked = " OR ".join(quoted(word) for word in kept)
    rows = plain.execute(
        "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain), rowid LIMIT ?", (asked, limit)
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
        found[PLAIN].append(measure(golden, _shown(con, plain_search(plain, golden.query, _ASKED)), k))
        for mode in modes:
            chunks, used = _asked(store, golden.query, mode, vectors)
            model = used or model
            found[mode].append(measure(golden, _shown(con, _ids(con, chunks)), k))
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
        pairings=tuple(_pairing(one, other, kept) for one, other in pairs),
        unanswerable=tuple(_unanswerable(con, suite.queries)),
        misses=tuple(one.id for one in ours if one.rank is None or one.rank > FIRST),
        queries=kept,
    )


def _asked(store: Store, text: str, mode: Mode, vectors: VectorSearch | None) -> tuple[list[str], str | None]:
    """The passages found, and the model used. A question that the model does not read finds nothing by meaning."""
    try:
        answer = search(store, SearchQuery(text, mode, _ASKED), vectors, analyse)
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
        raise Fault("invalid_input", f"no run {with_run} of the suite {done.suite} was kept", "leave --compare out")
    before = str(row[0])
    name = list(done.queries)[-1]
    ranks = dict(_ranks_of(store.con, before, name))
    moved: list[Moved] = []
    for one in done.queries[name]:
        if one.id in ranks:
            told = verdict(one.rank, ranks[one.id])
            moved += [Moved(one.id, told, one.rank, ranks[one.id])] if told != "same" else []
    return replace(done, compared_with=before, moved=tuple(moved))


def _ranks_of(con: apsw.Connection, run_id: str, name: str) -> Iterable[tuple[str, int | None]]:
    rows = con.execute("SELECT query_id, result_json FROM eval_query_results WHERE run_id = ?", (run_id,)).fetchall()
    for query_id, result in cast("list[tuple[str, str]]", rows):
        said = cast("dict[str, str]", json.loads(result)).get(name)
        if said is not None:
            yield query_id, cast("dict[str, Any]", json.loads(said))["rank"]


def _ids(con: apsw.Connection, chunk_ids: Sequence[str]) -> list[int]:
    rows = con.execute(
        "SELECT chunk_id, c.id FROM json_each(?) CROSS JOIN chunks c ON c.chunk_id = value", (json.dumps(chunk_ids),)
    ).fetchall()
    by_id = dict(cast("list[tuple[str, int]]", rows))
    return [by_id[one] for one in chunk_ids]


def _shown(con: apsw.Connection, ids: Sequence[int]) -> list[Shown]:
    rows = passages(con, ids)
    return [_as_shown(rows[item]) for item in ids if item in rows]


def _as_shown(one: Passage) -> Shown:
    labels = (*one.heading_path[-1:], *((one.section_label,) if one.section_label else ()))
    return Shown(one.chunk_id, one.doc_id, one.path, labels, one.text)


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
    said = [float(one) for one in values if one is not None]
    return round(mean(said), 4) if said else None


def _kind(kind: str, found: Mapping[str, Sequence[Measured]]) -> KindRow:
    own = {name: [one for one in rows if one.kind == kind] for name, rows in found.items()}
    return KindRow(kind, len(own[PLAIN]), {name: round(hit_at(rows, FIRST), 4) for name, rows in own.items()})


def _pairing(one: str, other: str, found: Mapping[str, Sequence[Measured]]) -> Pairing:
    return Pairing(one, other, paired(found[one], found[other], FIRST))


def _unanswerable(con: apsw.Connection, queries: Sequence[Golden]) -> Iterable[str]:
    """Queries whose labelled places no passage has: the labels are out of date, or the corpus is another one."""
    for golden in queries:
        paths = sorted({place.doc for place in golden.expect})
        rows = con.execute(
            "SELECT c.id FROM documents d JOIN chunks c ON c.doc_id = d.doc_id"
            " WHERE d.workspace_path IN (SELECT value FROM json_each(?))",
            (json.dumps(paths),),
        ).fetchall()
        there = _shown(con, [cast("int", row[0]) for row in rows])
        if golden.expect and not any(holds(place, one) for place in golden.expect for one in there):
            yield golden.id
