"""What the tables of the Rules pane say of one labelled call."""

from __future__ import annotations

from core.rules.answer import RuleMatch
from core.rules.call import ToolCall
from core.rules.case_results import case_results
from core.rules.compare import Difference
from core.rules.labelled import LabelledCall
from tui.render.rules_tables import draw_case
from tui.render.signs import UNICODE

CALLS = tuple(LabelledCall(ToolCall("Bash", {"command": command}), ("ERR-001",)) for command in ("ls", "rm -rf /"))
SILENCE = RuleMatch((), (), (), True, 0.3, ())


def test_a_call_on_which_the_ways_differ_says_what_each_of_them_shows() -> None:
    ways = Difference(
        1, "Bash", "rm", ("ERR-001",), ("ERR-002", "ERR-001"), ("ERR-001",), None, (), ("keyword",), False
    )
    alike, differing = case_results(CALLS, lambda _: SILENCE, (ways,))
    assert "the ways differ" not in draw_case(alike, UNICODE).plain
    told = draw_case(differing, UNICODE).plain
    assert "✕ bm25      ERR-002, ERR-001\n✓ keyword   ERR-001\n✕ hybrid    silence" in told
    assert "semantic" not in told, "there was no model"
