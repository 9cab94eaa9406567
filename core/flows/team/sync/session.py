"""One round with the server: read what is new, take it over, send what waits, read that too."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final

from core.base.fault import Fault
from core.flows.system.parallel import calm_garbage
from core.flows.team.export import LeftOut
from core.flows.team.importing import Kept
from core.flows.team.sync.mark import note_contact, set_mark
from core.flows.team.sync.merges import take_merges
from core.flows.team.sync.received import places_of_team, take_waiting
from core.flows.team.sync.replica import (
    APPLY,
    Replica,
    fold,
    forget_marks,
    mark_sent,
    outbox,
    read_new_kinds,
    require_replica,
    send_again,
    waiting_count,
    waiting_lessons,
)
from core.flows.team.sync.sharing import collect, find_lessons, withdraw
from core.store import Store, now
from core.team.postgres.log import (
    BrokenLog,
    Position,
    append,
    check_position,
    head,
    pull,
    raise_epoch,
)
from core.team.postgres.schema import Membership, membership, newer_line
from core.team.postgres.server import connected, faults

if TYPE_CHECKING:
    from core.team.postgres.server import Session

_YIELD_S: Final = 0.05
"""Seconds after each `APPLY` lessons that are taken over, so that another writer gets its turn."""


@dataclass(frozen=True, slots=True)
class TeamSync:
    """What a round with the server did (`team_sync.v1`).

    `received`: events read that others sent or that were read again; `sent`: decisions; `waiting`: decisions that stay
    here, with the reason in `note`. `kept`: lessons about which this casebook decided otherwise. `unread`: events that
    this version cannot read. `healed`: the server had lost events, and they were sent again.
    """

    SCHEMA: ClassVar[str] = "team_sync.v1"

    team: str
    seq: int
    received: int
    added: int
    changed: int
    withdrawn: int
    sent: int
    waiting: int
    kept: tuple[Kept, ...]
    left_out: tuple[LeftOut, ...]
    unread: int
    healed: bool
    note: str


@dataclass(slots=True)
class _Round:
    """A round while it runs."""

    store: Store
    con: Session
    replica: Replica
    received: int = 0
    added: int = 0
    changed: int = 0
    withdrawn: int = 0
    sent: int = 0
    unread: int = 0
    healed: bool = False
    kept: tuple[Kept, ...] = ()
    tell: Callable[[], object] = lambda: None

    def meet(self, *, again: bool) -> None:
        """Check that the log continues what was read. A raised epoch is healed, `again` heals what is broken."""
        team, position = self.replica.team, self.replica.position
        try:
            end = check_position(self.con, team, position)
        except BrokenLog:
            behind = position.epoch - head(self.con, team).epoch
            if not again and behind >= 0:
                raise
            # Backups keep an older epoch: it rises above that of every casebook which was in step with this one.
            for _ in range(max(behind, 0) + 1 if self.replica.role != "reader" else 0):
                raise_epoch(self.con, team, position)
            self._send_again(head(self.con, team), from_start=True)
            return
        if again or end.epoch != position.epoch:
            self._send_again(end, from_start=again)

    def _send_again(self, end: Position, *, from_start: bool) -> None:
        with self.store.transaction() as con:
            send_again(con, end.epoch, from_start=from_start)
        self.healed = True

    def receive(self) -> None:
        """Read the log to its end, and take over what it says. A search finds what was read by its error at once."""
        at = require_replica(self.store).position
        while events := pull(self.con, self.replica.team, at):
            at, unread = fold(self.store, at, events)
            self.received += len(events)
            self.unread += unread
        self.take_over()

    def take_over(self) -> None:
        """Bring the cases up to date with the folded log, one change in the history for each member and repository."""
        places, count, paused = places_of_team(self.store), 0, 0
        while waiting := waiting_lessons(self.store.con):
            done = take_waiting(self.store, waiting, places)
            count += len(waiting.lines)
            self.added, self.changed = self.added + done.added, self.changed + done.changed
            self.withdrawn += done.withdrawn
            self.kept += done.kept
            if count - paused >= APPLY:
                paused = count
                self.tell()
                time.sleep(_YIELD_S)
        if count:
            with self.store.transaction() as con:
                forget_marks(con)
        self.changed += take_merges(self.store)

    def send(self) -> None:
        """Send what waits, each part in one transaction of the server."""
        while drafts := outbox(self.store.con):
            append(self.con, self.replica.team, self.replica.machine, drafts)
            with self.store.transaction() as con:
                mark_sent(con, drafts)
            self.sent += len(drafts)


def sync(store: Store, *, restore: Sequence[str] = (), withdrawn: Sequence[str] = (), again: bool = False) -> TeamSync:
    """One round on a connection of its own. `withdrawn`, `restore`: lessons to decide on first; `again`: read the whole
    log again and send what it lost. Raises Fault; Offline where the server cannot be reached."""
    replica = require_replica(store)
    store.require_write()
    set_mark(store.path)
    withdraw_lessons(store, withdrawn)
    ids = frozenset(find_lessons(store.con, restore))
    try:
        with calm_garbage(), connected(replica.address) as con, faults(replica.address, replica.team):
            return sync_on(store, con, restore=ids, again=again)
    except Fault as fault:
        note_fault(store, f"{fault.message}. {fault.hint}")
        raise


def sync_on(
    store: Store,
    con: Session,
    *,
    restore: Collection[str] = (),
    again: bool = False,
    gather: bool = True,
    tell: Callable[[], object] = lambda: None,
) -> TeamSync:
    """One round on an open connection. `gather`: look for what changed in the fixes here. `tell` is called after each
    `APPLY` lessons that were taken over."""
    read_new_kinds(store)
    replica = require_replica(store)
    held = membership(con, replica.team, joined=True)
    note_contact(store.path, answered=True)
    done = _Round(store, con, replace(replica, role=held.role), tell=tell)
    done.meet(again=again)
    done.receive()
    left_out = collect(store, restore) if gather and held.can_share else ()
    done.take_over()  # what was withdrawn here
    if held.can_share:
        done.send()
        own, done.received = done.received, 0
        done.receive()
        done.received = own
    with store.transaction() as local:
        local.execute(
            "UPDATE team_server SET synced = ?, fault = '', role = ?, login = ?", (now(), held.role, held.login)
        )
    at, waits = require_replica(store).position, waiting_count(store.con)
    return TeamSync(
        replica.team, at.seq, done.received, done.added, done.changed, done.withdrawn, done.sent, waits, done.kept,
        left_out, done.unread, done.healed, _note(held, done.unread),
    )  # fmt: skip


def _note(held: Membership, unread: int) -> str:
    if held.newer or unread:
        return newer_line()
    return "your role in this team is reader, so casebook only receives lessons" if held.role == "reader" else ""


def withdraw_lessons(store: Store, given: Sequence[str]) -> None:
    """Withdraw lessons of the team, wherever they came from. Raises Fault where one is unknown."""
    if given:
        with store.transaction() as con:
            for lesson, repositories in find_lessons(con, given).items():
                for repository in repositories:
                    withdraw(con, repository, lesson)


def note_fault(store: Store, text: str) -> bool:
    """Remember why a round failed; whether that is news."""
    with store.transaction() as con:
        row = con.execute("SELECT fault FROM team_server").fetchone()
        con.execute("UPDATE team_server SET fault = ?", (text,))
    return row is not None and row[0] != text
