"""The yardstick: plain bm25 over all fields of the rules and the whole tool call, as a word index would do it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence

from core.rules.format.rule import Rule
from core.rules.matching.call import ToolCall
from core.text import tokens

_K1, _B = 1.2, 0.75


class PlainBm25:
    """Never silent: whatever shares a word is ranked."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._docs = [Counter(tokens(_all(rule))) for rule in rules]
        self._lengths = [doc.total() for doc in self._docs]
        self._mean = sum(self._lengths) / max(1, len(self._docs)) or 1.0
        self._df = Counter(word for doc in self._docs for word in doc)

    def rank(self, call: ToolCall, limit: int = 5) -> list[int]:
        """The places of the best rules, the best first."""
        asked = set(tokens(f"{call.tool_name} {json.dumps(dict(call.tool_input), ensure_ascii=False)}"))
        size = len(self._docs)
        scores: list[tuple[float, int]] = []
        for at, doc in enumerate(self._docs):
            norm = _K1 * (1 - _B + _B * self._lengths[at] / self._mean)
            score = sum(
                math.log(1 + (size - self._df[word] + 0.5) / (self._df[word] + 0.5))
                * doc[word] * (_K1 + 1) / (doc[word] + norm)
                for word in asked
                if word in doc
            )  # fmt: skip
            if score > 0:
                scores.append((-score, at))
        return [at for _, at in sorted(scores)[:limit]]


def _all(rule: Rule) -> str:
    parts = (rule.id, rule.title, rule.problem, rule.root_cause, rule.solution, rule.prevention, rule.category)
    return "\n".join((*parts, rule.project, rule.notes, *rule.extra.values()))
