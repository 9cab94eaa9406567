"""Every entry of the registry against outputs of its tool; an empty key: nothing in the output names the failure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors.identity.fingerprint import identify
from core.errors.identity.keylines.select import TOOLS

CORPUS = Path(__file__).with_name("corpus.jsonl")
CASES = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['tool']}-{number}" for number, case in enumerate(CASES)])
def test_key_line_of_an_output(case: dict[str, str]) -> None:
    found = identify(case["raw"])
    if not case["key"]:
        assert [line.text for line in found.key_lines if line.role == "primary"] == []
        return
    assert (found.tool, found.key_line) == (case["tool"], case["key"])
    assert set(case["also"]) <= {line.text for line in found.key_lines[1:]}


def test_every_entry_is_in_the_corpus() -> None:
    seen = {case["tool"] for case in CASES}
    assert {tool.name for tool in TOOLS} - seen == set()


def test_patterns_compile_and_their_needles_can_occur() -> None:
    for tool in TOOLS:
        for rule in tool.rules:
            assert rule.pattern.groups >= 0
            assert all(rule.needles), tool.name
