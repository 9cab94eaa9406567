"""How the vectors of a casebook stand: which model, how many are made, how many wait, and why the tier is silent."""

from __future__ import annotations

from dataclasses import dataclass

from core.embedding.backlog import waiting
from core.embedding.catalogue import Model
from core.embedding.models import Absent, current
from core.embedding.state import read_state, why_off
from core.errors.vector_search import place_of
from core.settings import EmbeddingSettings
from core.store import Store, faults, jobs
from core.store.sql import number

_MADE = "SELECT count(*) FROM vector WHERE kind = ? AND model = ? AND recipe = ?"


@dataclass(frozen=True, slots=True)
class VectorFacts:
    """What is known without loading anything.

    `model` is the one in use, None where there is none: `reason` and `remedy` then say why and what mends it.
    `vectors` of it are kept, `waiting` cases have still to be embedded with it, `failed` ones could not be. `off`: why
    the tier is silent now. `other`: the model that made what is kept, where that is another one. `running`: the run of
    embedding that goes on, maybe in another process. `cases`: how many there are.
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
        return VectorFacts(
            cases,
            found.model,
            vectors=number(con, _MADE, names) if count else 0,
            waiting=left,
            failed=number(con, "SELECT count(*) FROM embed_failure WHERE kind = 'error'") if count else 0,
            off=why_off(con, *names) or "",
            other=other,
            running=running,
        )
