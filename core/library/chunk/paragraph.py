"""code-text-paragraph-v1: passages of plain text and logs, and of every text that no other chunker knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from core.library.chunk.oversize import within_budget
from core.library.chunk.policy import ChunkPolicy, tokens
from core.library.documents.blocks import ParsedBlock, Passage
from core.library.documents.spans import LineSpan, lines_of

WINDOW: Final = 80
"""Lines of one passage where a paragraph is longer."""
OVERLAP: Final = 20
"""Lines that two such passages share."""


def by_paragraphs(blocks: Sequence[ParsedBlock], policy: ChunkPolicy) -> Iterator[Passage]:
    """Paragraphs gathered until the next would exceed `target_tokens`; a long one in windows of 80 lines.

    A window and what is split of it name their own lines. No passage has more than `max_chunk_tokens`.
    """
    group: list[int] = []
    size = 0
    for at, block in enumerate(blocks):
        length = tokens(block.text)
        if group and size + length > policy.target_tokens:
            yield _gathered(blocks, group)
            group, size = [], 0
        if length > policy.target_tokens:
            yield from _windows(at, block, policy)
        else:
            group.append(at)
            size += length
    if group:
        yield _gathered(blocks, group)


def _gathered(blocks: Sequence[ParsedBlock], group: Sequence[int]) -> Passage:
    text = "\n\n".join(blocks[at].text for at in group)
    spans = tuple(blocks[at].span for at in group)
    return Passage(text, blocks[group[0]].heading_path, tuple(group), spans, tokens(text), lines_of(spans))


def _windows(at: int, block: ParsedBlock, policy: ChunkPolicy) -> Iterator[Passage]:
    lines = block.text.split("\n")
    start = block.first_line or (lines_of((block.span,)) or (1, 1))[0]
    for first in range(0, max(1, len(lines) - OVERLAP), WINDOW - OVERLAP):
        text = "\n".join(lines[first : first + WINDOW])
        here = start + first
        span = LineSpan(here, here + text.count("\n"))
        split = f"#L{here}" if len(lines) > WINDOW else ""
        whole = Passage(text, block.heading_path, (at,), (span,), tokens(text), (span.start, span.end), split)
        for piece in within_budget(whole, policy.max_chunk_tokens, here):
            yield Passage(
                piece.text, piece.heading_path, piece.blocks, piece.spans, piece.token_estimate, piece.lines,
                split + piece.split if piece is not whole else split,
            )  # fmt: skip
