"""The lesson of a harvested fix: what to do, what did not help, how to check it, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors.cases.browse import show_case
from core.errors.lessons import Do, Lesson, LessonEvidence, agent_text, lesson_json
from core.flows.harvest.fixes.lesson import unfiltered
from core.flows.harvest.session import harvest_session
from core.flows.transcripts.api import import_transcripts
from core.store import Store, open_store
from tests.flows.harvest.chat import HOME, LOOKUP, VITEST, Chat
from tests.flows.harvest.test_session import Transcript


def lesson_of(chat: Chat) -> Lesson:
    lesson = chat.one().lesson
    assert lesson is not None
    return lesson


def test_an_edit_is_a_hunk_with_its_check_and_its_reason() -> None:
    chat = Chat().sh("cd web && npm test 2>&1 | tail -40", VITEST, 1)
    chat.say("add is missing because sum.ts exports plus. I'll rename it.")
    chat.edit(f"{HOME}/src/sum.ts", "export const plus", "export const add").sh(
        "cd web && npm test 2>&1 | tail -5", "4 passed"
    )
    lesson = lesson_of(chat)
    assert lesson.do == Do("hunk", "- export const plus\n+ export const add", "src/sum.ts")
    assert (lesson.check, lesson.because) == ("npm test", "add is missing because sum.ts exports plus.")
    assert (lesson.when.tool, lesson.when.system, lesson.scope) == ("vitest", "Linux", "session")
    assert lesson.evidence == (LessonEvidence("s", 2, "the change contains `add`, which the error names"),)


def test_a_corrected_command_says_what_it_replaces_and_what_failed_too() -> None:
    flag = "unknown flag: --stat\n\nUsage:  gh pr diff [<number>] [flags]"
    chat = Chat().sh("gh pr diff 214 --stat", flag, 1).sh("gh pr diff 214 --stat --color never", flag, 1)
    lesson = lesson_of(chat.sh("gh pr diff 214 --name-only", "a.py"))
    assert lesson.do == Do(
        "command", "gh pr diff <number> --name-only", instead_of="gh pr diff <number> --stat --color never"
    )
    assert lesson.when.tool == "gh" and not lesson.workaround


def test_a_command_that_was_tried_before_in_vain_is_a_dead_end() -> None:
    missing = "bash: jq: command not found"
    chat = Chat().sh("jq . a.json", missing, 127).sh("pip install jq", "ok").sh("jq . a.json", missing, 127)
    lesson = lesson_of(chat.sh("apt-get install -y jq", "ok").sh("jq . a.json", "{}"))
    assert lesson.do == Do("command", "apt-get install -y jq")
    assert lesson.dead_ends == ("pip install jq",)
    assert "**Did not help**\n\n- `pip install jq`" in (chat.one().resolution_text or "")


def test_an_edit_that_was_taken_back_is_a_dead_end() -> None:
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", "x", "export { add }")
    chat.sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", "export { add }", "x")
    chat.edit(f"{HOME}/src/sum.ts", "export const plus", "export const add").sh("npm test", "4 passed")
    assert lesson_of(chat).dead_ends == ("export { add } in sum.ts",)


def test_a_long_edit_is_its_telling_lines_and_the_sentence_that_explains_it_the_reason() -> None:
    old, new = "\n".join(f"add {n}" for n in range(20)), "\n".join(f"sum {n}" for n in range(20))
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", old, new).sh("npm test", "4 passed")
    assert len(lesson_of(chat).do.text.split("\n")) == 10
    chat = Chat().sh("npm test", VITEST, 1).say("The problem is that add returns nothing, so I change its loop.")
    lesson = lesson_of(chat.edit(f"{HOME}/src/sum.ts", old, new).sh("npm test", "4 passed"))
    assert (lesson.do.kind, len(lesson.do.text.split("\n"))) == ("hunk", 10)
    assert lesson.because is not None and lesson.because.startswith("The problem is that add")
    told = agent_text(lesson)
    assert "do: edit sum.ts\n+ sum 0" in told
    assert "because: The problem is that add" in told


def test_an_edit_whose_lines_are_not_known_names_the_file() -> None:
    chat = Chat().sh("npm test", VITEST, 1).say("The problem is that add returns nothing, so I change it.")
    chat.tool("Write", {"file_path": f"{HOME}/src/sum.ts", "content": ""}, "created")
    lesson = lesson_of(chat.sh("npm test", "4 passed"))
    assert (lesson.do.kind, lesson.do.text) == ("words", "Edit src/sum.ts")


def test_a_sentence_that_names_nothing_of_the_error_is_no_reason() -> None:
    chat = Chat().sh("npm test", VITEST, 1).user("use the plus export everywhere")
    chat.edit(f"{HOME}/src/sum.ts", "export const plus", "export const add").sh("npm test", "4 passed")
    assert chat.one().explanation is not None and lesson_of(chat).because is None


@pytest.mark.parametrize(
    ("failing", "output", "working"),
    [
        ("git commit -m x", "ruff.....Failed\nerror: hook declined the commit", "git commit --no-verify -m x"),
        ("git pull", "fatal: Unable to create '/r/.git/index.lock': File exists.", "rm -f .git/index.lock && git pull"),
    ],
)
def test_a_command_that_hides_the_failure_is_a_workaround_and_never_strong(
    failing: str, output: str, working: str
) -> None:
    error = Chat().sh(failing, output, 1).sh(working, "ok").one()
    assert error.lesson is not None and error.lesson.workaround and error.strength == "weak"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("expect(add(1)).toBe(2)", ""),
        ("it('adds', run)", "it.skip('adds', run)"),
        ("const add = f", "// @ts-ignore\nconst add = f"),
    ],
)
def test_an_edit_that_hides_the_failure_is_a_workaround_and_never_strong(old: str, new: str) -> None:
    error = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.test.ts", old, new).sh("npm test", "4 passed").one()
    assert error.lesson is not None and error.lesson.workaround and error.strength == "weak"


def test_a_moved_command_keeps_its_folder() -> None:
    failed = "npm error enoent Could not read package.json: Error: ENOENT: no such file"
    assert lesson_of(Chat().sh("npm test", failed, 1).sh("cd api && npm test", "ok")).do.text == "cd api && npm test"


@pytest.mark.parametrize(
    ("command", "whole"),
    [
        ("npm test 2>&1 | tail -5", "npm test"),
        ("make lint | grep -v info | head", "make lint"),
        ("jq '.a | tail' x", "jq '.a | tail' x"),
        ("gh api x | jq .a", "gh api x | jq .a"),
        ("a || head x", "a || head x"),
    ],
)
def test_a_check_is_told_without_its_filters(command: str, whole: str) -> None:
    assert unfiltered(command) == whole


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        yield opened


def imported(store: Store, tmp_path: Path) -> Transcript:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit().bash("python app.py", "fine")
    import_transcripts(store, "auto", [chat.save()])
    return chat


def shown(store: Store) -> Lesson:
    case = show_case(store, 1)
    assert case is not None and case.resolutions[0].lesson is not None
    return case.resolutions[0].lesson


def test_a_harvested_draft_keeps_its_lesson(store: Store, tmp_path: Path) -> None:
    chat = imported(store, tmp_path)
    assert shown(store).check == "python app.py"
    store.con.execute("UPDATE resolution SET lesson = NULL")
    harvest_session(store, chat.session)
    assert shown(store).check == "python app.py"


def test_what_was_told_and_helped_is_counted_when_it_is_read(store: Store, tmp_path: Path) -> None:
    imported(store, tmp_path)
    rows = [("helped", 1, 0), ("helped", 0, 0), ("failed_again", 1, 0), ("open", 0, 1)]
    for outcome, performed, withheld in rows:
        store.con.execute(
            "INSERT INTO answer_outcome(resolution_id, via, told_at, outcome, performed, withheld, settled_at)"
            " VALUES (1, 'hook', '2026-01-01', ?, ?, ?, '2026-01-02')",
            (outcome, performed, withheld),
        )
    lesson = shown(store)
    assert (lesson.told, lesson.helped, lesson.last_helped) == (3, 1, "2026-01-02")


def test_a_newer_failure_of_another_version_asks_for_a_recheck(store: Store, tmp_path: Path) -> None:
    old = LOOKUP.replace("app.py", "/usr/lib/python3.11/app.py")
    chat = Transcript(tmp_path / "in").bash("python app.py", old, 1).edit().bash("python app.py", "fine")
    import_transcripts(store, "auto", [chat.save()])
    assert shown(store).when.version == "3.11" and shown(store).recheck is None
    store.con.execute(
        "INSERT INTO occurrence(fingerprint, ts, raw) SELECT fingerprint, '2999-01-01', ? FROM fingerprint",
        (old.replace("3.11", "3.13"),),
    )
    assert shown(store).recheck == "this error occurred again with python 3.13, after the fix for version 3.11"


@pytest.mark.parametrize(
    ("mine", "theirs", "offered"),
    [
        ("github.com/a/x", "github.com/a/y", "general"),
        ("github.com/a/x", "github.com/a/x", None),
        ("/home/ana/x", "/home/ana/y", None),
        ("github.com/a/x", "/home/ana/y", None),
    ],
)
def test_the_same_thing_to_do_in_two_repositories_is_offered_as_general(
    store: Store, tmp_path: Path, mine: str, theirs: str, offered: str | None
) -> None:
    imported(store, tmp_path)
    kept = lesson_json(shown(store))
    store.con.execute(
        "INSERT INTO error_kb(id, ts, error_normalized, use_count) VALUES (9, '2026-01-01', 'another error', 0)"
    )
    store.con.execute(
        "INSERT INTO resolution(case_id, text, status, author, ts, lesson, message_ids)"
        " VALUES (9, 'x', 'draft', 'a', '', ?, '[]')",
        (kept,),
    )
    store.con.execute("UPDATE session SET repository = ?", (mine,))
    store.con.execute("UPDATE case_state SET repository = ? WHERE case_id = 9", (theirs,))
    assert shown(store).offered == offered


def test_of_a_long_chain_only_the_part_is_told_that_the_error_names() -> None:
    failing = 'cd /w && echo "== a ==" && grep -rn "resolve" --include=*.go && ls internal'
    passing = 'cd /w && echo "== b ==" && grep -rn "resolve" --include="*.go" . && echo done'
    error = Chat().sh(failing, "(eval):1: no matches found: --include=*.go", 1).sh(passing, "a.go:1: resolve").one()
    assert error.lesson is not None
    told = (error.lesson.do.instead_of, error.lesson.do.text)
    assert told == ('grep -rn "resolve" --include=*.go', 'grep -rn "resolve" --include="*.go" .')


def test_what_was_run_first_stays_in_what_is_told() -> None:
    error = (
        Chat().sh("git push", "error: failed to push some refs", 1).sh("git pull --rebase && git push", "done").one()
    )
    assert error.lesson is not None and error.lesson.do.text == "git pull --rebase && git push"


def test_what_passed_outside_the_sandbox_is_told_as_that() -> None:
    chat = Chat().sh("go test ./...", "panic: listen tcp 127.0.0.1:0: bind: operation not permitted", 1)
    chat.tool("Bash", {"command": "go test ./...", "dangerouslyDisableSandbox": True}, "ok  \tx\t0.1s")
    lesson = chat.one().lesson
    assert lesson is not None
    assert (lesson.do.kind, lesson.do.text) == ("words", "Run it outside the sandbox: go test ./...")


@pytest.mark.parametrize(
    ("failing", "output", "passing", "because"),
    [
        (
            "git add src/[id].astro",
            "(eval):1: no matches found: src/[id].astro",
            "git add 'src/[id].astro'",
            "the pattern `src/[id].astro` is quoted",
        ),
        (
            "timeout 300 python3 balance.py --by week",
            "zsh: command not found: timeout",
            "python3 balance.py --by week",
            "the command omits `timeout`, which is missing",
        ),
        (
            "go build ./...",
            "pattern ./...: directory prefix . does not contain main module or its selected dependencies",
            "cd src && go build ./...",
            "the command ran in another folder",
        ),
    ],
)
def test_where_nobody_said_why_the_reason_is_what_was_done_otherwise(
    failing: str, output: str, passing: str, because: str
) -> None:
    lesson = lesson_of(Chat().sh(failing, output, 1).sh(passing, "done"))
    assert (lesson.do.instead_of, lesson.because) == (failing, because)


def test_a_sentence_of_the_agent_comes_before_the_rule_that_names_the_difference() -> None:
    chat = Chat().sh("timeout 9 make docs", "zsh: command not found: timeout", 127)
    lesson = lesson_of(chat.say("It fails because macOS has no timeout command.").sh("make docs", "done"))
    assert lesson.because == "It fails because macOS has no timeout command."


def test_a_script_that_was_moved_to_a_file_is_said_to_be_in_one() -> None:
    failed = "re.PatternError: missing ), at position 0"
    chat = Chat().sh("python3 - <<PY\nimport re\nre.compile('(a')\nPY", failed, 1)
    chat.tool("Write", {"file_path": f"{HOME}/check.py", "content": "import re\n"}, "File created")
    lesson = lesson_of(chat.sh("python3 check.py", "5 themes"))
    assert lesson.do.text == "python3 check.py"
    assert lesson.because == "the script ran from the file `check.py` instead of the command line"


def test_no_placeholder_hides_what_differs() -> None:
    locked = "fatal: cannot lock ref 'refs/heads/feat/x': 'refs/heads/feat' exists; cannot create 'refs/heads/feat/x'"
    lesson = lesson_of(Chat().sh("git switch -c feat/x", locked, 128).sh("git switch -c feat-x", "Switched"))
    assert (lesson.do.instead_of, lesson.do.text) == ("git switch -c feat/x", "git switch -c feat-x")


def test_of_a_chain_only_the_part_is_told_that_was_changed() -> None:
    none = "error: no library targets found in package `hk`"
    chat = Chat().sh("cargo fmt --all && cargo test args --lib && cargo check --workspace", none, 101)
    lesson = lesson_of(chat.sh("cargo test args && cargo check --workspace", "test result: ok. 2 passed; 0 failed"))
    assert (lesson.do.instead_of, lesson.do.text) == ("cargo test args --lib", "cargo test args")


def test_of_an_edit_that_is_too_long_the_lines_stay_that_say_most() -> None:
    old = "\n".join((*(f"  drop({n})" for n in range(12)), "  call(plus)"))
    new = "\n".join(("  keep()", *(f"  new({n})" for n in range(10)), "  call(add)"))
    chat = Chat().sh("npm test", VITEST, 1).edit(f"{HOME}/src/sum.ts", old, new).sh("npm test", "4 passed")
    lines = lesson_of(chat).do.text.split("\n")
    assert (
        len(lines) == 10 and lines[-1] == "…" and "+   call(add)" in lines and not any("drop" in line for line in lines)
    )


OTHER = "The site is missing because nobody wrote its template."


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ("`gh` isn't on the PATH of this shell.", "`gh` isn't on the PATH of this shell."),
        (
            "The shell has no GitHub CLI, so `gh pr create` can't run.",
            "The shell has no GitHub CLI, so `gh pr create` can't run.",
        ),
        ("`gh` does what it always does, just too eagerly.", None),
        (OTHER, None),
    ],
)
def test_what_is_said_right_behind_the_failure_of_its_command_is_the_reason(said: str, because: str | None) -> None:
    failed = "zsh:1: permission denied (errno 13)"
    chat = Chat().sh("gh pr create --fill", failed, 126).say(said).sh("chmod +x gh.sh", "")
    assert lesson_of(chat.sh("gh pr create --fill", "created")).because == because


def test_what_is_said_of_the_command_later_on_is_no_reason() -> None:
    chat = Chat().sh("gh pr create --fill", "zsh:1: permission denied (errno 13)", 126).read()
    chat.say("`gh` isn't what the notes are about.").read().sh("chmod +x gh.sh", "")
    assert lesson_of(chat.sh("gh pr create --fill", "created")).because is None


@pytest.mark.parametrize(("calls", "because"), [(20, "Load it in the environment of the project"), (2, None)])
def test_a_long_command_is_explained_by_what_the_agent_called_it(calls: int, because: str | None) -> None:
    script = "import yaml; " + "; ".join(f"print(load({number}))" for number in range(calls))
    missing = "ModuleNotFoundError: No module named 'yaml'"
    described = {"command": f"uv run python3 -c '{script}'", "description": "Load it in the environment of the project"}
    chat = Chat().sh(f"python3 -c '{script}'", missing, 1).tool("Bash", described, "1")
    lesson = lesson_of(chat)
    assert (lesson.do.text, lesson.because) == (described["command"], because)


def test_a_folder_with_the_name_of_a_missing_program_is_not_that_program() -> None:
    chat = Chat().sh("go build ./cmd", "/bin/bash: line 1: go: command not found", 127)
    lesson = lesson_of(chat.sh(f"PATH=$PATH:/usr/local/go/bin && cd {HOME}/go && go build ./cmd", "done"))
    assert lesson.because == "the command sets PATH so that it contains `go`, which was missing"


def test_a_changed_call_was_not_run_first() -> None:
    failed = 'error: unable to find container named "shop"'
    chat = Chat().sh("kubectl set image deploy/shop shop=shop:2", failed, 1)
    lesson = lesson_of(
        chat.sh("kubectl set image deploy/shop server=shop:2 && kubectl rollout status deploy/shop", "ok")
    )
    assert (lesson.do.text, lesson.because) == ("kubectl set image deploy/shop server=shop:2", None)


def test_of_two_long_scripts_the_lines_are_told_that_only_one_has() -> None:
    query = "\n".join(f"  field{number} {{ id name state author url }}" for number in range(12))
    wrong = "\n".join(f"print(f'{{t['a{number}']}}')" for number in range(9))
    right = "\n".join(f"value{number} = t['a{number}']" for number in range(60))
    asked = f"gh api graphql -f q='\n{query}\n' | python3 -c \\"
    chat = Chat().sh(f"{asked}\n{wrong}", "SyntaxError: f-string: expecting '}'", 1)
    do = lesson_of(chat.sh(f"{asked}\n{right}", "open")).do
    assert do.text.startswith("gh api graphql -f q='\n…\nvalue0 = t['a0']\nvalue1") and do.text.endswith("…")
    assert "field3" not in do.text


def test_of_a_script_of_many_lines_only_the_other_program_is_told() -> None:
    script = "\n".join(f"a{number}()" for number in range(12))
    chat = Chat().sh(f"python - <<'PY'\n{script}\nPY", "zsh:1: command not found: python", 127)
    do = lesson_of(chat.sh(f"python3 - <<'PY'\n{script}\nPY", "12 lists, none open")).do
    assert (do.text, do.instead_of) == ("python3 - <<'PY'\n…", "python - <<'PY'\n…")


def test_another_program_is_told_as_it_was_called() -> None:
    chat = Chat().sh("python -m py_compile src/app/cli.py", "/bin/bash: line 1: python: command not found", 127)
    lesson = lesson_of(chat.sh("python3 -m py_compile src/app/cli.py", ""))
    assert lesson.because == "`python3` replaces `python`, which is missing"


def test_a_part_of_a_script_without_a_reason_is_kept_for_its_project() -> None:
    body = "\n".join(f"$row{number} = Get-Row {number}" for number in range(20))
    failed = f'$text = @"\n{body}\n"@\nSet-Content spec.md $text'
    says = "No characters are allowed after a here-string header but before the end of the line."
    error = Chat().sh(failed, says, 1).sh(failed.replace('"', "'").replace("Get-Row 3", "Get-Row 4"), "ok").one()
    assert error.lesson is not None and error.lesson.because is None and "…" in error.lesson.do.text
    assert error.worth == "project"
