"""Markdown and its frontmatter as blocks with headings and line ranges."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple, cast

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_inline.balance_pairs import processDelimiters
from markdown_it.rules_inline.state_inline import Delimiter, StateInline
from markdown_it.token import Token

from core.library.documents.rows import BlockKind, LineSpan, Parsed, ParsedBlock
from core.library.parse import quick
from core.library.parse.text import paragraphs

_LONGEST_FRONTMATTER: Final = 1 << 16
_MOST: Final = 5_000
"""Values in a frontmatter; an alias counts each time it is used."""
_DEEPEST: Final = 20
_MOST_DOTS: Final = 1_000
"""In a line of TOML."""
_TOO_MUCH: Final = "it is too large"

_MARKS: Final = tuple("\\`*_[]<>&!")
_SELDOM: Final = ("\\", "\t")
"""What `_simple` does not read, anywhere in a text."""
_LINK_LABEL: Final = r"\[(?!\s)([^\[\]!]+)(?<!\s)\]"
_LINK_TARGET: Final = r"(?:https?://[A-Za-z0-9_./#?=%+~,:@&;-]+|[A-Za-z0-9_./#?=%+~,@-]+)(?: \"[^\"\n`]*\")?"
_LINK = re.compile(rf"(?<!!){_LINK_LABEL}\({_LINK_TARGET}\)")
"""A link to a plain address. Not a label with blank ends, which the parser keeps."""
_PICTURE = re.compile(rf"!{_LINK_LABEL}\({_LINK_TARGET}\)")
_INLINE_TAG = re.compile(
    r"<[A-Za-z][A-Za-z0-9-]*(?: +[A-Za-z_:][A-Za-z0-9_.:-]*(?:=\"[^\"\n`\[\]<>]*\")?)* */?>|</[A-Za-z][A-Za-z0-9-]* *>"
)
_MARKED = re.compile(r"<[A-Za-z/!?]|&[#\w]")
"""What may be a mark outside of code, and is none of those above."""
_STRESSED = re.compile(r"(?<![^\W_])_|_(?![^\W_])|__|\*")
"""Stars, and `_` that is not within a word."""
_TICKS = re.compile("(`+)")
_RUNS = re.compile(r"\*+|_+")
_EDGE: Final = "\0"
"""Replaces a bracket of a link or a tag; no decoded text contains it."""
_LONGEST_INLINE: Final = 1 << 14
"""Code points from which a paragraph keeps its marks: reading them may take time that grows with its square."""
_BREAKS = frozenset(("softbreak", "hardbreak"))

PARSER: Final = "markdown-it/1"
"""Goes into every id below it: any change of what `parse_markdown` returns changes it."""
PARSER_2: Final = "markdown-it/2"
"""With long lists split at their items."""
_LIST_PART: Final = 1_200
"""Code points from which on the next item begins another part of a long list."""
LARGEST: Final = 8_000_000
"""Code points; a longer document is read as plain paragraphs."""
_NESTED: Final = 100
_LEVEL = attrgetter("level")
_LINE_END = re.compile(r"\r\n?")
_COMMENT_END: Final = "-->"
_TAG = re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL)
_BARE_TAG = re.compile(r"<[^<>]*>")
_AUDIO = (".mp3", ".wav", ".m4a", ".ogg", ".flac", ".opus", ".aac")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """`lines` is how many lines it takes, its fences included; 0: there is none. `fault` says why it says nothing."""

    lines: int = 0
    properties: dict[str, Any] | None = None
    fault: str = ""


def frontmatter(text: str) -> Frontmatter:
    """The frontmatter of a document. Values are plain JSON values; dates are ISO 8601 texts.

    One that cannot be read is told with its `fault`, and its lines are left to be read as text.
    """
    fence = text[:3]
    if fence not in ("---", "+++") or text[3:].partition("\n")[0].strip():
        return Frontmatter()
    inner = text[:_LONGEST_FRONTMATTER].split("\n")
    ends = ("---", "...") if fence == "---" else ("+++",)
    end = next((at for at, line in enumerate(inner) if at and line.rstrip() in ends), None)
    if end is None:
        return Frontmatter()
    body = "\n".join(["", *inner[1:end]])  # an error names the line of the file
    try:
        found = _yaml(body) if fence == "---" else _toml(body)
    except (ValueError, RecursionError) as error:
        why = " ".join(str(error).split()).replace(' in "<unicode string>", ', " at ")
        return Frontmatter(end + 1, None, f"the frontmatter cannot be read: {why[:200]}")
    if found is None:
        found = {}
    if not isinstance(found, dict):
        # a rule, some words and another rule: no frontmatter at all
        return Frontmatter()
    budget = [_MOST]
    try:
        plain = {_text(key): _plain(one, budget, 0) for key, one in cast("dict[object, object]", found).items()}
    except ValueError as error:
        return Frontmatter(end + 1, None, f"the frontmatter cannot be read: {error}")
    return Frontmatter(end + 1, plain)


def _yaml(body: str) -> object:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_depth(cast("Iterable[object]", yaml.parse(body, Loader=loader)))  # pyright: ignore[reportUnknownMemberType]
        return yaml.load(body, Loader=loader)  # the safe loader: nothing is run or made but plain values
    except (yaml.YAMLError, AttributeError, LookupError, TypeError, OverflowError) as error:  # PyYAML's own slips, too
        raise ValueError(error) from error


def _check_depth(events: Iterable[object]) -> None:
    """Raises ValueError for what nests too deeply: the time to load it grows with the square of its depth."""
    depth = 0
    for event in events:
        kind = type(event).__name__
        depth += kind in ("MappingStartEvent", "SequenceStartEvent")
        depth -= kind in ("MappingEndEvent", "SequenceEndEvent")
        if depth > _DEEPEST + 2:
            raise ValueError(_TOO_MUCH)


def _toml(body: str) -> object:
    import tomllib

    # The time for a dotted key grows with the square of its parts.
    if any(line.count(".") > _MOST_DOTS for line in body.split("\n")):
        raise ValueError(_TOO_MUCH)
    return tomllib.loads(body)


def _plain(value: object, budget: list[int], depth: int) -> object:
    budget[0] -= 1
    if budget[0] < 0 or depth > _DEEPEST:
        raise ValueError(_TOO_MUCH)
    if isinstance(value, dict):
        return {_text(key): _plain(one, budget, depth + 1) for key, one in cast("dict[object, object]", value).items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(one, budget, depth + 1) for one in cast("list[object]", value)]
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if abs(value) < 1 << 53 else str(value)
    if value is None or isinstance(value, bool):
        return value
    return _text(value)


def _text(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode("utf-8")


def words(md: MarkdownIt, content: str, env: dict[str, Any]) -> str:
    """`content` as a reader sees it: the text of links, the description of pictures, code as it is, HTML tags gone.

    It has as many lines as `content`.
    """
    if len(content) > _LONGEST_INLINE or not _has(content, _MARKS):
        return _without_blank_ends(content)
    simple = _simple(content, named="references" in env)
    return inline_text(inline_tokens(md, content, env)) if simple is None else simple


def _simple(content: str, *, named: bool) -> str | None:
    """The words of a text whose only marks are code, stress, plain tags, links to plain addresses, pictures and signs
    that stand for themselves. `named`: the document names targets of links, so any other bracket may be a link.

    Most texts with marks are such, and the parser needs ten times as long for them. None for any other.
    """
    if _has(content, _SELDOM):
        return None
    plain, code = content, list[str]()
    if "`" in content:
        parts = _TICKS.split(content)  # text, ticks, text, …
        plain, at = parts[0], 1
        while at < len(parts):
            end = next((other for other in range(at + 2, len(parts), 2) if parts[other] == parts[at]), None)
            if end is None:
                return None
            code.append(_code("".join(parts[at + 1 : end])))
            plain, at = f"{plain}`{parts[end + 1]}", end + 2  # the code is replaced by a sign that is no letter
    if "<" in plain:
        plain = _INLINE_TAG.sub(_EDGE * 2, plain)
    if "](" in plain:
        plain = _LINK.sub(_label, _PICTURE.sub(_label, plain) if "![" in plain else plain)
        if "](" in plain:
            return None
    if (named and "[" in plain) or (_has(plain, "<&") and _MARKED.search(plain)):
        return None
    if _has(plain, "*_") and _STRESSED.search(plain):
        plain = _unstressed(plain)
    plain = _without_blank_ends(plain)
    if code:
        between = plain.split("`")
        plain = "".join(one for pair in zip(between, (*code, ""), strict=True) for one in pair)
    return plain.replace(_EDGE, "")


def _code(inside: str) -> str:
    """What is between two runs of ticks, as the parser reads it."""
    line = inside.replace("\n", " ")
    return line[1:-1] if line[0] == line[-1] == " " and line.strip(" ") else line


def _label(link: re.Match[str]) -> str:
    """The label of a link between edges, as its brackets are for stars next to them. A label with stress of its own
    stays as it is: none of it is a pair with what is outside."""
    return link[0] if _STRESSED.search(link[1]) else f"{_EDGE}{link[1]}{_EDGE}"


def _without_blank_ends(text: str) -> str:
    """`text` without the blanks around its line ends. Not by a pattern: for a run of blanks within a line that takes
    time that grows with the square of its length."""
    first, *rest = text.split("\n")
    if not rest:
        return text
    *middle, last = rest
    return "\n".join((first.rstrip(" \t"), *(line.strip(" \t") for line in middle), last.lstrip(" \t")))


def _has(text: str, signs: Iterable[str]) -> bool:
    return any(map(text.__contains__, signs))  # a quarter of the time of a pattern


def _unstressed(text: str) -> str:
    """`text` without the stars and underscores that are pairs of stress (CommonMark 6.2)."""
    runs = [_run(text, one) for one in _RUNS.finditer(text)]
    gone: list[int] = []
    if all(map(_is_pair, runs[::2], runs[1::2])) and not len(runs) % 2:
        gone += (at for one in runs for at in range(one.start, one.start + len(one.signs)))
    else:
        found = [
            Delimiter(ord(one.signs[0]), len(one.signs), one.start + at, -1, one.opens, one.closes)
            for one in runs
            for at in range(len(one.signs))
        ]
        processDelimiters(cast("StateInline", None), found)  # of the state it reads nothing
        gone += sorted(at for one in found if one.end >= 0 for at in (one.token, found[one.end].token))
    return "".join([text[start + 1 : end] for start, end in itertools.pairwise((-1, *gone, len(text)))])


class _Run(NamedTuple):
    """A run of stars or underscores, and whether it may begin and end stress."""

    signs: str
    start: int
    opens: bool
    closes: bool


def _run(text: str, found: re.Match[str]) -> _Run:
    (start, end), signs = found.span(), found[0]
    before, after = _side(text[start - 1 : start]), _side(text[end : end + 1])
    left = after == "other" or (after == "sign" and before != "other")
    right = before == "other" or (before == "sign" and after != "other")
    if signs[0] == "*":
        return _Run(signs, start, left, right)
    return _Run(signs, start, left and (not right or before == "sign"), right and (not left or after == "sign"))


def _is_pair(one: _Run, other: _Run) -> bool:
    return one.signs == other.signs and (one.opens, one.closes, other.opens, other.closes) == (True, False, False, True)


@lru_cache(maxsize=1 << 10)
def _side(sign: str) -> Literal["blank", "sign", "other"]:
    """What is next to a run of stars; the end of the text is a blank."""
    if not sign or isWhiteSpace(ord(sign)):
        return "blank"
    return "sign" if sign == _EDGE or isMdAsciiPunct(ord(sign)) or isPunctChar(sign) else "other"


def inline_tokens(md: MarkdownIt, content: str, env: dict[str, Any]) -> list[Token]:
    """The inline tokens of `content`; `env` knows the targets that the document names."""
    found: list[Token] = []
    md.inline.parse(content, md, env, found)
    return found


def inline_text(tokens: list[Token]) -> str:
    parts: list[str] = []
    for token in tokens:
        if token.type in _BREAKS:
            parts.append("\n")
        elif token.type == "image":
            parts.append(inline_text(token.children or []))
        elif token.type == "html_inline":
            parts.append("\n" * token.content.count("\n"))
        else:
            parts.append(token.content)
    return "".join(parts)


def pictures(md: MarkdownIt, content: str, env: dict[str, Any]) -> list[tuple[str, str]] | None:
    """Target and description of each picture, if `content` holds nothing but pictures; else None."""
    if not content.startswith("![") or len(content) > _LONGEST_INLINE:
        return None
    found: list[tuple[str, str]] = []
    for token in inline_tokens(md, content, env):
        if token.type == "image":
            found.append((str(token.attrGet("src") or ""), inline_text(token.children or [])))
        elif token.type not in _BREAKS and token.content.strip():
            return None
    return found or None


def parse_markdown(text: str, *, split_lists: bool = False) -> Parsed:
    """The blocks of a Markdown document, in order, each with its lines; no words are left out but the targets of links.

    With `split_lists` a long list is several blocks, each with its own lines.

    A document too large or too deeply nested for the parser is read as plain paragraphs, with a warning.
    """
    front = frontmatter(text)
    lines = text.split("\n")
    warnings = [front.fault] if front.fault else []
    for at in range(front.lines):
        lines[at] = ""
    body = "\n".join(lines) if front.lines else text
    try:
        blocks = read_blocks(lines, body, split_lists=split_lists) if len(body) <= LARGEST else None
    except RecursionError:
        blocks = None
    if blocks is None:
        warnings.append("too large or too deeply nested for Markdown: read as plain text")
        blocks = list(paragraphs(body))
    if front.fault:
        kept = text.split("\n", front.lines)[: front.lines]
        blocks.insert(0, _front_block(kept))
    return Parsed(PARSER_2 if split_lists else PARSER, tuple(blocks), front.properties or {}, tuple(warnings))


def _front_block(kept: Sequence[str]) -> ParsedBlock:
    code = "\n".join(kept[1:-1])
    lang = "toml" if kept[0].startswith("+") else "yaml"
    return ParsedBlock("code", (), LineSpan(1, len(kept)), code, {"lang": lang}, 2)


@lru_cache(maxsize=2)
def _markdown(quickly: bool) -> MarkdownIt:
    md = MarkdownIt("commonmark", {"maxNesting": _NESTED}).enable("table")
    if quickly:
        quick.enable(md)
    md.disable(["normalize", "inline"])  # see `_Reader.read`; the words of a block are read only where it has marks
    return md


_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{:?\s*+[#.][^{}]*+\}$")
"""What MkDocs, Pandoc and Kramdown put behind a heading: `{ #install .wide }`."""


def read_blocks(
    lines: Sequence[str], body: str, *, split_lists: bool, quickly: bool = True
) -> list[ParsedBlock] | None:
    """The blocks of a text and its lines, or None where they lie too deep; the same whether read `quickly` or not."""
    return _Reader(lines, split_lists, quickly).read(body)


class _Reader:
    """Reads one document; knows the headings above the place where it is."""

    def __init__(self, lines: Sequence[str], split_lists: bool, quickly: bool) -> None:
        self.lines = lines
        self.split_lists = split_lists
        self.md = _markdown(quickly)
        self.env: dict[str, Any] = {}
        self.headings: list[tuple[int, str]] = []
        self.path: tuple[str, ...] = ()
        self.blocks: list[ParsedBlock] = []

    def read(self, body: str) -> list[ParsedBlock] | None:
        """The blocks, or None where they lie too deep."""
        if "\r" in body or "\0" in body:  # no text that was decoded has them: not searched by a pattern
            body = _LINE_END.sub("\n", body).replace("\0", "\ufffd")
        tokens = self.md.parse(body, self.env)
        if max(map(_LEVEL, tokens), default=0) >= _NESTED - 1:
            return None
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.type == quick.PARAGRAPH:
                self._paragraph(token.content, _span_at(token))
            elif token.type == quick.HEADING:
                self._heading(int(token.tag[1:]), token.content, _span_at(token))
            elif token.type == quick.LIST:
                self._quick_list(token)
            elif token.type == quick.TABLE:
                self._table(quick.rows_of(token), _span_at(token))
            else:
                end = _closing(tokens, at)
                self._block(tokens[at : end + 1])
                at = end
            at += 1
        return self.blocks

    def _block(self, tokens: Sequence[Token]) -> None:
        first = tokens[0]
        span = self._span(first)
        match first.type:
            case "heading_open":
                self._heading(int(first.tag[1:]), tokens[1].content, span)
            case "paragraph_open":
                self._paragraph(tokens[1].content, span)
            case "fence" | "code_block":
                code = first.content.removesuffix("\n")
                lang = first.info.split()[0] if first.info.strip() else None
                self._add("code", span, code, {"lang": lang}, span.start + (first.type == "fence"))
            case "table_open":
                self._table(_rows(tokens), span)
            case "bullet_list_open" | "ordered_list_open":
                for part in self._parts(tokens) if self.split_lists else (tokens,):
                    items = self._items(part)
                    payload = {"ordered": first.type == "ordered_list_open", "items": len(items)}
                    self._add("list", span if part is tokens else self._span_of(part), "\n".join(items), payload, None)
            case "blockquote_open":
                self._add("quote", span, "\n\n".join(self._inside(tokens)), {}, None)
            case "html_block":
                text = _without_tags(first.content)
                kept = "\n".join(line for line in map(str.strip, text.split("\n")) if line)
                self._add("paragraph", span, kept, {}, None)
            case _:  # a rule between two parts
                pass

    def _heading(self, level: int, content: str, span: LineSpan) -> None:
        text = " ".join(words(self.md, content, self.env).split())
        if text.endswith("}"):
            text = _ATTRIBUTES.sub("", text) or text
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

    def _table(self, cells: Sequence[Sequence[str]], span: LineSpan) -> None:
        rows = [[words(self.md, cell, self.env) for cell in row] for row in cells]
        text = "\n".join(" | ".join(row) for row in rows)
        self._add("table", span, text, {"headers": rows[0] if rows else [], "rows": max(0, len(rows) - 1)}, None)

    def _quick_list(self, token: Token) -> None:
        items, at = quick.items_of(token), 0
        for end in (*_cuts([len(item.content) for item in items]), len(items)) if self.split_lists else (len(items),):
            some = items[at:end]
            texts = [text for item in some if (text := words(self.md, item.content, self.env))]
            payload = {"ordered": token.tag == "ol", "items": len(texts)}
            self._add("list", LineSpan(some[0].first + 1, some[-1].end), "\n".join(texts), payload, None)
            at = end

    def _parts(self, tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
        """The tokens of a list, or of runs of its items where it is long."""
        starts = [
            at for at, one in enumerate(tokens) if one.type == "list_item_open" and one.level == tokens[0].level + 1
        ]
        ends = itertools.pairwise((*starts, len(tokens) - 1))
        begin = 0
        for item in _cuts([sum(len(one.content) for one in tokens[at:end]) for at, end in ends]):
            yield tokens[begin : starts[item]]
            begin = starts[item]
        yield tokens if not begin else tokens[begin:]

    def _items(self, tokens: Sequence[Token]) -> list[str]:
        """The items of a list, those of lists inside it indented."""
        items: list[list[str]] = []
        depth = int(not tokens[0].type.endswith("_list_open"))  # a part of a long list may begin with an item
        for token in tokens:
            depth += token.nesting if token.type.endswith("_list_open") or token.type.endswith("_list_close") else 0
            if token.type == "list_item_open":
                items.append([])
            elif items and (text := self._inline_text(token)):
                indent = "  " * (depth - 1)
                items[-1].append(indent + text.replace("\n", "\n" + indent))
        return ["\n".join(item) for item in items if item]

    def _inside(self, tokens: Sequence[Token]) -> list[str]:
        return [text for token in tokens if (text := self._inline_text(token))]

    def _inline_text(self, token: Token) -> str:
        if token.type == "inline":
            return words(self.md, token.content, self.env)
        if token.type in ("fence", "code_block"):
            return token.content.removesuffix("\n")
        return " ".join(_without_tags(token.content).split()) if token.type == "html_block" else ""

    def _add(self, kind: BlockKind, span: LineSpan, text: str, payload: Mapping[str, Any], first: int | None) -> None:
        if text.strip():
            self.blocks.append(ParsedBlock(kind, self.path, span, text, payload, first))

    def _span_of(self, tokens: Sequence[Token]) -> LineSpan:
        """The lines of items, from the first to the last."""
        spans = [self._span(one) for one in tokens if one.type == "list_item_open"]
        return LineSpan(spans[0].start, max(span.end for span in spans))

    def _span(self, token: Token) -> LineSpan:
        start, end = token.map or (0, 1)
        while end > start + 1 and not (end <= len(self.lines) and self.lines[end - 1].strip()):
            end -= 1
        return LineSpan(start + 1, end)


def _rows(tokens: Sequence[Token]) -> list[list[str]]:
    """The cells of a table, with their marks."""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content)
    return rows


def _without_tags(text: str) -> str:
    """The text with a space for each tag and each comment; a comment without an end is text.

    Comments are looked for only up to the last end of one: beyond it every `<!--` would be searched to the end of the
    text for nothing, which takes time that grows with the square of its length.
    """
    last = text.rfind(_COMMENT_END)
    end = last + len(_COMMENT_END) if last >= 0 else 0
    return _TAG.sub(" ", text[:end]) + _BARE_TAG.sub(" ", text[end:])


def _cuts(lengths: Sequence[int]) -> Iterator[int]:
    """The items of a list, by their lengths, that begin another part of it."""
    size = 0
    for at, length in enumerate(lengths):
        if size and size + length > _LIST_PART:
            yield at
            size = 0
        size += length


def _span_at(token: Token) -> LineSpan:
    """The lines of a quick block, which ends with none that is blank."""
    start, end = token.map or (0, 1)
    return LineSpan(start + 1, end)


def _closing(tokens: Sequence[Token], at: int) -> int:
    """Where the block that begins at `at` ends."""
    if tokens[at].nesting != 1:
        return at
    level = tokens[at].level
    end = at + 1
    while not (tokens[end].nesting == -1 and tokens[end].level == level):
        end += 1
    return end
