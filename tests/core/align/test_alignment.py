"""A whole extraction: entries, counts, warnings, repeated mentions; and the seed's own five tests."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from core.align import (
    AlignSettings,
    ExtractedEntry,
    ExtractedQuote,
    Session,
    Span,
    align,
    align_claims,
    align_quote,
    extraction_prompt,
    read_extracted,
    read_messages,
    settle,
)
from core.align.input import Extracted, extracted_from
from core.base.fault import Fault
from core.base.wire import to_wire

MESSAGES = [
    "DuckDB의 JSONB를 JSON으로 변경했고, 벡터 검색은 그대로 둔다.",
    "Run the tests again. Then run the linter. Run the tests again. The cache is cleared before each run.",
]


def entry(*quotes: tuple[int, str], name: str = "e") -> ExtractedEntry:
    return ExtractedEntry(name, "fact", "", tuple(ExtractedQuote(index, quote) for index, quote in quotes))


def test_an_entry_is_aligned_only_where_every_quote_is_and_there_is_one() -> None:
    result = align(
        MESSAGES,
        Extracted(
            (
                entry((0, "벡터 검색은 그대로 둔다"), name="all"),
                entry((0, "벡터 검색은 그대로 둔다"), (0, "벡터 검색은 이제 하지 않는다"), name="one not"),
                entry(name="none"),
                entry((1, "The cache is cleared after each run."), name="flagged"),
                entry((1, "Run the tests again."), name="ambiguous"),
            )
        ),
    )
    assert [one.evidenceAligned for one in result.entries] == [True, False, False, False, False]
    counts = result.alignedCount, result.flaggedCount, result.ambiguousCount, result.failedCount
    assert counts == (2, 1, 1, 1)
    assert not result.evidence_aligned
    assert len(result.failed_quotes) == 3


def test_the_hashes_are_of_the_quote_and_of_the_original_words() -> None:
    (found,) = align(MESSAGES, Extracted((entry((1, "the CACHE is  cleared")),))).entries[0].evidence
    assert found.quoteHash == sha256(b"the CACHE is  cleared").hexdigest()
    assert found.matchedHash == sha256(b"The cache is cleared").hexdigest()


def test_as_many_mentions_as_places_are_these_places_in_order() -> None:
    quote = "Run the tests again."
    both = align(MESSAGES, Extracted((entry((1, quote), (1, quote)),))).entries[0]
    assert [one.spans[0].start for one in both.evidence] == [0, 42]
    assert both.evidenceAligned
    for mentions in (1, 3):
        other = align(MESSAGES, Extracted((entry(*[(1, quote)] * mentions),))).entries[0]
        assert {one.status for one in other.evidence} == {"ambiguous"}


def test_a_chosen_place_is_guarded_like_any_other() -> None:
    session = Session(["We never run the tests again here. Run the tests again here."])
    quote = "run the tests again here."
    found = align_quote(session, 0, quote, AlignSettings())
    assert found.status != "aligned"
    text = session.messages[0]
    twice = Session([text.replace("Run", "run")])
    found = align_quote(twice, 0, quote, AlignSettings())
    assert found.status == "ambiguous"
    first, second = found.spans
    assert settle(twice, quote, found, first, AlignSettings()).status == "flagged"
    assert settle(twice, quote, found, second, AlignSettings()).status == "aligned"
    with pytest.raises(ValueError, match="location"):
        settle(twice, quote, found, Span(0, 1, 2), AlignSettings())


def test_places_from_the_model_are_ignored_and_lengths_advised() -> None:
    given = {"entries": [{"entryId": "a", "evidence": [{"messageIndex": 0, "quote": "JSONB를", "spanStart": 3}]}]}
    found = read_extracted(json.dumps(given))
    assert len(found.warnings) == 2
    assert "ignores spanStart" in found.warnings[0]
    assert "30 to 200" in found.warnings[1]
    assert align(MESSAGES, found).entries[0].evidence[0].spans[0].start == 8


@pytest.mark.parametrize(
    "text", ["", "[]", "3", '{"entries": 1}', '{"entries": [1]}', '{"entries": [{}]}', "[" * 100_000]
)
def test_what_is_no_extraction_is_one_fault(text: str) -> None:
    with pytest.raises(Fault) as caught:
        read_extracted(text)
    assert caught.value.code == "invalid_input"


@pytest.mark.parametrize("text", ["", "{}", '[1, "a"]', '[{"role": "user"}]', "[null]"])
def test_what_are_no_messages_is_one_fault(text: str) -> None:
    with pytest.raises(Fault):
        read_messages(text)


@pytest.mark.parametrize(
    ("index", "quote", "reason"),
    [
        (-1, "Run the tests again.", "index_out_of_range"),
        (2, "Run the tests again.", "index_out_of_range"),
        (True, "Run the tests again.", "index_out_of_range"),
        ("0", "Run the tests again.", "index_out_of_range"),
        (1.0, "Run the tests again.", "index_out_of_range"),
        (None, "Run the tests again.", "index_out_of_range"),
        (0, " \u200b\u00ad\n", "empty_quote"),
        (0, "이 문장은 어디에도 나오지 않는 말이다 " * 40, "quote_too_long"),
        (0, "Owls hunt quietly above frozen meadows", "not_found"),
    ],
)
def test_every_failure_has_its_reason(index: object, quote: str, reason: str) -> None:
    given = extracted_from({"evidence": [{"messageIndex": index, "quote": quote}]})
    (found,) = align(MESSAGES, given).entries[0].evidence
    assert (found.status, found.reason, found.method, found.confidence) == ("failed", reason, "none", 0.0)
    assert json.dumps(to_wire(found))


def test_the_prompt_asks_for_no_places_and_numbers_the_messages() -> None:
    said = extraction_prompt(MESSAGES)
    assert "[0]\nDuckDB" in said
    assert "Do not give spanStart" in said


# The seed's five required tests (evidence-aligner-v2, plan).


def test_seed_1_exact_match() -> None:
    """The seed expects 7..18. Counted, "JSONB를 JSON으로" stands at 8..21: its own number was a guess."""
    source = "DuckDB의 JSONB를 JSON으로 변경"
    (found,) = align([source], extracted_from({"evidence": [{"messageIndex": 0, "quote": "JSONB를 JSON으로"}]})).entries
    (one,) = found.evidence
    assert [(span.start, span.end) for span in one.spans] == [(8, 21)]
    assert source[8:21] == "JSONB를 JSON으로"
    assert (one.confidence, one.method) == (1.0, "exact")


def test_seed_2_normalized_match() -> None:
    found = align_quote(Session(["JSONB를 JSON으로\n변경"]), 0, "JSONB를 JSON으로 변경", AlignSettings())
    assert (found.status, found.method) == ("aligned", "normalized")


def test_seed_3_fuzzy_match() -> None:
    """The seed's windows (at least as long as the quote, then 1.1 and 1.2 times) find nothing here: the only one that
    reaches 0.85 is the whole message of 21 characters, and none of its windows has that length."""
    source = "DuckDB에서 JSONB 타입을 제거"
    found = align_quote(Session([source]), 0, "DuckDB JSONB 타입 제거", AlignSettings())
    assert found.method == "fuzzy"
    assert 0.85 <= found.confidence < 0.95
    assert found.spans == (Span(0, 0, len(source)),)


def test_seed_4_no_match() -> None:
    result = align(
        ["벡터 검색을 구현합니다"], extracted_from({"evidence": [{"messageIndex": 0, "quote": "JSONB를 제거"}]})
    )
    assert (result.evidence_aligned, result.failed_quotes) == (False, ("JSONB를 제거",))


def test_seed_5_nothing_without_evidence_is_ready_for_promotion() -> None:
    """What a promotion asks of an alignment is this flag, false for "all of none"; that it is refused is tested with
    the entries (`test_seed_5_promotion_is_refused`)."""
    assert not align(MESSAGES, Extracted((entry(),))).entries[0].evidenceAligned


def test_the_seeds_first_call_still_answers() -> None:
    found = align_claims(["JSONB를 JSON으로", "JSONB를 XML로 옮기지 않기로 했다"], MESSAGES[0])
    assert [(one.claim, one.start, one.end) for one in found.spans] == [("JSONB를 JSON으로", 8, 21)]
    assert found.missing_claims == ("JSONB를 XML로 옮기지 않기로 했다",)
