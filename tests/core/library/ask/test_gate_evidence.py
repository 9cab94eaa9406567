"""What counts as evidence for a question: names, sentences, Korean by English words, and their weight."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.models.catalogue import MINILM, RECOMMENDED
from core.library.ask.features import (
    QuestionTerms,
    Signals,
    Support,
    by_words,
    evidence,
    joined,
    matcher,
    nearest_by_words,
    sentences_of,
)
from core.library.ask.glossary import in_english
from core.library.ask.question import has_new_name, read_question
from core.library.search.rows import Passage

GLOSSARY = {"뷁쇠": "widget"}
TEXTS = st.text(st.characters(codec=None) | st.sampled_from("보낸낼다. \n몇며칠0a"), max_size=300)


@pytest.mark.parametrize(
    ("question", "has", "lacks"),
    [
        (
            "Which company built the boat?",
            "The boat was built by Halvorsen.",
            "Which boat: the 3rd. Owner: the keeper.",
        ),
        ("What is the name of the boat lead?", "the boat lead, Mina Park", "the boat lead signs"),
        ("Which tool draws the charts?", "drawn with `gnuplot`", "drawn by hand, as CSV or PDF"),
        ("Which company in Oslo built it?", "They left Oslo for Bergen.", "They left for Oslo."),
        ("보트는 어느 회사 제품인가요?", "보트는 Yamaha에서 샀다", "보트는 2번 창고에 있다"),
        ("등록금은 어느 은행으로 보내나요?", "등록금은 국민은행으로 보낸다", "등록금은 3월에 보낸다"),
    ],
)
def test_a_text_has_a_name_that_the_question_does_not_have(question: str, has: str, lacks: str) -> None:
    assert has_new_name(has, question)
    assert not has_new_name(lacks, question)


def test_korean_words_are_read_by_the_longest_entries_of_the_glossary() -> None:
    assert in_english("뷁쇠의 뷁쇠창고", {**GLOSSARY, "뷁쇠창고": "tool shed"}) == "widget tool shed"
    assert in_english("모르는 말, plain words", GLOSSARY) == ""


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
    assert (
        by_words(QuestionTerms(question, [1.0] * len(question.words), matcher(question.words), {}), row).lacks == lacks
    )


def test_the_sentence_nearest_to_a_question_is_no_heading() -> None:
    text = "# Retries\n\nA call waits for ten seconds.\n\nIt stops after four retries."
    row = Passage(1, "c", "d", text, '["Retries"]', "", "[]", "v", 1, 5, "n.md", "", "2026-01-01T00:00:00Z", None, None)
    words = read_question("How many retries?").words
    assert nearest_by_words(words, row) == "It stops after four retries."
    assert nearest_by_words(words, replace(row, text="# Retries")) == ""


def test_a_korean_question_knows_which_english_words_stand_for_which_of_its_own() -> None:
    asked = read_question("뷁뚫 주문은 Borealis 어디로?", {"주문": "order purchase"})
    assert asked.english == "order purchase Borealis"
    assert {one.stem: one.also for one in asked.words} == {"뷁뚫": (), "주문": ("order", "purchas"), "boreali": ()}
    assert read_question("뷁뚫 주문은 어디로?").english == ""


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
    assert has_new_name(text, text) in (True, False)


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
        for worse in ({"nameless": 1.0}, {"table": 1.0}, {"program": 1.0}):
            assert evidence(replace(some, **worse), by_words=words_alone) < base
        assert evidence(Signals(), by_words=words_alone) < 0.1
        assert evidence(Signals(near=0.8, share=1.0, stretch=1.0), by_words=words_alone) > 0.3
    assert evidence(replace(some, near=0.6), by_words=False) > evidence(some, by_words=False)
    assert evidence(replace(some, beside=0.1), by_words=False) < evidence(some, by_words=False)


def test_words_and_another_language_raise_what_a_model_read() -> None:
    some = Support(read=0.3, words=0.3, foreign=False)
    base = joined(some, 0.3, MINILM)
    assert 0.0 < base < 1.0
    assert joined(replace(some, words=0.6), 0.3, MINILM) > base > joined(replace(some, words=0.0), 0.3, MINILM)
    assert joined(replace(some, foreign=True), 0.3, MINILM) > base
    assert joined(some, 0.5, MINILM) > base > joined(some, 0.1, MINILM)


def test_a_question_without_a_word_in_the_library_needs_more_than_any_reading() -> None:
    none = Support(read=0.9, words=0.0, foreign=False)
    assert joined(none, 0.9, MINILM) < 0.30 < joined(replace(none, words=0.1), 0.9, MINILM)


def test_a_model_that_nobody_fitted_has_the_strictest_cut_off() -> None:
    support = Support(read=0.5, words=0.2, foreign=False)
    known = [joined(support, 0.5, model) for model in (MINILM, RECOMMENDED)]
    assert joined(support, 0.5, "somebody-elses-model") == min(known) < max(known)
