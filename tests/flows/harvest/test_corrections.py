"""A fix that needs no edit: the failing command corrected, run elsewhere, or another tool used instead."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from core.flows.harvest.events import Ran
from core.flows.harvest.reducer import harvest
from tests.flows.harvest.chat import HOME, Chat, python_error


@pytest.mark.parametrize(
    ("failing", "output", "working", "why"),
    [
        ("gh pr view 7 --json a,closedBy", 'Unknown JSON field: "closedBy"', "gh pr view 7 --json a,state", "closedby"),
        ("git add src/*.jsx", "zsh: no matches found: src/*.jsx", "git add 'src/*.jsx'", "quoted"),
        ("gradlew build", "bash: gradlew: command not found", "./gradlew build", "with `./gradlew`"),
        ("go build ./...", "go: cannot find main module", "cd api && go build ./...", "another folder"),
        ("git commit -m x", "error: gpg failed to sign the data", "git -c commit.gpgsign=false commit -m x", "gpgsign"),
        ("jq .name package.json", "bash: jq: command not found", "node -p \"require('./package.json').name\"", "node"),
        ("cargo fmt --check", "error: Diff in src/lib.rs at line 4", "cargo fmt", "fixed the errors that its check"),
        ("git push", "fatal: The current branch tidy has no upstream branch.", "git push -u origin tidy", "tidy"),
        ("hk install --all", "zsh: command not found: hk", "mise x hk -- hk install --all", "through `mise x hk --`"),
        ("gh pr view 5", "GraphQL: Projects (classic) is being deprecated", "gh pr view 5 --json url", "another way"),
        ("cargo test a --lib", "error: no library targets found in package `m`", "cargo test a", "`--lib`"),
        ("cargo test -q", "error: rustc 1.9 is not supported by the package", "cargo +1.96 test -q", "another way"),
        ("pytest a.py -q", "no tests collected (7 deselected) in 0.1s", "pytest a.py -q -o addopts=", "another way"),
        ("gh pr checkout 10722", "fatal: 'a' is used by '/w'", "git fetch o 10722/a && git checkout a", "same"),
        ("aws ls --x | jq -r .a.b", "jq: error (at 1): Cannot iterate over null", "aws ls --x | jq -r .a", "from `jq`"),
        ("gh pr diff 7 -- a.rs", "accepts at most 1 arg(s), received 2", "gh pr diff 7 --patch", "fewer arguments"),
        ("gh pr view 5", "no known GitHub host", "git remote -v; gh pr view 5 -R ana/shop", "another way"),
        ("rg -n totals", "bash: line 1: rg: command not found", "grep -Rn totals", "`grep` replaces `rg`"),
        ("python a.py", "bash: 줄 1: python: 명령어를 찾을 수 없음", ".venv/bin/python a.py", "`.venv/bin/python`"),
        ("ls app/(auth)", "bash: -c: line 0: syntax error near unexpected token `('", "ls 'app/(auth)'", "quoted"),
        ("brew install a", "Error: a `brew install a` process has already locked x", "sleep 9; brew install a", "wait"),
    ],
)  # fmt: skip
def test_the_command_that_worked_is_the_fix(failing: str, output: str, working: str, why: str) -> None:
    chat = Chat().sh(failing, output, 1).sh("git branch -a").sh(working, "ok")
    (link,) = chat.one().links
    assert link.idx == 2
    assert why in link.why.lower()


_FINDINGS = "import json; d = json.load(open('out.json')); print(len(d{}), d['counts'], sum(d['severities']))"


def test_code_for_an_interpreter_is_a_fix_only_in_a_changed_form() -> None:
    wrong, right = (f'python -c "{_FINDINGS.format(at)}"' for at in ("['findings']", "['result']['findings']"))
    look = "python -c \"import json; d = json.load(open('out.json')); print(type(d), list(d.keys())[:20])\""

    def then(later: str) -> list[int]:
        (error,) = Chat().sh(wrong, python_error("KeyError: 'findings'"), 1).sh(later, "ok").found()
        return [link.idx for link in error.links]

    assert then(look) == []
    assert then(right) == [1]


def test_the_command_that_runs_again_behind_a_lock_is_the_fix() -> None:
    locked = "fatal: Unable to create '/home/ana/shop/.git/index.lock': File exists."
    (link,) = Chat().sh("git commit -m x", locked, 128).sh("git commit -m x", "[main 1] x").one().links
    assert (link.idx, link.why) == (1, "the command ran again after the lock was released")


def test_a_lock_file_of_a_package_manager_is_released_by_no_wait() -> None:
    stale = "error: the lock file /home/ana/shop/Cargo.lock needs to be updated but --locked was passed"
    chat = Chat().sh("cargo build --locked", stale, 101).sh("cargo build --locked", "Finished")
    assert not chat.one().resolved


def test_a_look_at_a_failing_check_through_a_filter_is_no_fix() -> None:
    chat = Chat().sh("go test ./cart", "--- FAIL: TestSum (0.0s)\n    sum_test.go:3: got 4\nFAIL", 1)
    assert not chat.sh("go test ./cart -v 2>&1 | grep Summary", "Summary of 1 test").found()[0].resolved


def test_a_retry_that_the_shell_refuses_is_no_fix() -> None:
    create = "gh pr create --draft --base tidy --head work --title x"
    chat = Chat().sh(f"hub-proxy {create}", "GitHub API error 422: Validation Failed: base is invalid", 1)
    assert not chat.sh(create, "zsh:1: command not found: gh", 127).found()[0].resolved


@pytest.mark.parametrize(
    ("failing", "output", "later"),
    [
        ("git add a.txt b/c", "The following paths are ignored by one of your .gitignore files:\nb", "git add a.txt"),
        ("git rebase main", "CONFLICT (content): Merge conflict in a.txt", "git rebase --continue"),
        ("go test -run TestA ./...", "--- FAIL: TestA (0.0s)\n    a_test.go:3: no\nFAIL", "go test -run TestB ./..."),
        ("sed -n 1,9p old/a.py", "sed: old/a.py: No such file or directory", "sed -n 1,9p new/a.py"),
        ("gh pr view 5", "GraphQL: Projects (classic) is being deprecated", "gh pr view 6 --json url"),
        ("psql -c 'select a, b from t where c'", 'ERROR:  column "b" does not exist', "psql -c '\\d t'"),
        ("psql -d shop -f a.sql", 'ERROR:  relation "users" has no id', "psql -d shop -c 'select id from users'"),
        ("hk check a/b.rs", "zsh: command not found: hk", "sed -n 1,9p a/b.rs"),
        ("bats a.bats", "Could not find helper/load", "git config --get-regexp helper"),
        ("aws ls --x | jq -r .a.b", "jq: error (at 1): Cannot iterate over null", "aws ls --x | jq -r .a | grep -i b"),
    ],
)  # fmt: skip
def test_a_command_that_gives_the_goal_up_is_no_fix(failing: str, output: str, later: str) -> None:
    assert not any(error.resolved for error in Chat().sh(failing, output, 1).sh(later, "ok").found())


def test_a_script_whose_quotes_were_lost_is_written_to_a_file() -> None:
    chat = Chat().sh("python3 - <<PY\nimport re\nre.compile('(a')\nPY", "re.PatternError: missing ), at position 0", 1)
    chat.tool("Write", {"file_path": "/tmp/check.py", "content": "import re\n"}, "File created")
    (link,) = chat.sh("python3 /tmp/check.py", "5 themes").one().links
    assert (link.idx, link.why) == (2, "the script ran from the file `check.py` instead of the command line")


def test_a_script_that_fails_for_another_reason_is_not_cured_by_a_file() -> None:
    chat = Chat().sh("python3 - <<PY\nimport yaml\nPY", "ModuleNotFoundError: No module named 'yaml'", 1)
    chat.tool("Write", {"file_path": "/tmp/check.py", "content": "import json\n"}, "File created")
    found = chat.sh("python3 /tmp/check.py", "ok").found()
    assert not any("from the file" in link.why for error in found for link in error.links)


def test_a_call_made_before_the_failure_was_seen_is_no_answer_to_it() -> None:
    output = 'Unknown JSON field: "closedBy"'

    def ran(idx: int, called: int, command: str, text: str, code: int) -> Ran:
        given: Mapping[str, object] = {"command": command}
        return Ran("s", idx, "main", "Bash", given, text, "error" if code else "none", code, called=called)

    failed = ran(2, 0, "gh pr view 7 --json title,closedBy", output, 1)
    (beside,) = harvest([failed, ran(3, 1, "gh pr view 7 --json title", "{}", 0)], HOME)
    (after,) = harvest([failed, ran(4, 3, "gh pr view 7 --json title", "{}", 0)], HOME)
    assert (beside.resolved, after.resolved) == (False, True)


def test_a_call_made_beside_the_failing_one_takes_no_place_among_those_after_it() -> None:
    def ran(idx: int, called: int, command: str, text: str, code: int) -> Ran:
        given: Mapping[str, object] = {"command": command}
        return Ran("s", idx, "main", "Bash", given, text, "error" if code else "none", code, called=called)

    failed = ran(2, 0, "rtk bun test src/a.test.ts", "error: unrecognized subcommand 'bun'", 1)
    beside = ran(3, 1, "git status", "clean", 0)
    (error,) = harvest([failed, beside, ran(5, 4, "bun test src/a.test.ts", "1 pass", 0)], HOME)
    assert [link.why for link in error.links] == ["the same check passed in another way"]


def test_the_same_command_outside_the_sandbox_is_the_fix() -> None:
    failed = "fatal: Unable to create '/w/.git/index.lock': Operation not permitted"
    chat = Chat().tool("shell_command", {"command": "git commit -m x"}, failed, "error", 128)
    chat.tool(
        "shell_command",
        {"command": "git commit -m x", "sandbox_permissions": "require_escalated"},
        "[main 1] x",
        code=0,
    )
    (link,) = chat.one().links
    assert link.why == "the same command passed outside the agent's sandbox"


def test_what_passed_outside_the_sandbox_was_not_cured_by_the_only_edit() -> None:
    refused = "panic: listen tcp 127.0.0.1:0: bind: operation not permitted"
    chat = Chat().sh("go test ./...", refused, 1).edit(f"{HOME}/src/cart.go", "total := 1", "total := 2")
    chat.tool("Bash", {"command": "go test ./...", "dangerouslyDisableSandbox": True}, "ok  \tx\t0.1s")
    assert [link.why for link in chat.one().links] == ["the same command passed outside the agent's sandbox"]


def test_a_wait_is_the_fix_of_what_passes_with_time() -> None:
    limited = "gh: API rate limit exceeded for user (HTTP 429)"
    chat = Chat().sh("gh api /user/repos", limited, 1).sh("sleep 60 && gh api /user/repos", "[]")
    assert [link.why for link in chat.one().links] == ["the command ran again after a wait"]


@pytest.mark.parametrize("escalated", ['"sandbox_permissions":"require_escalated"', "with_escalated_permissions: true"])
def test_a_script_asks_to_run_outside_the_sandbox(escalated: str) -> None:
    script = "const r = await tools.exec_command({cmd: 'git commit -m x', %s}); text(r.output);"
    given = {"command": "git commit -m x"}
    chat = Chat().tool("exec", given | {"input": script % "tty: false"}, "fatal: cannot lock ref 'HEAD'", "error", 128)
    (link,) = chat.tool("exec", given | {"input": script % escalated}, "[main 1] x", code=0).one().links
    assert link.why == "the same command passed outside the agent's sandbox"


def test_what_a_background_run_ended_in_stands_for_its_start() -> None:
    chat = Chat().sh("vp test --watch src/a.test.ts", "error: unknown option '--watch'", 1)
    chat.tool("exec_command", {"cmd": "vp test src/a.test.ts"}, "Process running with session ID 7\nOutput:\n")
    chat.read().tool("write_stdin", {"session_id": 7}, "Process exited with code 0\nOutput:\n1 passed", code=0)
    (link,) = chat.one().links
    assert link.idx == 1


def test_the_first_retry_that_worked_is_the_fix_though_a_rule_names_a_later_one() -> None:
    chat = Chat().sh("gh pr create -R a/b --fill", 'could not resolve remote "origin"', 1)
    chat.sh("gh pr create -R a/b --fill --head x --base main", "https://example.org/1")
    (link,) = chat.sh("gh pr create --repo origin/b --title t", "https://example.org/2").one().links
    assert link.idx == 1


@pytest.mark.parametrize(
    ("failing", "output", "later"),
    [
        ("gh pr diff 5 -- src/a.rs", "accepts at most 1 arg(s), received 2", "gh pr diff 5 --patch"),
        ("gh api -X PUT a/b -f is_on=1", '"1" is no boolean', "gh api -X PUT a/b --input - <<E\n{'is_on': true}\nE"),
        ("gh pr edit 4 --body-file /tmp/b.md", "open /tmp/b.md: no such file", "gh pr edit 4 --body-file /home/b.md"),
    ],
)  # fmt: skip
def test_what_is_given_in_another_way_is_no_other_target(failing: str, output: str, later: str) -> None:
    (link,) = Chat().sh(failing, output, 1).sh(later, "ok").one().links
    assert link.idx == 1


def test_a_background_run_is_named_by_the_call_that_began_it() -> None:
    chat = Chat().sh("npm start", "Error: PORT_NUMBER is not defined\n    at x", 1)
    chat.tool("Bash", {"command": "PORT_NUMBER=1 npm start"}, "Command running in background with ID: b1")
    chat.tool(
        "BashOutput", {"bash_id": "b1"}, "<status>completed</status>\n<exit_code>0</exit_code>\n<stdout>\nok\n</stdout>"
    )
    assert [link.idx for link in chat.one().links] == [1]


@pytest.mark.parametrize(
    ("failing", "later"),
    [
        ("jq -r '.stacks[]' .git/stack | tail -20", "rg -n '\"number\"' .git/stack | tail -120"),
        ("python pulls.py | jq '{url, login: .author.login}'", "gh pr view --jq '{url, login: .author.login}'"),
    ],
)
def test_a_look_or_a_filtered_run_can_do_without_a_missing_program(failing: str, later: str) -> None:
    chat = Chat().sh(failing, "/usr/bin/bash: line 1: jq: command not found", 127)
    error = chat.sh(later, '12: "number": 79').one()
    assert error.instead is not None and "which is missing" in error.links[0].why


def test_a_look_does_not_do_without_a_module_that_a_program_lacks() -> None:
    chat = Chat().sh("bun run tests/total.test.ts", "error: Cannot find module 'zod' from 'tests/total.test.ts'", 1)
    chat.sh("rg -n zod tests/total.test.ts | head -5", "1: import { z } from 'zod'").sh("bun install", "4 packages")
    error = chat.sh("bun run tests/total.test.ts", "4 passed").one()
    assert [link.idx for link in error.links] == [2]


def test_an_edit_in_between_leaves_a_retry_unlinked() -> None:
    chat = Chat().sh("gh pr view 5", "GraphQL: Projects (classic) is being deprecated", 1)
    chat.edit("a.py", "x = 1", "x = 2")
    assert not chat.sh("gh pr view 5 --json url", "{}").one().resolved


@pytest.mark.parametrize(("output", "resolved"), [("docker not found\nnone", False), ("NAMES\nshop-db", True)])
def test_a_command_that_says_itself_that_it_failed_is_no_fix(output: str, resolved: bool) -> None:
    chat = Chat().sh("docker ps", "zsh: command not found: docker", 127)
    later = "which docker 2>/dev/null || /usr/local/bin/docker ps 2>/dev/null || echo none"
    assert chat.sh(later, output).one().resolved == resolved


def test_a_command_that_answers_its_own_question_can_be_the_fix() -> None:
    chat = Chat().sh("git commit -m x", f"fatal: Unable to create '{HOME}/.git/index.lock': File exists.", 128)
    chat.sh("mv .git/index.lock old.lock && echo moved; ls .git/index.lock && echo there || echo gone", "moved\ngone")
    assert [link.idx for link in chat.sh("git commit -m x", "[main 1] x").one().links] == [1]


def test_what_was_installed_in_between_is_the_fix_and_not_the_retry() -> None:
    load = 'python -c "import factory; b = factory.booster(depth=5, trees=20); print({})"'
    chat = Chat().sh(load.format("len(b.dump()), type(b)"), python_error("XGBoostError: the library was not loaded"), 1)
    error = chat.sh("brew install libomp", "poured").sh(load.format("len(b.dump())"), "20").one()
    assert [link.idx for link in error.links] == [1]


def test_a_push_that_was_refused_is_cured_by_what_brings_the_branch_in() -> None:
    chat = Chat().sh("git push origin HEAD:a", "error: failed to push some refs to 'https://h/r.git'", 1)
    chat.sh("git fetch origin a", "ok").sh("git rebase FETCH_HEAD", "ok").sh("git push origin HEAD:a", "ok")
    assert [link.idx for link in chat.one().links] == [1, 2]


def test_a_fetch_alone_cures_no_refused_push() -> None:
    chat = Chat().sh("git push origin HEAD:a", "error: failed to push some refs to 'https://h/r.git'", 1)
    chat.sh("git fetch origin && git status", "ok").read()
    assert not chat.sh("git push origin HEAD:a", "ok").one().resolved


@pytest.mark.parametrize(
    ("error", "resolved"), [("lint.go:3:1: var x is unused (unused)", False), ("fatal: the tree is dirty", True)]
)
def test_a_run_without_the_changes_is_no_fix_of_what_they_broke(error: str, resolved: bool) -> None:
    chat = Chat().sh("make lint", error, 1)
    assert chat.sh("git stash && make lint; git stash pop", "0 issues.").one().resolved == resolved


@pytest.mark.parametrize(("said", "resolved"), [("1Password's unlocked, try again", True), ("go on", False)])
def test_a_person_who_names_what_the_error_names_dealt_with_it(said: str, resolved: bool) -> None:
    chat = Chat().sh("git commit -m x", "error: 1Password: failed to fill whole buffer", 128)
    chat.user(said)
    found = chat.sh("git commit -m x", "[main 1] x").one()
    assert (found.resolved, found.strength) == ((True, "weak") if resolved else (False, None))
