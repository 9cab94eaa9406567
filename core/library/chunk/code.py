"""code-<language>-ast-v1: each unit of code is a passage; one of more than 200 lines is split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from core.library.chunk.oversize import within_budget
from core.library.chunk.policy import ChunkPolicy, tokens
from core.library.documents.blocks import ParsedBlock, Passage
from core.library.documents.spans import CodeSpan, SourceSpan

LONGEST: Final = 200
"""Lines of one passage."""


def chunker_version(grammar: str) -> str:
    """The label of the chunker for a language."""
    return f"code-{grammar}-ast-v1"


def by_units(blocks: Sequence[ParsedBlock], policy: ChunkPolicy) -> Iterator[Passage]:
    """The passages of a file of code, in order; every piece of a long unit names its own lines (`#L121`)."""
    for at, block in enumerate(blocks):
        lines = block.text.split("\n")
        start = block.first_line or 1
        for first in range(0, len(lines), LONGEST):
            text = "\n".join(lines[first : first + LONGEST])
            here, last = start + first, start + first + text.count("\n")
            split = f"#L{here}" if len(lines) > LONGEST else ""
            span: SourceSpan = block.span
            if isinstance(span, CodeSpan):
                span = replace(span, line_start=here, line_end=last)
            whole = Passage(text, block.heading_path, (at,), (span,), tokens(text), (here, last), split)
            for piece in within_budget(whole, policy.max_chunk_tokens, here):
                yield piece if piece is whole else replace(piece, split=split + piece.split)
