"""Cases like a case: by the vector that is kept of it, else by the words of its key line. Loads no model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import apsw

from core.base.fault import Fault
from core.embedding import similarity_of, unusable
from core.embedding.index.index import open_index
from core.embedding.index.state import read_state
from core.embedding.index.stored import Place, windows_of
from core.embedding.models.models import bars_of_stored
from core.errors.cases.browse import case_rows
from core.errors.cases.case import CaseRow
from core.errors.retrieval.embed_text import embed_text
from core.errors.retrieval.neighbours import similar_by_words
from core.store import Store, faults
from core.text import words

if TYPE_CHECKING:
    from core.embedding.index.binary_index import KeptBits

MOST = 5
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


def cases_like(store: Store, case_id: int, kept: KeptBits | None = None) -> CasesLike:
    """Up to `MOST` cases, solved or not, that are like this one; none where it is gone.

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
    asked = frozenset(words(embed_text(line)))
    return CasesLike(
        "words" if reason else "meaning",
        tuple(CaseLike(rows[one], found[one], _shared(asked, rows[one].key_line)) for one in found if one in rows),
        reason,
    )


def _by_meaning(con: apsw.Connection, case_id: int, kept: KeptBits | None) -> dict[int, float] | str:
    """The nearest cases with their cosine, or why there are none to be had."""
    state = read_state(con, "error")
    if state is None:
        return "nothing is embedded yet"
    if not state.complete:
        return "the model changed, and embedding with it is not done"
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
            for other, distance in index.nearest(vector, MOST + 1):
                best[other] = max(best.get(other, -1.0), similarity_of(distance))
    except Fault as fault:
        return fault.message
    near = sorted((-cosine, other) for other, cosine in best.items() if other != case_id and cosine >= bar)
    return {other: round(-cosine, 4) for cosine, other in near[:MOST]}


def _by_words(con: apsw.Connection, case_id: int, line: str) -> dict[int, float]:
    return {one.id: one.similarity for one in similar_by_words(con, line) if one.id != case_id}


def _shared(asked: frozenset[str], line: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words(embed_text(line)) if word in asked))[:_SHARED]
