"""One slip is silence; the same one in three sessions of a project is one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.commands.errors.cases import case_lines
from cli.output import Output
from core.errors import Filters, list_cases, show_case
from core.errors.cases.browse import facets
from core.errors.curation.triage import triage_queue
from core.flows.harvest.session import harvest_session
from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.reharvest import harvest_again
from core.store import Store, open_store
from tests.flows.harvest.chat import HOME
from tests.flows.harvest.test_session import Transcript
from tests.flows.harvest.test_verdict_rows import read
from tests.tui.support import NOW
from tui.render.case import draw_facts, draw_head
from tui.render.common.glyphs import UNICODE


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


def test_its_tool_is_the_one_that_the_agent_used(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", [guess(tmp_path / "in", number).save() for number in range(3)])
    (row,) = list_cases(store, Filters(tool="Read")).cases
    assert (row.tool, row.key_line) == ("Read", "no such file: src/app.ts")
    assert list_cases(store, Filters(tool="slip")).cases == ()
    assert [(one.value, one.cases) for one in facets(store, Filters()).tools] == [("Read", 1)]
    case = show_case(store, row.id)
    assert case is not None and case.is_repeated_mistake
    assert case.tool == "Read"
    in_text = "\n".join(case_lines(Output(columns=200), case))
    for shown in (in_text, draw_head(case, None, UNICODE, NOW).plain, draw_facts(case, None, UNICODE, NOW).plain):
        assert "Read" in shown
        assert "repeated mistake" in shown
        assert "slip" not in shown
    with store.transaction() as con:
        con.execute("UPDATE occurrence SET tool = ''")
    assert [one.tool for one in list_cases(store).cases] == ["unknown"]


def test_where_nothing_worked_instead_it_only_says_that_it_fails(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", [guess(tmp_path / "in", number, None).save() for number in range(3)])
    assert told(store) == [("`src/app.ts` does not exist (guessed wrong in 3 sessions).", "draft")]
    assert [item.worth for item in triage_queue(store).cases] == ["project"]


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


def refused(folder: Path, number: int, said: str, **given: object) -> Transcript:
    """A session in which the agent's own tool refuses an edit."""
    chat = Transcript(folder, f"{number:08}-0000-4000-8000-000000000001")
    inputs: dict[str, object] = {"file_path": f"{HOME}/src/app.ts", "old_string": "a", "new_string": "b", **given}
    return chat.call(f"no{number}", "Edit", inputs).result(f"no{number}", f"<tool_use_error>{said}", error=True)


@pytest.mark.parametrize(
    "said",
    [
        "File has not been read yet. Read it first before writing to it.",
        "String to replace not found in file.",
        "Found 3 matches of the string to replace, but replace_all is false. To replace all, set replace_all to true.",
    ],
)
def test_what_a_tool_says_of_any_file_is_no_line(store: Store, tmp_path: Path, said: str) -> None:
    files = [refused(tmp_path / "in", number, said, replace_all=False).save() for number in range(4)]
    import_transcripts(store, "auto", files)
    assert told(store) == []


def test_a_name_of_the_project_must_stand_in_three_sessions(store: Store, tmp_path: Path) -> None:
    said = "The setting parse_mode is not known."
    files = [refused(tmp_path / "in", n, said, new_string="parse_mode = 1" if n else "b").save() for n in range(3)]
    import_transcripts(store, "auto", files)
    assert told(store) == []
    import_transcripts(store, "auto", [refused(tmp_path / "in", 7, said, new_string="x(parse_mode)").save()])
    assert told(store) == [("`Edit: The setting parse_mode is not known.` failed in 4 sessions.", "draft")]
    assert [case.worth for case in list_cases(store, Filters()).cases] == ["slip"]
    assert triage_queue(store).cases == ()  # it says nothing to do


def _named_nothing(store: Store) -> None:
    """What an older version drafted: the slip is of a tool, not of the project."""
    said, key = "Read: File is empty.", "Read: File is empty. (repeated in /home/ana/shop)"
    with store.transaction() as con:
        con.execute("PRAGMA defer_foreign_keys = 1")
        con.execute("UPDATE occurrence SET fingerprint = ?", (key,))
        con.execute("UPDATE fingerprint SET key_line = ?, fingerprint = ? WHERE tool = 'slip'", (said, key))
        con.execute("UPDATE error_kb SET error_normalized = ?", (key,))
        con.execute("UPDATE case_key SET error_normalized = ?", (key,))


@pytest.mark.parametrize(("status", "left"), [("draft", 0), ("rejected", 1), ("verified", 1)])
def test_again_takes_back_a_draft_that_names_nothing(store: Store, tmp_path: Path, status: str, left: int) -> None:
    said = "File is empty."
    import_transcripts(store, "auto", [guess(tmp_path / "in", number).save() for number in range(3)])
    _named_nothing(store)
    assert said in str(store.con.execute("SELECT key_line FROM fingerprint").fetchall())
    with store.transaction() as con:
        con.execute("UPDATE resolution SET status = ?", (status,))
    harvest_again(store, actor="kim")
    rows = store.con.execute("SELECT key_line FROM fingerprint WHERE key_line LIKE '%empty.'").fetchall()
    assert len(rows) == left
    texts = store.con.execute(
        "SELECT status FROM resolution WHERE case_id IN (SELECT case_id FROM fingerprint WHERE key_line LIKE '%empty.')"
    ).fetchall()
    assert texts == [(status,)] * left
