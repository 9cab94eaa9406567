"""The vector tier on the labelled set: what it answers rightly, what wrongly, and what it shows as similar.

`python -m bench wordings` prints it for what nobody looked at while the matcher was tuned: two sets written for that,
and the other half of the first one. Every question goes through the product's own `search`, text tiers included. A base
holds one wording of each of some causes, filled up with strangers; known questions are their other wordings, unknown
ones the wordings of causes that are not in it.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast
from unittest.mock import patch

from bench.errors.wordings_base import OUT, Remembered, fill
from bench.errors.wordings_data import Half, Wording, by_cause, near, strangers, wordings
from bench.errors.wordings_margins import at_equal, intervals, share
from bench.errors.wordings_plot import plot
from bench.table import Row
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.errors import search
from core.errors.identity.fingerprint import identify, normalize_error
from core.errors.retrieval import vector_tier
from core.lexical import any_of, terms
from core.store import Store, open_store
from core.text import hangul_share, words

SIZES = (100, 1_000, 10_000)
_MOST_CAUSES = {100: 40}
NOT_TUNED_ON: Final[tuple[Half, ...]] = ("third", "fresh", "reported")
SHIFTS = (-1.6, -1.2, -0.8, -0.4, 0.0, 0.4, 0.8, 1.2)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question and what came of it. `own` is the case of its cause, None where it is unknown."""

    cause: str
    own: int | None
    answer: int | None
    level: str
    tier: str
    shown: tuple[int, ...]
    near: tuple[int, ...]
    bm25: tuple[tuple[int, float], ...]
    seed: tuple[int, float, bool]


@dataclass(frozen=True, slots=True)
class _Base:
    store: Store
    texts: tuple[str, ...]
    known: tuple[tuple[Wording, int], ...]
    unknown: tuple[Wording, ...]


def measure(*, quick: bool, halves: tuple[Half, ...] = NOT_TUNED_ON) -> list[Row]:
    """The report, printed; the rows say whether the promises hold."""
    model, rows = Remembered(), list[Row]()
    for half in halves:
        print(f"half: {half}; {len({row.cause for row in wordings(half)})} causes, {len(wordings(half))} wordings\n")
        for size in SIZES[: 2 if quick else 3]:
            rows += _told(half, size, list(_asked(size, half, model)))
        rows += _near_strangers(half, model)
    if not quick:
        print(curve(halves[0], model))
    return rows


def _asked(size: int, half: Half, model: Remembered) -> Iterator[Asked]:
    for base in _bases(size, half, model):
        with _vectors(model) as vectors:
            yield from _ask_all(base, vectors, _SeedIndex(base.texts, model))


def _ask_all(base: _Base, vectors: VectorSearch, index: _SeedIndex | None) -> Iterator[Asked]:
    for wording, own in base.known:
        yield _ask(base.store, wording, own, vectors, index)
    for wording in base.unknown:
        yield _ask(base.store, wording, None, vectors, index)


def _bases(size: int, half: Half, model: Remembered) -> Iterator[_Base]:
    """Bases of `size`, the causes in turn in it and unknown to it; of an English model the English wordings only."""
    most = 0.5 if model.model.languages == "en" else 1.0
    rows = tuple(row for row in wordings(half) if hangul_share(row.text) <= most)
    causes = [several for _, several in by_cause(rows) if len(several) > 1]
    step = min(_MOST_CAUSES.get(size, len(causes)), math.ceil(len(causes) / 2))
    groups = [causes[at : at + step] for at in range(0, len(causes), step)]
    for at, group in enumerate(groups):
        other = groups[(at + 1) % len(groups)]
        texts = (*(several[0].text for several in group), *strangers(size - len(group), half=half))
        with (
            tempfile.TemporaryDirectory() as folder,
            open_store(Path(folder) / "base.db", write=True, create=True) as store,
        ):
            ids = fill(store, texts, model)
            known = tuple((row, ids[at]) for at, several in enumerate(group) for row in several[1:])
            yield _Base(store, texts, known, tuple(row for several in other for row in several))


def _vectors(model: Remembered) -> VectorSearch:
    return VectorSearch(lambda: ModelAtHand(model.model, lambda: model))


def _ask(store: Store, asked: Wording, own: int | None, vectors: VectorSearch, index: _SeedIndex | None) -> Asked:
    found = search(store, asked.text, count=False, vectors=vectors)
    hit = found.match
    first = (hit.id,) if hit else ()
    return Asked(
        asked.cause,
        own,
        hit.id if hit else None,
        hit.confidence if hit else "",
        hit.tier if hit else "",
        (*first, *(one.id for one in found.similar))[:3],
        (*first, *(one.id for one in found.similar if one.similarity >= 0.5))[:3],
        _bm25(store, found.query.key_line) if index else (),
        index.nearest(asked.text) if index else (0, 2.0, False),
    )


def _bm25(store: Store, line: str) -> tuple[tuple[int, float], ...]:
    """The three best of bm25 alone over the key lines, any word, with their scores."""
    asked = any_of(terms(line))
    if asked is None:
        return ()
    sql = "SELECT rowid, -bm25(case_fts, 1, 0, 0, 0) FROM case_fts WHERE case_fts MATCH ? ORDER BY 2 DESC LIMIT 3"
    return tuple(cast("list[tuple[int, float]]", store.con.execute(sql, (asked,)).fetchall()))


class _SeedIndex:
    """The seed's tier: normalized text, its constants read as L2, one shared word in the low band."""

    def __init__(self, texts: tuple[str, ...], model: Remembered) -> None:
        self._model = model
        self._keys = [normalize_error(text) for text in texts]
        self._vectors = [vectors[0] for vectors in model.embed(self._keys, "document")]

    def nearest(self, text: str) -> tuple[int, float, bool]:
        """The nearest case, its distance, and whether the seed's constants make it the answer."""
        import numpy as np

        key = normalize_error(text)
        query = np.frombuffer(self._model.embed([key], "query")[0][0], "<f4")
        if not hasattr(self, "_matrix"):
            self._matrix = np.frombuffer(b"".join(self._vectors), "<f4").reshape(len(self._vectors), -1)
        products = self._matrix @ query
        at = int(products.argmax())
        away = math.sqrt(max(0.0, 2 - 2 * float(products[at])))
        shares = set(words(key)) & set(words(self._keys[at]))
        return at + 1, away, away < 0.76 or (away < 0.85 and bool(shares))


def rates(found: list[Asked]) -> tuple[float, float, float]:
    """Unknown questions answered, known ones answered rightly, known ones answered wrongly."""
    known = [one for one in found if one.own is not None]
    unknown = [one for one in found if one.own is None]
    return (
        share(sum(one.answer is not None for one in unknown), len(unknown)),
        share(sum(one.answer == one.own for one in known), len(known)),
        share(sum(one.answer not in (None, one.own) for one in known), len(known)),
    )


def _told(half: Half, size: int, found: list[Asked]) -> list[Row]:
    known = [one for one in found if one.own is not None]
    unknown = [one for one in found if one.own is None]
    false, right, wrong = rates(found)
    high = share(sum(one.level == "high" for one in unknown), len(unknown))
    text = share(sum(one.tier not in ("", "vector") for one in unknown), len(unknown))
    shown, plain = _shown(found), _bm25_shown(found)
    strict = share(sum(one.own in one.near for one in known), len(known))
    alone, seed_alike = _bm25_alone(found, false), _seed_alone(found, false)
    seed_false = share(sum(one.seed[2] for one in unknown), len(unknown))
    seed_right = share(sum(one.seed[2] and one.seed[0] == one.own for one in known), len(known))
    print(
        f"base of {size:,}: {len(known)} known and {len(unknown)} unknown questions\n"
        f"  unknown answered         {false:6.3f}   (high {high:.3f}, low {false - high:.3f};"
        f" by a text tier {text:.3f})\n"
        f"  known answered rightly   {right:6.3f}   (wrongly {wrong:.3f})\n"
        f"  seed's constants         {seed_right:6.3f}   at {seed_false:.3f} of the unknown answered;"
        f" {seed_alike:.3f} at our share\n"
        f"  bm25 alone               {alone:6.3f}   at the same share of the unknown answered\n"
        f"  own case among 3 shown   {shown:6.3f}   (from cosine 0.50 on only: {strict:.3f}); bm25 {plain:.3f}\n"
        f"{_margins(size, found)}"
    )
    rows = [
        Row(f"wordings, {half}, {size:,}: unknown answered", false, 0.05, "high and low", unit=""),
        Row(f"wordings, {half}, {size:,}: bm25 alone / ours, right", alone / max(right, 1e-9), 1.0, f"{right:.3f}"),
        Row(
            f"wordings, {half}, {size:,}: bm25 + 0.08 / recall@3",
            (plain + 0.08) / max(shown, 1e-9),
            1.0,
            f"{shown:.3f}",
        ),
    ]
    if size == 1_000:
        rows += [
            Row(f"wordings, {half}, 1,000: 0.19 / known answered rightly", 0.19 / max(right, 1e-9), 1.0),
            Row(f"wordings, {half}, 1,000: the seed's text and distance / ours", seed_alike / max(right, 1e-9), 1.0),
        ]
    return rows


def _margins(size: int, found: list[Asked]) -> str:
    """How far the promises lie above what they are measured against, each with its 95 % interval."""
    ours: dict[str, Callable[[list[Asked]], float]] = {
        "known answered rightly": lambda some: rates(some)[1],
        "… above bm25 alone": lambda some: rates(some)[1] - _bm25_alone(some, rates(some)[0]),
        "… above the seed's text and distance": lambda some: rates(some)[1] - _seed_alone(some, rates(some)[0]),
        "unknown answered": lambda some: rates(some)[0],
        "recall@3 of similar above bm25": lambda some: _shown(some) - _bm25_shown(some),
    }
    lines = [f"  {name:38}{told}" for name, told in intervals([(one.cause, one) for one in found], ours).items()]
    return "\n".join([f"  margins at {size:,}, 95 % intervals by cause:", *lines, ""])


def _bm25_alone(found: list[Asked], false: float) -> float:
    first = [(one.own, one.bm25[0] if one.bm25 else (0, 0.0)) for one in found]
    return at_equal([(own, case, score) for own, (case, score) in first], false)


def _seed_alone(found: list[Asked], false: float) -> float:
    return at_equal([(one.own, one.seed[0], -one.seed[1]) for one in found], false)


def _shown(found: list[Asked]) -> float:
    known = [one for one in found if one.own is not None]
    return share(sum(one.own in one.shown for one in known), len(known))


def _bm25_shown(found: list[Asked]) -> float:
    known = [one for one in found if one.own is not None]
    return share(sum(any(case == one.own for case, _ in one.bm25) for one in known), len(known))


def _near_strangers(half: Half, model: Remembered) -> list[Row]:
    """Pairs of one tool that look alike: the one is known, the other asked for."""
    pairs = [pair for pair in near(half) if hangul_share(pair.one) <= 0.5]
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(Path(folder) / "base.db", write=True, create=True) as store,
        _vectors(model) as vectors,
    ):
        ids = fill(store, (*(pair.one for pair in pairs), *strangers(1_000 - len(pairs), half=half)), model)
        answered = total = 0
        for pair, own in zip(pairs, ids, strict=False):
            if identify(pair.one).fingerprint == identify(pair.other).fingerprint:
                continue
            hit = search(store, pair.other, count=False, vectors=vectors).match
            total += 1
            answered += hit is not None and hit.id == own and hit.tier == "vector"
    print(f"near strangers: {answered} of {total} pairs of one tool are taken for each other by the vector tier\n")
    return [Row(f"wordings, {half}: near strangers taken for each other", share(answered, total), None, unit="")]


def curve(half: Half, model: Remembered, size: int = 1_000) -> str:
    """What asking for more or fewer points would do, in a base of `size`: a table, and bench/out/wordings.svg."""
    found: dict[float, list[Asked]] = {shift: [] for shift in SHIFTS}
    for base in _bases(size, half, model):
        for shift in SHIFTS:
            with _vectors(model) as vectors, patch.object(vector_tier, "NEEDED", vector_tier.NEEDED + shift):
                found[shift] += _ask_all(base, vectors, None)
    points = [(shift, *rates(several)) for shift, several in found.items()]
    (OUT / "wordings.svg").write_text(plot([one[:3] for one in points], size), encoding="utf-8")
    lines = ["points needed moved by   unknown answered   known rightly   known wrongly"]
    lines += [f"{one:+22.1f}   {false:16.3f}   {right:13.3f}   {wrong:13.3f}" for one, false, right, wrong in points]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    asked: tuple[Half, ...] = ("tuned",) if "--tuned" in sys.argv else NOT_TUNED_ON
    measure(quick="--quick" in sys.argv, halves=asked)
