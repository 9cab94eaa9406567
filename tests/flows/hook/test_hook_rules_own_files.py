"""The user's own tables are followed from call to call, and a file that is wrong costs only what is in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.flows.hook.payload import read_payload
from core.flows.hook.pre_tool_use import Advice, advise
from core.flows.rules.files import ScopedFiles
from tests.flows.hook.test_hook_rules import NO_MODEL, RULES, home, payload

__all__ = ["home"]
OTHER = "### ERR-009: Deployment on a Friday\n**Problem**: `deploy --now` on a Friday\n**Solution**: wait for Monday\n"


def told(home: Path, files: ScopedFiles, command: str = "git push --force origin main") -> Advice:
    event = read_payload(payload(home, command))
    assert event is not None
    assert not isinstance(event, str)
    return advise(event, files, None, home / "a.db", NO_MODEL, 3)


def ids(found: Advice) -> list[str]:
    return [one.id for one in found.found.rules]


def own_table(home: Path, text: str) -> Path:
    path = home / ".config" / "casebook" / "rules.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_an_edit_of_the_users_table_counts_from_the_next_call_on(home: Path) -> None:
    files: ScopedFiles = ((home / ".claude" / "memory.md", "global"),)
    assert ids(told(home, files, "make bananas")) == []
    table = own_table(home, '[error_patterns.a]\nmatch = "bananas"\nrules = ["ERR-002"]\n')
    assert ids(told(home, files, "make bananas")) == ["ERR-002"]
    table.unlink()
    assert ids(told(home, files, "make bananas")) == []


def test_a_table_that_is_wrong_is_told_of_and_the_shipped_ones_answer(home: Path) -> None:
    files: ScopedFiles = ((home / ".claude" / "memory.md", "global"),)
    own_table(home, "x = [")
    found = told(home, files)
    assert ids(found) == ["ERR-001"]
    assert "rules.toml" in found.unread[0]


@pytest.mark.parametrize("wrong", ["gone", "large"])
def test_a_file_that_cannot_be_read_leaves_the_rules_of_the_others(home: Path, wrong: str) -> None:
    project = home / "work" / "memory.md"
    project.write_text(OTHER, encoding="utf-8")
    own = home / ".claude" / "memory.md"
    files: ScopedFiles = ((own, "global"), (project, "project"))
    assert ids(told(home, files, "deploy --now, it is Friday"))[:1] == ["ERR-009"]
    if wrong == "gone":
        own.unlink()
    else:
        os.truncate(own, 20 << 20)
    found = told(home, files, "deploy --now, it is Friday")
    assert ids(found) == ["ERR-009"]
    assert found.files == ((project, "project"),)
    assert "memory.md" in found.unread[0]
    own.write_text(RULES, encoding="utf-8")
    assert told(home, files).unread == ()
