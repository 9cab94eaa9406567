"""Hybrid search: reciprocal rank fusion of the lexical and the vector list (kebab-frozen-design 2.2, decision 19).

A fused score is normalised so that first in both lists is 1.0 and first in one list alone is 0.5. It orders hits and is
no confidence: a chunk that is first in one list scores 0.5 however badly it fits.

Fused by ranks alone, the best of a hundred passages that share one common word with the question would rank as high as
the passage that means the same. So the rank by words counts by the cube of the share of the question's weight that the
passage holds (its words, weighted by how rare they are): with all of them fully, with half of them an eighth.

Where some passages have no vector yet, meaning counts by the share of passages that it knows, and words make up for the
rest. A passage without a vector has the rank of its words in both lists. So a library of which nothing is embedded is
ranked by words, and each passage that gets its vector changes the order a little.

Passages by their meaning: what is embedded of a chunk, and the nearest ones to a question.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

import apsw

from core.base.fault import Fault, remedy_of
from core.base.lazy import lazy_pattern
from core.base.trace import Fact, Outcome, Step, Stopwatch, facts
from core.library.search.lexical import LexicalQuery, Ranked, in_order
from core.library.search.rows import SearchHit, display_score, how_many
from core.store.sql import number
from core.text import hangul_share

if TYPE_CHECKING:
    from core.embedding.index.stored import Place
    from core.embedding.models.catalogue import Model
    from core.embedding.runtime.query_model import VectorSearch

_BY = {"lexical": "its words", "vector": "its meaning", "hybrid": "words and meaning"}
K: Final = 60
"""The constant of the formula (`search.rrf_k`): how little the difference between high ranks counts."""

SHARE_POWER: Final = 3
"""Of the share of the question's weight; on two sets of labelled questions 2 to 4 do as well."""
_COMPANION: Final = lazy_pattern(
    r"(?i)(?:^|/)(?:tests?|testdata|__tests__)/|(?:^|/)test_[^/]*$|[_.](?:test|spec)\.\w+$"
    r"|(?:^|/)(?:changelog|changes|history|news|release[-_]?notes)(?:\.\w+)?(?:/|$)"
)
"""Paths of tests and change logs."""
_ROUNDING: Final = 1e-9
_HALF: Final = 0.5
"""Weight of such a passage against prose: with tests and change logs of five projects next to the answering documents,
they were 49 of the first three hits of 59 questions, and are 4; no answer was lost."""
_QUESTION: Final = 3
"""Words, stop words left out, from which on a query is a question."""
FUSED_WEIGHT: Final = 0.8
"""Of the fused score beside the match of the tokens, where hits are reranked."""
FAN: Final = 50
"""Hits of each list that are fused, whatever the page: a longer list could change the order of what was shown."""

# In one walk over all that match: to seek each of the fifty opens the index fifty times.
_HELD: Final = """SELECT count(*), json_group_array(rowid) FILTER (WHERE rowid IN (SELECT value FROM json_each(?)))
  FROM chunks_fts WHERE chunks_fts MATCH ?"""


@dataclass(frozen=True, slots=True)
class Fused:
    """One item, its fused score in (0, 1], its rank (from 1) in each list, None where it is in none, and how much of
    the score counts.

    `late`: how well its tokens match those of the query, 0 to 1 (`core.library.search.rerank`); None where no hit was
    reranked, 0 where others were.
    """

    item: int
    score: float
    lexical_rank: int | None
    vector_rank: int | None
    weight: float = 1.0
    late: float | None = None

    @property
    def points(self) -> float:
        """The score by which hits are ordered, 0 to 1."""
        weighted = self.score * self.weight
        return weighted if self.late is None else (self.late + FUSED_WEIGHT * weighted) / (1 + FUSED_WEIGHT)


def fuse(
    lexical: Sequence[int],
    vector: Sequence[int],
    k: int = K,
    *,
    counts: Callable[[int], float] = lambda _item: 1.0,
    meaning: float = 1.0,
) -> list[Fused]:
    """Both rankings as one, best first; equal scores by the better lexical rank, then the better vector rank.

    An item that stands twice in a list counts where it stands first. `counts`: how much its rank by words counts, 0 to
    2; `meaning`: how much a rank by meaning counts, 0 to 1.
    """
    ranks = _ranks(lexical), _ranks(vector)
    top = 2 / (k + 1)
    found: list[Fused] = []
    for item in dict.fromkeys((*ranks[0], *ranks[1])):
        word, near = ranks[0].get(item), ranks[1].get(item)
        raw = (counts(item) / (k + word) if word is not None else 0.0) + (
            meaning / (k + near) if near is not None else 0.0
        )
        found.append(Fused(item, raw / top, word, near))
    last = max((*ranks[0].values(), *ranks[1].values()), default=0) + 1
    return sorted(found, key=lambda one: (-one.score, one.lexical_rank or last, one.vector_rank or last))


def _ranks(items: Sequence[int]) -> Mapping[int, int]:
    return {item: rank for rank, item in enumerate(dict.fromkeys(items), 1)}


@dataclass(frozen=True, slots=True)
class Weighed:
    """How much of the question each chunk holds, 0 to 1."""

    shares: dict[int, float]

    def counts(self, item: int, embedded: float = 1.0) -> float:
        """Return how much its rank by words counts, 0 to 1. `embedded`: the share of passages with a vector."""
        return self.shares.get(item, 0.0) ** (SHARE_POWER * embedded)


def weighed(con: apsw.Connection, query: LexicalQuery, items: Sequence[int]) -> Weighed:
    """The share of the question's weight that each of these chunks holds. Raises apsw errors."""
    total = how_many(con)
    ids = json.dumps(list(items))
    shares = dict.fromkeys(items, 0.0)
    weights = 0.0
    for term in query.terms:
        match = " OR ".join(term.expressions)
        seen, held = cast("tuple[int, str]", con.execute(_HELD, (ids, match)).fetchone())
        weight = math.log(1 + total / (1 + seen))
        weights += weight
        for item in cast("list[int]", json.loads(held)):
            shares[item] += weight
    return Weighed({item: share / weights if weights else 0.0 for item, share in shares.items()})


def unread(con: apsw.Connection, items: Sequence[int]) -> frozenset[int]:
    """Those of these chunks that have no vector yet: meaning cannot speak for them. Raises apsw errors."""
    rows = con.execute(
        "SELECT value FROM json_each(?) WHERE NOT EXISTS"
        " (SELECT 1 FROM vector WHERE kind = 'chunk' AND item_id = value)",
        (json.dumps(list(items)),),
    ).fetchall()
    return frozenset(cast("int", row[0]) for row in rows)


def by_share(words: Ranked, known: Weighed) -> Ranked:
    """The keyword list by its scores times the share of the question that each passage holds.

    Fifty are put in order, then the next fifty: so a page is the same, whatever was read for it.
    """
    items: list[tuple[int, float]] = []
    least = math.inf
    for at in range(0, len(words.items), FAN):
        scores = [(item, min(least, score * known.shares[item])) for item, score in words.items[at : at + FAN]]
        items += sorted(scores, key=lambda row: -row[1])
        least = items[-1][1]
    return replace(words, items=tuple(items))


def hybrid(con: apsw.Connection, words: Ranked, near: Ranked, known: Weighed) -> tuple[list[Fused], Step]:
    """Both lists as one, best first, and how it came about. Raises apsw errors."""
    watch = Stopwatch()
    alone = unread(con, words.ids)
    embedded = _embedded(con, near.step)

    def counts(item: int) -> float:
        return known.counts(item, embedded) * (2 if item in alone else 2 - embedded)

    found = fuse(words.ids, near.ids, counts=counts, meaning=embedded)
    both = sum(one.lexical_rank is not None and one.vector_rank is not None for one in found)
    details = facts(
        k=K,
        fused=len(found),
        in_both=both,
        best_share=round(max(known.shares.values(), default=0.0), 3),
        without_vector=len(alone) or None,
        embedded=round(embedded, 3) if embedded < 1 else None,
    )
    reason = (
        "reciprocal ranks of both lists, the keyword rank weighted by the share of the question's words in the passage"
    )
    outcome: Outcome = "hit" if found else "miss"
    return found, Step("fusion", outcome, reason, details, elapsed_ms=watch.ms())


def _embedded(con: apsw.Connection, near: Step) -> float:
    """The share of passages with a vector, by the step of the semantic search. Raises apsw errors."""
    waiting = near.fact("waiting")
    return max(0.0, 1 - waiting / max(1, how_many(con))) if isinstance(waiting, int) else 1.0


def is_companion(path: str) -> bool:
    """Whether a file is a test or a change log: it says much about everything and explains nothing."""
    return _COMPANION.search(path) is not None


def prose_first(con: apsw.Connection, query: LexicalQuery, found: list[Fused]) -> tuple[list[Fused], Step | None]:
    """For a question, a passage of a test or a change log counts half; a word or a name finds them as before.

    Raises apsw errors.
    """
    if query.is_name or len(query.terms) < _QUESTION or not found:
        return found, None
    ids = json.dumps([one.item for one in found])
    rows = con.execute(
        "SELECT c.id, d.workspace_path FROM json_each(?) CROSS JOIN chunks c ON c.id = value"
        " JOIN documents d ON d.doc_id = c.doc_id",
        (ids,),
    )
    behind = {item for item, path in cast("list[tuple[int, str]]", rows.fetchall()) if is_companion(path)}
    if not behind:
        return found, None
    weighed = [replace(one, weight=_HALF) if one.item in behind else one for one in found]
    reason = "for a question, tests and changelogs count half"
    return sorted(weighed, key=lambda one: -one.points), Step("prose", "hit", reason, facts(passages=len(behind)))


def why_hit(hit: SearchHit, trace: Sequence[Step] = ()) -> Step:
    """The step that explains one hit: its words, both ranks, the sum. `trace`: that of its search."""
    how = hit.retrieval
    steps: list[Step] = []
    if how.method != "vector":
        steps.append(_words(hit))
    if how.method != "lexical":
        steps.append(_meaning(hit))
    if how.method == "hybrid":
        fusion = next((step.fact("embedded") for step in trace if step.stage == "fusion"), None)
        steps.append(_fusion(hit, fusion if isinstance(fusion, float) else 1.0))
    weighted = hit.score
    if how.rerank_score is not None:
        weighted = (hit.score * (1 + FUSED_WEIGHT) - how.rerank_score) / FUSED_WEIGHT
        steps.append(_reranked(hit, how.rerank_score, weighted))
    if weighted < (how.fusion_score or how.lexical_score or 0.0) - _ROUNDING:
        steps.append(Step("prose", "hit", "a test or a changelog counts half for a question"))
    reason = f"hit {hit.rank}, by {_BY[how.method]}"
    shown = round(display_score(hit), 2) if hit.score_kind == "bm25" else None
    details = facts(score=round(hit.score, 4), kind=hit.score_kind, shown_as=shown, passage=hit.chunk_id)
    stale = facts(
        chunker=hit.chunker_version, read=hit.indexed_at, stale="read more than 30 days ago" if hit.stale else None
    )
    return Step("this hit", "hit", reason, (*details, *stale), tuple(steps))


def _words(hit: SearchHit) -> Step:
    how = hit.retrieval
    details: dict[str, Fact] = {"has": ", ".join(hit.words) or None, "lacks": ", ".join(hit.missing) or None}
    if how.lexical_rank is None or how.lexical_score is None:
        return Step("words", "miss", "not in the keyword list", facts(details))
    reason = f"rank {how.lexical_rank:,} in the keyword list"
    return Step("words", "hit", reason, facts(details, bm25=round(how.lexical_score, 3)))


def _meaning(hit: SearchHit) -> Step:
    how = hit.retrieval
    if how.vector_rank is None or how.vector_score is None:
        return Step("meaning", "miss", "not in the semantic list")
    details = facts(cosine=round(how.vector_score, 4), model=hit.embedding_model)
    return Step("meaning", "hit", f"rank {how.vector_rank:,} in the semantic list", details)


def _reranked(hit: SearchHit, late: float, weighted: float) -> Step:
    """`(0.62 + 0.8*0.70) / 1.8 = 0.66`; a hit behind those that were reranked has 0 for the match of its tokens."""
    formula = f"({late:.4f} + {FUSED_WEIGHT}*{weighted:.4f}) / {1 + FUSED_WEIGHT} = {hit.score:.4f}"
    if not late:
        return Step("rerank", "miss", f"not among the reranked hits: {formula}")
    return Step("rerank", "hit", formula)


def _fusion(hit: SearchHit, embedded: float) -> Step:
    """`(0.42/(60+3) + 1/(60+1)) / (2/61) = 0.70`: first in both lists with all words is 1, in one alone 0.5."""
    how = hit.retrieval
    score, word, near = how.fusion_score or 0, how.lexical_rank, how.vector_rank
    by_meaning = 0.0 if near is None else embedded / (K + near)
    terms = [] if near is None else [f"{round(embedded, 2):g}/({K}+{near})"]
    if word is not None:
        counts = (score * 2 / (K + 1) - by_meaning) * (K + word)
        terms.insert(0, f"{round(counts, 2):g}/({K}+{word})")
    reason = f"({' + '.join(terms)}) / (2/{K + 1}) = {score:.4f}"
    if embedded < 1:
        reason += f": {embedded:.1%} of the passages are embedded, so words count more"
    return Step("fusion", "hit", reason, facts(k=K))


KIND: Final = "chunk"
RECIPE: Final = "headings-text-1"
"""How a chunk becomes the text that is embedded."""
EMBED: Final = "casebook library embed"
"""The command that gives passages their vectors."""
_HANGUL: Final = 0.5
_TIES: Final = 16
"""Further hits to request, so that equal ones at the limit are ordered by path."""
_ALIKE: Final = 6  # digits of a distance: the same text, embedded beside others, differs behind them


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
) -> tuple[Ranked, str | None]:
    """The `limit` chunks nearest to `text` with their cosine, and the model's id (None: there is no vector search).

    A Korean text is not searched with a model that reads English.

    Raises apsw errors of the store only: what is wrong with the model or its vectors becomes the step.
    """
    watch = Stopwatch()
    if vectors is None:
        return _without("skipped", "no model requested", "", watch), None
    from core.embedding.index.backlog import waiting
    from core.embedding.index.index import open_index
    from core.embedding.index.state import why_off
    from core.embedding.index.vectors import similarity_of
    from core.embedding.models.catalogue import RECOMMENDED
    from core.embedding.runtime.query_model import NoVectors

    model = vectors.model()
    if isinstance(model, NoVectors):
        return _without(model.outcome, model.reason, model.remedy, watch), None
    place = place_of(model)
    off = why_off(con, place.kind, place.model, place.recipe)
    if off:
        return _without("skipped", off, EMBED, watch), None
    if model.languages == "en" and hangul_share(text) > _HANGUL:
        reason = f"the question is mostly Korean and {model.id} supports English only"
        return _without("skipped", reason, f"casebook models pull {RECOMMENDED}", watch), None
    vector = vectors.embed(text)
    if isinstance(vector, NoVectors):
        return _without(vector.outcome, vector.reason, vector.remedy, watch), None
    try:
        index = open_index(con, place.kind, place.model, place.recipe, place.dim, vectors.kept)
        near = index.nearest(vector, limit + _TIES, among)
    except Fault as fault:
        return _without("failed", fault.message, remedy_of(fault), watch), None
    ordered = in_order(con, [(item, round(distance, _ALIKE)) for item, distance in near])[:limit]
    items = tuple((item, similarity_of(distance)) for item, distance in ordered)
    details = facts(
        model=model.id,
        found=len(items),
        best=round(items[0][1], 4) if items else None,
        waiting=waiting(con, KIND) or None,
    )
    step = Step("vector", "hit" if items else "miss", "semantic search", details, elapsed_ms=watch.ms())
    return Ranked(items, step), model.id


def _without(outcome: Outcome, reason: str, remedy: str, watch: Stopwatch) -> Ranked:
    return Ranked((), Step("vector", outcome, reason, facts(remedy=remedy) if remedy else (), elapsed_ms=watch.ms()))
