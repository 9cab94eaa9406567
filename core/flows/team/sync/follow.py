"""Keep a casebook in step with its team in the background: for the workbench and the hook host.

The server announces what is new. What is decided here is seen by the casebook's files. Nothing waits for it: between
two looks no transaction is open, neither here nor on the server.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final, cast

import apsw

from core.base.fault import Fault
from core.flows.team.sync.mark import is_marked, set_mark, turn
from core.flows.team.sync.replica import Replica, replica_of, team_line, unindexed_count, waiting_count
from core.flows.team.sync.session import note_fault, sync_on
from core.store import faults, open_store
from core.team.postgres.log import announced, listen
from core.team.postgres.server import connected
from core.team.postgres.server import faults as server_faults

if TYPE_CHECKING:
    from core.team.postgres.server import Session

Pause = Callable[[float], object]
Say = Callable[[str], object]

LOOK_S: Final = 0.3
"""Seconds between two looks at the casebook's files and at what the server announced."""
_FIRST_S: Final = 2.0
_LONGEST_S: Final = 60.0
"""Seconds to the next try after a failed one: twice as long each time, until a connection was held for a while."""
_HELD_S: Final = 2 * _LONGEST_S
_OTHERS_S: Final = 3.0


def follow(database: Path, pause: Pause, say: Say, log: Say = lambda _: None) -> None:
    """Stay in step until the casebook is in no team; `pause` waits so many seconds, and may raise to end it.

    `say` receives the state in few words whenever it changed, `log` each new failure once.
    """
    wait = _FIRST_S
    line = _Line(database, say)
    while is_marked(database):
        began = monotonic()
        with turn(database) as ours:
            try:
                if ours:
                    _stay(database, pause, line)
                    set_mark(database, there=_replica(database) is not None)
                    continue
                wait = _OTHERS_S
            except Fault as fault:
                _note(database, fault, log)
                wait = _FIRST_S if monotonic() - began > _HELD_S else min(_LONGEST_S, wait * 2)
        line.tell()
        pause(wait)
    line.tell()


class _Line:
    """Tells the state of the team when it changed."""

    def __init__(self, database: Path, say: Say) -> None:
        self._database = database
        self._say = say
        self._last = ""

    def tell(self) -> None:
        try:
            with open_store(self._database) as store:
                now = team_line(store.con)
        except Fault:
            return
        if now != self._last:
            self._last = now
            self._say(now)


def _note(database: Path, fault: Fault, log: Say) -> None:
    try:
        with open_store(database, write=True) as store:
            news = note_fault(store, f"{fault.message}. {fault.hint}")
    except Fault:
        return  # the casebook itself is the trouble
    if news:
        log(fault.message)


def _stay(database: Path, pause: Pause, line: _Line) -> None:
    """Sync on one connection after each announcement and each decision. Ends where the team was left."""
    replica = _replica(database)
    if replica is None:
        return
    with connected(replica.address) as con, server_faults(replica.address, replica.team):
        listen(con, replica.team)
        due, seen = True, None
        while True:
            stamp = _stamp(database)
            if due or stamp != seen:
                if not _look(database, replica, con, line.tell, due=due):
                    return
                line.tell()
                seen = stamp
            pause(LOOK_S)
            due = announced(con, 0)


def _replica(database: Path) -> Replica | None:
    with open_store(database) as store, faults(database):
        return replica_of(store.con)


def _look(database: Path, before: Replica, con: Session, tell: Callable[[], object], *, due: bool) -> bool:
    """One round, if there is something to do; whether the casebook is still in that team."""
    with open_store(database, write=True) as store, faults(database):
        now = replica_of(store.con)
        if now is None or (now.address, now.team) != (before.address, before.team):
            return False
        changed = _journaled(store.con) != now.journaled
        if due or changed or waiting_count(store.con) or unindexed_count(store.con) or now.fault:
            sync_on(store, con, gather=due or changed, tell=tell)
    return True


def _journaled(con: apsw.Connection) -> int:
    row = con.execute("SELECT coalesce(max(id), 0) FROM journal").fetchone()
    return cast("int", row[0]) if row else 0


def _stamp(database: Path) -> tuple[tuple[int, int] | None, ...]:
    """How the files of the casebook look from outside."""
    return tuple(map(_size_and_time, (database, database.with_name(f"{database.name}-wal"))))


def _size_and_time(path: Path) -> tuple[int, int] | None:
    try:
        info = path.stat()
    except OSError:
        return None
    return info.st_size, info.st_mtime_ns
