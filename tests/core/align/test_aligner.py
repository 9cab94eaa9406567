"""One quote: a slice of a message is that slice, noise never moves it, and a wrong confidence cannot be built."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.align import Aligned, AlignSettings, Session, Span, align_quote

TEXT = (
    "DuckDB의 JSONB를 JSON으로 변경했고, 벡터 검색은 그대로 둔다.\nThe cache is cleared before each run, not after it."
)


def align(text: str, quote: str) -> Aligned:
    return align_quote(Session([text]), 0, quote, AlignSettings())


@given(st.text(min_size=1, max_size=60), st.data())
def test_a_slice_is_found_as_that_slice_or_called_ambiguous(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = align(text, text[start:end])
    if found.failure == "empty_quote":
        return
    assert Span(0, start, end) in found.spans
    assert found.status == "ambiguous" or (found.method, found.spans) == ("exact", (Span(0, start, end),))


@pytest.mark.parametrize(
    "quote",
    ["JSONB를  JSON으로\n변경했고", "JSONB\u200b를 JSON으로 변경\u00ad했고", "ＪＳＯＮＢ를 JSON으로 변경했고"],
)
def test_noise_never_moves_a_span(quote: str) -> None:
    found = align(TEXT, quote)
    assert found.status == "aligned"
    (span,) = found.spans
    assert TEXT[span.start : span.end] == "JSONB를 JSON으로 변경했고"


@pytest.mark.parametrize(
    ("quote", "kind"),
    [
        ("The cache is cleared after each run, not before it.", "moved"),
        ("The cache is not cleared before each run, not after it.", "negation"),
        ("벡터 검색은 그대로 두지 않는다.", "negation"),
    ],
)
def test_a_changed_meaning_is_flagged(quote: str, kind: str) -> None:
    found = align(TEXT, quote)
    assert found.status != "aligned"
    assert found.status == "failed" or kind in {concern.kind for concern in found.concerns} | {"time"}


def test_a_confidence_outside_its_band_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="confidence"):
        Aligned("aligned", "fuzzy", 0.97, (Span(0, 0, 3),), 0.97)


def test_an_index_one_too_high_offers_the_last_message() -> None:
    """A model that counts from 1 names message N of N: the status stays, and the place is a near miss."""
    session = Session(["another message", TEXT])
    quote = "The cache is cleared before each run"
    found = align_quote(session, 2, quote, AlignSettings())
    assert (found.status, found.failure) == ("failed", "index_out_of_range")
    (near,) = found.near_misses
    assert TEXT[near.span.start : near.span.end] == quote
    assert (near.span.message_index, near.similarity) == (1, 1.0)
    assert "The quote is in message 1" in found.trace[0].reason
    for index, said in ((3, quote), (2, "stands in no message"), (2, " "), (-1, quote)):
        assert align_quote(session, index, said, AlignSettings()).near_misses == ()
    assert align_quote(Session([]), 0, quote, AlignSettings()).near_misses == ()
