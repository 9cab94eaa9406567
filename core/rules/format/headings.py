"""Headings of a rule file and their levels, and the lines that are text: not inside a fence or a comment."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.text.cleaning import normalized

_FENCE = re.compile(r"[ \t]*((?:>[ \t]?)*)(?:[-*+][ \t]+)?(`{3,}|~{3,})([^`]*)$")
_CODE = re.compile(r"`[^`]*`")
_PROSE = ("md", "markdown", "text", "txt", "plain", "rst", "{", "adoc", "example")
_MOST = 12
"""Longer fences are as long as this where what one holds is counted."""
_WRONG = 1 << 32
"""What a fence line without a partner costs; a rule that is held costs one."""

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
"""Words before an id that only say that it is one."""
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣"), "-") | dict.fromkeys(map(ord, "〜∼⁓"), "~") | {0xFE55: ":"}
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}


def fenced(
    lines: Sequence[str], begins_rule: Callable[[str], bool] = lambda _: False
) -> tuple[list[bool], list[int], list[int]]:
    """For each line whether a fence or an HTML comment holds it (fence lines too); the lines (from 0) that open one
    which nothing closes: those count as text, or everything behind them would be lost; and those that open a fence of
    code which ends its rule and holds another: an example, or its end stands too late.

    Fences are read so that the fewest lines of them lack a partner, and where that may be done in several ways, so
    that they hold the fewest headings of rules.
    """
    inside = [False] * len(lines)
    unclosed: list[int] = []
    doubtful: list[int] = []
    rules = [at for at, line in enumerate(lines) if "#" in line and begins_rule(line)]
    marks = _marks(lines, rules)
    _pair(marks)
    ends = _chosen(marks, rules)
    behind = -1
    for mark, end in zip(marks, ends, strict=True):
        if mark.line <= behind:
            continue
        if end < 0:
            unclosed.append(mark.line)
            continue
        begin, behind = mark.line + mark.aside, end
        inside[begin : end + 1] = [True] * (end + 1 - begin)
        if mark.code and _count_rules(rules, mark.line, end) and _is_last(lines, rules, end):
            doubtful.append(mark.line)
    return inside, unclosed, doubtful


@dataclass(slots=True)
class _Mark:
    """A line that opens a fence or a comment, or closes a fence. `closes`: it may; `end`: where a comment or a quoted
    fence ends, -1 where nothing closes it, None for a fence; `aside`: text stands before it; `code`: it has a word."""

    line: int
    sign: str = ""
    size: int = 0
    closes: bool = False
    code: bool = False
    end: int | None = None
    aside: bool = False
    ways: tuple[tuple[int, bool], ...] = ()
    """Which mark may close it, and whether those between are pairs of their own."""


def _marks(lines: Sequence[str], rules: Sequence[int]) -> list[_Mark]:
    comments = [at for at, line in enumerate(lines) if "<!--" in line]
    comment_ends = [at for at, line in enumerate(lines) if "-->" in line]
    pre_ends = [at for at, line in enumerate(lines) if "</" in line and "</pre" in line.casefold()]
    marks: list[_Mark] = []
    for at, line in enumerate(lines):
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if found and found.group(1):
            marks.append(_Mark(at, end=_quoted_end(lines, at)))
        elif found:
            sign, bare = found.group(2), line.strip()
            closes = bare == sign
            word = found.group(3).strip().casefold()
            marks.append(_Mark(at, sign[0], len(sign), closes, bool(word) and not word.startswith(_PROSE)))
        elif "<" not in line:
            continue
        elif line.lstrip().startswith("<!--"):
            end = at if "-->" in line else _first(comment_ends, at + 1)
            marks.append(_Mark(at, end=-1 if _holds_another(rules, comments, at, end) else end))
        elif "<!--" in line:
            opened = "<!--" in _CODE.sub("", line) and "-->" not in line
            end = _first(comment_ends, at + 1) if opened else -1
            if end >= 0 and lines[end].rstrip().endswith("-->") and not 0 <= _first(comments, at + 1) <= end:
                marks.append(_Mark(at, end=end, aside=True))
        elif line.lstrip()[:4].casefold() == "<pre" and "</pre" not in line.casefold():
            end = _first(pre_ends, at + 1)
            if end >= 0:
                marks.append(_Mark(at, end=end))
    return marks


def _holds_another(rules: Sequence[int], comments: Sequence[int], at: int, end: int) -> bool:
    """Whether a comment would take its end from another one, behind the heading of a rule."""
    rule = _first(rules, at + 1)
    return 0 <= rule < end and 0 <= _first(comments, rule) <= end


def _quoted_end(lines: Sequence[str], at: int) -> int:
    """A fence in a quote ends where it is closed in the quote, or with the quote."""
    mark = lines[at].lstrip(" \t>")[:3]
    for end in range(at + 1, len(lines)):
        line = lines[end].lstrip()
        if not line.startswith(">"):
            return end - 1
        bare = line.lstrip(" \t>").rstrip()
        if bare.startswith(mark) and not bare.strip(mark[0]):
            return end
    return len(lines) - 1


def _pair(marks: Sequence[_Mark]) -> None:
    """The ways to close each fence: by the first line that may, or by the first behind pairs that it holds."""
    for sign in "`~":
        places = [at for at, mark in enumerate(marks) if mark.sign == sign]
        closers: list[int] = []  # those behind that no longer one stands before, the nearest last
        sizes: list[int] = []
        free = -1  # the first closer behind, pairs left out
        frees: dict[int, int] = {}
        for at in reversed(places):
            mark = marks[at]
            found = bisect_right(sizes, -mark.size) - 1
            plain = closers[found] if found >= 0 else -1
            nested = free if free >= 0 and marks[free].size >= mark.size else -1
            mark.ways = tuple((end, end == nested != plain) for end in dict.fromkeys((plain, nested)) if end >= 0)
            frees[at] = free  # behind this one
            free = at if mark.closes else frees[nested] if nested >= 0 else -1
            if mark.closes:
                while sizes and -sizes[-1] <= mark.size:
                    sizes.pop()
                    closers.pop()
                sizes.append(-mark.size)
                closers.append(at)


def _chosen(marks: Sequence[_Mark], rules: Sequence[int]) -> list[int]:
    """The line on which each mark ends where it is read as one that opens; -1: as text."""
    openers: dict[tuple[str, int], list[int]] = {}
    for at, mark in enumerate(marks):
        if mark.sign and not mark.closes:
            openers.setdefault((mark.sign, min(mark.size, _MOST)), []).append(at)
    lines = [mark.line for mark in marks]
    costs = [0] * (len(marks) + 1)
    ends = [-1] * len(marks)
    for at in range(len(marks) - 1, -1, -1):
        mark = marks[at]
        if mark.end is not None:
            ends[at] = mark.end
            costs[at] = costs[bisect_right(lines, mark.end)] if mark.end >= 0 else _WRONG + costs[at + 1]
            continue
        best = _WRONG + costs[at + 1]
        for place, nested in mark.ways:
            cost = costs[place + 1] + _count_rules(rules, mark.line, lines[place])
            if not nested:
                cost += _WRONG * sum(
                    bisect_left(spots, place) - bisect_right(spots, at)
                    for (sign, size), spots in openers.items()
                    if sign == mark.sign and size >= min(mark.size, _MOST)
                )
            if cost < best or (cost == best and ends[at] < 0):  # of two ways as good, the fence is closed
                best, ends[at] = cost, lines[place]
        costs[at] = best
    return ends


def _count_rules(rules: Sequence[int], begin: int, end: int) -> int:
    """Return the number of rule headings between two lines."""
    return bisect_left(rules, end) - bisect_right(rules, begin)


def _is_last(lines: Sequence[str], rules: Sequence[int], end: int) -> bool:
    behind = next((at for at in range(end + 1, len(lines)) if lines[at].strip()), len(lines))
    return behind == len(lines) or _first(rules, behind) == behind


def _first(places: Sequence[int], at: int) -> int:
    """The first of these places, which are in order, from one on; -1 where there is none."""
    found = bisect_left(places, at)
    return places[found] if found < len(places) else -1


@dataclass(frozen=True, slots=True)
class Named:
    """The id that a heading names, and the title. `first`: the heading begins with it; `sure`: it also continues as the
    heading of a rule would; `span`: it is the first of a range (`ERR-100 ~ ERR-199`); `several`: other ids follow;
    `written`: the id as written."""

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
    """Return whether the text after an id makes it a range."""
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
