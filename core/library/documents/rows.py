"""The rows of the library as values (frozen design, section 5; tables in migration 0007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, cast

import orjson

from core.library.documents.spans import SourceSpan, spans_of

TrustLevel = Literal["primary", "secondary", "generated"]
SourceType = Literal["markdown", "note", "paper", "reference", "inbox"]
Media = Literal["markdown", "text", "code", "pdf", "manifest"]
BlockKind = Literal["heading", "paragraph", "list", "code", "table", "quote", "imageref", "audioref", "page"]

SOURCE_TYPES: tuple[SourceType, ...] = ("markdown", "note", "paper", "reference", "inbox")
MEDIA: tuple[Media, ...] = ("markdown", "text", "code", "pdf", "manifest")
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
        """Where its blocks stand."""
        return spans_of(self.source_spans_json)

    @property
    def block_ids(self) -> tuple[str, ...]:
        """The blocks it was made of."""
        return tuple(cast("list[str]", orjson.loads(self.block_ids_json)))


def columns(kind: type[Source | Document | Block | Chunk], table: str = "") -> str:
    """The columns of a row type, in the order of its fields, for a SELECT; `table` is put before each."""
    return ", ".join(f"{table}.{name}" if table else name for name in kind.__slots__)
