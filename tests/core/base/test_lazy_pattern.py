"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.select import TOOLS

ROOT = Path(__file__).resolve().parents[3]


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile
    monkeypatch.setattr(re, "compile", lambda source, flags=0: (compiled.append(source), real(source, flags))[1])
    pattern = lazy_pattern(r"(?P<n>\d+)", re.ASCII)
    assert compiled == []
    assert [m["n"] for m in pattern.finditer("1 ٣ 22")] == ["1", "22"]
    assert pattern.sub("#", "a1") == "a#"
    assert pattern.groupindex == {"n": 1}
    assert compiled == [r"(?P<n>\d+)"]


def test_a_wrong_pattern_and_a_wrong_name_say_so() -> None:
    with pytest.raises(re.error):
        lazy_pattern("(").search("x")
    with pytest.raises(AttributeError):
        _ = lazy_pattern("x").nothing  # pyright: ignore[reportAttributeAccessIssue]


def test_every_rule_of_every_tool_compiles() -> None:
    for tool in TOOLS:
        for rule in tool.rules:
            assert isinstance(rule.pattern.flags, int)


def test_no_group_is_repeated_possessively() -> None:
    """Before 3.11.5 Python keeps what the last, failing round of `(…)*+` consumed; `(?>(…)*)` means the same."""
    group = re.compile(r"\)(?:[*+?]|\{\{?\d*,?\d*\}?\})\+")
    lines = [line for path in (ROOT / "core").rglob("*.py") for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines if group.search(line)] == []
