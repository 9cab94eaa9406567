"""`casebook evidence align`: exit codes, text that is inert, and JSON that satisfies its schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

Run = Callable[..., Any]
SCHEMA = Path(__file__).resolve().parents[3] / "core" / "schemas" / "alignment.v1.json"
MESSAGES = ["DuckDB의 JSONB를 JSON으로 변경했다.", {"role": "user", "text": "The cache is cleared before each run."}]
GOOD = {"messageIndex": 0, "quote": "JSONB를 JSON으로 변경했다"}
FLIPPED = {"messageIndex": 1, "quote": "The cache is cleared after each run."}


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    def make(*evidence: object, title: str = "a claim") -> list[str]:
        messages, extracted = tmp_path / "messages.json", tmp_path / "extracted.json"
        messages.write_text(json.dumps(MESSAGES), encoding="utf-8")
        entry = {"entryId": "e1", "type": "fact", "title": title, "evidence": evidence}
        extracted.write_text(json.dumps({"entries": [entry]}), encoding="utf-8")
        return ["evidence", "align", "--messages", str(messages), "--extracted", str(extracted)]

    return make


def test_all_aligned_exits_0_and_the_json_satisfies_its_schema(run: Run, files: Callable[..., list[str]]) -> None:
    done = run(*files(GOOD), "--json")
    assert done.code == 0
    found = done.json()
    jsonschema.validate(found, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert found["entries"][0]["evidence"][0]["spans"] == [{"messageIndex": 0, "start": 8, "end": 26}]


def test_a_changed_word_exits_1_with_the_reason_and_the_difference(run: Run, files: Callable[..., list[str]]) -> None:
    done = run(*files(GOOD, FLIPPED))
    assert done.code == 1
    assert "[-before-] {+after+}" in done.text
    assert "1 aligned, 1 flagged, 0 ambiguous, 0 failed" in done.text
    assert run(*files(GOOD, FLIPPED), "--guard", "off").code == 0


def test_no_evidence_is_never_aligned(run: Run, files: Callable[..., list[str]]) -> None:
    assert run(*files()).code == 1


def test_foreign_text_is_inert(run: Run, files: Callable[..., list[str]]) -> None:
    evil = "\x1b]52;c;aGk=\x07\u202e[bold]"
    text = run(*files({"messageIndex": 0, "quote": evil}, title=evil)).text
    assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in text)
    assert "\u202e" not in text


@pytest.mark.parametrize("text", ["", "{", "[]", '{"entries": [{}]}'])
def test_a_bad_file_is_one_fault(run: Run, files: Callable[..., list[str]], tmp_path: Path, text: str) -> None:
    args = files(GOOD)
    (tmp_path / "extracted.json").write_text(text, encoding="utf-8")
    assert run(*args).code == 2
    assert run(*args[:-1], str(tmp_path / "not there.json")).code == 2
