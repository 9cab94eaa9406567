"""pdf-page-v1: passages that never cross a page; a long page is cut between lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from core.library.chunk.oversize import pieces
from core.library.chunk.policy import ChunkPolicy, tokens
from core.library.documents.blocks import ParsedBlock, Passage
from core.library.documents.spans import PageSpan

PAGE_V1: Final = "pdf-page-v1"


def by_pages(blocks: Sequence[ParsedBlock], policy: ChunkPolicy) -> Iterator[Passage]:
    """The passages of a document in pages; a piece of a page names its code points (`#c1204`)."""
    for at, block in enumerate(blocks):
        page = block.span.page if isinstance(block.span, PageSpan) else at + 1
        if tokens(block.text) <= policy.target_tokens:
            yield Passage(block.text, block.heading_path, (at,), (PageSpan(page),), tokens(block.text), None)
            continue
        start = 0
        for text, _ in pieces(block.text, policy.target_tokens):
            start = block.text.index(text, start)
            end = start + len(text)
            span = PageSpan(page, start, end)
            yield Passage(text, block.heading_path, (at,), (span,), tokens(text), None, f"#c{start}")
            start = end
