"""A document in the list: its title first, then what is known of it, as far as there is room."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from core.library.search.inspect import DocSummary
from tests.tui.corpus import assert_inert_text
from tests.tui.render.test_library import DOCUMENT
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.hits import draw_document, draw_size, headings

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
KOREAN = replace(
    DOCUMENT, title="흔들리는 테스트를 고치는 법", media_type="markdown", chunk_count=5, tags=("conventions", "tests")
)


def second(doc: DocSummary, width: int) -> str:
    return draw_document(doc, width, 2, UNICODE, NOW, chosen=False).plain.split("\n")[1].rstrip()


@pytest.mark.parametrize(
    ("width", "told"),
    [
        (90, "    흔들리는 테스트를 고치는 법  · markdown  · 5 passages  · #conventions  · #tests"),
        (80, "    흔들리는 테스트를 고치는 법  · markdown  · 5 passages  · #conventions …"),
        (70, "    흔들리는 테스트를 고치는 법  · markdown  · 5 passages  · #conven…"),
        (46, "    흔들리는 테스트를 고치는 법  · markdown …"),
        (34, "    흔들리는 테스트를 고치는 법"),
        (24, "    흔들리는 테스트를 …"),
    ],
)
def test_the_title_goes_before_what_is_known_of_the_document(width: int, told: str) -> None:
    assert second(KOREAN, width) == told


def test_a_document_without_a_title_of_its_own_tells_the_rest_from_the_start() -> None:
    assert second(replace(KOREAN, title="a.md", chunk_count=1), 40) == "    markdown  · 1 passage  · #conventi…"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=30), st.integers(1, 100))
def test_no_line_of_a_document_is_wider_than_its_place(title: str, tag: str, width: int) -> None:
    for signs in (UNICODE, ASCII):
        drawn = draw_document(replace(KOREAN, title=title, tags=(tag, tag)), width, 2, signs, NOW, chosen=True)
        assert_inert_text(drawn.plain)
        assert max(cell_len(line) for line in drawn.plain.split("\n")) <= max(5, width)


def test_what_the_list_counts_already_is_not_told_again() -> None:
    assert draw_size(5, 27, 0, UNICODE, listed=5) == "27 passages"
    assert draw_size(5, 27, 3, UNICODE, listed=2) == "5 documents · 27 passages · 3 not embedded"
    assert draw_size(1, 1, 0, UNICODE) == "1 document · 1 passage"


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        (60, "Removing > By a policy > Keep"),
        (25, "… > By a policy > Keep"),
        (20, "… > Keep"),
        (5, "Keep"),
        (3, "Ke…"),
        (0, ""),
    ],
)
def test_the_headings_nearest_to_a_passage_are_kept(cells: int, shown: str) -> None:
    assert headings(("Removing", "By a policy", "Keep"), cells, UNICODE) == shown
