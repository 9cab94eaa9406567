"""How the vectors of a casebook stand: which model, how many are made, how many wait, and why the tier is silent."""

from __future__ import annotations

from dataclasses import dataclass

import apsw

from core.base.config.settings import EmbeddingSettings
from core.embedding.index.backlog import waiting
from core.embedding.index.state import read_state, why_off
from core.embedding.index.stored import Place
from core.embedding.models.catalogue import Model
from core.embedding.models.models import Absent, current
from core.errors.retrieval.embed_text import place_of
from core.library.search.hybrid import place_of as place_of_passages
from core.store import Store, faults, jobs
from core.store.sql import number

_MADE = "SELECT count(*) FROM vector WHERE kind = ? AND model = ? AND recipe = ?"


@dataclass(frozen=True, slots=True)
class VectorFacts:
    """What is known without loading anything.

    `model` is the one in use, None where there is none: `reason` and `remedy` then say why and what mends it.
    `vectors` of it are kept, `waiting` cases have still to be embedded with it, `failed` ones could not be. `off`: why
    the tier is silent now. `other`: the model that made what is kept, where that is another one. `running`: the run of
    embedding that goes on, maybe in another process. `cases`: how many there are. `rules_waiting` and
    `passages_waiting` are embedded by the same run, after the cases; `passages` and `passage_vectors` as for the cases.
    """

    cases: int
    model: Model | None
    reason: str = ""
    remedy: str = ""
    vectors: int = 0
    waiting: int = 0
    failed: int = 0
    off: str = ""
    other: str = ""
    running: jobs.Job | None = None
    rules_waiting: int = 0
    passages_waiting: int = 0
    passages: int = 0
    passage_vectors: int = 0

    @property
    def due(self) -> int:
        """All that waits, of whatever kind."""
        return self.waiting + self.rules_waiting + self.passages_waiting


def vector_facts(store: Store, settings: EmbeddingSettings, *, count: bool = False) -> VectorFacts:
    """Look at the model in use and at the casebook; with `count` the kept vectors and the failures are counted too.

    Constant time without `count`. Raises Fault where the casebook cannot be read.
    """
    con, found = store.con, current(settings)
    with faults(store.path):
        cases = number(con, "SELECT count(*) FROM error_kb" if count else "SELECT EXISTS (SELECT 1 FROM error_kb)")
        running = jobs.running(store, "embed")
        if isinstance(found, Absent):
            return VectorFacts(cases, None, found.reason, found.remedy, running=running)
        place = place_of(found.model)
        state = read_state(con, place.kind)
        other = "" if state is None or state.is_of(place.model, place.recipe, place.dim) else state.model
        left = waiting(con, place.kind)
        if other:
            left = max(left, number(con, "SELECT count(*) FROM error_kb"))
        names = (place.kind, place.model, place.recipe)
        passages = place_of_passages(found.model)
        passages_left, passages_of = _passages(con, passages)
        return VectorFacts(
            cases,
            found.model,
            vectors=_made(con, place) if count else 0,
            waiting=left,
            failed=number(con, "SELECT count(*) FROM embed_failure WHERE kind = 'error'") if count else 0,
            off=why_off(con, *names) or "",
            other=other or passages_of,
            running=running,
            rules_waiting=waiting(con, "rule"),
            passages_waiting=passages_left,
            passages=number(con, "SELECT count(*) FROM chunks") if count else 0,
            passage_vectors=_made(con, passages) if count else 0,
        )


def _made(con: apsw.Connection, place: Place) -> int:
    return number(con, _MADE, (place.kind, place.model, place.recipe))


def _passages(con: apsw.Connection, place: Place) -> tuple[int, str]:
    """How many passages wait, and the model that made what is kept of them, where that is another one."""
    state, left = read_state(con, place.kind), waiting(con, place.kind)
    if state is None or state.is_of(place.model, place.recipe, place.dim):
        return left, ""
    return max(left, number(con, "SELECT count(*) FROM chunks")), state.model
