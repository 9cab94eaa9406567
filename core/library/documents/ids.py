"""The ids of the library: blake3 over canonical JSON, 32 hexadecimal digits (frozen design, section 4).

The recipe is frozen: the same content, path and versions give the same ids in every program that follows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import orjson

from core.library.documents.spans import SourceSpan, span_object
from core.text.unicode_form import is_normalized, normalized

_ID = 32
_SHORT = 16


def id_from(parts: Mapping[str, Any]) -> str:
    """The id of `parts`: their canonical JSON (RFC 8785, texts in NFC), blake3, the first 32 hexadecimal digits.

    `parts` hold texts, whole numbers, None, lists and mappings with ASCII names: of these sorted compact JSON is the
    canonical one. Raises ValueError for what cannot be written so (a lone surrogate).
    """
    from blake3 import blake3

    try:
        data = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
        if not data.isascii() and not is_normalized(data.decode()):
            data = orjson.dumps(_composed(parts), option=orjson.OPT_SORT_KEYS)
        return blake3(data).hexdigest()[:_ID]
    except TypeError as error:
        raise ValueError(f"no id can be made: {error}") from error


def content_hash(data: bytes) -> str:
    """blake3 of the bytes, all 64 hexadecimal digits."""
    from blake3 import blake3

    return blake3(data).hexdigest()


def short_hash(text: str) -> str:
    """The first 16 hexadecimal digits of blake3: for settings and configurations."""
    return content_hash(text.encode("utf-8", "replace"))[:_SHORT]


def asset_id(asset_blake3: str) -> str:
    """The id of a content, from its whole hash."""
    return id_from({"kind": "asset", "asset_blake3": asset_blake3})


def doc_id(workspace_path: str, asset: str, parser_version: str) -> str:
    """The id of a document: a content at a path (`workspace_path` as `places` makes it), read by a parser."""
    return id_from(
        {"kind": "doc", "workspace_path": workspace_path, "asset_id": asset, "parser_version": parser_version}
    )


def block_id(doc: str, block_kind: str, heading_path: Sequence[str], ordinal: int, span: SourceSpan) -> str:
    """The id of a block; `ordinal` counts from 0 the blocks of that kind under that heading path."""
    return id_from(
        {
            "kind": "block",
            "doc_id": doc,
            "block_kind": block_kind,
            "heading_path": list(heading_path),
            "ordinal": ordinal,
            "source_span": span_object(span),
        }
    )


def chunk_id(doc: str, chunker_version: str, block_ids: Sequence[str], policy_hash: str, split: str = "") -> str:
    """The id of a passage. `split` tells the pieces of one block apart (`#seg0`, `#L120`); it stands in no row."""
    return id_from(
        {
            "kind": "chunk",
            "doc_id": doc,
            "chunker_version": chunker_version,
            "block_ids": list(block_ids),
            "policy_hash": policy_hash + split,
        }
    )


def embedding_id(chunk: str, model_id: str, model_version: str, dimensions: int) -> str:
    """The id of a vector."""
    return id_from(
        {
            "kind": "embedding",
            "chunk_id": chunk,
            "model_id": model_id,
            "model_version": model_version,
            "dimensions": dimensions,
        }
    )


def index_id(
    collection: str, embedding_model: str, dimensions: int, index_version: str, index_kind: str, index_params_hash: str
) -> str:
    """The id of an index of vectors."""
    return id_from(
        {
            "kind": "index",
            "collection": collection,
            "embedding_model": embedding_model,
            "dimensions": dimensions,
            "index_version": index_version,
            "index_kind": index_kind,
            "index_params_hash": index_params_hash,
        }
    )


def _composed(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else normalized(value)
    if isinstance(value, Mapping):
        return {str(name): _composed(one) for name, one in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list):
        return [_composed(one) for one in cast("list[object]", value)]
    return value
