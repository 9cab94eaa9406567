"""What waits to be embedded (kept by triggers), and what could not be: read in constant time, however much there is."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import cast

import apsw

from core.embedding.index.state import VectorState, read_state, write_state
from core.embedding.runtime.embedder import Source
from core.store.sql import now, number, storable

_REASON_KEPT = 300  # code points


@dataclass(frozen=True, slots=True)
class Failure:
    """A text that could not be embedded, and why; `text_sha` is the text's."""

    item_id: int
    text_sha: str
    reason: str


def waiting(con: apsw.Connection, kind: str) -> int:
    """How many items wait: those in the backlog, and those that a change of the model has still to put there."""
    state = read_state(con, kind)
    return number(con, "SELECT waiting FROM backlog_size WHERE kind = ?", (kind,)) + (state.left if state else 0)


def next_waiting(con: apsw.Connection, kind: str, after: int, limit: int, most: int | None = None) -> list[int]:
    """The first `limit` ids in the backlog above `after`, and not above `most`, ascending."""
    sql = "SELECT item_id FROM backlog WHERE kind = ? AND item_id > ? AND item_id <= ? ORDER BY item_id LIMIT ?"
    rows = con.execute(sql, (kind, after, (1 << 62) if most is None else most, limit)).fetchall()
    return [cast("int", row[0]) for row in rows]


def enqueue(con: apsw.Connection, kind: str, ids: Collection[int]) -> int:
    """Put items into the backlog, inside the caller's transaction; returns how many did not wait yet."""
    con.execute(
        "INSERT INTO backlog SELECT ?1, value FROM json_each(?2)"
        " WHERE NOT EXISTS (SELECT 1 FROM backlog WHERE kind = ?1 AND item_id = value)",
        (kind, json.dumps(sorted(ids))),
    )
    return con.changes()


def enqueue_all(con: apsw.Connection, source: Source, state: VectorState) -> VectorState:
    """Let everything wait, inside the caller's transaction; at once, because the worker walks the ids as it goes."""
    left = source.count(con) - number(con, "SELECT waiting FROM backlog_size WHERE kind = ?", (source.kind,))
    changed = state._replace(after=0, left=max(0, left))
    write_state(con, source.kind, changed)
    return changed


def enqueue_more(con: apsw.Connection, source: Source, state: VectorState, limit: int) -> VectorState:
    """The next `limit` items of those that all have to wait into the backlog, inside the caller's transaction."""
    if state.after is None:
        return state
    ids = source.window(con, state.after, limit)
    added = enqueue(con, source.kind, ids)
    changed = state._replace(after=ids[-1] if ids else None, left=max(0, state.left - added) if ids else 0)
    write_state(con, source.kind, changed)
    return changed


def settle(con: apsw.Connection, kind: str, ids: Collection[int]) -> None:
    """Take items out of the backlog, inside the caller's transaction."""
    con.executemany("DELETE FROM backlog WHERE kind = ? AND item_id = ?", ((kind, item_id) for item_id in ids))


def note_failure(con: apsw.Connection, kind: str, model: str, recipe: str, failure: Failure) -> None:
    """Mark a text as one that this model cannot embed, inside the caller's transaction."""
    con.execute(
        "INSERT OR REPLACE INTO embed_failure VALUES (?, ?, ?, ?, ?, ?, ?)",
        (kind, failure.item_id, model, recipe, failure.text_sha, storable(failure.reason)[:_REASON_KEPT], now()),
    )


def read_failures(con: apsw.Connection, kind: str, model: str, recipe: str, ids: Collection[int]) -> dict[int, str]:
    """Of these items those that this model failed on, each with the hash of the text that it failed on."""
    rows = con.execute(
        "SELECT item_id, text_sha FROM json_each(?) CROSS JOIN embed_failure ON kind = ? AND item_id = value"
        " WHERE model = ? AND recipe = ?",
        (json.dumps(list(ids)), kind, model, recipe),
    ).fetchall()
    return dict(cast("list[tuple[int, str]]", rows))


def failures(con: apsw.Connection, kind: str, limit: int = 100) -> tuple[Failure, ...]:
    """The newest failures, for people to look at."""
    sql = "SELECT item_id, text_sha, reason FROM embed_failure WHERE kind = ? ORDER BY ts DESC, item_id LIMIT ?"
    return tuple(Failure(*cast("tuple[int, str, str]", row)) for row in con.execute(sql, (kind, limit)).fetchall())
