"""One slip is silence; the same one in three sessions of a project is one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.errors.curation import triage_queue
from core.flows.harvest import harvest_session
from core.flows.transcripts.again.api import harvest_again
from core.flows.transcripts.api import import_transcripts
from core.store import Store, open_store
from tests.flows.harvest.chat import HOME
from tests.flows.harvest.test_session import Transcript
from tests.flows.harvest.test_verdict_rows import read


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        yield opened


def guess(folder: Path, number: int, right: str | None = "src/main.ts") -> Transcript:
    chat = read(Transcript(folder, f"{number:08}-0000-4000-8000-000000000001"), "src/app.ts")
    if right is not None:
        chat.call(f"ok{number}", "Read", {"file_path": f"{HOME}/{right}"}).result(f"ok{number}", "x = 1")
    return chat


def told(store: Store) -> list[tuple[Any, ...]]:
    return store.con.execute("SELECT text, status FROM resolution").fetchall()


def test_a_file_guessed_wrong_in_three_sessions_is_one_line(store: Store, tmp_path: Path) -> None:
    files = [guess(tmp_path / "in", number, "lib/app.ts").save() for number in range(4)]
    import_transcripts(store, "auto", files[:2])
    assert told(store) == []
    import_transcripts(store, "auto", files[2:3])
    assert told(store) == [("`src/app.ts`: the file is `lib/app.ts` (guessed wrong in 3 sessions).", "draft")]
    import_transcripts(store, "auto", files)
    assert told(store) == [("`src/app.ts`: the file is `lib/app.ts` (guessed wrong in 4 sessions).", "draft")]
    (item,) = triage_queue(store).cases
    assert (item.key_line, item.worth, item.sessions, item.status) == (
        "no such file: src/app.ts",
        "project",
        4,
        "draft",
    )
    before = store.con.execute("SELECT * FROM case_state").fetchall()
    harvest_session(store, "00000001-0000-4000-8000-000000000001")
    assert store.con.execute("SELECT * FROM case_state").fetchall() == before
    assert len(told(store)) == 1


def test_where_nothing_worked_instead_it_only_says_that_it_fails(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", [guess(tmp_path / "in", number, None).save() for number in range(3)])
    assert told(store) == [("`src/app.ts` does not exist (guessed wrong in 3 sessions).", "draft")]


def test_what_a_person_decided_stays(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", [guess(tmp_path / "in", number).save() for number in range(3)])
    store.con.execute("UPDATE resolution SET status = 'rejected'")
    before = told(store)
    import_transcripts(store, "auto", [guess(tmp_path / "in", 7).save()])
    assert told(store) == before


def test_a_harvest_of_all_sessions_again_keeps_it(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", [guess(tmp_path / "in", number).save() for number in range(3)])
    before = (told(store), store.con.execute("SELECT * FROM occurrence").fetchall())
    harvest_again(store, actor="kim")
    assert (told(store), store.con.execute("SELECT * FROM occurrence").fetchall()) == before


def test_three_times_in_one_session_is_no_habit(store: Store, tmp_path: Path) -> None:
    chat = read(read(guess(tmp_path / "in", 1), "src/app.ts"), "src/app.ts")
    import_transcripts(store, "auto", [chat.save()])
    assert told(store) == []
