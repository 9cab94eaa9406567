"""Passages by their meaning: what is embedded of a chunk, and the nearest ones to a question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import apsw

from core.base.fault import Fault
from core.base.trace import Outcome, Step, Stopwatch, facts
from core.library.search.lexical import Ranked, in_order
from core.library.search.rows import how_many
from core.store.sql import number
from core.text import hangul_share

if TYPE_CHECKING:
    from core.embedding.index.stored import Place
    from core.embedding.models.catalogue import Model
    from core.embedding.runtime.query_model import VectorSearch

KIND: Final = "chunk"
RECIPE: Final = "headings-text-1"
"""How a chunk becomes the text that is embedded."""
EMBED: Final = "casebook library embed"
"""The command that gives passages their vectors."""
_HANGUL: Final = 0.5
_TIES: Final = 16
"""Further ones asked for, so that twins at the border stand in the order of their paths."""
_ALIKE: Final = 6  # digits of a distance: the same text, embedded beside others, differs behind them
_WAITING: Final = 20  # one passage in so many may wait


@dataclass(frozen=True, slots=True)
class ChunkSource:
    """A chunk is embedded with the headings above it, which say what it is about. See `runtime.source.Source`.

    A text longer than the model's window becomes several vectors (`runtime.windows`); the nearest counts.
    """

    kind: str = KIND
    recipe: str = RECIPE

    def texts(self, con: apsw.Connection, ids: Sequence[int]) -> dict[int, str]:
        """The texts by chunk; one that is gone is left out."""
        rows = con.execute(
            "SELECT c.id, c.heading_path_json, c.text FROM json_each(?) CROSS JOIN chunks c ON c.id = value",
            (json.dumps(list(ids)),),
        ).fetchall()
        return {item: chunk_text(heading, text) for item, heading, text in cast("list[tuple[int, str, str]]", rows)}

    def window(self, con: apsw.Connection, after: int, limit: int) -> list[int]:
        """The first `limit` chunks above `after`."""
        rows = con.execute("SELECT id FROM chunks WHERE id > ? ORDER BY id LIMIT ?", (after, limit)).fetchall()
        return [cast("int", row[0]) for row in rows]

    def count(self, con: apsw.Connection) -> int:
        """How many chunks there are."""
        return number(con, "SELECT count(*) FROM chunks")


def chunk_text(heading_path_json: str, text: str) -> str:
    """What is embedded of a chunk."""
    headings = " > ".join(cast("list[str]", json.loads(heading_path_json)))
    return f"{headings}\n{text}" if headings else text


def place_of(model: Model) -> Place:
    """Where the vectors lie that `model` made of chunks."""
    from core.embedding.index.stored import Place

    return Place(KIND, f"{model.id}@{model.version}", f"{RECIPE}+{model.recipe}", model.dim)


def vector_search(
    con: apsw.Connection,
    text: str,
    vectors: VectorSearch | None,
    among: frozenset[int] | None,
    limit: int,
    *,
    beside_words: bool = False,
) -> tuple[Ranked, str | None]:
    """The `limit` chunks nearest to `text` with their cosine, and the model's id (None: there is no vector search).

    `beside_words`: they are to be fused with the words' hits, which is only right once nearly all passages have
    vectors: what has none would stand behind what merely has one.
    Raises apsw errors of the store only: what is wrong with the model or its vectors becomes the step.
    """
    watch = Stopwatch()
    if vectors is None:
        return _without("skipped", "no model was asked for", "", watch), None
    from core.embedding.index.backlog import waiting
    from core.embedding.index.index import open_index
    from core.embedding.index.vectors import similarity_of
    from core.embedding.runtime.query_model import NoVectors

    model = vectors.model()
    if isinstance(model, NoVectors):
        return _without(model.outcome, model.reason, model.remedy, watch), None
    place = place_of(model)
    off = _why_not(con, text, model, place, beside_words=beside_words)
    if off:
        return _without("skipped", *off, watch), None
    vector = vectors.embed(text)
    if isinstance(vector, NoVectors):
        return _without(vector.outcome, vector.reason, vector.remedy, watch), None
    try:
        index = open_index(con, place.kind, place.model, place.recipe, place.dim, vectors.kept)
        near = index.nearest(vector, limit + _TIES, among)
    except Fault as fault:
        return _without("failed", fault.message, fault.hint, watch), None
    ordered = in_order(con, [(item, round(distance, _ALIKE)) for item, distance in near])[:limit]
    items = tuple((item, similarity_of(distance)) for item, distance in ordered)
    told = facts(
        model=model.id,
        found=len(items),
        best=round(items[0][1], 4) if items else None,
        waiting=waiting(con, KIND) or None,
    )
    step = Step("vector", "hit" if items else "miss", "nearest by meaning", told, elapsed_ms=watch.ms())
    return Ranked(items, step), model.id


def _why_not(
    con: apsw.Connection, text: str, model: Model, place: Place, *, beside_words: bool
) -> tuple[str, str] | None:
    """Why meaning cannot be asked now, and the command that mends it; None if it can."""
    from core.embedding.index.backlog import waiting
    from core.embedding.index.state import why_off

    off = why_off(con, place.kind, place.model, place.recipe)
    if off:
        return off, EMBED
    left = waiting(con, KIND) if beside_words else 0
    if left and left * _WAITING > (total := how_many(con)):
        return f"{left:,} of {total:,} passages wait to be embedded", EMBED
    if model.languages == "en" and hangul_share(text) > _HANGUL:
        return f"the question is mostly Korean and {model.id} reads English", "casebook models list"
    return None


def _without(outcome: Outcome, reason: str, remedy: str, watch: Stopwatch) -> Ranked:
    return Ranked((), Step("vector", outcome, reason, facts(remedy=remedy) if remedy else (), elapsed_ms=watch.ms()))
