"""The control of an evaluation: the plainest FTS5 search, every word but stop words joined with OR, nothing else."""

from __future__ import annotations

import re
from typing import Final, cast

import apsw

from core.lexical.query import quoted
from core.library.search.stopwords import STOP

_WORD = re.compile(r"[^\W_]+")
_BATCH: Final = 2_000


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
    words = list(dict.fromkeys(word.casefold() for word in _WORD.findall(text)))
    kept = [word for word in words if word not in STOP] or words
    if not kept:
        return []
    asked = " OR ".join(quoted(word) for word in kept)
    rows = plain.execute(
        "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY bm25(plain), rowid LIMIT ?", (asked, limit)
    ).fetchall()
    return [cast("int", row[0]) for row in rows]
