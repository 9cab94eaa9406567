"""Cited sentences beside their passages: what says another number, day, unit or name is caught however it is worded."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.flows.ask.verify import settle
from core.library.ask.negation import denied
from core.library.ask.verdict import claims, contradicts, has_number, holds, other_measure, strange_figures
from core.library.search.rows import Passage

BACKUP = (
    "Daily snapshots are kept for 14 days, weekly ones for 8 weeks. A restore was last rehearsed on 2026-03-02 and "
    "took 47 minutes.\n\nThe service is done by Mr Havel in October and costs about 180 euros. Below 1 bar it locks."
)
MEETING = "Planning is every second Wednesday at 14:00. 월세는 280만 원이다. 배추 세 포기에 소금 1,200 g을 뿌린다."
OFFICE = "백업 파일은 외부로 내보내지 않는다.\n\n손님은 회의실까지 혼자 들어갈 수 있다. 음식물은 반입할 수 없다."
DISK = (
    "Snapshots are not encrypted; the off-site disk is, with LUKS.\n\nNever give her paracetamol.\n\n"
    "The vet is Dr. Okafor; the next vaccination is due."
)
LEAVE = "연차는 입사 첫해에 15일이며, 다음 해로 최대 5일까지 이월할 수 있다. 휴가는 최소 7일 전에 신청한다."


def passage(text: str, at: int = 1) -> Passage:
    spans = '[{"kind":"line","start":1,"end":9}]'
    return Passage(at, f"chunk{at}", "doc", text, json.dumps(("Notes",)), "Notes", spans, "v", 1, 9,
                   f"n{at}.md", "Notes", "2026-01-01T00:00:00Z", None, None)  # fmt: skip


def wrong(said: str, *texts: str, question: str = "") -> bool:
    """Whether the one cited sentence says otherwise than its source, and is not held."""
    (one,) = claims(said, [passage(text, at) for at, text in enumerate(texts, 1)], question=question)
    return contradicts(one) and not holds(one)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The daily ones stay for 41 days [1].", BACKUP),
        ("Mr Havel does it in October for 810 euros [1].", BACKUP),
        ('The daily ones "are kept for" 41 days [1].', BACKUP),
        ("복구 훈련은 2026년 3월 5일에 했고 47분 걸렸다 [1].", BACKUP),
        ("Daily snapshots are kept for 14 weeks [1].", BACKUP),
        ("The service is done by Mr Havel in November and costs about 180 euros [1].", BACKUP),
        ("The service is done by Mr Havel in October and costs about 180 dollars [1].", BACKUP),
        ("The service is done by Mr Novak in October and costs about 180 euros [1].", BACKUP),
        ("Planning is every second Monday at 14:00 [1].", MEETING),
        ("Planning takes place every second Wednesday at 4 p.m. [1].", MEETING),
        ("월세는 2,900,000원이다 [1].", MEETING),
        ("백업 파일은 외부로 내보낸다 [1].", OFFICE),
        ("Snapshots are encrypted with LUKS [1].", DISK),
        ("연차는 다음 해로 최대 7일까지 이월할 수 있다 [1].", LEAVE),
        ("The vet is Dr. Smith [1].", DISK),
        ("She can be given paracetamol [1].", DISK),
        ("서버실에는 음식물을 반입할 수 있다 [1].", OFFICE),
    ],
)
def test_another_number_day_unit_name_or_a_lost_denial_is_no_answer(said: str, text: str) -> None:
    assert wrong(said, text)


POOL = "The pool holds at most 20 connections. A client waits 200 ms, then makes up to five retries."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Above 1 bar it locks [1].", BACKUP),
        ("The pool holds at least 20 connections [1].", POOL),
        ("The pool holds more than 20 connections [1].", POOL),
        ("At least 5 retries are made [1].", POOL),
        ("There are no fewer than five retries [1].", POOL),
        ("연차는 최소 5일 이월할 수 있다 [1].", LEAVE),
        ("휴가는 7일 이내에 신청한다 [1].", LEAVE),
    ],
)
def test_an_answer_with_a_bound_that_goes_the_other_way_is_not_verified(said: str, text: str) -> None:
    assert not settle(said, [passage(text)], broken=False).grounded


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("The daily ones stay for fourteen days, which is 14 [1].", BACKUP),
        ("It took 47 minutes when it was last rehearsed, on 2 March 2026 [1].", BACKUP),
        ("1) Daily snapshots are kept for 14 days [1].", BACKUP),
        ("Planning takes place every 2nd Wednesday at 2 p.m. [1].", MEETING),
        ("월세는 2,800,000원이다 [1].", MEETING),
        ("배추 3포기에 소금 1200 g을 뿌린다 [1].", MEETING),
        ("손님은 혼자 회의실까지 들어갈 수 있다 [1].", OFFICE),
        ("The off-site disk is encrypted with LUKS [1].", DISK),
        ("연차는 다음 해로 최대 5일까지 이월할 수 있다 [1].", LEAVE),
        ("The vet is Dr. Okafor [1].", DISK),
        ("Paracetamol must never be given to her [1].", DISK),
    ],
)
def test_the_same_in_other_words_or_another_form_is_let_be(said: str, text: str) -> None:
    assert not wrong(said, text)


def test_a_number_may_stand_in_any_cited_passage_or_in_the_question() -> None:
    both = "Daily ones stay 14 days, and the pump runs 33 minutes [1][2]."
    assert not wrong(both, BACKUP, "The pump runs for 33 minutes.")
    assert wrong(both, BACKUP, "The pump runs for 35 minutes.")
    said = "Instead of 60, daily snapshots are kept for 14 days [1]."
    assert not wrong(said, BACKUP, question="Are they kept for 60 days?")
    assert wrong(said, BACKUP)


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("12 months", "a year"), ("half past 3", "at 3:30"), ("15 minutes", "a quarter of an hour"), ("3 Feb", "02/03"),
        ("10일", "열흘"), ("3,000 km", "3000 km"), ("2.0", "version 2"), ("2.8 million", "280만"), ("16시", "4 p.m."),
        ("1 year", "a year"), ("09:00", "9 o'clock"), ("4번", "네 번"),
    ],
)  # fmt: skip
def test_a_number_is_the_same_in_every_form(said: str, source: str) -> None:
    assert strange_figures(said, [source]) == ()


def test_other_numbers_are_others() -> None:
    assert strange_figures("41 days, then 8", ["14 days", "8 weeks"]) == ("41",)
    assert strange_figures("version 3.1", ["version 3.10"]) == ("3.1",)
    assert not has_number("five", ["four tries"])
    assert has_number("five", ["5 tries"])
    assert has_number("p", ["14:00"]), "what is no number lacks nothing"
    assert other_measure("Weeks", "days")
    assert not other_measure("days", "day")
    assert not other_measure("tries", "days")


def test_a_denial_bears_on_one_word() -> None:
    assert denied("It is encrypted", "Snapshots are not encrypted")
    assert not denied("It is not encrypted", "Snapshots are not encrypted")
    assert not denied("Snapshots stay", "Snapshots are not encrypted")
    assert denied("파일을 내보낸다", "파일은 내보내지 않는다")
    assert not denied("파일을 지운다", "내보내지 않는다")


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=100, deadline=None)
def test_no_text_is_too_strange_for_it(said: str, source: str) -> None:
    assert not denied(said + " not", source)
    denied(said, source + " not İ no " + source)


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=3))
@settings(max_examples=100, deadline=None)
def test_what_a_source_says_itself_is_never_strange(said: str, others: list[str]) -> None:
    assert strange_figures(said, [*others, said]) == ()


@pytest.mark.parametrize(
    ("said", "text", "status"),
    [
        (
            "- **Snapshots**: Daily snapshots are kept for 14 days [1].",
            "Daily snapshots are kept for 14 days.",
            "supported",
        ),
        ("**Answer:** Daily snapshots are kept for 14 days [1].", "Daily snapshots are kept for 14 days.", "supported"),
        ("* **휴가**: 휴가는 최소 7일 전에 신청한다 [2].", "휴가는 최소 7일 전에 신청한다.", "supported"),
        (
            "1. **Snapshots**: Daily snapshots are kept for 41 days [1].",
            "Daily snapshots are kept for 41 days.",
            "flagged",
        ),
        ("- **Timeout**: 14 days [1].", "Timeout: 14 days.", "unsupported"),
        (
            "- **Never**: Daily snapshots are kept for 14 days [1].",
            "Never: Daily snapshots are kept for 14 days.",
            "flagged",
        ),
    ],
)
def test_a_bold_label_before_a_sentence_is_no_part_of_it(said: str, text: str, status: str) -> None:
    (one,) = claims(said, [passage(BACKUP), passage(LEAVE, 2)])
    assert one.text == text
    assert one.status == status or (status == "flagged" and contradicts(one))
