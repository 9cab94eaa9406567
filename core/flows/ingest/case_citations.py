"""Links between cases and the library: the citations of a fix, and the query that an error or a rule makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from core.base.fault import Fault
from core.base.lazy import lazy_pattern
from core.errors import Case
from core.errors.cases.case import Cited
from core.errors.cases.resolutions import Resolution
from core.errors.retrieval.embed_text import embed_text
from core.library.citations.store import MOST_CITED, StoredCitation, anchored, citations_of, cite, cited_in
from core.library.search.lexical import STOP
from core.store import Store, faults

if TYPE_CHECKING:
    from core.rules.format.rule import Rule

CITED_BY = "resolution"

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


def with_citations(store: Store, case: Case, check: Callable[[], object] = lambda: None) -> Case:
    """Return the case with its citations, each located again; `check` is called between two. Raises Fault."""
    found: list[Cited] = []
    with faults(store.path):
        for fix, kept in _cited(store, case):
            check()
            now = anchored(store.con, kept)
            place = now.citation.uri if now.citation is not None else None
            found.append(
                Cited(fix.id, kept.uri, kept.quote, kept.heading_path, now.status, now.reason, place, kept.id or None)
            )
    return replace(case, citations=tuple(found))


def cite_in_case(store: Store, case: Case, name: str, author: str, quote: str | None = None) -> StoredCitation:
    """Let the fix that answers cite a passage (a chunk id or a URI); can be undone.

    Raises Fault invalid_input where the case has no fix, and what `cite` raises.
    """
    fix = answering(case)
    if fix is None:
        raise Fault("invalid_input", f"case {case.id} has no fix", "record a fix first")
    return cite(store, CITED_BY, str(fix.id), name, author, quote)


def answering(case: Case) -> Resolution | None:
    """The fix that answers for the case; None where none does."""
    return next((one for one in case.resolutions if one.current), None)


def _cited(store: Store, case: Case) -> Iterator[tuple[Resolution, StoredCitation]]:
    """Yield citations in the text of the fix, then those attached to it or to the fixes it replaced."""
    fix = answering(case)
    if fix is None:
        return
    in_text = cited_in(fix.text, str(fix.id))
    yield from ((fix, one) for one in in_text)
    known = {(one.uri, one.quote) for one in in_text}
    by_id = {one.id: one for one in case.resolutions}
    seen: set[int] = set()
    at: Resolution | None = fix
    while at is not None and at.id not in seen and len(known) < MOST_CITED:
        seen.add(at.id)
        for kept in citations_of(store, CITED_BY, str(at.id)):
            if (kept.uri, kept.quote) not in known:
                known.add((kept.uri, kept.quote))
                yield at, kept
        at = by_id.get(at.supersedes) if at.supersedes is not None else None


def question_of_case(case: Case) -> str:
    """A question about a case: names and codes of its key line first, then its other words. Never empty for one that
    has a word at all."""
    line = case.key_lines[0] if case.key_lines else case.error_normalized
    names = _COINED.findall(line[:1_000])
    parts = {part.casefold() for name in names for part in _PARTS.findall(name)}
    rest = [word for word in _words(embed_text(line)) if word.casefold() not in parts]
    return _search_words([*names, *rest]) or line.strip()[:200]


def question_of_rule(rule: Rule) -> str:
    """A question about a rule: the words of its title, then those of its problem."""
    return _search_words([*_words(rule.title), *_words(rule.problem[:2_000])]) or rule.title.strip()[:200]


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _search_words(words: Iterable[str]) -> str:
    """Each word once, those that say nothing left out."""
    found: dict[str, str] = {}
    for word in words:
        folded = word.casefold()
        if folded in _NOISE or folded in STOP or (len(word) < 2 and word.isascii()) or word.isdigit():
            continue
        found.setdefault(folded, word)
    return " ".join(list(found.values())[:MOST])
