"""The verdict of one tool result: whose failure it is, or that it only looks like one."""

from __future__ import annotations

import pytest

from core.flows.harvest.command import command_of
from core.flows.harvest.events import Ran
from core.flows.harvest.outcome import judge
from core.flows.harvest.reducer import fold
from core.flows.harvest.session_events import observe
from core.transcripts.records import Failure
from tests.flows.harvest.chat import LOOKUP, VITEST, Chat, judged, names

STDIN = 'Traceback (most recent call last):\n  File "<stdin>", line 3, in <module>\n'


RED = "--- FAIL: TestOrder (0.00s)\n    order_test.go:12: written too early\nFAIL\nFAIL\tshop/order\t0.01s\nFAIL"


UNENTERED = "find: ‘/home/ana/.cache/dconf’: Permission denied\nfind: ‘/home/ana/.dbus’: Permission denied\n"
UNITTEST = "ImportError: no b\n\n----------\nRan 1 test in 0.1s\n\nFAILED (errors=1)\nindex.md"
MSBUILD = (
    "C:\\a\\b.cpp(2,10): error C2017: illegal escape sequence [C:\\a\\b.vcxproj]\n\n    3 Warning(s)\n    27 Error(s)"
)
NO_ACCESS = "Le programme « rg.exe » n’a pas pu s’exécuter : Accès refusé"
NOT_STARTED = "\n+ rg App\n+ ~~~~\n    + CategoryInfo : X: (:) [], Y\n    + FullyQualifiedErrorId : NativeCommandFailed"
"""How PowerShell ends what it says of a program that it could not start, in any language."""


@pytest.mark.parametrize(
    ("command", "text", "key"),
    [
        ("ls .goreleaser*", "Exit code 1\n(eval):1: no matches found: .goreleaser*", "no matches found: .goreleaser*"),
        ("gh pr view 7 --json merged", 'Unknown JSON field: "merged"\nAvailable fields:\n  additions\n  title', None),
        ("go list ./...", "open /home/a/.cache/go-build/1-d: operation not permitted", None),
        ("docker ps", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is it running?", None),
        ("gh pr list", "error connecting to api.github.com\ncheck your internet connection", None),
        ("git fetch", "ssh: connect to host example.org port 22: Connection refused\nfatal: Could not read", None),
        ("tail -n +2 a.yaml > /tmp/b.yaml && lint -c /tmp/b.yaml", "Error: can't load config: unsupported", None),
        ("app import a.csv", "a.csv\nb\nc\nd\nImport 3 rows? [y/N]: \x1b[31mAborted.\x1b[0m", None),
        ("(cd x && app env) | rg KEY", "Error: \n   0: cannot parse x/app.toml\n\nLocation:\n   src/a.rs:3", None),
        ("curl -s host/a | python3 -c 'import json'", "Traceback (most recent call last):\nValueError: bad", None),
        ("gh pr view 7 --json url", "none of the remotes points to a known host", None),
        ("for f in $(ls docs); do wc -l $f; done", "wc: docs/\\033]8;;a.md: No such file or directory", None),
        ("dart analyze lib", "Analyzing lib\na\nb\nwarning - lib/a.dart:1:8 - Unused import - unused_import", None),
        ("ssh db1 'ls /etc'", "ssh: connect to host db1 port 22: Connection refused", None),
        (
            'rg -n "from \'./user\\.js\'|from \\"./user\\.js\\"" src',
            "\x1b[31;1mParserError: \x1b[0m\r\n\x1b[31;1m\x1b[36;1mLine |\x1b[0m\r\n\x1b[31;1m\x1b[36;1m   2 | \x1b[0m"
            "rg -n\r\n\x1b[36;1m     | \x1b[31;1mMissing property name after reference operator.\x1b[0m\r\n",
            None,
        ),
        (
            "cat <<'EOF' > a.ts\nlet a = 1;\nEOF",
            "At line:1 char:5\r\n+ cat <<'EOF' > a.ts\r\n+     ~\r\nThe '<' operator is reserved for future use.\r\n"
            "    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException\r\n",
            None,
        ),
        (
            "Get-Content a.ts -Tail 9 -Raw",
            "\x1b[31;1mGet-Content: \x1b[31;1mThe 'Raw' and 'Tail' parameters cannot be used together.\x1b[0m\r\n",
            None,
        ),
        ("cat <<'E' > docs/new/a.md\nx\nE", "bash: line 1: docs/new/a.md: No such file or directory", None),
        ("rg --files | head", "bwrap: Failed to make / slave: Permission denied", None),
        ("ls && rg x || echo no", "<3>WSL (9) ERROR: CreateProcessEntryCommon:505: execvpe /bin/bash failed 2", None),
        ("rg --files App", f"{NO_ACCESS}{NOT_STARTED}", NO_ACCESS),
        ("ls", 'execution error: Io(Custom { kind: Other, error: "CreateProcessWithLogonW failed: 1056" })', None),
        ("tasklist | findstr /i docker", "FINDSTR: Cannot open docker", None),
        ("Select-String 'a\\' a.ts", "\x1b[31;1mSelect-String: \x1b[31;1mThe string a\\ is not a valid pattern.", None),
    ],
)
def test_a_failed_run_is_an_incident_and_has_a_name(command: str, text: str, key: str | None) -> None:
    outcome = judged(command, text, 1)
    assert outcome.sign == "incident"
    assert names(outcome) and outcome.reason
    assert key is None or key in names(outcome)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("echo a; frobnicate x; echo b", "a\n(eval):1: command not found: frobnicate\nb"),
        ("cat a.txt; ls *.toml | head", "text\nzsh:1: no matches found: *.toml"),
        ("x=1; jqq . a.json; true", "bash: line 1: jqq: command not found"),
        ("gh api repos/a/b/pulls/1 | jq .body", "null\ngh: Not Found (HTTP 404)"),
        ("gh issue create -t a | cat", "HTTP 429: too many requests"),
        ("mise run lint 2>&1 | tail -5", "[lint] a.go:3:2: G104: Errors unhandled (gosec)\n[lint] ERROR task failed"),
        ("npm test 2>&1 | tail -20", VITEST),
        ("uv run ruff check a && uv run ty check a | tail", "All checks passed!\nerror: Failed to spawn: `ty`"),
        ("python -m black . | tail -2; true", "/usr/bin/python3.12: No module named black"),
        ("echo $x; ssh a 'curl -s b | jq .c'", "jq: parse error: Invalid numeric literal at line 1, column 4"),
        ("dotnet test a.csproj 2>&1 | tail -9", "C:\\w\\A.cs(12,14): error CA1711: Benennen Sie um [C:\\w\\a.csproj]"),
        ("flutter analyze | tail -2", "  error • Undefined name 'a' • lib/a.dart:2:3 • undefined\n\n7 issues found."),
        ("date; status=$(git status); true", "zsh:1: read-only variable: status"),
        ("uvx ty check . | head", "error[unresolved-import]: Cannot resolve `a`\n --> a.py:1:1\n\nFound 1 diagnostic"),
        ("npx markdownlint-cli2 a.md | tail -2", "a.md:3:81 error MD013/line-length Line length [Expected: 80]"),
        ("python - <<'E'\nimport a\nE\nruff check", f"{STDIN}AssertionError\nAll checks passed!"),
        ("conda run python -m unittest a; conda run python -m unittest b; date", f"OK\n{UNITTEST}"),
        ("if (x) { msbuild a.sln; msbuild b.sln }", f"Build succeeded.\n    0 Error(s)\n\n{MSBUILD}"),
        ("node server.js &", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'shop'\n    at load (a.js:3:1)"),
        ("./build.sh 2>&1 | cat -v", "a\nb\nc\n^[[31merror: no such order^[[0m\nd"),
        ("./tool explain 2>&1 | head -50", "Usage:\n  tool explain\n\nfailed to parse summary: unexpected end"),
    ],
)
def test_a_failure_behind_exit_code_0_is_seen(command: str, text: str) -> None:
    outcome = judged(command, text)
    assert outcome.sign == "incident"
    assert names(outcome)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("cat install.log", "bash: line 3: frobnicate: command not found\ngh said 404"),
        ("git show HEAD", 'return fmt.Errorf("failed: %w", err)\nfatal: no'),
        ("gh api repos/a/b/pulls/1/comments", '{"body": "error: not found", "path": "a.go"}'),
        ("gh pr list", "#12  Fix error in parser  OPEN"),
        ("node server.js & sleep 2; curl -s localhost:3000", "listening on 3000\n0 orders"),
        ("npm run dev > /tmp/dev.log 2>&1 &", "error: this is what was there before"),
        ("npm ls", "shop@1.0.0\n└── errors@2.0.0"),
        ("ruff check --fix a.py | tail -3", "Found 2 errors (2 fixed, 0 remaining).\nAll checks passed!"),
        ("rm -rf old; ls old 2>&1 | head -2; true", "ls: cannot access 'old': No such file or directory"),
        ("git merge-tree --write-tree a b | head", "CONFLICT (content): Merge conflict in a.md"),
        ("go test ./... 2>&1 | tail -3", "ok  \tshop/a\t0.1s\nok  \tshop/b\t(cached)"),
    ],
)
def test_words_of_failure_in_what_passed_are_no_sign(command: str, text: str) -> None:
    assert judged(command, text).sign is None


@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        ("rg nothing src", "", 1),
        ("diff a b", "1c1\n< a\n---\n> b", 1),
        ("git diff --exit-code", "diff --git a/x b/x", 1),
        ("ls -l .git/index.lock", "ls: .git/index.lock: No such file or directory", 1),
        ("gh pr checks 7", "lint\tfail\t24s\nCursor\tpending\t0", 8),
        ("git commit -m x", "On branch main\nnothing to commit, working tree clean", 1),
        ("which frobnicate", "frobnicate not found", 1),
        ("ssh-add -l 2>&1", "The agent has no identities.", 1),
        ("gh release view v2 --json url", "release not found", 1),
        ("ssh -p 22 db1 'journalctl -n 50 | grep panic'", "Debian 12", 1),
        ("for d in $(ls a); do cat $d/notes.md; done", "cat: a/b/notes.md: No such file or directory", 1),
        ("rg -n x A\\b -g '*.lua'", "rg: A\\b: 系统找不到指定的路径。 (os error 3)", 2),
    ],
)
def test_an_exit_code_that_only_answers(command: str, text: str, code: int) -> None:
    assert judged(command, text, code).sign == "answer"


def test_a_printed_exit_code_is_of_the_command_before() -> None:
    assert judged('grep -rn "<<<" go.mod; echo "exit: $?"', "exit: 1").sign == "answer"
    assert judged('git merge-base --is-ancestor a b; echo "exit: $?"', "exit: 1").sign == "answer"


@pytest.mark.parametrize(
    ("failure", "tool", "text", "sign"),
    [
        ("denied", "Bash", "The user doesn't want to proceed with this tool use.", "rejected"),
        ("interrupted", "Bash", "[Request interrupted by user for tool use]", "rejected"),
        ("tool_use_error", "Edit", "<tool_use_error>String to replace not found in file.", "agent_tool"),
        ("tool_use_error", "Bash", "<tool_use_error>Blocked: sleep 30 followed by: gh pr view", "agent_tool"),
        ("tool_use_error", "Read", "<tool_use_error>Sibling tool call errored</tool_use_error>", "noise"),
        ("tool_use_error", "Bash", "<tool_use_error>Cancelled: parallel tool call Bash(ls) errored", "noise"),
        ("error", "Read", "File does not exist.", "agent_tool"),
        ("error", "TaskUpdate", "Task not found", "agent_tool"),
        ("error", "WebFetch", "Request failed with status code 404", "agent_tool"),
        ("error", "mcp__shop__order", "The tab is not shown.", "agent_tool"),
        ("error", "mcp__shop__order", "The shop returned HTTP 400: comment exceeds 80 characters", "incident"),
    ],
)
def test_whose_failure_it_is(failure: Failure, tool: str, text: str, sign: str) -> None:
    assert judged("true", text, 0, failure, tool).sign == sign


def test_a_run_that_only_says_that_it_failed_is_noise() -> None:
    assert judged("mise run test | tail -2", "FAIL\n[test] ERROR task failed").sign == "noise"
    assert judged("curl -skI https://localhost:1", "", 7).sign == "noise"
    assert judged("dotnet restore a.csproj", "  Determining projects to restore...\n", 1).sign == "noise"
    ended = "  Determining projects to restore...\n\nBuild FAILED.\n    0 Error(s)\n\nTime Elapsed 00:00:01.78\n"
    assert judged("dotnet build a.csproj", ended, 1).sign == "noise"
    frames = "    at <unknown> (./app/a.ts:8:1)\n" * 9
    wrapped = (
        f"{frames}npm error Lifecycle script `build` failed with error:\nnpm error code 1\nnpm error command failed"
    )
    assert judged("npm run build 2>&1 | tail -12", wrapped).sign == "noise"


def test_that_a_compiler_stopped_counting_names_nothing() -> None:
    said = "\twant (int)\na/b_test.go:750:66: too many errors\nok  \ta/c\t0.5s\nFAIL\ta/b [build failed]\nFAIL"
    outcome = judged("go build ./... && go test ./... 2>&1 | tail -20", said)
    assert (outcome.sign, names(outcome)) == ("noise", [])


def test_a_codex_header_names_nothing() -> None:
    head = "Command: /bin/zsh -lc 'npm test'\nChunk ID: 1\nProcess exited with code 1\nOutput:\n"
    outcome = judged("npm test", head + LOOKUP, 1)
    assert names(outcome) == ["KeyError: 'currency'"]
    assert judged("npm test", head, 1).sign == "noise"


def test_a_poll_that_ends_a_run_is_named_by_what_was_printed_before() -> None:
    begun = "Process running with session ID 7\nOutput:\n"
    chat = Chat().tool("exec_command", {"cmd": "go test ./..."}, begun + "./a.go:3:2: undefined: errors\n")
    chat.tool("write_stdin", {"session_id": 7}, "Process exited with code 1\nOutput:\nFAIL\n", "error", 1).edit()
    chat.tool("exec_command", {"cmd": "go test ./..."}, "ok  \ta\t0.1s", code=0)
    results: list[str | None] = []
    (error,) = fold(map(observe, chat.events), "", lambda result: results.append(result.outcome.sign))
    assert results == ["incident", "noise", None, None]
    assert (error.message_idx, error.resolved, error.tool_sequence) == (0, True, ("Edit",))


@pytest.mark.parametrize(
    ("text", "code", "sign"),
    [
        (VITEST, 1, "incident"),
        ("cache cleared\nzsh:1: read-only variable: status", 1, "incident"),
        ("Script completed\nOutput:\n" + VITEST, None, "incident"),
        ("listening on port 1\n", None, None),
        ("all 3 passed\n", 0, None),
    ],
)
def test_a_look_at_a_run_whose_start_is_not_known(text: str, code: int | None, sign: str | None) -> None:
    chat = Chat().tool("write_stdin", {"session_id": 9}, text, "error" if code else "none", code)
    results: list[str | None] = []
    errors = list(fold(map(observe, chat.events), "", lambda result: results.append(result.outcome.sign)))
    assert results == [sign]
    assert bool(errors) == bool(code)


def test_a_look_by_a_script_is_of_the_command_that_a_script_began() -> None:
    chat = Chat().tool("exec", {"cmd": "npx vitest"}, "Script completed\nOutput:\n", facts={"background": "41"})
    chat.tool("write_stdin", {"session_id": 41, "input": ""}, VITEST, "error", 1).edit()
    chat.tool("exec", {"cmd": "npx vitest"}, "Tests  4 passed (4)", code=0)
    assert (chat.one().message_idx, chat.one().command, chat.one().resolved) == (1, "npx vitest", True)


def test_a_script_of_codex_without_an_exit_code_is_judged_by_its_output() -> None:
    ran = Ran("s", 0, "main", "exec", {"cmd": "npx vitest"}, "Script completed\nOutput:\n" + VITEST, "none", None)
    command = command_of("exec", ran.tool_input)
    assert judge(ran._replace(facts={"script": True}), command).sign == "incident"


def test_what_is_behind_the_last_heading_is_of_the_command_that_failed() -> None:
    said = "none of the git remotes point to a known host"
    listed = "\n".join(f"{at:07x} change {at}" for at in range(5))
    outcome = judged("git log --oneline -5 && echo ---PR--- && gh pr view 5", f"{listed}\n---PR---\n{said}", 1)
    assert (outcome.sign, [error.key.text for error in outcome.errors]) == ("incident", [said])


def test_a_shell_of_a_tool_server_is_judged_by_its_output() -> None:
    lock = "fatal: Unable to create '/w/.git/index.lock': File exists."
    chat = Chat().tool("mcp__workspace__bash", {"command": "git commit -m x"}, lock)
    chat.tool("mcp__workspace__bash", {"command": "mv .git/index.lock .git/index.lock.old"})
    chat.tool("mcp__workspace__bash", {"command": "git commit -m x"}, "[main 5d2a1] x")
    assert [link.idx for link in chat.one().links] == [1]


def test_invalid_arguments_for_a_tool_of_a_server_are_the_agents_mistake() -> None:
    said = "MCP error -32602: Input validation error: Too big: expected number to be <=45000"
    assert judged("sleep 50", said, failure="error", tool="mcp__workspace__bash").sign == "agent_tool"


@pytest.mark.parametrize("said", ["SyntaxError: Unexpected end of input", "exec_command failed for `rm`: Rejected"])
def test_a_script_of_codex_that_throws_is_the_agents_mistake(said: str) -> None:
    text = f"Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\n{said}"
    assert judged("make check", text, failure="error", tool="exec").sign == "agent_tool"


def test_a_hint_what_to_do_next_names_no_failure() -> None:
    text = "\n".join((
        *(f"✓ Rebased step-{at} onto main" for at in range(9)),
        "⚠ Rebasing phase-2 onto phase-1 — conflict",
        "Resolve conflicts on phase-2, then run `gh stack rebase --continue`",
        "Or abort this operation with `gh stack rebase --abort`",
    ))  # fmt: skip
    assert names(judged("gh stack rebase", text, 3)) == ["⚠ Rebasing phase-2 onto phase-1 — conflict"]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("ps -o sid,stat | awk '{print}'", "ps: sid: keyword not found"),
        (
            "ls -la .git; rm -f .git/index.lock 2>&1 || ls",
            "total 0\nrm: cannot remove '.git/index.lock': Not permitted",
        ),
        ("mise env 2>&1 | head -20", "mise ERROR error parsing config file: ~/shop/mise.toml"),
        ("curl -fsSL https://example.org/a | jq -r .b", "curl: (56) The requested URL returned error: 403"),
    ],
)
def test_a_program_that_complains_under_its_name_failed_whatever_the_exit_code(command: str, text: str) -> None:
    assert judged(command, text).sign == "incident"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("rg -n x src old", "rg: old: No such file or directory (os error 2)"),  # a guess
        ("curl -sS localhost:8787/health | head", "curl: (7) Failed to connect to localhost port 8787"),  # a look
        ("cat notes.md", "ps: sid: keyword not found"),  # what another program said
        ("echo x: failed; ls", "echo: failed"),
    ],
)
def test_what_a_look_was_to_find_out_is_no_complaint(command: str, text: str) -> None:
    assert judged(command, text).sign is None


@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        ("gh api repos/a/b/branches/x --jq .sha", 'gh: Branch not found (HTTP 404)\n{"message":"Branch not found"}', 1),
        ("gh api repos/a/b/branches/main/protection", "gh: Branch not protected (HTTP 404)", 1),
        ("shop trail show", "no trail found for current branch \"main\"\nhint: run 'shop trail create'", 1),
        ("ls docs/*.toml 2>/dev/null", "(eval):1: no matches found: docs/*.toml", 1),
        (
            "ls *lazy* 2>/dev/null; ls *old* 2>/dev/null",
            "zsh:1: no matches found: *lazy*\nzsh:1: no matches found: *old*",
            1,
        ),
        ("ls -t ~/a/NOTE* 2>/dev/null; ls b | head", "(eval):1: no matches found: /home/m/a/NOTE*\nx.md", 0),
        ("docker buildx version; ./docker-buildx version", "docker: unknown command: docker buildx\n", 1),
        ("which magick; cargo tauri --version 2>&1 | head -3", "/bin/magick\nerror: no such command: `tauri`", 0),
        ("mv docs/a.md b.md && rmdir docs && ls b.md && ls docs 2>&1", "b.md\nls: docs: No such file or directory", 1),
        ("git checkout -b x && echo '- made -' && ls data 2>/dev/null && echo y", "Switched to 'x'\n- made -", 2),
        ("find /home/ana -name shop.md", f"{UNENTERED}/home/ana/docs/shop.md", 1),
        ("find /home/ana -type f | rg shop", f"{UNENTERED}/home/ana/docs/shop.md", 0),
        ("find /home/ana -name nothing", UNENTERED, 1),
        ("npm run dev", "12:02:03 [vite] hmr update /src/style.css\n^C\n", 1),
    ],
)
def test_what_was_asked_for_is_absent_or_was_stopped(command: str, text: str, code: int) -> None:
    outcome = judged(command, text, code)
    assert outcome.sign != "incident"
    assert not outcome.errors


@pytest.mark.parametrize(
    ("command", "text", "code"),
    [
        ("gh api repos/a/b/contents/x?ref=y", "gh: No commit found for the ref y (HTTP 404)", 1),
        ("gh api -X POST repos/a/b/issues", "gh: Not Found (HTTP 404)", 1),
        ("ls *.toml", "(eval):1: no matches found: *.toml", 1),
        ("grep -rn a --include=*.py . 2>/dev/null", "(eval):1: no matches found: --include=*.py", 1),
        ("rg -n a *.toml b.json 2>/dev/null || true", "zsh:1: no matches found: *.toml", 0),
        ("node --version && npm test", "zsh:1: command not found: node", 127),
        ("cp a.md docs/ && ls docs", "cp: docs/: No such file or directory", 1),
        ("find /root/shop -name '*.md'", "find: ‘/root/shop’: Permission denied", 1),
        ("npm run dev", "Error: listen EADDRINUSE: address already in use :::3000\n^C\n", 1),
    ],
)
def test_a_failure_beside_such_a_question_is_still_an_incident(command: str, text: str, code: int) -> None:
    assert judged(command, text, code).sign == "incident"


@pytest.mark.parametrize(
    ("description", "text", "sign"),
    [
        ("Run tests to verify they fail (RED phase)", RED, "answer"),
        ("Verify test fails with old ordering, then restore", RED, "answer"),
        ("Verify lifecycle tests FAIL (not skip) without a binary", RED, "answer"),
        ("Verify tests fail", "pattern ./e2e/...: directory prefix e2e does not contain main module", "incident"),
        ("Run a single test to see if it fails", RED, "incident"),
        ("Verify whether the test fails on main", RED, "incident"),
        ("Run all tests", RED, "incident"),
    ],
)
def test_a_red_that_was_announced_is_an_answer(description: str, text: str, sign: str) -> None:
    given = {"command": "go test ./...", "description": description}
    assert judge(Ran("s", 0, "main", "Bash", given, text, "error", 1), command_of("Bash", given)).sign == sign


BREW = "failed in sandbox: /opt/homebrew/Library/Homebrew/cmd/shellenv.sh: line 18: /bin/ps: Operation not permitted\n"
PROFILE = "/home/ana/.profile: line 6: compdef: command not found\n/home/ana/.zshrc:12: command not found: nvm\n"


@pytest.mark.parametrize("startup", [BREW, PROFILE, BREW + PROFILE])
def test_what_the_shell_says_of_its_start_up_files_is_not_of_the_command(startup: str) -> None:
    assert judged("rg reduced app", startup, 1).sign != "incident"
    found = judged("python shop.py", f"{startup}{LOOKUP}", 1)
    assert found.sign == "incident"
    assert names(found) == names(judged("python shop.py", LOOKUP, 1))
    (error,) = found.errors
    assert f"{startup}{LOOKUP}"[error.key.start : error.key.end] == error.key.text


def test_a_command_that_still_runs_is_not_blamed_for_its_start_up_files() -> None:
    chat = Chat().tool("exec_command", {"cmd": "npm run dev"}, f"Process running with session ID 7\nOutput:\n{PROFILE}")
    results: list[str | None] = []
    assert list(fold(map(observe, chat.events), "", lambda result: results.append(result.outcome.sign))) == []
    assert results == [None]


def test_a_failure_without_a_known_exit_code_can_be_a_guess_too() -> None:
    said = "ls: cannot access 'scripts/': No such file or directory"
    assert judged("ls -la scripts/", said, failure="error").sign == "answer"
    assert judged("cat > a.js << 'E'\nE", "Failed to parse command", failure="error").sign != "answer"
    started = 'execution error: Io(Os { code: 2, kind: NotFound, message: "No such file or directory" })'
    assert judged("ls", started, failure="error").sign == "incident"
    assert judged("ls -la scripts/", f"command timed out\n{said}", failure="error").sign != "answer"


def test_a_look_that_was_stopped_found_nothing_out() -> None:
    assert judged("find . -name x | head", "command timed out after 10000 milliseconds", 124).sign == "noise"


def test_a_start_up_file_that_a_command_runs_is_of_the_command() -> None:
    assert judged("bash ~/.profile", f"Loading\n{PROFILE}", 1).sign == "incident"


def test_a_log_without_commits_says_that_there_are_none() -> None:
    said = "fatal: your current branch 'main' does not have any commits yet"
    assert judged("git log --oneline -5", said, 128).sign == "answer"
    assert judged("git push", said, 128).sign == "incident"
    assert judged("git log --oneline -5", "fatal: not a git repository", 128).sign == "incident"


RECORD = """The -ireplace operator allows only two elements to follow it, not 3.\r
At line:2 char:7\r
+ $text = $text -replace 'a','b','c'; Set-Content a.md $te ...\r
+         ~~~~~~~~\r
    + CategoryInfo          : InvalidOperation: (System.Object[]:Object[]) [], RuntimeException\r
    + FullyQualifiedErrorId : BadReplaceArgument\r
 \r
"""
REPLACE = "$text = Get-Content a.md\n$text = $text -replace 'a','b','c'; Set-Content a.md $text; 'done'"


def test_what_powershell_could_not_run_is_seen_behind_exit_code_0() -> None:
    outcome = judged(REPLACE, f"{RECORD}done\r\n")
    assert (outcome.sign, outcome.whole) == ("incident", True)
    assert names(outcome) == ["The -ireplace operator allows only two elements to follow it, not 3."]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("Get-Content install.log", RECORD),
        (REPLACE, RECORD.replace("BadReplaceArgument", "PathNotFound,Microsoft.PowerShell.Commands.GetContentCommand")),
        (REPLACE, RECORD.replace("BadReplaceArgument", "NativeCommandError")),
    ],
)
def test_a_record_that_is_shown_or_an_answer_is_no_failure(command: str, text: str) -> None:
    assert judged(command, text).sign is None
