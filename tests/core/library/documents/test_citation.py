"""Citations: six kinds, and a one-line form that gives the place back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.base.wire import to_wire
from core.library.citations.citation import (
    CaptionCitation,
    Citation,
    CodeCitation,
    LineCitation,
    PageCitation,
    RegionCitation,
    TimeCitation,
    first_line,
    parse,
    place,
    to_uri,
)

PATHS = st.text(st.characters(exclude_characters="#"), min_size=1, max_size=40)
COUNT = st.integers(1, 10**9)
MILLIS = st.integers(0, 10**10)


def _ordered(numbers: tuple[int, int]) -> tuple[int, int]:
    return min(numbers), max(numbers)


PAIRS = st.tuples(COUNT, COUNT).map(_ordered)
CITATIONS: st.SearchStrategy[Citation] = st.one_of(
    st.builds(lambda path, pair, said: LineCitation(path, *pair, section=said), PATHS, PAIRS, st.text(max_size=9)),
    st.builds(lambda path, pair, said: CodeCitation(path, *pair, symbol=said), PATHS, PAIRS, st.text(max_size=9)),
    st.builds(PageCitation, PATHS, COUNT),
    st.builds(RegionCitation, PATHS, MILLIS, MILLIS, COUNT, COUNT),
    st.builds(CaptionCitation, PATHS),
    st.builds(
        lambda path, pair, who: TimeCitation(path, *pair, speaker=who),
        PATHS,
        st.tuples(MILLIS, MILLIS).map(_ordered),
        st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    ),
)


@settings(max_examples=300)
@given(citation=CITATIONS)
def test_the_uri_gives_the_place_back(citation: Citation) -> None:
    assert parse(to_uri(citation)) == place(citation)
    assert to_uri(parse(to_uri(citation))) == to_uri(citation)


@pytest.mark.parametrize(
    "uri",
    [
        "notes/오늘.md#L7",
        "notes/a b.md#L12-L34",
        "paper.pdf#p=23",
        "scan.png#xywh=120,40,520,180",
        "scan.png#caption",
        "talk.m4a#t=00:13:42.000,00:14:10.000&speaker=S1",
        "talk.m4a#t=00:00:00.000,100:00:00.001",
    ],
)
def test_each_form_is_read_and_written_alike(uri: str) -> None:
    assert to_uri(parse(uri)) == uri


@pytest.mark.parametrize(
    "uri",
    ["", "a.md", "#L1", "a.md#", "a.md#L0", "a.md#L9-L3", "a.md#L07", "a.md#L1-L2-L3", "a.md#x#L1", "a.md#p=0",
     "a.md#xywh=1,2,3", "a.md#xywh=1,2,0,4", "a.md#t=00:00:09.000,00:00:01.000", "a.md#L" + "9" * 99, "a.md#L１"],
)  # fmt: skip
def test_what_names_no_place_is_refused(uri: str) -> None:
    with pytest.raises(Fault) as caught:
        parse(uri)
    assert caught.value.code == "invalid_input"


def test_a_path_with_a_hash_cannot_be_cited() -> None:
    with pytest.raises(Fault):
        LineCitation("c#/notes.md", 1, 2)


def test_what_is_said_about_a_place_is_not_the_place() -> None:
    bare = LineCitation("a.md", 3, 9)
    told = LineCitation("a.md", 3, 9, section="§2 Uses", indexed_at="2026-01-02T03:04:05Z", stale=True)
    assert told == bare
    assert told.uri == "a.md#L3-L9"
    assert told.stale
    assert first_line(told) == 3
    assert first_line(PageCitation("a.pdf", 4)) == 1


def test_on_the_wire_it_is_flat_and_names_its_kind() -> None:
    told = to_wire(CodeCitation("src/a.py", 10, 42, symbol="a.run", lang="python"))
    assert isinstance(told, dict)
    assert told["schema_version"] == "citation.v1"
    assert (told["kind"], told["uri"], told["line_start"]) == ("code", "src/a.py#L10-L42", 10)
