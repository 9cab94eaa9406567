"""Harvest of stored sessions: from a transcript file to occurrences and drafts, again and again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.flows.harvest.session import HarvestReport, harvest_session
from core.flows.transcripts.api import import_transcripts
from core.store import Store, open_store
from tests.flows.harvest.chat import HOME, LOOKUP, NONE, VITEST


class Transcript:
    """A Claude Code file under construction."""

    def __init__(self, folder: Path, session: str = "11111111-0000-4000-8000-000000000001") -> None:
        self.path = folder / f"{session}.jsonl"
        self.session = session
        self.rows: list[dict[str, Any]] = []

    def row(self, role: str, content: object, **more: object) -> Transcript:
        at = len(self.rows)
        self.rows.append(
            {
                "type": role,
                "uuid": f"{self.session[:8]}-{at}",
                "sessionId": self.session,
                "cwd": HOME,
                "timestamp": f"2026-09-01T10:{at // 60:02}:{at % 60:02}.000Z",
                "message": {"role": role, "content": content},
                **more,
            }
        )
        return self

    def call(self, call_id: str, name: str, given: dict[str, object], **more: object) -> Transcript:
        return self.row("assistant", [{"type": "tool_use", "id": call_id, "name": name, "input": given}], **more)

    def result(self, call_id: str, text: str, *, error: bool = False, **more: object) -> Transcript:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": error}
        return self.row("user", [block], **more)

    def bash(self, command: str, output: str, code: int = 0, **more: object) -> Transcript:
        call_id = f"toolu_{self.session[:8]}_{len(self.rows)}"
        text = f"Exit code {code}\n{output}" if code else output
        return self.call(call_id, "Bash", {"command": command}, **more).result(call_id, text, error=code != 0, **more)

    def edit(self, name: str = "a.py", **more: object) -> Transcript:
        call_id = f"toolu_{self.session[:8]}_{len(self.rows)}"
        given: dict[str, object] = {"file_path": f"{HOME}/{name}", "old_string": "a", "new_string": "b"}
        return self.call(call_id, "Edit", given, **more).result(call_id, "updated", **more)

    def save(self) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in self.rows))
        return self.path


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        yield opened


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    return store.con.execute(sql).fetchall()


def drafts(store: Store) -> list[tuple[Any, ...]]:
    return rows(store, "SELECT resolved_by, tool_sequence, message_ids, status, author FROM resolution ORDER BY id")


def test_an_import_leaves_the_error_its_place_and_the_fix(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("npm test", VITEST, 1).edit().bash("npm test", "4 passed")
    report = import_transcripts(store, "auto", [chat.save()])
    assert (report.errors, report.resolutions) == (1, 1)
    assert drafts(store) == [("Edit", '["Edit"]', "[1, 3, 5]", "draft", "harvest")]
    ((start, end, text, tool, project),) = rows(
        store,
        "SELECT start, end, text, o.tool, project FROM occurrence o"
        " JOIN message m ON m.session_id = o.session_id AND idx = message_idx",
    )
    assert text[start:end] == "TypeError: add is not a function"
    assert (tool, project) == ("Bash", HOME)
    assert rows(store, "SELECT status, seen FROM case_state") == [("draft", 1)]


def test_harvesting_again_changes_nothing(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("npm test", VITEST, 1).edit().bash("npm test", "4 passed")
    import_transcripts(store, "auto", [chat.save()])
    before = [rows(store, f"SELECT * FROM {table}") for table in ("occurrence", "resolution", "error_kb", "case_state")]
    assert harvest_session(store, chat.session) == HarvestReport(0, 0)
    assert import_transcripts(store, "auto", [chat.path]).resolutions == 0
    after = [rows(store, f"SELECT * FROM {table}") for table in ("occurrence", "resolution", "error_kb", "case_state")]
    assert after == before


def test_a_grown_session_adds_the_fix_of_its_earlier_error(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1)
    assert import_transcripts(store, "auto", [chat.save()]).errors == 1
    assert rows(store, "SELECT status FROM case_state") == [("unresolved",)]
    report = import_transcripts(store, "auto", [chat.edit().bash("python app.py", "fine").save()])
    assert (report.errors, report.resolutions) == (0, 1)
    assert rows(store, "SELECT status, seen FROM case_state") == [("draft", 1)]


def test_a_draft_that_the_session_later_disproves_is_taken_back(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit().bash("python app.py", NONE, 1)
    assert import_transcripts(store, "auto", [chat.save()]).resolutions == 1
    import_transcripts(store, "auto", [chat.edit().bash("python app.py", LOOKUP, 1).save()])
    key = "SELECT key_line, status FROM case_state JOIN fingerprint USING (case_id) ORDER BY key_line"
    assert rows(store, key) == [
        ("KeyError: 'currency'", "unresolved"),
        ("TypeError: 'NoneType' object is not iterable", "draft"),
    ]
    import_transcripts(store, "auto", [chat.edit("c.py").bash("python app.py", "fine").save()])
    assert ("Edit", '["Edit"]', "[1, 11, 13]", "draft", "harvest") in drafts(store)


def test_a_draft_that_a_person_verified_stays(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit().bash("python app.py", NONE, 1)
    import_transcripts(store, "auto", [chat.save()])
    store.con.execute("UPDATE resolution SET status = 'verified'")
    import_transcripts(store, "auto", [chat.bash("python app.py", LOOKUP, 1).save()])
    assert [row[3] for row in drafts(store)] == ["verified"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_resumed_session_repeats_nothing_and_may_fix_what_was_open(
    store: Store, tmp_path: Path, order: tuple[int, int]
) -> None:
    first = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1)
    resumed = Transcript(tmp_path / "in", "22222222-0000-4000-8000-000000000002")
    resumed.rows = [{**row, "sessionId": resumed.session} for row in first.rows]
    resumed.edit().bash("python app.py", "fine")
    files = (first.save(), resumed.save())
    for at in order:
        import_transcripts(store, "auto", [files[at]])
    assert rows(store, "SELECT seen, status FROM case_state") == [(1, "draft")]
    assert [row[:2] for row in drafts(store)] == [("Edit", '["Edit"]')]


def test_results_out_of_order_orphans_and_unanswered_calls_do_no_harm(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1)
    chat.call("t1", "Read", {"file_path": f"{HOME}/a.py"}).call("t2", "Grep", {"pattern": "x"})
    chat.result("t2", "a.py:1:x").result("t1", "x = 1").result("lost", f"Exit code 1\n{NONE}", error=True)
    chat.call("never", "Bash", {"command": "sleep 9"}).edit().bash("python app.py", "fine")
    assert import_transcripts(store, "auto", [chat.save()]).errors == 1
    assert [row[:2] for row in drafts(store)] == [("Edit", '["Edit"]')]


def test_a_compaction_between_error_and_fix_is_no_voice(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1)
    chat.row("user", f"It failed because of the currency table.\n{NONE}", isCompactSummary=True)
    import_transcripts(store, "auto", [chat.edit().bash("python app.py", "fine").save()])
    assert [row[:2] for row in drafts(store)] == [("Edit", '["Edit"]')]
    ((text,),) = rows(store, "SELECT text FROM resolution")
    assert "currency table" not in text


def test_what_a_subagent_wrote_is_what_its_call_changed(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    chat = Transcript(folder).bash("python app.py", LOOKUP, 1).call("task", "Task", {"prompt": "fix it"})
    chat.result("task", "done", toolUseResult={"status": "completed", "agentId": "a1b2c3d4"})
    chat.bash("python app.py", "fine").save()
    side = Transcript(folder, chat.session)
    side.path = folder / chat.session / "subagents" / "agent-a1b2c3d4.jsonl"
    side.row("user", "fix it", isSidechain=True, agentId="a1b2c3d4", uuid="side-0")
    side.bash("python app.py", LOOKUP, 1, isSidechain=True, agentId="a1b2c3d4")
    side.edit("deep/b.py", isSidechain=True, agentId="a1b2c3d4")
    side.bash("python app.py", "fine", isSidechain=True, agentId="a1b2c3d4")
    for at, row in enumerate(side.rows):
        row["uuid"] = f"side-{at}"
    side.save()
    import_transcripts(store, "auto", [folder])
    assert sorted(row[:2] for row in drafts(store)) == [("Edit", '["Edit"]'), ("Task", '["Task"]')]
    texts = [text for (text,) in rows(store, "SELECT text FROM resolution WHERE resolved_by = 'Task'")]
    assert "`deep/b.py`" in texts[0]
    assert rows(store, "SELECT seen FROM case_state") == [(2,)]


def test_an_unknown_session_has_nothing(store: Store) -> None:
    assert harvest_session(store, "nobody") == HarvestReport(0, 0)
