"""error-kb REQ-RA-001 and DESIGN 6.1: the normalized error."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors.identity.fingerprint import normalize_error, normalize_line
from core.text import MASK, redact


def test_RA_001_1_path_in_quotes_becomes_a_string() -> None:
    assert normalize_error("Cannot find module '/Users/dev/project/src/index.ts'") == "Cannot find module <STR>"


def test_RA_001_2_number_and_path_are_masked() -> None:
    shown = normalize_error("Error at line 42 in /src/app.js: unexpected token")
    assert shown == "Error at line <N> in <PATH>: unexpected token"


def test_RA_001_3_three_hundred_characters_are_cut_to_two_hundred_and_trimmed() -> None:
    assert normalize_error("e" * 300) == "e" * 200
    assert normalize_error("x" * 199 + " " + "y" * 100) == "x" * 199


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("Can't load 'vue' in 'lib'", "Can't load <STR> in <STR>"),
        ("The key doesn't exist: it's gone", "The key doesn't exist: it's gone"),
        ("설정 'port'이(가) 없습니다: \"a.toml\"을 보세요", "설정 <STR>이(가) 없습니다: <STR>을 보세요"),
        ("input/output failure, and/or more", "input/output failure, and/or more"),
        ("stray end of </main> before <br />", "stray end of </main> before <br />"),
        ("open(/var/log/a.log:12:3), retry", "open(<PATH>:<N>:3), retry"),
        ("cp ~/a.txt ./b/c.txt ../d", "cp <PATH> <PATH> <PATH>"),
        ("C:\\Users\\민수\\a.txt is locked", "<PATH> is locked"),
        ("exit 9 then 10 then ٤٢", "exit 9 then <N> then ٤٢"),
        ("a / b", "a / b"),
        (f"'{'q' * 100}' and '{'r' * 101}'", f"<STR> and '{'r' * 101}'"[:200]),
        ("‘foo’ undeclared", "<STR> undeclared"),
        ("  padded  ", "padded"),
        ("", ""),
        (" \n\t\n", ""),
    ],
)
def test_rules(text: str, normalized: str) -> None:
    assert normalize_error(text) == normalized


def test_a_secret_leaves_no_trace_of_its_length() -> None:
    short, long = (normalize_error(redact(f"login failed: password={'k' * n}7z!")) for n in (8, 20))
    assert short == long
    assert MASK not in short


@pytest.mark.parametrize("tail", ["12345678", "/var/lib/app", "'quoted'"])
def test_the_cut_never_splits_a_placeholder(tail: str) -> None:
    for width in range(185, 203):
        text = "w" * (width - 1) + " " + tail
        assert normalize_error(text).count("<") == normalize_error(text).count(">")


@pytest.mark.parametrize(
    "cluster", ["e\u0301\u0302\u0303", "\U0001f1f0\U0001f1f7", "\U0001f44d\U0001f3fd", "👩\u200d💻"]
)
def test_the_cut_never_splits_a_character(cluster: str) -> None:
    assert normalize_line("x" * 199 + unicodedata.normalize("NFC", cluster) * 20) == "x" * 199


def test_an_output_is_reduced_to_its_key_line() -> None:
    trace = "Traceback (most recent call last):\n  File \"/a/b.py\", line 30, in f\n    g()\nKeyError: 'name'\n"
    assert normalize_error(trace) == "KeyError: <STR>"


@given(st.text(max_size=600))
def test_idempotent_bounded_and_never_raises(text: str) -> None:
    once = normalize_error(text)
    assert len(once) <= 200
    assert once == once.strip()
    assert normalize_error(once) == once


_PIECES = st.sampled_from(
    [
        "'",
        '"',
        "/",
        "\\",
        ":",
        "C:\\",
        "a",
        "ab",
        "12",
        "7",
        " ",
        "<",
        ">",
        "<STR>",
        "<PATH>",
        "<N>",
        ".",
        "~",
        "(",
        ")",
        "가",
        "‘",
        "’",
    ]
)


@given(st.lists(_PIECES, max_size=140).map("".join))
def test_idempotent_on_what_the_rules_are_about(text: str) -> None:
    once = normalize_error(text)
    assert normalize_error(once) == once
    assert len(once) <= 200
