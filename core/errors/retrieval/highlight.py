"""Where a case matched: the parts of its key line that its own tier compared, so that light and match agree."""

from __future__ import annotations

import re

from core.errors.retrieval.answer import Hit, Query
from core.errors.retrieval.tiers import PREFIX
from core.lexical import terms

Spans = tuple[tuple[int, int], ...]
_WORD = re.compile(r"[^\W_]+")


def matched_spans(hit: Hit, query: Query) -> Spans:
    """Half-open code-point spans of `hit.key_line`, ordered and apart, that made it match.

    Fingerprint: the whole line. Exact: what it shares literally with the asked line, word by word. Prefix: the part
    that begins alike. Text: the words asked for, the last one as far as it was typed.
    """
    line = hit.key_line
    if hit.tier == "fingerprint":
        return ((0, len(line)),) if line else ()
    if hit.tier == "prefix":
        return _begins_alike(line, query.key_line)
    if hit.tier == "text":
        return _joined(_asked_words(line, query.raw))
    asked = {word.casefold() for word in _WORD.findall(query.key_line)}
    return _joined([found.span() for found in _WORD.finditer(line) if found[0].casefold() in asked])


def _begins_alike(line: str, asked: str) -> Spans:
    """The shared beginning, else (where masks hide other text) the first 30 characters."""
    shared = 0
    for ours, theirs in zip(line, asked, strict=False):
        if ours != theirs:
            break
        shared += 1
    end = shared or min(PREFIX, len(line))
    return ((0, end),) if end else ()


def _asked_words(line: str, text: str) -> list[tuple[int, int]]:
    asked = terms(text)
    spans: list[tuple[int, int]] = []
    for found in _WORD.finditer(line):
        word = found[0].casefold()
        if word in asked:
            spans.append(found.span())
        elif len(word) == len(found[0]):  # folding may lengthen a word, and then offsets would lie
            spans.extend(
                (found.start() + at, found.start() + at + len(term))
                for term in asked
                if (at := _inside(word, term)) is not None
            )
    return spans


def _inside(word: str, term: str) -> int | None:
    """Where a half-typed term stands in a word: at its beginning, and for Hangul anywhere (bigrams find it there)."""
    if word.startswith(term):
        return 0
    if len(term) > 1 and "가" <= term[0] <= "힣":
        at = word.find(term)
        return at if at >= 0 else None
    return None


def _joined(spans: list[tuple[int, int]]) -> Spans:
    """The same places, in order, overlaps joined."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return tuple(out)
