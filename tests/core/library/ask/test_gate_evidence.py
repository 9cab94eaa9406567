"""What counts as evidence for a question: its kind of answer, sentences, Korean by English words, and their weight."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.library.ask.features import Signals, beside, by_words, evidence, matcher, sentences_of
from core.library.ask.glossary import in_english
from core.library.ask.question import answer_kind, read_question, shows
from core.library.search.rows import Passage

GLOSSARY = {"뷁쇠": "widget"}
TEXTS = st.text(st.characters(codec=None) | st.sampled_from("보낸낼다. \n몇며칠0a"), max_size=300)


@pytest.mark.parametrize(
    ("question", "kind", "holds", "lacks"),
    [
        ("How much does a locker cost?", "money", "A locker is 12,000 won.", "Lockers stand in room 4."),
        ("보증금은 얼마인가요?", "money", "보증금은 3만 원이다.", "보증금은 회계가 받는다."),
        ("환불은 며칠 걸리나요?", "duration", "환불은 한 주 걸린다.", "재시도한 주문은 담당자가 본다."),
        ("배는 몇 명이 타나요?", "number", "배는 스물다섯 명이 탄다.", "배는 새로운 명단으로 탄다."),
        ("How many megabytes may a picture have?", "size", "at most 8 MiB", "at most 8 pictures"),
        ("How long is the pool closed?", "duration", "closed for two weeks", "closed by the keeper"),
        ("며칠 동안 빌릴 수 있나요?", "duration", "열흘 동안", "현관에서 빌린다"),
        ("몇 시에 여나요?", "date", "09:30에 연다", "관리인이 연다"),
        ("How often is the boat washed?", "often", "washed every spring", "washed with soap"),
        ("몇 명이 앉나요?", "number", "여섯 명", "긴 의자 3개에 앉는다"),
        ("In which year was the pier built?", "year", "built in 1987", "built in 9 weeks"),
        ("What does a new oar cost?", "money", "An oar costs 90 euros.", "An oar lasts 9 years."),
        ("Who mends the nets?", "person", "The boat lead mends them.", "They are mended in winter."),
        ("누가 열쇠를 갖나요?", "person", "총무가 갖는다", "서랍에 둔다"),
        ("What does a new oar cost?", "money", "Members pay 20 % of the price.", "Half full is below 96 %."),
        ("환불은 며칠 걸리나요?", "duration", "이틀 걸린다.", "3월 12일 오후에 40분 동안"),
        ("How many days is the pool closed?", "duration", "closed for 48 hours", "closed at 12:40, for 20 minutes"),
        ("What uptime is promised?", "percent", "99.9 % a month", "It always exits 0."),
        (
            "Which company built the boat?",
            "name",
            "The boat was built by Halvorsen.",
            "Which boat: the 3rd. Owner: the keeper.",
        ),
        ("What is the name of the boat lead?", "name", "the boat lead, Mina Park", "the boat lead signs"),
        ("Which tool draws the charts?", "name", "drawn with `gnuplot`", "drawn by hand, as CSV or PDF"),
        ("보트는 어느 회사 제품인가요?", "name", "보트는 Yamaha에서 샀다", "보트는 2번 창고에 있다"),
        ("등록금은 어느 은행으로 보내나요?", "name", "등록금은 국민은행으로 보낸다", "등록금은 3월에 보낸다"),
    ],
)
def test_a_question_names_its_kind_of_answer_and_a_text_has_it_or_not(
    question: str, kind: str, holds: str, lacks: str
) -> None:
    found = answer_kind(question)
    assert found is not None
    assert found == kind
    assert shows(found, holds, question)
    assert not shows(found, lacks, question)


def test_a_number_of_the_question_answers_nothing() -> None:
    question = "How many of the 40 boats leak?"
    assert not shows("number", "Boat of the 40", question)
    assert shows("number", "7 of the 40", question)
    assert answer_kind("How do I see who took the boat?") is None


def test_a_name_of_the_question_answers_nothing_and_a_thing_of_another_thing_is_not_asked_for() -> None:
    assert not shows("name", "They left for Oslo.", "Which company in Oslo built it?")
    assert answer_kind("Which tool calls are listed?") is None


def test_korean_is_read_word_by_word_whatever_its_endings() -> None:
    for said in ("편지를 보내면", "편지를 보낸", "편지를 보낼"):
        assert in_english(said, {}).split()[-1] == "send"
    assert in_english("뷁쇠는 며칠 남나요?", GLOSSARY) == "widget how many days remaining ?"
    assert in_english("뷁뚫은 헯", {}) == ""
    assert in_english("뷁뚫은 편지", {}, keep=True) == "뷁뚫 letter"
    assert in_english("plain words, 3 of them", {}) == "plain words, 3 of them"


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("stages of a Dockerfile", ("Docker",)),
        ("Docker stages", ()),
        ("Docker는 쓴다", ()),
        ("docker2 and Dockers", ()),
    ],
)
def test_a_name_is_not_in_a_longer_word(text: str, lacks: tuple[str, ...]) -> None:
    question = read_question("Which image has Docker?")
    row = Passage(1, "c", "d", text, "[]", "", "[]", "v", 1, 1, "n.md", "", "2026-01-01T00:00:00Z", None, None)
    assert by_words(beside(question, [1.0] * len(question.words), matcher(question.words), {}), row).lacks == lacks


def test_one_syllable_is_a_verb_only_where_an_ending_follows() -> None:
    assert in_english("작은 나룻배", {}).split()[0] == "small"
    assert "small" not in in_english("작뚫을 나르는", {}).split()


def test_a_korean_question_knows_which_english_words_stand_for_which_of_its_own() -> None:
    asked = read_question("뷁뚫 주문은 어디로 보내나요?", {"주문": "order"})
    assert asked.english.split()[:1] == ["order"]
    assert {one.stem: one.said for one in asked.words} == {"뷁뚫": "", "주문": "order", "보내": "send"}
    assert read_question("뷁뚫 주문은 어디로 보내나요?").english == ""


def test_latin_names_in_a_korean_question_are_names_wherever_they_stand() -> None:
    assert read_question("Borealis 서버는 어디에 있나요?").names == ("Borealis",)
    assert read_question("Where is the server?").names == ()


@settings(max_examples=50)
@given(TEXTS)
def test_sentences_lose_no_word_and_nothing_stumbles_over_any_text(text: str) -> None:
    said = sentences_of(text)
    assert "".join("".join(said).split()) == "".join(text.split()) or any(c in '"”’)]' for c in text)
    assert all(one.strip() and len(one) <= 400 for one in said)
    in_english(text, GLOSSARY)
    kind = answer_kind(text)
    assert kind is None or shows(kind, text, text) in (True, False)


def test_sentences_end_where_they_end_and_short_ones_go_together() -> None:
    said = sentences_of("One.\nTwo is said here.\n\nA row | of a table\n" + "long " * 200)
    assert said[0] == "One. Two is said here."
    assert said[1].startswith("A row")
    assert len(said) > 4


def test_what_speaks_for_a_passage_raises_its_evidence_and_what_speaks_against_it_lowers_it() -> None:
    some = Signals(near=0.5, share=0.5, stretch=0.5)
    for words_alone in (True, False):
        base = evidence(some, by_words=words_alone)
        assert 0.0 < base < 1.0
        for worse in ({"kind": 1.0}, {"nameless": 1.0}, {"table": 1.0}, {"program": 1.0}):
            assert evidence(replace(some, **worse), by_words=words_alone) < base
        assert evidence(Signals(), by_words=words_alone) < 0.1
        assert evidence(Signals(near=0.8, share=1.0, stretch=1.0), by_words=words_alone) > 0.3
    assert evidence(replace(some, near=0.6), by_words=False) > evidence(some, by_words=False)
    assert evidence(replace(some, beside=0.1), by_words=False) < evidence(some, by_words=False)
