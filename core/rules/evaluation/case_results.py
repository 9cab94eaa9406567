"""How each labelled call fares: what was expected, what is shown, and whether that is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from core.rules.evaluation.compare import Difference
from core.rules.evaluation.labelled import LabelledCall
from core.rules.matching.answer import RuleMatch
from core.rules.matching.call import ToolCall

Result = Literal["right", "beside", "part", "second", "missed", "wrong", "loud", "unwanted", "gone"]
"""`right`: an expected rule is first and all are shown, or silence where none is; `beside`: so it is, and a rule that
was said to be wrong is shown with it; `part`: one is first, and another is not shown; `second`: one is shown, but
not first; `missed`: nothing is shown; `wrong`: others are; `loud`: something is shown where nothing should be.
Where nothing is said but which rules are wrong: `unwanted`: one of these is shown; `gone`: none of them is."""
FINE = ("right", "gone")
"""The results that need no look."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One labelled call with what was shown for it, and how that compares; `ways`: how the ways of matching differ on
    it, if they do."""

    labelled: LabelledCall
    match: RuleMatch
    result: Result
    ways: Difference | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """The rules shown, in order, by the names that the label has for them."""
        return tuple(map(self.labelled.name_of, self.match.rules))

    @property
    def missed(self) -> tuple[str, ...]:
        """The expected rules that are not shown."""
        return self.labelled.missed(self.shown)


def case_results(
    calls: tuple[LabelledCall, ...], answer: Callable[[ToolCall], RuleMatch], differences: Iterable[Difference] = ()
) -> tuple[CaseResult, ...]:
    """Each call answered and judged; those that are not right first. Raises what `answer` raises."""
    ways = {one.call: one for one in differences}
    found = [_judged(one, answer(one.call), ways.get(at)) for at, one in enumerate(calls)]
    return tuple(sorted(found, key=lambda one: one.result in FINE))


def _judged(one: LabelledCall, match: RuleMatch, ways: Difference | None) -> CaseResult:
    shown = [one.name_of(rule) for rule in match.rules]
    result: Result
    if one.undecided:
        result = "unwanted" if set(shown) & set(one.unwanted) else "gone"
    elif not one.expected:
        result = "loud" if shown else "right"
    elif not shown:
        result = "missed"
    elif shown[0] in one.expected:
        result = "part" if one.missed(shown) else "beside" if set(shown) & set(one.unwanted) else "right"
    else:
        result = "second" if set(shown) & set(one.expected) else "wrong"
    return CaseResult(one, match, result, ways)
