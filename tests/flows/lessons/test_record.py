"""A lesson that an agent records: taken only where its session bears it out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.align import AlignSettings
from core.base.config.settings_sources import default_config
from core.base.fault import Fault
from core.errors import show_case
from core.flows.lessons import LessonInput, LessonRecorded, record_lesson
from core.flows.mcp.context import Desk
from core.flows.mcp.registry import call
from core.flows.transcripts.api import import_transcripts
from core.store import Store, open_store
from tests.flows.harvest.test_session import Transcript

MISSING = "bash: jq: command not found"
WHY = "jq is not in this image, so the package must be installed first."
TOLD = LessonInput(MISSING, "apt-get install -y jq", "", "jq . a.json", WHY)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    chat = Transcript(tmp_path / "in").bash("jq . a.json", MISSING, 127).bash("apt-get install -y jq", "ok")
    chat.row("assistant", [{"type": "text", "text": f"Right. {WHY}"}]).bash("jq . a.json | tail -3", "{}")
    chat.bash("jq . a.json", "{}").edit().bash("make lint", "a.py:1: boom", 1).bash("make lint | tail -1", "ok")
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        import_transcripts(opened, "auto", [chat.save()])
        yield opened


def record(store: Store, **other: Any) -> LessonRecorded:
    return record_lesson(store, "11111111", TOLD._replace(**other), AlignSettings())


def test_what_the_session_bears_out_is_a_draft_of_the_agent(store: Store) -> None:
    done = record(store)
    case = show_case(store, done.case_id)
    assert case is not None
    fix = next(one for one in case.resolutions if one.id == done.fix)
    assert (fix.author, fix.status, fix.lesson) == ("agent", "draft", done.lesson)
    assert done.lesson.do.text == "apt-get install -y jq" and done.lesson.because == WHY
    assert [one.message for one in done.lesson.evidence] == [3, 4]
    assert "**Run**" in fix.text and WHY in fix.text


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"error": "bash: yq: command not found"}, "this failure is not in the session"),
        ({"command": "brew install jq"}, "no call in this session ran this command"),
        ({"command": "", "hunk": "- a\n+ c"}, "no call in this session made this change"),
        ({"command": ""}, "the lesson needs either a command or a hunk"),
        ({"because": "jq is in this image, so nothing must be installed."}, "a quote is not in this session"),
        ({"check": "jq . b.json"}, "the check did not pass"),
        ({"check": "make lint"}, "truncated or filtered output"),
    ],
)
def test_what_it_does_not_bear_out_is_refused_with_the_reason(store: Store, other: dict[str, str], reason: str) -> None:
    before = store.con.execute("SELECT count(*) FROM resolution").fetchone()
    with pytest.raises(Fault, match=reason):
        record(store, **other)
    assert store.con.execute("SELECT count(*) FROM resolution").fetchone() == before


def test_an_edit_is_recorded_with_its_file(store: Store) -> None:
    with pytest.raises(Fault, match="did not pass"):
        record(store, command="", hunk="- a\n+ b")
    store.con.execute("UPDATE message SET text = 'clean' WHERE text LIKE '%boom%'")
    store.con.execute(
        "UPDATE tool_call SET failure = 'none', failed = 0, exit_code = NULL WHERE input_json LIKE '%lint\"%'"
    )
    done = record(store, command="", hunk="- a\n+ b", check="make lint")
    assert (done.lesson.do.kind, done.lesson.do.file) == ("hunk", "a.py")


def test_an_agent_records_it_over_mcp_while_its_session_goes_on(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "claude" / "projects" / "shop"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    chat = Transcript(folder, "22222222-0000-4000-8000-000000000002").bash("jq . a.json", MISSING, 127)
    chat.bash("apt-get install -y jq", "ok").bash("jq . a.json", "{}").save()
    config = default_config({})
    desk = Desk(store.path, config.values, lambda: config)
    given = {"session": chat.session, "error": MISSING, "command": "apt-get install -y jq", "check": "jq . a.json"}
    done = call("record_lesson", given, desk)
    assert isinstance(done, LessonRecorded) and done.lesson.check == "jq . a.json"


def test_it_is_recorded_once(store: Store) -> None:
    record(store)
    with pytest.raises(Fault, match="already recorded"):
        record(store)
