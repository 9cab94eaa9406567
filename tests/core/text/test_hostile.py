"""Every door of `core.text` takes every hostile string, and lets nothing dangerous out."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from core.text import clean, clean_with_offsets, hangul_share, redact, tokens, visible, words

PATH = Path(__file__).parents[2] / "data" / "hostile.jsonl"
ROWS: list[dict[str, str]] = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def test_the_corpus_is_broad() -> None:
    assert len(ROWS) >= 60
    kinds = {row["kind"] for row in ROWS}
    assert kinds >= {"markup", "ansi", "osc52", "dcs", "c1", "bidi", "zero-width", "nul", "surrogate", "sql", "fts"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["kind"])
def test_nothing_dangerous_comes_out(row: dict[str, str]) -> None:
    text = row["text"]
    for out in (clean(text), visible(text), visible(redact(text))):
        assert not {sign for sign in out if unicodedata.category(sign) in ("Cc", "Cs")} - {"\n", "\t"}
        out.encode()
    cleaned = clean_with_offsets(text)
    assert cleaned.text == clean(text)
    assert cleaned.offsets.original_span(0, 0)[0] <= len(text)
    assert len(redact(text)) == len(visible(text)) == len(text)
    assert isinstance(words(text), tuple)
    assert isinstance(tokens(text), tuple)
    assert hangul_share(text) <= 1


@pytest.mark.parametrize("kind", ["osc52", "dcs"])
def test_payloads_of_terminal_commands_are_cleaned_away(kind: str) -> None:
    for row in ROWS:
        if row["kind"] == kind:
            assert "payload" not in clean(row["text"])
            assert "cm0gLXJmIC8" not in clean(row["text"])
