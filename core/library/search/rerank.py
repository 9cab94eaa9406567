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

Of a passage the signs of its token vectors are stored with its vector (`core.embedding.index.token_bits`). One that was
embedded before these were kept is read again, which takes 30 ms.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

import apsw

from core.base.trace import Step, Stopwatch, facts
from core.library.search.hybrid import Fused, chunk_text, place_of

if TYPE_CHECKING:
    from core.embedding.index.token_bits import Array
    from core.embedding.runtime.embedder import Vector
    from core.embedding.runtime.query_model import VectorSearch

READ: Final = 20
"""Hits that are read again, whatever the page."""
_LONGEST: Final = 8_000
"""Code points of a passage that is read here: as many as the model service takes."""


def rerank(con: apsw.Connection, text: str, found: list[Fused], vectors: VectorSearch) -> tuple[list[Fused], Step]:
    """The hits with the best ones in the order of their tokens, and how it came about. Raises apsw errors.

    Without token vectors the order stays, and the step says why.
    """
    watch = Stopwatch()
    from core.embedding.index.token_bits import max_sims, token_bits, tokens_of
    from core.embedding.runtime.query_model import NoVectors

    model = vectors.model()
    if isinstance(model, NoVectors) or not model.reranks:
        return found, Step("rerank", "skipped", "the model does not rerank")
    ids = [one.item for one in found[:READ]]
    kept = tokens_of(con, place_of(model), ids)
    texts = _texts(con, [item for item in ids if item not in kept])
    made = vectors.embed_tokens([text, *texts.values()])
    if isinstance(made, NoVectors):
        return found, Step("rerank", made.outcome, made.reason)
    question, *read = map(_matrix, made)
    bits = {**kept, **{item: token_bits(tokens) for item, tokens in zip(texts, read, strict=True)}}
    first = [one for one in found[:READ] if one.item in bits]
    scores = max_sims(question, [bits[one.item] for one in first])
    first = [replace(one, late=late) for one, late in zip(first, scores, strict=True)]
    rest = [replace(one, late=0.0) for one in found if one.item not in bits]
    ordered = sorted(first, key=lambda one: -one.points)
    moved = sum(one.item != other.item for one, other in zip(first, ordered, strict=True))
    details = facts(model=model.id, passages=len(first), read=len(texts), moved=moved)
    step = Step("rerank", "hit", "the best hits, ordered by their matching words", details, elapsed_ms=watch.ms())
    return [*ordered, *rest], step


def _matrix(tokens: Sequence[Vector]) -> Array:
    import numpy

    return numpy.frombuffer(b"".join(tokens), dtype="<f4").reshape(len(tokens), -1)


def _texts(con: apsw.Connection, ids: Sequence[int]) -> dict[int, str]:
    """What is read of each passage: its headings and its beginning."""
    rows = con.execute(
        "SELECT c.id, c.heading_path_json, substr(c.text, 1, ?) FROM json_each(?) CROSS JOIN chunks c ON c.id = value",
        (_LONGEST, json.dumps(list(ids))),
    ).fetchall()
    found = {item: chunk_text(above, text)[:_LONGEST] for item, above, text in cast("list[tuple[int, str, str]]", rows)}
    return {item: text for item, text in found.items() if text.strip()}
