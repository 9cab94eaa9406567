"""Reranking by late interaction: the best hits once more, by the tokens of the query and of the passage.

A vector of a passage is the mean of its tokens: what one sentence answers is lost in the rest of the passage. Here each
token of the query is compared with each token of the passage, and the best match of each counts (MaxSim, as in ColBERT:
Khattab and Zaharia 2020), with the token vectors of the model that made the passages' vectors.

The order is by the mean of these matches plus 0.8 of the fused score. Right in the first 3 hits with all-MiniLM-L6-v2,
of the questions about seventeen foreign projects (`tests/data/library/questions/README.md`):

    paraphrases       26 of 116 without, 41 with
    by words          78 of 80 without, 79 with

The weight was chosen on all of them, and 0.5 to 1 do about as well. With multilingual-e5-small-q4 it takes four times
as long, finds 3 more paraphrases of 41 and loses 2 of 16 Korean questions to English documents. So it is off there.

Twenty passages take about 0.6 s of one core. A search that somebody waits for does it, and one that follows every key
does not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

import apsw

from core.base.trace import Step, Stopwatch, facts
from core.library.search.hybrid import Fused, chunk_text

if TYPE_CHECKING:
    from core.embedding.runtime.embedder import Vector
    from core.embedding.runtime.query_model import VectorSearch

READ: Final = 20
"""Hits that are read again, whatever the page."""
_LONGEST: Final = 4_000
"""Code points of a passage: more than a window of the model."""


def rerank(con: apsw.Connection, text: str, found: list[Fused], vectors: VectorSearch) -> tuple[list[Fused], Step]:
    """The hits with the best ones in the order of their tokens, and how it came about. Raises apsw errors.

    Without token vectors the order stays, and the step says why.
    """
    watch = Stopwatch()
    from core.embedding.runtime.query_model import NoVectors

    model = vectors.model()
    if isinstance(model, NoVectors) or not model.reranks:
        return found, Step("rerank", "skipped", "the model does not rerank")
    texts = _texts(con, [one.item for one in found[:READ]])
    first = [one for one in found[:READ] if one.item in texts]
    rest = [one for one in found if one not in first]
    made = vectors.embed_tokens([text, *(texts[one.item] for one in first)])
    if isinstance(made, NoVectors):
        return found, Step("rerank", made.outcome, made.reason)
    asked, *passages = made
    read = [replace(one, late=max_sim(asked, tokens)) for one, tokens in zip(first, passages, strict=True)]
    ordered = sorted(read, key=lambda one: -one.points)
    moved = sum(one.item != other.item for one, other in zip(first, ordered, strict=True))
    told = facts(model=model.id, passages=len(read), tokens=sum(map(len, passages)), moved=moved)
    step = Step("rerank", "hit", "the best hits, ordered by their matching words", told, elapsed_ms=watch.ms())
    return [*ordered, *(replace(one, late=0.0) for one in rest)], step


def max_sim(query: Sequence[Vector], passage: Sequence[Vector]) -> float:
    """The mean over the tokens of a query of their best cosine among those of a passage, 0 to 1."""
    import numpy

    if not query or not passage:
        return 0.0
    rows = [numpy.frombuffer(b"".join(side), dtype="<f4").reshape(len(side), -1) for side in (query, passage)]
    found = float((rows[0] @ rows[1].T).max(1).mean())
    return min(1.0, max(0.0, found)) if found == found else 0.0  # noqa: PLR0124  nan is not itself


def _texts(con: apsw.Connection, ids: Sequence[int]) -> dict[int, str]:
    """What is read of each passage: its headings and its beginning."""
    rows = con.execute(
        "SELECT c.id, c.heading_path_json, substr(c.text, 1, ?) FROM json_each(?) CROSS JOIN chunks c ON c.id = value",
        (_LONGEST, json.dumps(list(ids))),
    ).fetchall()
    found = {item: chunk_text(above, text)[:_LONGEST] for item, above, text in cast("list[tuple[int, str, str]]", rows)}
    return {item: text for item, text in found.items() if text.strip()}
