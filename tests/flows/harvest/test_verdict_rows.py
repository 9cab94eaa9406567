"""The verdicts of an imported session as rows: the judgement of `import inspect`, kept for every failing result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.flows.harvest.session import harvest_session
from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.inspection import inspect_transcript
from core.store import Store, open_store
from tests.flows.harvest.chat import HOME, LOOKUP, NONE, VITEST
from tests.flows.harvest.test_session import Transcript

UNDEFINED = "./a.go:3:2: undefined: errors\nFAIL\tshop [build failed]"
MISSING = "<tool_use_error>File does not exist.</tool_use_error>"


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        yield opened


def verdicts(store: Store, columns: str) -> list[tuple[Any, ...]]:
    return store.con.execute(f"SELECT {columns} FROM result_verdict ORDER BY session_id, message_idx").fetchall()


def read(chat: Transcript, name: str, text: str = MISSING) -> Transcript:
    call = f"toolu_{chat.session[:8]}_{len(chat.rows)}"
    return chat.call(call, "Read", {"file_path": f"{HOME}/{name}"}).result(call, text, error=True)


def test_every_failing_result_gets_the_verdict_of_the_inspection(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("npm test", VITEST, 1).edit().bash("npm test", "4 passed")
    chat.bash("grep -n nothing a.py", "", 1).call("no", "Bash", {"command": "rm -r b"})
    chat.result("no", "The user doesn't want to proceed with this tool use.", error=True)
    read(chat, "src/app.ts").bash("curl -sk https://localhost:1", "", 7).save()
    import_transcripts(store, "auto", [chat.path])
    judged = inspect_transcript(chat.path).results
    assert len(judged) == 5
    expected = [
        (one.line - 1, one.tool_use_id, one.verdict, one.reason, one.worth, one.cost.attempts, one.cost.seconds)
        for one in judged
    ]
    assert verdicts(store, "message_idx, tool_use_id, verdict, reason, worth, attempts, seconds") == expected
    assert verdicts(store, "program, solved_idx, solved_session, repeats")[0] == ("npm", 5, chat.session, None)
    ((fingerprint,),) = store.con.execute("SELECT fingerprint FROM fingerprint").fetchall()
    assert json.loads(verdicts(store, "fingerprints")[0][0]) == [fingerprint]


def test_an_incident_is_one_until_its_command_is_green(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit().bash("python app.py", NONE, 1)
    chat.edit("b.py").bash("python app.py", LOOKUP, 1).edit("c.py").bash("python app.py", "fine")
    chat.bash("python app.py", LOOKUP, 1)
    import_transcripts(store, "auto", [chat.save()])
    rows = verdicts(store, "message_idx, repeats, attempts, messages, seconds, solved_idx")
    assert rows == [
        (1, None, 3, 12, 12.0, 13),
        (5, 1, 0, 0, 0.0, 13),
        (9, 1, 0, 0, 0.0, 13),
        (15, None, 1, 0, 0.0, None),
    ]


def test_another_command_with_the_same_finding_is_the_same_incident(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("go test ./...", UNDEFINED, 1).bash("go vet ./...", UNDEFINED, 1)
    import_transcripts(store, "auto", [chat.save()])
    assert verdicts(store, "message_idx, repeats, attempts") == [(1, None, 2), (3, 1, 0)]


def test_a_failure_that_nothing_names_ends_with_its_command_green(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("make up", "", 7).bash("make up", "", 7).bash("make up", "started")
    import_transcripts(store, "auto", [chat.save()])
    assert verdicts(store, "verdict, repeats, solved_idx") == [("noise", None, 5), ("noise", 1, 5)]


def test_a_grown_session_and_another_harvest_replace_its_rows(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1)
    import_transcripts(store, "auto", [chat.save()])
    assert verdicts(store, "message_idx, solved_idx") == [(1, None)]
    import_transcripts(store, "auto", [chat.edit().bash("python app.py", "fine").save()])
    before = verdicts(store, "*")
    assert verdicts(store, "message_idx, solved_idx") == [(1, 5)]
    harvest_session(store, chat.session)
    assert verdicts(store, "*") == before


def test_what_a_resumed_session_solved_is_solved_there(store: Store, tmp_path: Path) -> None:
    first = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1)
    resumed = Transcript(tmp_path / "in", "22222222-0000-4000-8000-000000000002")
    resumed.rows = [{**row, "sessionId": resumed.session} for row in first.rows]
    resumed.edit().bash("python app.py", LOOKUP, 1).edit("b.py").bash("python app.py", "fine")
    import_transcripts(store, "auto", [first.save(), resumed.save()])
    rows = verdicts(store, "session_id, repeats, attempts, solved_session")
    assert rows == [(first.session, None, 1, resumed.session), (resumed.session, None, 1, resumed.session)]


def test_a_file_that_was_guessed_wrong_has_one_key_whatever_looked_for_it(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in")
    read(chat, "src/app.ts").bash("sed -n 1,9p src/app.ts", "sed: src/app.ts: No such file or directory", 1)
    chat.bash("ls ./src/app.ts", "ls: cannot access './src/app.ts': No such file or directory", 1)
    read(chat, "src/main.ts", "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>")
    chat.bash("go build ./...", UNDEFINED, 1).edit().bash("go build ./...", "").bash("rg nothing src", "", 1)
    import_transcripts(store, "auto", [chat.save()])
    guessed = "no such file: src/app.ts"
    assert verdicts(store, "slip") == [
        (guessed,), (guessed,), (guessed,), ("Read: File has not been read yet. Read it first.",),
        ("go: undefined: errors",), ("",),
    ]  # fmt: skip


def test_a_call_that_another_one_canceled_is_no_slip(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in")
    read(chat, "a.py", "<tool_use_error>Sibling tool call errored</tool_use_error>").save()
    import_transcripts(store, "auto", [chat.path])
    assert verdicts(store, "verdict, slip") == [("noise", "")]


@pytest.mark.parametrize(
    ("between", "verdict"),
    [
        (None, "flaky"),
        ("git status --short", "flaky"),
        ("npm test", "flaky"),
        ("gt track --parent main", "incident"),
        ("rm -rf build", "incident"),
    ],
)
def test_only_what_passes_again_untouched_is_flaky(
    store: Store, tmp_path: Path, between: str | None, verdict: str
) -> None:
    chat = Transcript(tmp_path / "in").bash("gt create -m x", "ERROR: this branch is not tracked", 1)
    if between is not None:
        chat.bash(between, "done")
    import_transcripts(store, "auto", [chat.bash("gt create -m x", "created").save()])
    assert verdicts(store, "verdict") == [(verdict,)]


def test_an_edit_that_is_not_known_to_be_the_fix_makes_no_flaky_failure(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("npm test", "Error: the port is in use", 1)
    for number in range(4):
        chat.edit(f"part{number}.css")
    import_transcripts(store, "auto", [chat.bash("npm test", "4 passed").save()])
    assert verdicts(store, "verdict, worth") == [("incident", "none")]
