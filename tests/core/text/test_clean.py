"""`clean` and its offsets."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import clean, clean_with_offsets
from core.text.cleaning import without_spelled_colours

ESCAPES = [
    "\x1b",
    "[",
    "31m",
    "\x1b[0m",
    "\x1b]52;c;",
    "\x07",
    "\x1b\\",
    "\x1bP",
    "\x9b",
    "\x9d",
    "\x9c",
    "\r",
    "\n",
    "\b",
]
LETTERS = ["ab", "\u00e9", "e\u0301", "\u1112\u1161\u11ab", "\u200b", "\u202e", "\ud800", "\ufeff", "\u2028", "\ufffe"]
PIECES = st.sampled_from(ESCAPES) | st.sampled_from(LETTERS)
FOREIGN = st.lists(PIECES | st.characters(exclude_categories=()), max_size=40).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[1;31merror\x1b[0m: no", "error: no"),
        ("\x1b]0;title\x07ok", "ok"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;aGk=\nnext", "\nnext"),
        ("a\x1bPq#0\x1b\\b\x1b_apc\x1b\\c\x1b^pm\x1b\\d\x1bXsos\x1b\\e", "abcde"),
        ("\x9b31mred\x9b0m \x9d0;t\x9cx", "red x"),
        ("\x1bcreset \x1b(Bset", "reset set"),
        ("a\x00b\x07c\x0bd\x7fe\x85f\tg", "abcdef\tg"),
        ("10%\r50%\r100%\r\nnext\r\n", "100%\nnext\n"),
        ("done\r", "done"),
        ("N\bNA\bA", "NA"),
        ("|\b/\b-\bok", "ok"),
        ("\ufeffz\u200bw\u202ej\u2066\u00ad", "zwj"),
        ("\ud800x", "\ufffdx"),
        ("\u1112\u1161\u11ab e\u0301", "한 é"),
        ("mojibake \u00e2\x80\x9d rest", "mojibake \u00e2 rest"),
        ("\x1b[", ""),
    ],
)
def test_what_a_terminal_would_have_shown_stays(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_limit_caps_what_is_read() -> None:
    assert clean("\x1b[31mabcdef", limit=8) == "abc"


@given(FOREIGN)
def test_clean_is_idempotent_normal_and_free_of_controls(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert unicodedata.is_normalized("NFC", once)
    bad = {sign for sign in once if unicodedata.category(sign) in ("Cc", "Cs") and sign not in "\n\t"}
    assert not bad


@given(FOREIGN)
def test_offsets_give_the_same_text_and_ordered_spans(text: str) -> None:
    cleaned = clean_with_offsets(text)
    assert cleaned.text == clean(text)
    last = 0
    for at, sign in enumerate(cleaned.text):
        start, end = cleaned.offsets.original_span(at, at + 1)
        assert last <= start < end <= len(text) or text[start:end].count("\b")
        if start + 1 == end and sign not in " \ufffd":
            assert unicodedata.normalize("NFC", text[start]) == sign
        last = start


def test_a_span_is_tight() -> None:
    raw = "x\x1b[31mTypeError\x1b[0m: \u1112\u1161\u11ab\r\nend"
    cleaned = clean_with_offsets(raw)
    for word, original in (("TypeError", "TypeError"), ("한", "\u1112\u1161\u11ab"), ("end", "end")):
        at = cleaned.text.index(word)
        start, end = cleaned.offsets.original_span(at, at + len(word))
        assert raw[start:end] == original


def test_a_colour_that_is_written_as_text_stays_where_it_is_shown() -> None:
    spelled = r"RED='\033[31m' echo -e \x1b[1;31mno\e[0m ^[[91myes^[[39m \n[31m ^[ [0m"
    assert clean(spelled) == spelled
    assert without_spelled_colours(spelled) == r"RED='' echo -e no yes \n[31m ^[ [0m"
