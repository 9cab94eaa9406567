"""What the text of a fix says beyond its card."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors.lessons import Do, Lesson, When, beyond_card

COMMAND = Lesson(
    When("unknown flag: --stat", "gh"),
    Do("command", "gh pr diff --name-only", instead_of="gh pr diff --stat"),
    ("gh pr diff --summary",),
    "gh pr diff --name-only",
    "gh has no --stat.",
)
EDIT = replace(COMMAND, do=Do("hunk", "  def f(a):\n- return a\n+ return a.b", "till.py"), check="pytest -q")
RUN = "**Run** `gh pr diff --name-only`\n\n**instead of** `gh pr diff --stat`"
TRIED = "**Did not help**\n\n- `gh pr diff --summary`"
WHY = "**Why** (message 7)\n\n> gh has no --stat."
CHECKED = "**Checked**: `gh pr diff --name-only` no longer shows the error (message 9)."


def test_what_the_card_says_is_left_out() -> None:
    assert beyond_card("\n\n".join((RUN, TRIED, WHY, CHECKED)), COMMAND) == ""


def test_an_edit_of_the_card_is_left_out_and_another_file_is_not() -> None:
    first = "**Change** `till.py`\n\n```diff\n  def f(a):\n- return a\n+ return a.b\n```"
    other = "**Change** `shop.py`\n\n```diff\n- x = 1\n+ x = 2\n```"
    checked = "**Checked**: `pytest -q` no longer shows the error (message 3)."
    assert beyond_card("\n\n".join((first, other, checked)), EDIT) == other


def test_a_hunk_of_the_card_is_left_out_of_several() -> None:
    first = "```diff\n  class A:\n  def f(a):\n- return a\n+ return a.b\n```"
    second = "```diff\n- import c\n+ import b\n```"
    changed = "**Change** `till.py`"
    for hunks in ((first, second), (second, first)):
        assert beyond_card("\n\n".join((changed, *hunks)), EDIT) == f"{changed}\n\n{second}"


def test_a_section_keeps_the_lines_that_are_new() -> None:
    tried = "**Did not help**\n\n- `gh pr diff --summary`\n- `gh pr view`"
    assert beyond_card(tried, COMMAND) == "**Did not help**\n\n- `gh pr view`"
    linked = "**Linked**\n\n- `--stat`, which the error names, is left out"
    assert beyond_card(f"{RUN}\n\n{linked}", COMMAND) == linked


def test_the_link_is_left_out_if_it_is_the_reason_on_the_card() -> None:
    lesson = replace(COMMAND, because="`find` replaces `rg`, which is missing")
    assert beyond_card(f"{RUN}\n\n**Linked**\n\n- {lesson.because}", lesson) == ""


def test_a_longer_sentence_stays() -> None:
    why = "**Why** (message 7)\n\n> gh has no --stat. It was renamed in 2.4."
    assert beyond_card(f"{RUN}\n\n{why}", COMMAND) == why


@pytest.mark.parametrize("text", ["Use `--name-only`.", "Ask Ann.\n\nThen run it.", "**Note** ask Ann first"])
def test_a_text_in_own_words_stays_whole(text: str) -> None:
    assert beyond_card(text, COMMAND) == text


def test_a_cut_command_is_known_by_its_beginning() -> None:
    long = replace(COMMAND, check=f"pytest {'tests/a.py ' * 35}-q")
    cut = f"**Checked**: `{long.check[:299]}…` no longer shows the error (message 9)."
    assert beyond_card(cut, long) == ""


def test_a_command_with_back_ticks_is_read_whole() -> None:
    ticks = replace(COMMAND, check="echo `date`")
    assert beyond_card("**Checked**: `` echo `date` `` no longer shows the error (message 9).", ticks) == ""


@given(st.text(alphabet="*`->+ \nab…d", max_size=200))
def test_no_line_is_made_up(text: str) -> None:
    assert set(beyond_card(text, COMMAND).split("\n")) <= {*text.split("\n"), ""}
