"""What the rows and tables of the Rules pane say of one call."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from core.rules.calls import CallRow
from core.rules.evaluation.compare import Difference, Rate, SystemScore, case_results
from core.rules.evaluation.labels import LabelledCall
from core.rules.format.store import Usage
from core.rules.matching.api import MatchedRule, RuleMatch
from core.rules.matching.call import ToolCall
from tests.tui.support import NOW
from tui.render.common.glyphs import UNICODE
from tui.render.ranking import Ranked, RankRow, draw_call_row, draw_rank_head, draw_rank_row, no_rules
from tui.render.tables import Heading, draw_case, draw_case_row, draw_heading, draw_system, draw_system_row

CALLS = tuple(LabelledCall(ToolCall("Bash", {"command": command}), ("ERR-001",)) for command in ("ls", "rm -rf /"))
SILENCE = RuleMatch((), (), (), True, 0.3, ())


def test_a_call_on_which_the_ways_differ_says_what_each_of_them_shows() -> None:
    ways = Difference(
        1, "Bash", "rm", ("ERR-001",), ("ERR-002", "ERR-001"), ("ERR-001",), None, (), ("keyword",), False
    )
    alike, differing = case_results(CALLS, lambda _: SILENCE, (ways,))
    assert "Methods differ" not in draw_case(alike, UNICODE).plain
    told = draw_case(differing, UNICODE).plain
    assert "✕ bm25      ERR-002, ERR-001\n✓ keyword   ERR-001\n✕ hybrid    no rule" in told
    assert "semantic" not in told, "there was no model"


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("exec_command", "exec"), ("apply_patch", "patch"), ("Bash", "Bash"), ("mcp__github__create_issue", "creat…"),
        ("mcp__", "mcp__"), ("my__tool", "my__t…"),
    ],
)  # fmt: skip
def test_a_tool_is_named_shortly_and_leaves_the_room_to_the_call(tool: str, told: str) -> None:
    said = "go test ./internal/storage"
    drawn = draw_call_row(CallRow(1, tool, said, "2026-03-13T10:00:00.000Z", False, ""), 47, UNICODE, NOW).plain
    assert drawn.split()[0] == told
    assert said in drawn
    searched = CallRow(1, tool, said, "", False, "", (), ((0, 2),))
    assert draw_call_row(searched, 90, UNICODE, NOW).plain.split()[0].startswith(tool[:9]), "what was searched is seen"


@pytest.mark.parametrize(
    ("tool", "width"), [("WebFetch", 54), ("TodoWrite", 54), ("NotebookEdit", 66), ("KillShell", 54)]
)
def test_a_tool_is_named_in_full_where_there_is_room(tool: str, width: int) -> None:
    drawn = draw_call_row(CallRow(1, tool, "all of it", "2026-03-13T10:00:00.000Z", False, ""), width, UNICODE, NOW)
    assert drawn.plain.split()[0] == tool and drawn.cell_length == width
    (case,) = case_results((LabelledCall(ToolCall(tool, {}), ("ERR-001",)),), lambda _: SILENCE)
    assert tool in draw_case_row(case, 111, UNICODE).plain


def test_a_rule_that_applies_and_is_not_shown_is_marked() -> None:
    shown = MatchedRule("ERR-001", "Force push", 0.6, "keyword", None, 0.6, (), "use a lease")
    found = RuleMatch((shown,), (), (), True, 0.3, ())
    both = LabelledCall(CALLS[0].call, ("ERR-001", "ERR-029"))
    (case,) = case_results((both,), lambda _: found)
    assert "~ Bash     ERR-001, ~ERR-029 → ERR-001" in draw_case_row(case, 80, UNICODE).plain
    told = draw_case(case, UNICODE).plain
    assert "misses another rule" in told and "missed    ERR-029" in told
    rate = Rate(0.75, 2, 0.2, 0.9)
    assert "0.75   1.5 of 2" in draw_system(SystemScore("hybrid", 0.3, rate, rate, rate, 1.0, rate)).plain


@pytest.mark.parametrize("width", [60, 83, 84, 120])
def test_the_columns_of_the_comparison_are_named_once_over_their_values(width: int) -> None:
    rate = Rate(0.75, 2, 0.2, 0.9)
    names = draw_heading(Heading("methods", wrong=True), width, UNICODE).plain
    drawn = draw_system_row(SystemScore("hybrid", 0.3, rate, rate, rate, 1.0, rate), width, UNICODE).plain
    assert [names.index(name) for name in ("hit@1", "recall@5", "quiet")] == [
        at for at in range(width) if drawn.startswith("0.75", at)
    ][:3]
    assert names.index("shown") + 5 == drawn.index("1.0") + 3 and names.index("wrong") + 5 == drawn.rindex("0.75") + 4
    assert "hit@1" not in drawn and len(names) == len(drawn) == width


@pytest.mark.parametrize("width", [30, 45, 60, 69, 70, 71, 100, 200])
def test_the_heads_stand_above_their_columns(width: int) -> None:
    one = MatchedRule("ERR-001", "Title", 0.5, "hybrid", 0.5, 0.5, (), "")
    head = draw_rank_head(width, UNICODE).plain
    row = draw_rank_row(RankRow(one, "shown"), width, UNICODE).plain
    assert head.index("rule") == row.index("ERR-001")
    if "words" in head:
        bars = [at for at in range(1, len(row)) if row[at] == "━" and row[at - 1] == " "]
        assert [head.index("mean"), head.index("words")] == bars


def test_a_wide_row_names_the_file_of_the_rule_and_when_it_was_shown_last() -> None:
    one = MatchedRule("ERR-001", "Title", 0.5, "hybrid", 0.5, 0.5, (), "", path="/a/b/rules.md", line=7)
    used = Usage("/a/b/rules.md", "ERR-001", 1_204, 3, 1, "2026-03-12T09:00:00.000Z")
    now = datetime(2026, 3, 14, 9, tzinfo=UTC)
    head = draw_rank_head(140, UNICODE).plain
    for row in (RankRow(one, "shown", used=used), RankRow(one, "below")):
        drawn = draw_rank_row(row, 140, UNICODE, now).plain
        assert cell_len(drawn) == 140 and drawn.index("b/rules.md:7") == head.index("file")
        assert ("1,204×" in drawn and "2d" in drawn) is (row.used is not None)
        assert drawn[head.index("shown") : head.index("shown") + 5].strip(), "never shown is a sign, too"
    assert "rules.md" not in draw_rank_row(RankRow(one, "shown", used=used), 99, UNICODE, now).plain


def test_of_a_long_place_the_file_and_the_line_are_kept() -> None:
    path = "/srv/a-folder-with-quite-a-long-name/rules.md"
    one = MatchedRule("ERR-001", "Title", 0.5, "hybrid", 0.5, 0.5, (), "", path=path, line=7)
    drawn = draw_rank_row(RankRow(one, "shown"), 140, UNICODE).plain
    assert drawn.index("rules.md:7") == draw_rank_head(140, UNICODE).plain.index("file")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (("a.md",), "a.md was read."),
        (("a.md", "b.md"), "a.md, b.md were read."),
        (("a.md", "b.md", "c.md", "d.md"), "a.md, b.md, c.md and 1 more were read."),
    ],
)
def test_files_without_a_rule_are_named_in_a_sentence(files: tuple[str, ...], said: str) -> None:
    call = ToolCall("Bash", {"command": "ls"})
    ranked = Ranked(call, RuleMatch((), (), (), False, 0.3, ()), (), 0, (), None, instructions=files)
    assert no_rules(ranked).why.startswith(said)
