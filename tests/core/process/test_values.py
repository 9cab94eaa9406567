"""Values arrive at the other end as they were, whatever is in them, and nothing that arrives can run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.process.frames import BadFrame, Frame, FrameReader
from core.process.values import loads, pack, unpack


class Colour(Enum):
    RED = 1


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass(frozen=True, slots=True)
class Point:
    x: Any
    y: Any = None

    def __post_init__(self) -> None:
        assert self.x != "never", "no code of a class runs"


@dataclass
class Open:
    x: Any


_keys = st.text(max_size=8) | st.integers() | st.binary(max_size=4)
_scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(alphabet=st.characters())
    | st.binary(max_size=50) | st.sampled_from([Colour.RED, Path("/a/b"), range(3, 9, 2), "\ud800"])
)  # fmt: skip
_values = st.deferred(lambda: _nested)
_nested = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(_keys, inner, max_size=4)
        | st.builds(Point, inner, inner)
        | st.builds(Pair, inner, inner)
        | st.builds(Open, inner)
        | st.sets(st.integers() | st.text(max_size=3), max_size=4)
    ),
    max_leaves=20,
)


def travelled(value: object) -> Any:
    (frame,) = FrameReader(loads=loads).feed(pack({"n": 1}, value))
    assert frame.header["n"] == 1
    return unpack(frame)


def kinds(value: Any) -> Any:
    """The types in a value: 1, 1.0 and True are equal."""
    match value:
        case tuple() | list():
            return type(value), [kinds(one) for one in value]
        case dict():
            return [(kinds(key), kinds(one)) for key, one in value.items()]
        case Point() | Open():
            return type(value), [kinds(getattr(value, name)) for name in ("x", "y") if hasattr(value, name)]
        case _:
            return type(value)


@settings(deadline=None)
@given(_values)
def test_a_value_arrives_as_it_was(value: object) -> None:
    found = travelled(value)
    assert found == value
    assert kinds(found) == kinds(value)


def test_infinity_and_what_is_no_number_arrive() -> None:
    assert repr(travelled((float("inf"), float("-inf"), float("nan")))) == "(inf, -inf, nan)"


@pytest.mark.parametrize("value", [object(), lambda: None, len, Point], ids=range(4))
def test_what_is_no_value_is_not_sent(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be sent"):
        pack({}, (1, [value]))


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"types": [], "value": [0, 1]},
        {"types": ["os:system"], "value": [0, "touch /tmp/x"]},
        {"types": ["builtins:eval"], "value": [0, "1"]},
        {"types": ["subprocess:Popen"], "value": [0, ["true"]]},
        {"types": ["no.such.module:X"], "value": [0]},
        {"types": [f"{__name__}:Point"], "value": [0, 1]},
        {"types": [f"{__name__}:Point"], "value": [0, 1, 2, 3]},
        {"types": [f"{__name__}:Colour"], "value": [0, "GREEN"]},
        {"types": "x", "value": 1},
        {"types": [], "value": []},
        {"types": [], "value": ["?", 1]},
        {"types": [], "value": ["i", "x"]},
        {"types": [], "value": ["d", 1]},
        {"types": [], "value": ["d", [["l"], 1]]},
    ],
    ids=range(15),
)
def test_what_is_no_value_is_not_read(header: dict[str, object]) -> None:
    with pytest.raises(BadFrame, match="unreadable value"):
        unpack(Frame(header))


@settings(deadline=None)
@given(_values, st.data())
def test_one_changed_byte_is_a_value_or_a_bad_frame(value: object, data: st.DataObject) -> None:
    bent = bytearray(pack({}, value))
    bent[data.draw(st.integers(0, len(bent) - 1))] = data.draw(st.integers(0, 255))
    try:
        for frame in FrameReader(loads=loads).feed(bytes(bent)):
            unpack(frame)
    except BadFrame as error:
        assert str(error)
