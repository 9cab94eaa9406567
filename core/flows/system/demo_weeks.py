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

from core.base.lazy import text_tables
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


def _again(row: str) -> Again:
    session, lines, at, pace, prompt, *shown = row.split(" | ")
    via, line = shown or (None, "")
    return Again(session, lines, at, float(pace), prompt, cast("Via | None", via), line)


_TABLES: Final = text_tables(__file__)
VERIFIED: Final = tuple(Verified(row[25:], row[:24]) for row in _TABLES["VERIFIED"].splitlines())
AGAIN: Final = tuple(map(_again, _TABLES["AGAIN"].splitlines()))


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
