"""Changes in words for a person: swaps as swaps, two words in each other's place as one change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.align import align, read_extracted
from core.align.diff import changes_of, reason_of_each, reasons_of, verbatim
from core.align.guard import compare

CASES = (
    ("checked by the exporter, not by the uploader", "checked by the uploader, not by the exporter",
     "exporter⇄uploader", "swapped: “exporter … uploader” became “uploader … exporter”"),
    ("The limits are 500, 2000 rows.", "The limits are 2000, 500 rows.",
     "order: 500, 2000 → 2000, 500", "order: 500, 2000 → 2000, 500"),
    ("Set it to 500 and 2000 rows.", "Set it to 2000 and 500 rows.",
     "order: 500, 2000 → 2000, 500", "order: 500, 2000 → 2000, 500"),
    ("Tomás and Priya reviewed it.", "Priya and Tomás reviewed it.",
     "Tomás⇄Priya", "swapped: “Tomás … Priya” became “Priya … Tomás”"),
    ("첫 요청이 실패하면 응답을 돌려준다", "요청이 실패하면 첫 응답을 돌려준다",
     "첫 요청이 → 첫 응답을", "word order: “첫 요청이” became “첫 응답을”"),
)  # fmt: skip


@pytest.mark.parametrize(("source", "quote", "brief", "reason"), CASES)
def test_moved_words_are_told_as_the_swap_they_are(source: str, quote: str, brief: str, reason: str) -> None:
    found = compare(quote, source, lambda _: False)
    for diff in (found.diff, verbatim(quote, source)):  # as stored, and as shown
        assert changes_of(found.concerns, diff)[0] == brief
        assert reasons_of(found.concerns, diff)[0] == reason
        assert not any("moved" in one for one in reasons_of(found.concerns, diff)[1:])
        each = dict(zip((one.kind for one in found.concerns), reason_of_each(found.concerns, diff), strict=True))
        assert each["moved"] == reason


@pytest.mark.parametrize(
    ("source", "quote", "changes"),
    [
        ("관리자만 삭제가 금지됩니다", "관리자만 삭제가 허용됩니다", ("금지됩니다≠허용됩니다",)),
        ("관리자 삭제 금지", "관리자 삭제 허용", ("금지≠허용",)),
        ("All tenants are affected", "Most tenants are affected", ("All≠Most",)),
        ("Dana will merge it", "Priya will merge it", ("Dana≠Priya",)),
        ("It will not retry", "It will retry", ("-not",)),
        ("It will retry", "It will not retry", ("+not",)),
        ("Deploy on Thursday before lunch", "Deploy on Tuesday after lunch", ("Thursday≠Tuesday", "before≠after")),
    ],
)
def test_words_in_each_others_place_are_one_change(source: str, quote: str, changes: tuple[str, ...]) -> None:
    found = compare(quote, source, lambda _: False)
    assert changes_of(found.concerns, found.diff) == changes


def test_the_reasons_of_an_alignment_show_the_swap_under_the_same_kind() -> None:
    source, quote = "The limits are 500, 2000 rows at most.", "The limits are 2000, 500 rows at most."
    text = '{"entries": [{"entryId": "e", "type": "t", "title": "", "evidence": [{"messageIndex": 0, "quote": "%s"}]}]}'
    (entry,) = align([source], read_extracted(text % quote)).entries
    (one,) = entry.evidence
    (moved,) = [reason for reason in one.reasons if reason.kind == "moved"]
    assert moved.text == "order: 500, 2000 → 2000, 500"
    assert "".join(run.source for run in one.diff) == source


@given(st.text(max_size=60), st.text(max_size=60))
def test_every_concern_has_a_reason_and_a_change(quote: str, source: str) -> None:
    found = compare(quote, source, lambda _: False)
    for diff in (found.diff, verbatim(quote, source), ()):
        assert len(reason_of_each(found.concerns, diff)) == len(found.concerns)
        assert bool(changes_of(found.concerns, diff)) == bool(reasons_of(found.concerns, diff)) == bool(found.concerns)
