"""Patches and several edits at once are read as the edit they make: what goes is no mistake, what comes may be."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rules.format.book import Book, book_of
from core.rules.format.parse import parse_text
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall, as_edit, call_text

BAD, GOOD = "git push --force origin main", "git push --force-with-lease origin own"


def patch(old: str, new: str) -> str:
    return f"*** Begin Patch\n*** Update File: scripts/publish.sh\n@@\n set -e\n-{old}\n+{new}\n*** End Patch"


def calls(old: str, new: str) -> dict[str, ToolCall]:
    """The same edit in each way that agents have."""
    both = {"old_string": f"set -e\n{old}", "new_string": f"set -e\n{new}"}
    return {
        "Edit": ToolCall("Edit", {"file_path": "scripts/publish.sh", **both}),
        "MultiEdit": ToolCall("MultiEdit", {"file_path": "scripts/publish.sh", "edits": [both]}),
        "input": ToolCall("apply_patch", {"input": patch(old, new)}),
        "command": ToolCall("apply_patch", {"command": patch(old, new)}),
        "words": ToolCall("shell", {"command": ["apply_patch", patch(old, new)]}),
        "heredoc": ToolCall("Bash", {"command": f"apply_patch <<'EOF'\n{patch(old, new)}\nEOF"}),
    }


@pytest.fixture(scope="module")
def book() -> Book:
    return book_of(
        parse_text(
            "### ERR-001: Force push over a shared branch\n**Problem**: `git push --force` to main removed commits\n"
            "**Root Cause**: history was rewritten\n**Solution**: use `--force-with-lease` on a branch of your own\n"
        ).rules
    )


@pytest.mark.parametrize("way", calls("", ""))
def test_every_way_to_edit_is_read_alike(book: Book, way: str) -> None:
    made, mended = calls("git push", BAD)[way], calls(BAD, GOOD)[way]
    read = call_text(mended)
    assert read.languages == {"shell"}, "by the name of its file"
    assert BAD not in read.pattern_text, "what goes is no mistake"
    assert [one.id for one in match(book, made).rules] == ["ERR-001"]
    (before,), after = match(book, made).rules, match(book, mended)
    assert [*after.rules, *after.below][0].relevance_score <= before.relevance_score / 2


def test_what_a_patch_only_adds_is_content_and_its_other_files_are_named() -> None:
    text = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n*** Add File: b.py\n+y = 2\n*** End Patch\n"
    assert as_edit({"input": text, "workdir": "/w"}) == {
        "workdir": "/w", "file_path": "a.py", "other_path": ["b.py"], "content": "x = 1\ny = 2",
    }  # fmt: skip


@pytest.mark.parametrize(
    "given_",
    [
        {"command": "grep -rn '*** Begin Patch' docs"},
        {"content": patch(BAD, GOOD), "file_path": "a.md"},
        {"edits": "none"},
        {"edits": [{"old_string": 1}]},
        {"input": ["*** Begin Patch", 5]},
    ],
)
def test_what_is_no_patch_stays_as_it_is(given_: dict[str, Any]) -> None:
    assert as_edit(given_) == given_


@given(
    st.lists(st.sampled_from(["*** Begin Patch", "*** Update File: a", "*** End Patch", "-x", "+y", " z", "@@", ""]))
)
def test_any_patch_is_read(lines: list[str]) -> None:
    text = "\n".join(lines)
    told = json.dumps(as_edit({"input": text}))
    assert all(sign in told for sign, line in (("x", "-x"), ("y", "+y")) if line in lines)
