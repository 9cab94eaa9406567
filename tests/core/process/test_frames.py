"""Frames: whatever is sent arrives whole in any pieces, and nothing that is no frame is taken for one."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.process.frames import VERSION, BadFrame, Frame, FrameReader, encode

_texts = st.text(alphabet=st.characters(), max_size=30)  # lone surrogates too
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
    max_leaves=12,
)
_frames = st.builds(Frame, st.dictionaries(_texts, _values, max_size=5), st.binary(max_size=200))


@settings(deadline=None)
@given(st.lists(_frames, max_size=5), st.lists(st.integers(0, 60), max_size=40))
def test_frames_arrive_whole_in_whatever_pieces(sent: list[Frame], cuts: list[int]) -> None:
    data = b"".join(map(encode, sent))
    reader, got = FrameReader(), list[Frame]()
    for cut in cuts:
        got += reader.feed(data[:cut])
        data = data[cut:]
    got += reader.feed(data)
    assert got == sent
    assert not reader.partial


@settings(deadline=None)
@given(_frames, st.data())
def test_a_cut_frame_is_waited_for_and_never_made_up(frame: Frame, data: st.DataObject) -> None:
    whole = encode(frame)
    reader = FrameReader()
    assert reader.feed(whole[: data.draw(st.integers(1, len(whole) - 1))]) == []
    assert reader.partial


@settings(deadline=None)
@given(st.binary(max_size=300), _frames)
def test_garbage_is_refused_or_waited_for(garbage: bytes, frame: Frame) -> None:
    """Random bytes are never a frame unless they begin like one; a reader holds no more than it was given."""
    reader = FrameReader()
    try:
        found = reader.feed(garbage + encode(frame))
    except BadFrame:
        return
    assert found or garbage.startswith(b"cbm")


@settings(deadline=None)
@given(_frames, st.data())
def test_one_changed_byte_never_crashes_a_reader(frame: Frame, data: st.DataObject) -> None:
    bent = bytearray(encode(frame))
    bent[data.draw(st.integers(0, len(bent) - 1))] = data.draw(st.integers(0, 255))
    try:
        for found in FrameReader().feed(bytes(bent)):
            assert isinstance(found.header, dict)
    except BadFrame as error:
        assert str(error)


@pytest.mark.parametrize("start", [b"G", b"GET / HTTP/1.1\r\n", b"cbx", b"\x00", b"c\xff"])
def test_another_protocol_is_known_by_its_first_wrong_byte(start: bytes) -> None:
    with pytest.raises(BadFrame, match="protocol"):
        FrameReader().feed(start)


def test_another_version_is_named() -> None:
    with pytest.raises(BadFrame, match=f"protocol version 9, not {VERSION}"):
        FrameReader().feed(b"cbm\x09")


@pytest.mark.parametrize("sizes", [(101, 0), (0, 51), (0xFFFFFFFF, 0xFFFFFFFF)])
def test_a_frame_that_says_it_is_huge_is_refused_before_it_comes(sizes: tuple[int, int]) -> None:
    with pytest.raises(BadFrame, match="too large"):
        FrameReader(max_header=100, max_body=50).feed(struct.pack("<3sBII", b"cbm", VERSION, *sizes))


@pytest.mark.parametrize(
    "header",
    [b"", b"[]", b"null", b"{", b'{"a": 1', b"\xff\xfe", b"[" * 100_000, b"{}x", b"1" * 50_000, '{"a":"é"}'.encode()],
    ids=range(10),
)
def test_a_header_that_is_no_object_is_refused(header: bytes) -> None:
    with pytest.raises(BadFrame, match=r"the header is not (a )?JSON"):
        FrameReader().feed(struct.pack("<3sBII", b"cbm", VERSION, len(header), 0) + header)


def test_what_nobody_would_read_is_not_sent() -> None:
    with pytest.raises(BadFrame, match="too large"):
        encode(Frame({"texts": ["x" * (1 << 20)]}))


def test_a_lone_surrogate_travels() -> None:
    (found,) = FrameReader().feed(encode(Frame({"text": "오류 \ud800"})))
    assert found.header == {"text": "오류 \ud800"}
    assert json.dumps(found.header).isascii()
