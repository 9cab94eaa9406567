"""Which results of a session are errors of the project, and which only look like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.flows.harvest.events import Event, Ran, Statement
from core.flows.harvest.explanation import LIMIT
from core.flows.harvest.reducer import harvest
from tests.flows.harvest.chat import LOOKUP, NONE, VITEST, Chat


def keys(chat: Chat) -> list[str]:
    return [error.key_line for error in chat.found()]


def test_a_failed_command_is_one_error_with_its_place() -> None:
    error = Chat().say("running").sh("python app.py", LOOKUP, 1).one()
    assert (error.key_line, error.tool, error.command) == ("KeyError: 'currency'", "Bash", "python app.py")
    assert (error.session_id, error.message_idx) == ("s", 1)
    text = f"Exit code 1\n{LOOKUP}"
    assert text[slice(*error.span)] == "KeyError: 'currency'"
    assert not error.resolved and error.resolution_text is None


@pytest.mark.parametrize(
    ("command", "output", "tool"),
    [
        ("rg -n 'a(' src | head", "rg: unrecognized flag -z9", "rg"),
        ("flyctl deploy", "Error: --image-label requires a value", "flyctl"),
        ("Get-Content a.rs | Select-String '('", "Select-String: The string ( is invalid.", "Select-String"),
        ("make-report && flyctl deploy", "Error: --image-label requires a value", "unknown"),
        ("python app.py", LOOKUP, "python"),
    ],
)
def test_the_program_is_the_tool_of_an_error_that_no_rule_knows(command: str, output: str, tool: str) -> None:
    assert Chat().sh(command, output, 2).one().key.tool == tool


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        ("denied", "The user doesn't want to proceed with this tool use."),
        ("interrupted", "[Request interrupted by user for tool use]"),
        ("tool_use_error", "<tool_use_error>Error: unknown option</tool_use_error>"),
    ],
)
def test_denials_interrupts_and_misuse_are_no_errors(failure: object, text: str) -> None:
    assert keys(Chat().tool("Bash", {"command": "npm test"}, f"{text}\n{LOOKUP}", failure)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("tool", ["Read", "Edit", "Grep", "WebFetch", "BashOutput", "KillShell", "Task", "apply_patch"])
def test_failures_of_the_agents_own_tools_are_no_project_errors(tool: str) -> None:
    assert keys(Chat().tool(tool, {"file_path": "x", "url": "y"}, f"Error: 404\n{LOOKUP}", "error")) == []


def test_another_tool_counts_only_where_its_failure_reads_like_an_error() -> None:
    name = "mcp__runner__run_tests"
    assert keys(Chat().tool(name, {"suite": "unit"}, LOOKUP, "error")) == ["KeyError: 'currency'"]
    assert keys(Chat().tool(name, {"suite": "unit"}, "no such suite", "error")) == []


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("grep -q currency app.py", ""),
        ("diff old.txt new.txt", "1c1\n< error: old\n---\n> error: new"),
        ("git diff --quiet", ""),
        ("test -f dist/app.js", ""),
        ("which poetry", ""),
        ("pgrep -f vite", ""),
        ("cmp a.bin b.bin", "a.bin b.bin differ: byte 1, line 1"),
        ("cd src && rg 'error TS'", ""),
        ("npm test 2>&1 | grep FAIL", ""),
    ],
)
def test_exit_1_of_an_answer_is_no_error(command: str, output: str) -> None:
    assert keys(Chat().sh(command, output, 1)) == []


def test_an_answer_command_that_complains_is_an_error() -> None:
    (key,) = keys(Chat().sh("grep 'a[' app.py", "grep: brackets ([ ]) not balanced", 2))
    assert "not balanced" in key


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("grep currency gone.py", "grep: gone.py: No such file or directory"),
        ("ls -l .git/index.lock", "ls: .git/index.lock: No such file or directory"),
        ("sed -n 1,9p a.py && rg -n map docs README", "rg: README: No such file or directory (os error 2)"),
        ("git show HEAD:gone.py", "fatal: path 'gone.py' does not exist in 'HEAD'"),
    ],
)
def test_a_look_at_a_file_that_is_not_there_is_an_answer(command: str, output: str) -> None:
    assert keys(Chat().sh(command, output, 2)) == []


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat build.log", LOOKUP),
        ("cat build.log || true", LOOKUP),
        ("grep -rn 'error TS' docs | head", "docs/a.md:3:error TS2304: Cannot find name 'x'."),
        ("tail -50 server.log | tail -3", "npm error code E401"),
        ("git log -3 | cat", "fatal: the word in a commit message"),
        ("docker compose logs api | tail -5", LOOKUP),
        ("npm run lint 2>&1 | tail -3", "Found 0 errors, 0 warnings"),
        ("npm test 2>&1 | tail -4", "expected console noise\nError: boom\n Tests  4 passed (4)"),
    ],
)
def test_text_that_quotes_errors_is_none(command: str, output: str) -> None:
    assert keys(Chat().sh(command, output)) == []


def test_a_document_read_by_a_tool_is_none() -> None:
    assert keys(Chat().read(LOOKUP).say(LOOKUP).user(LOOKUP)) == []


@pytest.mark.parametrize(
    "command",
    [
        "npm test 2>&1 | tail -20",
        "npm test || true",
        "npm test; echo done",
        "npm test > out.log 2>&1; tail -20 out.log",
        "bash -lc 'npm test | tail'",
        "npm test 2>&1 | Select-Object -Last 20",
    ],
)
def test_a_masked_exit_code_hides_no_error(command: str) -> None:
    assert keys(Chat().sh(command, VITEST)) == ["TypeError: add is not a function"]


def test_an_exit_code_that_the_command_prints_itself_decides() -> None:
    command = 'python app.py; echo "exit: $?"'
    assert keys(Chat().sh(command, f"{LOOKUP}exit: 1")) == ["KeyError: 'currency'"]
    assert keys(Chat().sh(command, f"{LOOKUP}recovered\nexit: 0")) == []


def test_the_exit_code_of_a_pipes_last_command_is_not_that_of_the_first() -> None:
    assert keys(Chat().sh("python app.py | tail; echo $?", f"{LOOKUP}0")) == ["KeyError: 'currency'"]


def test_an_unmasked_success_is_believed_whatever_it_prints() -> None:
    assert keys(Chat().sh("python app.py", f"{LOOKUP}handled, going on")) == []


def test_each_diagnosis_of_a_compiler_is_an_error_of_its_own() -> None:
    output = (
        "src/a.ts(3,20): error TS7016: Could not find a declaration file for module 'maps'.\n"
        "src/b.ts(16,3): error TS2322: Type 'string' is not assignable to type 'number'.\n"
    )
    assert [key.split(":")[0] for key in keys(Chat().sh("npm run build", output, 2))] == [
        "error TS7016",
        "error TS2322",
    ]


def test_the_cause_of_an_exception_is_no_error_of_its_own() -> None:
    chained = f"{LOOKUP}\nDuring handling of the above exception, another exception occurred:\n\n{NONE}"
    assert keys(Chat().sh("python app.py", chained, 1)) == ["TypeError: 'NoneType' object is not iterable"]


def test_an_error_seen_again_before_it_is_fixed_is_one_error() -> None:
    chat = Chat().sh("pytest -q", LOOKUP, 1).edit().sh("pytest -q", LOOKUP, 1).sh("pytest -x", LOOKUP, 1)
    assert keys(chat) == ["KeyError: 'currency'"]


def test_output_that_names_nothing_is_no_error() -> None:
    assert keys(Chat().sh("make -s", "", 2).sh("npm test", "Command timed out after 2m 0.0s", 143)) == []


def test_a_result_without_a_command_is_no_error() -> None:
    assert keys(Chat().tool("Bash", {}, f"Exit code 1\n{LOOKUP}", "error", 1)) == []


def test_a_background_start_is_neither_success_nor_failure() -> None:
    started = {"command": "npm run build", "run_in_background": True}
    note = "Command running in background with ID: b1"
    chat = Chat().sh("npm run build", "src/a.ts(1,2): error TS2304: Cannot find name 'x'.", 2).edit()
    assert not chat.tool("Bash", started, note, facts={"background": "b1"}).one().resolved


def test_the_end_of_a_background_task_is_the_result_of_its_command() -> None:
    over = "<status>failed</status>\n\n<exit_code>1</exit_code>\n\n<stderr>\n" + LOOKUP + "</stderr>"
    chat = Chat().tool("Bash", {"command": "python app.py"}, "Command running in background with ID: b1")
    error = chat.tool("BashOutput", {"bash_id": "b1"}, over).edit().sh("python app.py", "fine").one()
    assert (error.key_line, error.tool, error.command) == ("KeyError: 'currency'", "Bash", "python app.py")
    assert over[slice(*error.span)] == "KeyError: 'currency'"
    assert error.tool_sequence == ("Edit",)


def test_a_codex_command_that_goes_on_is_one_run() -> None:
    first = "Process running with session ID 7\nOutput:\n   Compiling app"
    last = "Process exited with code 101\nOutput:\nerror[E0382]: borrow of moved value: `x`\n"
    chat = Chat().tool("exec_command", {"cmd": "cargo build"}, first)
    chat.tool("write_stdin", {"session_id": 7, "chars": ""}, last, "error", 101).edit()
    error = chat.tool("exec_command", {"cmd": "cargo build"}, first).tool(
        "write_stdin", {"session_id": 7, "chars": ""}, "Process exited with code 0\nOutput:\n", code=0
    ).one()  # fmt: skip
    assert error.key_line == "error[E0382]: borrow of moved value: `x`"
    assert error.resolved and error.tool_sequence == ("Edit",)


ODD = "\ud800\x1b]52;c;x\x07"
CHAIN, TEXT = st.sampled_from(["main", "a"]), st.text(max_size=120)
SAID = [LOOKUP, NONE, VITEST, "ok", ODD, "error TS2304: Cannot find name 'x'.", "I fixed it"]
SHOWN = st.one_of(TEXT, st.sampled_from(SAID))
COMMAND = st.one_of(TEXT, st.sampled_from(["npm test", "npm test | tail", "npm i x && npm test", "ls"]))
GIVEN = st.fixed_dictionaries({"command": COMMAND, "file_path": SHOWN, "old_string": SHOWN, "new_string": SHOWN})
TOOL = st.sampled_from(["Bash", "Edit", "Task", "mcp__x__y"])
FAILURE, CODE = st.sampled_from(["none", "error", "denied"]), st.sampled_from([None, 0, 1, 2])
EVENT = st.one_of(
    st.builds(Statement, st.just("s"), st.just(0), CHAIN, st.sampled_from(["user", "assistant"]), SHOWN),
    st.builds(Ran, st.just("s"), st.just(0), CHAIN, TOOL, GIVEN, SHOWN, FAILURE, CODE),
)


@given(st.lists(EVENT, max_size=14))
def test_whatever_a_session_holds_the_harvest_is_sound(events: list[Event]) -> None:
    placed = [event._replace(idx=at) for at, event in enumerate(events)]
    for error in harvest(placed, "/p"):
        failing = placed[error.message_idx]
        assert isinstance(failing, Ran) and failing.failure in ("none", "error")
        start, end = error.span
        assert 0 <= start <= end <= len(failing.text)
        assert error.fingerprint and error.normalized
        assert error.resolved == (error.resolution_text is not None) and not (error.resolved and error.transient)
        if error.resolved:
            assert error.verified_idx is not None and error.verified_idx > error.message_idx
            assert len(error.resolution_text or "") <= LIMIT
