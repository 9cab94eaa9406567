"""`team index`: what a team's server finds lessons by, brought up to date."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from core.base.fault import Fault
from core.base.reports import Progress
from core.embedding.index.vectors import unpack
from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.errors.retrieval.embed_text import embed_text, place_of
from core.flows.team.sync.replica import require_replica
from core.store import Store
from core.team.postgres.cases import (
    embedder_of,
    index_events,
    make_vectors,
    put_vectors,
    unread_lines,
    without_vector,
)
from core.team.postgres.log import head
from core.team.postgres.schema import membership, newer_line
from core.team.postgres.server import connected, faults

if TYPE_CHECKING:
    from core.team.postgres.server import Session


@dataclass(frozen=True, slots=True)
class TeamIndex:
    """What indexing a team's server did (`team_index.v1`).

    `events`: how many of the log were looked at; `lessons`: versions of lessons added to the index; `vectors`: added
    for `model`, '' for none. `note`: why there is no search by meaning, '' if there is. `canceled`: a later run
    continues.
    """

    SCHEMA: ClassVar[str] = "team_index.v1"

    team: str
    events: int
    lessons: int
    vectors: int
    model: str
    note: str
    canceled: bool


class _Canceled(Exception):
    pass


@dataclass(slots=True)
class _Indexing:
    """An indexing while it runs."""

    con: Session
    team: str
    progress: Callable[[Progress], None] | None
    stop: Callable[[], bool]
    events: int = 0
    lessons: int = 0
    vectors: int = 0
    model: str = ""
    note: str = ""

    def tell(self, kind: str, done: int, total: int, began: float) -> None:
        rate = done / max(time.monotonic() - began, 1e-3)
        if self.progress is not None:
            self.progress(Progress(kind, done, total, rate, (total - done) / rate if rate else None))
        if self.stop():
            raise _Canceled

    def index_words(self) -> None:
        """Fingerprints, keys and words: the server's own work."""
        end, began = head(self.con, self.team).seq, time.monotonic()
        for done, added in index_events(self.con, self.team, end):
            self.events, self.lessons = done, self.lessons + added
            self.tell("team index", done, end, began)

    def index_meaning(self, vectors: VectorSearch) -> None:
        """Vectors, made here. `note` says why there are none."""
        model = vectors.model()
        if isinstance(model, NoVectors):
            self.note = f"search by meaning is disabled: {model.reason}"
            return
        name = embedder_of(place_of(model))
        if why := make_vectors(self.con, self.team, name, model.dim):
            self.note = f"search by meaning is disabled: {why}"
            return
        total, done, began = without_vector(self.con, self.team, name), 0, time.monotonic()
        embedder = vectors.embedder() if total else None
        if isinstance(embedder, NoVectors):
            self.note = f"search by meaning is disabled: {embedder.reason}"
            return
        self.model = model.id
        for batch in unread_lines(self.con, self.team, name) if embedder is not None else ():
            texts = [(payload, text) for payload, line in batch if (text := embed_text(line)).strip()]
            made = embedder.embed([text for _, text in texts], "document") if texts and embedder is not None else []
            stored = [(one[0], unpack(windows[0])) for one, windows in zip(texts, made, strict=True)]
            put_vectors(self.con, self.team, name, stored)
            self.vectors, done = self.vectors + len(texts), done + len(batch)
            self.tell("team vectors", done, total, began)


def index_team(
    store: Store,
    vectors: VectorSearch,
    *,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> TeamIndex:
    """Bring the indexes of the team's server up to date. What is there is left as it is. Raises Fault."""
    replica = require_replica(store)
    with connected(replica.address) as con, faults(replica.address, replica.team):
        held = membership(con, replica.team, joined=True)
        if not held.can_share:
            why = newer_line() if held.newer else "you are a reader of this team"
            raise Fault("invalid_input", f"you cannot index team {replica.team}", why)
        work = _Indexing(con, replica.team, progress, stop)
        canceled = False
        try:
            work.index_words()
            work.index_meaning(vectors)
        except _Canceled:
            canceled = True
    return TeamIndex(replica.team, work.events, work.lessons, work.vectors, work.model, work.note, canceled)
