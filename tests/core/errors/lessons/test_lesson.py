"""The lesson as it is kept, as a card, and as a few words for an agent."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.wire import json_schema, to_wire
from core.errors.command_text import SHORT, differing_words, short_command, telling_part
from core.errors.lessons import (
    AGENT_TOKENS,
    Do,
    DoKind,
    Lesson,
    LessonEvidence,
    When,
    agent_text,
    card,
    lesson_json,
    parse_lesson,
    version_of,
)
from core.text import estimate_tokens

LESSON = Lesson(
    When("unknown flag: --stat", "gh", "2.40.1", "Linux"),
    Do("command", "gh pr diff --name-only", instead_of="gh pr diff --stat"),
    ("gh pr diff --summary",),
    "gh pr diff --name-only",
    "gh has no --stat, so only names can be listed.",
    "general",
    (LessonEvidence("s", 3, "the command omits or changes `--stat`, which the error names"),),
)


def test_it_is_kept_without_what_is_counted() -> None:
    told = replace(LESSON, told=3, helped=2, last_helped="2026-01-01", recheck="gh 3", offered="general")
    kept = json.loads(lesson_json(told))
    assert set(kept) == {"when", "do", "not", "check", "because", "scope", "evidence", "workaround"}
    assert parse_lesson(lesson_json(told)) == LESSON


@pytest.mark.parametrize(
    "text", [None, "", "{", "[]", "7", "{}", '{"when": 3, "do": {}}', '{"when": {}, "do": {"kind": "x", "text": "y"}}']
)
def test_what_is_no_lesson_gives_none(text: str | None) -> None:
    assert parse_lesson(text) is None


def test_its_json_has_not() -> None:
    written = to_wire(LESSON)
    assert isinstance(written, dict) and written["not"] == ["gh pr diff --summary"] and "dead_ends" not in written
    assert "not" in json_schema(Lesson)["required"]


@pytest.mark.parametrize(
    ("error", "shown", "when"),
    [
        ('"sync" imported and not used', '"sync" imported and not used', "go"),
        ('"sync" imported and not used', '"encoding/hex" imported and not used', 'another occurrence: "sync" imported'),
        ("open <path> not permitted", "open /tmp/a.go: not permitted", "go"),
        ("cannot lock '.git/HEAD.lock'", "cannot lock '/home/ana/shop/.git/HEAD.lock'", "go"),
        ("nilerr (line 271)", "nilerr (line 219)", "another occurrence: nilerr (line 271)"),
        ("nilerr (line 271)", "", "nilerr (line 271) (go)"),
    ],
)
def test_a_card_says_if_its_error_is_of_another_occurrence(error: str, shown: str, when: str) -> None:
    rows = dict(card(replace(LESSON, when=When(error, "go")), shown))
    assert rows["When"].startswith(when)
    assert ("another" in rows["When"]) == when.startswith("another")


BODY = "Thanks! The total is rounded once.\n\n1. 'currency' is checked.\n2. It is tested in `test_total.py`.\n"
COMMENT = f"gh pr comment 12 --body \"$(cat <<'EOF'\n{BODY * 3}EOF\n)\" --repo ana/shop"


@pytest.mark.parametrize(
    ("failed", "passed", "shown"),
    [
        ("gh pr diff --stat", "gh pr diff --name-only", "gh pr diff --stat"),
        (COMMENT, "gh api -F body=@c.md repos/x", "gh pr comment 12 --body \"$(cat <<'EOF' … )\" --repo ana/shop"),
        (
            f"git commit -m '{'fix the total ' * 20}' --signoff",
            "git config user.name ana",
            "git commit -m 'fix the total fix the to…' --signoff",
        ),
        (f"ls {'./here ' * 60}--colour", f"ls {'./here ' * 60}--color", "ls … ./here --colour"),
    ],
)
def test_a_long_failed_command_is_shown_by_what_matters(failed: str, passed: str, shown: str) -> None:
    assert short_command(failed, passed) == shown
    lesson = replace(LESSON, do=Do("command", passed, instead_of=failed))
    assert dict(card(lesson))["Instead of"] == shown


def test_a_failed_command_without_quotes_is_cut_at_its_end() -> None:
    short = short_command("xargs " + "münze " * 90, "ls")
    assert short.endswith("…") and len(short.encode()) <= SHORT


def test_the_form_for_an_agent_has_when_do_not_check_and_because() -> None:
    assert agent_text(replace(LESSON, check="gh pr view", because="There is no --stat.")) == (
        "when: unknown flag: --stat\ndo: gh pr diff --name-only\nnot: gh pr diff --stat\nnot: gh pr diff --summary\n"
        "check: gh pr view\nbecause: There is no --stat."
    )


def test_what_is_to_be_done_is_not_told_twice_as_its_own_check() -> None:
    assert LESSON.check == LESSON.do.text and "check: " not in agent_text(LESSON)


def test_a_reason_that_is_already_what_to_do_is_shown_once() -> None:
    said = "Use `exec.CommandContext` instead of `exec.Command`."
    lesson = replace(LESSON, do=Do("words", said, "a.go"), because=f" {said}\n")
    assert agent_text(lesson).count(said) == 1
    assert "Because" not in dict(card(lesson))
    assert "Because" in dict(card(replace(lesson, because="`noctx` forbids it.")))


def test_an_edit_is_told_by_its_changed_lines() -> None:
    hunk = Do("hunk", "      def f(a):\n-     return a.b\n+     return a.get('b')", "src/till.py")
    told = agent_text(replace(LESSON, do=hunk))
    assert "do: edit till.py\n- return a.b\n+ return a.get('b')\n" in told and "def f" not in told


def test_a_long_line_of_an_edit_is_shown_from_where_it_was_changed() -> None:
    line = "import 'package:cybervpn_mobile/features/profiles/core/errors/all_of_the_failures.dart'"
    text = agent_text(replace(LESSON, do=Do("hunk", f"- {line};\n+ {line} hide Failure;", "lib/repo.dart")))
    (shown,) = (one for one in text.split("\n") if one.startswith("+ "))
    assert shown.startswith("+ …") and shown.endswith("failures.dart' hide Failure;")


def test_a_workaround_is_called_one() -> None:
    assert "do (workaround): " in agent_text(replace(LESSON, workaround=True))
    assert ("Workaround", "it hides the failure instead of fixing it") in card(replace(LESSON, workaround=True))


RECIPE = "BuildKit needs its process sandbox disabled to run under a rootless pod."


def test_the_reason_comes_before_the_check_and_the_error() -> None:
    text = agent_text(replace(LESSON, check="make a-check-with-a-rather-long-name", because=RECIPE))
    assert f"because: {RECIPE}" in text and "do: gh pr diff --name-only\nnot: gh pr diff --stat" in text
    assert "check: " not in text


def test_a_command_that_is_too_long_leaves_room_for_its_reason() -> None:
    long = Do("command", f"docker run {' '.join(f'--label number={at}' for at in range(20))} x")
    text = agent_text(replace(LESSON, do=long, dead_ends=(), because=RECIPE))
    assert "do: docker run --label number=0" in text and f"…\nbecause: {RECIPE}" in text


def test_a_command_that_fits_is_not_cut_for_its_reason() -> None:
    command = f"gh api {'repos/owner/name/contents/folder/' * 3}file?ref=main"
    text = agent_text(replace(LESSON, do=Do("command", command), because=RECIPE))
    assert f"do: {command}\n" in text and "because: BuildKit needs its process sandbox" in text


def test_a_command_of_several_lines_keeps_them() -> None:
    do = Do("command", "git fetch origin \\\n  <branch>\n\n  git rebase FETCH_HEAD")
    assert "do: git fetch origin <branch>\ngit rebase FETCH_HEAD\n" in agent_text(replace(LESSON, do=do))


def test_of_a_long_script_the_lines_are_shown_that_do_something_else() -> None:
    read = "text = open('scripts/check-all-prerequisites.sh', 'rb').read()"
    script = (
        f"python3 - <<'PY'\nfrom pathlib import Path\n{read}\n# strip the line ends\nfixed = text.replace(CR, b'')\n"
    )
    do = Do("command", f"{script}{'write(fixed) ' * 20}\nPY", instead_of=f"python - <<'PY'\n{read}\nprint(text)\nPY")
    text = agent_text(Lesson(When("python: not found"), do))
    assert "do: python3 - <<'PY'\n…\nfixed = text.replace(CR, b'')\nwrite(fixed)" in text


def test_of_a_long_edit_the_code_is_shown_that_the_error_is_about() -> None:
    added = [
        "# CA1865 wants one thing and CA1307 wants another.",
        *(f"first.rule.{at} = a_long_value" for at in range(9)),
    ]
    hunk = "\n".join(("- old", *(f"+ {line}" for line in added), "+ }", "+ dotnet.CA1865.severity = none"))
    text = agent_text(Lesson(When("error CA1865: use a char"), Do("hunk", hunk, ".editorconfig")))
    assert "\n+ first.rule.0 = a_long_value\n" in text and "\n+ dotnet.CA1865.severity = none\n…" in text
    assert "wants" not in text and "- old" not in text and "}" not in text


_TEXT = st.text(max_size=300)


@given(_TEXT, _TEXT, st.sampled_from(("command", "hunk", "words")), st.lists(_TEXT, max_size=4), _TEXT, _TEXT, _TEXT)
def test_it_never_takes_an_agent_more_than_60_tokens(
    error: str, do: str, kind: DoKind, tried: list[str], check: str, file: str, because: str
) -> None:
    lesson = Lesson(When(error), Do(kind, do, file), tuple(tried), check, because)
    assert estimate_tokens(agent_text(lesson)) <= AGENT_TOKENS


def test_a_card_leaves_out_what_is_not_known() -> None:
    bare = Lesson(When("KeyError: 'a'"), Do("command", "make"))
    assert card(bare) == (("When", "KeyError: 'a'"), ("Do", "make"), ("Scope", "this project"))
    labels = [label for label, _ in card(replace(LESSON, check="gh pr diff"))]
    assert labels == ["When", "Do", "Instead of", "Not", "Check", "Because", "Scope"]
    assert "Check" not in dict(card(LESSON)), "what to do is its own check"


@pytest.mark.parametrize(
    ("tool", "output", "version"),
    [
        ("pytest", "platform linux -- Python 3.11.7, pytest-8.3.2, pluggy-1.5.0", "8.3.2"),
        ("python", 'File "/usr/lib/python3.12/json.py", line 3', "3.12"),
        ("node", "Node.js v20.11.0", "20.11.0"),
        ("go", "go: download go1.22.3: not available; mongo4.2", "1.22.3"),
        ("ruff", "ruff failed at 0.4.1", ""),
        ("node", "node 10.0.0.1 refused", ""),
        ("", "1.2.3", ""),
    ],
)
def test_the_version_is_what_stands_behind_the_name(tool: str, output: str, version: str) -> None:
    assert version_of(tool, output) == version


LONG = " ".join(f"src/folder{number}/some-file.ts" for number in range(20))


def test_of_a_long_command_the_words_are_shown_in_which_it_differs() -> None:
    failed, passed = f"prettier --write {LONG} --cache last.ts", f"prettier --write {LONG} --no-cache last.ts"
    assert differing_words(passed, failed) == "prettier … src/folder19/some-file.ts --no-cache last.ts"
    text = agent_text(Lesson(When("x"), Do("command", passed, instead_of=failed)))
    assert "do: prettier … src/folder19/some-file.ts --no-cache last.ts" in text
    assert "not: prettier … src/folder19/some-file.ts --cache last.ts" in text


def test_commands_that_share_hardly_a_word_have_none_in_which_they_differ() -> None:
    assert differing_words("cat a.txt", "python3 run.py --all") == ""
    assert differing_words(LONG, "") == ""
    assert differing_words(LONG, LONG) == ""


def test_the_differing_words_name_the_subcommand_that_they_belong_to() -> None:
    failed, passed = f"npx eslint {LONG} --cache", f"git fetch && npx eslint {LONG} --no-cache"
    assert differing_words(passed, failed).startswith("git fetch && npx eslint …")


SCRIPT = "\n".join(f"total{number} = count(rows[{number}])" for number in range(20))


def test_of_a_script_the_line_is_shown_that_its_reason_names() -> None:
    telling = 'sys.stdout.reconfigure(encoding="utf-8")'
    do = Do("command", f"SHOP=/srv\npython -c '\n{SCRIPT}\n{telling}\nprint(total1)\n'")
    why = LessonEvidence("s", 1, "the command contains `encoding`, which the error names")
    shown = agent_text(Lesson(When("UnicodeEncodeError: charmap"), do, evidence=(why,)))
    assert "python -c '\n" in shown and f"…\n{telling}\n" in shown


def test_of_a_long_line_of_a_script_the_words_are_shown_in_which_it_differs() -> None:
    ingest = f"uv run shop ingest {LONG}"
    do = Do("command", f"cd /srv\n{ingest} --yes\ntail log", instead_of=f"cd /srv\n{ingest}\ntail log")
    shown = agent_text(Lesson(When("Record? [y/N]: Aborted."), do))
    assert "do: …\nuv run … src/folder19/some-file.ts --yes\n…" in shown


@given(st.text("ab '\"&|;\n#", max_size=200), st.text("ab '\"&|;\n#", max_size=200), st.integers(20, 90))
def test_a_part_of_a_command_fits_and_is_of_it(text: str, other: str, size: int) -> None:
    shown = telling_part(text, other, frozenset({"aab"}), size)
    assert shown == text or len(shown.encode()) <= size
    left = iter(text)
    assert all(letter in left for letter in shown.replace("…", "") if not letter.isspace())


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_the_shown_words_are_of_the_command_in_its_order(words: list[str], others: list[str]) -> None:
    left = iter(words)
    shown = [word for word in differing_words(" ".join(words), " ".join(others)).split() if word != "…"]
    assert all(word in left for word in shown)
