"""A case, its fix and a trace as text."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from core.base.trace import Step, facts
from core.errors.cases.case import Case, CaseKeyLine, CaseStatus
from core.errors.cases.resolutions import Resolution, Status
from core.errors.lessons import Do, Lesson, When
from core.errors.practice import Practice
from core.errors.retrieval.answer import Hit, Source
from tui.render.case import (
    Fix,
    Raw,
    draw_facts,
    draw_fix,
    draw_head,
    draw_lesson,
    draw_practice,
    draw_raw,
    draw_source,
    draw_steps,
    fix_of,
    fix_title,
    is_clipped,
    rows_before,
)
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.common.markdown import draw_fix_markdown
from tui.render.common.trace import draw_trace, draw_twig, folded_at_first, tree
from tui.render.common.untrusted import BLOCK, without_colours
from tui.render.curation import draw_from
from tui.render.history import draw_history

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
BY_HAND = Resolution(
    7, None, "uv add pyyaml", "verified", "Edit", ("Bash", "Edit"), "mina", Source("s-1", (4, 9)), None,
    "2026-03-01T00:00:00.000Z", current=True,
)  # fmt: skip
CASE = Case(
    id=3, ts="2026-03-01T00:00:00.000Z", error_normalized="ModuleNotFoundError: No module named <STR>",
    error_raw="Traceback\nModuleNotFoundError: No module named 'yaml'", resolution="uv add pyyaml", resolved_by="Edit",
    tool_sequence=("Bash", "Edit"), use_count=2, last_used=None, resolved=True, status="verified", tool="python",
    project="/home/mina/shop", first_seen="2026-02-01T00:00:00.000Z", last_seen="2026-03-14T08:00:00.000Z",
    occurrences=4, keys=("ModuleNotFoundError: No module named <STR>",),
    key_lines=("ModuleNotFoundError: No module named 'yaml'",),
    fingerprints=(CaseKeyLine("ab12cd", "ModuleNotFoundError: No module named 'yaml'", "python", 4),),
    resolutions=(BY_HAND,),
)  # fmt: skip
MATCH = Hit(
    3, "exact", "high", 0.95, None, CASE.error_normalized, "ModuleNotFoundError: No module named 'toml'",
    "uv add toml", "draft", "Bash", ("Bash",), 2, None, Source("s-2", (1,)), ("same normalized key",),
)  # fmt: skip
TRACE = (
    Step("fingerprint", "miss", "earliest occurrence", elapsed_ms=0.2),
    Step(
        "prefix", "hit", "same beginning", (("compared", 7), ("best", None), ("cap", "a long one")),
        (Step("overlap", "hit", "5 of 6"),),
    ),
)  # fmt: skip


def test_the_head_says_what_it_is_and_how_sure() -> None:
    text = draw_head(CASE, None, UNICODE, NOW).plain
    assert text.split("\n")[0] == "ModuleNotFoundError: No module named 'yaml'"
    for part in ("● verified", "seen 4×, 1h ago", "python", "used 2×"):
        assert part in text
    received = draw_head(replace(CASE, occurrences=0), None, UNICODE, NOW).plain
    assert "added 1h ago" in received and "seen" not in received


def test_a_match_says_how_it_matched_in_the_core_s_words() -> None:
    text = draw_head(CASE, MATCH, UNICODE, NOW).plain
    assert text.startswith("ModuleNotFoundError: No module named 'toml'")
    assert "≈ same kind, high 0.95" in text
    assert "same normalized key" in text


def test_a_browsed_case_never_looks_like_a_match() -> None:
    found = replace(MATCH, tier="text", score=0.0, accepted=False, reason="browsing", why=("has every word",))
    text = draw_head(CASE, found, UNICODE, NOW).plain
    assert "has every word" in text
    assert "0.00" not in text
    assert "high" not in text


def test_the_fix_of_a_match_is_the_one_the_search_answers_with() -> None:
    fix = fix_of(CASE, MATCH)
    assert fix is not None
    assert (fix.text, fix.status, fix.session, fix.messages) == ("uv add toml", "draft", "s-2", (1,))
    assert "unverified" in fix_title(fix, UNICODE).plain


def test_without_a_match_it_is_the_current_one_of_the_case() -> None:
    fix = fix_of(CASE, replace(MATCH, accepted=False))
    assert fix is not None
    assert (fix.text, fix.status, fix.session) == ("uv add pyyaml", "verified", "s-1")
    assert "● verified" in fix_title(fix, UNICODE).plain


def test_an_unresolved_case_says_so() -> None:
    assert fix_of(replace(CASE, resolution="  "), None) is None
    assert "No fix" in draw_fix(None, UNICODE).plain
    assert draw_fix(None, UNICODE, replace(CASE, resolution=None, resolutions=())).plain == "No fix yet."


def test_a_case_whose_fixes_do_not_answer_says_why() -> None:
    def told(status: CaseStatus, *fixes: Resolution) -> str:
        return draw_fix(None, UNICODE, replace(CASE, resolution=None, status=status, resolutions=fixes)).plain

    one = replace(CASE.resolutions[0], current=False, status="verified")
    down = replace(one, status="rejected")
    assert told("noise", one) == "Marked as noise. Its fix below is not used."
    assert told("noise", one, down) == "Marked as noise. Its fixes below are not used."
    assert told("noise") == "Marked as noise."
    assert told("rejected", down) == "Its only fix was rejected."
    assert told("rejected", down, down) == "All 2 of its fixes were rejected."
    assert told("unresolved", one, down) == "Its fixes were rejected or replaced."


def test_where_it_comes_from_names_session_messages_and_keys() -> None:
    text = draw_source(CASE, fix_of(CASE, None), UNICODE).plain
    for part in ("s-1", "messages 4, 9", "/home/mina/shop", "2026-02-01 00:00", "No module named <STR>", "ab12cd"):
        assert part in text
    alone = draw_source(CASE, fix_of(CASE, None), UNICODE, in_column=True).plain
    assert "No module named <STR>" in alone and "ab12cd" in alone
    assert not any(part in alone for part in ("s-1", "/home/mina/shop", "2026-02-01")), "the facts beside it say so"


def test_the_tools_are_steps_in_order() -> None:
    assert draw_steps(("Bash", "Edit", "Bash"), UNICODE).plain == "Bash → Edit → Bash"
    assert draw_steps(("Bash", "Edit"), ASCII).plain == "Bash -> Edit"


def test_history_tells_who_when_and_from_where_and_what_became_of_it() -> None:
    rejected = replace(
        BY_HAND, id=6, text="pip install yaml\n" + "x " * 100 + "then again", status="rejected", current=False
    )
    earlier = replace(
        BY_HAND, id=5, text="reboot", status="draft", author="harvest", current=False, source=Source(None)
    )
    text = draw_history((earlier, rejected, BY_HAND), UNICODE, NOW).plain
    lines = text.split("\n")
    assert lines[0].startswith(
        "● verified  ·  current  ·  by mina  ·  2026-03-01 00:00 (13d)  ·  session s-1 messages 4, 9"
    )
    assert lines[1].strip() == "uv add pyyaml"
    long = replace(BY_HAND, source=Source("f8b4c0bf-8e70-4eb5-9616-2ac20172de3d", (4,)))
    assert "session f8b4c0bf messages 4" in draw_history((long, rejected), UNICODE, NOW).plain
    assert lines[2].startswith("✕ rejected  ·  by mina")
    assert "then again" not in text
    assert "◐ draft  ·  earlier  ·  by harvest" in text
    whole = draw_history((BY_HAND, rejected), UNICODE, NOW, whole=True, width=60).plain
    assert "then again" in whole
    assert all(line.startswith("    ") for line in whole.split("\n") if "x x" in line), "below its own beginning"


def test_the_history_of_fixes_shows_no_markdown_marks() -> None:
    text = "**Changed** `app.py`\n\n```diff\n-    a = 1\n+    a = 2\n```\n\n**Why**: it was one"
    changed = replace(BY_HAND, id=6, text=text, current=False)
    short = draw_history((changed, BY_HAND), UNICODE, NOW).plain
    assert "Changed app.py" in short
    whole = draw_history((changed, BY_HAND), UNICODE, NOW, whole=True).plain
    assert [line for line in whole.split("\n") if "a = " in line] == ["      -    a = 1", "      +    a = 2"]
    for drawn in (short, whole):
        assert not any(mark in drawn for mark in ("diff", "```", "**", "`"))


def test_one_fix_that_answers_is_no_history() -> None:
    assert draw_history((BY_HAND,), UNICODE, NOW).plain == ""
    assert draw_history((replace(BY_HAND, current=False),), UNICODE, NOW).plain != ""


def test_the_key_line_is_lit_where_it_stands_in_the_raw_error() -> None:
    raw = "at 12:00\nerror: boom\nmore"
    drawn = draw_raw(Raw(raw, 9, 20), UNICODE)
    lit = [drawn.plain[span.start : span.end] for span in drawn.spans if "bold" in str(span.style)]
    assert lit == ["error: boom"]


def test_colors_of_a_program_are_not_shown_and_the_key_line_is_found_without_them() -> None:
    raw = "at\r\n\x1b[1m\x1b[31merror:\x1b[39m\x1b[0m boom\x1b[?25h\r\n\x1b]0;x\x07end"
    drawn = draw_raw(Raw(*without_colours(raw, raw.index("error"), raw.index("\x1b[?25h"))), UNICODE)
    assert drawn.plain == "at\nerror: boom\n␛]0;x␇end", "other sequences are still named"
    lit = [drawn.plain[span.start : span.end] for span in drawn.spans if "bold" in str(span.style)]
    assert lit == ["error: boom"]


def test_tabs_before_the_key_line_do_not_put_the_light_elsewhere() -> None:
    raw = "a\tb\n\t\terror:\tboom\nmore"
    drawn = draw_raw(Raw(raw, raw.index("error"), raw.index("\nmore")), UNICODE)
    lit = [drawn.plain[span.start : span.end] for span in drawn.spans if "bold" in str(span.style)]
    assert lit == ["error:  boom"]


def test_the_light_is_not_on_the_blanks_around_the_lines_of_a_key_line() -> None:
    raw = "A.java:3: error: no symbol\n        return x;\n               ^\n  symbol: x\n1 error"
    drawn = draw_raw(Raw(raw, raw.index("error"), raw.index("\n1 error")), UNICODE)
    lit = [drawn.plain[span.start : span.end] for span in drawn.spans if "underline" in str(span.style)]
    assert lit == ["error: no symbol", "return x;", "^", "symbol: x"]


def test_a_long_error_is_clipped_and_says_so() -> None:
    raw = Raw("x" * (BLOCK + 500))
    text = draw_raw(raw, UNICODE).plain
    assert is_clipped(raw)
    assert "500 more characters" in text
    assert not is_clipped(Raw("short"))


def test_a_key_line_far_into_a_long_error_is_still_shown() -> None:
    raw = "x\n" * BLOCK + "error: boom" + "\ny" * BLOCK
    at = raw.index("error")
    text = draw_raw(Raw(raw, at, at + 11), UNICODE).plain
    assert "error: boom" in text
    assert "lines before (a shows all)" in text


def test_a_long_log_begins_a_few_lines_above_the_key_line_and_names_the_key_of_its_screen() -> None:
    log = "".join(f"step {number}\n" for number in range(40)) + "error: boom\n"
    raw = Raw(log, log.index("error"), log.index("boom") + 4)
    lines = draw_raw(raw, UNICODE).plain.split("\n")
    assert lines[0] == "… 32 lines before (a shows all)"
    assert lines[1:] == [*(f"step {number}" for number in range(32, 40)), "error: boom"]
    assert is_clipped(raw) and rows_before(raw, BLOCK, 80) == 9
    assert draw_raw(raw, UNICODE, whole="triage.all").plain.startswith("… 32 lines before (v shows all)")
    assert draw_raw(raw, UNICODE, whole="").plain.startswith("… 32 lines before\n")


def test_a_short_output_begins_at_its_first_line() -> None:
    log = "".join(f"step {number}\n" for number in range(16)) + "error: boom\n"
    raw = Raw(log, log.index("error"), log.index("boom") + 4)
    assert draw_raw(raw, UNICODE).plain.startswith("step 0\n") and not is_clipped(raw)


def test_markdown_is_drawn_and_no_word_is_lost() -> None:
    drawn = draw_fix_markdown("# Fix\n\n- run `uv sync`\n```sh\nuv run x  # [/bold]\n```\n1. **done**")
    assert drawn.plain == "Fix\n\n- run uv sync\n  uv run x  # [/bold]\n1. done"
    tones = {drawn.plain[span.start : span.end]: str(span.style) for span in drawn.spans}
    assert "bold" in tones["Fix"]
    assert "bold" in tones["done"]
    assert tones["uv sync"] != tones["run "]


def test_marks_that_are_not_closed_stay_as_they_are() -> None:
    text = "a ` b ** c *d* [/e] #f"
    assert draw_fix_markdown(text).plain == text


def test_a_diff_shows_what_went_and_what_came() -> None:
    drawn = draw_fix_markdown("```diff\n- old\n+ new\n```\n- a bullet, no diff")
    tones = {drawn.plain[span.start : span.end].strip(): span.style for span in drawn.spans}
    assert tones["- old"] != tones["+ new"]
    assert tones["-"] not in (tones["- old"], tones["+ new"])


def test_a_trace_is_a_tree_with_reasons_and_facts_in_columns() -> None:
    lines = draw_trace(TRACE, UNICODE).plain.split("\n")
    assert lines[0] == "  · fingerprint  miss  0.2 ms"
    assert lines[1] == "    earliest occurrence"
    assert lines[2].startswith("▾ ✓ prefix  hit")
    assert lines[4:6] == ["    compared  7", "    cap       a long one"]
    assert not [line for line in lines if "None" in line]
    assert lines[6].startswith("└   ✓ overlap")


@pytest.mark.parametrize("width", [60, 38, 24, 12])
def test_what_a_step_says_goes_on_under_where_it_began(width: int) -> None:
    query = '"wait" OR "tests" OR "test" OR "wait tests"'
    long = Step("vector", "miss", "no embedding model is set up", (("match", query),))
    twig = tree((long,), UNICODE)[0]
    lines = draw_twig(twig, UNICODE, width=width).plain.split("\n")
    assert max(len(line.rstrip()) for line in lines[1:]) <= width
    assert all(line.startswith("    ") for line in lines[1:])
    words = " ".join(draw_twig(twig, UNICODE).plain.split())
    assert "".join("".join(lines).split()) == words.replace(" ", "")
    if width == 38:
        assert lines[-1].startswith(" " * len("    match  "))


def test_a_folded_step_keeps_its_reason_and_hides_what_is_below() -> None:
    twigs = tree(TRACE, UNICODE, frozenset({(1,)}))
    assert [twig.step.stage for twig in twigs] == ["fingerprint", "prefix"]
    text = draw_twig(twigs[1], UNICODE).plain
    assert text.startswith("▸ ")
    assert "same beginning" in text
    assert "compared" not in text
    assert folded_at_first(TRACE) == frozenset({(0,)})


def test_a_nested_step_that_found_nothing_begins_folded() -> None:
    below = (Step("weighed", "hit", "a.md#L1"), Step("weighed", "miss", "b.md#L1", facts(evidence=0.1)))
    trace = (Step("gate", "hit", "passed", steps=below),)
    folded = folded_at_first(trace)
    assert folded == frozenset({(0, 1)})
    assert "evidence" not in "".join(draw_twig(twig, UNICODE).plain for twig in tree(trace, UNICODE, folded))


def test_an_endless_trace_is_cut() -> None:
    many = tuple(Step("a", "miss", "no") for _ in range(5_000))
    assert draw_trace(many, UNICODE).plain.count("\n") < 2_000


def test_a_practice_is_shown_inert_with_what_it_counts() -> None:
    hostile = Practice("r", "shop", "rule", "ruff", "F401", 3, 2, "F401: suppressed\x1b]52;c;x\x07 in 3 of 3", ())
    text = draw_practice(hostile, UNICODE).plain
    assert "\x1b" not in text
    assert "3 findings in 2 sessions" in text
    assert draw_practice(None, UNICODE).plain == ""


def test_a_weak_fix_says_so_in_its_heading_and_why_below_it() -> None:
    weak = replace(BY_HAND, status="draft", author="harvest", strength="weak", weakness="weak fix: no step is linked")
    fix = fix_of(CASE, None, weak)
    named = fix_title(fix and replace(fix, resolved_by="Bash"), UNICODE, more="2 drafts").plain
    assert named == " Fix  ◐ draft  ·  unverified  ·  weak  ·  2 drafts  ·  fixed by Bash ", (
        "what may be cut comes last"
    )
    assert "Why weak: no step is linked." in draw_fix(fix, UNICODE).plain
    narrow = fix_title(fix and replace(fix, resolved_by="Bash"), UNICODE, more="12 drafts, X rejects all", width=60)
    assert narrow.plain == " Fix  ◐ draft  ·  weak  ·  12 drafts, X rejects all ", "whole facts are left out"


def test_the_card_repeats_no_error_and_breaks_code_like_a_diff() -> None:
    do = Do("hunk", "  keep = 1\n- old_name = compute(first, second)\n+ new_name = compute(first, second)", "a.py")
    lesson = Lesson(When("KeyError: 'a'", "python", "", "Linux"), do, (), "pytest", None, "project", ())
    drawn = (draw_lesson(lesson, 40), draw_lesson(lesson, 40, "KeyError: 'a'"))
    whole, short = ("\n".join(line.rstrip() for line in one.plain.split("\n")) for one in drawn)
    assert whole.startswith("When        KeyError: 'a' (python,\n            Linux)\n")
    assert short.startswith("When        python, Linux\n")
    assert "\n              keep = 1\n" in short
    assert "            - old_name = compute(first,\n              second)\n" in short


def test_skipped_stages_that_wrap_are_indented_under_the_first() -> None:
    stages = ("exact", "other lines", "prefix", "vector")
    (twig,) = tree(tuple(Step(stage, "skipped", "the fingerprint tier has answered") for stage in stages), UNICODE)
    assert draw_twig(twig, UNICODE, width=40).plain.split("\n")[:2] == [
        "  – exact, other lines, prefix, vector",
        "    skipped",
    ]


def test_an_item_of_a_list_that_does_not_fit_continues_below_its_own_text() -> None:
    drawn = draw_fix_markdown("**Linked**\n- the change is at the reported line\n2. `a`", 24, "│ ").plain
    assert [line.rstrip() for line in drawn.split("\n")] == [
        "Linked",
        "- the change is at the",
        "  reported line",
        "2. a",
    ]


def test_the_marks_of_a_quoted_reason_are_drawn_and_those_of_a_command_are_not() -> None:
    lesson = Lesson(When("boom"), Do("command", "echo `date`"), (), "", "**In** `a.go` it returns", "project", ())
    drawn = draw_lesson(lesson, 60).plain
    assert "In a.go it returns" in drawn
    assert "echo `date`" in drawn


def test_a_quotation_has_a_bar_before_each_row() -> None:
    drawn = draw_fix_markdown("Why:\n> the cause is `RATES`, which holds floats\n>> and so on", 24, "│ ").plain
    assert drawn == "Why:\n│ the cause is RATES,\n│ which holds floats\n│ │ and so on"
    assert draw_fix_markdown("> as written").plain == "> as written"


def test_the_facts_stand_a_line_each_and_then_not_in_the_head() -> None:
    told = draw_facts(CASE, fix_of(CASE, None), UNICODE, NOW).plain.split("\n")
    assert [line.split()[0] for line in told] == [
        "tool", "project", "seen", "last", "first", "used", "fix", "by", "session",
        "messages",
    ]  # fmt: skip
    assert "seen      4×" in told
    head = draw_head(CASE, None, UNICODE, NOW, in_column=True).plain
    assert "seen" not in head and "● verified" in head


def _by_harvest(number: int, text: str, status: Status = "draft") -> Resolution:
    lesson = Lesson(When("boom"), Do("command", text))
    return replace(
        BY_HAND, id=number, text=f"**Run** `{text}`\n\n**Checked** {number}", status=status, author="harvest",
        current=False, ts=f"2026-02-0{number}T00:00:00.000Z", source=Source(f"session-{number}", (number,)),
        lesson=lesson,
    )  # fmt: skip


def test_fixes_that_do_the_same_share_one_entry_of_the_history() -> None:
    fixes = (*(_by_harvest(number, "make clean") for number in (1, 2, 3)), _by_harvest(4, "make all"), BY_HAND)
    lines = draw_history(fixes, UNICODE, NOW).plain.split("\n")
    assert len(lines) == 6
    assert [line.strip() for line in lines[1::2]] == ["uv add pyyaml", "make all", "make clean"]
    assert lines[4].startswith("◐ draft ×3  ·  earlier  ·  by harvest  ·  2026-02-01 to 2026-02-03")
    assert lines[4].endswith("3 sessions")
    day = [replace(_by_harvest(1, "make clean"), id=number) for number in (1, 2)]
    once = draw_history((*day, BY_HAND), UNICODE, NOW).plain
    assert "by harvest  ·  2026-02-01 (" in once and " to " not in once
    assert draw_history(fixes, UNICODE, NOW, whole=True).plain.count("make clean") == 3


def test_the_history_does_not_repeat_the_fix_above_it() -> None:
    above = fix_of(CASE, None, BY_HAND)
    lines = draw_history((_by_harvest(4, "make all"), BY_HAND), UNICODE, NOW, chosen=above).plain.split("\n")
    assert lines[0].startswith("● verified") and lines[0].endswith("same as above")
    assert len(lines) == 3 and lines[2].strip() == "make all"


def test_a_rewritten_fix_is_by_its_writer_not_by_the_tool_of_the_draft() -> None:
    drawn = {
        fix: fix_title(fix_of(CASE, None, fix), ASCII).plain.rpartition("fixed by ")[2].strip()
        for fix in (
            BY_HAND, replace(BY_HAND, supersedes=5), replace(BY_HAND, supersedes=5, author="harvest"),
            replace(BY_HAND, supersedes=5, resolved_by="the CI team"),
        )
    }  # fmt: skip
    assert list(drawn.values()) == ["Edit", "mina", "Edit", "the CI team"]


def test_a_change_in_the_history_is_its_file_and_its_new_line() -> None:
    hunk = Do("hunk", "-    a = 1\n+    a = 2", file="app.py")
    changed = replace(_by_harvest(4, "x"), lesson=Lesson(When("boom"), hunk))
    assert "    app.py  + a = 2" in draw_history((changed, BY_HAND), UNICODE, NOW).plain.split("\n")


@pytest.mark.parametrize("width", [36, 46, 60, 90])
def test_the_facts_of_a_fix_break_at_a_dot_and_stay_indented(width: int) -> None:
    lines = draw_history((_by_harvest(4, "make all"), BY_HAND), UNICODE, NOW, width=width).plain.split("\n")
    assert all(cell_len(line) <= width for line in lines)
    assert all(line.startswith(("●", "◐", "    ")) for line in lines)
    assert not any(line.rstrip().endswith("·") or line.strip().startswith("·") for line in lines)


def test_the_message_that_explains_a_fix_is_a_row_of_its_card() -> None:
    lesson = Lesson(When("boom"), Do("command", "make clean"))
    text = "**Run** `make clean`\n\n**Why** (message 11)\n\n> the cache was\n> stale"
    fix = Fix(text, "draft", None, (), None, (), lesson=lesson)
    card = draw_fix(fix, UNICODE, None, 60).plain
    assert "Why         the cache was stale (message 11)" in card.split("\n")
    assert not draw_from(fix, UNICODE).plain, "a draft from several sessions has no source to open"


def test_a_key_that_breaks_goes_on_under_its_own_beginning() -> None:
    long = replace(CASE, keys=("No module named " + "very " * 12 + "long",))
    lines = draw_source(long, None, UNICODE, in_column=True, width=40).plain.split("\n")
    start = lines.index("key") + 1
    assert all(line.startswith("  ") and cell_len(line) <= 40 for line in lines[start : lines.index("fingerprint")])


def test_a_match_beside_the_facts_has_one_dot_before_it() -> None:
    head = draw_head(CASE, replace(MATCH, tier="text"), UNICODE, NOW, in_column=True).plain
    assert "verified  ·  matches your words" in head
