"""A comparison with as much silence as is asked for: the least cut-off that gives it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.rules.evaluation.compare import above, silent_from
from core.rules.evaluation.labels import LabelledCall
from core.rules.matching.call import ToolCall

TOPS = st.lists(st.tuples(st.integers(0, 1000), st.booleans()), min_size=1, max_size=30)


@given(TOPS, st.floats(0.05, 1.0))
def test_the_cut_off_for_a_share_of_silence_gives_it_and_a_lower_one_does_not(
    tops: list[tuple[int, bool]], share: float
) -> None:
    calls = [LabelledCall(ToolCall("Bash"), () if negative else ("ERR-001",)) for _, negative in tops]
    found = [[("ERR-001", score / 1000)] for score, _ in tops]
    silent = [at for at, one in enumerate(calls) if not one.expected]
    cutoff = silent_from(calls, found, share)

    def quiet(line: float) -> float:
        return sum(not above(found[at], line) for at in silent)

    if not silent:
        assert cutoff == 0.0
        return
    assert quiet(cutoff) >= share * len(silent)
    assert quiet(cutoff - 0.0002) < share * len(silent)
