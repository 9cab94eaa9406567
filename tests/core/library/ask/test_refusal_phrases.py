"""A model that gives up in words of its own is known by them; an answer that begins in another way is none of these."""

from __future__ import annotations

import pytest

from core.library.ask.markers import sounds_like_giving_up


@pytest.mark.parametrize(
    "said",
    [
        "There is no information about this in the passages.",
        "There isn't any mention of it [1].",
        "I don't know.",
        "I do not know the answer [1].",
        "I don't know. The provided documents do not describe it.",
        "Sorry, I could not find an answer in the passages.",
        "I'm sorry, but I cannot answer that.",
        "Unfortunately, the given context doesn't tell how long it waits.",
        "None of the passages speaks of it.",
        "No relevant information was found.",
        "The answer is not mentioned in the provided documents.",
        "제공된 문서에서 답을 찾을 수 없습니다.",
        "죄송합니다. 주어진 자료에는 관련 내용이 없습니다.",
        "문서에 언급되어 있지 않습니다.",
        "질문에 대한 답을 찾지 못했습니다.",
        "잘 모르겠습니다.",
    ],
)
def test_giving_up_is_known_in_other_words(said: str) -> None:
    assert sounds_like_giving_up(said)


@pytest.mark.parametrize(
    "said",
    [
        "It is retried five times.",
        "I don't know why, but it is retried five times [1].",
        "I don't know. It is retried five times [1].",
        "The documents do not have to be signed [1].",
        "The sources do not include the tests [1].",
        "There is no reply within five seconds [1].",
        "There is no information barrier between the teams [1].",
        "No answer is retried [1].",
        "Sorry is the name of the job [1].",
        "문서는 30일 동안 보관한다 [1].",
        "문서에는 비밀번호를 적지 않는다 [1].",
        "비밀번호를 잊으면 계정을 찾을 수 없다 [1].",
    ],
)
def test_an_answer_is_not_taken_for_giving_up(said: str) -> None:
    assert not sounds_like_giving_up(said)


@pytest.mark.parametrize(
    "piece", ["I don't know. ", "sorry ", "the passages ", "문서에 ", "no a ", " ", "[1]", "i can not find "]
)
def test_no_text_takes_long(piece: str) -> None:
    """A pattern that backtracks without end would hang here."""
    sounds_like_giving_up(piece * 4_000 + "!-")
    sounds_like_giving_up("x" + piece * 4_000)
