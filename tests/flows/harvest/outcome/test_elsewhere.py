"""Failures that a command with exit code 0 shows, and the ends of commands that another call reports."""

from __future__ import annotations

import pytest

from core.flows.harvest.command import command_of
from core.flows.harvest.events import Ran
from core.flows.harvest.outcome import Outcome, judge
from tests.flows.harvest.chat import LOOKUP, Chat

JOB = "lint\tRun\t2026-07-23T15:20:36.2967880Z "
LOG = f"{JOB}error[E0432]: unresolved import `crate::a`\n{JOB}##[error]issues found\n"
LIMIT = '{"message":"API rate limit exceeded for 1.2.3.4.","documentation_url":"https://docs.example.org"}'
CRASH = "starting\nTraceback (most recent call last):\n  File \"a.py\", line 9, in <module>\nKeyError: 'currency'\n"


def judged(command: str, text: str) -> Outcome:
    ran = Ran("s", 0, "main", "Bash", {"command": command}, text, "none", None)
    return judge(ran, command_of("Bash", ran.tool_input))


@pytest.mark.parametrize(
    ("command", "text", "key"),
    [
        ("gh run view 3 --log-failed | tail -150", LOG, "error[E0432]: unresolved import `crate::a`"),
        ("gh run view 3 --job 4 --log", LOG, "error[E0432]: unresolved import `crate::a`"),
        ("curl -s https://api.example.org/a", LIMIT, "API rate limit exceeded for 1.2.3.4."),
        ("kubectl logs -n a b --previous", CRASH, "KeyError: 'currency'"),
    ],
)
def test_what_failed_elsewhere_is_an_incident(command: str, text: str, key: str) -> None:
    outcome = judged(command, text)
    assert (outcome.sign, outcome.elsewhere) == ("incident", True)
    assert [error.key.text for error in outcome.errors] == [key]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("gh run view 3 --log", LOG.replace("##[error]issues found", "done")),
        ("gh run view 3 --log-failed | rg zzz", ""),
        ("curl -s http://localhost:8080/api/a", LIMIT),
        ("curl -s https://api.example.org/a", '{"message": "hello", "status": 200}'),
        ("cat answer.json", LIMIT),
        ("kubectl logs -n a b", CRASH),
        ("kubectl logs -n a b --previous", CRASH + "retried\nready\nlistening\n"),
    ],
)
def test_what_only_quotes_a_failure_is_none(command: str, text: str) -> None:
    assert judged(command, text).sign is None


def test_another_look_at_the_log_corrects_nothing() -> None:
    chat = Chat().sh("gh run view 3 --log-failed", LOG).sh("gh run view 3 --log | rg crate::b", "use crate::b;")
    assert not chat.one().resolved


@pytest.mark.parametrize(
    ("command", "text", "key"),
    [
        ("go build ./... | tail -5", "pattern ./...: directory prefix . does not contain main module", None),
        ("golangci-lint run | tail", 'level=error msg="typechecking error: no such package"\n0 issues.', None),
        ("make test | tail -3", "11 passed in 0.2s\nmake: *** [test] Error 1", None),
        (
            "pnpm i | cat",
            "│ error: could not lock config file .git/config: Operation not permitted\n ELIFECYCLE  failed",
            None,
        ),
        (
            "node -e 'import(\"a\")' | cat",
            "Error [ERR_PACKAGE_PATH_NOT_EXPORTED]: Package subpath './a' is not defined",
            None,
        ),
        ("gh pr list | cat; echo done", "To get started with GitHub CLI, please run:  gh auth login\ndone", None),
    ],
)
def test_a_hidden_exit_code_is_read_from_what_is_shown(command: str, text: str, key: str | None) -> None:
    assert judged(command, text).sign in ("incident", "noise")


def test_a_check_that_printed_nothing_wrong_has_passed() -> None:
    assert judged("go build ./... | tail -5", "go: downloading a v1.2.3").sign is None


CODEX = (
    "const r = await tools.exec_command({cmd}); text(r.output); if (r.session_id) text(`SESSION_ID=${r.session_id}`)"
)


def test_the_end_of_a_script_ends_the_command_in_it() -> None:
    """A cell that still runs is waited for; then its command lives on in a session, which another script asks."""
    run = {"cmd": "python app.py", "input": CODEX}
    chat = Chat().tool("exec", run, "Script running with cell ID 5\nOutput:\n", facts={"running": True})
    chat.tool("wait", {"cell_id": "5"}, f"Script completed\nOutput:\n\n{LOOKUP}", facts={"script": True}).edit()
    chat.tool("exec", run, "Script running with cell ID 6\nOutput:\n", facts={"running": True})
    moved = {"script": True, "background": "42"}
    chat.tool("wait", {"cell_id": "6"}, "Script completed\nOutput:\nSESSION_ID=42", facts=moved)
    look = {"session_id": 42, "input": "text(r.output); if (r.session_id) text(r.session_id)"}
    chat.tool("write_stdin", look, "Script completed\nOutput:\nall is well", facts={"script": True})
    error = chat.one()
    assert (error.key_line, error.resolved) == ("KeyError: 'currency'", True)


def test_a_script_that_does_not_say_whether_its_command_ended_proves_little() -> None:
    run = {"cmd": "python app.py", "input": "text(r.output)"}
    chat = Chat().tool("exec", run, "Script running with cell ID 5\nOutput:\n", facts={"running": True})
    chat.tool("wait", {"cell_id": "5"}, f"Script completed\nOutput:\n\n{LOOKUP}", facts={"script": True}).edit()
    chat.tool("exec", run, "Script running with cell ID 6\nOutput:\n", facts={"running": True})
    chat.tool("wait", {"cell_id": "6"}, "Script completed\nOutput:\nall is well so far", facts={"script": True})
    assert chat.one().strength == "weak"


def test_a_look_that_only_prints_the_output_does_not_end_the_task() -> None:
    told = "text(r.output); if (r.session_id) text(`SESSION_ID=${r.session_id}`)"
    began = {"script": True, "background": "42"}
    chat = Chat().tool("exec", {"cmd": "python app.py", "input": told}, "Script completed\nOutput:\n42", facts=began)
    for text in ("Step 4/9", LOOKUP):
        look = {"session_id": 42, "input": "text(r.output)"}
        chat.tool("write_stdin", look, f"Script completed\nOutput:\n{text}", facts={"script": True})
    assert [error.key_line for error in chat.found()] == ["KeyError: 'currency'"]


def test_a_check_that_refused_its_arguments_is_corrected_by_others() -> None:
    chat = Chat().sh("cargo test alpha --lib", "error: no library targets found in package `hk`", 101)
    error = chat.sh("cargo test alpha", "test result: ok. 1 passed").one()
    assert error.resolved and error.instead is not None


def test_a_look_is_no_correction_of_what_was_to_be_done() -> None:
    chat = Chat().sh("git diff src | git apply --cached", "error: corrupt patch at line 13", 128)
    assert not chat.sh("git diff src | sed -n 1,20p", "+a").one().resolved


@pytest.mark.parametrize(
    ("missing", "failing", "passing"),
    [
        ("timeout", "timeout 900 pytest -q | tail -15", "pytest -q | tail -12"),
        ("rtk", "rtk git push origin main", "git push origin main"),
        ("jq", "python report.py | jq .rows", "python report.py"),
    ],
)
def test_to_do_without_what_is_missing_is_a_fix(missing: str, failing: str, passing: str) -> None:
    error = Chat().sh(failing, f"zsh:1: command not found: {missing}", 127).sh(passing, "3 passed").one()
    assert error.resolved and error.links and f"`{missing}`" in error.links[0].why


def test_to_do_less_is_no_way_around_what_is_missing() -> None:
    chat = Chat().sh("python report.py && jq .rows a.json", "zsh:1: command not found: jq", 127)
    assert not chat.sh("git status --short", "").one().resolved
