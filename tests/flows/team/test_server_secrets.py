"""Nothing unredacted reaches a team's server, comes back from it, or stays in the casebook."""

from __future__ import annotations

import json
import subprocess
import uuid
from pathlib import Path

from core.errors.curation.merging import merge
from core.errors.curation.transaction import look
from core.flows.team.sync.session import sync
from core.store import now, open_store
from core.team.lessons_file import parse_line
from core.team.postgres.log import LESSON, Draft, append
from core.team.postgres.server import connected
from tests.flows.team.conftest import add_fix
from tests.flows.team.test_follow import book, tree_of
from tests.postgres import Server

SECRETS = [json.loads(line) for line in Path("tests/data/secrets.jsonl").read_text("utf-8").splitlines()]
LESSONS = [[one["text"] for one in SECRETS[at : at + 5]] for at in range(0, len(SECRETS), 5)]
"""Each lesson has another secret in each of five fields."""


def dump(postgres: Server) -> str:
    """All that the server holds, as a backup has it."""
    if postgres.binaries is None:
        tables = postgres.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'casebook'")
        return "\n".join(str(postgres.sql(f"SELECT * FROM casebook.{name}")) for (name,) in tables)
    command = [postgres.binaries / "pg_dump", "--data-only", postgres.admin]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def leaked(text: str) -> list[str]:
    secrets = [row["secret"] for row in SECRETS if len(row["secret"]) >= 8]
    return [one for one in secrets if one in text or any(len(part) >= 12 and part in text for part in one.split())]


def test_no_secret_reaches_the_server(postgres: Server, tmp_path: Path) -> None:
    """Not in a lesson, the reason of a rejection, a merge, nor in what the server indexes of them."""
    team = postgres.team()
    mina = book(tmp_path, "mina", postgres.member(team))
    for number, (do, *said) in enumerate(LESSONS):
        more = {"said": f"Error: it failed\n{said[0]}", "because": said[1], "check": said[2], "dead_ends": (said[3],)}
        add_fix(mina, tree_of(mina), f"Error: step{number} failed", f"deploy\n{do}\n", **more)
    with open_store(mina, write=True) as store:
        report = sync(store)
        into, other = store.con.execute("SELECT id FROM error_kb ORDER BY id LIMIT 2").fetchall()
        merge(store, "mina", look(store.con, into[0]), [look(store.con, other[0])])
        assert sync(store).sent == 1
        kept = json.dumps(
            store.con.execute("SELECT line FROM team_lesson UNION ALL SELECT line FROM team_outbox").fetchall()
        )
    assert report.sent > len(LESSONS) // 2
    ana = book(tmp_path, "ana", postgres.member(team))
    with open_store(ana, write=True) as store:
        sync(store)
        with store.transaction() as con:
            reasons = json.dumps(["\n".join(texts) for texts in LESSONS])
            con.execute(
                "UPDATE resolution SET status = 'rejected',"
                " reason = (SELECT value FROM json_each(?) WHERE key = resolution.id % ?) WHERE author = 'team'",
                (reasons, len(LESSONS)),
            )
        assert sync(store).sent == report.sent
        kept += json.dumps(
            store.con.execute("SELECT line FROM team_lesson UNION ALL SELECT line FROM team_outbox").fetchall()
        )
    held = dump(postgres)
    assert "step1 failed" in held
    assert "merge-" in held
    assert leaked(held + held.replace("\\\\", "\\").replace('\\"', '"') + kept) == []


def test_what_was_withdrawn_is_in_no_dump(postgres: Server, tmp_path: Path) -> None:
    """No version of it, by whomever, also where a casebook sends one later: not on the server, nor in a casebook."""
    team = postgres.team()
    mina, ana = (book(tmp_path, name, postgres.member(team)) for name in ("mina", "ana"))
    fix = add_fix(mina, tree_of(mina), "Error: zebra failed", "deploy giraffe", because="the walrus", check="npm test")
    add_fix(mina, tree_of(mina), "Error: lion failed", "deploy okapi")
    with open_store(mina, write=True) as here, open_store(ana, write=True) as there:
        assert sync(here).sent == 2
        with here.transaction() as con:
            con.execute("UPDATE resolution SET text = '**Run** `deploy marmot`', ts = ? WHERE id = ?", (now(), fix))
        assert sync(here).sent == 1
        assert sync(there).added == 2
        with there.transaction() as con:
            reject = (
                "UPDATE resolution SET status = 'rejected', reason = 'no pangolin' WHERE author = 'team' AND text LIKE"
            )
            con.execute(f"{reject} '%marmot%'")
        assert sync(there).sent == 1
        before = dump(postgres)
        words = ("zebra", "giraffe", "walrus", "marmot", "pangolin")
        assert [word for word in words if word not in before] == []
        (lesson,) = here.con.execute("SELECT lesson FROM team_lesson WHERE line LIKE '%zebra%'").fetchall()
        sync(here, withdrawn=[str(lesson[0])])
        sync(there)
        tables = "SELECT line FROM team_lesson UNION ALL SELECT line FROM team_outbox"
        tables += " UNION ALL SELECT text || coalesce(lesson, '') || coalesce(original, '') FROM resolution"
        tables += " WHERE author = 'team'"
        kept = str([store.con.execute(tables).fetchall() for store in (here, there)])
    after = dump(postgres)
    assert [word for word in words if word in after or word in kept] == []
    assert "okapi" in after
    assert "okapi" in kept


def test_a_secret_that_another_client_sent_is_redacted_on_arrival(postgres: Server, tmp_path: Path) -> None:
    """A client that does not redact is a fault of somebody else's; it ends at our door."""
    team = postgres.team()
    joon = book(tmp_path, "joon", postgres.member(team))
    at = "2026-11-01T09:00:00.000Z"
    drafts: list[Draft] = []
    for number, (text, *said) in enumerate(LESSONS):
        fields = {"text": text, "check": said[0], "because": said[1], "not": [said[2]], "other": {"said": said[3]}}
        more = {"do": {"kind": "command", "text": "npm ci"}, "error": f"KeyError: 'k{number}'"}
        line = json.dumps({"id": f"l{number}", "shared": at, **more, **fields})
        assert not isinstance(parse_line(line.encode()), str)
        drafts.append(Draft(str(uuid.uuid4()), LESSON, "github.com/acme/shop", f"l{number}", at, line))
    with connected(postgres.member(team)) as con:
        append(con, team, "other", drafts)
    with open_store(joon, write=True) as store:
        report = sync(store)
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert report.added == len(LESSONS)
    raw = b"".join(path.read_bytes() for path in joon.parent.glob("book.db*")).decode("utf-8", "replace")
    assert leaked(raw) == []
    assert leaked(raw.replace('\\"', '"').replace("\\\\", "\\")) == []
