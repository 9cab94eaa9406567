"""The words of a line of Markdown, without its marks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKS: Final = tuple("\\`*_[]<>&!")
_SELDOM: Final = ("\\", "\t", "``", "](")
"""What `_simple` does not read, anywhere in a text: a link among them."""
_MARKED = re.compile(r"(?<![^\W_])_|_(?![^\W_])|__|<[A-Za-z/!?]|&[#\w]")
"""What may be a mark outside of code; `_` within a word is none, nor is a bracket without a target."""
_PERHAPS: Final = tuple("_<&")
_STARS = re.compile(r"(\*+)")
_LONGEST: Final = 1 << 14
"""Code points from which a paragraph keeps its marks: reading them may take time that grows with its square."""
_BREAKS = frozenset(("softbreak", "hardbreak"))


def words(md: MarkdownIt, content: str, env: dict[str, Any]) -> str:
    """`content` as a reader sees it: the text of links, the description of pictures, code as it is, HTML tags gone.

    It has as many lines as `content`.
    """
    if len(content) > _LONGEST or not _has(content, _MARKS):
        return _without_blank_ends(content)
    simple = _simple(content) if "references" not in env else None
    return said(inline_tokens(md, content, env)) if simple is None else simple


def _simple(content: str) -> str | None:
    """The words of a text whose only marks are code, emphasis of whole words and signs that stand for themselves.

    Most texts with marks are such, and the parser needs ten times as long for them. None for any other.
    """
    if _has(content, _SELDOM):
        return None
    parts = content.split("`")
    code, plain = parts[1::2], "`".join(parts[::2])  # a sign that is no letter stands where the code was
    if not len(parts) % 2 or any(not one or one[0].isspace() or one[-1].isspace() or "\n" in one for one in code):
        return None
    if _has(plain, _PERHAPS) and _MARKED.search(plain):
        return None
    plain = _unstressed(plain) if "*" in plain else plain
    if plain is None:
        return None
    if code:
        between = plain.split("`")
        plain = "".join(one for pair in zip(between, (*code, ""), strict=True) for one in pair)
    return _without_blank_ends(plain)


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


def _unstressed(text: str) -> str | None:
    """`text` without the stars around words; None where they are more than pairs of one or two, one after the other."""
    parts = _STARS.split(text)  # text, stars, text, stars, …
    for at in range(1, len(parts), 4):
        stars, inside = parts[at], parts[at + 1]
        if len(stars) > 2 or at + 2 >= len(parts) or parts[at + 2] != stars:
            return None
        if not (inside[:1].isalnum() and inside[-1:].isalnum()):
            return None
    return "".join(parts[::2])


def inline_tokens(md: MarkdownIt, content: str, env: dict[str, Any]) -> list[Token]:
    """The inline tokens of `content`; `env` knows the targets that the document names."""
    found: list[Token] = []
    md.inline.parse(content, md, env, found)
    return found


def said(tokens: list[Token]) -> str:
    """What inline tokens say."""
    parts: list[str] = []
    for token in tokens:
        if token.type in _BREAKS:
            parts.append("\n")
        elif token.type == "image":
            parts.append(said(token.children or []))
        elif token.type == "html_inline":
            parts.append("\n" * token.content.count("\n"))
        else:
            parts.append(token.content)
    return "".join(parts)


def pictures(md: MarkdownIt, content: str, env: dict[str, Any]) -> list[tuple[str, str]] | None:
    """Target and description of each picture, if `content` holds nothing but pictures; else None."""
    if not content.startswith("![") or len(content) > _LONGEST:
        return None
    found: list[tuple[str, str]] = []
    for token in inline_tokens(md, content, env):
        if token.type == "image":
            found.append((str(token.attrGet("src") or ""), said(token.children or [])))
        elif token.type not in _BREAKS and token.content.strip():
            return None
    return found or None
