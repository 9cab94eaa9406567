"""How hits and documents are drawn: in their cells, whole words, the right ones lit, nothing foreign acting."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from core.library.documents.opened import OpenBlock, OpenDocument
from core.library.documents.rows import BlockKind, lines_of
from core.library.parse.markdown import parse_markdown
from core.library.search.inspect import DocSummary
from core.library.search.lexical import lexical_query, snippet
from tests.tui.corpus import assert_inert_text
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.common.markdown import runs
from tui.render.document import Paper, draw_doc_line, lay_out
from tui.render.hits import place, snippet_lines

DOCUMENT = DocSummary(
    "d", "a.md", "A", "en", (), "primary", "note", "notes", "markdown", None, None, 1, 1, "", "", "", "", ""
)
TEXTS = st.text(st.sampled_from("abc 한글漢 \t\n\x1b\u202e`*_[]()|#->~é👩‍👩‍👧‍👦"), max_size=300)


def opened(text: str) -> OpenDocument:
    lines = tuple(text.split("\n"))
    found = [(block.kind, lines_of((block.span,))) for block in parse_markdown(text).blocks]
    blocks = tuple(OpenBlock(cast("BlockKind", kind), *place) for kind, place in found if place is not None)
    return OpenDocument(DOCUMENT, "same", "", 1, lines, len(lines), len(lines), (2, 3), blocks)


@settings(max_examples=50, deadline=None)
@given(TEXTS, st.integers(4, 60), st.booleans())
def test_a_document_stays_in_its_cells_whatever_it_holds(text: str, cells: int, rendered: bool) -> None:
    paper = Paper(cells, lexical_query("abc 한글").terms, (2, 3), UNICODE)
    for line in lay_out(opened(text), 1, 1_000, paper, rendered=rendered):
        drawn = draw_doc_line(line, 0 if rendered else 3, UNICODE).plain
        assert_inert_text(drawn)
        if cells >= 30:  # what leads a line of a list takes some of them
            assert cell_len(line.body.plain) <= cells


MATTER = """---
title: A note of ours
tags: [database, runbook]
owner:
  name: mina
---

# Deploys
"""


def test_the_frontmatter_of_a_note_is_drawn_as_facts() -> None:
    lines = lay_out(opened(MATTER), 1, 99, Paper(60, (), None, UNICODE), rendered=True)
    drawn = [line.body.plain.rstrip() for line in lines]
    assert drawn[:4] == ["title  A note of ours", "tags   database, runbook", "owner", "       name: mina"]
    assert [line.number for line in lines][:4] == [2, 3, 4, 5] and "Deploys" in drawn[4:]
    assert not [text for text in drawn if "---" in text or "─" in text]
    raw = lay_out(opened(MATTER), 1, 99, Paper(60, (), None, UNICODE), rendered=False)
    assert raw[0].body.plain == "---", "as it is written it stays"


@pytest.mark.parametrize("text", ["---\n\nwords\n\n---\n", "---\ntitle: x\n\nno end\n", "a: b\n---\n", "---"])
def test_two_rules_are_no_frontmatter(text: str) -> None:
    lines = lay_out(opened(text), 1, 99, Paper(60, (), None, UNICODE), rendered=True)
    told = " ".join(line.body.plain for line in lines)
    assert all(word in told for word in text.replace("---", "").split())


@settings(max_examples=50, deadline=None)
@given(TEXTS, st.integers(1, 60), st.integers(1, 3))
def test_a_snippet_is_so_many_lines_and_no_wider_than_its_cells(text: str, cells: int, most: int) -> None:
    shown = snippet(text, lexical_query("abc 한글").terms, 120)
    lines = snippet_lines(shown.text, shown.matched, "", cells, most, UNICODE)
    assert len(lines) == most
    for line in lines:
        assert_inert_text(line.plain)
        assert cell_len(line.plain) <= max(2, cells)


def test_the_lit_words_of_a_snippet_are_the_matched_ones() -> None:
    text = "first line\n\n   the   night copy\truns, 야간백업은 밤에 돈다"
    shown = snippet(text, lexical_query("night 백업").terms)
    (line,) = snippet_lines(shown.text, shown.matched, "first line", 80, 1, UNICODE)
    lit = {line.plain[span.start : span.end] for span in line.spans if "accent" in str(span.style)}
    assert lit == {"night", "백업"}
    assert line.plain.startswith("the night copy runs"), "gaps are one blank, the heading is not said twice"


def test_a_snippet_of_a_table_has_its_words_and_none_of_its_lines() -> None:
    rows = (
        "Exit codes",
        "=" * 10,
        "",
        "+------+------+",
        "| code | the night |",
        "+======+======+",
        "| 3 | copy failed |",
    )
    text = "\n".join((*rows, "---"))
    shown = snippet(text, lexical_query("night failed").terms)
    (line,) = snippet_lines(shown.text, shown.matched, "", 80, 1, UNICODE)
    assert line.plain == "Exit codes | code | the night | | 3 | copy failed | ---"
    lit = {line.plain[span.start : span.end] for span in line.spans if "accent" in str(span.style)}
    assert lit == {"night", "failed"}
    (cut,) = snippet_lines("…-----+\n| total_files |", ((10, 21),), "", 80, 1, UNICODE)
    assert cut.plain == "… | total_files |", "the sign of a cut stays"


def test_a_long_path_keeps_its_end_and_its_lines() -> None:
    drawn = place("a/very/long/way/down/to/notes.md#L12-L40", 24, UNICODE).plain
    assert drawn.endswith("notes.md#L12-L40")
    assert cell_len(drawn) <= 24
    assert place("notes.md", 0, ASCII).plain == ""


def test_marks_are_drawn_and_no_word_is_lost() -> None:
    text = (
        "a **bold** `code` [link](https://x.example/a) *slant* snake_case_name 2 * 3 * 4 \\*not\\* ![alt](pic.png) <n>"
    )
    plain = "".join(run.text for run in runs(text, ""))
    assert plain == ("a bold code link (https://x.example/a) slant snake_case_name 2 * 3 * 4 *not* [alt] pic.png <n>")


def test_tags_of_html_are_not_drawn_and_placeholders_are() -> None:
    text = '## Install { #install .wide }\n\nPress <kbd>q</kbd>,<br>or <dfn title="e">quit</dfn> `casebook <x>` <name>.'

    def drawn(*, rendered: bool) -> str:
        lines = lay_out(opened(text), 1, 9, Paper(70, (), None, UNICODE), rendered=rendered)
        return "\n".join(line.body.plain for line in lines)

    assert drawn(rendered=True).split("\n") == ["Install", "", "Press q, or quit casebook <x> <name>."]
    assert "{ #install .wide }" in drawn(rendered=False)
    assert "<kbd>q</kbd>" in drawn(rendered=False)


def test_a_link_s_target_stands_in_parentheses_where_it_is_not_its_label() -> None:
    text = "right: [vectors.md](vectors.md), [`a.md`](./a.md), [here](cli.md#x), [top](#top)."
    drawn = runs(text, "")
    assert "".join(run.text for run in drawn) == "right: vectors.md, `a.md`, here (cli.md#x), top."
    assert all(
        text.startswith(run.text.lstrip(" "), run.at + (run.text[0] == " ")) for run in drawn if run.text != " ("
    )
    faint = "".join(run.text for run in drawn if run.tone == "$cb-faint")
    assert faint == " (cli.md#x)"


def test_a_table_is_drawn_in_columns_and_a_list_hangs() -> None:
    text = "# T\n\n| a | bb |\n| --- | --- |\n| 한글 | x |\n\n- one two three four\n  five\n- six\n\n"
    text += "> said\n\n```\ncode  here\n```\n"
    paper = Paper(14, (), None, UNICODE)
    drawn = [line.body.plain for line in lay_out(opened(text), 1, 99, paper, rendered=True)]
    assert drawn == [
        "T", "", "a    │ bb", "한글 │ x", "", "• one two ", "  three four ", "  five", "• six", "", "│ said", "",
        "  code  here", "",
    ]  # fmt: skip


def test_the_cells_of_a_wide_table_are_wrapped_in_their_columns() -> None:
    text = "| key | what it does |\n| --- | --- |\n| `` ` `` | Drops this commit and keeps the others |\n| b | x |\n"
    query = lexical_query("commit")
    assert query is not None
    paper = Paper(30, query.terms, (3, 3), UNICODE)
    lines = lay_out(opened(text), 1, 99, paper, rendered=True)
    assert [line.body.plain.rstrip() for line in lines] == [
        "key │ what it does", "`   │ Drops this commit and", "    │ keeps the others", "b   │ x", "",
    ]  # fmt: skip
    assert [(line.number, line.cited, line.is_match, line.head) for line in lines[1:4]] == [
        (3, True, True, True), (3, True, False, False), (4, False, False, True),
    ]  # fmt: skip
    many = "|".join(["long words"] * 9)
    raw = lay_out(opened(f"{many}\n{'|'.join(['---'] * 9)}\n{many}\n"), 1, 99, paper, rendered=True)
    assert raw[0].body.plain.startswith("long words|long"), "too many columns are not drawn side by side"


def test_each_line_knows_the_line_it_comes_from() -> None:
    text = "# T\n\none two\nthree four\nfive six\n"
    paper = Paper(9, (), (4, 4), UNICODE)
    found = [(line.number, line.cited) for line in lay_out(opened(text), 1, 99, paper, rendered=True)]
    numbers = [number for number, _ in found]
    assert numbers == sorted(numbers)
    assert numbers[:3] == [1, 2, 3]
    assert {number for number, cited in found if cited} <= {3, 4}, "a line that begins on one may hold the next"
    assert (4, True) in found


def drawn_of(text: str, cells: int, *, rendered: bool = True) -> list[str]:
    paper = Paper(cells, (), None, UNICODE)
    lines = lay_out(opened(text), 1, 99, paper, rendered=rendered)
    return [draw_doc_line(line, 0 if rendered else 3, UNICODE).plain.strip() for line in lines]


def test_a_comment_is_not_drawn_wherever_it_stands_and_the_text_around_it_is() -> None:
    text = "one\n\n<!-- keys -->\n\ntwo <!-- aside --> three\n\n<!-- long\n\n# inside\n--> tail\n\n`<!-- code -->` last"
    assert drawn_of(text, 40) == ["one", "", "two  three", "", "tail", "", "<!-- code --> last"]
    assert drawn_of("one\n\n<!-- a\nlong\none\n-->\n\ntwo", 40) == ["one", "", "two"]
    assert any("<!-- keys -->" in line for line in drawn_of(text, 40, rendered=False)), "as it is written it stands"


@pytest.mark.parametrize("cells", [60, 20])
def test_the_ruler_of_a_table_is_not_drawn_however_narrow_it_is(cells: int) -> None:
    table = "| key | what it does |\n| --- | :-: |\n| a | Goes to the search box |\n| --- | a row like it |"
    drawn = " ".join(drawn_of(table, cells))
    assert ":-:" not in drawn
    assert "search box" in drawn
    assert "---" in drawn, "what only looks like one is a row"
