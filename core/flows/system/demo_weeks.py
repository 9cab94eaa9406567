"""Later weeks of the demonstration: known errors come back, some fixes are verified, and agents are shown them."""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, cast
from uuid import NAMESPACE_URL, uuid5

from core.errors.curation.decisions import verify
from core.errors.curation.transaction import look
from core.errors.fixes import Telling, Via, write_telling
from core.flows.system.evidence import align_due
from core.flows.transcripts.api import import_transcripts
from core.samples import sample_paths
from core.store import Store, open_store

_ACTOR: Final = "mina"
_IDS: Final = re.compile(
    r'"((?:toolu|req|msg)_[0-9A-Za-z]+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"'
)
_PAUSE: Final = timedelta(seconds=8)
"""Between the prompt, or an earlier span, and the next record."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A fix that was verified: a part of its error's key line, and when."""

    line: str
    at: str


@dataclass(frozen=True, slots=True)
class Again:
    """An incident of a sample session that happens again in a session of its own.

    `lines` are spans of lines of the sample's file, `at` is when it begins, `pace` how much slower than the sample it
    is. `via`: the channel that showed the fix of the error with `line` after the first failure.
    """

    session: str
    lines: str
    at: str
    pace: float
    prompt: str
    via: Via | None = None
    line: str = ""


_API, _SHOP, _LEDGER, _INGEST, _FIRMWARE = "eee65f53", "5dd9f6f5", "ca75c98c", "0f3c4143", "75778cea"
_DB, _PORT, _PEERS, _PUSH = "port 5432 failed: Connection refused", "EADDRINUSE", "ERESOLVE", "[rejected]"
_SSL, _GRADLE, _FLOAT = "openssl-sys", "gradlew: command not found", "decimal.Decimal"
_CHECKOUT, _MISSING, _HOOK = "would be overwritten by checkout", "freezegun", "React Hook useEffect"
_NULL = "java.lang.NullPointerException"

VERIFIED: Final = (
    Verified(_PUSH, "2026-09-10T08:20:00.000Z"),
    Verified(_FLOAT, "2026-09-11T09:02:00.000Z"),
    Verified(_MISSING, "2026-09-11T09:03:00.000Z"),
    Verified(_HOOK, "2026-09-16T03:00:00.000Z"),
    Verified(_PORT, "2026-09-18T02:10:00.000Z"),
    Verified(_DB, "2026-09-23T09:40:00.000Z"),
    Verified(_SSL, "2026-09-25T14:00:00.000Z"),
    Verified(_PEERS, "2026-09-25T14:02:00.000Z"),
    Verified(_NULL, "2026-09-30T06:30:00.000Z"),
    Verified(_GRADLE, "2026-10-06T06:30:00.000Z"),
    Verified(_CHECKOUT, "2026-10-07T06:30:00.000Z"),
)
AGAIN: Final = (
    Again(_API, "26-32", "2026-09-14T08:31:00", 9, "show me the invoice table"),
    Again(_API, "47-55", "2026-09-16T10:05:00", 4, "push the branch", "hook", _PUSH),
    Again(_SHOP, "38-42", "2026-09-17T01:20:00", 8, "차트 위젯을 다시 설치해줘"),
    Again(_API, "4-15", "2026-09-21T07:44:00", 3, "the pricing tests are red again", "hook", _FLOAT),
    Again(_API, "26-32", "2026-09-22T08:02:00", 5, "is tax_cents in the invoice table?", "search", _DB),
    Again(_SHOP, "50-58", "2026-09-23T02:15:00", 4, "스모크 테스트 돌려줘", "hook", _PORT),
    Again(_SHOP, "38-42", "2026-09-24T03:00:00", 3, "sparkline 위젯 버전 올려줘", "search", _PEERS),
    Again(_SHOP, "20-35", "2026-09-28T01:30:00", 3, "빌드가 또 깨졌어"),
    Again(_API, "47-51", "2026-09-29T09:12:00", 5, "push, then open the pull request", "hook", _PUSH),
    Again(_API, "26-32", "2026-09-30T07:20:00", 8, "look at the invoices of last week"),
    Again(_INGEST, "39-47", "2026-10-01T13:00:00", 2, "build the image with the new base", "mcp", _SSL),
    Again(_SHOP, "50-56 50-58", "2026-10-02T02:40:00", 5, "스모크 테스트 확인해줘", "hook", _PORT),
    Again(_LEDGER, "3-14", "2026-10-05T05:10:00", 4, "9월 보고서 빌드부터"),
    Again(_INGEST, "17-25", "2026-10-05T13:40:00", 4, "share the cache between the workers"),
    Again(_SHOP, "38-42", "2026-10-06T03:10:00", 3, "의존성 갱신하자", "hook", _PEERS),
    Again(_LEDGER, "34-40", "2026-10-06T05:55:00", 5, "main으로 옮기자", "hook", _CHECKOUT),
    Again(_INGEST, "48-56", "2026-10-07T14:05:00", 4, "start the stack"),
    Again(_API, "26-30 26-32", "2026-10-08T08:25:00", 3, "check the migration on this machine", "hook", _DB),
    Again(_LEDGER, "3-14", "2026-10-12T05:20:00", 2, "10월 보고서 빌드", "hook", _GRADLE),
    Again(_INGEST, "39-47", "2026-10-12T13:30:00", 1.5, "the image for the release", "hook", _SSL),
    Again(_API, "47-55", "2026-10-13T09:40:00", 6, "push it"),
    Again(_SHOP, "50-58", "2026-10-14T02:05:00", 3, "스모크 테스트", "hook", _PORT),
    Again(_LEDGER, "34-40", "2026-10-15T06:00:00", 3, "main 최신으로", "mcp", _CHECKOUT),
    Again(_FIRMWARE, "21-31", "2026-10-15T09:15:00", 5, "the image for rev-c"),
    Again(_API, "26-32", "2026-10-19T08:10:00", 2, "is the database up to date?", "hook", _DB),
)


def add_weeks(database: Path) -> None:
    """Let the sample errors come back for five weeks, with verified and shown fixes. Raises Fault."""
    with open_store(database, write=True) as store, tempfile.TemporaryDirectory(prefix="casebook-weeks-") as folder:
        for one in VERIFIED:
            _verify(store, one)
        written = [_write(store, Path(folder), number, again) for number, again in enumerate(AGAIN)]
        import_transcripts(store, "auto", written)
        align_due(store)
        with store.transaction() as con:
            con.execute("UPDATE answer_outcome SET settled_at = told_at")


def _verify(store: Store, one: Verified) -> None:
    verify(store, _ACTOR, [look(store.con, _case(store, one.line))])
    with store.transaction() as con:
        con.execute("UPDATE journal SET ts = ? WHERE id = (SELECT max(id) FROM journal)", (one.at,))


def _case(store: Store, line: str) -> int:
    """The first case with this text in its key line."""
    sql = "SELECT case_id FROM fingerprint WHERE instr(key_line, ?) ORDER BY case_id LIMIT 1"
    (case_id,) = cast("tuple[int]", store.con.execute(sql, (line,)).fetchone())
    return case_id


def _write(store: Store, folder: Path, number: int, again: Again) -> Path:
    """The transcript of an incident; what was shown in it is recorded."""
    (sample,) = sample_paths()[0].glob(f"*/{again.session}*.jsonl")
    records = [json.loads(line) for line in sample.read_text("utf-8").splitlines()]
    session = str(uuid5(NAMESPACE_URL, f"{again.session} {number}"))
    prompt = next(record for record in records if isinstance(_user_content(record), str))
    prompt["message"]["content"] = again.prompt
    ts, parent, answered_at = datetime.fromisoformat(f"{again.at}+00:00"), None, ""
    texts = [json.dumps(prompt | {"sessionId": session, "timestamp": _stamp(ts), "parentUuid": None})]
    before = None
    for part, span in enumerate(again.lines.split()):
        first, _, last = span.partition("-")
        for record in records[int(first) : int(last) + 1]:
            if record["type"] not in ("user", "assistant"):
                continue
            at = datetime.fromisoformat(record["timestamp"])
            passed = (at - before) * again.pace if before is not None and at > before else _PAUSE
            before, ts = at, ts + passed
            record = json.loads(_IDS.sub(partial(_renamed, f"{session} {part}"), json.dumps(record)))  # noqa: PLW2901
            texts.append(json.dumps(record | {"sessionId": session, "timestamp": _stamp(ts), "parentUuid": parent}))
            parent = record["uuid"]
            if not answered_at and record["type"] == "user":
                answered_at = _stamp(ts + timedelta(seconds=1))
    place = folder / sample.parent.name / f"{session}.jsonl"
    place.parent.mkdir(exist_ok=True)
    place.write_text("\n".join(texts) + "\n", "utf-8")
    if again.via is not None:
        _tell(store, again, session, answered_at)
    return place


def _tell(store: Store, again: Again, session: str, ts: str) -> None:
    """Record that the fix was shown."""
    case_id = _case(store, again.line)
    row = store.con.execute(
        "SELECT r.id, f.fingerprint, iif(s.repository = '', s.project, s.repository) FROM resolution r"
        " JOIN fingerprint f USING (case_id), session s WHERE case_id = ? AND instr(f.key_line, ?) AND s.id GLOB ?"
        " ORDER BY r.status = 'verified' DESC, r.id LIMIT 1",
        (case_id, again.line, f"{again.session}*"),
    ).fetchone()
    fix, mark, repository = cast("tuple[int, str, str]", row)
    with store.transaction() as con:
        write_telling(con, Telling(fix, cast("Via", again.via), mark, session, repository), ts)


def _user_content(record: dict[str, Any]) -> object:
    return record.get("message", {}).get("content") if record.get("type") == "user" else None


def _stamp(ts: datetime) -> str:
    return ts.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _renamed(about: str, found: re.Match[str]) -> str:
    """Another identifier of the same form."""
    prefix, mark, _ = found[1].rpartition("_")
    made = uuid5(NAMESPACE_URL, f"{found[1]} {about}")
    return f'"{prefix}{mark}{made.hex[:24] if mark else made}"'
