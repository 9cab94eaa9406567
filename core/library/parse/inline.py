"""The words of a line of Markdown, without its marks."""

from __future__ import annotations

import re
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKS = re.compile(r"[\\`*_\[\]<>&!]")
_LONGEST: Final = 1 << 14
"""Code points from which a paragraph keeps its marks: reading them may take time that grows with its square."""
_BREAKS = frozenset(("softbreak", "hardbreak"))
_BLANK_ENDS = re.compile(r"[ \t]*\n[ \t]*")


def words(md: MarkdownIt, content: str, env: dict[str, Any]) -> str:
    """`content` as a reader sees it: the text of links, the description of pictures, code as it is, HTML tags gone.

    It has as many lines as `content`.
    """
    if len(content) > _LONGEST or not _MARKS.search(content):
        return _BLANK_ENDS.sub("\n", content) if "\n" in content else content
    return said(inline_tokens(md, content, env))


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
