"""Which calls after a failure are likely its fix: the signs of a call, their weights, and which calls are kept."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from core.flows.harvest.changes import Change, Hint, change_of
from core.flows.harvest.command import parse_command
from core.flows.harvest.fixes import likelihood
from core.flows.harvest.fixes.clues import clues_of
from core.flows.harvest.fixes.likelihood import Trial, likely_steps, probability, signs_of
from core.flows.harvest.fixes.linking import Failure


def failure(command: str, key: str, tool: str = "unknown") -> Failure:
    return Failure(key, tool, clues_of(key, [(0, len(key), key)])[0], parse_command(command))


def run(at: int, command: str, *, succeeded: bool = True, passed: bool = True, said: tuple[str, ...] = ()) -> Trial:
    parsed = parse_command(command)
    change = change_of("Bash", {"command": command}, parsed, {})
    return Trial(at, "Bash", "s", at, None, change, parsed, True, succeeded, passed and succeeded, said)


def edit(at: int, file: str, old: str = "a", new: str = "b") -> Trial:
    hint = Hint(file, old, new)
    return Trial(at, "Edit", "s", at, None, Change((file,), (hint,)), None, False, True, False)


def signs(failed: Failure, trials: list[Trial], linked: frozenset[int] = frozenset()) -> dict[int, frozenset[str]]:
    return {trial.at: found for trial, found in signs_of(failed, trials, linked)}


NO_BUN = failure("rtk bun test src/a.test.ts", "error: unrecognized subcommand 'bun'")
NOT_SIGNED = failure("git commit -m x", "error: gpg failed to sign the data", "git")
TYPE = failure("tsc --noEmit", "src/cart.ts(3,1): error TS2304: Cannot find name 'price'.", "tsc")


def test_the_probability_adds_the_weights_of_the_signs_up() -> None:
    two = frozenset(("linked", "first"))
    total = likelihood.INTERCEPT + likelihood.WEIGHTS["linked"] + likelihood.WEIGHTS["first"]
    assert probability(two) == pytest.approx(1 / (1 + math.exp(-total)))
    assert probability(frozenset()) == pytest.approx(1 / (1 + math.exp(-likelihood.INTERCEPT)))
    assert probability(two | {"no such sign"}) == probability(two)


def test_no_weight_is_of_a_sign_that_no_call_can_have() -> None:
    source = Path(likelihood.__file__).read_text(encoding="utf-8")
    code = source[: source.index("WEIGHTS: Final")] + source[source.index("_PLACES: Final") :]
    known = [sign for sign in likelihood.WEIGHTS if f'"{sign}"' in code or sign.startswith("link ")]
    assert known == list(likelihood.WEIGHTS)


def test_the_same_call_put_in_another_way_is_the_fix() -> None:
    trials = [run(1, "bun test src/a.test.ts"), run(2, "git status")]
    (one,) = likely_steps(NO_BUN, trials, ())
    assert (one.trial.at, one.is_again) == (1, True)
    assert one.why == "the next call does the same in another way"


def test_nothing_likely_is_no_fix() -> None:
    assert likely_steps(NO_BUN, [run(1, "ls"), edit(2, "docs/notes.md")], ()) == ()
    assert likely_steps(NO_BUN, [], ()) == ()


def test_a_call_that_a_rule_ties_to_the_error_is_likelier() -> None:
    trials = [run(1, "git config commit.gpgsign false")]
    assert probability(signs(NOT_SIGNED, trials, frozenset({1}))[1]) > probability(signs(NOT_SIGNED, trials)[1])
    others = [*trials, run(2, "make gpg")]
    assert "other is linked" in signs(NOT_SIGNED, others, frozenset({1}))[2]


def test_what_a_rule_ties_is_the_fix_alone_where_it_says_so() -> None:
    trials = [edit(1, "src/cart.ts", "x", "price"), edit(2, "src/cart.ts", "y", "price")]
    assert [one.trial.at for one in likely_steps(TYPE, trials, {1, 2})] == [1, 2]
    assert [one.trial.at for one in likely_steps(TYPE, trials, {2}, alone=True)] == [2]


@pytest.mark.parametrize(
    "later",
    [
        run(1, "rtk bun test src/a.test.ts"),  # the same again
        run(1, "git add -A && git commit -m wip"),  # it saves work
        run(1, "rtk bun --help"),  # it gives the goal up
        run(1, "bun test src/a.test.ts")._replace(tool="Read"),  # a look
        edit(1, "src/a.ts")._replace(succeeded=False),  # an edit that was refused
    ],
)
def test_calls_that_can_be_no_step(later: Trial) -> None:
    assert signs(NO_BUN, [later]) == {}


def test_only_a_rule_tells_what_cures_a_check() -> None:
    trials = [run(1, "eslint src"), edit(2, "src/other.ts")]
    assert signs(TYPE, trials) == {}
    assert [*signs(TYPE, trials, frozenset({2}))] == [2]


def test_an_error_of_a_checker_without_a_place_may_be_cured_by_any_call() -> None:
    memory = failure("npm run build", "fatal error: out of memory", "go")
    assert [*signs(memory, [run(1, "taskkill //F //IM node.exe"), run(2, "npm run build")])] == [1]


def test_more_than_three_edits_in_a_row_do_not_tell_which_of_them_helped() -> None:
    edits = [edit(at, f"src/part{at}.ts") for at in range(1, 5)]
    assert [*signs(NOT_SIGNED, edits[:3])] == [1, 2, 3]
    assert signs(NOT_SIGNED, edits) == {}
    assert [*signs(NOT_SIGNED, edits, frozenset({2}))] == [2]


def test_of_many_edits_those_before_the_next_run_and_those_tied_to_the_error_may_have_helped() -> None:
    edits = [edit(at, f"src/part{at}.ts") for at in (1, 2, 4, 5)]
    tied = edit(6, "src/sign.ts", "sign(data)", "throw new Error('gpg failed to sign the data')")
    trials = [*edits[:2], run(3, "make", succeeded=False), *edits[2:], tied]
    assert [*signs(NOT_SIGNED, trials)] == [1, 2, 6]


def test_a_call_is_placed_among_those_before_the_command_passed() -> None:
    trials = [edit(1, "src/cart.ts"), edit(2, "src/total.ts"), run(3, "git commit -m y"), edit(4, "src/end.ts")]
    found = signs(NOT_SIGNED, trials, frozenset({3}))
    assert {"before green", "first before green", "first", "acts first"} <= found[1]
    assert {"before green", "last before green", "second", "acts second"} <= found[2]
    assert {"green", "near"} <= found[3]
    assert {"after green", "acts later"} <= found[4]
    alone = signs(NOT_SIGNED, [edit(1, "src/cart.ts"), run(2, "git commit -m y")])
    assert "only before green" in alone[1]


def test_a_retry_that_failed_is_a_step_only_where_the_shell_began_it() -> None:
    missing = failure("python app.py --port 80 --host web", "zsh: command not found: python", "shell")
    retry = run(1, "python3.12 run app.py --port 80 --host web", succeeded=False)
    assert [*signs(missing, [retry])] == [1]
    assert signs(NO_BUN, [run(1, "bun test src/a.test.ts", succeeded=False)]) == {}


def test_a_retry_that_fails_with_another_error_got_past_the_first() -> None:
    asked = failure("pnpm install --frozen-lockfile", "ERR_PNPM_NO_TTY Aborted removal of modules directory", "pnpm")
    retry = run(1, "CI=true pnpm install", succeeded=False)
    retry = retry._replace(errors=("ERR_PNPM_OUTDATED Cannot install with the lockfile",))
    later = run(2, "CI=true pnpm install --no-frozen-lockfile")
    found = signs(asked, [retry, later])
    assert "fails otherwise" in found[1] and "fails otherwise" not in found[2]
    assert "past" in found[2] and "past" not in found[1]
    one = likely_steps(asked, [retry, later], ())[0]
    assert (one.trial.at, one.why) == (1, "the next call does the same in another way, and another error follows")


@pytest.mark.parametrize(
    "retry",
    [
        run(1, "CI=true pnpm install", succeeded=False),  # it names no error
        run(1, "pnpm install --frozen-lockfile", succeeded=False)._replace(errors=("ERR_PNPM_OTHER x",)),  # the same
        run(1, "make images", succeeded=False)._replace(errors=("make: no rule",)),  # another command
        run(1, "CI=true pnpm install", succeeded=False)._replace(errors=("ERR_PNPM_NO_TTY Aborted here",)),  # its words
        run(1, "CI=true pnpm install", succeeded=False)._replace(  # the shell did not run it
            errors=("zsh: command not found: pnpm",), blamed=frozenset(("shell",))
        ),
    ],
)
def test_no_retry_that_got_past_the_error(retry: Trial) -> None:
    asked = failure("pnpm install --frozen-lockfile", "ERR_PNPM_NO_TTY Aborted removal of modules", "pnpm")
    assert signs(asked, [retry]) == {}


@pytest.mark.parametrize(
    ("again", "error", "after"),
    [
        ("tsc --noEmit", "src/tax.ts(9,1): error TS1005: ';' expected.", []),
        ("tsc --noEmit", "src/tax.ts(9,1): error TS2304: Cannot find name 'rate'.", [3]),  # much the same
        ("rm -rf dist && tsc --noEmit", "rm: dist: Permission denied", [3]),  # the check may not have run
        ("tsc --noEmit -p web", "web/a.ts(9,1): error TS1005: ';' expected.", [3]),  # another check
    ],
)
def test_what_follows_a_run_that_no_longer_shows_the_error_is_no_step(again: str, error: str, after: list[int]) -> None:
    other = run(2, again, succeeded=False)._replace(errors=(error,))
    found = signs(
        TYPE, [edit(1, "src/cart.ts", new="price"), other, edit(3, "src/cart.ts", old="price")], frozenset((1, 3))
    )
    assert [at for at in found if at != 2] == [1, *after]


def test_a_retry_that_fails_late_is_no_step() -> None:
    asked = failure("pnpm install --frozen-lockfile", "ERR_PNPM_NO_TTY Aborted removal of modules", "pnpm")
    retry = run(5, "CI=true pnpm install", succeeded=False)._replace(errors=("fatal: no lockfile here",))
    assert 5 in signs(asked, [run(3, "ls"), retry])
    assert 5 not in signs(asked, [*(run(at, "ls") for at in range(4)), retry])


def test_what_the_error_names_is_a_sign_of_the_call_that_names_it() -> None:
    named = signs(TYPE, [edit(1, "src/cart.ts", "x", "const price = 1")], frozenset({1}))[1]
    other = signs(TYPE, [edit(1, "src/end.ts", "x", "const total = 1")], frozenset({1}))[1]
    assert {"names", "file"} <= named
    assert not {"names", "file"} & other


def test_what_was_said_of_the_error_before_a_call_is_a_sign() -> None:
    said = ("The commit failed because gpg could not sign the data, so signing is switched off.",)
    assert "said" in signs(NOT_SIGNED, [run(1, "git config commit.gpgsign false", said=said)])[1]
    assert "said" not in signs(NOT_SIGNED, [run(1, "git config commit.gpgsign false")])[1]


def test_a_person_who_spoke_is_a_sign_of_all_calls_after() -> None:
    trials = [edit(1, "src/a.ts"), edit(2, "src/b.ts")._replace(has_request=True), edit(3, "src/c.ts")]
    assert [at for at, found in signs(NOT_SIGNED, trials).items() if "person spoke" in found] == [2, 3]


@pytest.mark.parametrize(
    ("failed", "command", "says"),
    [
        (
            failure("pip3 install x", "bash: line 1: pip3: command not found", "shell"),
            "python3 -m pip install x",
            "/usr/bin/python3: No module named pip",
        ),
        (
            failure("uv run ty check src", "error: Failed to spawn: `ty`", "uv"),
            "uv run python -m ty check src",
            "/p/python3: No module named ty",
        ),
    ],
)
def test_a_retry_that_lacks_the_same_got_past_nothing(failed: Failure, command: str, says: str) -> None:
    retry = run(1, command, succeeded=False)
    assert 1 in signs(failed, [retry._replace(errors=("error: disk quota exceeded",))])
    assert signs(failed, [retry._replace(errors=(says,))]) == {}


@pytest.mark.parametrize(
    ("failed", "later"),
    [
        (
            failure("gh api pulls?state=all", "zsh: no matches found: pulls?state=all", "shell"),
            "gh api 'pulls?state=all'",
        ),
        (
            failure("gh api x | jq .a", "bash: line 1: jq: command not found", "shell"),
            "gh api x | python3 -c 'print()'",
        ),
        (failure("git branch | rg -E '^x'", "rg: error parsing flag -E: unknown encoding"), "git branch | rg -e '^x'"),
    ],
)
def test_quotes_and_filters_can_cure_what_the_shell_or_a_filter_refused(failed: Failure, later: str) -> None:
    assert 1 in signs(failed, [run(1, later)])
    assert signs(failed._replace(key="Error: connection lost"), [run(1, later)]) == {}
    assert signs(failed, [run(1, failed.command.text)]) == {}


def test_a_check_behind_the_same_filter_is_no_look() -> None:
    says = "go: cannot write multiple packages to non-directory bin/my-app"
    several = failure("go build -o bin/my-app ./cmd/... | head", says, "go")
    assert 1 in signs(several, [run(1, "go build -o bin/my-app ./cmd/my-app | head")])
    assert signs(several, [run(1, "go build -o bin/my-app ./cmd/my-app | grep cmd")]) == {}


def test_a_folder_left_out_is_a_cure_where_the_error_names_a_file_in_it() -> None:
    refused = failure("git add a.md .keys/ b.md", "error: .keys/host.pem: failed to insert into database", "git")
    assert 1 in signs(refused, [run(1, "git add a.md b.md")])
    assert signs(refused, [run(1, "git add a.md .keys/")]) == {}


def test_another_task_of_a_runner_is_not_the_same_again() -> None:
    gone = failure("mise run app:build", "sh: tauri: command not found", "shell")
    assert "same subcommand" in signs(gone, [run(1, "mise run app:build -v")])[1]
    assert "same subcommand" not in signs(gone, [run(1, "mise run web:install -v")])[1]


def test_a_retry_that_lacks_the_same_is_not_past_the_error() -> None:
    gone = failure("pytest", "pytest : The term 'pytest' is not recognized as the name of a cmdlet", "powershell")
    install = run(2, "python -m pip install -r dev.txt")
    for says, past in (("python.exe: No module named pytest", False), ("ImportError: cannot import shop", True)):
        retry = run(1, "python -m pytest", succeeded=False)._replace(errors=(says,))
        assert ("past" in signs(gone, [retry, install])[2]) == past
