"""Chunkers: blocks of a document become passages of a bounded size, one strategy a medium."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Final

import orjson

from core.base.fault import Fault
from core.library.documents.rows import (
    CodeSpan,
    LineSpan,
    PageSpan,
    ParsedBlock,
    Passage,
    RegionSpan,
    SourceSpan,
    lines_of,
)

MD_V1: Final = "md-heading-v1"
MD_V2: Final = "md-heading-v2"
MD_V3: Final = "md-heading-v3"
SECTION_V1: Final = "text-section-v1"
TEXT_V1: Final = "code-text-paragraph-v1"
BYTES_PER_TOKEN: Final = 3
"""A token is taken to be three bytes of UTF-8: more tokens than a model counts, in Korean and in English."""

_ALONE = frozenset(("code", "table", "imageref", "audioref"))

WINDOW: Final = 80
"""Lines of one passage where a paragraph is longer."""
OVERLAP: Final = 20
"""Lines that two such passages share."""

LONGEST: Final = 200
"""Lines of one passage."""

PAGE_V1: Final = "pdf-page-v1"
REGION_V1: Final = "picture-region-v1"


@dataclass(frozen=True, slots=True)
class ChunkPolicy:
    """Sizes in tokens (see `tokens`). Raises Fault config_invalid for sizes that cannot be met.

    `max_chunk_tokens` is kept by every chunker but md-heading-v1, which never splits a block.
    """

    target_tokens: int = 500
    overlap_tokens: int = 80
    respect_markdown_headings: bool = True
    chunker_version: str = MD_V3
    max_chunk_tokens: int = 4000

    def __post_init__(self) -> None:
        wrong = ""
        if self.target_tokens < 16:
            wrong = f"target_tokens must be at least 16, not {self.target_tokens}"
        elif not 0 <= self.overlap_tokens < self.target_tokens:
            wrong = f"overlap_tokens must be less than target_tokens ({self.target_tokens}), not {self.overlap_tokens}"
        elif self.max_chunk_tokens < self.target_tokens:
            wrong = f"max_chunk_tokens must be at least target_tokens ({self.target_tokens})"
        elif self.chunker_version not in (MD_V1, MD_V2, MD_V3):
            wrong = f"chunker_version must be {MD_V1}, {MD_V2} or {MD_V3}, not {self.chunker_version[:40]}"
        if wrong:
            raise Fault("config_invalid", wrong, "fix the section [chunking]")


@lru_cache(maxsize=64)
def policy_hash(policy: ChunkPolicy, chunker: str) -> str:
    """The hash of what shapes the passages of `chunker`: 16 hexadecimal digits (frozen design 4.2)."""
    from blake3 import blake3

    shape = {
        "target_tokens": policy.target_tokens,
        "overlap_tokens": policy.overlap_tokens,
        "respect_markdown_headings": policy.respect_markdown_headings,
        "chunker_version": chunker,
    }
    data = orjson.dumps(shape, option=orjson.OPT_SORT_KEYS)
    if chunker != MD_V1:
        data += policy.max_chunk_tokens.to_bytes(8, "little")
    return blake3(data).hexdigest()[:16]


def tokens(text: str) -> int:
    """About how many tokens a text has, never too few."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


def pieces(text: str, budget: int) -> list[tuple[str, int]]:
    """Parts of `text` of at most `budget` tokens, cut between lines, and within a line only where it is longer.

    With each the number of the line it begins in, from 0. Joined by a newline (by nothing within a line) they are
    `text` again.
    """
    found: list[tuple[str, int]] = []
    run: list[str] = []
    size, first = 0, 0
    for at, line in enumerate(text.split("\n")):
        length = _bytes(line)
        if run and size + 1 + length > budget * BYTES_PER_TOKEN:
            found.append(("\n".join(run), first))
            run, size = [], 0
        if length > budget * BYTES_PER_TOKEN:
            found += [(part, at) for part in _cut(line, budget * BYTES_PER_TOKEN)]
            continue
        if not run:
            first = at
        size += length + (1 if run else 0)
        run.append(line)
    if run:
        found.append(("\n".join(run), first))
    return found


def within_budget(passage: Passage, budget: int, first_line: int | None) -> Iterator[Passage]:
    """The passage, or its pieces (`#seg0`, `#seg1`, …) where it is larger than `budget` tokens.

    A piece keeps the spans of its blocks; where `first_line` says on which source line the text begins, line by line,
    it names its own lines.
    """
    if (passage.token_estimate or tokens(passage.text)) <= budget:
        yield passage
        return
    for number, (text, at) in enumerate(pieces(passage.text, budget)):
        lines = passage.lines
        if first_line is not None and lines is not None:
            lines = (first_line + at, first_line + at + text.count("\n"))
        yield Passage(text, passage.heading_path, passage.blocks, passage.spans, tokens(text), lines, f"#seg{number}")


def _bytes(line: str) -> int:
    return len(line) if line.isascii() else len(line.encode("utf-8", "replace"))


def _cut(line: str, most: int) -> Iterator[str]:
    """Parts of a line of at most `most` bytes, between code points."""
    if line.isascii():
        yield from (line[at : at + most] for at in range(0, len(line), most))
        return
    start, size = 0, 0
    for at, sign in enumerate(line):
        width = len(sign.encode("utf-8", "replace"))
        if size + width > most and at > start:
            yield line[start:at]
            start, size = at, 0
        size += width
    if start < len(line):
        yield line[start:]


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


def _path(first: ParsedBlock) -> tuple[str, ...]:
    """The headings of a passage that begins with this block."""
    return (*first.heading_path, first.text) if first.kind == "heading" else first.heading_path


def _passage(blocks: Sequence[ParsedBlock], group: Sequence[int], path: tuple[str, ...] | None = None) -> Passage:
    path = _path(blocks[group[0]]) if path is None else path
    text = "\n\n".join([blocks[at].text for at in group])
    spans = tuple([blocks[at].span for at in group])
    shown_only = all(blocks[at].kind in ("imageref", "audioref") for at in group)
    return Passage(text, path, tuple(group), spans, 0 if shown_only else tokens(text), lines_of(spans))


_INTRODUCES: Final = 120
"""Tokens of a paragraph that may go with the code, table or list behind it into the next passage."""


def by_sections(blocks: Sequence[ParsedBlock], policy: ChunkPolicy) -> Iterator[Passage]:
    """The passages of a document with headings, in order (md-heading-v3, text-section-v1).

    Blocks are gathered up to `target_tokens`, code and tables among them. A heading begins a passage; one without text
    of its own is in the path of the section behind it. Where code, a table or a list would exceed the target, the
    paragraph that introduces it goes along into the next passage; else the next one begins with an overlap. A block
    that exceeds the target by more than half is split between its lines, under its headings.
    """
    for group in _section_groups(blocks, policy):
        alone = len(group) == 1
        limit = _most(policy) if alone else policy.max_chunk_tokens
        yield from within_budget(_section(blocks, group), limit, blocks[group[0]].first_line if alone else None)


def _most(policy: ChunkPolicy) -> int:
    """Tokens that a passage may have so that what belongs together stays together."""
    return min(policy.target_tokens + policy.target_tokens // 2, policy.max_chunk_tokens)


def _section_groups(blocks: Sequence[ParsedBlock], policy: ChunkPolicy) -> Iterator[list[int]]:
    """Which blocks make a passage, by their places."""
    group: list[int] = []
    size, most = 0, _most(policy)
    for at, block in enumerate(blocks):
        if block.kind == "heading":
            if size:
                yield group
                group, size = [], 0
            group.append(at)
            continue
        length = tokens(block.text)
        if length > most:
            if size:
                yield group
                group, size = [], 0
            others = any(not _is_above(blocks[one], block.heading_path) for one in group)
            yield [*group, at] if others else [at]  # headings of other sections without text are lost nowhere
            group = []
            continue
        if size and size + length > policy.target_tokens:
            carried = _introduction(blocks, group, policy) if block.kind in ("code", "table", "list") else None
            if carried is not None:
                group.pop()
                if any(blocks[one].kind != "heading" for one in group):
                    yield group
                    group = []
                group.append(carried)
            else:
                yield group
                group = _overlap(blocks, group, policy)
            size = sum(tokens(blocks[one].text) for one in group)
        group.append(at)
        size += length
    if group:
        yield group


def _introduction(blocks: Sequence[ParsedBlock], group: Sequence[int], policy: ChunkPolicy) -> int | None:
    """The last block of a passage, if it is a paragraph short enough to go with what it introduces."""
    last = group[-1]
    short = tokens(blocks[last].text) <= min(_INTRODUCES, policy.target_tokens // 2)
    return last if blocks[last].kind == "paragraph" and short else None


def _overlap(blocks: Sequence[ParsedBlock], group: Sequence[int], policy: ChunkPolicy) -> list[int]:
    """The last paragraph of a passage, if the overlap holds it."""
    last = group[-1]
    fits = blocks[last].kind == "paragraph" and tokens(blocks[last].text) <= policy.overlap_tokens
    return [last] if fits else []


def _section(blocks: Sequence[ParsedBlock], group: Sequence[int]) -> Passage:
    """A passage under the heading that most of it is under; the headings above that one are in its path alone."""
    if not any(blocks[at].kind == "heading" for at in group[1:]):
        return _passage(blocks, group)
    path, below, most = _path(blocks[group[0]]), 0, -1
    for at in reversed(group):
        block = blocks[at]
        if block.kind != "heading":
            below += len(block.text)
        else:
            if below > most:
                path, most = (*block.heading_path, block.text), below
            below = 0
    above = sum(1 for _ in takewhile(lambda at: _is_above(blocks[at], path[:-1]), group))
    return _passage(blocks, group[above:], path)


def _is_above(block: ParsedBlock, path: Sequence[str]) -> bool:
    """Whether a block is one of the headings of a path."""
    own = (*block.heading_path, block.text)
    return block.kind == "heading" and own == tuple(path[: len(own)])


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
                yield piece if piece is whole else piece._replace(split=split + piece.split)


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


def by_regions(blocks: Sequence[ParsedBlock], policy: ChunkPolicy) -> Iterator[Passage]:
    """The passages of a picture: paragraphs gathered until the next would exceed `target_tokens`, each passage with
    the rectangle around them."""
    group: list[int] = []
    size = 0
    for at, block in enumerate(blocks):
        length = tokens(block.text)
        if group and size + length > policy.target_tokens:
            yield from within_budget(_region(blocks, group), policy.max_chunk_tokens, None)
            group, size = [], 0
        group.append(at)
        size += length
    if group:
        yield from within_budget(_region(blocks, group), policy.max_chunk_tokens, None)


def _region(blocks: Sequence[ParsedBlock], group: Sequence[int]) -> Passage:
    text = "\n\n".join(blocks[at].text for at in group)
    boxes = [span for at in group if isinstance(span := blocks[at].span, RegionSpan)]
    left, top = min(one.x for one in boxes), min(one.y for one in boxes)
    right, bottom = max(one.x + one.w for one in boxes), max(one.y + one.h for one in boxes)
    span = RegionSpan(left, top, right - left, bottom - top)
    return Passage(text, (), tuple(group), (span,), tokens(text), None)
