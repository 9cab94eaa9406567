"""What is expensive to read, kept by the hash of what it was read from: another cut does not read it again."""

from __future__ import annotations

import zlib
from typing import Any, Final, cast

import apsw
import orjson

from core.library.documents.blocks import Parsed, ParsedBlock
from core.library.documents.ids import id_from
from core.library.documents.spans import span_object, span_of
from core.store.clock import now

MOST: Final = 256 * 1024 * 1024
"""Bytes kept; what was used longest ago goes first."""


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
    """A document as it was read, as bytes."""
    blocks = [
        [one.kind, one.heading_path, span_object(one.span), one.text, one.payload, one.first_line]
        for one in parsed.blocks
    ]
    return zlib.compress(orjson.dumps([parsed.parser_version, blocks, parsed.said, parsed.warnings]))


def unpack(data: bytes) -> Parsed:
    """What `pack` made. Raises ValueError for anything else."""
    try:
        version, blocks, said, warnings = cast("list[Any]", orjson.loads(zlib.decompress(data)))
        made = (
            ParsedBlock(kind, tuple(path), span_of(span), text, payload, first)
            for kind, path, span, text, payload, first in blocks
        )
        return Parsed(version, tuple(made), said, tuple(warnings))
    except (zlib.error, TypeError) as error:
        raise ValueError(f"not a document as it was read: {error}") from error
