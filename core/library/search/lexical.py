"""Lexical search of the library: a query in FTS5's words, bm25, filters inside the query, a stable order, and snippets.

Decision 18: words are joined with OR and ranked by bm25; an AND query finds nothing for most questions. The query also
asks for what `subword` stored (stems, parts of names, Hangul bigrams), and for neighbouring words as phrases, so that
passages that have them together rank first. A snippet is the part of a passage with most of the query.
"""

from __future__ import annotations

import itertools
import json
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

import apsw

from core.base.lazy import lazy_pattern, text_tables
from core.base.trace import Step, Stopwatch, facts
from core.lexical import MOST_READ, MOST_TERMS, WORD, quoted, syllable_pairs
from core.library.search.korean import Analyse
from core.library.search.subword import word_pieces
from core.store.sql import value
from core.text.cleaning import normalized
from core.text.tokenizing import STOP_WORDS, without_particle

STOP: Final = STOP_WORDS.union(*(words.split() for words in text_tables(__file__).values()))
"""Left out of a query that has other words."""

_MOST_PIECES: Final = 24  # of one word
_MOST_DEFINED: Final = 3  # names
_DEFINES: Final = ("def", "class", "fn", "func", "function", "struct", "enum", "interface", "type", "const")
_NAME = lazy_pattern(r"(?<![^\W_])[^\W_]++(?>(?:(?:[_.:/\\-]|::|->)[^\W_]++)+)")
_COINED = lazy_pattern(r"(?=.*(?:[A-Za-z0-9][_.:/\\]|[a-z0-9][A-Z]|^[A-Z0-9_]{3,}$))[A-Za-z0-9_.:/\\-]{3,200}")
_HANGUL = lazy_pattern("[\uac00-\ud7a3]")

WEIGHTS: Final = (2.0, 1.0, 0.5)
"""What a word counts in the headings, in the text, and as a piece (stem, part of a name, Hangul bigram)."""
_TIES: Final = 64
"""Further rows read, so that equal scores at the border are put in order too; eight times as many, and again, where all
of them are equal."""
_MOST_TIES: Final = 30_000


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query: `forms` count as it in a text (casefolded), `pieces` are what the index holds of it.

    `half`: it may be half typed, so a longer word that begins with it counts as it. `begins`: the index is asked for
    the words that begin with it too.
    """

    word: str
    forms: tuple[str, ...]
    pieces: tuple[str, ...] = ()
    half: bool = False
    begins: bool = False

    @property
    def expressions(self) -> tuple[str, ...]:
        """The FTS5 expressions of this term."""
        whole = tuple(dict.fromkeys(map(quoted, (*self.forms, *self.pieces))))
        return (*whole, f"{quoted(self.word)} *") if self.begins else whole


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
        name = self.text.strip()
        return name.isascii() and _COINED.fullmatch(name) is not None


def lexical_query(text: str, *, prefix_last: bool = False, analysing: Analyse | None = None) -> LexicalQuery:
    """How `text` is asked; with `prefix_last` its last word may be half typed, with `analysing` Korean is taken apart.

    Stop words are left out, unless there is nothing else.
    """
    query = normalized(text[:MOST_READ])
    words = list(dict.fromkeys(WORD.findall(query)))[: 4 * MOST_TERMS]
    last = words[-1] if words and prefix_last and not query[-1:].isspace() else None
    kept = [word for word in words if word == last or word.casefold() not in STOP] or words
    kept = _distinct(kept)[:MOST_TERMS]
    dropped = tuple(word.casefold() for word in words if word.casefold() in STOP and word not in kept)
    forms = _content_forms(query, analysing) if analysing is not None else {}
    terms = tuple(_with_forms(_term(word, half=word == last), forms) for word in kept)
    return LexicalQuery(text, terms, dropped, _match(terms, _phrases(query, kept)))


def is_last_word_indexed(con: apsw.Connection, text: str) -> bool:
    """Return whether a passage contains the last word of `text` as a whole word: then it is complete, and typing finds
    what the command line finds. Raises apsw errors."""
    words = WORD.findall(normalized(text[:MOST_READ]))
    if not words:
        return False
    term = _term(words[-1], half=False)
    match = " OR ".join(quoted(form) for form in term.forms)
    return value(con, "SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH ? LIMIT 1", (match,)) is not None


def _distinct(words: Iterable[str]) -> list[str]:
    """Words that differ in more than case; `HTTPServer` before `httpserver`, which has no parts."""
    found: dict[str, str] = {}
    for word in words:
        found.setdefault(word.casefold(), word)
    return list(found.values())


def _term(word: str, *, half: bool) -> Term:
    folded = word.casefold()
    begins = half
    half = half and folded not in STOP and (len(folded) > 1 or bool(_HANGUL.search(word)))  # any text has such words
    if _HANGUL.search(word):
        bare = without_particle(folded)
        forms = tuple(dict.fromkeys((bare, folded)))
        return Term(folded, forms, syllable_pairs(bare)[:_MOST_PIECES], half, begins or len(bare) == 1)
    pieces = tuple(word_pieces(word))[:_MOST_PIECES] if word.isascii() else ()
    return Term(folded, (folded,), pieces, half, begins)


def _content_forms(query: str, analysing: Analyse) -> dict[str, dict[str, None]]:
    """The content forms of each word, read in its sentence: 나는 means `I` or `flying`."""
    words = [(found.start(), found.end(), found[0].casefold()) for found in WORD.finditer(query)]
    begins = [begin for begin, _, _ in words]
    forms: dict[str, dict[str, None]] = {}
    for start, form in analysing(query):
        at = bisect_right(begins, start) - 1
        if at >= 0 and start < words[at][1]:
            forms.setdefault(words[at][2], {}).setdefault(form)
    return forms


def _with_forms(term: Term, forms: dict[str, dict[str, None]]) -> Term:
    more = [form for form in forms.get(term.word, ()) if form not in term.forms]
    return replace(term, pieces=tuple(dict.fromkeys((*term.pieces, *more)))[:_MOST_PIECES]) if more else term


def _phrases(query: str, kept: list[str]) -> list[str]:
    """Return names of several words (`match_query`, `core/errors`), adjacent words of the query, and names in the form
    of their definitions, which a search for a name should find first."""
    names = [name for name in dict.fromkeys(_NAME.findall(query)) if len(name) <= 200][:8]
    coined = [word for word in kept if word.isascii() and not word.islower() and not word.istitle() and len(word) > 2]
    defined = [f"{how} {name}" for name in (*names, *coined)[:_MOST_DEFINED] for how in _DEFINES]
    known = {word.casefold() for word in kept}
    row = [word for word in WORD.findall(query)[: 4 * MOST_TERMS] if word.casefold() in known]
    pairs = [f"{one} {other}" for one, other in itertools.pairwise(row) if one.casefold() != other.casefold()]
    return list(dict.fromkeys((*names, *pairs)))[:MOST_TERMS] + defined


def _match(terms: tuple[Term, ...], phrases: list[str]) -> str | None:
    expressions = [one for term in terms for one in term.expressions]
    return " OR ".join(dict.fromkeys((*expressions, *map(quoted, phrases)))) or None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Chunks (`chunks.id`) with their scores, best first, and the step of the trace."""

    items: tuple[tuple[int, float], ...]
    step: Step

    @property
    def ids(self) -> list[int]:
        """The chunks alone."""
        return [item for item, _ in self.items]


def lexical_search(con: apsw.Connection, query: LexicalQuery, documents: tuple[str, ...] | None, limit: int) -> Ranked:
    """The best `limit` chunks with any word of the query, in `documents` (None: in all), with bm25 (0 and up).

    Equal scores are ordered by path and position. Raises apsw errors.
    """
    watch = Stopwatch()
    words = facts(words=" ".join(term.word for term in query.terms), left_out=" ".join(query.dropped) or None)
    if query.match is None:
        return Ranked((), Step("lexical", "skipped", "the query contains no words", words, elapsed_ms=watch.ms()))
    rows = _with_ties(con, query.match, documents, limit)
    items = tuple((item, max(0.0, -score)) for item, score in in_order(con, rows)[:limit])
    details = facts(
        dict(words), match=query.match[:2000], found=len(items), best=round(items[0][1], 3) if items else None
    )
    reason = "any of the words, by bm25" if items else "no passage contains any of the words"
    return Ranked(items, Step("lexical", "hit" if items else "miss", reason, details, elapsed_ms=watch.ms()))


def _with_ties(
    con: apsw.Connection, match: str, documents: tuple[str, ...] | None, limit: int
) -> list[tuple[int, float]]:
    ties = _TIES
    while True:
        rows = _matching_rows(con, match, documents, limit + ties)
        if len(rows) < limit + ties or rows[limit - 1][1] != rows[-1][1] or ties > _MOST_TIES:
            return rows
        ties *= 8


def _matching_rows(
    con: apsw.Connection, match: str, documents: tuple[str, ...] | None, limit: int
) -> list[tuple[int, float]]:
    ranked = f"bm25(chunks_fts, {', '.join(map(str, WEIGHTS))})"
    if documents is None:
        sql = f"SELECT rowid, {ranked} AS score FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY score LIMIT ?"
        return cast("list[tuple[int, float]]", con.execute(sql, (match, limit)).fetchall())
    # CROSS: the index of words leads and each passage it finds is tested, so that `limit` come if there are as many.
    sql = (
        f"SELECT chunks_fts.rowid, {ranked} AS score FROM chunks_fts CROSS JOIN chunks c ON c.id = chunks_fts.rowid"
        " WHERE chunks_fts MATCH ? AND c.doc_id IN (SELECT value FROM json_each(?)) ORDER BY score LIMIT ?"
    )
    return cast("list[tuple[int, float]]", con.execute(sql, (match, json.dumps(documents), limit)).fetchall())


def in_order(con: apsw.Connection, rows: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Chunks by a score of which less is better, then by path and position: what was read in first must not decide."""
    if len({score for _, score in rows}) == len(rows):
        return rows
    places = cast(
        "list[tuple[int, str, int]]",
        con.execute(
            "SELECT c.id, d.workspace_path, c.position FROM json_each(?) CROSS JOIN chunks c ON c.id = value"
            " JOIN documents d ON d.doc_id = c.doc_id",
            (json.dumps([item for item, _ in rows]),),
        ).fetchall(),
    )
    where = {item: (path, position) for item, path, position in places}
    return sorted(rows, key=lambda row: (row[1], where.get(row[0], ("", 0))))


CHARS: Final = 220
"""Code points of a snippet (`search.snippet_chars`)."""
_MOST_READ: Final = 200_000
_LEAD: Final = 40  # code points before the first lit word, so that it is read in its sentence
_WORD = lazy_pattern(r"[^\W_]+")

Span = tuple[int, int]
"""A half-open range of code points."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a text, word for word, with `…` where it was cut.

    `start`: where in the text it begins; `matched`: the lit words as ranges of `text`; `words`: the query's words that
    are anywhere in the whole text; `full`: nothing was cut.
    """

    text: str
    start: int
    matched: tuple[Span, ...]
    words: tuple[str, ...]
    full: bool


@dataclass(frozen=True, slots=True)
class _TermMatch:
    start: int
    end: int
    term: int


def snippet(text: str, terms: Sequence[Term], chars: int = CHARS) -> Snippet:
    """The `chars` code points of `text` with most different words of the query, the earliest of those equal."""
    found = _find_terms(text[:_MOST_READ], terms)
    words = tuple(terms[at].word for at in sorted({one.term for one in found}))
    if len(text) <= chars:
        return Snippet(text, 0, _spans(found, 0, len(text), 0), words, full=True)
    start = _best_start(found, chars, len(text))
    start, end = _at_words(text, start, start + chars)
    lead, tail = "…" if start else "", "…" if end < len(text) else ""
    spans = _spans(found, start, end, len(lead) - start)
    return Snippet(f"{lead}{text[start:end]}{tail}", start, spans, words, full=False)


def highlight_terms(text: str, terms: Sequence[Term]) -> tuple[Span, ...]:
    """Return the places of the query's words in a whole text, in order, without overlaps."""
    return _spans(_find_terms(text, terms), 0, len(text), 0)


def _find_terms(text: str, terms: Sequence[Term]) -> list[_TermMatch]:
    forms: dict[str, int] = {}
    for at, term in enumerate(terms):
        for form in (*term.forms, *(term.pieces if term.word.isascii() else ())):
            forms.setdefault(form, at)
    hangul = [(at, term) for at, term in enumerate(terms) if _HANGUL.search(term.word)]
    half, begun = next(((at, _bare(term.word)) for at, term in enumerate(terms) if term.half), (0, ""))
    found: list[_TermMatch] = []
    for match in _WORD.finditer(text):
        at = _term_of(match[0], forms)
        if at is not None:
            found.append(_TermMatch(match.start(), match.end(), at))
        elif begun and (size := _begun(match[0], begun)):
            found.append(_TermMatch(match.start(), match.start() + size, half))
    for at, term in hangul:
        found += _inside(text, term, at)
    return sorted(found, key=lambda one: (one.start, -one.end))


def _term_of(word: str, forms: dict[str, int]) -> int | None:
    folded = word.casefold()
    at = forms.get(folded)
    if at is not None or not forms:
        return at
    if word.isascii():
        return next((forms[piece] for piece in word_pieces(word) if piece in forms), None)
    return None if _HANGUL.search(word) else forms.get(_bare(folded))


def _begun(word: str, half: str) -> int:
    """How much of a word to light where `half` of it was typed: all, of a Korean one that half; 0: it is another.

    The parts of a name count as words.
    """
    if _HANGUL.search(word):
        return len(half) if word.startswith(half) else 0
    parts = word_pieces(word) if word.isascii() else ()
    return len(word) if any(one.startswith(half) for one in (_bare(word.casefold()), *parts)) else 0


def _bare(folded: str) -> str:
    """A word as the index of words has it: without accents, but for Korean, which is made of such parts."""
    if folded.isascii() or _HANGUL.search(folded):
        return folded
    return "".join(sign for sign in normalized(folded, "NFD") if not unicodedata.combining(sign))


def _inside(text: str, term: Term, at: int) -> list[_TermMatch]:
    """Return each occurrence of a Korean word, also in longer words; else its pairs of syllables."""
    for pieces in ((term.forms[0],), term.pieces):
        found: list[_TermMatch] = []
        for piece in pieces:
            if len(piece) < 2:
                continue
            place = text.find(piece)
            while place >= 0:
                found.append(_TermMatch(place, place + len(piece), at))
                place = text.find(piece, place + 1)
        if found:
            return found
    return []


def _best_start(found: Sequence[_TermMatch], chars: int, length: int) -> int:
    """Where the window begins that holds most different words, then most words."""
    best, top = 0, (0, 0)
    last = 0
    for first in range(len(found)):
        last = max(last, first)
        while last < len(found) and found[last].end <= found[first].start + chars - _LEAD:
            last += 1
        held = found[first:last]
        score = (len({one.term for one in held}), len(held))
        if score > top:
            best, top = max(0, found[first].start - _LEAD), score
    return max(0, min(best, length - chars))


def _at_words(text: str, start: int, end: int) -> Span:
    """The range, shrunk so that no word is cut, if words are short enough for that."""
    start, end = max(0, start), min(end, len(text))
    room = _LEAD // 2
    if start and text[start - 1].isalnum():
        start = next((at for at in range(start, min(start + room, end)) if not text[at].isalnum()), start)
    while start < end and text[start].isspace():
        start += 1
    if end < len(text) and text[end].isalnum():
        end = next((at for at in range(end, max(end - room, start), -1) if not text[at - 1].isalnum()), end)
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _spans(found: Sequence[_TermMatch], start: int, end: int, shift: int) -> tuple[Span, ...]:
    out: list[Span] = []
    for one in found:
        if one.start < start or one.end > end:
            continue
        if out and one.start + shift < out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], one.end + shift))
        else:
            out.append((one.start + shift, one.end + shift))
    return tuple(out)
