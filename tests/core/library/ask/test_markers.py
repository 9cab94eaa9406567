"""Markers of an answer: which there are, in which form, and which sentence each belongs to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.library.ask.markers import checked_markers, sentences

Cited = list[tuple[str, tuple[int, ...]]]


def cited(said: str, known: int = 5) -> Cited:
    return [(one.text, one.markers) for one in sentences(checked_markers(said, known).text)]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("`argv[0]` is the program.", [("`argv[0]` is the program.", ())]),
        ("Example: `wait[2] = 400`", [("Example: `wait[2] = 400`", ())]),
        ("``a `b[1]` c`` is it [2].", [("``a `b[1]` c`` is it.", (2,))]),
        ("```python\nwaits[1] = 300\n```\nIt waits [1].", [("waits[1] = 300", ()), ("It waits.", (1,))]),
        ("~~~\nx[1]\n~~~\nIt waits [1].", [("x[1]", ()), ("It waits.", (1,))]),
        ("It waits [1].\n\n    retries[1] = 900\n", [("It waits.", (1,)), ("retries[1] = 900", ())]),
        ("It is `200 ms`[1].", [("It is `200 ms`.", (1,))]),
        ("It waits [1](http://a.b/7).", [("It waits.", ())]),
        ("It [waits](http://a.b/7) long [1].", [("It waits long.", (1,))]),
    ],
)
def test_what_stands_in_code_or_links_somewhere_is_no_marker(said: str, found: Cited) -> None:
    assert cited(said) == found


@pytest.mark.parametrize(
    ("said", "text", "unknown"),
    [
        ("It waits [１].", "It waits [1].", ()),
        ("It waits［1］.", "It waits[1].", ()),
        ("It waits 【1】, 【2†source】.", "It waits [1], [2].", ()),
        ("It waits [^1] [[2]].", "It waits [1] [2].", ()),
        ("It waits [passage 1] [Sources 2, 3] [출처 4].", "It waits [1] [2][3] [4].", ()),
        ("It waits [1-3] and [1, 3–4] and [4~5].", "It waits [1][2][3] and [1][3][4] and [4][5].", ()),
        ("It waits [4-7].", "It waits [4][5].", (6, 7)),
        ("It waits [1] [12345].", "It waits [1].", (12345,)),
        ("On [2026-03-02], ports [10-20], [3-1], [1-2-3], (1), ¹.",
         "On [2026-03-02], ports [10-20], [3-1], [1-2-3], (1), ¹.", ()),
    ],
)  # fmt: skip
def test_a_marker_may_have_another_form_and_a_range_is_its_numbers(
    said: str, text: str, unknown: tuple[int, ...]
) -> None:
    found = checked_markers(said, 5)
    assert (found.text, found.unknown) == (text, unknown)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("A b.\n[1]\nC d [2].", [("A b.", (1,)), ("C d.", (2,))]),
        ("- A b\n  [1]\n- C d\n\n[2][3]", [("A b", (1,)), ("C d", (2, 3))]),
        ("A b.\n\n\n\n[1]", [("A b.", ())]),
        ("[1] A b. [2] C d.", [("A b.", (1,)), ("C d.", (2,))]),
        ("[1][2] A b. C d. [3] E f. [4]", [("A b.", (1, 2)), ("C d.", ()), ("E f.", (3, 4))]),
        ("- [1] A b. [2] C d.\n- [3] E f.", [("A b.", (1,)), ("C d.", (2,)), ("E f.", (3,))]),
        ("A b. [1] C d. [2]", [("A b.", (1,)), ("C d.", (2,))]),
        ("A b! [1]\n\n[2] C d.", [("A b!", (1,)), ("C d.", (2,))]),
        ("[1]\nA b.\n\n[2]\nC d. E f.", [("A b.", (1,)), ("C d.", (2,)), ("E f.", ())]),
        ("[1]: A b\n[2]: C d", [("A b", (1,)), ("C d", (2,))]),
        ("According to [1], a b. C d [2].", [("According to, a b.", (1,)), ("C d.", (2,))]),
        ("A b [1]。C d [2]。E f。[3] G h。", [("A b。", (1,)), ("C d。", (2,)), ("E f。", (3,)), ("G h。", ())]),
        ("[1]", []),
    ],
)
def test_a_marker_may_stand_before_behind_above_or_below_its_sentence(said: str, found: Cited) -> None:
    assert cited(said) == found


_WORDS = st.lists(
    st.sampled_from(("It waits", "백업은 보관한다", "Five retries", "Nothing 3.5 of it")), min_size=1, max_size=5
)


@given(_WORDS, st.sampled_from(("before", "behind", "below", "above", "within")))
@settings(max_examples=100, deadline=None)
def test_wherever_an_answer_puts_its_markers_each_sentence_has_its_own(said: list[str], where: str) -> None:
    form = {"before": "[{}] {}. ", "behind": "{1}. [{0}] ", "below": "{1}.\n[{0}]\n", "above": "[{}]\n{}.\n\n",
            "within": "{1} [{0}]. "}[where]  # fmt: skip
    answer = "".join(form.format(at, one) for at, one in enumerate(said, 1))
    assert cited(answer) == [(f"{one}.", (at,)) for at, one in enumerate(said, 1)]


@given(st.text(alphabet="ab 가.[]`~=(/)0129-^【】†\n!?", max_size=60))
@settings(max_examples=300, deadline=None)
def test_the_markers_of_the_sentences_are_those_that_were_checked(said: str) -> None:
    marked = checked_markers(said, 3)
    found = sentences(marked.text)
    assert {at for one in found for at in one.markers} <= {*marked.used}
    last = 0
    for one in found:
        assert last <= one.start < one.end <= len(marked.text)
        last = one.end


def test_a_heading_and_the_head_of_a_table_say_nothing_by_themselves() -> None:
    said = (
        "# Answer\n\nIt waits [1].\n\n## 2. More of it\n**Retries**:\n\n| what | value |\n| --- | --- |\n"
        "| wait | it [1] |\n# It waits 300 ms\n"
        "# A heading that ends.\n**It** waits\n# Cited [1]\n**Bold [1]**\n- a | b\n"
    )
    found = {one.text: one.heading for one in sentences(said)}
    assert [text for text, heading in found.items() if heading] == [
        "# Answer", "More of it", "Retries:", "| what | value |", "# Cited"
    ]  # fmt: skip
    assert len(found) == 12


@pytest.mark.parametrize(
    "piece",
    [
        "[1",
        "[1]",
        "[1]\n",
        "\n",
        "[1,",
        "[1-",
        "【1†",
        "`",
        "~~~\n",
        "[a](",
        "A. [1] ",
        "[1] a. ",
        "[[",
        "[^",
        "# ",
        "**a",
        "|",
        "a|\n--",
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    sentences(checked_markers(piece * 4000, 3).text)


@pytest.mark.parametrize(("first", "sign"), [(1, "."), (1, ")"), (95, "."), (95, ")"), (9_998, ".")])
@pytest.mark.parametrize("begins", ["It waits", "it waits"])
def test_the_numbers_of_a_list_of_any_length_are_no_sentences(first: int, sign: str, begins: str) -> None:
    places = range(first, first + 12)
    said = "\n".join(f"{at}{sign} {begins} for the lamp of the port [1]." for at in places)
    assert cited(said) == [(f"{begins} for the lamp of the port.", (1,))] * len(places)
    before = "\n".join(f"{at}{sign} [1] {begins} for the lamp of the port." for at in places)
    assert cited(before) == cited(said)


def test_a_number_that_is_no_list_s_is_a_sentence() -> None:
    assert cited("42. That is so [1].") == [("42.", ()), ("That is so.", (1,))]
    assert cited("It waits [1].\n42.") == [("It waits.", (1,)), ("42.", ())]
    assert cited("(2024) it was sold [1].") == [("(2024) it was sold.", (1,))]
