"""The index of words over passages (`chunks_fts`): what goes into it, and building it anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Final, cast

import apsw

from core.base.installation import remedy
from core.base.trace import Step, facts
from core.lexical import HANGUL_RUN
from core.library.search.korean import PACKAGE, Analyse, analyse, installed, morphemes
from core.library.search.subword import VERSION, pieces
from core.store import Store
from core.store.sql import number, value

UNASKED = "this search does not take Korean apart; syllable pairs serve"
FTS_CONFIG: Final = f"heading_path,text,bigrams;contentless;unicode61 remove_diacritics 2;{VERSION}"
"""What shapes the index. A change of it means that every row is written anew."""

MERGED: Final = 8
"""Pieces of the index that are merged into one. FTS5's own 4 writes a tenth more and finds nothing sooner."""
_PUT = "INSERT INTO chunks_fts(rowid, heading_path, text, bigrams) VALUES (?, ?, ?, ?)"
_BATCH = 2_000


def index_version(analyser: str = "") -> str:
    """`v<schema version>.<hash of the configuration>` (decision 22)."""
    from core.library.documents.ids import short_hash
    from core.store.schema.migrations import SHIPPED

    return f"v{SHIPPED.version}.{short_hash(fts_config(analyser))}"


def fts_config(analyser: str) -> str:
    """The configuration of an index that holds the morphemes of this analyser (`korean.installed`), or none."""
    return f"{FTS_CONFIG};{analyser}" if analyser else FTS_CONFIG


def indexed_by(con: apsw.Connection) -> str:
    """The analyser whose morphemes the index holds; empty where it holds none."""
    config = value(con, "SELECT value FROM kv WHERE key = 'fts_config'")
    last = str(config or "").rpartition(";")[2]
    return last if last.startswith(f"{PACKAGE} ") else ""


def heading_words(title: str, heading_path: Sequence[str]) -> str:
    """The headings of a passage as they are indexed: the document's title first, unless a heading says it already."""
    return " ".join(heading_path if not title or title in heading_path else (title, *heading_path))


IndexRow = tuple[str, str, str]
"""What the index holds of a passage: heading_path, text, bigrams."""


def index_row(title: str, heading_path: Sequence[str], text: str, analysing: Analyse | None = None) -> IndexRow:
    """What is indexed of a passage, with its morphemes by `analysing`. Most of the work: it may be done elsewhere."""
    heading = heading_words(title, heading_path)
    said = f"{heading}\n{text}"
    found = pieces(said)
    taken_apart = morphemes(said, analysing) if analysing is not None else ""
    return heading, text, f"{found} {taken_apart}" if taken_apart else found


def put_rows(con: apsw.Connection, rows: Iterable[tuple[int, IndexRow]]) -> None:
    """Index passages, by their row ids, that are not indexed; inside the caller's transaction."""
    con.executemany(_PUT, ((item_id, *row) for item_id, row in rows))


def drop_rows(con: apsw.Connection, ids: Sequence[int]) -> None:
    """Take passages out of the index, inside the caller's transaction."""
    con.executemany("DELETE FROM chunks_fts WHERE rowid = ?", ((item_id,) for item_id in ids))


def rebuild_fts(
    store: Store,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    analyser: str | None = None,
) -> int:
    """Build `chunks_fts` anew from the passages (`library index --rebuild-fts`), in one transaction.

    `analyser`: what takes Korean apart, empty for none; None: as the index was, if that is installed. `on_progress`
    hears how many of how many are done. Cancelled, it leaves the index as it was and returns -1; else the number of
    passages. Raises Fault as `Store.transaction`.
    """
    con = store.con
    if analyser is None:
        analyser = installed() if indexed_by(con) else ""
    analysing = analyse if analyser else None
    total = number(con, "SELECT count(*) FROM chunks")
    done, last = 0, 0
    con_sql = (
        "SELECT c.id, d.title, c.heading_path_json, c.text FROM chunks c JOIN documents d ON d.doc_id = c.doc_id"
        " WHERE c.id > ? ORDER BY c.id LIMIT ?"
    )
    try:
        with store.transaction():
            con.execute("INSERT INTO chunks_fts(chunks_fts) VALUES ('delete-all')")
            while rows := cast("list[tuple[int, str, str, str]]", con.execute(con_sql, (last, _BATCH)).fetchall()):
                if cancelled():
                    raise _Cancelled
                made = ((at, index_row(title, json.loads(path), text, analysing)) for at, title, path, text in rows)
                put_rows(con, made)
                last, done = rows[-1][0], done + len(rows)
                if on_progress is not None:
                    on_progress(done, total)
            con.execute("INSERT OR REPLACE INTO kv VALUES ('fts_config', ?)", (fts_config(analyser),))
    except _Cancelled:
        return -1
    return done


def refresh_fts(store: Store, analyser: str = "", *, cancelled: Callable[[], bool] = lambda: False) -> None:
    """Build the index anew where another version or analyser made it, and see to how it grows.

    Raises as `Store.transaction`.
    """
    if value(store.con, "SELECT value FROM kv WHERE key = 'fts_config'") != fts_config(analyser):
        rebuild_fts(store, cancelled=cancelled, analyser=analyser)
    if value(store.con, "SELECT v FROM chunks_fts_config WHERE k = 'automerge'") != MERGED:
        with store.transaction() as con:
            con.execute("INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('automerge', ?)", (MERGED,))


class _Cancelled(Exception):
    pass


def query_analyser(
    con: apsw.Connection, text: str, analysing: Analyse | None
) -> tuple[Analyse | None, tuple[Step, ...]]:
    """`analysing`, where the index holds morphemes of the analyser that is installed here, and the step that tells.

    There is no step where nothing is to be told: no Korean in the query, or no morphemes in the index.
    """
    if HANGUL_RUN.search(text) is None or not (by := indexed_by(con)):
        return None, ()
    if analysing is None:
        return None, (Step("morphemes", "skipped", UNASKED),)
    if (here := installed()) != by:
        told = facts(remedy="casebook library ingest" if here else remedy("ko"))
        reason = f"the index holds morphemes of {by}, here is {here or 'none'}; syllable pairs serve"
        return None, (Step("morphemes", "failed", reason, told),)
    return analysing, (Step("morphemes", "hit", by),)


def korean_hint(steps: tuple[Step, ...]) -> list[str]:
    """What a person may want to know of it."""
    return [f"{step.reason} (mended by: {step.fact('remedy')})" for step in steps if step.outcome == "failed"]
