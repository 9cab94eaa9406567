"""Values as JSON, and their types as JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.fault import Fault
from core.base.trace import Step, facts, lines
from core.base.wire import dumps, error_object, json_schema, to_wire
from core.errors.retrieval.answer import Hit, Query, SearchAnswer, Similar, Source


@dataclass(frozen=True, slots=True)
class Leaf:
    size: float
    path: Path


@dataclass(frozen=True, slots=True)
class Tree:
    """A value of every kind the wire knows."""

    SCHEMA: ClassVar[str] = "tree.v1"

    name: str
    kind: Literal["oak", "ash"]
    leaves: tuple[Leaf, ...]
    span: tuple[int, int]
    notes: Mapping[str, int]
    parent: Tree | None
    old: bool | None = None


def answer(text: str) -> SearchAnswer:
    hit = Hit(
        1, "prefix", "low", 0.55, None, text, text, text, "draft", text, (text,), 3, None, Source(text, (1, 2)), (text,)
    )
    step = Step(text, "hit", text, facts(a=1, b=None, c=text), (Step("inner", "miss", text),), 0.12345678)
    return SearchAnswer(Query(text, text, text, text), hit, (hit,), (Similar(1, 0.5, text, None),), (step,))


def test_an_answer_of_its_own_names_its_schema_first_and_facts_become_an_object() -> None:
    wire = to_wire(answer("x"))
    assert isinstance(wire, dict)
    assert next(iter(wire.items())) == ("schema_version", "error_search.v1")
    assert wire["trace"][0]["facts"] == {"a": 1, "b": None, "c": "x"}
    assert wire["trace"][0]["elapsed_ms"] == 0.123457
    assert wire["match"]["tool_sequence"] == ["x"]
    assert "schema_version" not in wire["query"]


@given(st.text(st.characters(codec=None)))
def test_any_text_makes_one_line_of_strict_json_that_acts_on_no_terminal(text: str) -> None:
    line = dumps(answer(text))
    line.encode("utf-8")
    assert line.splitlines() == [line]
    assert not any(c < " " or "\x7f" <= c <= "\x9f" for c in line)
    back = json.loads(line)["query"]["raw"]
    assert back == "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


def test_hangul_stays_readable_and_direction_controls_do_not_act() -> None:
    assert dumps({"a": "모듈을 찾을 수 없음"}) == '{"a": "모듈을 찾을 수 없음"}'
    assert dumps("\u202eabc\u2066") == '"\\u202eabc\\u2066"'


def test_a_number_that_is_none_becomes_null() -> None:
    assert dumps({"a": float("nan"), "b": float("inf"), "c": 0.1 + 0.2}) == '{"a": null, "b": null, "c": 0.3}'


def test_what_has_no_wire_form_says_so() -> None:
    with pytest.raises(TypeError, match="object has no wire form"):
        to_wire(object())


def test_schema_accepts_what_the_type_writes() -> None:
    schema = json_schema(SearchAnswer)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(dumps(answer("x"))), schema)
    tree = Tree("t", "oak", (Leaf(1.5, Path("a")),), (1, 2), {"n": 1}, Tree("p", "ash", (), (0, 0), {}, None))
    jsonschema.validate(json.loads(dumps(tree)), json_schema(Tree))


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("schema_version", "tree.v2"), ("name", 1), ("kind", "elm"), ("leaves", [{"size": "big", "path": ""}]),
        ("span", [1]), ("notes", {"n": "x"}), ("parent", 3), ("old", "yes"),
    ],
)  # fmt: skip
def test_schema_refuses_a_wrong_value(field: str, wrong: Any) -> None:
    good = json.loads(dumps(Tree("t", "oak", (), (1, 2), {}, None)))
    jsonschema.validate(good, json_schema(Tree))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**good, field: wrong}, json_schema(Tree))
    del good[field]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(good, json_schema(Tree))


def test_v1_may_grow() -> None:
    good = json.loads(dumps(Tree("t", "oak", (), (1, 2), {}, None)))
    jsonschema.validate({**good, "colour": "green"}, json_schema(Tree))


def test_a_fault_as_an_object() -> None:
    wire = to_wire(error_object(Fault("io_error", "no room on /x", "make some", free=0)))
    assert wire == {
        "schema_version": "error.v1",
        "code": "io_error",
        "message": "no room on /x",
        "hint": "make some",
        "details": {"free": 0},
    }


def test_a_trace_is_read_by_people() -> None:
    step = Step("keyword", "hit", "best of 3", facts(best=0.20168140537342558, rules=13, note=None))
    assert lines((step,)) == ["keyword: hit, best of 3 (best=0.2017 rules=13 note=None)"]
