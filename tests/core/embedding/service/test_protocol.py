"""Requests and answers: what is sent is what is read, and what comes from elsewhere is looked at before it is used."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.embedding.index.vectors import pack
from core.embedding.service.protocol import (
    MAX_CHARS,
    MAX_TEXTS,
    Embed,
    Hello,
    Request,
    State,
    Stop,
    bye_frame,
    fault_frame,
    read_bye,
    read_request,
    read_state,
    read_vectors,
    request_frame,
    state_frame,
    vectors_frame,
)
from core.process.frames import BadFrame, Frame, FrameReader, encode

_words = st.text(max_size=20)
_requests = st.one_of(
    st.builds(Hello, _words),
    st.builds(Stop, _words),
    st.builds(
        Embed,
        _words,
        _words,
        _words,
        st.sampled_from(("document", "query")),
        st.lists(_words, max_size=5).map(tuple),
        _words,
    ),
)
STATE = State("m", "1", "r", 4, False, 7, 8, 9, "p")


def sent(frame: Frame) -> Frame:
    (found,) = FrameReader().feed(encode(frame))
    return found


@settings(deadline=None)
@given(_requests)
def test_a_request_is_read_as_it_was_meant(request: Request) -> None:
    assert read_request(sent(request_frame(request))) == request


_odd: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)
_names = st.sampled_from(
    ("ask", "say", "kind", "texts", "model", "token", "nonce", "counts", "dim", "loading", "pid", "id", "code")
)
_known = st.sampled_from(("hello", "embed", "stop", "state", "vectors", "fault", "bye", "query", "document"))


@settings(deadline=None)
@given(st.dictionaries(_names, _odd | _known, max_size=8), st.binary(max_size=8))
def test_no_header_of_any_shape_harms_a_reader(header: dict[str, object], body: bytes) -> None:
    frame = Frame(header, body)
    for read in (read_request, read_state, read_bye, lambda one: read_vectors(one, 1, 4)):
        try:
            read(frame)
        except (BadFrame, Fault) as error:
            assert str(error)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=3), max_size=5))
def test_vectors_come_back_text_by_text(shape: list[list[int]]) -> None:
    vectors = [tuple(pack([float(n), 1.0, -2.0]) for n in own) for own in shape]
    assert read_vectors(sent(vectors_frame(vectors)), len(vectors), 3) == vectors


@pytest.mark.parametrize(
    ("counts", "body", "said"),
    [
        ([1], struct.pack("<2f", math.nan, 0), "not a number"),
        ([1], struct.pack("<2f", math.inf, 0), "not a number"),
        ([1], struct.pack("<2f", 0, 0), "norm is 0"),
        ([1], struct.pack("<2f", 3, 4), "norm is 5"),
        ([1], struct.pack("<1f", 1), "4 bytes for 1 vectors"),
        ([2], struct.pack("<2f", 1, 0), "8 bytes for 2 vectors"),
        ([0], b"", "has no vector"),
        ([-1], b"", "has no vector"),
        ([True], struct.pack("<2f", 1, 0), "has no vector"),
        ([1, 1], struct.pack("<4f", 1, 0, 0, 1), "wrong number of texts"),
        ("1", struct.pack("<2f", 1, 0), "wrong number of texts"),
        ([10**30], b"", "bytes for"),
    ],
)
def test_vectors_that_are_none_are_refused(counts: object, body: bytes, said: str) -> None:
    with pytest.raises(BadFrame, match=said):
        read_vectors(Frame({"say": "vectors", "counts": counts}, body), 1, 2)


def test_a_state_is_read_as_it_was_meant_and_a_dimension_must_be_one() -> None:
    assert read_state(sent(state_frame(STATE))) == STATE
    with pytest.raises(BadFrame, match="invalid dim"):
        read_state(state_frame(State("m", "1", "r", 1 << 40, False, 7, 8, 9)))
    with pytest.raises(BadFrame, match="unexpected message"):
        read_state(bye_frame())


@pytest.mark.parametrize(("code", "read_as"), [("invalid_input", "invalid_input"), ("db_damaged", "model_unreachable")])
def test_a_fault_arrives_as_a_fault_of_the_model(code: Any, read_as: str) -> None:
    with pytest.raises(Fault, match="no such thing") as raised:
        read_vectors(sent(fault_frame(Fault(code, "no such thing", "do that"))), 1, 4)
    assert (raised.value.code, raised.value.hint) == (read_as, "do that")


@pytest.mark.parametrize("texts", [("x",) * (MAX_TEXTS + 1), ("x" * (MAX_CHARS + 1),)], ids=["many", "long"])
def test_a_request_that_would_keep_the_model_is_refused_plainly(texts: tuple[str, ...]) -> None:
    with pytest.raises(Fault) as raised:
        read_request(request_frame(Embed("m", "1", "r", "query", texts)))
    assert raised.value.code == "invalid_input"
