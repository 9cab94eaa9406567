"""md-heading-v1 and -v2: passages that never cross a heading (frozen design; v2 also splits what is too large)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.library.chunk.oversize import within_budget
from core.library.chunk.policy import MD_V1, ChunkPolicy, tokens
from core.library.documents.blocks import ParsedBlock, Passage
from core.library.documents.spans import lines_of

_ALONE = frozenset(("code", "table", "imageref", "audioref"))


def by_headings(blocks: Sequence[ParsedBlock], policy: ChunkPolicy) -> Iterator[Passage]:
    """The passages of a Markdown document, in order.

    A heading begins a passage, and its words lead it. Code, a table and a picture are passages of their own, whole.
    Other blocks are gathered until the next would exceed `target_tokens`; the passage after that begins with the last
    `overlap_tokens` of the one before. md-heading-v2 then splits what exceeds `max_chunk_tokens`; md-heading-v1 leaves
    it whole.
    """
    for group in _groups(blocks, policy):
        whole = _passage(blocks, group)
        if policy.chunker_version == MD_V1:
            yield whole
        else:
            first = blocks[group[0]].first_line if len(group) == 1 else None
            yield from within_budget(whole, policy.max_chunk_tokens, first)


def _groups(blocks: Sequence[ParsedBlock], policy: ChunkPolicy) -> Iterator[list[int]]:
    """Which blocks make a passage, by their places."""
    group: list[int] = []
    size = 0
    for at, block in enumerate(blocks):
        if block.kind in _ALONE:
            if group:
                yield group
            yield [at]
            group, size = [], 0
            continue
        length = tokens(block.text)
        if block.kind == "heading":
            if group:
                yield group
            group, size = [], 0
        elif size + length > policy.target_tokens and any(blocks[one].kind != "heading" for one in group):
            yield group
            group = _tail(blocks, group, policy)
            size = sum(tokens(blocks[one].text) for one in group)
        group.append(at)
        size += length
    if group:
        yield group


def _tail(blocks: Sequence[ParsedBlock], group: Sequence[int], policy: ChunkPolicy) -> list[int]:
    """The last blocks of a passage, as many as the overlap holds, at least one: half the target at most."""
    budget = min(policy.overlap_tokens, policy.target_tokens // 2)
    taken: list[int] = []
    for at in reversed(group):
        if budget <= 0:
            break
        if blocks[at].kind == "heading":
            continue
        length = tokens(blocks[at].text)
        if length > budget and taken:
            break
        taken.append(at)
        budget -= length
    return taken[::-1]


def _passage(blocks: Sequence[ParsedBlock], group: Sequence[int]) -> Passage:
    first = blocks[group[0]]
    path = (*first.heading_path, first.text) if first.kind == "heading" else first.heading_path
    text = "\n\n".join(blocks[at].text for at in group)
    spans = tuple(blocks[at].span for at in group)
    shown_only = all(blocks[at].kind in ("imageref", "audioref") for at in group)
    return Passage(text, path, tuple(group), spans, 0 if shown_only else tokens(text), lines_of(spans))
