"""What counts as a fix: the next run of the same command, in the same chain, without the key; nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.flows.harvest.events import Event, HarvestedError, Ran, Statement
from core.flows.harvest.reducer import harvest
from tests.flows.harvest.chat import HOME, LOOKUP, NONE, VITEST, Chat, python_error

LINT = "golangci-lint run ./..."

TS2304 = "src/a.ts(1,2): error TS2304: Cannot find name 'x'."


def fix(error: HarvestedError) -> tuple[bool, str | None, tuple[str, ...]]:
    return error.resolved, error.resolved_by, error.tool_sequence


def test_the_last_change_before_the_green_run_fixed_it() -> None:
    chat = Chat().sh("npm test", VITEST, 1).read().edit().sh("npm test", "4 passed")
    error = chat.one()
    assert fix(error) == (True, "Edit", ("Edit",))
    assert (error.files_changed, error.verified_idx, error.confidence) == (("src/a.py",), 3, "high")
    assert error.message_ids == (0, 2, 3)


def test_a_success_of_something_else_fixes_nothing() -> None:
    chat = Chat().sh("python app.py", LOOKUP, 1).edit().sh("ls").sh("git status").sh("pytest", "9 passed")
    assert fix(chat.one()) == (False, None, ())


def test_failed_calls_are_no_steps() -> None:
    chat = Chat().sh("python app.py", LOOKUP, 1).tool("Edit", {}, "not found", "tool_use_error")
    chat.sh("pytest", NONE, 1).edit().sh("python app.py", "fine")
    assert chat.found()[0].tool_sequence == ("Edit",)


def test_the_same_command_green_in_a_subagent_fixes_nothing_here() -> None:
    chat = Chat().sh("python app.py", LOOKUP, 1).edit(chain="side").sh("python app.py", "fine", chain="side")
    assert fix(chat.one()) == (False, None, ())


def test_a_subagents_work_counts_when_the_command_is_green_here() -> None:
    chat = Chat().sh("python app.py", LOOKUP, 1).edit(chain="side").tool("Task", {"prompt": "fix it"}, "done")
    error = chat.sh("python app.py", "fine").one()
    assert fix(error) == (True, "Task", ("Task",))
    assert error.confidence == "low"


@pytest.mark.parametrize("between", ["nothing", "a look"])
def test_a_flaky_retry_is_transient_and_no_fix(between: str) -> None:
    chat = Chat().sh("npm run e2e", "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at x", 1)
    if between == "a look":
        chat.read().sh("docker ps")
    error = chat.sh("npm run e2e", "ok").one()
    assert error.transient and fix(error) == (False, None, ())


def test_a_retry_that_passes_after_an_edit_that_did_not_help_is_transient() -> None:
    chat = Chat().sh("npm test", VITEST, 1).edit().sh("npm test", VITEST, 1).sh("npm test", "4 passed")
    assert chat.one().transient


def test_decoration_makes_no_command_another_one() -> None:
    error = Chat().sh("npm test", VITEST, 1).sh("cd . && npm run test 2>&1 | tail -5", "4 passed").one()
    assert error.transient


def test_two_errors_fixed_by_two_steps_each_keep_their_own() -> None:
    chat = Chat().sh("python app.py", LOOKUP, 1).edit(f"{HOME}/one.py").sh("python app.py", NONE, 1)
    first, second = chat.edit(f"{HOME}/two.py").sh("python app.py", "fine").found()
    assert (first.files_changed, second.files_changed) == (("one.py",), ("two.py",))
    assert first.tool_sequence == second.tool_sequence == ("Edit",)
    assert (first.confidence, second.confidence) == ("medium", "high")


def test_a_retry_that_gets_past_an_error_is_its_fix_though_it_fails_too() -> None:
    chat = Chat().sh("pnpm install --frozen-lockfile", "ERR_PNPM_NO_TTY Aborted removal of modules directory", 1)
    chat.sh("CI=true pnpm install", "ERR_PNPM_OUTDATED Cannot install with the lockfile", 1).read()
    first, second = sorted(chat.found(), key=lambda one: one.message_idx)
    assert first.instead == ("pnpm install --frozen-lockfile", "CI=true pnpm install")
    assert (first.strength, first.verified_idx) == ("weak", 1)
    assert not second.resolved


def test_an_edit_is_proven_by_a_run_of_the_part_that_failed() -> None:
    said = "file:///tmp/check.mjs:2\nSyntaxError: Named export 'chromium' not found."
    chat = Chat().sh("sed -i s/a/b/ /tmp/check.mjs && node /tmp/check.mjs", said, 1)
    chat.edit("/tmp/check.mjs", "import { chromium } from 'p'", "import p from 'p'\nconst { chromium } = p")
    error = chat.sh("node /tmp/check.mjs", "fine").one()
    assert (error.files_changed, error.verified_idx, error.strength) == (("/tmp/check.mjs",), 2, "weak")


@pytest.mark.parametrize(("given", "resolved"), [("/tmp/body.md", True), ("/tmp/other.md", False)])
def test_an_edit_that_nothing_ties_to_the_error_is_proven_by_a_run_that_names_its_file(
    given: str, resolved: bool
) -> None:
    asked = "gh pr create --title total --body \"$(cat <<'EOF'\nIt's rounded once.\nEOF\n)\""
    chat = Chat().sh(asked, "/bin/bash: eval: line 3: unexpected EOF while looking for matching `''", 1)
    chat.tool("Write", {"file_path": "/tmp/body.md", "content": "It's rounded once."}, "File created")
    error = chat.sh(f"gh pr create --title total --body-file {given}", "https://github.com/ana/shop/pull/1").one()
    assert (error.resolved, error.files_changed) == (resolved, ("/tmp/body.md",) if resolved else ())


def test_another_filter_of_the_same_source_is_what_is_run_instead() -> None:
    chat = Chat().sh(
        "sed -n 3p src/cart.tsx | cat -A", "cat: illegal option -- A\nusage: cat [-belnstuv] [file ...]", 1
    )
    error = chat.sh("sed -n 3p src/cart.tsx | od -c", "0000000   a").one()
    assert error.instead == ("sed -n 3p src/cart.tsx | cat -A", "sed -n 3p src/cart.tsx | od -c")
    chat = Chat().sh(
        "sed -n 3p src/cart.tsx | cat -A", "cat: illegal option -- A\nusage: cat [-belnstuv] [file ...]", 1
    )
    assert not chat.sh("grep -c a README.md | od -c", "0000000   a").one().resolved


def test_a_call_of_a_tool_with_other_arguments_is_a_fix() -> None:
    given = {"name": "intake", "comment": "a sensor at the northern gate, which counts what comes in by night"}
    chat = Chat().tool("mcp__shop__create_sensor", given, "Error: HTTP 400: comment exceeds 32 characters", "error")
    error = chat.tool("mcp__shop__create_sensor", {"name": "intake", "comment": "northern gate"}, '{"ok": true}').one()
    assert error.instead is not None and error.instead[1].startswith("mcp__shop__create_sensor comment=northern gate")
    assert error.verified_idx == 1


def test_a_command_that_changes_something_can_be_what_is_run_instead() -> None:
    said = (
        " ERR_PNPM_VERIFY_DEPS_BEFORE_RUN  The installed dependencies in the modules directory is not up-to-date with"
        ' the lockfile in /home/ana/shop.\n\nRun "pnpm install"'
    )
    chat = Chat().sh("corepack pnpm run format:check", said, 1)
    error = chat.sh("corepack pnpm install --frozen-lockfile", "Done in 2s").one()
    assert (error.resolved, [link.idx for link in error.links]) == (True, [1])


def test_an_error_that_comes_back_was_not_fixed_when_another_stood_before_it() -> None:
    chat = Chat().sh("python app.py", LOOKUP, 1).edit(f"{HOME}/one.py").sh("python app.py", NONE, 1)
    chat.edit(f"{HOME}/two.py").sh("python app.py", LOOKUP, 1).edit(f"{HOME}/three.py").sh("python app.py", "fine")
    lookup = next(error for error in chat.found() if error.key_line.startswith("KeyError"))
    assert lookup.files_changed == ("three.py",) and lookup.verified_idx == 6


def test_an_output_cut_short_shows_nothing_gone() -> None:
    other = "src/z.ts(1,2): error TS2305: Module has no exported member 'q'."
    cut = "<persisted-output>\nOutput too large (90KB). Full output saved to: /x/y.txt\n\nPreview (first 2KB):\n{}\n"
    chat = Chat().sh("npm run build", cut.format(TS2304), 2).edit().sh("npm run build", cut.format(other), 2)
    assert [error.resolved for error in chat.found()] == [False, False]
    assert [error.key_line[:12] for error in chat.found()] == ["error TS2304", "error TS2305"]


def test_a_summary_of_failures_shows_nothing_gone() -> None:
    chat = Chat().sh("npm test 2>&1 | tail -40", VITEST).edit()
    assert not chat.sh("npm test 2>&1 | tail -2", " Tests  1 failed | 3 passed (4)").one().resolved


@pytest.mark.parametrize(
    ("failing", "output", "working"),
    [
        ("aws s3 cp d s3://b", "upload failed: An error occurred (ExpiredToken)", "AWS_PROFILE=ci aws s3 cp d s3://b"),
        ("apt-get install jq", "E: Could not open lock file (13: Permission denied)", "sudo apt-get install jq"),
        ("python app.py", "bash: python: command not found", "python3 app.py"),
        ("npm test", "npm error enoent Could not read package.json: Error: ENOENT: no such file", "cd api && npm test"),
        ("npm install kit", "npm error ERESOLVE could not resolve", "npm install kit --legacy-peer-deps"),
        ("pip install psycopg2", "ERROR: Failed building wheel for psycopg2", "pip install psycopg2-binary"),
        ("git push", "fatal: The current branch main has no upstream branch.", "git push -u origin main"),
        ("gcc main.c -o m", "main.c:(.text+0x1): undefined reference to `sqrt'", "gcc main.c -o m -lm"),
        ("npm test", "Error: Cannot find module 'kit'\nRequire stack:\n- /a.js", "npm install kit && npm test"),
        ("git commit -am x && git push", "error: failed to push some refs to 'x'", "git pull --rebase && git push"),
    ],
)  # fmt: skip
def test_the_difference_between_two_commands_can_be_the_fix(failing: str, output: str, working: str) -> None:
    error = Chat().sh(failing, output, 1).sh(working, "ok").one()
    assert fix(error) == (True, "Bash", ())
    assert error.resolution_text is not None and working in error.resolution_text and failing in error.resolution_text
    assert error.confidence in ("medium", "low")


@pytest.mark.parametrize(
    ("failing", "output", "later"),
    [
        ("pytest tests/test_a.py", LOOKUP, "pytest tests/test_b.py"),
        ("npm run build", TS2304, "npm run lint"),
        ("cd api && npm test", VITEST, "cd web && npm test"),
        ("node a.js", "Error: boom\n    at a.js:1", "node b.js"),
        ("kubectl apply -f a.yaml", "error: unable to decode a.yaml: bad type", "kubectl apply -f b.yaml"),
        ("python manage.py migrate", LOOKUP, "python manage.py showmigrations"),
        ("git add -A && git commit -m x && git push", "error: failed to push some refs to 'x'", "git add -A"),
        ("git commit -m x", "src/a.ts\n  1:1  error  'x' is unused  no-unused-vars\n", "git commit --no-verify -m x"),
        ("python - <<'A'\nimport a\nA", LOOKUP, "python - <<'A'\nimport b\nA"),
    ],
)  # fmt: skip
def test_a_command_that_only_looks_alike_fixes_nothing(failing: str, output: str, later: str) -> None:
    assert not Chat().sh(failing, output, 1).edit().sh(later, "ok").one().resolved


def test_a_run_of_everything_covers_a_part_of_it() -> None:
    error = Chat().sh("pytest tests/test_a.py", LOOKUP, 1).edit().sh("pytest -q", "90 passed").one()
    assert fix(error) == (True, "Edit", ("Edit",))


@pytest.mark.parametrize(
    ("failing", "output", "later", "resolved", "confidence"),
    [
        ("cargo check", "error[E0382]: borrow of moved value: `x`\n --> a.rs:1:1", "cargo test", True, "medium"),
        ("cargo test", "error[E0382]: borrow of moved value: `x`\n --> a.rs:1:1", "cargo check", True, "low"),
        (
            "go test ./...",
            "panic: assignment to entry in nil map\n\ngoroutine 7 [running]:",
            "go build ./...",
            False,
            None,
        ),
        ("npm run build", TS2304, "npx tsc --noEmit", True, "low"),
        ("git push", "error: failed to push some refs to 'x'", "git push origin main", True, "medium"),
        ("npm test", VITEST, "npm test -- --run", True, "medium"),
    ],
)
def test_how_far_another_run_of_the_same_program_proves_a_change(
    failing: str, output: str, later: str, resolved: bool, confidence: str | None
) -> None:
    error = Chat().sh(failing, output, 1).edit().sh(later, "ok").one()
    assert (error.resolved, error.confidence) == (resolved, confidence)


def test_a_narrower_run_counts_until_the_full_one_says_more() -> None:
    failed = "E   KeyError: 'a'\nFAILED tests/test_a.py::test_x - KeyError: 'a'\n"
    chat = Chat().sh("pytest", failed, 1).edit().sh("pytest tests/test_a.py", "1 passed")
    assert (chat.one().verified_idx, chat.one().confidence) == (2, "low")
    assert chat.sh("pytest", "90 passed").one().tool_sequence == ("Edit",)
    again = Chat().sh("pytest", failed, 1).edit().sh("pytest tests/test_a.py", "1 passed").sh("pytest", failed, 1)
    assert not again.one().resolved


def test_words_between_error_and_fix_do_not_break_the_chain() -> None:
    chat = Chat().sh("npm test", VITEST, 1).user("This session is being continued from a previous conversation.")
    error = chat.edit().sh("npm test", "4 passed").one()
    assert fix(error) == (True, "Edit", ("Edit",)) and error.explanation is None


def test_a_person_who_says_what_they_did_fixed_it() -> None:
    refused = "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at x"
    english = Chat().sh("npm run e2e", refused, 1).user("I restarted postgres, try again").sh("npm run e2e", "ok").one()
    korean = Chat().sh("npm run e2e", refused, 1).user("DB 내가 켰어. 다시 해봐").sh("npm run e2e", "ok").one()
    for error in (english, korean):
        assert fix(error) == (True, "user", ()) and error.confidence == "low"
    asked = Chat().sh("npm run e2e", refused, 1).user("다시 해봐").sh("npm run e2e", "ok").one()
    assert asked.transient


def test_a_person_who_dictates_the_fix_is_quoted() -> None:
    old = "Error: error:0308010C:digital envelope routines::unsupported\n    at x"
    chat = Chat().sh("node build.js", old, 1).user("NODE_OPTIONS=--openssl-legacy-provider 붙여서 다시 돌려")
    error = chat.sh("NODE_OPTIONS=--openssl-legacy-provider node build.js", "ok").one()
    assert error.explanation == ("NODE_OPTIONS=--openssl-legacy-provider 붙여서 다시 돌려", 1)
    assert fix(error) == (True, "Bash", ())


@pytest.mark.parametrize(
    ("project", "path", "shown"),
    [
        ("C:\\Users\\민수\\작업", "C:\\Users\\민수\\작업\\src\\설정.ts", "src\\설정.ts"),
        ("C:\\Users\\민수\\작업", "c:/Users/민수/작업/src/설정.ts", "src/설정.ts"),
        ("/home/ana/가게", "/home/ana/가게/src/장바구니.py", "src/장바구니.py"),
        ("/home/ana/shop", "/home/ana/shop-old/a.py", "/home/ana/shop-old/a.py"),
    ],
)
def test_files_are_named_as_seen_from_the_project(project: str, path: str, shown: str) -> None:
    error = Chat(project).sh("npm test", VITEST, 1).edit(path).sh("npm test", "4 passed").one()
    assert error.files_changed == (shown,)
    assert error.resolution_text is not None and shown in error.resolution_text


def test_a_filter_that_finds_nothing_any_more_counts_if_it_would_have_found_the_error() -> None:
    chat = Chat().sh("npm run build 2>&1 | grep error", TS2304).edit().sh("npm run build 2>&1 | grep error", "", 1)
    assert chat.one().resolved
    other = Chat().sh("npm run build 2>&1 | grep error", TS2304).edit().sh("npm run build 2>&1 | grep warning", "", 1)
    assert not other.one().resolved


def test_a_server_that_now_runs_is_weak_evidence() -> None:
    used = "Error: listen EADDRINUSE: address already in use :::3000\n    at x"
    chat = Chat().sh("npm start", used, 1).sh("kill 4711")
    chat.tool("Bash", {"command": "npm start"}, "Command running in background with ID: b1")
    chat.tool("BashOutput", {"bash_id": "b1"}, "<status>running</status>\n\n<stdout>\nready\n</stdout>")
    assert (chat.one().resolved_by, chat.one().confidence) == ("Bash", "low")


def test_an_error_of_a_continued_session_is_fixed_in_the_next() -> None:
    events = [
        Ran("old", 7, "main", "Bash", {"command": "npm test"}, VITEST, "error", 1),
        Statement("new", 0, "main", "user", "go on"),
        Ran("new", 1, "main", "Edit", {"file_path": f"{HOME}/a.ts", "old_string": "a", "new_string": "b"}, "ok"),
        Ran("new", 2, "main", "Bash", {"command": "npm test"}, "4 passed"),
    ]
    (error,) = harvest(events, HOME)
    assert (error.session_id, error.message_idx) == ("old", 7)
    assert (error.verified_session, error.verified_idx, error.message_ids) == ("new", 2, (1, 2))


def test_events_are_read_once_and_lazily() -> None:
    seen: list[int] = []

    def events() -> Iterator[Event]:
        for at, event in enumerate(
            Chat().sh("npm test", VITEST, 1).edit().sh("npm test", "ok").say("fine").read().events
        ):
            seen.append(at)
            yield event

    first = next(harvest(events(), HOME))
    assert first.resolved and max(seen) <= 4


def test_an_error_that_another_command_meets_again_keeps_its_earlier_fix() -> None:
    broken = '  File "<stdin>", line 2\nSyntaxError: unterminated string literal (detected at line 2)'
    other = python_error("ValueError: no orders")
    failing, repaired = (f'python3 - <<PY\nread("orders.json")\nprint("sum of it{end})\nPY' for end in ("", '"'))
    chat = Chat().sh(failing, broken, 1).sh(repaired, other, 1).sh("git status", "clean")
    first, *_, again = chat.sh('python3 - <<PY\nwrite("users.json")\nprint("names)\nPY', broken, 1).found()
    assert (first.message_idx, first.resolved, first.instead) == (0, True, (failing, repaired))
    assert (again.message_idx, again.resolved) == (3, False)
    same = Chat().sh(failing, broken, 1).sh(repaired, other, 1).sh("git status", "clean")
    assert not any(error.resolved for error in same.sh(repaired, broken, 1).found())


def test_a_retry_that_finds_nothing_got_past_the_error_but_not_one_whose_file_is_missing() -> None:
    failing, repaired = (f'rg -c {end}"- [ ]" todo.md' for end in ("", "-- "))
    chat = Chat().sh(failing, "rg: unrecognized flag -", 2)
    assert chat.sh(repaired, "", 1).one().instead == (failing, repaired)
    chat = Chat().sh(failing, "rg: unrecognized flag -", 2)
    assert not chat.sh(repaired, "rg: todo.md: No such file or directory (os error 2)", 2).one().resolved


def test_an_error_of_a_task_that_nobody_looks_at_again_is_an_error() -> None:
    begun = "Process running with session ID 7\nOutput:\n"
    chat = Chat().tool("exec_command", {"cmd": "npm test"}, begun)
    chat.tool("write_stdin", {"session_id": 7}, f"{begun}{VITEST}").edit(f"{HOME}/src/sum.test.ts")
    assert fix(chat.sh("npm test", "4 passed").one()) == (True, "Edit", ("Edit",))


@pytest.mark.parametrize(("code", "found"), [(0, 0), (1, 1)])
def test_how_a_task_ended_decides_what_it_printed_before(code: int, found: int) -> None:
    begun = "Process running with session ID 7\nOutput:\n"
    chat = Chat().tool("exec_command", {"cmd": "npm test"}, begun)
    chat.tool("write_stdin", {"session_id": 7}, f"{begun}{VITEST}")
    chat.tool("write_stdin", {"session_id": 7}, f"Process exited with code {code}\nOutput:\n{VITEST}", code=code)
    errors = chat.found()
    assert [error.cost.attempts if error.cost else 1 for error in errors] == [1] * found


@pytest.mark.parametrize(
    ("failing", "says", "repaired"),
    [
        (
            "Get-Content 'tasks.md' | Select-Object -Index 70..120",
            'Select-Object : Cannot bind parameter \'Index\'. Cannot convert value "70..120" to type "System.Int32".',
            "Get-Content 'tasks.md' | Select-Object -Index (70..130)",
        ),
        (
            "Get-Content -Raw 'docs\\spec.md' | Select-String '?'",
            "Select-String : The string ? is not a valid regular expression: parsing ? - Quantifier follows nothing.",
            "Select-String -Path 'docs\\spec.md' -Pattern '\\?'",
        ),
        (
            "Select-String -Path src -Pattern total -Recurse",
            "Select-String : A parameter cannot be found that matches parameter name 'Recurse'.",
            "Get-ChildItem src -Recurse | Select-String -Pattern total",
        ),
    ],
)
def test_a_filter_called_in_another_way_is_the_fix_of_its_own_error(failing: str, says: str, repaired: str) -> None:
    error = Chat().sh(failing, says, 1).sh(repaired, "").one()
    assert (error.resolved, error.instead) == (True, (failing, repaired))


@pytest.mark.parametrize(
    ("later", "waited"),
    [
        ("until curl -s localhost:8000; do true; done; git push", True),
        ("echo 'It was refused until now.' && git push", False),
    ],
)
def test_a_loop_waits_and_a_text_does_not(later: str, waited: bool) -> None:
    error = Chat().sh("git push", "error: failed to push some refs: 503 Service Unavailable", 1).sh(later, "ok").one()
    assert any("after a wait" in link.why for link in error.links) == waited


def test_a_retry_that_ends_in_the_like_error_is_no_fix() -> None:
    says = "Failed to compile.\n./src/page.tsx\nModule not found: Can't resolve '{}'\nBuild failed because of errors"
    chat = Chat().sh("npm run build", says.format("@/lib/Demo"), 1).read()
    chat.sh("rm -rf .next && npm run build", says.format("./Card"), 1)
    assert not any(error.resolved for error in chat.found())


def test_a_wait_that_ends_in_another_failure_is_no_fix() -> None:
    chat = Chat().sh("curl -f http://shop/a", "curl: (28) Operation timed out after 15000 milliseconds", 28)
    chat.sh("sleep 2 && curl -f http://shop/a", "curl: (52) Empty reply from server", 52)
    assert not chat.found()[0].resolved


def test_what_ended_with_its_own_words_for_having_failed_is_no_step() -> None:
    locked = "fatal: Unable to create '/home/ana/shop/.git/index.lock': File exists."
    clear = "test -f .git/index.lock && rm .git/index.lock && echo removed || echo no-lock"
    for said, done in (("no-lock", False), ("removed", True)):
        error = Chat().sh("git pull", locked, 128).sh(clear, said).sh("git pull", "Already up to date.").one()
        assert (clear in error.commands) == done


def test_another_name_of_a_missing_interpreter_is_the_fix_whatever_code_it_runs() -> None:
    failing, repaired = (
        f"{name} - <<'PY'\n{code}\nPY" for name, code in (("python", "a = 1"), ("python3", "print(2)"))
    )
    chat = Chat().sh(failing, "zsh:1: command not found: python", 127).sh("codex --version", "0.1").sh(repaired, "2")
    assert [link.why for link in chat.one().links] == [
        "the command replaces the missing `python` with `python3`",
    ]


def test_a_retry_that_a_person_denied_got_past_nothing() -> None:
    chat = Chat().sh("pnpm run build --all", "zsh:1: command not found: pnpm", 127)
    chat.tool("Bash", {"command": "corepack pnpm run build --all"}, "The user doesn't want to proceed.", "denied")
    chat.user("use npm").sh("npm install -g pnpm", "added 1 package").sh("pnpm run build --all", "built")
    assert chat.one().commands == ("npm install -g pnpm",)


def test_another_run_of_a_linter_is_no_fix_of_what_it_finds_in_a_file() -> None:
    finding = "a.go:3:2: Error return value of `f.Close` is not checked (errcheck)\n\tf.Close()\n"
    assert not Chat().sh(LINT, finding, 1).sh("golangci-lint run --new-from-rev=main ./...", "0 issues.").one().resolved
    edited = Chat().sh(LINT, finding, 1).edit(f"{HOME}/a.go", "f.Close()", "_ = f.Close()")
    assert edited.sh(LINT, "0 issues.").one().resolved
    unread = 'level=error msg="can\'t load config"\n'
    assert Chat().sh(LINT, unread, 3).sh("golangci-lint run --no-config ./...", "0 issues.").one().resolved
