"""Nothing unredacted reaches a team's server, comes back from it, or stays in the casebook."""

from __future__ import annotations

import json
import subprocess
import uuid
from pathlib import Path

from core.flows.team.sync.session import sync
from core.store import open_store
from core.team.lessons_file import parse_line
from core.team.postgres.log import LESSON, Draft, append
from core.team.postgres.server import connected
from tests.flows.team.conftest import add_fix
from tests.flows.team.test_follow import book, tree_of
from tests.postgres import Server

SECRETS = [json.loads(line) for line in Path("tests/data/secrets.jsonl").read_text("utf-8").splitlines()][::8]
"""Every eighth: the lessons file, whose texts pass the same door, is tested with all of them."""


def dump(postgres: Server) -> str:
    """All that the server holds, as a backup has it."""
    if postgres.binaries is None:
        tables = ("team_head", "team_event", "team_payload")
        return "\n".join(str(postgres.sql(f"SELECT * FROM casebook.{name}")) for name in tables)
    command = [postgres.binaries / "pg_dump", "--data-only", postgres.admin]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def leaked(text: str) -> list[str]:
    secrets = [row["secret"] for row in SECRETS if len(row["secret"]) >= 8]
    return [one for one in secrets if one in text or any(len(part) >= 12 and part in text for part in one.split())]


def test_no_secret_reaches_the_server(postgres: Server, tmp_path: Path) -> None:
    team = postgres.team()
    mina = book(tmp_path, "mina", postgres.member(team))
    for number, row in enumerate(SECRETS):
        text = row["text"]
        more = {"said": f"Error: it failed\n{text}", "because": text, "check": text, "dead_ends": (text,)}
        add_fix(mina, tree_of(mina), f"Error: step{number} failed", f"deploy\n{text}\n", **more)
    with open_store(mina, write=True) as store:
        report = sync(store)
        kept = json.dumps(
            store.con.execute("SELECT line FROM team_lesson UNION ALL SELECT line FROM team_outbox").fetchall()
        )
    assert report.sent > len(SECRETS) // 2
    ana = book(tmp_path, "ana", postgres.member(team))
    with open_store(ana, write=True) as store:
        sync(store)
        with store.transaction() as con:
            reasons = json.dumps([row["text"] for row in SECRETS])
            con.execute(
                "UPDATE resolution SET status = 'rejected',"
                " reason = (SELECT value FROM json_each(?) WHERE key = resolution.id % ?) WHERE author = 'team'",
                (reasons, len(SECRETS)),
            )
        assert sync(store).sent == report.sent
        kept += json.dumps(
            store.con.execute("SELECT line FROM team_lesson UNION ALL SELECT line FROM team_outbox").fetchall()
        )
    held = dump(postgres)
    assert "step1 failed" in held
    assert leaked(held + held.replace("\\\\", "\\").replace('\\"', '"') + kept) == []


def test_a_secret_that_another_client_sent_is_redacted_on_arrival(postgres: Server, tmp_path: Path) -> None:
    """A client that does not redact is a fault of somebody else's; it ends at our door."""
    team = postgres.team()
    joon = book(tmp_path, "joon", postgres.member(team))
    at = "2026-11-01T09:00:00.000Z"
    drafts: list[Draft] = []
    for number, row in enumerate(SECRETS):
        line = json.dumps({"id": f"l{number}", "shared": at, "error": f"KeyError: 'k{number}'", "text": row["text"]})
        assert not isinstance(parse_line(line.encode()), str)
        drafts.append(Draft(str(uuid.uuid4()), LESSON, "github.com/acme/shop", f"l{number}", at, line))
    with connected(postgres.member(team)) as con:
        append(con, team, "other", drafts)
    with open_store(joon, write=True) as store:
        report = sync(store)
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert report.added > len(SECRETS) // 2
    raw = b"".join(path.read_bytes() for path in joon.parent.glob("book.db*")).decode("utf-8", "replace")
    assert leaked(raw) == []
    assert leaked(raw.replace('\\"', '"').replace("\\\\", "\\")) == []
