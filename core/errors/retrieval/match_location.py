"""Which part of a case has the words that were asked for: one of its errors, else its fix, a tag, what was printed.

What is shown of a case that was found: which of its errors and fixes, and the parts of the key line that matched.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeVar, cast

import apsw

from core.base.trace import Step, facts
from core.errors.cases.derived import INDEXED, LINES, Title, tags_of_case
from core.errors.retrieval.answer import Hit, Part, Place, Query
from core.errors.retrieval.tiers import PREFIX
from core.lexical import HANGUL_RUN, bigrams, terms
from core.text import clean
from core.text.tokenizing import without_particle

if TYPE_CHECKING:
    from core.errors.cases.case import Case, CaseKeyLine
    from core.errors.cases.resolutions import Resolution

_WORD = re.compile(r"[^\W_]+")
_PARTS: Final[dict[Part, str]] = {
    "fix": "all words appear in its fix",
    "tag": "all words appear in the tags of its fix",
    "output": "all words appear in its output",
}
SCATTERED: Final = "contains every word, in several fields"
MAX_IDS: Final = 5
"""Maximum number of cases with their matching places in the trace."""


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words that were asked for, as `core.lexical.terms` splits them; with `half` the last may be half typed.

    `rare`: no case has them all; these are the rarest of them, and one is enough.
    """

    terms: tuple[str, ...]
    half: bool = False
    rare: bool = False


@dataclass(frozen=True, slots=True)
class MatchLocation:
    """The part of a case that has the words, the key line to show it by, and what to say of it.

    Of `place` it is not known yet whether the fix is this error's own; it is where the case has `only` this error.
    """

    place: Place
    line: str
    why: str
    only: bool


def locate(con: apsw.Connection, case_id: int, own: Title | None, query: QueryWords) -> MatchLocation:
    """Where a case has the words of the query. `own`: its name, if others were merged into it.

    An error with only these words goes before one with more. The error that names the case goes before
    its others. Raises apsw errors of the store.
    """
    lines = _lines(con, case_id, own)
    folded = tuple(map(_fold, query.terms))
    has = [_has(line, folded, half=query.half) for _, line in lines]
    same = [
        n == len(folded) and not query.rare and _words(line) == set(folded)
        for n, (_, line) in zip(has, lines, strict=True)
    ]
    best = max(range(len(lines)), key=lambda at: (same[at], has[at], -at))
    (mark, line), only = lines[best], len(lines) == 1
    which = "another error of the case " if best else ""
    if query.rare:
        reason = f"{which}contains one of: {', '.join(query.terms)}"
        return MatchLocation(Place("error", "some", mark), line, reason, only)
    if same[best]:
        return MatchLocation(Place("error", "exactly", mark), line, f"{which}contains this exact phrase", only)
    if has[best] == len(folded):
        return MatchLocation(Place("error", "every", mark), line, f"{which}contains every word", only)
    for part, text in _other_parts(con, case_id):
        if _has(text, folded, half=query.half) == len(folded):
            return MatchLocation(Place(part, "every"), lines[0][1], _PARTS[part], only)
    return MatchLocation(Place("error", "some", mark), line, SCATTERED, only)


def in_order(line: str, query: QueryWords) -> bool:
    """Whether the line has the words of the query in their order; the last one may be incomplete."""
    query_terms, folded = [_fold(term) for term in query.terms], [_fold(word) for word in _WORD.findall(line[:INDEXED])]
    *whole, last = query_terms
    for at in range(len(folded) - len(whole)):
        end = folded[at + len(whole)]
        if folded[at : at + len(whole)] == whole and (end == last or (query.half and end.startswith(last))):
            return True
    return False


def words_step(hits: Sequence[Hit], reason: str, elapsed_ms: float) -> Step:
    """Return the trace of cases found by their words: where the first of them have these."""
    details = facts(cases=" ".join(str(hit.id) for hit in hits[:MAX_IDS]) or None)
    details = (*details, *facts(more=len(hits[MAX_IDS:]))) if hits[MAX_IDS:] else details
    where = tuple(
        Step("case", "hit", hit.why[0], facts(case=hit.id, part=_part(hit.place), line=hit.key_line))
        for hit in hits[:MAX_IDS]
    )
    return Step("words", "rejected" if hits else "miss", reason, details, where, elapsed_ms)


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


def _other_parts(con: apsw.Connection, case_id: int) -> Iterator[tuple[Part, str]]:
    """What else of a case the index knows."""
    row = con.execute("SELECT resolution, error_raw FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    fix, raw = cast("tuple[str | None, str | None]", row or (None, None))
    yield "fix", clean(fix or "", INDEXED)
    if fix:
        yield "tag", " ".join(tags_of_case(con, case_id))
    yield "output", clean(raw or "", INDEXED)


def _has(text: str, terms: Sequence[str], *, half: bool) -> int:
    """Return how many of the words occur in `text`, as the index finds them; the last may be `half` a word."""
    folded, last = _fold(text[:INDEXED]), len(terms) - 1
    present: set[str] | None = None
    found = 0
    for at, term in enumerate(terms):
        if HANGUL_RUN.search(term) and _has_pieces(folded, term):
            found += 1
        elif term in folded:  # cheap, and mostly it does not
            present = present if present is not None else _words(text)
            found += term in present or (half and at == last and any(word.startswith(term) for word in present))
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


@dataclass(frozen=True, slots=True)
class Standing:
    """What a case that does not answer is to what was searched.

    `error`: the error that is shown is the `same`, it `has` every word and more, or it only looks `like` it. `fix`: the
    fix that is shown is this error's `own`, that of a `sibling` in the same case, or of some `other` error; or it is
    the fix which has the words (`worded`), itself or in its tags, and the error has not.
    """

    error: Literal["same", "has", "like"]
    fix: Literal["own", "sibling", "worded", "other"]


def standing(hit: Hit | None) -> Standing:
    """What a case that no tier answers with is to the question; without a hit it was not even found by its words."""
    place = None if hit is None else hit.place
    if place is None or place.part != "error" or place.says == "some":
        return Standing("like", "worded" if place is not None and place.part in ("fix", "tag") else "other")
    return Standing("same" if place.says == "exactly" else "has", "own" if place.own_fix else "sibling")


def is_exact_answer(hit: Hit | None) -> bool:
    """Whether an error of the case is what was searched, word for word, and its fix is known."""
    return hit is not None and bool((hit.resolution or "").strip()) and standing(hit) == Standing("same", "own")


def has_every_word(hit: Hit | None) -> bool:
    """Return whether the case has every query word: in one of its errors, in other fields, or across both."""
    place = None if hit is None else hit.place
    if hit is None or place is None:
        return False

    return place.says != "some" or SCATTERED in hit.why


def search_rank(hit: Hit | None, *, is_similar: bool = False) -> int:
    """Where a case belongs in what was found, 0 first: an answer, this very error, every word, similar, some words.

    `is_similar`: only the vector tier has named it.
    """
    if hit is not None and hit.accepted:
        return 0
    if hit is not None and not is_similar and hit.tier in ("fingerprint", "exact"):
        return 1
    if has_every_word(hit):
        return 2
    return 4 if hit is not None and not is_similar and hit.tier == "text" else 3


T = TypeVar("T")


def in_search_order(
    found: Iterable[T], rank: Callable[[T], int], case: Callable[[T], int], words: Sequence[int]
) -> tuple[T, ...]:
    """Cases by their `search_rank`; of those with every word the ones first that the search by words has first."""
    order = {case_id: at for at, case_id in enumerate(words)}
    last = len(order)
    return tuple(sorted(found, key=lambda one: (rank(one), order.get(case(one), last) if rank(one) == 2 else last)))


def with_words(hit: Hit, words: Hit) -> Hit:
    """A hit that is no answer, at the error of its case that has the words, with the fix of that, as `words` has it."""
    return replace(
        hit, key_line=words.key_line, resolution=words.resolution, status=words.status, resolved_by=words.resolved_by,
        tool_sequence=words.tool_sequence, source=words.source, place=words.place, why=(*words.why, *hit.why),
        fix_strength=words.fix_strength, worth=words.worth, resolution_id=words.resolution_id, lesson=words.lesson,
    )  # fmt: skip


def matched_fix(case: Case, hit: Hit | None) -> Resolution | None:
    """The fix of the finer error that was asked for, which need not be the one that answers for the whole case.

    One that was decided or written anew since the search answered is still that one: whoever decides is told.
    None where the case was not asked for, or has none for that error, or by a text without a history.
    """
    if hit is None or not (hit.resolution or "").strip() or not (hit.accepted or standing(hit).fix == "own"):
        return None
    fixes = (one for one in case.resolutions if one.text == hit.resolution)
    mark = None if hit.place is None else hit.place.fingerprint

    def rank(one: Resolution) -> tuple[bool, bool, bool, bool, int]:
        mine = mark is None or one.fingerprint in (mark, None)
        return one.replaced_by is None, mine, one.status == hit.status, one.source == hit.source, one.id

    return max(fixes, key=rank, default=None)


def matched_error(case: Case, hit: Hit | None) -> CaseKeyLine | None:
    """The one of its errors that was asked for; None where that is the whole case."""
    place = None if hit is None else hit.place
    if place is None or place.fingerprint is None or place.says == "some" or len(case.fingerprints) < 2:
        return None
    return next((one for one in case.fingerprints if one.fingerprint == place.fingerprint), None)


Spans = tuple[tuple[int, int], ...]


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
        return _joined(_query_spans(line, query.raw))
    query_words = {word.casefold() for word in _WORD.findall(query.key_line)}
    return _joined([found.span() for found in _WORD.finditer(line) if found[0].casefold() in query_words])


def _begins_alike(line: str, query_line: str) -> Spans:
    """The shared beginning, else (where masks hide other text) the first 30 characters."""
    shared = 0
    for ours, theirs in zip(line, query_line, strict=False):
        if ours != theirs:
            break
        shared += 1
    end = shared or min(PREFIX, len(line))
    return ((0, end),) if end else ()


def _query_spans(line: str, text: str) -> list[tuple[int, int]]:
    query_terms = terms(text)
    spans: list[tuple[int, int]] = []
    for found in _WORD.finditer(line):
        word = found[0].casefold()
        if word in query_terms:
            spans.append(found.span())
        elif len(word) == len(found[0]):  # folding may lengthen a word, and then offsets would lie
            spans.extend(
                (found.start() + at, found.start() + at + len(term))
                for term in query_terms
                if (at := _inside(word, term)) is not None
            )
    return spans


def _inside(word: str, term: str) -> int | None:
    """Return the place of a half-typed term in a word: its beginning, for Hangul anywhere (bigrams find it there)."""
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
