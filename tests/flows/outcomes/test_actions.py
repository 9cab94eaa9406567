"""What a fix says to do, and whether a step did it."""

from __future__ import annotations

import json

import pytest

from core.flows.harvest.changes import change_of
from core.flows.harvest.command import command_of
from core.flows.outcomes import actions_of, disagree, is_performed

HARVESTED = (
    "**Change** `src/a.ts`\n\n```diff\n- const total = sum(one)\n+ const total = sum(one, two)\n```\n\n"
    "**Run** `gh pr diff <NUMBER> --name-only`\n\n**instead of** `gh pr diff --stat`\n\n"
    "**Checked**: `npm test` no longer shows the error (message 9)."
)


def run(text: str, command: str, lesson: str | None = None) -> bool:
    return is_performed(actions_of(text, lesson), command_of("Bash", {"command": command}), None)


@pytest.mark.parametrize(
    ("text", "command", "done"),
    [
        ("npm install leftpad", "npm install leftpad", True),
        ("npm install leftpad", "cd web && npm install leftpad --save", True),
        ("npm install leftpad", "npm install rightpad", False),
        ("npm install leftpad", "npm test", False),
        (HARVESTED, "gh pr diff 12 --name-only", True),
        (HARVESTED, "gh pr diff --stat", False),
        (HARVESTED, "npm test", False),
        ("Stop the server:\n\n```sh\nkill <PID>\n```", "kill 4711", True),
        ("- `npm ci`\n- `npm rebuild`", "npm rebuild", True),
        ("the import was missing", "the other", False),
    ],
)
def test_a_command_counts_with_its_placeholders_filled_in(text: str, command: str, done: bool) -> None:
    assert run(text, command) is done


def test_the_do_of_a_lesson_goes_before_the_text() -> None:
    lesson = json.dumps({"do": "`uv sync --frozen`", "not": ["`uv lock`"]})
    assert run("npm install leftpad", "uv sync --frozen", lesson)
    assert not run("npm install leftpad", "npm install leftpad", lesson)


def test_the_command_of_a_structured_lesson_counts() -> None:
    do = {"kind": "command", "text": "git pull --rebase origin <branch>", "file": "", "instead_of": "git push origin"}
    lesson = json.dumps({"do": do})
    assert run("", "git pull --rebase origin main", lesson)
    assert not run("", "git push origin main", lesson)


def test_the_hunk_of_a_structured_lesson_counts() -> None:
    do = {"kind": "hunk", "text": "- const total = sum(one)\n+ const total = sum(one, two)", "file": "src/a.ts"}
    given = {"file_path": "/p/src/a.ts", "old_string": "x = sum(one)", "new_string": "const total = sum(one, two)"}
    change = change_of("Edit", given, None, {})
    assert is_performed(actions_of("", json.dumps({"do": do})), None, change)


def test_the_sentence_of_a_structured_lesson_is_read_as_text() -> None:
    lesson = json.dumps({"do": {"kind": "words", "text": "Start it: `docker compose up -d db`", "file": ""}})
    assert run("", "docker compose up -d db", lesson)
    assert not run("", "docker compose down", lesson)


def edit(old: str, new: str) -> bool:
    given = {"file_path": "/p/src/b.ts", "old_string": old, "new_string": new}
    return is_performed(actions_of(HARVESTED), None, change_of("Edit", given, None, {}))


def test_a_hunk_counts_where_its_lines_are_written_in_whatever_file() -> None:
    assert edit("  const total = sum(one)", "  const total = sum(one, two)")
    assert not edit("a", "b")


def test_two_fixes_disagree_where_one_undoes_the_other() -> None:
    back = "```diff\n- const total = sum(one, two)\n+ const total = sum(one)\n```"
    assert disagree(actions_of(HARVESTED), actions_of(back))
    assert not disagree(actions_of(HARVESTED), actions_of(HARVESTED))
    assert not disagree(actions_of(HARVESTED), actions_of("npm ci"))
