"""Fit the weights and cut-offs of `core.library.ask.features.joined` from labelled questions, and print their worth.

    CASEBOOK_ASK_SETS=FILE:… CASEBOOK_ASK_CORPORA=FOLDER python -m bench.library.gate_weights MODEL …

The sets and corpora are those of `bench.library.ask_gate`. The weights are a logistic regression with an L2 penalty of
answerable questions against all others, on the questions of all models together. The cut-off of a model is the lowest
that refuses this share of its near questions. Each corpus is judged by weights and cut-offs fitted without it. The
weights that are printed last are fitted on all corpora.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bench.library.ask_gate import library, suites
from core.base.config.settings import EmbeddingSettings
from core.flows.ingest.search import model_search
from core.library.ask.features import Support, log_odds
from core.library.ask.gate import gate
from core.library.ask.question import read_question
from core.rules.matching.tables import load_tables
from core.store import open_store

REFUSED = (0.85, 0.86, 0.87, 0.88, 0.89)
"""Shares of the near questions that a cut-off refuses."""
CHOSEN = 0.87
PENALTY = 2.0
_ROUNDS = 30
_NAMES = {"paraphrase": "answerable", "korean": "answerable", "near": "near", "away": "far"}


class Asked(NamedTuple):
    """A labelled question as a model read it: answerable, near or far, and its support as three numbers.

    `signals` is None where words alone decide, and `passed` what they decided.
    """

    model: str
    corpus: str
    kind: str
    signals: tuple[float, float, float] | None
    passed: bool


class Fitted(NamedTuple):
    """Weights and the cut-off of each model."""

    weights: np.ndarray
    cut_offs: Mapping[str, float]

    def passes(self, one: Asked) -> bool:
        """Whether the gate lets it pass."""
        if one.signals is None:
            return one.passed
        return float(self.weights @ one.signals) >= self.cut_offs[one.model]


def read_all(model: str) -> Iterator[Asked]:
    """What the gate finds for each question of each set."""
    settings, glossary = EmbeddingSettings(model=model), load_tables().glossary
    for suite in suites():
        database, embedded = library(suite, embed=True, settings=settings)
        if not embedded:
            raise SystemExit(f"there is no model {model}")
        with open_store(database) as store, model_search(settings) as vectors:
            for one in suite.questions:
                found = gate(store.con, read_question(one.question, glossary), vectors, None, None, 0.3, glossary)
                yield Asked(model, suite.root.name, _NAMES[one.kind], _signals(found.support), found.passed)


def _signals(support: Support | None) -> tuple[float, float, float] | None:
    if support is None:
        return None
    return log_odds(support.read), log_odds(support.words), float(support.foreign)


def fit(asked: Sequence[Asked], refused: float) -> Fitted:
    """The weights that make the labels likeliest, by Newton's method on standardized signals, and the cut-offs.

    All to two digits, a cut-off just above the question that it refuses.
    """
    asked = [one for one in asked if one.signals is not None]
    rows = np.array([one.signals for one in asked])
    spread = rows.std(0) + 1e-9
    given = np.c_[(rows - rows.mean(0)) / spread, np.ones(len(rows))]
    true = np.array([float(one.kind == "answerable") for one in asked])
    ridge = np.diag([PENALTY, PENALTY, PENALTY, 1e-6])
    weights = np.zeros(4)
    for _ in range(_ROUNDS):
        said = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (said - true) + ridge @ weights
        curve = (given * (said * (1 - said))[:, None]).T @ given + ridge
        weights -= np.linalg.solve(curve, slope)
    found = (weights[:3] / spread).round(2)
    cut_offs: dict[str, float] = {}
    for model in {one.model for one in asked}:
        near = sorted(float(found @ one.signals) for one in asked if one.model == model and one.kind == "near")
        cut_offs[model] = math.floor(near[math.ceil(refused * len(near)) - 1] * 100 + 1) / 100
    return Fitted(found, cut_offs)


def _right(asked: Sequence[Asked], passes: Mapping[Asked, bool]) -> str:
    cells: list[str] = []
    for kind in ("answerable", "near", "far"):
        ours = [one for one in asked if one.kind == kind]
        cells.append(f"{kind} {sum(passes[one] == (kind == 'answerable') for one in ours)} of {len(ours)}")
    return ", ".join(cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    models = parser.parse_args().models
    asked = [one for model in models for one in read_all(model)]
    corpora = sorted({one.corpus for one in asked})
    for refused in REFUSED:
        without = {name: fit([one for one in asked if one.corpus != name], refused) for name in corpora}
        passes = {one: without[one.corpus].passes(one) for one in asked}
        for model in models:
            ours = [one for one in asked if one.model == model]
            print(f"corpora not fitted, {refused} of the near refused, {model}: {_right(ours, passes)}")
    fitted = fit(asked, CHOSEN)
    print(f"_JOINED: Final = ({', '.join(f'{one:.2f}' for one in fitted.weights)})")
    print(f"_CUT_OFFS: Final = { ({model: fitted.cut_offs[model] for model in models}) }")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
