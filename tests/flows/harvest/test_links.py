"""Which steps belong to a fix: those that something ties to the error, each with its reason."""

from __future__ import annotations

import pytest

from core.flows.harvest.events import HarvestedError
from core.flows.harvest.fixes.clues import as_written
from tests.flows.harvest.chat import HOME, LOOKUP, VITEST, Chat

LINT = (
    "src/cart.go:12:9: error returned from external package is unwrapped (wrapcheck)\n\t\treturn nil, cause\n\t\t^\n"
    "src/total.go:40:2: string `eur` has 3 occurrences, make it a constant (goconst)\n\t\tcode := `eur`\n"
    "\t\t^\n2 issues\n"
)


def linked(error: HarvestedError) -> list[tuple[int, str]]:
    return [(link.idx, link.why) for link in error.links]


def steps(error: HarvestedError) -> list[int]:
    return [link.idx for link in error.links]


def test_each_finding_of_one_output_has_its_own_hunks() -> None:
    chat = Chat().sh("golangci-lint run", LINT, 1)
    chat.edit(f"{HOME}/src/cart.go", "\t\treturn nil, cause", '\t\treturn nil, fmt.Errorf("%w", cause)')
    chat.edit(f"{HOME}/src/total.go", "\t\tcode := `eur`", "\t\tcode := currency")
    wrap, const = chat.edit(f"{HOME}/README.md", "old", "new").sh("golangci-lint run", "0 issues.").found()
    assert linked(wrap) == [(1, "the change is at the reported line of cart.go")]
    assert linked(const) == [(2, "the change is at the reported line of total.go")]
    assert (wrap.files_changed, const.files_changed) == (("src/cart.go",), ("src/total.go",))
    assert wrap.resolution_text is not None and "eur" not in wrap.resolution_text


def test_no_link_is_no_fix() -> None:
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/docs/a.md", "x", "y").edit(f"{HOME}/docs/b.md", "x", "y")
    error = chat.sh("npm test", "4 passed").one()
    assert (error.resolved, error.links, error.resolution_text) == (False, (), None)


def test_what_is_written_about_an_error_is_no_fix() -> None:
    chat = Chat().sh("python app.py", "Traceback (most recent call last):\nKeyError: 'price_of'\n", 1)
    chat.edit(f"{HOME}/docs/plan.md", "open", "open: price_of").edit(f"{HOME}/b.py", "d = {}", "d = {'price_of': 1}")
    chat.sh("printf 'price_of is missing' > notes.md")
    assert steps(chat.sh("python app.py", "fine").one()) == [2]


def test_the_layout_of_code_is_no_fix_of_a_test_but_of_a_check() -> None:
    failed = "--- FAIL: TestSum (0.00s)\n    sum_test.go:3: object-format: got 4, want 5\nFAIL\n"
    chat = Chat().sh("go test ./...", failed, 1).edit(f"{HOME}/sum.go", "a + 1", "a + b").sh("gofmt -w sum.go")
    assert steps(chat.sh("go test ./...", "ok  \tx\t0.1s").one()) == [1]
    chat = Chat().sh("golangci-lint run", "sum.go:3:1: File is not properly formatted (gofmt)\n1 issues\n", 1)
    assert steps(chat.sh("gofmt -w sum.go").sh("golangci-lint run", "0 issues.").one()) == [1]


def test_an_edit_of_code_does_not_cure_a_missing_program() -> None:
    chat = Chat().sh("python app.py", "bash: line 1: python: command not found", 127)
    chat.edit(f"{HOME}/src/cart.py", "a = 1", "a = 2")
    assert steps(chat.sh(".venv/bin/python app.py", "fine").one()) == [2]


def test_an_edit_that_names_the_missing_program_can_cure_it() -> None:
    chat = Chat().sh("bash build.sh", "build.sh: line 2: protoc: command not found", 127)
    chat.edit(f"{HOME}/mise.toml", "", "protoc = 'latest'")
    assert steps(chat.sh("bash build.sh", "fine").one()) == [1]


def test_the_only_edit_is_linked_as_such() -> None:
    error = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/docs/a.md", "x", "y").sh("npm test", "4 passed").one()
    assert linked(error) == [(1, "the only change between the failure and the passing run")]


def test_an_identifier_that_the_error_names_links_a_hunk_in_another_file() -> None:
    chat = Chat().sh("python app.py", "Traceback (most recent call last):\nKeyError: 'price_of'\n", 1)
    chat.edit(f"{HOME}/a.py", "x = 1", "x = 2").edit(f"{HOME}/b.py", "d = {}", "d = {'price_of': 1}")
    error = chat.sh("python app.py", "fine").one()
    assert linked(error) == [(2, "the change contains `price_of`, which the error names")]


def test_a_hunk_is_cut_to_what_differs_and_one_line_around() -> None:
    before = [f"line {number}" for number in range(40)]
    after = [*before[:20], "add()", *before[21:]]
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", "\n".join(before), "\n".join(after))
    text = chat.sh("npm test", "4 passed").one().resolution_text
    assert text is not None
    assert "```diff\n  line 19\n- line 20\n+ add()\n  line 21\n```" in text
    assert "line 18" not in text and "line 22" not in text


def test_what_was_tried_and_taken_back_is_no_step() -> None:
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", "plus()", "add()")
    chat.edit(f"{HOME}/src/sum.ts", "add()", "plus()").edit(f"{HOME}/src/all.ts", "plus", "add")
    assert steps(chat.sh("npm test", "4 passed").one()) == [3]


def test_an_edit_of_a_file_that_git_puts_back_is_no_step() -> None:
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", "plus()", "add()").sh("git checkout src/sum.ts")
    assert steps(chat.edit(f"{HOME}/src/all.ts", "plus", "add").sh("npm test", "4 passed").one()) == [3]


@pytest.mark.parametrize("command", ["git commit -am wip", "git push", "gh pr create --fill", "cat src/sum.ts", "ls"])
def test_commands_that_cure_nothing_are_no_steps(command: str) -> None:
    chat = Chat().sh("npm test", VITEST, 1).sh(command).edit(f"{HOME}/src/sum.ts", "plus", "add")
    assert steps(chat.sh("npm test", "4 passed").one()) == [2]
    assert not Chat().sh("npm test", VITEST, 1).sh(command).sh("npm test", "4 passed").one().resolved


@pytest.mark.parametrize(
    ("failing", "output", "cure"),
    [
        ("python app.py", "ModuleNotFoundError: No module named 'yaml'", "pip install pyyaml"),
        ("./report.sh", "./report.sh: line 3: jq: command not found", "brew install jq"),
        ("git commit -m x", "error: gpg failed to sign the data", "git config commit.gpgsign false"),
        ("npm run e2e", "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at x", "docker compose up -d"),
        ("npm start", "Error: listen EADDRINUSE: address already in use :::3000\n    at x", "kill 4711"),
        ("npm run build", "Error: API_TOKEN is not defined\n    at x", "export API_TOKEN=none"),
        ("./run.sh", "bash: ./run.sh: Permission denied", "chmod +x run.sh"),
    ],
)
def test_a_command_is_linked_by_what_the_error_lacks(failing: str, output: str, cure: str) -> None:
    chat = (
        Chat().sh(failing, output, 1).edit(f"{HOME}/docs/a.md", "x", "y").sh(cure).edit(f"{HOME}/docs/b.md", "x", "y")
    )
    error = chat.sh(failing, "ok").one()
    assert steps(error) == [2], error.links
    assert error.commands == (cure,)


def test_what_git_did_in_between_is_the_fix_of_an_error_of_git() -> None:
    chat = Chat().sh("git push", "error: failed to push some refs to 'x'", 1).sh("git pull --rebase").sh("git push")
    assert steps(chat.one()) == [1]
    saved = Chat().sh("git push", "error: failed to push some refs to 'x'", 1).sh("git commit -am y").sh("git push")
    assert saved.one().transient


def test_the_agents_sentence_links_a_step_that_nothing_else_does() -> None:
    failed = "--- FAIL: TestTotal (0.00s)\n    cart_test.go:9: total of an empty basket is negative\nFAIL\n"
    chat = Chat().sh("go test ./...", failed, 1).edit(f"{HOME}/docs/a.md", "x", "y")
    chat.say("The total of an empty basket goes below zero in clamp, so I return early there.")
    chat.edit(f"{HOME}/money/clamp.go", "return low", "return 0").sh("go test ./...", "ok  \tshop\t0.1s")
    error = chat.one()
    assert steps(error) == [3]
    assert error.links[0].why.startswith("explained before it: “The total of an empty basket")


def test_a_sentence_that_only_says_what_the_agent_does_is_not_quoted() -> None:
    failed = "--- FAIL: TestTotal (0.00s)\n    cart_test.go:9: total of an empty basket is negative\nFAIL\n"
    chat = Chat().sh("go test ./...", failed, 1).edit(f"{HOME}/docs/a.md", "x", "y")
    chat.say("Let me look at the total of an empty basket in clamp.")
    chat.edit(f"{HOME}/money/clamp.go", "return low", "return 0").sh("go test ./...", "ok  \tshop\t0.1s")
    assert [one.why for one in chat.one().links] == ["the message before it mentions `basket`"]


def test_a_reason_writes_a_name_as_the_error_does() -> None:
    failed = "cart.go:9:2: undefined: isSessionIdle\n"
    chat = Chat().sh("go build ./...", failed, 1).edit(f"{HOME}/docs/README.md", "x", "y")
    chat.edit(f"{HOME}/idle.go", "x", "func isSessionIdle() bool {").sh("go build ./...", "")
    assert [one.why for one in chat.one().links] == ["the change contains `isSessionIdle`, which the error names"]
    lesson = chat.one().lesson
    assert lesson is not None and lesson.evidence[0].why == chat.one().links[0].why


@pytest.mark.parametrize(
    ("why", "text", "expected"),
    [
        (
            "the change is in skill.md, which the error names",
            "docs/SKILL.md:4",
            "the change is in SKILL.md, which the",
        ),
        ("the command adds `gh_token`, which", "my_gh_token, not GH_TOKEN", "the command adds `GH_TOKEN`, which"),
        ("the command adds `a.b`, which", "no such name", "the command adds `a.b`, which"),
        ("explained before it: “use `readme`”", "README", "explained before it: “use `readme`”"),
    ],
)
def test_names_in_a_reason(why: str, text: str, expected: str) -> None:
    assert as_written(why, text).startswith(expected)


def test_what_a_person_asked_for_next_is_other_work() -> None:
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", "plus", "add").user("Now rename the export too.")
    assert steps(chat.edit(f"{HOME}/src/b.ts", "x", "add").sh("npm test", "4 passed").one()) == [1]


def test_a_test_file_links_the_file_that_it_tests() -> None:
    failed = "FAILED tests/test_basket.py::test_sum - assert 3 == 4\nE   assert 3 == 4\n\ntests/test_basket.py:7: no\n"
    chat = Chat().sh("pytest", failed, 1).edit(f"{HOME}/shop/basket.py", "x", "y").edit(f"{HOME}/docs/a.md", "x", "y")
    assert steps(chat.sh("pytest", "9 passed").one()) == [1]


def test_many_edits_of_the_file_alone_do_not_tell_which_helped() -> None:
    failed = "Traceback (most recent call last):\n  File \"shop.py\", line 3, in <module>\nKeyError: 'x'\n"
    chat = Chat().sh("python shop.py", failed, 1)
    for number in range(5):
        chat.edit(f"{HOME}/shop.py", f"a{number}", f"b{number}")
    assert not chat.sh("python shop.py", "fine").one().resolved


def test_the_cost_of_a_failure() -> None:
    chat = Chat().sh("python app.py", LOOKUP, 1).edit().sh("python app.py", LOOKUP, 1).edit(new="currency")
    cost = chat.sh("python app.py", "fine").one().cost
    assert cost is not None and (cost.attempts, cost.messages) == (2, 4)


def test_a_formatter_of_the_toolchain_cures_no_failed_download() -> None:
    chat = Chat().sh("cargo test", "error: failed to download from `https://static.example.io/a`", 101)
    assert not any(
        "check reported" in link.why for link in chat.sh("cargo fmt").sh("cargo test", "test result: ok").one().links
    )


def test_a_formatter_of_a_chain_cures_no_other_check_of_it() -> None:
    checks = "ruff format --check a.py && pytest -q"
    missing = (
        "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'rfc8785'"
    )
    found = Chat().sh(checks, missing, 1).sh("ruff format a.py", "1 file reformatted").sh(checks, "1 passed").found()
    assert not any("check reported" in link.why for error in found for link in error.links)
    found = Chat().sh(checks, "Would reformat: a.py", 1).sh("ruff format a.py", "1 file reformatted").found()
    assert any("check reported" in link.why for error in found for link in error.links)


def test_an_exception_of_python_is_at_the_last_frame_above_it() -> None:
    chat = Chat().sh(
        "pytest -q",
        '  File "/home/ana/shop/src/prices.py", line 34\n    return f"{x!}"\n'
        "SyntaxError: f-string: invalid conversion\n_____ ERROR collecting tests/test_cart.py _____\n"
        "../lib/_pytest/python.py:617: in _importtestmodule\n",
        2,
    )
    error = chat.edit(f"{HOME}/src/prices.py").edit(f"{HOME}/src/tax.py").sh("pytest -q", "4 passed").found()[0]
    assert error.files_changed == ("src/prices.py",)


def test_prose_is_no_fix_where_a_part_of_the_command_passed() -> None:
    for file, resolved in (("CLAUDE.md", False), ("kit.conf", True)):
        chat = Chat().sh("git clone u ~/kit && cd ~/kit && ./setup", "fatal: path '/home/ana/kit' already exists", 128)
        chat.edit(f"{HOME}/{file}", "x", "y")
        assert chat.sh("cd ~/kit && ./setup --team", "Generated").one().resolved == resolved


def test_a_command_that_the_error_tells_to_run_is_its_fix() -> None:
    says = "error: No virtual environment found; run `uv venv` to create an environment"
    chat = Chat().sh("uv pip install -r a.txt", says, 2).sh("uv venv && echo created", "created")
    error = chat.sh("source .venv/bin/activate && uv pip install -r a.txt", "Installed 3 packages").one()
    assert [link.why for link in error.links] == ["the command is `uv venv`, which the error suggests"]


def test_the_file_of_a_powershell_variable_is_what_the_script_writes() -> None:
    says = "src/models.py:3: pydantic.errors.PydanticUserError: `regex` is removed. use `pattern` instead"
    script = "$path='src/models.py'\n$text = @'\nx = 1\n'@\nSet-Content -Path $path -Value $text -Encoding UTF8"
    error = Chat().sh("python -m pytest", says, 1).sh(script).sh("python -m pytest", "3 passed").one()
    assert error.files_changed == ("src/models.py",)
