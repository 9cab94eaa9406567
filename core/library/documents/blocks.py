"""What parsers make of a file and chunkers make passages of: plain values, without ids and without a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.library.documents.rows import BlockKind
from core.library.documents.spans import SourceSpan


@dataclass(frozen=True, slots=True)
class ParsedBlock:
    """A block as it stands in a document.

    `heading_path` are the headings above it (a heading's own text is not among them); `text` are its words, without
    marks of markup; `payload` is what its kind has besides. `first_line` is the source line of the first line of
    `text` where each line of `text` is one of the source; None where they differ.
    """

    kind: BlockKind
    heading_path: tuple[str, ...]
    span: SourceSpan
    text: str
    payload: Mapping[str, Any] = field(default_factory=dict[str, Any])
    first_line: int | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """A document as a parser reads it; `said` is what its frontmatter says, `warnings` are lines for people."""

    parser_version: str
    blocks: tuple[ParsedBlock, ...]
    said: Mapping[str, Any] = field(default_factory=dict[str, Any])
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
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
