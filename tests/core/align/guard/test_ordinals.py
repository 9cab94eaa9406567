"""Ordinals in words are numbers to the guard: a changed one is flagged as one, the same in another form is the same."""

from __future__ import annotations

import pytest

from core.align import AlignSettings, Session, align_quote
from core.align.guard.word_forms import ORDINALS
from core.align.result import Aligned


def aligned(source: str, quote: str) -> Aligned:
    return align_quote(Session([f"Notes of it. {source} That is all."]), 0, quote, AlignSettings())


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("After the fifth failure the order waits.", "After the ninth failure the order waits."),
        ("After the third failure the order waits.", "After the first failure the order waits."),
        ("After the thirtieth failure the order waits.", "After the fortieth failure the order waits."),
        ("축제는 둘째 주 토요일에 시작한다고 한다.", "축제는 셋째 주 토요일에 시작한다고 한다."),
        ("주문은 다섯번째 실패 뒤에 보류된다.", "주문은 아홉번째 실패 뒤에 보류된다."),
        ("주문은 다섯 번째 실패 뒤에 보류된다.", "주문은 아홉 번째 실패 뒤에 보류된다."),
    ],
)
def test_a_changed_ordinal_is_a_changed_number(source: str, quote: str) -> None:
    found = aligned(source, quote)
    assert found.status == "flagged"
    assert [concern.kind for concern in found.concerns] == ["number"]


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("The gate waits for seventy requests at once.", "The gate waits for seventh requests at once."),
        (
            "The gateway of the shop restarts the worker behind the fifth request that was refused by the server.",
            "The gatewya of the shop restarts the wroker behind the ninth requset that was refused by the server.",
        ),
    ],
)
def test_an_ordinal_is_no_slip_of_the_keys(source: str, quote: str) -> None:
    assert aligned(source, quote).status == "flagged"


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("After the fifth failure the order waits.", "After the 5th failure the order waits."),
        ("After the 5th failure the order waits.", "After the fifth failure the order waits."),
        ("After the fifth failure the order waits.", "After the fiifth failure the order waits."),
        ("주문은 다섯 번째 실패 뒤에 보류된다.", "주문은 5번째 실패 뒤에 보류된다."),
        ("주문은 다섯째 실패 뒤에 보류된다.", "주문은 다섯번째 실패 뒤에 보류된다."),
    ],
)
def test_the_same_one_in_another_form_says_the_same(source: str, quote: str) -> None:
    assert aligned(source, quote).concerns == ()


def test_each_is_known_with_its_number() -> None:
    known = {"fifth": "5", "twelfth": "12", "nineteenth": "19", "twentieth": "20", "ninetieth": "90"}
    more = {"hundredth": "100", "첫째": "1", "두번째": "2", "열한째": "11", "스무번째": "20"}
    assert {word: ORDINALS.get(word) for word in known | more} == known | more
