"""The text of a harvested fix, and the sentence it quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors.lessons import Do, Lesson, LessonEvidence, When
from core.flows.harvest.changes import Hint
from core.flows.harvest.events import Ran
from core.flows.harvest.explanation import LIMIT, resolution_text, sentences, without_itself
from core.flows.harvest.session_events import result_of
from core.text import MASK
from tests.flows.harvest.chat import HOME, VITEST, Chat


def text_of(chat: Chat) -> str:
    error = chat.one()
    assert error.resolution_text is not None
    return error.resolution_text


def test_it_says_what_changed_what_ran_why_and_how_it_was_checked() -> None:
    chat = Chat().sh("npm test", VITEST, 1).say("Let me look.").sh("npm install kit")
    chat.say("add is missing because sum.ts exports plus. I'll rename it.")
    chat.edit(f"{HOME}/src/sum.ts", "export const plus", "export const add").sh("npm test", "4 passed")
    assert text_of(chat) == (
        "**Change** `src/sum.ts`\n\n```diff\n- export const plus\n+ export const add\n```\n\n"
        "**Why** (message 3)\n\n> add is missing because sum.ts exports plus.\n\n"
        "**Linked**\n\n- the change contains `add`, which the error names\n\n"
        "**Checked**: `npm test` no longer shows the error (message 5)."
    )


def test_the_quote_is_verbatim_and_the_nearest_that_explains() -> None:
    chat = Chat().sh("npm test", VITEST, 1)
    chat.say("테스트를 다시 실행해 보겠습니다.").say(
        "1. **원인**은 add 함수의 export 이름이 달라서입니다. 이름을 바꿉니다.\n```\n때문에\n```"
    )
    chat.edit().sh("npm test", "4 passed").say("모두 통과합니다.")
    error = chat.one()
    assert error.explanation == ("**원인**은 add 함수의 export 이름이 달라서입니다.", 2)


def test_a_person_who_dictates_the_fix_is_quoted_before_an_agent_that_obeys() -> None:
    chat = (
        Chat().sh("npm test", VITEST, 1).user("sum.ts의 plus를 add로 바꿔").say("sum.ts의 plus를 add로 바꾸겠습니다.")
    )
    error = chat.edit(f"{HOME}/src/sum.ts", "export const plus", "export const add").sh("npm test", "4 passed").one()
    assert error.explanation == ("sum.ts의 plus를 add로 바꿔", 1)


def test_words_after_the_green_run_explain_nothing() -> None:
    chat = Chat().sh("npm test", VITEST, 1).edit().sh("npm test", "4 passed")
    assert chat.say("add failed because the export had another name.").one().explanation is None


def test_a_sentence_about_something_else_explains_nothing() -> None:
    chat = Chat().sh("npm test", VITEST, 1).say("The banner is missing because nobody drew it.").edit()
    assert chat.sh("npm test", "4 passed").one().explanation is None


def test_thanks_and_plans_explain_nothing() -> None:
    chat = Chat().sh("npm test", VITEST, 1).say("Let me check the test file.").user("ok 고마워").edit()
    assert chat.sh("npm test", "4 passed").say("All good, 4 tests passed.").one().explanation is None


def test_a_long_edit_is_named_but_not_shown() -> None:
    chat = (
        Chat()
        .sh("npm test", VITEST, 1)
        .edit(f"{HOME}/a.ts", "\n".join(["x"] * 40), "\n".join(["y"] * 40))
        .sh("npm test", "4 passed")
    )
    assert "**Change** `a.ts`" in text_of(chat) and "diff" not in text_of(chat)


def test_secrets_are_masked_in_everything_it_shows() -> None:
    secret = "invented-Pa55word-31"
    url = f"postgres://app:{secret}@db:5432/shop"
    failed = "Error: DATABASE_URL names no host\n    at x"
    chat = Chat().sh("npm test", failed, 1).say(f"The problem is the old URL {url}.")
    chat.edit(f"{HOME}/.env", f"DATABASE_URL={url}", f"DATABASE_URL={url}x").sh(f"export DATABASE_URL={url}")
    text = text_of(chat.sh("npm test", "4 passed"))
    assert secret not in text and MASK in text


def test_it_is_inert_whatever_the_session_held() -> None:
    nasty = "\x1b]52;c;aGk=\x07\x1b[31mred\u202e\x00 [bold]x[/] ```"
    chat = (
        Chat()
        .sh("npm test", VITEST, 1)
        .say(f"because {nasty} is wrong.")
        .edit(f"{HOME}/{nasty}.ts", nasty, f"{nasty}b")
    )
    text = text_of(chat.sh(f"npm test # {nasty}", "4 passed"))
    assert not [char for char in text if (ord(char) < 32 and char != "\n") or char in "\u202e\x7f"]
    assert "````diff" in text


@given(st.lists(st.text(max_size=900), max_size=8), st.text(max_size=3000), st.text(max_size=400))
def test_it_never_grows_beyond_its_limit(parts: list[str], command: str, quote: str) -> None:
    hints = [Hint(part, part, command[:100]) for part in parts]
    evidence = tuple(LessonEvidence("s", 1, why) for why in (quote, *parts))
    lesson = Lesson(When(quote), Do("command", command), tuple(parts), command, quote, evidence=evidence)
    text = resolution_text(
        files=parts, hints=hints, commands=[command, *parts], instead=(command, quote), explanation=(quote, 3),
        by_a_person=False, lesson=lesson, checked_idx=9,
    )  # fmt: skip
    assert len(text) <= LIMIT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- first point here\n- second point here", ["first point here", "second point here"]),
        ("a.ts needs it. And b.ts too!", ["a.ts needs it.", "And b.ts too!"]),
        ("경로가 틀렸습니다. 바꿉니다 지금요.", ["경로가 틀렸습니다.", "바꿉니다 지금요."]),
        ("use --legacy-peer-deps\n--force works as well", ["use --legacy-peer-deps", "--force works as well"]),
        ("```\nbecause of code\n```", []),
    ],
)
def test_sentences_are_parts_of_the_message(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected
    assert all(sentence in text for sentence in sentences(text))


def test_the_files_that_a_failure_names_are_found_beside_a_run_without_an_end() -> None:
    """Read from each letter of such a run it takes seconds each time; from its beginning, none. No clock: the suite's
    own limit tells."""
    said = "ModuleNotFoundError: No module named 'kit' in src/app.py, lib.rs. See a.toolongforone"
    for number in range(20):
        ran = Ran("s", number, "", "Bash", {"command": "npm test"}, f"{said}\n{'a-' * 95_000}", exit_code=1)
        assert result_of(ran).mentions == {"app.py", "lib.rs"}


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Now I need to fix the unused variables in API routes.", ""),
        ("I’ll fetch the latest head, since the branch moved.", ""),
        ("Now add the helper function at the end of the file.", ""),
        ("Need to add the `Result` import and use pattern matching.", ""),
        ("Adding that group:", ""),
        ("Once it finishes I’ll also run the built command.", ""),
        ("| 5 | Update `plugin.json` | Name needs a suffix |", ""),
        ("unused import를 수정합니다.", ""),
        ("Now my commit has conflicts in two tests.", "Now my commit has conflicts in two tests."),
        ("The test failed because I ran it beside the build.", "The test failed because I ran it beside the build."),
        ("Adding a field breaks the schema, which is closed.", "Adding a field breaks the schema, which is closed."),
        ("The runner has no `nl`, so I’m using the full path.", "The runner has no `nl`"),
        ("The branch is checked out elsewhere; once it is free I’ll delete it.", "The branch is checked out elsewhere"),
        (
            "`bd status` is not there in this version — let me try the plain one.",
            "`bd status` is not there in this version",
        ),
        ("레포지토리에 auto-merge가 비활성화되어 있습니다.", "레포지토리에 auto-merge가 비활성화되어 있습니다."),
    ],
)
def test_what_an_agent_says_of_itself_explains_nothing(said: str, kept: str) -> None:
    assert without_itself(said) == kept
    assert kept in said


def test_a_person_who_says_what_they_did_is_quoted() -> None:
    chat = Chat().sh("npm test", VITEST, 1).user("I renamed the export, because add was missing.")
    found = chat.edit(f"{HOME}/src/sum.ts", "export const plus", "export const add").sh("npm test", "4 passed").one()
    assert found.explanation is not None and found.explanation[0].startswith("I renamed")
