"""Which places are taken by one word of consent: none that says otherwise, is unlike the quote, or holds half of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.align import Concern
from core.align.fuzzy import CERTAIN
from core.evidence import add_entries, align_session, list_quotes, reject
from core.evidence.review.decisions import HALF, LONG, fit_of
from core.store import Store
from tests.core.evidence.evidence_support import (
    ALIGNED,
    AMBIGUOUS,
    FAILED,
    MESSAGES,
    NEAR,
    SESSION,
    add_messages,
    entry,
)

WORDS = st.lists(st.sampled_from(("the", "port", "retries", "세션", "배포는", "doesn't", "stop", "PORT", "30", "값을")),
                 min_size=1, max_size=40)  # fmt: skip
ENGLISH = "the export job copies the orders table into the archive bucket and it doesn't stop at night"
KOREAN = "세션이 끝나면 그때까지의 기록을 모두 저장하고 다음 세션에서 다시 읽어 이어서 작업을 진행한다고 했다"


@given(words=WORDS)
def test_the_quote_itself_fits_unless_the_guard_has_something_to_say(words: list[str]) -> None:
    quote = " ".join(words)
    assert fit_of(quote, quote).verdict == "fits"
    asked = fit_of(quote, quote, [Concern("negation", "n't", "")])
    assert (asked.verdict, asked.reasons) == ("asks", ("negation: the quote has “n't”",))


@given(quote=WORDS, there=WORDS, similarity=st.none() | st.floats(0, 1))
def test_what_fits_is_a_near_match_of_at_least_half_and_every_other_place_has_its_reasons_in_the_trace(
    quote: list[str], there: list[str], similarity: float | None
) -> None:
    found = fit_of(" ".join(quote), " ".join(there), (), similarity)
    near = found.similarity >= CERTAIN and found.covers >= HALF
    assert (found.verdict == "fits") == near
    (step,) = found.trace
    assert tuple(one.reason for one in step.steps) == found.reasons
    assert (step.outcome == "hit") == near
    assert near or found.reasons
    assert found.verdict != "too_little" or (len(there) <= 2 and len(" ".join(quote)) >= LONG)


@pytest.mark.parametrize(("quote", "there"), [(ENGLISH, "the"), (ENGLISH, "orders table"), (KOREAN, "세션")])
def test_a_word_or_two_is_no_place_for_a_long_quote_but_may_be_one_for_a_short(quote: str, there: str) -> None:
    assert fit_of(quote, there).verdict == "too_little"
    assert fit_of(quote[: LONG - 5], there).verdict == "asks"


@pytest.mark.parametrize(("near", "verdict"), [(0.64, "asks"), (0.78, "asks"), (CERTAIN, "fits")])
def test_a_miss_is_asked_about_by_how_like_the_aligner_found_it(near: float, verdict: str) -> None:
    assert fit_of(ENGLISH, ENGLISH, (), near).verdict == verdict


def test_a_row_says_in_a_word_or_two_what_differs(store: Store) -> None:
    add_messages(store, ["All 75 tests pass at the end of the run.", "The job does not write into the archive bucket."])
    at = len(MESSAGES)
    quotes = ((at, "All 57 tests pass at the end of the run."), (at + 1, "The job does write into the archive bucket."),
              AMBIGUOUS, NEAR, FAILED, ALIGNED)  # fmt: skip
    add_entries(store, SESSION, [entry(f"e{number}", quote) for number, quote in enumerate(quotes)])
    align_session(store, SESSION)
    found = [row.brief for row in list_quotes(store).quotes]
    assert found == ["75≠57", "-not", "2 locations", "61% similar", "not found", ""]
    reject(store, "mina", 5, "made up")
    assert list_quotes(store).quotes[4].brief == "made up"


def test_a_near_miss_says_what_differs_where_that_is_little(store: Store) -> None:
    add_messages(store, ["The exporter can retry the upload."])
    quotes = ((len(MESSAGES), "The exporter will retry upload."), NEAR)
    add_entries(store, SESSION, [entry(f"e{number}", quote) for number, quote in enumerate(quotes)])
    align_session(store, SESSION)
    rows = list_quotes(store).quotes
    assert [(row.state, row.brief) for row in rows] == [("near", "can≠will"), ("near", "61% similar")]
    assert rows[0].reason == "only 76% similar: below the threshold"
