"""How strong a fix is, what hides a failure, and what a finding is worth keeping for."""

from __future__ import annotations

import pytest

from core.flows.harvest.command import parse_command
from core.flows.harvest.fixes.clues import names_in
from core.flows.harvest.fixes.lesson import worth_of
from tests.flows.harvest.chat import HOME, VITEST, Chat, python_error

GO = "--- FAIL: TestTotal (0.00s)\n    cart_test.go:9: total_of is negative\nFAIL\n"


def test_a_linked_hunk_and_the_whole_check_are_strong() -> None:
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", "plus", "add").sh("npm test", "4 passed")
    assert chat.one().strength == "strong"


def test_a_hunk_too_long_to_be_shown_is_weak() -> None:
    added = "\n".join(f"add({at})" for at in range(40))
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", "plus", added).sh("npm test", "4 passed")
    assert "```" not in chat.one().resolution_text
    assert chat.one().strength == "weak"


def test_the_only_change_is_weak() -> None:
    assert Chat().sh("npm test", VITEST, 1).edit().sh("npm test", "4 passed").one().strength == "weak"


def test_a_narrowed_check_is_weak_until_the_whole_one_passes() -> None:
    chat = Chat().sh("go test ./...", GO, 1).edit(f"{HOME}/cart.go", "x", "total_of")
    chat.sh("go test ./... 2>&1 | tail -3", "ok  \tshop\t0.1s")
    assert chat.one().strength == "weak"
    assert chat.sh("go test ./...", "ok  \tshop\t0.1s").one().strength == "strong"


def test_a_narrowed_check_stays_weak_where_the_error_comes_back() -> None:
    chat = Chat().sh("go test ./...", GO, 1).edit(f"{HOME}/cart.go", "x", "total_of")
    chat.sh("go test ./... 2>&1 | tail -3", "ok  \tshop\t0.1s").sh("go test ./...", GO, 1)
    assert [(error.resolved, error.strength) for error in chat.found()] == [(True, "weak"), (False, None)]


def test_the_test_that_failed_may_prove_it_alone() -> None:
    chat = Chat().sh("go test ./...", GO, 1).edit(f"{HOME}/cart.go", "x", "total_of")
    named = chat.sh("go test -run TestTotal ./cart_test.go", "ok  \tshop\t0.1s").one()
    assert (named.resolved, named.strength) == (True, "strong")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("add(1) // eslint-disable-line", "add(2) // eslint-disable-line no-undef"),
        ("add(1) // eslint-disable-line no-undef, max-len", "add(2) // eslint-disable-line max-len -- long"),
    ],
)
def test_a_suppression_that_was_there_hides_nothing_new(old: str, new: str) -> None:
    error = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.test.ts", old, new).sh("npm test", "4 passed").one()
    assert not error.links[0].why.startswith("workaround: ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("add(1)", "add(1) // eslint-disable-line"),
        ("add(1) // eslint-disable-line no-undef", "add(1) // eslint-disable-line no-undef, max-len"),
        ("it('adds', add)", "it.skip('adds', add)"),
        ("  expect(add(1)).toBe(2)", "  add(1)"),
    ],
)
def test_what_hides_the_failure_is_a_workaround_and_weak(old: str, new: str) -> None:
    error = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.test.ts", old, new).sh("npm test", "4 passed").one()
    assert error.strength == "weak"
    assert error.links[0].why.startswith("workaround: ")


@pytest.mark.parametrize(
    ("key", "tool", "command", "worth"),
    [
        ("undefined: basket", "go", "go build ./...", "slip"),
        ("error TS2304: Cannot find name 'basket'.", "tsc", "npx tsc", "slip"),
        ("CONFLICT (content): Merge conflict in a.py", "git", "git merge main", "slip"),
        ("assert 3 == 4", "pytest", "pytest", "slip"),
        ("G304: Potential file inclusion via variable (gosec)", "golangci-lint", "golangci-lint run", "project"),
        ("no required module provides package shop/cart", "go", "go build ./...", "project"),
        ("fatal: not a git repository", "git", "git fetch", "general"),
        ("bash: jq: command not found", "shell", "make report", "general"),
        ("Error response from daemon: container is not running", "docker", "docker exec db psql", "general"),
        ("cat: a.txt: No such file or directory", "coreutils", "cat a.txt", "none"),
        ("FAIL\tshop/cart", "go-test", "go test ./...", "none"),
    ],
)
def test_what_a_finding_is_worth(key: str, tool: str, command: str, worth: str) -> None:
    assert worth_of(key, tool, names_in(key), parse_command(command), 1) == worth


def test_a_name_in_another_file_is_weak_after_many_steps() -> None:
    def strength(steps: int) -> str | None:
        chat = Chat().sh("python app.py", python_error("KeyError: 'currency'"), 1)
        for _ in range(steps):
            chat.read()
        return chat.edit(old="x = 1", new="x = row['currency']").sh("python app.py", "ok").one().strength

    assert (strength(2), strength(22)) == ("strong", "weak")
