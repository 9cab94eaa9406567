"""Rows that sums are kept of, as a harvest and a hook write them."""

from __future__ import annotations

import json
from typing import Any

import apsw


def add_session(
    con: apsw.Connection, session: str, repository: str = "github.com/acme/shop", project: str = ""
) -> None:
    """A session of that repository."""
    con.execute(
        "INSERT INTO session(id, agent, project, repository) VALUES (?, 'codex', ?, ?)", (session, project, repository)
    )


def add_verdict(con: apsw.Connection, session: str, idx: int, **columns: Any) -> None:
    """A judged result; by default the only one of an incident of two runs that took a minute."""
    row = {
        "session_id": session,
        "message_idx": idx,
        "tool_use_id": f"t{idx}",
        "verdict": "incident",
        "reason": "",
        "worth": "project",
        "ts": "2026-01-07T10:00:00.000Z",
        "program": "go",
        "attempts": 2,
        "messages": 5,
        "seconds": 60.0,
        "fingerprints": json.dumps(["Error: x"]),
        **columns,
    }
    names = ", ".join(row)
    con.execute(f"INSERT INTO result_verdict({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))


def add_outcome(con: apsw.Connection, **columns: Any) -> int:
    """An answer that a hook told; the id of its row."""
    row = {
        "resolution_id": 1,
        "fingerprint": "Error: x",
        "via": "hook",
        "session_id": "s1",
        "repository": "github.com/acme/shop",
        "told_at": "2026-01-07T10:00:00.000Z",
        "outcome": "open",
        **columns,
    }
    names = ", ".join(row)
    con.execute(f"INSERT INTO answer_outcome({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
    return con.last_insert_rowid()
