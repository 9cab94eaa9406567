"""Lines of an answer that only name a source: a list of sources at its end is neither a claim nor support for one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from core.base.lazy_pattern import lazy_pattern

_LEAD = lazy_pattern(
    r"(?i)^\W*(?:sources?|references?|citations?|cited|bibliography|see(?: also)?"
    r"|출처|참고(?: ?문헌| ?자료)?|참조|근거)\W*(?:[:：]|$)"
)
_HEADING = lazy_pattern(
    r"(?im)^[ \t#>*_]*(?:(?:the|my) )?(?:sources?|references?|citations?|bibliography|출처|참고(?: ?문헌| ?자료)?|참조)"
    r"(?: used| cited)?[ \t:：*_]*$"
)
_PARAGRAPH = lazy_pattern(r"\S[ \t]*\n[ \t]*\n\s*(?![-*•>\[(#]|[0-9]+[.)])(?=\S)")
_URL = lazy_pattern(r"(?:https?|file)://[^\s)>\]]+")
_LINES = lazy_pattern(
    r"(?i)(?<![^\W_])(?:lines?|l|pages?|pp?|section|chapter)\.?[ ]?=?[0-9]+(?:[ ]?[-–~,][ ]?l?[0-9]+)*"
    r"|(?<![0-9])[0-9]++(?:[ ]?[-–~][ ]?[0-9]+)?[ ]?(?:쪽|줄|행|절|장)"
)
_WORD = lazy_pattern(r"[^\W_]+")
_ITEM = lazy_pattern(r"^\W*(?:[0-9]{1,2}[.)]\s)?")
_SMALL = (
    "the a an of in on and to also as by see from source sources reference references document documents file files "
    "doc docs note notes page pages section sections chapter passage passages line lines cited md txt pdf html "
    "문서 파일 절 장 참고 참조 출처 근거 자료 문헌 섹션 항목 의 및 에서"
)
_FILLERS: Final = frozenset(_SMALL.split())
_LONGEST: Final = 400


def place_names(uri: str, section: str | None) -> tuple[str, ...]:
    """What a place may be called by: its path, the file with and without its ending, the section."""
    path = uri.partition("#")[0]
    name = path.rpartition("/")[2]
    bare = name.rpartition(".")[0] or name
    return (uri, path, name, bare, bare.replace("-", " ").replace("_", " "), section or "")


def only_names(text: str, names: Iterable[str]) -> bool:
    """Whether a sentence without its markers says nothing but what a source is called."""
    if len(text) > _LONGEST:
        return False
    led = _LEAD.match(text)
    rest = _URL.sub(" ", _ITEM.sub("", text[led.end() :] if led else text))
    found = rest != text
    for name in sorted({" ".join(one.split()) for one in names}, key=lambda one: (-len(one), one)):
        if sum(letter.isalnum() for letter in name) > 1:
            rest, times = re.subn(rf"(?i)(?<![^\W_]){re.escape(name)}(?:#[\w=&,.-]+)?(?![^\W_])", " ", rest)
            found = found or times > 0
    rest = _LINES.sub(" ", rest)
    return found and all(word.casefold() in _FILLERS for word in _WORD.findall(rest))


def source_list(answer: str) -> tuple[int, int]:
    """The range of the last list of sources that has a heading; it ends where a paragraph begins."""
    last = next(reversed(list(_HEADING.finditer(answer))), None)
    if last is None:
        return len(answer), len(answer)
    after = _PARAGRAPH.search(answer, last.end())
    return last.end(), after.end() if after else len(answer)
