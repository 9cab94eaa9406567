"""The log of a team: events appended in one transaction, read by number, and checked against their hashes.

An event holds what a line of a lessons file holds. Its text may be gone: a later withdrawal deletes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from core.base.fault import Fault

if TYPE_CHECKING:
    from core.team.postgres.server import Session

LESSON: Final = "lesson"
WITHDRAWAL: Final = "withdrawal"
MERGE: Final = "merge"
PAGE: Final = 2_000
"""Events read at once, at most."""
PAGE_BYTES: Final = 4_000_000
"""Bytes of text after which a page ends."""
HEALS: Final = "to read the log again and send lost events, run: casebook team sync --again"


class Position(NamedTuple):
    """Where a casebook is in the log: the number, hash and epoch of the last event it read."""

    seq: int = 0
    hash: bytes = b""
    epoch: int = 1


class Draft(NamedTuple):
    """A decision that waits to be sent. `time`: when the lesson was shared or withdrawn; `line`: as in a lessons
    file."""

    id: str
    kind: str
    project: str
    lesson: str
    time: str
    line: str


@dataclass(frozen=True, slots=True)
class Event:
    """A row of the log. `line` is None where the text was deleted by a withdrawal; `payload` is its hash."""

    seq: int
    epoch: int
    id: str
    kind: str
    actor: str
    machine: str
    project: str
    lesson: str
    time: str
    payload: bytes
    at: str
    hash: bytes
    line: str | None

    def hash_after(self, before: bytes) -> bytes:
        """What the row's hash must be."""
        fields = (
            str(self.seq), str(self.epoch), self.id, self.kind, self.actor, self.machine, self.project, self.lesson,
            self.time, self.payload.hex(), self.at,
        )  # fmt: skip
        raw = [field.encode() for field in fields]
        return hashlib.sha256(before + b"".join(b"%d:%s" % (len(one), one) for one in raw)).digest()


class BrokenLog(Fault):
    """The log is not the one that was read before: a gap, a wrong hash, or an older state of the server."""


def append(con: Session, team: str, machine: str, drafts: Sequence[Draft]) -> None:
    """Send decisions in one transaction; those that are there already are skipped."""
    if not drafts:
        return
    columns = [list(column) for column in zip(*drafts, strict=True)]
    con.execute(
        "SELECT casebook.append(%s, %s, %s::uuid[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])",
        (team, machine, *columns),
    )


def head(con: Session, team: str) -> Position:
    """The end of the log."""
    row = con.execute("SELECT seq, hash, epoch FROM casebook.team_head WHERE team = %s", (team,)).fetchone()
    if row is None:
        raise Fault("not_indexed", f"your login has no team {team}", "run: casebook team status")
    return Position(*row)


def check_position(con: Session, team: str, position: Position) -> Position:
    """The end of the log, if it continues what was read up to `position`. Raises BrokenLog."""
    end = head(con, team)
    if position.seq == 0:
        return end
    if end.seq < position.seq:
        ends = f"the log of team {team} ends at event {end.seq:,}, but this casebook has read event {position.seq:,}"
        message = f"{ends}: the team's log was restored from a backup"
        raise BrokenLog("io_error", message, HEALS)
    row = con.execute(
        "SELECT hash FROM casebook.team_event WHERE team = %s AND seq = %s", (team, position.seq)
    ).fetchone()
    if row is None or row[0] != position.hash:
        what = "is missing from" if row is None else "was rewritten in"
        raise BrokenLog("io_error", f"event {position.seq:,} {what} the log of team {team}", HEALS)
    return end


_EVENTS: Final = b"""
  SELECT seq, epoch, id, kind, actor, machine, project, lesson, time, payload, at, hash, body FROM (
    SELECT *, sum(octet_length(body)) OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM (
      SELECT e.seq, e.epoch, e.id::text AS id, e.kind, e.actor, e.machine, e.project, e.lesson, e.time, e.payload,
        to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, e.hash,
        (SELECT p.body FROM casebook.team_payload p WHERE p.team = e.team AND p.hash = e.payload) AS body
      FROM casebook.team_event e WHERE e.team = %s AND e.seq > %s ORDER BY e.seq LIMIT %s) page) summed
  WHERE coalesce(before, 0) < %s ORDER BY seq
"""
"""The texts of a page are looked up row by row: a join reads every text of the team where the server has no statistics
yet. The time is `casebook.time_text`, which PostgreSQL cannot put in line."""


def pull(con: Session, team: str, position: Position, limit: int = PAGE) -> list[Event]:
    """The next events behind a position, each checked. Raises BrokenLog at a gap or a wrong hash; then none counts."""
    events = [Event(*row) for row in con.execute(_EVENTS, (team, position.seq, limit, PAGE_BYTES)).fetchall()]
    check_chain(team, position, events)
    return events


def check_chain(team: str, position: Position, events: Iterable[Event]) -> None:
    """Raise BrokenLog unless each event continues the one before, the first one `position`."""
    seq, before = position.seq, position.hash
    for one in events:
        if one.seq != seq + 1:
            raise BrokenLog("io_error", f"event {seq + 1:,} is missing from the log of team {team}", HEALS)
        if one.hash != one.hash_after(before):
            raise BrokenLog("io_error", f"event {one.seq:,} of team {team} has a wrong hash", HEALS)
        if one.line is not None and one.payload != hashlib.sha256(f"{one.project}\n{one.line}".encode()).digest():
            raise BrokenLog("io_error", f"the text of event {one.seq:,} of team {team} was changed", HEALS)
        seq, before = one.seq, one.hash


def read_all(con: Session, team: str) -> Iterator[Event]:
    """The whole log, checked; its end must be what the head says. Raises BrokenLog."""
    at = Position()
    with con.transaction():
        con.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        end = head(con, team)
        while events := pull(con, team, at):
            yield from events
            at = after(events)
        if (at.seq, at.hash) != (end.seq, end.hash):
            raise BrokenLog("io_error", f"the log of team {team} ends at {at.seq:,} of {end.seq:,} events", HEALS)


def after(events: Sequence[Event]) -> Position:
    """The position behind the last of these events."""
    last = events[-1]
    return Position(last.seq, last.hash, last.epoch)


def raise_epoch(con: Session, team: str, position: Position) -> None:
    """Tell the team that the log lost what was read up to a position, unless it holds that event."""
    con.execute("SELECT casebook.raise_epoch(%s, %s, %s)", (team, position.seq, position.hash))


def listen(con: Session, team: str) -> None:
    """Have the server announce new events on this connection."""
    con.execute(f"LISTEN casebook_{team}".encode())


def announced(con: Session, seconds: float) -> bool:
    """Whether the server announced an event within so many seconds."""
    found: list[Any] = list(con.notifies(timeout=seconds, stop_after=1))
    return bool(found)
