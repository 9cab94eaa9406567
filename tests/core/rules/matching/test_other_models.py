"""Another model's cosines are told on the scale of the cut-offs; one that nobody has measured is not asked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.embedding import Kind, Vector, pack
from core.embedding.models.catalogue import CATALOGUE, MINILM, Model, Thresholds
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.rules.format.book import book_of
from core.rules.format.parse import parse_text
from core.rules.format.rule import rule_text
from core.rules.matching.api import RuleMatch, match
from core.rules.matching.call import ToolCall
from core.rules.matching.semantic import RememberedSemantic

_NARROW = Thresholds(high=0.92, high_rise=0.02, low=0.91, low_rise=0.005, similar=0.88)
"""As of a model whose strangers have cosines of 0.8."""


class _Near:
    """Whatever is asked lies at `cosine` from every rule."""

    def __init__(self, model: Model, cosine: float) -> None:
        self.id, self.version, self.recipe, self.dim = model.id, model.version, model.recipe, model.dim
        self._cosine = cosine

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        first = self._cosine if kind == "query" else 1.0
        return [(pack([first, (1 - first * first) ** 0.5, *[0.0] * (self.dim - 2)]),) for _ in texts]

    def close(self) -> None:
        """It holds nothing."""


def _matched(cosine: float, thresholds: Thresholds | None) -> RuleMatch:
    book = book_of(parse_text("### ERR-001: Force push\n**Problem**: Nobody force pushes to main\n").rules)
    model = CATALOGUE[MINILM]._replace(id="narrow", version="1", thresholds=thresholds)
    near = _Near(model, cosine)
    tier = RememberedSemantic(VectorSearch(lambda: ModelAtHand(model, lambda: near)), book=book)
    tier.texts = tuple(rule_text(rule) for rule in book.rules)
    tier.known = dict(zip(tier.texts, near.embed(tier.texts, "document"), strict=True))
    return match(book, ToolCall("Bash", {"command": "zebra quagga okapi"}), tier)


@pytest.mark.parametrize(("cosine", "said"), [(0.92, 0.70), (0.89, 0.55), (0.80, 0.10), (0.70, 0.0)])
def test_a_cosine_is_told_as_minilm_would_say_it(cosine: float, said: float) -> None:
    found = _matched(cosine, _NARROW)
    (rule,) = (*found.rules, *found.below)
    assert rule.similarity == pytest.approx(said, abs=1e-3)
    assert bool(found.rules) == (said > 0.5)
    step = next(one for one in found.trace if one.stage == "semantic")
    assert step.fact("best") == pytest.approx(said, abs=1e-3)
    assert step.fact("cosine") == pytest.approx(cosine, abs=1e-3)


def test_minilms_own_stays_what_it_is() -> None:
    found = _matched(0.37, CATALOGUE[MINILM].thresholds)
    assert found.trace[2].fact("best") == pytest.approx(0.37, abs=1e-4)
    assert "cosine" not in dict(found.trace[2].facts)


def test_a_model_that_nobody_has_measured_leaves_it_to_the_words() -> None:
    found = _matched(0.99, None)
    assert (found.rules, found.fallback_used) == ((), True)
    step = next(one for one in found.trace if one.stage == "semantic")
    assert (step.outcome, step.reason) == ("skipped", "narrow is not calibrated: using keywords only")
