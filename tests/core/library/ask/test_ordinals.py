"""A changed ordinal is a changed number: the sentence says otherwise than its source, in English and in Korean."""

from __future__ import annotations

import pytest

from core.library.ask.verdict import claims, contradicts, holds
from tests.core.library.ask.test_claims import passage, wrong

HOLD = "After the fifth failure the order is put on hold. It waits 9 minutes."
KOREAN = "다섯 번째 실패 뒤에 주문이 보류된다."


@pytest.mark.parametrize("word", ["first", "third", "fourth", "sixth", "ninth", "tenth", "twentieth", "hundredth"])
def test_a_changed_english_ordinal_says_otherwise(word: str) -> None:
    assert wrong(f"After the {word} failure the order is put on hold [1].", HOLD)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Orders are held once an eighth failure was seen [1].", HOLD),
        ("Ninth failure: the order is put on hold [1].", HOLD),
        ("The order is put on hold after the first failure [1].", "After the third failure the order is put on hold."),
        ("It is the twenty-second of them [1].", "It is the twenty-first of them."),
        ("After the ninth failure the order is put on hold [1].", "After the 5th failure the order is put on hold."),
        ("아홉 번째 실패 뒤에 주문이 보류된다 [1].", KOREAN),
        ("아홉번째 실패 뒤에 주문이 보류된다 [1].", KOREAN),
        ("첫 번째 실패 뒤에 주문이 보류된다 [1].", KOREAN),
        ("열두 번째 실패 뒤에 주문이 보류된다 [1].", "열한 번째 실패 뒤에 주문이 보류된다."),
        ("셋째 주 토요일에 시작한다 [1].", "축제는 둘째 주 토요일에 시작한다."),
        ("주문은 아홉 번째 실패 뒤에 보류된다 [1].", HOLD.partition(" It")[0]),
    ],
)
def test_an_ordinal_that_its_source_has_otherwise_is_refused_however_it_is_worded(said: str, text: str) -> None:
    assert wrong(said, text)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("After the fifth failure the order is put on hold [1].", HOLD),
        ("After the 5th failure the order is put on hold [1].", HOLD),
        ("The order is put on hold after the fifth failure [1].", "The order is put on hold after the 5th failure."),
        ("첫번째 실패 뒤에 주문이 보류된다 [1].", "첫째 실패 뒤에 주문이 보류된다."),
        ("5번째 실패 뒤에 주문이 보류된다 [1].", KOREAN),
        ("First, open the file and read its header [1].", "Open the file and read its header."),
        ("Fourth, open the file and read its header [1].", "Open the file and read its header."),
        ("Open the file and read its header [1].", "First, open the file and read its header."),
        ("At first the file is opened and its header read [1].", "The file is opened and its header read."),
        ("A fifth of the rows is read ahead, 20% of them [1].", "20% of the rows is read ahead."),
        ("The first phase ends in May [1].", "Phase 1 ends in May. The second phase ends in June."),
        (
            "On the first failure it is tried again, on the second failure it stops [1].",
            "On a failure it is tried again, on the second failure it stops.",
        ),
        ("Planning is on every second Wednesday [1].", "Planning is every second Wednesday at 14:00."),
        ("셋째, 파일을 열고 머리글을 읽는다 [1].", "파일을 열고 머리글을 읽는다."),
    ],
)
def test_the_same_ordinal_in_another_form_and_a_mere_adverb_say_nothing_else(said: str, text: str) -> None:
    (one,) = claims(said, [passage(text)])
    assert not contradicts(one)
    assert holds(one)


def test_a_changed_ordinal_is_told_once_in_both_words() -> None:
    (one,) = claims("After the ninth failure the order is put on hold [1].", [passage(HOLD.partition(" It")[0])])
    assert [(found.kind, found.answer, found.source) for found in one.concerns] == [("number", "ninth", "fifth")]
