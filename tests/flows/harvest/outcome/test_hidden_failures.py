"""Failures that an exit code of 0, a search at the end of a pipe or the harness hides, and what only looks like one."""

from __future__ import annotations

import pytest

from tests.flows.harvest.chat import judged, names

FIRST_REFUSED = "snapshot received unexpected arguments: --head"
SWIFT = (
    "✘ Test listsAreSorted() recorded an issue at ListTests.swift:25:6: Expectation failed: a == b\n"
    "✘ Test run with 238 tests in 29 suites failed after 8.161 seconds with 1 issue."
)
NEXT = (
    " ✓ Compiled successfully in 50s\n   Linting and checking validity of types ...\nFailed to compile.\n\n"
    "./app/page.tsx:23:14\nType error: 'error' is of type 'unknown'.\n\nerror: script \"build\" exited with code 1"
)
JUPYTER = "usage: jupyter\n\nAvailable subcommands:\n\nunknown command: nbconvert"

NO_WGET = 'OCI runtime exec failed: exec failed: unable to start: exec: "wget": executable file not found in $PATH'


@pytest.mark.parametrize(
    ("command", "text", "key"),
    [
        ("cat -A a.md | head -3", "cat: illegal option -- A\nusage: cat [-belnstuv] [file ...]", "illegal option"),
        ("rg -rn x docs --include='*.md' | sort", "rg: unrecognized flag --include", "unrecognized flag"),
        (
            "go test -count=1 -C src ./... 2>&1 | tail -3; date",
            'invalid value "src" for flag -C: -C flag must be',
            "-C",
        ),
        (
            "shop --version; shop status",
            "Usage:\n  shop\n\nError: Invalid usage: unknown flag: --version\nok",
            "--version",
        ),
        ("cd a && shop exec x | tail -2; true", 'Error: unknown command "exec" for "shop"', "unknown command"),
        ("a.py --fast 2>&1 | tail", "usage: a.py [-h]\na.py: error: unrecognized arguments: --fast", "--fast"),
        ("jupyter nbconvert a.ipynb | tail -5", JUPYTER, "unknown command: nbconvert"),
        ("docker exec shop wget -O- localhost 2>&1 | head -20", NO_WGET, '"wget": executable file not found'),
    ],
)
def test_a_refusal_is_a_failure_whatever_the_exit_code(command: str, text: str, key: str) -> None:
    outcome = judged(command, text)
    assert outcome.sign == "incident"
    assert any(key in name for name in names(outcome))


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("cat NEWS.md", "Error: unknown flag: --version\nillegal option -- A"),
        ("shop explain", "unknown flag: --colour is what shop says of an option that it does not know"),
        ("git log --oneline -3", "a1b2c3 unknown option: --colour"),
    ],
)
def test_an_option_that_the_command_does_not_give_was_not_refused(command: str, text: str) -> None:
    assert judged(command, text).sign is None


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (
            "git ls-remote --heads origin | grep x || true",
            "fatal: unable to access 'https://h/a': Could not resolve h",
        ),
        ("git status; git show v9:a.rs | sed -n 1,9p", "## main\nfatal: invalid object name 'v9'."),
        ("for d in a b; do touch $d/k; done; ls", "touch: b/k: No such file or directory\na"),
        (
            "shop trail create | tail -5",
            'trail API: API error: A trail already exists for "x" (status 409)',
        ),
        (
            "for q in a b; do gh search code $q | head -8; done",
            "HTTP 408: Request timed out. (https://h/x)",
        ),
        (
            "python3 a.py | tail -9",
            "  ! no price (HTTPError: 429 Client Error: Too Many Requests for url: h/a)",
        ),
        (
            "pnpm -C web install | tail",
            "mise ERROR Config files in ~/mise.toml are not trusted.\nmise ERROR Run with x",
        ),
        ("xcodebuild test | grep -E 'Test' | head", SWIFT),
        (
            "xcodebuild test | grep Fatal | head",
            "Swift/ArrayBuffer.swift:695: Fatal error: Index out of range",
        ),
        ("bun run build 2>&1 | tail -40", NEXT),
        (
            "pnpm astro check | tail",
            "▲  Failed.\n21:31:16 [ERROR] [check] The `typescript` package is required.",
        ),
    ],
)
def test_what_a_program_says_of_its_failure_is_seen_behind_exit_code_0(command: str, text: str) -> None:
    outcome = judged(command, text)
    assert outcome.sign == "incident"
    assert names(outcome)


@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        ("curl -sS https://example.org/a.js | rg -n level", "curl: (6) Could not resolve host: example.org", 1),
        ("shop snapshot --head | rg -m 20 CALLS", FIRST_REFUSED, 1),
        (
            "cd d && docker compose ps w && echo '--LOGS--' && docker compose exec w env | grep X",
            "no configuration file provided: not found",
            1,
        ),
        ("gh run view 5 --job 6 --log", "run 5 is still in progress; logs will be available when it is complete", 1),
        ("git cherry-pick a1 b2", "The previous cherry-pick is now empty.\n\nnothing to commit, working tree clean", 1),
        (
            "ssh db1 'cat /etc/os-release; ls /x'",
            "Received disconnect from db1: Too many authentication failures",
            255,
        ),
        ("gh pr view 9 --json url\ngh pr diff 9 --stat\ngt merge --help", '{"url": "x"}\nunknown flag: --stat', 1),
        ("npm run test", "> vitest run\n\nNo test files found, exiting with code 1\n", 1),
        ("chmod -R u+w ~/.a", "chmod: Unable to change file mode on /a/b: Operation not permitted", 124),
    ],
)
def test_what_failed_before_is_not_the_answer_of_the_last_part(command: str, text: str, code: int) -> None:
    outcome = judged(command, text, code)
    assert outcome.sign == "incident"
    assert names(outcome)


@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        ("cat a.md b.md | grep x", "cat: b.md: No such file or directory", 1),
        ("npm test 2>&1 | grep -c broken", "0", 1),
        ("echo -- && git branch | grep x", "--", 1),
        ("gh run view 5", "X main CI · 5\nfailed", 1),
        ("git commit -m x", "nothing to commit, working tree clean", 1),
        ("timeout 5 npm run dev", "ready on 3000", 124),
    ],
)
def test_a_search_that_found_nothing_is_an_answer(command: str, text: str, code: int) -> None:
    assert judged(command, text, code).sign != "incident"


@pytest.mark.parametrize(
    ("tool", "text", "sign"),
    [
        ("mcp__speech__say", "Error executing tool say: Unknown voice 'rachel'. Available: adam, alice", "incident"),
        ("_create_issue", 'GitHub API error 403: {"message":"Resource not accessible by integration"}', "incident"),
        ("mcp__page__run", "run failed: SyntaxError: Identifier 'b' has already been declared", "incident"),
        ("mcp__page__open", "open timed out after 30s. The pane is hidden.", "agent_tool"),
        ("WebFetch", "Request failed with status code 404", "agent_tool"),
    ],
)
def test_what_a_tool_of_a_server_says_of_its_work_is_a_failure_of_the_work(tool: str, text: str, sign: str) -> None:
    assert judged("", text, failure="error", tool=tool).sign == sign


TESTIFY = (
    "test (ubuntu)\tUnit Tests\t2026-07-14T14:03:40.0243101Z --- FAIL: TestPath (0.01s)\n"
    "test (ubuntu)\tUnit Tests\t2026-07-14T14:03:40.0243202Z panic: \n"
    "test (ubuntu)\tUnit Tests\t2026-07-14T14:03:40.0243303Z \tassert: mock: I don't know what to return\n"
    "test (ubuntu)\tUnit Tests\t2026-07-14T14:03:40.0243404Z ##[error]Process completed with exit code 1."
)
CLIPPY = (
    "lint\tUNKNOWN STEP\t2026-07-15T17:00:14.0243303Z ^[[1m^[[91merror^[[0m^[[1m: very complex type used^[[0m\n"
    "lint\tUNKNOWN STEP\t2026-07-15T17:00:14.0243404Z  --> src/lockfile.rs:2368:6\n"
    "lint\tUNKNOWN STEP\t2026-07-15T17:00:14.0243505Z ##[error]Process completed with exit code 101."
)
DECODE = 'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nValueError: Extra data: line 1'
PURGE = (
    '\x1b[36m?\x1b[39m The modules directory at "/w/node_modules" will be removed. Proceed? (Y/n) › true\n'
    "╭──────────────────────╮\n│   Update available!  │\n╰──────────────────────╯\n"
)


@pytest.mark.parametrize(
    ("command", "text", "key"),
    [
        ("gh run view 7 --job 8 --log-failed 2>&1 | head -300", TESTIFY, "I don't know what to return"),
        ("gh run view 7 --job 8 --log-failed", CLIPPY, "error: very complex type used"),
        ("grep -E 'error|FAIL' /tmp/saved.txt | head -60", CLIPPY, "error: very complex type used"),
        ("gh api repos/a/b | python3 -c 'import json' 2>&1 | head -30", DECODE, "Extra data"),
        ("pnpm install", PURGE, "will be removed"),
        ("scripts/plan.sh --json", 'ERROR: Two folders begin with \'001\'\n{"FILE": "a.md"}', "Two folders begin"),
        ("cp /tmp/a.py b.py && git diff --stat", "overwrite b.py? (y/n [n]) not overwritten", "not overwritten"),
        (
            "go run web.go &\nsleep 2\necho started",
            "started\nlisten tcp :8080: bind: address already in use\nexit status 1\n[1]+  Exit 1        go run web.go",
            "address already in use",
        ),
    ],
)
def test_more_that_an_exit_code_of_0_hides(command: str, text: str, key: str) -> None:
    outcome = judged(command, text)
    assert outcome.sign == "incident"
    assert any(key in name for name in names(outcome))


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("yes | npx create-shop", "Ok to proceed? (y/n)"),
        ("npx create-shop", "Ok to proceed? (y/n)\nCreated shop."),
        ("cat a.py", DECODE),
        ("tail -3 build.log", "ERROR: Two folders begin with '001'\ndone"),
        ("python -c 'import shop' 2>&1 && echo yes || echo no; ls", f"{DECODE}\nno"),
        ("npm start & sleep 1; echo done", "done\n[1]+  Done                    npm start"),
        ("grep -n fail notes.txt", "3:\tfails\t2026-07-15 never"),
    ],
)
def test_what_was_answered_or_shown_hides_nothing(command: str, text: str) -> None:
    assert judged(command, text).sign is None


def test_a_complexity_report_is_named_by_the_line_that_ends_with_a_place() -> None:
    text = "[main 5a] a\n 1 file\n create b.go\n16 flow TestCycle go/flow/store_test.go:161:1\nexit status 1"
    assert names(judged("git commit -m a && gocyclo -over 15 .", text, 1)) == [
        "16 flow TestCycle go/flow/store_test.go:161:1"
    ]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("failed in sandbox: \nIn a.sh line 3:\nerror: no such order", "error: no such order"),
        ("failed in sandbox: Operation not permitted", "failed in sandbox: Operation not permitted"),
        (
            "failed in sandbox LinuxSeccomp with execution error: sandbox denied exec error, exit code: 128, "
            "stdout: [main 548dd49] feat: a, b\n, stderr: ssh: Could not resolve hostname h: Name unknown\n",
            "ssh: Could not resolve hostname h: Name unknown",
        ),
    ],
)
def test_what_codex_says_of_its_sandbox_is_no_part_of_the_name(text: str, key: str) -> None:
    assert names(judged("make", text, failure="error", tool="shell"))[0] == key


def test_a_sandbox_that_gives_no_cause_names_no_failure() -> None:
    assert judged("pnpm install", "failed in sandbox: ", failure="error", tool="shell").sign == "noise"


def test_a_guessed_path_is_one_in_the_language_of_windows() -> None:
    said = (
        'Get-ChildItem : Der Pfad "D:\\a\\b" kann nicht gefunden werden, da er nicht vorhanden ist.\n'
        "In Zeile:1 Zeichen:1\n+ Get-ChildItem b\n+ ~~~\n"
        "    + CategoryInfo          : ObjectNotFound: (D:\\a\\b:String) [Get-ChildItem], ItemNotFoundException\n"
        "    + FullyQualifiedErrorId : {},Microsoft.PowerShell.Commands.GetChildItemCommand"
    )
    assert judged("Get-ChildItem b", said.format("PathNotFound"), 1).sign == "answer"
    assert judged("Get-ChildItem b", said.format("NamedParameterNotFound"), 1).sign == "incident"
    assert judged("Set-Content b", said.format("PathNotFound"), 1).sign == "incident"


HEAD = "HTTP/1.1 {} X\nContent-Length: 24\nContent-Type: text/plain\n\n{}\n"


@pytest.mark.parametrize(
    ("status", "said", "key"),
    [
        (
            500,
            'Failed query: select "id" from "orders" where "id" = ?',
            'Failed query: select "id" from "orders" where',
        ),
        (503, "<html>Service unavailable</html>", "HTTP/1.1 503 X"),
    ],
)
def test_a_server_that_failed_is_a_failure_of_what_it_serves(status: int, said: str, key: str) -> None:
    outcome = judged("curl -sS -i localhost:8787/api | sed -n 1,24p", HEAD.format(status, said))
    assert outcome.sign == "incident"
    assert names(outcome)[0].startswith(key)


@pytest.mark.parametrize(("command", "status"), [("curl -sS -i localhost:1", 404), ("cat log.txt", 500)])
def test_a_refusal_or_a_log_is_no_broken_answer(command: str, status: int) -> None:
    assert judged(command, HEAD.format(status, "Failed query: select")).sign is None
