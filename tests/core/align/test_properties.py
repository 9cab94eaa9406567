"""What holds for any text: spans lie in their message, noise moves nothing, a diff gives back both sides."""

from __future__ import annotations

import unicodedata
from typing import Literal

from hypothesis import assume, example, given
from hypothesis import strategies as st

from core.align import AlignSettings, Session, Span, align_quote
from core.align.diff import verbatim
from core.align.guard import compare
from core.align.normalized_view import View
from core.align.result import hash_of

ANY = st.text(max_size=80)
WORDS = st.lists(
    st.sampled_from(
        ["cache", "cleared", "before", "run", "not", "서버를", "지운다", "café", "12%", "**run**", "x_y", "없이"]
    ),
    min_size=3,
    max_size=14,
).map(" ".join)
NOISE = st.sampled_from(["\u200b", "\u00ad", "\u2060", "\ufeff", "\u200d"])


@given(st.lists(ANY, max_size=4), st.text(max_size=60), st.integers(-2, 5))
@example(["\u0301" * 40], "\u0301" * 3, 0)
@example(["\ud800 hello there world"], "\ud800hello  there world", 0)
def test_a_span_lies_in_its_message_and_its_hash_is_that_of_the_matched_text(
    messages: list[str], quote: str, index: int
) -> None:
    found = align_quote(Session(messages), index, quote, AlignSettings())
    for span in (*found.spans, *(near.span for near in found.near_misses)):
        assert 0 <= span.start < span.end <= len(messages[span.message_index])
    if found.spans:
        places = found.spans[:1] if found.status == "ambiguous" else found.spans
        text = "".join(messages[span.message_index][span.start : span.end] for span in places)
        assert found.matched_hash == hash_of(text)
        if found.method == "exact":
            assert text == quote


@given(st.text(st.characters(), min_size=1, max_size=80), st.data())
def test_any_slice_is_found_as_itself_or_called_ambiguous(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = align_quote(Session(["before it", text]), 1, text[start:end], AlignSettings())
    if found.failure == "empty_quote":
        assert not View(text[start:end]).normal.strip()
        return
    assert Span(1, start, end) in found.spans
    assert found.status == "ambiguous" or found.spans == (Span(1, start, end),)


@given(WORDS, WORDS, WORDS, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_normal_form_and_line_endings_never_move_a_span(
    before: str, quote: str, after: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"]
) -> None:
    text = f"{before} one\n{quote}\ntwo {after}"
    plain = align_quote(Session([text]), 0, quote, AlignSettings())
    assume(plain.status in ("aligned", "flagged") and len(View(quote).letters) >= 4)
    noisy = text.replace("\n", "\r\n")
    found = align_quote(Session([noisy]), 0, unicodedata.normalize(form, quote).replace(" ", "\r\n"), AlignSettings())
    (span,) = found.spans
    assert noisy[span.start : span.end] == quote


@given(WORDS, WORDS, st.data())
def test_unseen_characters_never_move_a_span(before: str, quote: str, data: st.DataObject) -> None:
    text = f"{before} one. {quote} two."
    plain = align_quote(Session([text]), 0, quote, AlignSettings())
    assume(plain.status in ("aligned", "flagged") and len(View(quote).letters) >= 4)
    at = data.draw(st.integers(0, len(quote)))
    noisy = quote[:at] + data.draw(NOISE) + quote[at:]
    found = align_quote(Session([text]), 0, noisy, AlignSettings())
    assert found.spans == plain.spans
    there = align_quote(Session([text.replace(quote, noisy)]), 0, quote, AlignSettings())
    (span,) = there.spans
    assert View(text.replace(quote, noisy)[span.start : span.end]).normal == View(quote).normal


@given(WORDS, WORDS)
def test_the_diff_gives_back_both_sides(quote: str, source: str) -> None:
    diff = compare(quote, source, lambda _: False).diff
    for text, side in ((quote, "quote"), (source, "source")):
        joined = " ".join(part for run in diff if (part := getattr(run, side)))
        assert View(joined).letters == View(text).letters


@given(ANY, ANY)
def test_the_guard_takes_anything(quote: str, source: str) -> None:
    verdict = compare(quote, source, lambda _: False)
    assert compare(quote, quote, lambda _: False).concerns == ()
    assert all(concern.quote or concern.source for concern in verdict.concerns)


@given(WORDS, st.sampled_from([" ... ", " … ", " [...] ", " (중략) "]), st.data())
def test_fragments_stand_in_order_and_apart(text: str, sign: str, data: st.DataObject) -> None:
    words = text.split()
    cut = data.draw(st.integers(1, len(words) - 2))
    quote = " ".join(words[:cut]) + sign + " ".join(words[cut + 1 :])
    found = align_quote(Session([text]), 0, quote, AlignSettings())
    if found.status == "aligned" and len(found.spans) > 1:
        assert list(found.spans) == sorted(found.spans)
        assert all(one.end <= after.start for one, after in zip(found.spans, found.spans[1:], strict=False))


def test_a_long_run_of_one_sign_is_read_in_linear_time() -> None:
    """What backtracks takes minutes here; what does not, a moment. No clock: the suite's own limit would tell."""
    for sign in (" ", "\n", "...", "[", "> ", "1.", "\u0301", "\u200b", '"', "\\", "not "):
        text = sign * 60_000
        found = align_quote(Session([text]), 0, f"{text[:30_000]} word {text[:30_000]}", AlignSettings())
        assert found.status in ("failed", "ambiguous", "flagged", "aligned")


_MARKED = (
    (
        "SHA-1",
        "SHA-256",
        "70%",
        "70 percent",
        "run,",
        "don't",
        "n't",
        "do",
        "not",
        "“quoted”",
        '"quoted"',
        "x²",
        "½",
        "1,024",
    ),
    (
        "서버를",
        "지운다.",
        "café",
        "cafe\u0301",
        "a\u200db",
        "👩\u200d👩",
        "\t",
        "\n12→",
        "- item",
        "[…]",
        "(see",
        "it)",
        "ﬁne",
    ),
)
PIECES = st.lists(st.sampled_from(_MARKED[0] + _MARKED[1]), max_size=14).map(" ".join)


@given(st.one_of(PIECES, ANY), st.one_of(PIECES, ANY))
@example("SHA-1 costs 70%, then run,", "SHA-256 costs 70 percent, then run;")
def test_the_verbatim_diff_joined_is_the_two_texts(quote: str, source: str) -> None:
    diff = verbatim(quote, source)
    assert "".join(run.quote for run in diff) == quote
    assert "".join(run.source for run in diff) == source
    words = [run for run in compare(quote, source, lambda _: False).diff if not run.same]
    assert any(not run.same for run in diff) == bool(words), "it marks what the guard compares"


def test_a_negation_apart_from_its_verb_is_read_as_one() -> None:
    """As corpora write contractions, or where a quote begins in the middle of one."""
    source, quote = (f"the worker {words} hold the lock while the cache grows" for words in ("does not", "does n't"))
    assert align_quote(Session([source]), 0, quote, AlignSettings()).status == "aligned"
    for words in ("does", "n't"):
        other = f"the worker {words} hold the lock while the cache grows"
        assert align_quote(Session([quote]), 0, other, AlignSettings()).status != "aligned"


def test_marks_stand_on_whole_words_and_leave_the_signs_between_them() -> None:
    quote, source = "Use SHA-1 at 70%, then run, not now.", "Use SHA-256 at 75%, then run later."
    assert [(run.quote, run.source) for run in verbatim(quote, source) if not run.same] == [
        ("1", "256"), ("70", "75"), ("not now", "later"),
    ]  # fmt: skip
