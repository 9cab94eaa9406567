"""What a casebook knows of its team: the server, the folded log, and the decisions that wait to be sent.

The fold is `core.team.lessons_file.join` over all events, in any order and any number of times: two casebooks that read
the same events know the same.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, cast

import apsw

from core.base.fault import Fault
from core.base.wire import canonical
from core.flows.team.place import TeamPlace, place_of
from core.flows.team.sync.holding import held_lessons
from core.store import Store
from core.team.lessons_file import Record, Stamped, join, line_of, parse_line
from core.team.postgres.log import LESSON, WITHDRAWAL, Draft, Event, Position
from core.team.privacy import mapped_texts
from core.text import redact

SEND: Final = 500
"""Decisions that are sent in one transaction."""
APPLY: Final = 1_000
"""Lessons that are taken over in one step."""


@dataclass(frozen=True, slots=True)
class Replica:
    """The team of a casebook. `synced`: when it was last in step with the server; `fault`: why the last try failed."""

    address: str
    team: str
    login: str
    role: str
    machine: str
    position: Position
    journaled: int
    synced: str
    fault: str


class Waiting(NamedTuple):
    """Lessons of one repository, changed by one member, that are not in the cases yet."""

    repository: str
    decided_by: str
    lines: Mapping[str, str]


def replica_of(con: apsw.Connection) -> Replica | None:
    """The team of a casebook; None without one."""
    row = con.execute(
        "SELECT address, team, login, role, machine, seq, hash, epoch, journaled, synced, fault FROM team_server"
    ).fetchone()
    if row is None:
        return None
    values = cast("tuple[str, str, str, str, str, int, bytes, int, int, str, str]", row)
    return Replica(*values[:5], Position(*values[5:8]), *values[8:])


def require_replica(store: Store) -> Replica:
    """The team of a casebook. Raises Fault not_indexed without one."""
    found = replica_of(store.con)
    if found is None:
        raise Fault("not_indexed", "this casebook has not joined a team", "to join a team, run: casebook team join URL")
    return found


def team_line(con: apsw.Connection) -> str:
    """The state of the team in few words; '' without one."""
    found = replica_of(con)
    if found is None:
        return ""
    count = waiting_count(con)
    waits = f", {count:,} to send" if count else ""
    return f"team {found.team}{waits}{', not in sync' if found.fault else ''}"


def waiting_count(con: apsw.Connection) -> int:
    """Decisions that were not sent yet."""
    row = con.execute("SELECT count(*) FROM team_outbox WHERE NOT sent").fetchone()
    return cast("int", row[0]) if row else 0


def projects_of(con: apsw.Connection) -> tuple[TeamPlace, ...]:
    """The repositories whose fixes leave. One whose folder is gone is still known by its name."""
    rows = con.execute("SELECT repository, root FROM team_project ORDER BY repository").fetchall()
    return tuple(_place(*row) for row in cast("list[tuple[str, str]]", rows))


def _place(repository: str, root: str) -> TeamPlace:
    names = frozenset((repository, root))
    try:
        found = place_of(Path(root))
    except Fault:
        return TeamPlace(Path(root), repository, names)
    return TeamPlace(found.root, repository, found.names | names)


def known_lessons(con: apsw.Connection, repository: str) -> dict[str, Record]:
    """The folded log of a repository."""
    rows = con.execute("SELECT lesson, line FROM team_lesson WHERE repository = ?", (repository,))
    return {id_: record for id_, line in cast("Iterator[tuple[str, str]]", rows) if (record := _record(id_, line))}


def _record(id_: str, line: str) -> Record | None:
    read = parse_line(line.encode("utf-8", "surrogatepass"))
    return None if isinstance(read, str) or read[0] != id_ else read[1]


def fold(store: Store, before: Position, events: Sequence[Event]) -> tuple[Position, int]:
    """Fold events that follow `before` into what is known; returns the position now, and how many events could not be
    read. Another process that folded them meanwhile is no harm: then nothing is done."""
    unread = 0
    with store.transaction() as con:
        replica = require_replica(store)
        if replica.position != before:
            return replica.position, 0
        held = held_lessons(con)
        for one in events:
            if one.line is None:
                continue
            record = _record(one.lesson, one.line) if one.kind in (LESSON, WITHDRAWAL) else None
            if record is None:
                unread += 1
            elif held.has(con, project := redact(one.project), one.lesson, record):
                learn(con, project, one.lesson, redacted(record), f"{one.actor} ({one.machine})")
        last = events[-1]
        position = Position(last.seq, last.hash, max(before.epoch, last.epoch))
        con.execute("UPDATE team_server SET seq = ?, hash = ?, epoch = ?", position)
    return position, unread


def redacted(record: Record) -> Record:
    """A lesson of another client as it may be stored: ours sends none with a secret."""
    fields = {
        name: Stamped(one.time, canonical(mapped_texts(one.value, redact))) for name, one in record.fields.items()
    }
    return record._replace(fields=fields)


def learn(
    con: apsw.Connection, repository: str, lesson: str, record: Record, decided_by: str, *, waits: bool = True
) -> None:
    """Join one state of a lesson into what is known, inside the caller's transaction. What a withdrawal covers is
    deleted from the outbox too. `waits`: it is not in the cases yet."""
    known = known_lesson(con, repository, lesson)
    merged = record if known is None else join(known, record)
    if merged == known:
        return
    con.execute(
        "INSERT INTO team_lesson(repository, lesson, line, waits, decided_by) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET line = excluded.line, waits = max(waits, excluded.waits),"
        " decided_by = excluded.decided_by",
        (repository, lesson, line_of(lesson, merged), waits, decided_by),
    )
    if merged.withdrawn:
        con.execute(
            "DELETE FROM team_outbox WHERE repository = ? AND lesson = ? AND kind = ? AND time <= ?",
            (repository, lesson, LESSON, merged.withdrawn),
        )


def known_lesson(con: apsw.Connection, repository: str, lesson: str) -> Record | None:
    """What is known of a lesson."""
    row = con.execute(
        "SELECT line FROM team_lesson WHERE repository = ? AND lesson = ?", (repository, lesson)
    ).fetchone()
    return None if row is None else _record(lesson, cast("str", row[0]))


def waiting_lessons(con: apsw.Connection) -> Waiting | None:
    """The next lessons that are not in the cases yet: of one repository and one member, at most `APPLY`."""
    rows = con.execute(
        "SELECT repository, decided_by, lesson, line FROM team_lesson WHERE waits ORDER BY repository, lesson LIMIT ?",
        (APPLY,),
    ).fetchall()
    if not rows:
        return None
    repository, decided_by = cast("tuple[str, str]", rows[0][:2])
    lines = {str(row[2]): str(row[3]) for row in rows if row[:2] == (repository, decided_by)}
    return Waiting(repository, decided_by, lines)


def records_of(waiting: Waiting) -> dict[str, Record]:
    """The lessons that wait, decoded."""
    return {id_: record for id_, line in waiting.lines.items() if (record := _record(id_, line))}


def mark_applied(con: apsw.Connection, waiting: Waiting) -> None:
    """Note that these lessons are in the cases, unless they changed meanwhile. Inside the caller's transaction."""
    con.executemany(
        "UPDATE team_lesson SET waits = 0 WHERE repository = ? AND lesson = ? AND line = ?",
        [(waiting.repository, lesson, line) for lesson, line in waiting.lines.items()],
    )


def put(con: apsw.Connection, repository: str, lesson: str, record: Record, fix_id: int | None) -> None:
    """Decide on a lesson here: it is known at once, and waits in the outbox. Inside the caller's transaction."""
    kind, time = (WITHDRAWAL, record.withdrawn) if record.is_withdrawn else (LESSON, record.shared)
    learn(con, repository, lesson, record, "you", waits=record.is_withdrawn)  # the fix of any other is here
    con.execute(
        "INSERT INTO team_outbox(id, kind, repository, lesson, time, line, fix_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (str(uuid.uuid4()), kind, repository, lesson, time, line_of(lesson, record), fix_id),
    )


def outbox(con: apsw.Connection) -> list[Draft]:
    """The next decisions to send."""
    rows = con.execute(
        "SELECT id, kind, repository, lesson, time, line FROM team_outbox WHERE NOT sent ORDER BY number LIMIT ?",
        (SEND,),
    ).fetchall()
    return [Draft(*cast("tuple[str, str, str, str, str, str]", row)) for row in rows]


def mark_sent(con: apsw.Connection, drafts: Iterable[Draft]) -> None:
    """Note that the server has these decisions."""
    ids = json.dumps([one.id for one in drafts])
    con.execute("UPDATE team_outbox SET sent = 1 WHERE id IN (SELECT value FROM json_each(?))", (ids,))


def send_again(con: apsw.Connection, epoch: int, *, from_start: bool) -> None:
    """Send every decision made here once more, since the server lost some; `from_start`: read its log again too."""
    con.execute("UPDATE team_outbox SET sent = 0")
    con.execute("UPDATE team_server SET epoch = ?", (epoch,))
    if from_start:
        con.execute("UPDATE team_server SET seq = 0, hash = x''")


class LastDecision(NamedTuple):
    """The newest decision made here on a lesson, and the fix that it is about; None for one on the lesson alone."""

    repository: str
    lesson: str
    kind: str
    fix_id: int | None


def last_decisions(con: apsw.Connection) -> list[LastDecision]:
    """The newest decision made here on each lesson."""
    rows = con.execute(
        "SELECT repository, lesson, kind, fix_id FROM team_outbox WHERE number IN"
        " (SELECT max(number) FROM team_outbox GROUP BY repository, lesson)"
    ).fetchall()
    return [LastDecision(*cast("tuple[str, str, str, int | None]", row)) for row in rows]
