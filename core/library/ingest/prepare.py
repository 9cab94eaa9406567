"""Preparation of one file: read, parse and chunk it, without the store, so that it can run in another process.

Text that is expensive to extract is cached by the hash of its source: another chunking does not extract it again.
Title, language, tags, times and trust come from the frontmatter, else from the text and the file (frozen design 3.6).
"""

from __future__ import annotations

import datetime as dt
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import apsw
import orjson

from core.base.installation import remedy
from core.base.lazy import lazy_pattern
from core.library.chunk import ChunkPolicy, policy_hash
from core.library.documents import rows as ids
from core.library.documents.rows import (
    SOURCE_TYPES,
    TRUST_LEVELS,
    Media,
    Parsed,
    ParsedBlock,
    Passage,
    Source,
    SourceType,
    TrustLevel,
    id_from,
    span_object,
    span_of,
    spans_json,
)
from core.library.ingest.readers import CODED, Reader, code_lang_of, generated, reader_of, signature
from core.library.ingest.walk import LINK_OUT, GitFacts
from core.library.parse.text import LOOKED, decode, is_binary
from core.library.search.fts import IndexRow, index_row
from core.library.search.korean import Analyse, analyse
from core.store.sql import now
from core.text.cleaning import normalized
from core.text.tokenizing import count_letters

_TITLE: Final = 80
_SAMPLE: Final = 4_000
_KOREAN: Final = 0.2
"""The share of Hangul among the letters from which a text is Korean: technical Korean is full of English words."""
_PLAIN: Final = 0.9
"""The share of Latin letters from which a text is English, and of both from which it is neither's but mixed."""
_SOME: Final = 0.02
"""The share of Hangul below which a text has only names and examples in Korean."""
_MOST_TAGS: Final = 100
_LATIN = lazy_pattern("[A-Za-z]+")
_KNOWN = (
    *("title", "tags", "aliases", "id", "lang", "language", "source_type", "trust_level"),
    *("created_at", "created", "date", "updated_at", "updated", "modified"),
)
_BY_MEDIA: Mapping[Media, SourceType] = {
    "markdown": "markdown",
    "text": "note",
    "pdf": "paper",
    "picture": "reference",
    "code": "reference",
    "manifest": "reference",
}


@dataclass(frozen=True, slots=True)
class About:
    """`metadata` is what `documents.metadata_json` holds; times are ISO 8601 in UTC."""

    title: str
    lang: str
    source_type: SourceType
    trust_level: TrustLevel
    tags: tuple[str, ...]
    created_at: str
    updated_at: str
    metadata: Mapping[str, Any]


def about(parsed: Parsed, relative: str, media: Media, source: Source, mtime_ns: int) -> About:
    """The properties of a document: of its frontmatter, with defaults for missing or invalid ones."""
    properties = parsed.properties
    changed = _shown(dt.datetime.fromtimestamp(mtime_ns / 1e9, dt.UTC))
    created = _first(properties, "created_at", "created", "date")
    updated = _first(properties, "updated_at", "updated", "modified")
    given_type, given_trust = str(properties.get("source_type", "")), str(properties.get("trust_level", ""))
    tags = _texts(properties.get("tags"))
    source_type = given_type if given_type in SOURCE_TYPES else source.source_type or _BY_MEDIA[media]
    metadata = {
        "aliases": list(_texts(properties.get("aliases"))),
        "tags": list(tags),
        "user_id_alias": None if properties.get("id") is None else str(properties["id"]),
        "user": {name: value for name, value in properties.items() if name not in _KNOWN},
        "times": {name: properties[name] for name in _KNOWN[8:] if properties.get(name) is not None},
    }
    return About(
        title=title_of(parsed, relative),
        lang=_lang(parsed),
        source_type=source_type,
        trust_level=given_trust if given_trust in TRUST_LEVELS else source.trust_level,
        tags=tags,
        created_at=(utc(created) if created else None) or changed,
        updated_at=(utc(updated) if updated else None) or changed,
        metadata=metadata,
    )


def title_of(parsed: Parsed, relative: str) -> str:
    """The title: of the frontmatter, the first H1, the first H2, the first paragraph (80 code points), the file."""
    title = parsed.properties.get("title")
    if isinstance(title, (str, int, float)) and str(title).strip():
        return _one_line(str(title))
    for level in (1, 2):
        for block in parsed.blocks:
            if block.kind == "heading" and block.payload.get("level") == level and block.text.strip():
                return _one_line(block.text)
    if any(block.payload.get("level") for block in parsed.blocks) or parsed.properties or _is_prose(relative):
        for block in parsed.blocks:
            if block.kind == "paragraph" and block.text.strip():
                return _one_line(block.text[: _TITLE * 2])[:_TITLE]
    name = relative.rpartition("/")[2]
    stem = name.rpartition(".")[0] if _is_prose(relative) else name
    return stem or name or "untitled"


def utc(text: str) -> str | None:
    """Convert an ISO 8601 time or date to UTC; None if it is invalid. Without a zone it counts as UTC."""
    try:
        time = dt.datetime.fromisoformat(text.strip())
        time = time.replace(tzinfo=dt.UTC) if time.tzinfo is None else time.astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None
    return _shown(time)


def _shown(time: dt.datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def _is_prose(relative: str) -> bool:
    return relative.lower().endswith((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".txt", ".rst", ".adoc", ".org"))


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]


def _lang(parsed: Parsed) -> str:
    for name in ("lang", "language"):
        lang = parsed.properties.get(name)
        if isinstance(lang, str) and 2 <= len(lang.strip()) <= 12:
            return lang.strip().lower()
    sample: list[str] = []
    size = 0
    for block in parsed.blocks:
        if block.kind != "code":
            sample.append(block.text[:_SAMPLE])
            size += len(sample[-1])
        if size > _SAMPLE:
            break
    text = "\n".join(sample)
    if text.isascii():
        return "en" if _LATIN.search(text) else "und"
    letters, latin, syllables = count_letters(text)
    hangul = syllables / letters if letters else 0.0
    if hangul >= _KOREAN:
        return "ko"
    if letters and latin >= _PLAIN * letters:
        return "en"
    return "mixed" if hangul >= _SOME and latin >= (_PLAIN - hangul) * letters else "und"


def _first(properties: Mapping[str, Any], *names: str) -> str | None:
    return next((str(properties[name]) for name in names if isinstance(properties.get(name), str)), None)


def _texts(value: object) -> tuple[str, ...]:
    """A list of short texts in NFC, however it is written: a list, or words between commas."""
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return ()
    given: Iterable[object] = cast("list[object]", value)
    texts = (normalized(_one_line(str(one))).lstrip("#") for one in given if isinstance(one, (str, int, float)))
    return tuple(dict.fromkeys(text for text in texts if text))[:_MOST_TAGS]


MOST: Final = 256 * 1024 * 1024
"""Bytes kept; what was used longest ago goes first."""

_HEADER: Final = 1024
_DEFECTS = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError),
)


def derivation_key(kind: str, content: str, version: str) -> str:
    """The key of what `version` of a `kind` of reading makes of a content (its hash or id)."""
    return id_from({"kind": kind, "text_blake3": content, "version_key": version})


def cached(con: apsw.Connection, key: str) -> bytes | None:
    """What was kept under the key."""
    row = con.execute("SELECT payload FROM derivation_cache WHERE key = ?", (key,)).fetchone()
    return cast("bytes", row[0]) if row else None


def keep(con: apsw.Connection, key: str, kind: str, payload: bytes) -> None:
    """Keep what was made, or note that it was used again; inside the caller's transaction. `trim` lets go of it."""
    ts = now()
    con.execute(
        "INSERT INTO derivation_cache VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET payload = excluded.payload, last_used = excluded.last_used",
        (key, kind, payload, ts, ts),
    )


def trim(con: apsw.Connection, most: int = MOST) -> None:
    """Let go of what was used longest ago until at most `most` bytes are kept; inside the caller's transaction."""
    con.execute(
        "DELETE FROM derivation_cache WHERE key IN (SELECT key FROM (SELECT key,"
        " sum(length(payload)) OVER (ORDER BY last_used DESC, key) AS kept FROM derivation_cache) WHERE kept > ?)",
        (most,),
    )


def pack(parsed: Parsed) -> bytes:
    """Serialize a parsed document."""
    blocks = [
        [one.kind, one.heading_path, span_object(one.span), one.text, one.payload, one.first_line]
        for one in parsed.blocks
    ]
    return zlib.compress(orjson.dumps([parsed.parser_version, blocks, parsed.properties, parsed.warnings]))


def unpack(data: bytes) -> Parsed:
    """The inverse of `pack`. Raises ValueError for other data."""
    try:
        version, blocks, properties, warnings = cast("list[Any]", orjson.loads(zlib.decompress(data)))
        made = (
            ParsedBlock(kind, tuple(path), span_of(span), text, payload, first)
            for kind, path, span, text, payload, first in blocks
        )
        return Parsed(version, tuple(made), properties, tuple(warnings))
    except (zlib.error, TypeError) as error:
        raise ValueError(f"not a valid document: {error}") from error


@dataclass(frozen=True, slots=True)
class Task:
    """A file to read. `known` are asset id and signature of what the library has of it, if anything.

    `derived` is what was kept of an earlier reading of that content (`derivations`); `analyser` what takes Korean apart
    (`korean.installed`), if anything. `within`: the folder that the file must lie in when it is opened, its links
    resolved; empty: anywhere. `older`: the signature of an older chunker, whose passages stay while the file does.
    `ocr`: the languages of pictures and scanned pages; empty: these are not read. `stays`: what OCR made of the file
    stays while its content does.
    """

    path: str
    relative: str
    workspace_path: str
    media: Media
    source: Source
    policy: ChunkPolicy
    git: GitFacts
    max_bytes: int
    known: tuple[str, str] | None = None
    derived: bytes | None = None
    analyser: str = ""
    within: str = ""
    older: str = ""
    ocr: str = ""
    stays: bool = False


class _OutsideRoot(Exception):
    """The path leads out of the folder by a link."""


@dataclass(frozen=True, slots=True)
class Untouched:
    """Nothing changed but the file's time."""

    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Not a document: `reason` is one of those of a walk."""

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """The file could not be read. `gone`: it is not there any more."""

    error: str
    gone: bool = False


BlockRow = tuple[str, str, str, int, str, str, int]
"""block_id, kind, heading_path_json, ordinal, source_span_json, payload_json, position."""


class ChunkRow(NamedTuple):
    """A passage as it will be stored; its row id is found when it is written."""

    chunk_id: str
    text: str
    heading_path: tuple[str, ...]
    heading_path_json: str
    indexed: IndexRow
    source_spans_json: str
    token_estimate: int
    block_ids_json: str
    line_start: int | None
    line_end: int | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document, ready to be written. `derived`: what is to be kept of its reading, where that was expensive."""

    doc_id: str
    asset_id: str
    checksum: str
    size: int
    mtime_ns: int
    about: About
    parser_version: str
    chunker_version: str
    policy_hash: str
    signature: str
    code_lang: str | None
    repo: str | None
    metadata_json: str
    blocks: tuple[BlockRow, ...]
    chunks: tuple[ChunkRow, ...]
    warnings: tuple[str, ...]
    derived: bytes | None = None


Outcome = Prepared | Untouched | Refusal | Failure


def to_bytes(made: Prepared) -> bytes | None:
    """A document for another process, which `from_bytes` reads much faster than a value of many; None where a value
    needs that."""
    if made.derived is not None:
        return None
    whole: dict[str, object] = {one.name: getattr(made, one.name) for one in fields(made)}
    whole["chunks"] = [tuple(one) for one in made.chunks]
    try:
        return orjson.dumps(whole)
    except TypeError:  # a lone surrogate
        return None


def from_bytes(data: bytes) -> Prepared:
    """What `to_bytes` made."""
    made = cast("dict[str, Any]", orjson.loads(data))
    known = cast("dict[str, Any]", made["about"])
    known["tags"] = tuple(known["tags"])
    made["about"] = About(**known)
    made["blocks"] = tuple(tuple(one) for one in cast("list[list[Any]]", made["blocks"]))
    made["chunks"] = tuple(_chunk_of(one) for one in cast("list[list[Any]]", made["chunks"]))
    made["warnings"] = tuple(made["warnings"])
    return Prepared(**made)


def _chunk_of(row: list[Any]) -> ChunkRow:
    row[2], row[4] = tuple(row[2]), tuple(row[4])  # heading_path, indexed
    return ChunkRow._make(row)


def prepare(task: Task) -> Outcome:
    """Read a file and make of it what the library keeps. Never raises for what a file may hold."""
    try:
        return _prepare(task)
    except _DEFECTS as error:  # of a parser, for one file: the others are read all the same
        reason = " ".join(str(error).split())[:200]
        return Failure(reason or f"the reader failed ({type(error).__name__})")


def _prepare(task: Task) -> Outcome:
    reader = reader_of(task.media, task.relative, task.policy, task.ocr)
    if reader is None and not task.stays:
        return _unread(task.media)
    try:
        data, size, mtime_ns = _read(task)
    except _OutsideRoot:
        return Refusal(LINK_OUT)
    except FileNotFoundError:
        return Failure("the file was deleted before casebook read it", gone=True)
    except OSError as error:
        return Failure(f"cannot be read: {error.strerror or error}")
    if data is None and size <= task.max_bytes:
        return Refusal("binary")
    if data is None:
        return Refusal("size_exceeded", f"{size:,} bytes (limit: {task.max_bytes:,})")
    checksum = ids.content_hash(data)
    asset = ids.asset_id(checksum)
    if task.stays and task.known is not None and task.known[0] == asset:
        return Untouched(size, mtime_ns)
    if reader is None:
        return _unread(task.media)
    mark = signature(reader, task.policy, task.source)
    if task.known is not None and task.known in ((asset, mark), (asset, task.older)):
        return Untouched(size, mtime_ns)
    if not data.strip():
        return Refusal("empty")
    if generated(task.relative.rpartition("/")[2], task.media, data[:_HEADER]):
        return Refusal("generated")
    if reader.read_bytes is not None:
        again = task.derived is not None and task.known is not None and task.known[0] == asset
        derived = cast("bytes", task.derived) if again else pack(reader.read_bytes(data))
        parsed = unpack(derived)
        made = _prepared(task, reader, parsed, parsed.warnings, (asset, checksum, mark, size, mtime_ns))
        return replace(made, derived=derived)
    decoded = decode(data)
    if decoded is None:
        return Refusal("binary")
    parsed = reader.read(decoded.text)
    warnings = (*((decoded.warning,) if decoded.warning else ()), *parsed.warnings)
    return _prepared(task, reader.used(parsed), parsed, warnings, (asset, checksum, mark, size, mtime_ns))


def _unread(media: Media) -> Refusal:
    needs = "run: casebook library ingest --ocr" if media == "picture" else f"to install it, run: {remedy(media)}"
    return Refusal("no_reader", f"no reader for {media} ({needs})")


def _read(task: Task) -> tuple[bytes | None, int, int]:
    # Without blocking: a pipe that took the file's place would wait for a writer for ever.
    handle = os.open(task.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        now = os.fstat(handle)
        if task.within and not (_is_path_of(task, handle) or _is_inside(task, now)):
            raise _OutsideRoot
        if not stat.S_ISREG(now.st_mode):
            raise OSError(0, "not a regular file")
    except BaseException:
        os.close(handle)
        raise
    with os.fdopen(handle, "rb") as file:
        data = file.read(LOOKED)
        if is_binary(data) and task.media not in ("pdf", "picture"):
            return None, min(now.st_size, task.max_bytes), now.st_mtime_ns
        most = task.max_bytes + 1
        # As much as the file has: for a limit of 100 MB, memory of that size would be taken first.
        while more := file.read(min(most - len(data), max(0, now.st_size - len(data)) + 1)):
            data += more
    too_large = len(data) > task.max_bytes
    return (None if too_large else data), max(now.st_size, len(data)), now.st_mtime_ns


_OPENED: Final = "/proc/self/fd" if sys.platform == "linux" else ""


def _is_path_of(task: Task, handle: int) -> bool:
    """Whether Linux says that the file that was opened lies at the path of the task, within the folder.

    No part of that path is a link. One question, where `_is_inside` has one for each folder of the path.
    """
    if not _OPENED or not task.path.startswith(f"{task.within}{os.sep}"):
        return False
    with suppress(OSError):
        return os.readlink(f"{_OPENED}/{handle}") == task.path  # noqa: PTH115  a `Path` takes as long as the question
    return False


def _is_inside(task: Task, opened: os.stat_result) -> bool:
    """Whether the file that was opened is the one that lies in the folder: the path may have become a link since."""
    real = os.path.realpath(task.path)
    if real != task.path or not real.startswith(f"{task.within}{os.sep}"):
        inside = Path(real).is_relative_to(os.path.realpath(task.within))
    else:  # no link in it, so none in the path of the folder
        inside = True
    return inside and os.path.samestat(Path(real).stat(), opened)


def _prepared(
    task: Task, reader: Reader, parsed: Parsed, warnings: tuple[str, ...], about_file: tuple[str, str, str, int, int]
) -> Prepared:
    asset, checksum, mark, size, mtime_ns = about_file
    doc = ids.doc_id(task.workspace_path, asset, parsed.parser_version)
    policy = policy_hash(task.policy, reader.chunker_version)
    rows = block_rows(doc, parsed.blocks)
    known = about(parsed, task.relative, task.media, task.source, mtime_ns)
    metadata = {**known.metadata, "git_branch": task.git.branch, "git_commit": task.git.commit}
    analysing = analyse if task.analyser else None
    passages = [one for one in reader.cut(parsed.blocks, task.policy) if one.text.strip()]
    return Prepared(
        doc_id=doc,
        asset_id=asset,
        checksum=checksum,
        size=size,
        mtime_ns=mtime_ns,
        about=known,
        parser_version=parsed.parser_version,
        chunker_version=reader.chunker_version,
        policy_hash=policy,
        signature=mark,
        code_lang=code_lang_of(Path(task.relative).name, parsed.parser_version) if task.media in CODED else None,
        repo=task.git.repo,
        metadata_json=orjson.dumps(metadata).decode(),
        blocks=rows,
        chunks=tuple(
            _chunk_row(doc, reader.chunker_version, policy, rows, known.title, one, analysing) for one in passages
        ),
        warnings=warnings,
    )


def block_rows(doc: str, blocks: Sequence[ParsedBlock]) -> tuple[BlockRow, ...]:
    """The rows of a document's blocks; `ordinal` counts those of a kind under the same headings."""
    counters: dict[tuple[str, tuple[str, ...]], int] = {}
    paths: dict[tuple[str, ...], tuple[str, str]] = {}
    found: list[BlockRow] = []
    for position, (kind, path, span, _, payload, _) in enumerate(blocks):
        ordinal = counters.get((kind, path), 0)
        counters[kind, path] = ordinal + 1
        if path not in paths:
            paths[path] = orjson.dumps(path).decode(), ids.canonical_path(path)
        path_json, canonical = paths[path]
        canonical_span, span_json = ids.span_jsons(span)
        found.append(
            (
                ids.block_id_of_json(doc, kind, canonical, ordinal, canonical_span),
                kind,
                path_json,
                ordinal,
                span_json,
                orjson.dumps(payload).decode() if payload else "{}",
                position,
            )
        )
    return tuple(found)


def _chunk_row(
    doc: str,
    chunker: str,
    policy: str,
    rows: Sequence[BlockRow],
    title: str,
    one: Passage,
    analysing: Analyse | None,
) -> ChunkRow:
    block_ids = orjson.dumps([rows[at][0] for at in one.blocks]).decode()
    start, end = one.lines or (None, None)
    return ChunkRow(
        chunk_id=ids.chunk_id_of_json(doc, chunker, block_ids, policy, one.split),
        text=one.text,
        heading_path=one.heading_path,
        heading_path_json=orjson.dumps(one.heading_path).decode(),
        indexed=index_row(title, one.heading_path, one.text, analysing),
        source_spans_json=spans_json(one.spans),
        token_estimate=one.token_estimate,
        block_ids_json=block_ids,
        line_start=start,
        line_end=end,
    )
