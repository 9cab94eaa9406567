"""Writes of an ingest: the known documents, documents put and removed, and the reset of the library."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, cast

import apsw
import orjson

from core.base.fault import Fault
from core.library.documents.read import document_at, sources
from core.library.documents.rows import Document, Media, Source, columns
from core.library.ingest.prepare import ChunkRow, Prepared, derivation_key, keep
from core.library.ingest.readers import CODED, code_lang_of
from core.library.ingest.walk import file_of
from core.library.parse.ocr import ENGINE
from core.library.search.fts import IndexRow, drop_rows, heading_words
from core.store import Store
from core.store.sql import now, number, value

SETTLED: Final = 2.0
"""Seconds between the last change of a file and its reading after which size and time tell whether it changed."""

CODE_LANGS: Final = "1"
"""The version of `readers.code_lang_of`; raised when it names languages that it did not name before."""
SCHEMA_VERSION = 1
AGENT = "casebook"
_COLUMNS = columns(Document)
_VALUES = ", ".join("?" for _ in Document.__slots__)
_INSERT = f"INSERT INTO documents({_COLUMNS}) VALUES ({_VALUES})"
_UPDATE = f"UPDATE documents SET ({_COLUMNS}) = ({_VALUES}) WHERE doc_id = ?"
_ASSET = "INSERT OR IGNORE INTO assets VALUES (?, ?, ?, ?, ?, ?, 'reference', ?, ?)"
_PATH = """INSERT INTO asset_paths VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET asset_id = excluded.asset_id,
 source_id = excluded.source_id, size = excluded.size, mtime_ns = excluded.mtime_ns, looked = excluded.looked"""
_BLOCK = """INSERT INTO blocks(doc_id, block_id, kind, heading_path_json, ordinal, source_span_json, payload_json,
 position) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
_CHUNK = """INSERT INTO chunks(id, chunk_id, doc_id, text, heading_path_json, section_label, source_spans_json,
 token_estimate, chunker_version, policy_hash, block_ids_json, created_at, position, line_start, line_end)
 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_KEEP = """UPDATE chunks SET chunk_id = ?, source_spans_json = ?, token_estimate = ?, chunker_version = ?,
 policy_hash = ?, block_ids_json = ?, position = ?, line_start = ?, line_end = ? WHERE id = ?"""

_EMPTIED = ("document_tags", "blocks", "chunks", "documents", "asset_paths", "assets", "sources", "derivation_cache",
            "chat_turns", "chat_sessions")  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document as it was last read; `looked` is the Unix time of that reading, 0.0 where it is not known."""

    doc_id: str
    workspace_path: str
    asset_id: str
    signature: str
    size: int
    mtime_ns: int
    looked: float
    parser_version: str = ""

    @property
    def is_by_ocr(self) -> bool:
        return f"+{ENGINE}" in self.parser_version

    def is_fresh(self, size: int, mtime_ns: int, signature: str) -> bool:
        """Whether a file of this size and time is the one that was read, and would be read the same way."""
        same = (self.size, self.mtime_ns, self.signature) == (size, mtime_ns, signature)
        return same and self.looked - mtime_ns / 1e9 > SETTLED


def read_known_documents(con: apsw.Connection, source: Source) -> dict[str, KnownDocument]:
    """What the library has of a source, by workspace path."""
    rows = con.execute(
        "SELECT d.doc_id, d.workspace_path, d.asset_id, d.signature, coalesce(p.size, -1), coalesce(p.mtime_ns, 0),"
        " coalesce(p.looked, 0.0), d.parser_version FROM documents d"
        " LEFT JOIN asset_paths p ON p.workspace_path = d.workspace_path WHERE d.source_id = ?",
        (source.source_id,),
    )
    return {one.workspace_path: one for one in (KnownDocument(*row) for row in rows)}


class Vanished:
    """Documents whose files were not found, by their content: a file with that content elsewhere is the same, moved."""

    def __init__(self, known: Iterable[KnownDocument]) -> None:
        self._left = {one.workspace_path: one for one in known}
        self._by_asset: dict[str, list[KnownDocument]] = {}
        for one in sorted(self._left.values(), key=lambda one: one.workspace_path, reverse=True):
            self._by_asset.setdefault(one.asset_id, []).append(one)

    def take(self, asset_id: str) -> KnownDocument | None:
        """One that held this content; it is not taken again."""
        rest = self._by_asset.get(asset_id)
        if not rest:
            return None
        found = rest.pop()
        del self._left[found.workspace_path]
        return found

    def give_back(self, taken: KnownDocument) -> None:
        """Undo the last `take`."""
        self._by_asset[taken.asset_id].append(taken)
        self._left[taken.workspace_path] = taken

    def __iter__(self) -> Iterator[KnownDocument]:
        """Yield the documents that were not taken, by path."""
        return iter(sorted(self._left.values(), key=lambda one: one.workspace_path))


@dataclass(frozen=True, slots=True)
class Placed:
    """A document to write and where it is from. `path` is the file's own name on the disk."""

    source: Source
    workspace_path: str
    path: str
    media: Media
    made: Prepared


def put_document(
    con: apsw.Connection, placed: Placed, old: Document | None, looked: float
) -> list[tuple[int, IndexRow]]:
    """Write a document. `old` is the one whose place it takes: at the same path, or where the file was before.

    Passages whose words and headings stay keep their row, and with it their vectors. Returns the rows that the caller
    puts into the word index (`put_rows`) within the same transaction; it also raises the revision.
    """
    made, ts = placed.made, now()
    con.execute(
        _ASSET,
        (
            *(made.asset_id, f"file://{placed.path}", placed.workspace_path, placed.media, made.size, made.checksum),
            *(placed.path, ts),
        ),
    )
    row = _row(placed, old, ts)
    if old is None:
        con.execute(_INSERT, row)
    else:
        con.execute("DELETE FROM document_tags WHERE doc_id = ?", (old.doc_id,))
        con.execute("DELETE FROM blocks WHERE doc_id = ?", (old.doc_id,))
        con.execute(_UPDATE, (*row, old.doc_id))
    con.executemany("INSERT INTO document_tags VALUES (?, ?)", ((made.doc_id, tag) for tag in made.about.tags))
    con.executemany(_BLOCK, ((made.doc_id, *block) for block in made.blocks))
    indexed = _put_chunks(con, made, old, ts)
    if made.derived is not None:
        keep(con, derivation_key(placed.media, made.asset_id, made.parser_version), placed.media, made.derived)
    if old is not None and old.workspace_path != placed.workspace_path:
        con.execute("DELETE FROM asset_paths WHERE workspace_path = ?", (old.workspace_path,))
    con.execute(
        _PATH, (placed.workspace_path, made.asset_id, placed.source.source_id, made.size, made.mtime_ns, looked)
    )
    if old is not None and old.asset_id != made.asset_id:
        _drop_asset(con, old.asset_id)
    return indexed


def remove_document(con: apsw.Connection, old: Document) -> None:
    """Take a document out, with its passages, their index and their vectors."""
    con.execute("DELETE FROM documents WHERE doc_id = ?", (old.doc_id,))
    con.execute("DELETE FROM asset_paths WHERE workspace_path = ?", (old.workspace_path,))
    _drop_asset(con, old.asset_id)
    raise_revision(con)


def note_event(con: apsw.Connection, path: str, doc_id: str | None, kind: str, note: str | None = None) -> None:
    """Remember what became of a path."""
    con.execute(
        "INSERT INTO provenance_events(at, workspace_path, doc_id, agent, kind, note) VALUES (?, ?, ?, ?, ?, ?)",
        (now(), path, doc_id, AGENT, kind, note),
    )


def fill_code_langs(store: Store) -> None:
    """Give documents of an older version their language of code, once; no file is read. Raises as
    `Store.transaction`."""
    con = store.con
    if value(con, "SELECT value FROM kv WHERE key = 'code_langs'") == CODE_LANGS:
        return
    rows = con.execute(
        "SELECT doc_id, workspace_path, parser_version FROM documents WHERE code_lang IS NULL"
        " AND media_type IN (SELECT value FROM json_each(?))",
        (orjson.dumps(CODED).decode(),),
    ).fetchall()
    found = (
        (code_lang_of(path.rpartition("/")[2], parser), doc)
        for doc, path, parser in cast("list[tuple[str, str, str]]", rows)
    )
    with store.transaction() as con:
        con.executemany("UPDATE documents SET code_lang = ? WHERE doc_id = ?", (one for one in found if one[0]))
        con.execute("INSERT OR REPLACE INTO kv VALUES ('code_langs', ?)", (CODE_LANGS,))


def raise_revision(con: apsw.Connection, changes: int = 1) -> None:
    """Say that so many documents changed: cursors into search results end here."""
    con.execute("UPDATE kv SET value = CAST(value AS INTEGER) + ? WHERE key = 'corpus_revision'", (changes,))


def _row(placed: Placed, old: Document | None, ts: str) -> tuple[Any, ...]:
    made = placed.made
    events = [
        {"at": ts, "agent": AGENT, "kind": "discovered", "note": None},
        {"at": ts, "agent": AGENT, "kind": "parsed", "note": f"parser_version={made.parser_version}"},
        {"at": ts, "agent": AGENT, "kind": "chunked", "note": f"chunker_version={made.chunker_version}"},
        *({"at": ts, "agent": AGENT, "kind": "warning", "note": warning} for warning in made.warnings),
        {"at": ts, "agent": AGENT, "kind": "indexed", "note": None},
    ]
    known = made.about
    document = Document(
        doc_id=made.doc_id,
        asset_id=made.asset_id,
        workspace_path=placed.workspace_path,
        title=known.title,
        lang=known.lang,
        source_type=known.source_type,
        trust_level=known.trust_level,
        parser_version=made.parser_version,
        doc_version=1 if old is None else old.doc_version + 1,
        schema_version=SCHEMA_VERSION,
        metadata_json=made.metadata_json,
        provenance_json=orjson.dumps({"events": events}).decode(),
        created_at=known.created_at,
        updated_at=known.updated_at,
        source_id=placed.source.source_id,
        media_type=placed.media,
        code_lang=made.code_lang,
        repo=made.repo,
        byte_len=made.size,
        block_count=len(made.blocks),
        chunk_count=len(made.chunks),
        chunker_version=made.chunker_version,
        policy_hash=made.policy_hash,
        signature=made.signature,
        indexed_at=ts,
    )
    return tuple(getattr(document, name) for name in Document.__slots__)


def _put_chunks(con: apsw.Connection, made: Prepared, old: Document | None, ts: str) -> list[tuple[int, IndexRow]]:
    known = _stored_chunks(con, made.doc_id) if old is not None else {}
    kept: list[tuple[int, int, ChunkRow]] = []
    fresh: list[tuple[int, ChunkRow]] = []
    for position, one in enumerate(made.chunks):
        same = known.get((one.heading_path_json, one.text))
        if same:
            kept.append((same.popleft(), position, one))
        else:
            fresh.append((position, one))
    con.executemany("DELETE FROM chunks WHERE id = ?", ((at,) for rest in known.values() for at in rest))
    con.executemany(
        _KEEP,
        (
            (
                *(one.chunk_id, one.source_spans_json, one.token_estimate, made.chunker_version, made.policy_hash),
                *(one.block_ids_json, position, one.line_start, one.line_end, item_id),
            )
            for item_id, position, one in kept
        ),
    )
    first = number(con, "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'chunks'")
    con.executemany(_CHUNK, [(at, *_chunk(made, one, position, ts)) for at, (position, one) in enumerate(fresh, first)])
    indexed = [(at, one.indexed) for at, (_, one) in enumerate(fresh, first)]
    if old is not None and old.title != made.about.title:
        stale = [
            (item_id, one.indexed)
            for item_id, _, one in kept
            if heading_words(old.title, one.heading_path) != one.indexed[0]
        ]
        drop_rows(con, [item_id for item_id, _ in stale])
        indexed += stale
    return indexed


def _stored_chunks(con: apsw.Connection, doc_id: str) -> dict[tuple[str, str], deque[int]]:
    found: dict[tuple[str, str], deque[int]] = defaultdict(deque)
    rows = con.execute(
        "SELECT id, heading_path_json, text FROM chunks WHERE doc_id = ? ORDER BY position", (doc_id,)
    ).fetchall()
    for item_id, heading, text in cast("list[tuple[int, str, str]]", rows):
        found[heading, text].append(item_id)
    return found


def _chunk(made: Prepared, one: ChunkRow, position: int, ts: str) -> tuple[Any, ...]:
    label = one.heading_path[-1] if one.heading_path else None
    return (
        *(one.chunk_id, made.doc_id, one.text, one.heading_path_json, label, one.source_spans_json),
        *(one.token_estimate, made.chunker_version, made.policy_hash, one.block_ids_json, ts),
        *(position, one.line_start, one.line_end),
    )


def _drop_asset(con: apsw.Connection, asset_id: str) -> None:
    """Forget a content that lies nowhere any more; what is still somewhere points to where it is."""
    left = value(con, "SELECT workspace_path FROM asset_paths WHERE asset_id = ? LIMIT 1", (asset_id,))
    if left is None and value(con, "SELECT 1 FROM documents WHERE asset_id = ? LIMIT 1", (asset_id,)) is None:
        con.execute("DELETE FROM assets WHERE asset_id = ?", (asset_id,))
    elif left is not None:
        con.execute("UPDATE assets SET workspace_path = ? WHERE asset_id = ?", (left, asset_id))


@dataclass(frozen=True, slots=True)
class ResetReport:
    """What was removed: rows. Citations, evaluations and the history of paths stay; so does every file."""

    SCHEMA: ClassVar[str] = "reset_report.v1"

    scope: Literal["data", "orphans", "folder"]
    documents: int
    passages: int
    vectors: int
    sources: int


def reset_library(store: Store, *, orphans_only: bool = False, folder: Path | None = None) -> ResetReport:
    """Empty the library, with `orphans_only` remove the documents whose files are gone, or remove one root.

    A root that is not there itself keeps its documents: a disk may only be away. Raises Fault as `Store.transaction`,
    and invalid_input for a `folder` that is no root.
    """
    before = _counts(store)
    if folder is not None:
        _remove_root(store, folder)
    elif orphans_only:
        for source in sources(store.con):
            _remove_orphans(store, source)
    else:
        with store.transaction() as con:
            con.execute("INSERT INTO chunks_fts(chunks_fts) VALUES ('delete-all')")
            for table in _EMPTIED:
                con.execute(f"DELETE FROM {table}")
            raise_revision(con)
    after = _counts(store)
    removed = [one - other for one, other in zip(before, after, strict=True)]
    scope: Literal["data", "orphans", "folder"] = "orphans" if orphans_only else "data"
    return ResetReport("folder" if folder is not None else scope, removed[0], removed[1], removed[2], removed[3])


def root_at(con: apsw.Connection, folder: Path) -> Source:
    """The root of the library at this path; its folder need not exist. Raises Fault invalid_input where there is none,
    and apsw errors."""
    known = sources(con)
    try:
        place = str(folder.expanduser().resolve())
    except (OSError, RuntimeError, ValueError):
        place = str(folder)
    found = next((one for one in known if one.root == place), None)
    if found is None:
        named = ", ".join(one.root for one in known)
        hint = f"use one of: {named}" if known else "to add a folder, run: casebook library ingest FOLDER"
        raise Fault("invalid_input", f"{folder} is not a folder of the library", hint)
    return found


def _remove_root(store: Store, folder: Path) -> None:
    source = root_at(store.con, folder)
    with store.transaction() as con:
        for path in read_known_documents(con, source):
            if (old := document_at(con, path)) is not None:
                remove_document(con, old)
                note_event(con, path, old.doc_id, "deleted", "its folder was removed from the library")
        con.execute("DELETE FROM sources WHERE source_id = ?", (source.source_id,))
        raise_revision(con)


def _remove_orphans(store: Store, source: Source) -> None:
    if not Path(source.root).is_dir():
        return
    for path in read_known_documents(store.con, source):
        try:
            there = file_of(source, path).exists()
        except OSError:
            there = True
        if there:
            continue
        with store.transaction() as con:
            old = document_at(con, path)
            if old is not None:
                remove_document(con, old)
                note_event(con, path, old.doc_id, "deleted", "the file no longer exists")


def _counts(store: Store) -> list[int]:
    con = store.con
    return [
        number(con, "SELECT count(*) FROM documents"),
        number(con, "SELECT count(*) FROM chunks"),
        number(con, "SELECT count(*) FROM vector WHERE kind = 'chunk'"),
        number(con, "SELECT count(*) FROM sources"),
    ]
