"""What a model thinks aloud is no part of its answer, with both tags, with the second one only, in any pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.config.settings import LlmSettings
from core.llm.factory import ReasoningFilter, ServedModel
from core.llm.language_model import GenerateOptions, GenerationEnd, Message, Retracted, Token, Usage
from tests.core.llm.llm_server import Reply, llm_server

ANSWERS = [
    "Yes <think>x</think> [1].",
    "<b>",
    "<thin",
    " ok",
    "`</think>` ends a thought [1].",
    "<",
    "[1] [",
    "답 [1].",
]
THOUGHTS = [
    "<think></think>",
    "\n<think>\nhm < 3 </thin\n</think>\n\n",
    "<thinking>a [1]</thinking>",
    "[THINK]b[/THINK] ",
]
UNOPENED = ["hm 300 ms [2]</think>", "</think>\n", " 생각 < 3\n\n</think>\n\n", "so\n</thinking>", "a [/THINK]"]


def heard(whole: str, data: st.DataObject) -> tuple[str, str]:
    """What is left of a text that comes in pieces, and what was told that was taken back."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    thoughts, left, taken = ReasoningFilter(), "", ""
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        text, anew = thoughts.answer(whole[start:end])
        taken, left = (left, "") if anew else (taken, left)
        left += text
    return left + thoughts.end(), taken


@given(st.data())
def test_thoughts_that_lead_an_answer_are_no_part_of_it(data: st.DataObject) -> None:
    answer, thought = data.draw(st.sampled_from(ANSWERS)), data.draw(st.sampled_from(["", *THOUGHTS]))
    assert heard(thought + answer, data) == (answer.lstrip() if thought else answer, "")
    late = "Yes </think> [1]."
    assert heard(data.draw(st.sampled_from(THOUGHTS)) + late, data) == (late, "")


@given(st.data())
def test_what_a_tag_ends_that_none_began_was_thought(data: st.DataObject) -> None:
    answer, thought = data.draw(st.sampled_from(ANSWERS)), data.draw(st.sampled_from(UNOPENED))
    left, taken = heard(thought + answer, data)
    assert left == answer.lstrip()
    assert thought.startswith(taken)
    assert "</" not in taken


@pytest.mark.parametrize("provider", ["ollama", "openai"])
@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        (("hm,", " 3</th", "ink>", "\nYes", "."), [Token("hm,"), Token(" 3"), Retracted(), Token("Yes"), Token(".")]),
        (("hm</think>Yes.",), [Token("Yes.")]),
        (("a < b",), [Token("a < b")]),
        (("a <", "b"), [Token("a "), Token("<b")]),
        (("a </think",), [Token("a "), Token("</think")]),
        (("<think>so", " and so"), []),
    ],
)  # fmt: skip
def test_what_was_told_is_taken_back(provider: str, tokens: tuple[str, ...], told: list[Token | Retracted]) -> None:
    with llm_server([Reply(tokens)]) as server:
        model = ServedModel(LlmSettings(provider=provider, model="tiny", endpoint=server.endpoint))
        found = [*model.stream((Message("user", "?"),), GenerateOptions(), lambda: False)]
    assert found == [*told, GenerationEnd("stop", Usage(12, 34))]
