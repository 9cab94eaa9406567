"""Which lines of a rule file begin a rule: people decorate a heading, number it, quote it, or forget its signs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.text.unicode_form import normalized

_ATX = re.compile(r"([ \t]*+)((?>(?:>[ \t]*+)*))((?:[-*+]|\d{1,3}[.)])[ \t]++)?\\?(#++)(.*)$")
_HTML = re.compile(r"[ \t]*+<h([1-6])\b[^>]*>(.*?)(?:</h[1-6]>.*)?$", re.IGNORECASE)
_BARE = re.compile(r" {0,3}((?>(?:>[ \t]*+)*))((?:[-*+]|\d{1,3}[.)])[ \t]++)?(.*)$")
_UNDERLINE = re.compile(r"[ >]{0,9}(?:=+|-{2,})\s*$")
_UNSEEN = r"[\u00ad\u200b-\u200f\u2060\ufeff\ufe0e\ufe0f]*+"
_ID = re.compile(
    rf"(?<![A-Za-z0-9])(ERR){_UNSEEN}\s?\\?[-_#.]?{_UNSEEN}\s?(\d{{1,40}})(?!\d)"
    r"([A-Za-z]{1,3}(?![A-Za-z0-9])|[.\-]\d{1,2}(?=[*_`\])]*+\s*+:))?",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"[*_`\]]*+(\s*+)(~+|\.{2,3}|…|to\b|through\b|until\b|부터|から|-+)\s*+(ERR\s?[-_]?\s?)?(\d{1,40})(?![A-Za-z\d])(.*)$",
    re.IGNORECASE,
)
_RANGE_ENDS = re.compile(r"\s*+(?:$|[:)\],]|range\b|rules\b|범위|번대|까지|番台|号段)", re.IGNORECASE)
_ALSO = re.compile(
    rf"[*_`\]]*+\s*+(?:/\d++|(?:[,/&+|、]|and\b|or\b|및|와|과)\s*+[*_`\[]*+{_ID.pattern})", re.IGNORECASE
)
_CLOSED = re.compile(r"(?>(?:\]\([^()\n]*\)|</\w+>|[*_`~\]」】)\\\u00ad\u200b-\u200f\u2060\ufeff\ufe0e\ufe0f])*)")
_SIGN = re.compile(r"\s*+[:.\-)|,/]?\s*+")
_TAGS = re.compile(r"(?>(?:<[^<>]*>\s*+)+)")
_END_TAG = re.compile(r"</\w+>\Z")
_WORD = re.compile(r"[^\W_]+")
_WORDS = "rule rules no number id error 규칙 룰 원칙 오류 에러 ルール 規則 エラー 规则 错误 錯誤"
_BEFORE = frozenset(_WORDS.split())
"""Words that may stand before an id and say no more than that it is one."""
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣"), "-") | dict.fromkeys(map(ord, "〜∼⁓"), "~") | {0xFE55: ":"}
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}


@dataclass(frozen=True, slots=True)
class Named:
    """The id that a heading names, and the title. `first`: the heading begins with it; `sure`: so it does, and goes on
    as the heading of a rule would; `span`: it is the first of a
    range (`ERR-100 ~ ERR-199`); `several`: others stand beside it; `written`: the id as it stands there."""

    number: str
    title: str
    written: str
    first: bool = True
    sure: bool = True
    span: bool = False
    several: bool = False

    @property
    def id(self) -> str:
        """The id as everybody else writes it."""
        digits = re.match(r"\d*", self.number)
        size = len(digits.group()) if digits else 0
        return f"ERR-{self.number.zfill(3 + len(self.number) - size)}"


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that is a heading, or could be one. `marked`: it has the signs of one; `deep`: it is indented like code;
    `quoted`: it stands in a quote; `plain`: at the left margin; `lines`: how many it takes."""

    level: int
    named: Named | None
    marked: bool = True
    deep: bool = False
    quoted: bool = False
    plain: bool = True
    lines: int = 1

    @property
    def ends(self) -> bool:
        """Whether it ends the rule before it, whatever it names."""
        return self.plain and self.marked and self.level <= 3


def heading_at(lines: Sequence[str], at: int) -> Heading | None:
    """The heading that a line is or could be; None for a line that is none."""
    line = lines[at]
    found = _marked(line)
    if found is not None:
        return found
    if "<" in line and (tagged := _HTML.match(line)):
        return Heading(int(tagged.group(1)), _named(tagged.group(2)), plain=False)
    if not _may_name(line):
        return None
    bare = _BARE.match(line)
    named = _named(bare.group(3)) if bare else None
    if bare is None or named is None or not named.sure or named.span:
        return None
    if not bare.group(2) and at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1]):
        return Heading(2, named, quoted=bool(bare.group(1)), plain=False, lines=2)
    return Heading(6, named, marked=False, quoted=bool(bare.group(1)), plain=False)


def rule_id(text: str) -> str:
    """An id that a person wrote (`err-27`), as rule files are read; any other text as it is."""
    named = _named(text)
    plain = named is not None and named.first and not (named.title or named.span or named.several)
    return named.id if named is not None and plain else text


def begins_rule(line: str) -> bool:
    """Whether a line alone is plainly the heading of a rule."""
    found = _marked(line) if "#" in line else None
    named = found.named if found and not found.deep else None
    return named is not None and named.sure and not named.span


def _marked(line: str) -> Heading | None:
    found = _ATX.match(line) if "#" in line else None
    if found is None:
        return None
    indent, quote, item, marks, text = found.groups()
    named = _named(text)
    if text[:1].strip() and not (named and (named.first or len(marks) > 1)):
        return None  # `#1234`, `#!/bin/sh`
    if (indent or quote or item or line.startswith("\\") or len(marks) > 6) and named is None:
        return None
    deep = len(indent.expandtabs(4)) > 3 and not quote
    return Heading(len(marks), named, deep=deep, quoted=bool(quote), plain=not (indent or quote or item))


def _without_end_tags(text: str) -> str:
    """The text without the closing tags at its end: `title</b></summary>`."""
    bare = text.rstrip()
    while bare.endswith(">") and _END_TAG.match(bare, start := max(0, bare.rfind("</"))):
        text = bare[:start]
        bare = text.rstrip()
    return text


def _may_name(line: str) -> bool:
    start = line[:80]
    return "ERR" in (high := start.upper()) or "ＥＲＲ" in high


def _folded(text: str) -> str:
    """The text with wide signs, dashes and digits of other scripts as the plain ones, each in its place."""
    if text.isascii():
        return text
    flat = text.translate(_DASHES).translate(_WIDE)
    return "".join(str(unicodedata.decimal(c)) if not c.isascii() and c.isdecimal() else c for c in flat)


def _named(text: str) -> Named | None:
    """The id that the text of a heading names, with its title."""
    bare = _without_hashes(text.strip())
    if tags := _TAGS.match(bare):
        bare = _without_end_tags(bare[tags.end() :])
    flat = _folded(bare)
    found = _ID.search(flat)
    if found is None:
        return None
    before, after = flat[: found.start()], flat[found.end() :]
    number = found.group(2) + (found.group(3) or "")
    written = bare[found.start() : found.end()]
    if _is_span(found.group(2), after):
        return Named(number, bare, written, _only_decorates(before), _only_decorates(before), span=True)
    end, several = found.end(), False
    while also := _ALSO.match(flat, end):
        end, several = also.end(), True
    closed = _CLOSED.match(flat, end)
    closers = closed.group() if closed else ""
    rest = flat[end + len(closers) :]
    sign = _SIGN.match(rest)
    begin = end + len(closers) + (sign.end() if sign else 0)
    glued = bool(rest) and sign is not None and not sign.end()
    lettered = bool(found.group(3)) and bool(rest) and not (sign and sign.group().strip())
    title = _title(bare[begin:], before, closers)
    named = Named(number, title, written, sure=not glued and not lettered, several=several)
    if _only_decorates(before):
        return named
    return replace(named, title=f"{bare[: found.start()].strip(' *_`')} {title}".strip(), first=False, sure=False)


def _without_hashes(text: str) -> str:
    """The text of a heading without the hashes that close it."""
    bare = text.rstrip("#")
    return bare.rstrip() if bare != text and (not bare or bare[-1].isspace()) else text


def _only_decorates(before: str) -> bool:
    words = _WORD.findall(normalized(before).casefold())
    return len(words) <= 3 and all(
        (word.isdigit() and len(word) <= 4) or (len(word) == 1 and word.isascii()) or word in _BEFORE for word in words
    )


def _is_span(first: str, after: str) -> bool:
    """Whether what stands behind an id makes it a range."""
    found = _RANGE.match(after)
    if found is None or int(found.group(4)) <= int(first):
        return False
    blank, sign, again, second, rest = found.groups()
    if again or not sign.startswith("-"):
        return True
    if blank or len(second) < len(first):
        return len(second) >= len(first) and _RANGE_ENDS.match(rest) is not None
    return not rest or not rest[0].isalnum()


def _title(text: str, before: str, closers: str) -> str:
    """A title without the second half of signs that were opened before the id."""
    title = text.strip()
    for sign in "*_`~":
        if before.count(sign) > closers.count(sign):
            title = title.strip(f"{sign} ")
    if before.count("[") > closers.count("]"):
        title = re.sub(r"\](?:\([^()]*\))?", "", title, count=1).strip()
    return title
