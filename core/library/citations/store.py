"""Citations that something rests on: kept by their words and heading, because lines and ids change with each edit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, cast

import apsw

from core.base.fault import Fault
from core.library.citations.citation import parse
from core.library.documents.read import chunk, document
from core.library.documents.rows import Chunk, Document
from core.library.search.inspect import chunk_at
from core.library.search.rows import citation_of, passages
from core.store import Store, change, now

QUOTE: Final = 400
"""Code points of a quote at most: what the aligner looks for with slips, too."""
AROUND: Final = 60
"""Code points kept before and after it: they tell one of several equal places."""
_COLUMNS = "id, cited_by, item_id, workspace_path, uri, quote, prefix, suffix, heading_path_json, author, ts"


@dataclass(frozen=True, slots=True)
class KeptCitation:
    """A passage that `cited_by` (resolution, entry, note) `item_id` cites; `uri` is where it stood then."""

    id: int
    cited_by: str
    item_id: str
    workspace_path: str
    uri: str
    quote: str
    prefix: str
    suffix: str
    heading_path_json: str
    author: str
    ts: str

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings it stood under."""
        return tuple(cast("list[str]", json.loads(self.heading_path_json)))


def cite(store: Store, cited_by: str, item_id: str, name: str, author: str, quote: str | None = None) -> KeptCitation:
    """Let an item cite a passage, named by its chunk id or its URI; can be undone. The same words twice are one.

    `quote`: the words of the passage that matter; without it, its beginning. Raises Fault not_indexed where there is no
    such passage, invalid_input where the quote does not stand in it, and what `Store.transaction` raises.
    """
    con = store.con
    found, doc = passage_named(con, name)
    words = _beginning(found.text, found.section_label) if quote is None else quote.strip()
    at = found.text.find(words)
    if not words or at < 0:
        raise Fault("invalid_input", "the quote does not stand in that passage", "copy it from the passage")
    uri = citation_of(passages(con, [found.id])[found.id]).uri
    around = found.text[max(0, at - AROUND) : at], found.text[at + len(words) : at + len(words) + AROUND]
    row = (cited_by, item_id, doc.workspace_path, uri, words, *around, found.heading_path_json, author, now())
    for one in citations_of(store, cited_by, item_id):
        if (one.workspace_path, one.quote) == (doc.workspace_path, words):
            return one
    with change(store, author, f"cite {uri}"):
        con.execute(f"INSERT INTO citation({_COLUMNS[4:]}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        made = con.last_insert_rowid()
    return KeptCitation(made, *row)


def passage_named(con: apsw.Connection, name: str) -> tuple[Chunk, Document]:
    """The passage with this chunk id, or that this URI points into, and its document. Raises Fault not_indexed."""
    found = chunk(con, name) or (chunk_at(con, parse(name)) if "#" in name else None)
    doc = document(con, found.doc_id) if found else None
    if found is None or doc is None:
        raise Fault("not_indexed", f"the library has no passage {name[:200]}", "cite a hit of casebook library search")
    return found, doc


def citations_of(store: Store, cited_by: str, item_id: str) -> tuple[KeptCitation, ...]:
    """What an item cites, in the order it was cited."""
    rows = store.con.execute(
        f"SELECT {_COLUMNS} FROM citation WHERE cited_by = ? AND item_id = ? ORDER BY id", (cited_by, item_id)
    ).fetchall()
    return tuple(KeptCitation(*row) for row in rows)  # pyright: ignore[reportArgumentType]


def uncite(store: Store, citation_id: int, author: str) -> bool:
    """Take a citation back; whether there was one. Can be undone."""
    with change(store, author, "take a citation back"):
        store.con.execute("DELETE FROM citation WHERE id = ?", (citation_id,))
        return store.con.changes() > 0


def _beginning(text: str, label: str | None) -> str:
    """The first words of a passage that are not its heading."""
    body = text.removeprefix(label or "").strip() or text.strip()
    if len(body) <= QUOTE:
        return body
    cut = body[:QUOTE]
    end = max(cut.rfind(sign) for sign in (" ", "\n"))
    return cut[: end if end > QUOTE // 2 else QUOTE].strip()
