"""The sandbox of a failure: as Codex states it, as Claude Code shows it, and shown only where it matters."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import show_case
from core.errors.lessons import Do, Lesson, LessonEvidence, When, agent_text, card
from core.flows.harvest.session import policy_in
from core.flows.transcripts.api import import_transcripts
from core.store import open_store
from tests.flows.harvest.chat import HOME, LOOKUP
from tests.flows.harvest.test_session import Transcript

SAID = (
    "<permissions instructions>\nFilesystem sandboxing defines which files can be read or written. `sandbox_mode` is"
    " `workspace-write`: The sandbox permits reading files. Network access is restricted.\n</permissions instructions>"
)
OPEN = SAID.replace("workspace-write", "danger-full-access").replace("restricted", "enabled")
LOCK = "fatal: Unable to create '/home/ana/shop/.git/index.lock': Operation not permitted"


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        (SAID, "workspace-write, no network"),
        (SAID.replace("restricted", "enabled"), "workspace-write"),
        (OPEN, "off"),
        ("<environment_context><sandbox_mode>read-only</sandbox_mode><network_access>restricted</network_access>",
         "read-only, no network"),
        ("<environment_context><shell>zsh</shell>", ""),
    ],
)  # fmt: skip
def test_codex_says_its_sandbox(text: str, policy: str) -> None:
    assert policy_in(text) == policy


def lesson_of(folder: Path, file: Path) -> Lesson:
    with open_store(folder / "casebook.db", write=True, create=True) as store:
        import_transcripts(store, "auto", [file])
        case = show_case(store, 1)
    assert case is not None and case.resolutions[0].lesson is not None
    return case.resolutions[0].lesson


COMMIT = ("git commit -m x", (128, LOCK), (0, "[main 1] x"))
LOOKUP_OF_HOST = "ssh: Could not resolve hostname github.com: Temporary failure in name resolution"


def codex(
    folder: Path,
    said: str,
    *,
    first: dict[str, Any] | None = None,
    ran: tuple[str, tuple[int, str], tuple[int, str]] = COMMIT,
) -> Path:
    """A command that the sandbox stops, and the same command outside of it, each with its exit code and output."""
    command, stopped, passed = ran
    rows: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": "cdx", "cwd": HOME, "timestamp": "2026-09-01T10:00:00.000Z"}),
        ("response_item", {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": said}]}),
    ]
    for at, (more, code, output) in enumerate(
        [(first or {}, *stopped), ({"sandbox_permissions": "require_escalated"}, *passed)]
    ):
        call = f"call_{'x' * 20}{at}"
        given = json.dumps({"cmd": command, **more})
        rows.append(("response_item", {"type": "function_call", "name": "exec_command", "arguments": given,
                                       "call_id": call}))  # fmt: skip
        text = f"Chunk ID: a{at}\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{output}"
        rows.append(("response_item", {"type": "function_call_output", "call_id": call, "output": text}))
    path = folder / "rollout-2026-09-01T10-00-00-cdx.jsonl"
    path.write_text("".join(
        json.dumps({"timestamp": f"2026-09-01T10:00:{at:02}.000Z", "type": kind, "payload": payload}) + "\n"
        for at, (kind, payload) in enumerate(rows)
    ))  # fmt: skip
    return path


def test_a_failure_of_codex_keeps_the_sandbox_it_came_in(tmp_path: Path) -> None:
    lesson = lesson_of(tmp_path, codex(tmp_path, SAID))
    assert lesson.when.sandbox == "workspace-write, no network"
    assert ("Sandbox", "workspace-write, no network") in card(lesson)
    assert "sandbox: workspace-write, no network" in agent_text(lesson)


def test_a_passing_run_outside_says_that_the_failure_came_inside(tmp_path: Path) -> None:
    file = codex(tmp_path, "<permissions instructions>nothing of it")
    assert lesson_of(tmp_path, file).when.sandbox == "on"


def test_an_answer_outside_the_sandbox_shows_that_the_failure_came_inside(tmp_path: Path) -> None:
    search = "git ls-remote --heads origin | rg refs/heads/tidy"
    lesson = lesson_of(tmp_path, codex(tmp_path, SAID, ran=(search, (1, LOOKUP_OF_HOST), (1, ""))))
    assert lesson.evidence[-1].why == "the same command passed outside the agent's sandbox"
    assert lesson.do.text == "Run it outside the sandbox: git ls-remote --heads origin"


@pytest.mark.parametrize(
    ("failed", "sandbox"),
    [(LOOKUP + "\n<sandbox_violations>\ndeny file-write\n</sandbox_violations>", "on"), (LOOKUP, "")],
)
def test_claude_code_shows_what_its_sandbox_stopped(tmp_path: Path, failed: str, sandbox: str) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", failed, 1).edit("a.py").bash("python app.py", "fine")
    assert lesson_of(tmp_path, chat.save()).when.sandbox == sandbox


def test_a_failing_call_outside_was_in_no_sandbox(tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in")
    chat.call("t1", "Bash", {"command": "python app.py", "dangerouslyDisableSandbox": True})
    chat.result("t1", f"Exit code 1\n{LOOKUP}", error=True).edit("a.py").bash("python app.py", "fine")
    lesson = lesson_of(tmp_path, chat.save())
    assert lesson.when.sandbox == "off" and "Sandbox" not in dict(card(lesson))


def test_it_is_shown_only_where_it_matters() -> None:
    plain = Lesson(When("KeyError: 'a'", "python", sandbox="workspace-write, no network"), Do("command", "make"))
    assert "Sandbox" not in dict(card(plain)) and "sandbox" not in agent_text(plain)
    closed = replace(plain, when=replace(plain.when, error="Could not resolve host: github.com"))
    assert "Sandbox" in dict(card(closed)) and "sandbox: workspace-write" in agent_text(closed)
    spoken = replace(plain, evidence=(LessonEvidence("s", 1, "the same command passed outside the agent's sandbox"),))
    assert "Sandbox" in dict(card(spoken))
    free = replace(closed, when=replace(closed.when, sandbox="off"))
    assert "Sandbox" not in dict(card(free))
