"""What an ellipsis may pass over, and what it may not, in English and Korean.

`ellipsis_cut.txt` and `ellipsis_kept.txt`: a text and a quote of it a line, `\\n` for a line's end.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.align import AlignSettings, Session, align_quote
from core.align.result import Aligned

DATA = Path(__file__).parents[3] / "data" / "align" / "meaning"


def lines(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def found(line: str) -> Aligned:
    source, quote = line.replace("\\n", "\n").split(" || ")
    text = f"Some notes.\n\n{source}\n\nNothing else was said today."
    return align_quote(Session([text]), 0, quote, AlignSettings())


@pytest.mark.parametrize("line", lines("ellipsis_cut.txt"))
def test_an_ellipsis_that_joins_two_statements_or_drops_a_limit_is_flagged(line: str) -> None:
    assert found(line).status == "flagged"


@pytest.mark.parametrize("line", lines("ellipsis_kept.txt"))
def test_an_ellipsis_over_an_aside_a_list_or_a_whole_sentence_is_aligned(line: str) -> None:
    assert found(line).status == "aligned"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("The red pool is idle and the blue pool is full of jobs. || The red pool is ... full of jobs.", "blue pool"),
        ("Drop it only after Ann has signed and close the issue. || Drop it ... and close the issue.", "only"),
        ("낮에는 꺼지고 밤에는 서버가 켜집니다. || 낮에는 … 켜집니다.", "밤에는"),
        ("I doubt that the pool (the blue one) is full. || the pool ... is full", "I doubt that"),
    ],
)
def test_the_reason_names_what_was_left_out(line: str, said: str) -> None:
    assert any(said in str(one) for one in found(line).concerns)
