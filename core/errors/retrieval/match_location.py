"""Which part of a case has the words that were asked for: one of its errors, else its fix, a tag, what was printed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

import apsw

from core.base.trace import Step, facts
from core.errors.cases.derived import INDEXED, LINES, Title, tags_of_case
from core.errors.retrieval.answer import Hit, Part, Place
from core.lexical import HANGUL_RUN, bigrams
from core.text import clean
from core.text.tokenizing import without_particle

_WORD = re.compile(r"[^\W_]+")
_PARTS: Final[dict[Part, str]] = {
    "fix": "its fix has every word",
    "tag": "the tags of its fix have every word",
    "output": "what was printed with it has every word",
}
SCATTERED: Final = "has every word, not all in one place"
TOLD: Final = 5
"""Cases of which the trace tells where they have the words."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The words that were asked for, as `core.lexical.terms` splits them; with `half` the last may be half typed.

    `rare`: no case has them all; these are the rarest of them, and one is enough.
    """

    terms: tuple[str, ...]
    half: bool = False
    rare: bool = False


@dataclass(frozen=True, slots=True)
class Worded:
    """The part of a case that has the words, the key line to show it by, and what to say of it.

    Of `place` it is not known yet whether the fix is this error's own; it is where the case has `only` this error.
    """

    place: Place
    line: str
    why: str
    only: bool


def worded(con: apsw.Connection, case_id: int, own: Title | None, asked: Asked) -> Worded:
    """Where a case that the index found has the words. `own`: its name, if others were merged into it.

    An error that says them and nothing else goes before one that says more, and the one that names the case before its
    others. Raises apsw errors of the store.
    """
    lines = _lines(con, case_id, own)
    folded = tuple(map(_fold, asked.terms))
    has = [_has(line, folded, half=asked.half) for _, line in lines]
    same = [
        n == len(folded) and not asked.rare and _words(line) == set(folded)
        for n, (_, line) in zip(has, lines, strict=True)
    ]
    best = max(range(len(lines)), key=lambda at: (same[at], has[at], -at))
    (mark, line), only = lines[best], len(lines) == 1
    which = "another of its errors " if best else ""
    if asked.rare:
        told = f"{which}has one of: {', '.join(asked.terms)}"
        return Worded(Place("error", "some", mark), line, told, only)
    if same[best]:
        return Worded(Place("error", "exactly", mark), line, f"{which}says exactly these words", only)
    if has[best] == len(folded):
        return Worded(Place("error", "every", mark), line, f"{which}has every word", only)
    for part, text in _beside(con, case_id):
        if _has(text, folded, half=asked.half) == len(folded):
            return Worded(Place(part, "every"), lines[0][1], _PARTS[part], only)
    return Worded(Place("error", "some", mark), line, SCATTERED, only)


def in_order(line: str, asked: Asked) -> bool:
    """Whether the line has the words one behind the other, as they were asked for; the last may be half typed."""
    wanted, said = [_fold(term) for term in asked.terms], [_fold(word) for word in _WORD.findall(line[:INDEXED])]
    *whole, last = wanted
    for at in range(len(said) - len(whole)):
        end = said[at + len(whole)]
        if said[at : at + len(whole)] == whole and (end == last or (asked.half and end.startswith(last))):
            return True
    return False


def words_step(hits: Sequence[Hit], reason: str, elapsed_ms: float) -> Step:
    """What the trace tells of cases that were found by their words: where the first of them have these."""
    told = facts(cases=" ".join(str(hit.id) for hit in hits[:TOLD]) or None)
    told = (*told, *facts(more=len(hits[TOLD:]))) if hits[TOLD:] else told
    where = tuple(
        Step("case", "hit", hit.why[0], facts(case=hit.id, part=_part(hit.place), line=hit.key_line))
        for hit in hits[:TOLD]
    )
    return Step("words", "rejected" if hits else "miss", reason, told, where, elapsed_ms)


def _part(place: Place | None) -> str | None:
    return None if place is None or place.says == "some" else place.part


def _lines(con: apsw.Connection, case_id: int, own: Title | None) -> list[tuple[str | None, str]]:
    """The errors of a case that the index knows, each with its fingerprint; first the one that names the case."""
    rows = cast(
        "list[tuple[str, str, str]]",
        con.execute(
            "SELECT fingerprint, key_line, first_seen FROM fingerprint WHERE case_id = ? LIMIT ?", (case_id, LINES)
        ).fetchall(),
    )
    if own is not None:
        first = (own.fingerprint, own.key_line)
    elif not rows:
        named = con.execute("SELECT error_normalized FROM error_kb WHERE id = ?", (case_id,)).fetchone()
        return [(None, cast("str", named[0]) if named else "")]
    elif len(rows) < LINES:
        first = min(rows, key=lambda row: row[2])[:2]
    else:
        sql = "SELECT fingerprint, key_line FROM fingerprint WHERE case_id = ? ORDER BY first_seen LIMIT 1"
        first = cast("tuple[str, str]", con.execute(sql, (case_id,)).fetchone())
    others = sorted((row for row in rows if row[0] != first[0]), key=lambda row: row[2])
    return [first, *(row[:2] for row in others)]


def _beside(con: apsw.Connection, case_id: int) -> Iterator[tuple[Part, str]]:
    """What else of a case the index knows."""
    row = con.execute("SELECT resolution, error_raw FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    fix, raw = cast("tuple[str | None, str | None]", row or (None, None))
    yield "fix", clean(fix or "", INDEXED)
    if fix:
        yield "tag", " ".join(tags_of_case(con, case_id))
    yield "output", clean(raw or "", INDEXED)


def _has(text: str, terms: Sequence[str], *, half: bool) -> int:
    """How many of the words stand in `text`, found as the index finds them; the last may be `half` a word."""
    folded, last = _fold(text[:INDEXED]), len(terms) - 1
    said: set[str] | None = None
    found = 0
    for at, term in enumerate(terms):
        if HANGUL_RUN.search(term) and _has_pieces(folded, term):
            found += 1
        elif term in folded:  # cheap, and mostly it does not
            said = said if said is not None else _words(text)
            found += term in said or (half and at == last and any(word.startswith(term) for word in said))
    return found


def _has_pieces(folded: str, term: str) -> bool:
    """Whatever particle follows a Korean word: all of its pairs of syllables are there, or its only one."""
    pieces = [piece for piece in bigrams(without_particle(term)).split() if len(piece) > 1]
    return all(piece in folded for piece in pieces or [term])


def _words(text: str) -> set[str]:
    """Split before they are folded, as `terms` are: folding may take a letter apart."""
    return {_fold(word) for word in _WORD.findall(text[:INDEXED])}


def _fold(text: str) -> str:
    """Without case and accents: the index knows neither."""
    text = text.casefold()
    if text.isascii():
        return text
    bare = (sign for sign in unicodedata.normalize("NFD", text) if unicodedata.category(sign) != "Mn")
    return unicodedata.normalize("NFC", "".join(bare))
