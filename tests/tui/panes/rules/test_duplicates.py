"""Rules that share an id, or the name of their file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.rules.evaluation.labels import Label
from core.rules.format.book import book_of
from core.rules.format.parse import parse_text
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall
from tui.render.ranking import Ranked, RankRow, place_of, rows_of


def test_the_own_file_is_told_from_that_of_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert place_of(str(tmp_path / ".claude" / "memory.md"), 3) == "~/.claude/memory.md:3"
    assert place_of(str(tmp_path / "work" / "shop" / ".claude" / "memory.md"), 3) == ".claude/memory.md:3"
    assert place_of("/srv/shop/.claude/memory.md", 3) == ".claude/memory.md:3"


def test_what_is_right_of_one_of_two_rules_is_not_missing_of_the_other() -> None:
    text = (
        "### ERR-002: Force push\n**Problem**: `git push --force` removed commits\n**Solution**: revert\n\n"
        "### ERR-002: Branches\n**Problem**: branch names with a colon\n**Solution**: git branch -m\n"
    )
    found = match(book_of(parse_text(text, "memory.md").rules), ToolCall("Bash", {"command": "git push --force"}))
    assert len(found.rules) == 1
    below = replace(found.rules[0], title="Branches", relevance_score=0.1, line=5)
    found = replace(found, below=(below,))
    ranked = Ranked(ToolCall("Bash", {}), found, ("memory.md",), 2, (), Label(("ERR-002",)))
    rows = [row for row in rows_of(ranked) if isinstance(row, RankRow)]
    assert [row.label for row in rows] == ["right", ""]
