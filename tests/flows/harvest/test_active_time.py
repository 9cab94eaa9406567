"""What an incident cost is time worked: a pause between two messages counts as five minutes at most."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors.fixes import evidence_of
from core.flows.harvest.incidents import ActiveTime
from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.inspection import inspect_transcript
from core.store import open_store
from tests.flows.harvest.chat import LOOKUP
from tests.flows.harvest.test_session import Transcript


def _at(hours: int, minutes: int = 0) -> str:
    return f"2026-09-01T{hours:02}:{minutes:02}:00.000Z"


def test_a_night_in_a_session_is_five_minutes(tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit("app.py").bash("python app.py", "fine")
    for row in chat.rows[2:]:  # after the failure nobody was there for ten hours
        row["timestamp"] = row["timestamp"].replace("T10:", "T20:")
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        import_transcripts(store, "auto", [chat.save()])
        ((seconds,),) = store.con.execute("SELECT seconds FROM result_verdict").fetchall()
        assert seconds == 302.0
        assert store.con.execute("SELECT sum(milliseconds) FROM insight_week").fetchone() == (302_000,)
        assert store.con.execute("SELECT max(seconds) FROM case_state").fetchone() == (302.0,)
        ((original,),) = store.con.execute("SELECT original FROM resolution").fetchall()
        evidence = evidence_of(str(original))
        assert evidence is not None and evidence.seconds == 302.0
    assert [one.cost.seconds for one in inspect_transcript(chat.path).results] == [302.0]


@pytest.mark.parametrize(
    ("start", "end", "seconds"),
    [
        (_at(8), _at(8, 2), 120),
        (_at(8), _at(9), 120 + 300),
        (_at(8), _at(9, 4), 120 + 300 + 240),
        (_at(9, 4), _at(12), 300),
        (_at(7), _at(8), 300),
        (_at(7, 58), _at(8), 120),
        (_at(9), _at(8), 0),
        ("", _at(8), 0),
        (_at(8), "soon", 0),
    ],
)
def test_seconds_between(start: str, end: str, seconds: float) -> None:
    clock = ActiveTime()
    for ts in (_at(9, 4), _at(8), "", _at(8, 2), _at(9), "never"):
        clock.note(ts)
    assert clock.between(start, end) == seconds
