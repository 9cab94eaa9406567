"""The library's values: blocks and passages of a document, spans of a source, ids, and rows (frozen design 3.4, 4, 5).

Parsers return `Parsed`, chunkers `Passage`: plain values without ids. An id is blake3 over canonical JSON, 32
hexadecimal digits; the recipe is frozen, so that the same content, path and versions give the same ids
everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

import orjson

from core.text.cleaning import is_normalized, normalized

if TYPE_CHECKING:
    from blake3 import blake3


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Lines `start` to `end`, counted from 1, both included."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """Lines of a piece of code, counted from 1, both included; `symbol` names it, `lang` its language."""

    line_start: int
    line_end: int
    symbol: str | None = None
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class PageSpan:
    """A page, counted from 1, and the half-open range of its code points; None: the whole page."""

    page: int
    char_start: int | None = None
    char_end: int | None = None


@dataclass(frozen=True, slots=True)
class RegionSpan:
    """A rectangle of a picture, in pixels."""

    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A stretch of a recording, in milliseconds."""

    start_ms: int
    end_ms: int


SourceSpan = LineSpan | CodeSpan | PageSpan | RegionSpan | TimeSpan

_KINDS: dict[str, type[SourceSpan]] = {
    "line": LineSpan,
    "code": CodeSpan,
    "page": PageSpan,
    "region": RegionSpan,
    "time": TimeSpan,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def span_object(span: SourceSpan) -> dict[str, str | int | None]:
    """The span as an object with its `kind`, the form that ids and rows are made of."""
    kind = type(span)
    found: dict[str, str | int | None] = {"kind": _NAMES[kind]}
    for name in kind.__slots__:
        found[name] = getattr(span, name)
    return found


def span_of(value: dict[str, Any]) -> SourceSpan:
    """What `span_object` made; fields this version does not know are left out. Raises ValueError for anything else."""
    kind = _KINDS.get(str(value.get("kind")))
    if kind is None:
        raise ValueError(f"invalid span: {value.get('kind')}")
    try:
        return kind(**{name: value[name] for name in kind.__slots__ if name in value})
    except TypeError as error:
        raise ValueError(f"incomplete span: {value}") from error


def spans_json(spans: tuple[SourceSpan, ...]) -> str:
    """Spans as a row keeps them."""
    return f"[{','.join([span_jsons(span)[1] for span in spans])}]"


def spans_of(text: str) -> tuple[SourceSpan, ...]:
    """Spans out of a row. Raises ValueError."""
    return tuple(span_of(one) for one in cast("list[dict[str, Any]]", orjson.loads(text)))


def lines_of(spans: tuple[SourceSpan, ...]) -> tuple[int, int] | None:
    """The first and the last line that the spans name, or None where they name none."""
    ends = [
        (span.start, span.end) if isinstance(span, LineSpan) else (span.line_start, span.line_end)
        for span in spans
        if isinstance(span, (LineSpan, CodeSpan))
    ]
    return (min(start for start, _ in ends), max(end for _, end in ends)) if ends else None


TrustLevel = Literal["primary", "secondary", "generated"]
SourceType = Literal["markdown", "note", "paper", "reference", "inbox"]
Media = Literal["markdown", "text", "code", "pdf", "manifest", "picture"]
BlockKind = Literal["heading", "paragraph", "list", "code", "table", "quote", "imageref", "audioref", "page"]

SOURCE_TYPES: tuple[SourceType, ...] = ("markdown", "note", "paper", "reference", "inbox")
MEDIA: tuple[Media, ...] = ("markdown", "text", "code", "pdf", "manifest", "picture")
LANGUAGES: Final = ("ko", "en", "mixed", "und")
"""What a document's language is where it does not say; `mixed`: Korean and English, `und`: not determined."""
TRUST_LEVELS: tuple[TrustLevel, ...] = ("primary", "secondary", "generated")
"""From the most trusted down."""


@dataclass(frozen=True, slots=True)
class Source:
    """A root. The documents of the first one (`position` 0) have plain paths, those of others begin with `source_id`.

    `source_type`: what its documents are where they do not say; empty: told by the kind of file.
    """

    source_id: str
    position: int
    root: str
    source_type: SourceType | Literal[""]
    trust_level: TrustLevel
    added_at: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document. `doc_version` counts its changes at this path; times are ISO 8601.

    `created_at` and `updated_at` are the document's own (frontmatter, else the file), `indexed_at` is when it was read.
    """

    doc_id: str
    asset_id: str
    workspace_path: str
    title: str
    lang: str
    source_type: SourceType
    trust_level: TrustLevel
    parser_version: str
    doc_version: int
    schema_version: int
    metadata_json: str
    provenance_json: str
    created_at: str
    updated_at: str
    source_id: str
    media_type: str
    code_lang: str | None
    repo: str | None
    byte_len: int
    block_count: int
    chunk_count: int
    chunker_version: str
    policy_hash: str
    signature: str
    indexed_at: str

    @property
    def metadata(self) -> dict[str, Any]:
        """aliases, tags, user_id_alias, user (unknown keys of the frontmatter), git_branch, git_commit, times."""
        return cast("dict[str, Any]", orjson.loads(self.metadata_json))


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a document; `ordinal` counts those of its kind under its heading, `position` all of them."""

    block_id: str
    doc_id: str
    kind: BlockKind
    heading_path_json: str
    ordinal: int
    source_span_json: str
    payload_json: str
    position: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage. `id` is its key in `vector` (kind `chunk`) and `chunks_fts`; `chunk_id` is the one of the recipe.

    `line_start` and `line_end` count from 1, both included; None where the source has no lines.
    """

    id: int
    chunk_id: str
    doc_id: str
    text: str
    heading_path_json: str
    section_label: str | None
    source_spans_json: str
    token_estimate: int
    chunker_version: str
    policy_hash: str
    block_ids_json: str
    created_at: str
    position: int
    line_start: int | None
    line_end: int | None

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings above it, outermost first."""
        return tuple(cast("list[str]", orjson.loads(self.heading_path_json)))

    @property
    def spans(self) -> tuple[SourceSpan, ...]:
        """Spans of its blocks."""
        return spans_of(self.source_spans_json)

    @property
    def block_ids(self) -> tuple[str, ...]:
        """The blocks it was made of."""
        return tuple(cast("list[str]", orjson.loads(self.block_ids_json)))


def columns(kind: type[Source | Document | Block | Chunk], table: str = "") -> str:
    """The columns of a row type, in the order of its fields, for a SELECT; `table` is put before each."""
    return ", ".join(f"{table}.{name}" if table else name for name in kind.__slots__)


_ID_BYTES = 16
_SHORT = 16


def id_from(parts: Mapping[str, Any]) -> str:
    """The id of `parts`: their canonical JSON (RFC 8785, texts in NFC), blake3, the first 32 hexadecimal digits.

    `parts` hold texts, whole numbers, None, lists and mappings with ASCII names: of these sorted compact JSON is the
    canonical one. Raises ValueError for what cannot be written so (a lone surrogate).
    """
    return _hasher()(_canonical(parts)).hexdigest(_ID_BYTES)


def _canonical(value: object) -> bytes:
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        if not data.isascii() and not is_normalized(data.decode()):
            data = orjson.dumps(_composed(value), option=orjson.OPT_SORT_KEYS)
    except TypeError as error:
        raise ValueError(f"cannot compute an id: {error}") from error
    return data


@cache
def _hasher() -> type[blake3]:
    from blake3 import blake3

    return blake3


def content_hash(data: bytes) -> str:
    """blake3 of the bytes, all 64 hexadecimal digits."""
    return _hasher()(data).hexdigest()


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
    return block_id_of_json(doc, block_kind, canonical_path(heading_path), ordinal, span_jsons(span)[0])


def block_id_of_json(doc: str, block_kind: str, heading_path: str, ordinal: int, span: str) -> str:
    """The same of canonical JSON: of a document's blocks, many have their headings in common."""
    data = (
        f'{{"block_kind":"{block_kind}","doc_id":"{doc}","heading_path":{heading_path},"kind":"block",'
        f'"ordinal":{ordinal},"source_span":{span}}}'
    )
    return _hasher()(data.encode()).hexdigest(_ID_BYTES)


def canonical_path(heading_path: Sequence[str]) -> str:
    """Headings as canonical JSON. Raises ValueError for a lone surrogate."""
    return _canonical(list(heading_path)).decode()


def span_jsons(span: SourceSpan) -> tuple[str, str]:
    """A span as canonical JSON, and as a row keeps it."""
    if type(span) is LineSpan:
        start, end = span.start, span.end
        return f'{{"end":{end},"kind":"line","start":{start}}}', f'{{"kind":"line","start":{start},"end":{end}}}'
    parts = span_object(span)
    return _canonical(parts).decode(), orjson.dumps(parts).decode()


def chunk_id(doc: str, chunker_version: str, block_ids: Sequence[str], policy_hash: str, split: str = "") -> str:
    """Return the id of a passage. `split` separates the pieces of one block (`#seg0`, `#L120`); it is in no row."""
    return chunk_id_of_json(doc, chunker_version, orjson.dumps(block_ids).decode(), policy_hash, split)


def chunk_id_of_json(doc: str, chunker_version: str, block_ids: str, policy_hash: str, split: str) -> str:
    """The same with the ids of the blocks as compact JSON. No other part holds a sign that JSON escapes."""
    data = (
        f'{{"block_ids":{block_ids},"chunker_version":"{chunker_version}","doc_id":"{doc}","kind":"chunk",'
        f'"policy_hash":"{policy_hash}{split}"}}'
    )
    return _hasher()(data.encode()).hexdigest(_ID_BYTES)


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


class ParsedBlock(NamedTuple):
    """A block of a document.

    `heading_path` are the headings above it (a heading's own text is not among them); `text` are its words, without
    marks of markup; `payload` is what its kind has besides. `first_line` is the source line of the first line of
    `text` where each line of `text` is one of the source; None where they differ.
    """

    kind: BlockKind
    heading_path: tuple[str, ...]
    span: SourceSpan
    text: str
    payload: Mapping[str, Any] = {}
    first_line: int | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document as a parser reads it; `properties`: of its frontmatter, `warnings`: lines for people."""

    parser_version: str
    blocks: tuple[ParsedBlock, ...]
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])
    warnings: tuple[str, ...] = ()


class Passage(NamedTuple):
    """A piece of a document that is found and cited as one.

    `blocks` are the places of its blocks in the document; `split` tells pieces of the same blocks apart in their ids;
    `lines` are its first and last source line, None where the source has none.
    """

    text: str
    heading_path: tuple[str, ...]
    blocks: tuple[int, ...]
    spans: tuple[SourceSpan, ...]
    token_estimate: int
    lines: tuple[int, int] | None
    split: str = ""
