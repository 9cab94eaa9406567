"""A clause cut out of its frame is asked about, in English and Korean; out of a frame that asserts it is not.

`frames_cut.txt` and `frames_kept.txt`: a sentence a line, with the clause that is quoted between two bars.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.align import AlignSettings, Session, align_quote

DATA = Path(__file__).parents[3] / "data" / "align" / "meaning"
SETTINGS = AlignSettings()


def lines(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def status(line: str, ahead: str = "", behind: str = "") -> str:
    before, quote, after = line.split("|")
    text = f"{ahead}{before}{quote}{after}{behind}"
    return align_quote(Session([text]), 0, quote, SETTINGS).status


@pytest.mark.parametrize("line", lines("frames_cut.txt"))
def test_a_clause_cut_out_of_what_takes_it_back_is_flagged(line: str) -> None:
    assert status(line) == status(line, "Some notes first. ", " Nothing else was said today.") == "flagged"


@pytest.mark.parametrize("line", lines("frames_kept.txt"))
def test_a_clause_cut_out_of_what_asserts_it_is_aligned(line: str) -> None:
    assert status(line) == status(line, "Some notes first. ", " Nothing else was said today.") == "aligned"


@pytest.mark.parametrize(
    ("text", "quote", "said"),
    [
        ("I doubt that the fix is in the build.", "the fix is in the build", "cut out of a doubt: “I doubt that”"),
        ("If Ann agrees, the job moves.", "the job moves", "cut out of a condition: “If Ann agrees”"),
        ("The job moves. That is not true.", "The job moves.", "taken back: “That is not true.”"),
        ("큐가 비었다는 소문이 있다.", "큐가 비었다", "cut out of a report: “는 소문이 있다”"),
    ],
)
def test_the_reason_names_the_frame_and_the_match_stays_exact(text: str, quote: str, said: str) -> None:
    found = align_quote(Session([text]), 0, quote, SETTINGS)
    assert (found.status, found.method, found.confidence) == ("flagged", "exact", 1.0)
    assert said in [str(one) for one in found.concerns]


def test_a_capital_letter_decides_nothing() -> None:
    for before in ("I doubt that ", "We confirmed that ", "Some of ", "Because "):
        text = f"{before}the nodes of the ring were patched in May."
        plain, capital = (
            align_quote(Session([text]), 0, f"{first}he nodes of the ring were patched in May.", SETTINGS).status
            for first in "tT"
        )
        assert plain == capital, before


def test_a_frame_of_another_sentence_or_list_item_says_nothing() -> None:
    text = "- I doubt that the old pool is used\n- the new pool has 12 workers\n- if it breaks, call Ann"
    assert align_quote(Session([text]), 0, "the new pool has 12 workers", SETTINGS).status == "aligned"
    code = "```\nif ready:\n    return the_first_of(rows)\n```"
    assert align_quote(Session([code]), 0, "return the_first_of(rows)", SETTINGS).status == "aligned"
