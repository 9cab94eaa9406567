"""Rows of figures say little in words."""

from __future__ import annotations

import pytest

from core.library.ask.features import figures

MEASURED = """errors, a base of 100 / 1,000: unknown ones answered | .7 / 2.2 % | 1.8 / 1.8 %
… own case among the three shown | 78.8 / 64.4 % | 82.7 / 69.9 %"""
SAID = """id | reads | from
all-MiniLM-L6-v2 | English | package index, 84 MB
multilingual-e5-large | 100 languages | hub"""


def test_a_table_of_measurements_is_figures() -> None:
    assert figures(MEASURED) == 1.0
    assert figures("질문 | 12 % | 3.5초\n답변 | 8 % | 1.2초") == 1.0


@pytest.mark.parametrize("text", [SAID, "It waits 30 seconds, then 60.", "cat a.log | wc -l", "a | b", "", " | \n"])
def test_what_is_said_in_words_is_not(text: str) -> None:
    assert figures(text) == 0.0


def test_a_table_beside_prose_counts_by_its_share() -> None:
    assert 0.2 < figures(f"{MEASURED}\n\n{'A sentence that says what was measured. ' * 6}") < 0.5
