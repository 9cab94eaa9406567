"""The cases nearest to an error, by vector and by rare words: the evidence for each, and which are shown as similar.

Cases like a case: by the vector that is kept of it, else by the words of its key line. Loads no model.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

import apsw

from core.base.fault import Fault
from core.embedding import cosine, similarity_of, unusable
from core.embedding.index.binary_index import CachedBits
from core.embedding.index.index import VectorIndex, open_index
from core.embedding.index.state import read_state
from core.embedding.index.stored import Place, windows_of
from core.embedding.models.models import bars_of_stored
from core.embedding.runtime.embedder import Vector
from core.errors.cases.browse import case_rows
from core.errors.cases.case import CaseRow
from core.errors.equivalence import (
    agreed,
    expected,
    failure_kinds,
    heaviest,
    opposites,
    other_code,
    other_failure,
    other_subject,
    other_word,
    plain_words,
    weight_of_kinds,
    weights,
)
from core.errors.fixes import AUTHOR, worth_of
from core.errors.identity.codes import codes
from core.errors.retrieval.answer import Similar
from core.errors.retrieval.embed_text import embed_text
from core.lexical import any_of, pieces
from core.store import Store, faults
from core.store.sql import number
from core.text import tokens, words

NEAREST: Final = 50
"""Cases taken from the index, and as many looked at on the way as it takes to have them with a fix."""
BY_WORDS: Final = 20
RAREST: Final = 4
"""Words of the question that are asked for: all of them would cost twenty times as much."""
COMMON: Final = 5_000
"""A word that more cases have says little, and would make the index walk long."""
BUILT_ALIKE: Final = 0.15
"""Overlap from which two lines may be one sentence; below it nothing is an answer, and looking would take time."""
_MOST = 3200
_LINES = 20  # key lines of one case that are compared
_USUAL = 11  # words of a key line: a shared word says less in a longer one (bm25)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A case with a fix that lies near. `similarity` is the cosine, -1 to 1.

    `shared` and `missing` are words of the question that its key line has and lacks, the rarest first. `overlap` is
    the weight of the shared words in that of all, 0..1; `weight` the idf sum of the shared ones, `rare` the same
    counted in words that no other case has. `wording` is bm25 over the words as they are written, `kinds` what it says
    that both fail in the same way, `subjects` in how many of what excludes each other they agree. `witness`: bm25 puts
    it first as well. `veto` says why it is another error, empty if nothing does.
    """

    id: int
    key_line: str
    similarity: float
    shared: tuple[str, ...]
    missing: tuple[str, ...]
    overlap: float
    weight: float
    rare: float
    same_code: bool
    veto: str
    witness: bool = False
    wording: float = 0.0
    kinds: float = 0.0
    subjects: int = 0

    @property
    def likeness(self) -> float:
        """What similar cases are ordered by: meaning, wording, and what both are about (docs/internals/vectors.md)."""
        return self.similarity + 0.012 * self.wording + 0.04 * self.kinds + 0.3 * self.same_code + 0.2 * self.subjects

    @property
    def rank(self) -> float:
        """What decides which one is judged: all its words against all of ours, and another error comes later."""
        about = 0.03 * self.kinds + 0.2 * self.same_code + 0.1 * self.subjects
        return self.similarity + 0.5 * self.overlap + 0.01 * self.weight + about - 0.3 * bool(self.veto)


def answering_cases(con: apsw.Connection) -> int:
    """How many cases have a fix that may answer."""
    return number(con, "SELECT count(*) FROM case_state WHERE status IN ('draft', 'verified')")


def nearest_answering(con: apsw.Connection, index: VectorIndex, query: Vector) -> list[tuple[int, float]]:
    """The nearest cases that have a fix, with their cosine: having one is part of the search, not a filter after it."""
    k = NEAREST
    while True:
        found = index.nearest(query, k)
        with_fix = _with_fix(con, [item for item, _ in found])
        kept = [(item, similarity_of(distance)) for item, distance in found if item in with_fix]
        if len(kept) >= NEAREST or len(found) < k:
            return kept[:NEAREST]
        if k >= _MOST:
            break
        k *= 8
    rows = con.execute("SELECT DISTINCT case_id FROM answer_key").fetchall()
    among = frozenset(cast("int", row[0]) for row in rows)
    return [(item, similarity_of(distance)) for item, distance in index.nearest(query, NEAREST, among)]


def by_rare_words(con: apsw.Connection, line: str, cases: int) -> list[int]:
    """The cases with a fix that bm25 finds for the rarest words of the question."""
    query_words = frozenset(words(line))
    weight = weights(con, query_words, max(cases, 1))
    rows = con.execute(
        "SELECT term FROM json_each(?) CROSS JOIN case_term ON term = value WHERE doc <= ?",
        (json.dumps(list(query_words)), COMMON),
    ).fetchall()
    known = [cast("str", row[0]) for row in rows]
    match = any_of(sorted(known, key=lambda word: (-weight[word], word))[:RAREST])
    if match is None:
        return []
    rows = con.execute(
        "SELECT rowid FROM case_fts WHERE case_fts MATCH ? ORDER BY bm25(case_fts, 8.0, 0.0, 0.0, 4.0) LIMIT ?",
        (match, 3 * BY_WORDS),
    ).fetchall()
    ids = [cast("int", row[0]) for row in rows]
    with_fix = _with_fix(con, ids)
    return [case_id for case_id in ids if case_id in with_fix][:BY_WORDS]


def similarities(con: apsw.Connection, place: Place, query: Vector, ids: Iterable[int]) -> dict[int, float]:
    """The cosine of each of these cases that has a vector; one that is no vector is left out."""
    found: dict[int, float] = {}
    for case_id in ids:
        usable = [vector for vector in windows_of(con, place, case_id) if unusable(vector, place.dim) is None]
        if usable:
            found[case_id] = max(cosine(query, vector) for vector in usable)
    return found


def weighed(
    con: apsw.Connection, line: str, found: dict[int, float], cases: int, first: int | None = None
) -> list[Neighbour]:
    """The evidence for each case of `found` (id to cosine), the best first.

    `line` is the question's key line, `first` the case that bm25 puts first.
    """
    question = _Read.of(line)
    lines = _key_lines(con, list(found))
    read = {one: _Read.of(one) for several in lines.values() for one in several}
    # What the question does not say is weighed by the shipped table: asking the index would take most of the time.
    others = frozenset[str]().union(*(one.words for one in read.values()))
    idf = {**expected(others, cases), **weights(con, question.words | question.written, cases)}
    opposite, plain = opposites(question.text), plain_words(line)
    top = heaviest(cases)

    def judge(case_id: int, their: str) -> Neighbour:
        other = read[their]
        shared, both = question.words & other.words, question.words | other.words
        weight, whole = _sum(shared, idf), _sum(both, idf)
        veto = other_code(question.codes, other.codes) or other_failure(question.kinds, other.kinds)
        veto = veto or other_subject(opposite, other.text)
        if not veto and weight >= BUILT_ALIKE * whole:
            veto = other_word(plain, plain_words(their))
        return Neighbour(
            case_id,
            their,
            found[case_id],
            _rarest_first(shared, idf),
            _rarest_first(question.words - shared, idf),
            weight / whole if whole else 0.0,
            weight,
            weight / top,
            bool(question.codes & other.codes),
            veto,
            case_id == first,
            _sum(question.written & other.written, idf) * 2.2 / (1.3 + 0.9 * other.length / _USUAL),
            weight_of_kinds(question.kinds & other.kinds),
            agreed(opposite, other.text),
        )

    best = (_best(case_id, several, judge) for case_id, several in lines.items())
    return sorted(best, key=lambda one: (-one.rank, one.id))


@dataclass(frozen=True, slots=True)
class _Read:
    """A key line as it is compared: what a model reads of it, its words, the words as they are written."""

    text: str
    words: frozenset[str]
    written: frozenset[str]
    length: int
    codes: frozenset[tuple[str, str]]
    kinds: frozenset[str]

    @classmethod
    def of(cls, line: str) -> _Read:
        text = embed_text(line)
        return cls(
            text, frozenset(words(text)), frozenset(words(line)), len(tokens(line)), codes(line), failure_kinds(text)
        )


def _best(case_id: int, lines: Sequence[str], judge: Callable[[int, str], Neighbour]) -> Neighbour:
    """Of the several key lines of a case the one that fits best: none that is vetoed while another is not."""
    return max((judge(case_id, line) for line in lines), key=lambda one: (not one.veto, one.overlap))


def _sum(several: Iterable[str], idf: dict[str, float]) -> float:
    return math.fsum(idf[word] for word in several)


def _rarest_first(several: Iterable[str], idf: dict[str, float]) -> tuple[str, ...]:
    return tuple(sorted(several, key=lambda word: (-idf[word], word)))


def _with_fix(con: apsw.Connection, ids: Sequence[int]) -> set[int]:
    rows = con.execute(
        "SELECT DISTINCT case_id FROM json_each(?) CROSS JOIN answer_key ON case_id = value", (json.dumps(list(ids)),)
    ).fetchall()
    return {cast("int", row[0]) for row in rows}


def _key_lines(con: apsw.Connection, ids: Sequence[int]) -> dict[int, list[str]]:
    """The first key lines of each case; its key where nothing was ever seen of it (a seed row)."""
    lines: defaultdict[int, list[str]] = defaultdict(list)
    rows = con.execute(
        "SELECT e.id, e.error_normalized, f.key_line FROM json_each(?) CROSS JOIN error_kb e ON e.id = value"
        " LEFT JOIN fingerprint f ON f.case_id = e.id ORDER BY e.id, f.first_seen, f.fingerprint",
        (json.dumps(list(ids)),),
    ).fetchall()
    for case_id, normalized, line in cast("list[tuple[int, str, str | None]]", rows):
        if len(lines[case_id]) < _LINES:
            lines[case_id].append(line or normalized)
    return lines


SHOWN: Final = 3
BELOW: Final = 0.2
"""How far the likeness of a case that is shown may lie below the model's bar for its meaning alone."""
ALIKE: Final = 0.5
"""Share of common words from which two cases say the same: only the better one is shown while there are others."""
_PIECES = 12


def similar_cases(
    con: apsw.Connection, near: Sequence[Neighbour], bar: float, match: Neighbour | None = None
) -> tuple[Similar, ...]:
    """The up to three of `near` that are most alike, apart from the `match`, and no two that say the same.

    `bar` is the model's for a cosine that says something alone; words, codes and kinds of failure carry one below it.
    """
    ordered = sorted(near, key=lambda one: (-one.likeness, one.id))
    others = [one for one in ordered if match is None or one.id != match.id]
    shown = _unlike([one for one in others if one.likeness >= bar - BELOW], [] if match is None else [match])
    return tuple(_similar(con, one.id, one.similarity) for one in shown)


def _unlike(ordered: Sequence[Neighbour], before: Sequence[Neighbour]) -> list[Neighbour]:
    """The first of each kind, up to three; of the others only as many as are left to fill up.

    A large base has the same sentence with many names: three of those tell no more than one.
    """
    known = [_words_of(one) for one in before]
    chosen, left = list[Neighbour](), list[Neighbour]()
    for one in ordered:
        mine = _words_of(one)
        if any(len(mine & other) / max(1, len(mine | other)) >= ALIKE for other in known):
            left.append(one)
            continue
        known.append(mine)
        chosen.append(one)
        if len(chosen) == SHOWN:
            break
    return [*chosen, *left[: SHOWN - len(chosen)]]


def _words_of(one: Neighbour) -> frozenset[str]:
    return frozenset(words(embed_text(one.key_line)))


def similar_by_words(con: apsw.Connection, line: str) -> tuple[Similar, ...]:
    """Where no model can read the text: bm25 over its words and Hangul bigrams. `similarity` is their share, 0..1."""
    ours = pieces(line)
    match = any_of(dict.fromkeys(words(line)[:_PIECES]))
    if match is None or not ours:
        return ()
    rows = con.execute(
        "SELECT case_fts.rowid, (SELECT key_line FROM fingerprint f WHERE f.case_id = case_fts.rowid"
        "   ORDER BY first_seen, fingerprint LIMIT 1)"
        " FROM case_fts WHERE case_fts MATCH ? AND EXISTS (SELECT 1 FROM answer_key WHERE case_id = case_fts.rowid)"
        " ORDER BY bm25(case_fts, 8.0, 0.0, 0.0, 8.0) LIMIT ?",
        (match, SHOWN * _PIECES),
    ).fetchall()
    found: list[tuple[float, int]] = []
    for case_id, theirs in cast("list[tuple[int, str | None]]", rows):
        other = pieces(theirs or "")
        found.append((len(ours & other) / len(ours | other), case_id))
    best = sorted(found, key=lambda pair: (-pair[0], pair[1]))[:SHOWN]
    return tuple(_similar(con, case_id, share) for share, case_id in best if share > 0)


def _similar(con: apsw.Connection, case_id: int, similarity: float) -> Similar:
    row = con.execute(
        "SELECT error_normalized, resolution, (SELECT original FROM resolution r WHERE r.case_id = e.id"
        "   AND r.text = e.resolution AND r.author = ? AND r.status = 'draft' ORDER BY r.id DESC LIMIT 1)"
        " FROM error_kb e WHERE id = ?",
        (AUTHOR, case_id),
    ).fetchone()
    normalized, resolution, original = cast("tuple[str, str | None, str | None]", row)
    worth = worth_of(AUTHOR, "draft", original)
    return Similar(case_id, round(max(0.0, min(1.0, similarity)), 4), normalized, resolution, worth)


MOST = 5
_LOOKED_AT = 2 * MOST
_BAR = 0.5  # for a model that nobody has measured
_WINDOWS = 3  # of a long text: each costs a search
_SHARED = 6


@dataclass(frozen=True, slots=True)
class CaseLike:
    """A case that is like another. `similarity`: the cosine, or the share of common words, 0..1; `shared`: those."""

    row: CaseRow
    similarity: float
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CasesLike:
    """The cases that are like one, the most alike first. Never an answer, and never counted.

    `by`: whether its meaning was compared or only words; `reason`: why not its meaning, in plain words.
    """

    by: Literal["meaning", "words"]
    cases: tuple[CaseLike, ...]
    reason: str = ""


def cases_like(store: Store, case_id: int, kept: CachedBits | None = None) -> CasesLike:
    """Up to `MOST` cases, solved or not, that are like this one; none where it is gone. Slips only beside a slip.

    By meaning only those from the model's bar of similar ones on. `kept` is for a process that asks again and again.
    Raises Fault where the store cannot be read.
    """
    con = store.con
    with faults(store.path):
        own = case_rows(store, (case_id,))
        if not own:
            return CasesLike("words", ())
        line = own[0].key_line
        near = _by_meaning(con, case_id, kept)
        reason = near if isinstance(near, str) else ""
        found = _by_words(con, case_id, line) if isinstance(near, str) else near
        rows = {row.id: row for row in case_rows(store, tuple(found))}
    case_words = frozenset(words(embed_text(line)))
    shown = [rows[one] for one in found if one in rows and (rows[one].worth != "slip" or own[0].worth == "slip")]
    return CasesLike(
        "words" if reason else "meaning",
        tuple(CaseLike(row, found[row.id], _shared(case_words, row.key_line)) for row in shown[:MOST]),
        reason,
    )


def _by_meaning(con: apsw.Connection, case_id: int, kept: CachedBits | None) -> dict[int, float] | str:
    """The nearest cases with their cosine, slips too, or why there are none to be had."""
    state = read_state(con, "error")
    if state is None:
        return "nothing is embedded yet"
    if not state.complete:
        return "the model changed and its embeddings are incomplete"
    place = Place("error", state.model, state.recipe, state.dim)
    own = [one for one in windows_of(con, place, case_id) if unusable(one, place.dim) is None]
    if not own:
        return "this case is not embedded yet"
    bars = bars_of_stored(state.model, state.recipe)
    bar = _BAR if bars is None else bars.similar
    best: dict[int, float] = {}
    try:
        index = open_index(con, place.kind, place.model, place.recipe, place.dim, kept)
        for vector in own[:_WINDOWS]:
            for other, distance in index.nearest(vector, _LOOKED_AT + 1):
                best[other] = max(best.get(other, -1.0), similarity_of(distance))
    except Fault as fault:
        return fault.message
    near = sorted((-cosine, other) for other, cosine in best.items() if other != case_id and cosine >= bar)
    return {other: round(-cosine, 4) for cosine, other in near[:_LOOKED_AT]}


def _by_words(con: apsw.Connection, case_id: int, line: str) -> dict[int, float]:
    return {one.id: one.similarity for one in similar_by_words(con, line) if one.id != case_id}


def _shared(case_words: frozenset[str], line: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words(embed_text(line)) if word in case_words))[:_SHARED]
