"""`session_ingested` is appended as a session comes in, and once for each time it grew."""

from __future__ import annotations

import json
from pathlib import Path

from core.evidence.events import read_events
from core.flows.transcripts.api import import_transcripts
from core.store import open_store


def transcript(path: Path, count: int) -> Path:
    path.write_text(
        "".join(
            json.dumps(
                {
                    "type": "user",
                    "uuid": f"u{number}",
                    "sessionId": "s1",
                    "cwd": "/home/me/shop",
                    "timestamp": f"2026-03-01T10:00:{number:02d}.000Z",
                    "message": {"role": "user", "content": f"message {number}"},
                }
            )
            + "\n"
            for number in range(count)
        )
    )
    return path


def test_it_is_told_at_ingestion_and_once_a_growth(tmp_path: Path) -> None:
    with open_store(tmp_path / "a.db", create=True) as store:
        for count in (3, 3, 5, 5):
            import_transcripts(store, "claude-code", [transcript(tmp_path / "s1.jsonl", count)])
        told = [(one.type, one.session_id, one.body["messages"]) for one in read_events(store)]
        assert told == [("session_ingested", "s1", 3), ("session_ingested", "s1", 5)]
        started = "2026-03-01T10:00:00.000Z"
        assert next(one.body for one in read_events(store)) == {
            "session": "s1", "agent": "claude-code", "project": "/home/me/shop", "started": started, "messages": 3,
        }  # fmt: skip
