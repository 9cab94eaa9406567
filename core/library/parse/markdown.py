"""Markdown (CommonMark with tables) to blocks with their lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.library.documents.blocks import Parsed, ParsedBlock
from core.library.documents.rows import BlockKind
from core.library.documents.spans import LineSpan
from core.library.parse.frontmatter import frontmatter
from core.library.parse.inline import pictures, words
from core.library.parse.paragraphs import paragraphs
from core.library.parse.quick_blocks import quick_block

PARSER: Final = "markdown-it/1"
"""Goes into every id below it: any change of what `parse_markdown` returns changes it."""
LARGEST: Final = 8_000_000
"""Code points; a longer document is read as plain paragraphs."""
_NESTED: Final = 100
_LEVEL = attrgetter("level")
_COMMENT_END: Final = "-->"
_TAG = re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL)
_BARE_TAG = re.compile(r"<[^<>]*>")
_AUDIO = (".mp3", ".wav", ".m4a", ".ogg", ".flac", ".opus", ".aac")


def parse_markdown(text: str) -> Parsed:
    """The blocks of a Markdown document, in order, each with its lines; no words are left out but the targets of links.

    A document too large or too deeply nested for the parser is read as plain paragraphs, with a warning.
    """
    front = frontmatter(text)
    lines = text.split("\n")
    warnings = [front.fault] if front.fault else []
    for at in range(front.lines):
        lines[at] = ""
    body = "\n".join(lines) if front.lines else text
    try:
        blocks = _Reader(lines).read(body) if len(body) <= LARGEST else None
    except RecursionError:
        blocks = None
    if blocks is None:
        warnings.append("too large or too deeply nested for Markdown: read as plain text")
        blocks = list(paragraphs(body))
    if front.fault:
        kept = text.split("\n", front.lines)[: front.lines]
        blocks.insert(0, _front_block(kept))
    return Parsed(PARSER, tuple(blocks), front.said or {}, tuple(warnings))


def _front_block(kept: Sequence[str]) -> ParsedBlock:
    code = "\n".join(kept[1:-1])
    lang = "toml" if kept[0].startswith("+") else "yaml"
    return ParsedBlock("code", (), LineSpan(1, len(kept)), code, {"lang": lang}, 2)


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"maxNesting": _NESTED}).enable("table")
    md.block.ruler.before("table", "quick_block", quick_block)
    md.disable(["inline"])  # the words of a block are read only where it has marks
    return md


class _Reader:
    """Reads one document; knows the headings above the place where it is."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.md = _markdown()
        self.env: dict[str, Any] = {}
        self.headings: list[tuple[int, str]] = []
        self.path: tuple[str, ...] = ()
        self.blocks: list[ParsedBlock] = []

    def read(self, body: str) -> list[ParsedBlock] | None:
        """The blocks, or None where they lie too deep."""
        tokens = self.md.parse(body, self.env)
        if max(map(_LEVEL, tokens), default=0) >= _NESTED - 1:
            return None
        at = 0
        while at < len(tokens):
            end = _closing(tokens, at)
            self._block(tokens[at : end + 1])
            at = end + 1
        return self.blocks

    def _block(self, tokens: Sequence[Token]) -> None:
        first = tokens[0]
        span = self._span(first)
        match first.type:
            case "heading_open":
                self._heading(tokens, span)
            case "paragraph_open":
                self._paragraph(tokens[1].content, span)
            case "fence" | "code_block":
                code = first.content.removesuffix("\n")
                lang = first.info.split()[0] if first.info.strip() else None
                self._add("code", span, code, {"lang": lang}, span.start + (first.type == "fence"))
            case "table_open":
                self._table(tokens, span)
            case "bullet_list_open" | "ordered_list_open":
                items = self._items(tokens)
                payload = {"ordered": first.type == "ordered_list_open", "items": len(items)}
                self._add("list", span, "\n".join(items), payload, None)
            case "blockquote_open":
                self._add("quote", span, "\n\n".join(self._inside(tokens)), {}, None)
            case "html_block":
                text = _without_tags(first.content)
                kept = "\n".join(line for line in map(str.strip, text.split("\n")) if line)
                self._add("paragraph", span, kept, {}, None)
            case _:  # a rule between two parts
                pass

    def _heading(self, tokens: Sequence[Token], span: LineSpan) -> None:
        level = int(tokens[0].tag[1:])
        text = " ".join(words(self.md, tokens[1].content, self.env).split())
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.path = tuple(one for _, one in self.headings)
        self.blocks.append(ParsedBlock("heading", self.path, span, text, {"level": level, "text": text}, span.start))
        self.headings.append((level, text))
        self.path = (*self.path, text)

    def _paragraph(self, content: str, span: LineSpan) -> None:
        shown = pictures(self.md, content, self.env)
        if shown is None:
            text = words(self.md, content, self.env)
            self._add("paragraph", span, text, {}, span.start if text.count("\n") == span.end - span.start else None)
            return
        for src, alt in shown:
            kind: BlockKind = "audioref" if src.lower().partition("?")[0].endswith(_AUDIO) else "imageref"
            name = alt or src.partition("?")[0].rpartition("/")[2] or src
            self.blocks.append(ParsedBlock(kind, self.path, span, name, {"src": src, "alt": alt}))

    def _table(self, tokens: Sequence[Token], span: LineSpan) -> None:
        rows: list[list[str]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(words(self.md, token.content, self.env))
        text = "\n".join(" | ".join(row) for row in rows)
        self._add("table", span, text, {"headers": rows[0] if rows else [], "rows": max(0, len(rows) - 1)}, None)

    def _items(self, tokens: Sequence[Token]) -> list[str]:
        """The items of a list, those of lists inside it indented."""
        items: list[list[str]] = []
        depth = 0
        for token in tokens:
            depth += token.nesting if token.type.endswith("_list_open") or token.type.endswith("_list_close") else 0
            if token.type == "list_item_open":
                items.append([])
            elif items and (said := self._said(token)):
                indent = "  " * (depth - 1)
                items[-1].append(indent + said.replace("\n", "\n" + indent))
        return ["\n".join(item) for item in items if item]

    def _inside(self, tokens: Sequence[Token]) -> list[str]:
        return [said for token in tokens if (said := self._said(token))]

    def _said(self, token: Token) -> str:
        if token.type == "inline":
            return words(self.md, token.content, self.env)
        if token.type in ("fence", "code_block"):
            return token.content.removesuffix("\n")
        return " ".join(_without_tags(token.content).split()) if token.type == "html_block" else ""

    def _add(self, kind: BlockKind, span: LineSpan, text: str, payload: Mapping[str, Any], first: int | None) -> None:
        if text.strip():
            self.blocks.append(ParsedBlock(kind, self.path, span, text, payload, first))

    def _span(self, token: Token) -> LineSpan:
        start, end = token.map or (0, 1)
        while end > start + 1 and not (end <= len(self.lines) and self.lines[end - 1].strip()):
            end -= 1
        return LineSpan(start + 1, end)


def _without_tags(text: str) -> str:
    """The text with a space for each tag and each comment; a comment without an end is text.

    Comments are looked for only up to the last end of one: beyond it every `<!--` would be searched to the end of the
    text for nothing, which takes time that grows with the square of its length.
    """
    last = text.rfind(_COMMENT_END)
    end = last + len(_COMMENT_END) if last >= 0 else 0
    return _TAG.sub(" ", text[:end]) + _BARE_TAG.sub(" ", text[end:])


def _closing(tokens: Sequence[Token], at: int) -> int:
    """Where the block that begins at `at` ends."""
    if tokens[at].nesting != 1:
        return at
    level = tokens[at].level
    end = at + 1
    while not (tokens[end].nesting == -1 and tokens[end].level == level):
        end += 1
    return end
