"""What to ask the library about a case or a rule: the words that tell it apart, not the text as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from core.base.lazy_pattern import lazy_pattern
from core.errors.retrieval.embed_text import embed_text
from core.library.search.lexical import STOP

if TYPE_CHECKING:
    from core.errors import Case
    from core.rules.format.rule import Rule

MOST: Final = 14
"""Words of a question: more make every passage match a little."""
_WORD = lazy_pattern(r"[^\W_]+(?:[_.-][^\W_]+)*")
_COINED = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[a-z0-9]+(?:_[a-z0-9]+)+|[A-Z]+[0-9]{2,}")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NOISE: Final = frozenset(
    ("error", "errors", "fatal", "failed", "failure", "exception", "warning", "traceback", "line", "file", "code",
     "command", "exit", "named", "called", "given", "오류", "에러", "실패", "예외")
)  # fmt: skip
"""What nearly every error says, and hardly a document of its own accord."""


def question_of_case(case: Case) -> str:
    """A question about a case: names and codes of its key line first, then its other words. Never empty for one that
    has a word at all."""
    line = case.key_lines[0] if case.key_lines else case.error_normalized
    names = _COINED.findall(line[:1_000])
    parts = {part.casefold() for name in names for part in _PARTS.findall(name)}
    rest = [word for word in _words(embed_text(line)) if word.casefold() not in parts]
    return _asked([*names, *rest]) or line.strip()[:200]


def question_of_rule(rule: Rule) -> str:
    """A question about a rule: the words of its title, then those of its problem."""
    return _asked([*_words(rule.title), *_words(rule.problem[:2_000])]) or rule.title.strip()[:200]


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _asked(words: Iterable[str]) -> str:
    """Each word once, those that say nothing left out."""
    found: dict[str, str] = {}
    for word in words:
        folded = word.casefold()
        if folded in _NOISE or folded in STOP or (len(word) < 2 and word.isascii()) or word.isdigit():
            continue
        found.setdefault(folded, word)
    return " ".join(list(found.values())[:MOST])
