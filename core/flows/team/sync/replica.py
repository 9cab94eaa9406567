"""What a casebook knows of its team: the server, the folded log, and the decisions that wait to be sent.

The fold is `core.team.lessons_file.join` over all events, in any order and any number of times: two casebooks that read
the same events know the same.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, cast

import apsw

from core.base.fault import Fault
from core.flows.team.collect import replaced_fixes
from core.flows.team.importing import errors_of
from core.flows.team.place import TeamPlace, place_of
from core.flows.team.sync.holding import held_lessons
from core.store import Store
from core.team.lessons_file import Record, join, line_of, parse_line, read_line
from core.team.postgres.log import LESSON, MERGE, WITHDRAWAL, Draft, Event, Position
from core.team.privacy import redacted_value
from core.text import redact

SEND: Final = 500
"""Decisions that are sent in one transaction."""
APPLY: Final = 1_000
"""Lessons that are taken over in one step, at most."""
_APPLY_SIZE: Final = 4_000_000
"""Code points of lessons after which a step ends."""
MERGES: Final = "merge-"
"""How the id of a merge begins, which is folded as a lesson is."""
_WAITS: Final = "waits AND lesson NOT GLOB ?1"
_KINDS: Final = "1"
"""Rises with each new kind of event: then the log is read again for those that an older casebook left out."""


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
    counts = (
        (unindexed_count(con), "to index"), (waiting_count(con), "to send"), (len(replaced_fixes(con)), "replaced")
    )  # fmt: skip
    waits = "".join(f", {count:,} {what}" for count, what in counts if count)
    return f"team {found.team}{waits}{', not in sync' if found.fault else ''}"


def waiting_count(con: apsw.Connection) -> int:
    """Decisions that were not sent yet."""
    row = con.execute("SELECT count(*) FROM team_outbox WHERE NOT sent").fetchone()
    return cast("int", row[0]) if row else 0


def unindexed_count(con: apsw.Connection) -> int:
    """Lessons that were received and are not in the cases yet."""
    row = con.execute(f"SELECT count(*) FROM team_lesson WHERE {_WAITS}", (f"{MERGES}*",)).fetchone()
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
    read = read_line(line)
    return None if read is None or read[0] != id_ else read[1]


def fold(store: Store, before: Position, events: Sequence[Event]) -> tuple[Position, int]:
    """Fold events that follow `before` into what is known; returns the position now, and how many events could not be
    read. Another process that folded them meanwhile is no harm: then nothing is done."""
    there = [one for one in events if one.line is not None]
    read = [one for event in there if (one := _decision(event)) is not None]
    with store.transaction() as con:
        replica = require_replica(store)
        if replica.position != before:
            return replica.position, 0
        learn(con, _held(con, read))
        last = events[-1]
        position = Position(last.seq, last.hash, max(before.epoch, last.epoch))
        con.execute("UPDATE team_server SET seq = ?, hash = ?, epoch = ?", position)
    return position, len(there) - len(read)


class Decision(NamedTuple):
    """One state of a lesson, and who decided so."""

    repository: str
    lesson: str
    record: Record
    decided_by: str


def _decision(one: Event) -> Decision | None:
    """What an event says, without secrets; None where this version cannot read it."""
    kinds = (MERGE if one.lesson.startswith(MERGES) else LESSON, WITHDRAWAL)
    read = parse_line((one.line or "").encode("utf-8", "surrogatepass"), redacted_value) if one.kind in kinds else ""
    if isinstance(read, str) or read[0] != one.lesson:
        return None
    return Decision(_redacted_name(one.project), one.lesson, read[1], f"{one.actor} ({one.machine})")


_redacted_name: Final = lru_cache(maxsize=64)(redact)
"""Of a repository, which many events have."""


def _held(con: apsw.Connection, read: Iterable[Decision]) -> Iterator[Decision]:
    """Those on the lessons that this casebook holds; once one is held, so is all that follows on it."""
    hold, taken = held_lessons(con), set[tuple[str, str]]()
    for one in read:
        if one[:2] in taken or hold.has(con, *one[:3]):
            taken.add(one[:2])
            yield one


def learn(con: apsw.Connection, decisions: Iterable[Decision], *, waits: bool = True) -> None:
    """Join states of lessons into what is known, in their order, inside the caller's transaction. What a withdrawal
    covers is deleted from the outbox too. `waits`: they are not in the cases yet."""
    made = list(decisions)
    known = _known(con, {one[:2] for one in made})
    changed: dict[tuple[str, str], Decision] = {}
    marks: list[tuple[str, str, str]] = []
    for one in made:
        before = known.get(one[:2])
        merged = one.record if before is None else join(before, one.record)
        if merged != before:
            known[one[:2]] = merged
            changed[one[:2]] = one._replace(record=merged)
            if waits and not one.lesson.startswith(MERGES):  # what a withdrawal takes away is found by its errors too
                marks += ((mark, *one[:2]) for found in (before, merged) if found for mark in errors_of(found))
    con.executemany(
        "INSERT INTO team_lesson(repository, lesson, line, waits, decided_by) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET line = excluded.line, waits = max(waits, excluded.waits),"
        " decided_by = excluded.decided_by",
        [(*key, line_of(one.lesson, one.record), waits, one.decided_by) for key, one in sorted(changed.items())],
    )
    con.executemany("INSERT OR IGNORE INTO team_mark(mark, repository, lesson) VALUES (?, ?, ?)", sorted({*marks}))
    con.executemany(
        "DELETE FROM team_outbox WHERE repository = ? AND lesson = ? AND kind <> ? AND time <= ?",
        [(*key, WITHDRAWAL, one.record.withdrawn) for key, one in changed.items() if one.record.withdrawn],
    )


def _known(con: apsw.Connection, lessons: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Record]:
    rows = con.execute(
        "SELECT repository, lesson, line FROM json_each(?) CROSS JOIN team_lesson"
        " ON repository = value ->> 0 AND lesson = value ->> 1",
        (json.dumps(list(lessons)),),
    ).fetchall()
    found = cast("list[tuple[str, str, str]]", rows)
    return {(repository, lesson): record for repository, lesson, line in found if (record := _record(lesson, line))}


def known_lesson(con: apsw.Connection, repository: str, lesson: str) -> Record | None:
    return _known(con, [(repository, lesson)]).get((repository, lesson))


def waiting_lessons(con: apsw.Connection) -> Waiting | None:
    """The next lessons that are not in the cases yet: of one repository and one member, at most `APPLY`."""
    return _first_waiting(con.execute(_NEXT, (f"{MERGES}*", APPLY)))


_NEXT: Final = (
    f"WITH one AS MATERIALIZED (SELECT repository, decided_by FROM team_lesson WHERE {_WAITS}"
    " ORDER BY repository, decided_by LIMIT 1),"
    " many AS (SELECT t.rowid AS number FROM one CROSS JOIN team_lesson t ON t.repository = one.repository"
    f" AND t.decided_by = one.decided_by WHERE {_WAITS} LIMIT 20 * ?2)"
    " SELECT repository, decided_by, lesson, line FROM team_lesson"
    " WHERE rowid IN (SELECT number FROM many ORDER BY number LIMIT ?2) ORDER BY rowid"
)
"""In the order in which they arrived, as far as that needs no look at more than some batches: in the order of their
random ids, each batch wrote most of the table again."""


def waiting_for(con: apsw.Connection, marks: Sequence[str]) -> Waiting | None:
    """Like `waiting_lessons`, of errors with these fingerprints."""
    rows = con.execute(
        "SELECT repository, decided_by, lesson, line FROM team_lesson WHERE waits AND (repository, lesson) IN"
        " (SELECT repository, lesson FROM team_mark WHERE mark IN (SELECT value FROM json_each(?)))"
        " ORDER BY repository, decided_by, lesson",
        (json.dumps(marks),),
    )
    return _first_waiting(rows)


def _first_waiting(rows: Iterable[tuple[object, ...]]) -> Waiting | None:
    """The lessons of the first repository and the member who decided on it first."""
    first: tuple[str, str] | None = None
    lines: dict[str, str] = {}
    size = 0
    for repository, decided_by, lesson, line in cast("Iterable[tuple[str, str, str, str]]", rows):
        first = first or (repository, decided_by)
        if first != (repository, decided_by) or size >= _APPLY_SIZE:
            break
        lines[lesson] = line
        size += len(line)
    return None if first is None else Waiting(*first, lines)


def forget_marks(con: apsw.Connection) -> None:
    """Empty the index of what waits, inside the caller's transaction, unless a lesson waits."""
    con.execute(f"DELETE FROM team_mark WHERE NOT EXISTS (SELECT 1 FROM team_lesson WHERE {_WAITS})", (f"{MERGES}*",))


def records_of(waiting: Waiting) -> dict[str, Record]:
    """The lessons that wait, decoded."""
    return {id_: record for id_, line in waiting.lines.items() if (record := _record(id_, line))}


def mark_applied(con: apsw.Connection, waiting: Waiting) -> None:
    """Note that these lessons are in the cases, unless they changed meanwhile. Inside the caller's transaction."""
    con.executemany(
        "UPDATE team_lesson SET waits = 0 WHERE repository = ? AND lesson = ? AND line = ?",
        [(waiting.repository, lesson, line) for lesson, line in waiting.lines.items()],
    )


class Line(NamedTuple):
    """One merge of the team as it is known here, and who decided so last."""

    repository: str
    lesson: str
    line: str
    decided_by: str
    record: Record


def merge_lines(con: apsw.Connection, repository: str | None = None) -> list[Line]:
    """The merges of a repository that are in the cases; without one those of every repository that are not yet."""
    which = "waits" if repository is None else "NOT waits AND repository = ?2"
    rows = con.execute(
        "SELECT repository, lesson, line, decided_by FROM team_lesson"
        f" WHERE {which} AND lesson >= ?1 AND lesson < ?1 || char(1114111)",
        (MERGES,) if repository is None else (MERGES, repository),
    ).fetchall()
    found = cast("list[tuple[str, str, str, str]]", rows)
    return [Line(*row, record) for row in found if (record := _record(row[1], row[2]))]


def mark_line(con: apsw.Connection, one: Line) -> None:
    """Note that a merge is in the cases, unless it changed meanwhile. Inside the caller's transaction."""
    mark_applied(con, Waiting(one.repository, one.decided_by, {one.lesson: one.line}))


def read_new_kinds(store: Store) -> None:
    """Read the log again from its start where an older casebook left out events that this one knows."""
    with store.transaction() as con:
        row = con.execute("SELECT value FROM meta WHERE key = 'team_kinds'").fetchone()
        if row is None or row[0] != _KINDS:
            con.execute("INSERT OR REPLACE INTO meta(key, value) VALUES ('team_kinds', ?)", (_KINDS,))
            con.execute("UPDATE team_server SET seq = 0, hash = x''")


def put(
    con: apsw.Connection, repository: str, lesson: str, record: Record, fix_id: int | None, *, waits: bool = False
) -> None:
    """Decide on a lesson here: it is known at once, and waits in the outbox. Inside the caller's transaction. `waits`:
    the decision is not noted in the fix of the lesson."""
    shared = MERGE if lesson.startswith(MERGES) else LESSON
    kind, time = (WITHDRAWAL, record.withdrawn) if record.is_withdrawn else (shared, record.shared)
    learn(con, [Decision(repository, lesson, record, "you")], waits=waits or record.is_withdrawn)
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
    line: str


def last_decisions(con: apsw.Connection) -> list[LastDecision]:
    """The newest decision made here on each lesson."""
    rows = con.execute(
        "SELECT repository, lesson, kind, fix_id, line FROM team_outbox WHERE number IN"
        " (SELECT max(number) FROM team_outbox GROUP BY repository, lesson)"
    ).fetchall()
    return [LastDecision(*cast("tuple[str, str, str, int | None, str]", row)) for row in rows]
