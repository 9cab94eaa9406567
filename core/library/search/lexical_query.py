"""A person's words as one FTS5 query: any of them may match, each is quoted, so no text is a syntax error.

Decision 18: words are joined with OR and ranked by bm25; an AND query finds nothing for most questions. Besides the
words themselves it asks for what `lexical_pieces` stored: stems, parts of names, Hangul bigrams; and for neighbouring
words as phrases, which ranks those first who say them together.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.lexical.hangul_bigrams import bigrams
from core.lexical.query import quoted
from core.library.search.morphemes import Analyse
from core.library.search.stopwords import STOP
from core.library.search.subword import word_pieces
from core.text.tokenizing import without_particle
from core.text.unicode_form import normalized

MOST_WORDS: Final = 32
MOST_READ: Final = 8192
"""Code points of a query that are looked at."""
_MOST_PIECES: Final = 24  # of one word
_MOST_DEFINED: Final = 3  # names
_DEFINES: Final = ("def", "class", "fn", "func", "function", "struct", "enum", "interface", "type", "const")
_WORD = lazy_pattern(r"[^\W_]+")
_NAME = lazy_pattern(r"(?<![^\W_])[^\W_]++(?>(?:(?:[_.:/\\-]|::|->)[^\W_]++)+)")
_COINED = lazy_pattern(r"(?=.*(?:[A-Za-z0-9][_.:/\\]|[a-z0-9][A-Z]|^[A-Z0-9_]{3,}$))[A-Za-z0-9_.:/\\-]{3,200}")
_HANGUL = lazy_pattern("[\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query: `forms` count as it in a text (casefolded), `pieces` are what the index holds of it.

    `half`: it may be half typed, so a longer word that begins with it counts as it.
    """

    word: str
    forms: tuple[str, ...]
    pieces: tuple[str, ...] = ()
    half: bool = False


@dataclass(frozen=True, slots=True)
class LexicalQuery:
    """A query as it is asked: its `terms`, the stop words left out, and the FTS5 `match` (None: there is no word)."""

    text: str
    terms: tuple[Term, ...]
    dropped: tuple[str, ...]
    match: str | None

    @property
    def is_name(self) -> bool:
        """Whether it is nothing but one coined name (`KeptBits`, `hook.deadline_ms`), of which no model knows more."""
        said = self.text.strip()
        return said.isascii() and _COINED.fullmatch(said) is not None


def lexical_query(text: str, *, prefix_last: bool = False, analysing: Analyse | None = None) -> LexicalQuery:
    """How `text` is asked; with `prefix_last` its last word may be half typed, with `analysing` Korean is taken apart.

    Stop words are left out, unless there is nothing else.
    """
    said = normalized(text[:MOST_READ])
    words = list(dict.fromkeys(_WORD.findall(said)))[: 4 * MOST_WORDS]
    last = words[-1] if words and prefix_last and not said[-1:].isspace() else None
    kept = [word for word in words if word == last or word.casefold() not in STOP] or words
    kept = _distinct(kept)[:MOST_WORDS]
    dropped = tuple(word.casefold() for word in words if word.casefold() in STOP and word not in kept)
    forms = _taken_apart(said, analysing) if analysing is not None else {}
    terms = tuple(_with_forms(_term(word, half=word == last), forms) for word in kept)
    return LexicalQuery(text, terms, dropped, _match(terms, _phrases(said, kept), half=last))


def _distinct(words: Iterable[str]) -> list[str]:
    """Words that differ in more than case; `HTTPServer` before `httpserver`, which has no parts."""
    found: dict[str, str] = {}
    for word in words:
        found.setdefault(word.casefold(), word)
    return list(found.values())


def _term(word: str, *, half: bool) -> Term:
    folded = word.casefold()
    half = half and folded not in STOP and (len(folded) > 1 or bool(_HANGUL.search(word)))  # any text has such words
    if _HANGUL.search(word):
        bare = without_particle(folded)
        forms = tuple(dict.fromkeys((bare, folded)))
        pairs = [piece for piece in bigrams(bare).split() if len(piece) > 1]
        return Term(folded, forms, tuple(dict.fromkeys(pairs))[:_MOST_PIECES], half)
    pieces = tuple(word_pieces(word))[:_MOST_PIECES] if word.isascii() else ()
    return Term(folded, (folded,), pieces, half)


def _taken_apart(said: str, analysing: Analyse) -> dict[str, dict[str, None]]:
    """The content forms of each word, read in its sentence: 나는 is said of me, or of a bird that flies."""
    words = [(found.start(), found.end(), found[0].casefold()) for found in _WORD.finditer(said)]
    begins = [begin for begin, _, _ in words]
    forms: dict[str, dict[str, None]] = {}
    for start, form in analysing(said):
        at = bisect_right(begins, start) - 1
        if at >= 0 and start < words[at][1]:
            forms.setdefault(words[at][2], {}).setdefault(form)
    return forms


def _with_forms(term: Term, forms: dict[str, dict[str, None]]) -> Term:
    more = [form for form in forms.get(term.word, ()) if form not in term.forms]
    return replace(term, pieces=tuple(dict.fromkeys((*term.pieces, *more)))[:_MOST_PIECES]) if more else term


def _phrases(said: str, kept: list[str]) -> list[str]:
    """Names of several words (`match_query`, `core/errors`), words that stand side by side in the query, and names as
    they stand where they are defined: who asks for a name wants that place first."""
    names = [name for name in dict.fromkeys(_NAME.findall(said)) if len(name) <= 200][:8]
    coined = [word for word in kept if word.isascii() and not word.islower() and not word.istitle() and len(word) > 2]
    defined = [f"{how} {name}" for name in (*names, *coined)[:_MOST_DEFINED] for how in _DEFINES]
    known = {word.casefold() for word in kept}
    row = [word for word in _WORD.findall(said)[: 4 * MOST_WORDS] if word.casefold() in known]
    pairs = [f"{one} {other}" for one, other in itertools.pairwise(row) if one.casefold() != other.casefold()]
    return list(dict.fromkeys((*names, *pairs)))[:MOST_WORDS] + defined


def _match(terms: tuple[Term, ...], phrases: list[str], half: str | None) -> str | None:
    asked: dict[str, None] = {}
    for term in terms:
        for form in (*term.forms, *term.pieces):
            asked.setdefault(quoted(form))
        single = _HANGUL.search(term.word) and len(term.forms[0]) == 1
        if single or (half is not None and term.word == half.casefold()):
            asked.setdefault(f"{quoted(term.word)} *")
    for phrase in phrases:
        asked.setdefault(quoted(phrase))
    return " OR ".join(asked) or None
