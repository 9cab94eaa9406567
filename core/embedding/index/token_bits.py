"""The tokens of a text as signs: `dim / 8` bytes a token, enough for reranking (`core.library.search.rerank`).

Each token vector is rotated, so that its length is spread over all components, and the sign of each component is kept.
The dot product of a unit vector with such signs is its cosine, up to a constant and an error of about 1 / sqrt(dim)
(Charikar 2002, `Similarity estimation techniques from rounding algorithms`).

Measured with all-MiniLM-L6-v2 on the questions about seventeen foreign projects: paraphrases found in the first 1, 3
and 10 of 116: 24 41 54 with whole vectors (271 KB a passage), 25 41 52 with signs (8.5 KB), 21 40 54 with signs that
are not rotated, 21 38 54 with a random projection to 64 components (11 KB).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, cast

import apsw

from core.embedding.index.stored import Place

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

_SCALE: Final = math.sqrt(math.pi / 2)
"""From the mean product with random signs to the cosine."""


def token_bits(tokens: Array) -> bytes:
    """The signs of these token vectors, a row each."""
    import numpy

    return numpy.packbits(tokens @ _rotation(tokens.shape[1]) >= 0, axis=1).tobytes()


def max_sims(query: Array, passages: Sequence[bytes]) -> list[float]:
    """Of each passage the mean over the tokens of a query, a row each, of their best cosine among its own, 0 to 1."""
    found = best_matches(query, passages).mean(1) if len(query) else [0.0] * len(passages)
    return [min(1.0, max(0.0, float(one))) for one in found]


def best_matches(query: Array, passages: Sequence[bytes]) -> Array:
    """The best cosine of each token of the query (columns) in each passage (rows); 0 in one without tokens."""
    import numpy

    dim = query.shape[1]
    signs = numpy.unpackbits(numpy.frombuffer(b"".join(passages), "u1")).reshape(-1, dim).astype("f4") * 2 - 1
    cosines = query @ _rotation(dim) @ signs.T * (_SCALE / math.sqrt(dim))  # at once: each call may wake other threads
    out = numpy.zeros((len(passages), len(query)), "f4")
    at = 0
    for row, own in zip(out, passages, strict=True):
        size = len(own) * 8 // dim
        if size:
            row[:] = cosines[:, at : at + size].max(1)
        at += size
    return out


@lru_cache(maxsize=2)
def _rotation(dim: int) -> Array:
    """A fixed orthogonal matrix without a preferred axis: two rounds of random signs and Hadamard transforms.

    The same on every machine. `dim` is a multiple of eight.
    """
    import numpy

    size = dim & -dim  # the largest power of two in it
    hadamard = numpy.ones((1, 1))
    while len(hadamard) < size:
        hadamard = numpy.block([[hadamard, hadamard], [hadamard, -hadamard]])
    rows = numpy.eye(dim)
    for turn in range(2):
        flips = numpy.unpackbits(numpy.frombuffer(hashlib.shake_256(bytes([turn])).digest(dim // 8), "u1"))
        blocks = (rows * (flips * 2.0 - 1)).reshape(dim, -1, size) @ hadamard / math.sqrt(size)
        rows = blocks.swapaxes(1, 2).reshape(dim, dim)  # the next round mixes the blocks
    return rows.astype("f4")


def put_tokens(con: apsw.Connection, place: Place, made: Mapping[str, bytes]) -> None:
    """Keep the signs of texts by their hash, inside the caller's transaction."""
    con.executemany(
        "INSERT OR REPLACE INTO token_bits(text_sha, model, recipe, bits) VALUES (?, ?, ?, ?)",
        ((sha, place.model, place.recipe, bits) for sha, bits in made.items()),
    )


def tokens_of(con: apsw.Connection, place: Place, ids: Collection[int]) -> dict[int, bytes]:
    """The signs that are kept of these items. Raises apsw errors."""
    rows = con.execute(
        "SELECT v.item_id, t.bits FROM json_each(?) CROSS JOIN vector v ON v.kind = ? AND v.item_id = value"
        " AND v.model = ? AND v.recipe = ? CROSS JOIN token_bits t"
        " ON t.text_sha = v.text_sha AND t.model = v.model AND t.recipe = v.recipe",
        (json.dumps(list(ids)), place.kind, place.model, place.recipe),
    ).fetchall()
    return dict(cast("list[tuple[int, bytes]]", rows))
