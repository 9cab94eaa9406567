"""Make a team on a server, join it, look at it, leave it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, cast

from core.base.fault import Fault
from core.flows.team.collect import replaced_fixes
from core.flows.team.place import TeamPlace, mark_known, person_of, place_of
from core.flows.team.sync.holding import forget_held
from core.flows.team.sync.mark import set_mark
from core.flows.team.sync.replica import (
    MERGES,
    replica_of,
    require_replica,
    team_line,
    unindexed_count,
    waiting_count,
)
from core.store import Store
from core.team.postgres.log import MERGE, check_position, read_all
from core.team.postgres.schema import TEAM, VERSION, Membership, create_team, membership, role_name
from core.team.postgres.server import checked_url, connected, faults, place_of_server
from core.team.privacy import leaks

_MACHINE: Final = 64
_OWN_MERGES: Final = f"SELECT 'team_merge:' || repository || char(0) || lesson FROM team_outbox WHERE kind = '{MERGE}'"


@dataclass(frozen=True, slots=True)
class TeamMade:
    """A team on a server (`team_made.v1`). `server`: its place without login; `grant`: the role that makes a member."""

    SCHEMA: ClassVar[str] = "team_made.v1"

    team: str
    server: str
    login: str
    grant: str
    tables: int


@dataclass(frozen=True, slots=True)
class TeamJoined:
    """A casebook in a team (`team_joined.v1`). `projects`: repositories whose fixes leave."""

    SCHEMA: ClassVar[str] = "team_joined.v1"

    team: str
    server: str
    login: str
    role: str
    machine: str
    projects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TeamStatus:
    """The team of a casebook (`team_status.v1`).

    `seq`: the last event read here, `server_seq` on the server, null where it was not asked or did not answer;
    `waiting`: decisions to send; `unindexed`: lessons that were received and are not in the cases yet; `synced`: the
    time of the last round, '' for none; `fault`: why the last try, or the look at the server, failed. `verified`:
    events whose hashes were checked, null for none. `replaced`: cases in which the team replaced a fix written here.
    """

    SCHEMA: ClassVar[str] = "team_status.v1"

    team: str
    state: str
    server: str
    login: str
    role: str
    machine: str
    projects: tuple[str, ...]
    lessons: tuple[str, ...]
    seq: int
    server_seq: int | None
    waiting: int
    synced: str
    fault: str
    verified: int | None
    unindexed: int
    replaced: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TeamLeft:
    """What leaving a team dropped (`team_left.v1`): decisions that were never sent. The fixes of the team stay."""

    SCHEMA: ClassVar[str] = "team_left.v1"

    team: str
    unsent: int


def make_team(url: str, team: str) -> TeamMade:
    """Bring the tables of a server up to date, and make a team there; by default it has the name of the database."""
    checked_url(url)
    with connected(url) as con, faults(url, team):
        name = team or con.info.dbname.lower().replace("-", "_")
        if not team and not TEAM.fullmatch(name):
            raise Fault("invalid_input", f"{name!r} is not the name of a team", "pass a name with --team NAME")
        held = create_team(con, name)
    return TeamMade(name, place_of_server(url), held.login, role_name(name, "member"), VERSION)


def look_at_team(url: str, team: str) -> Membership:
    """What the login of an address may do in a team."""
    checked_url(url)
    with connected(url) as con, faults(url, team):
        return membership(con, team)


def places_of(folders: Sequence[str]) -> tuple[TeamPlace, ...]:
    """The repositories of these folders; without any that of the current folder, if there is one."""
    try:
        places = tuple(place_of(Path(folder)) for folder in folders or (".",))
    except Fault:
        if folders:
            raise
        return ()
    for one in places:
        if Path(one.repository).is_absolute() and (found := leaks([one.repository], person_of(one))):
            message = f"{one.root} has no remote, and its path contains {', '.join(found)}"
            raise Fault("invalid_input", message, "to name the repository, run: git remote add origin URL")
    return places


def join_team(store: Store, url: str, held: Membership, places: Sequence[TeamPlace], machine: str = "") -> TeamJoined:
    """Record the team and the repositories to share. Joining again adds repositories. Raises Fault where the casebook
    is in another team."""
    if len(machine) > _MACHINE:
        raise Fault("invalid_input", "the name of the machine is too long", f"use at most {_MACHINE} characters")
    with store.transaction() as con:
        before = replica_of(con)
        if before is not None and before.team != held.team:
            raise Fault(
                "invalid_input",
                f"this casebook has already joined team {before.team}",
                "to leave it, run: casebook team leave",
            )
        if before is None:
            con.execute(
                "INSERT INTO team_server(one, address, team, login, role, machine) VALUES (1, ?, ?, ?, ?, ?)",
                (url, held.team, held.login, held.role, machine or secrets.token_hex(4)),
            )
        else:
            con.execute("UPDATE team_server SET address = ?, login = ?, journaled = -1", (url, held.login))
        for place in places:
            con.execute("INSERT OR REPLACE INTO team_project VALUES (?, ?)", (place.repository, str(place.root)))
            mark_known(con, place, None)  # what is searched in its folder is searched in its repository
        replica = require_replica(store)
    set_mark(store.path)
    server = place_of_server(url)
    return TeamJoined(held.team, server, held.login, held.role, replica.machine, _projects(store))


def _projects(store: Store) -> tuple[str, ...]:
    rows = store.con.execute("SELECT repository FROM team_project ORDER BY repository").fetchall()
    return tuple(cast("str", row[0]) for row in rows)


def team_status(store: Store, *, ask: bool = True, verify: bool = False) -> TeamStatus:
    """The team of a casebook. `ask`: also how far the server is; `verify`: check the hashes of its whole log. Where
    that fails, `fault` says why. Raises Fault without a team."""
    replica = require_replica(store)
    set_mark(store.path)
    server_seq = verified = None
    fault = replica.fault
    if ask or verify:
        try:
            with connected(replica.address) as con, faults(replica.address, replica.team):
                membership(con, replica.team, joined=True)
                server_seq = check_position(con, replica.team, replica.position).seq
                verified = sum(1 for _ in read_all(con, replica.team)) if verify else None
            fault = ""
        except Fault as found:
            fault = f"{found.message}. {found.hint}"
    rows = store.con.execute(
        "SELECT DISTINCT lesson FROM team_lesson WHERE lesson NOT GLOB ? ORDER BY lesson", (f"{MERGES}*",)
    ).fetchall()
    return TeamStatus(
        replica.team, team_line(store.con), place_of_server(replica.address), replica.login, replica.role,
        replica.machine, _projects(store), tuple(cast("str", row[0]) for row in rows), replica.position.seq, server_seq,
        waiting_count(store.con), replica.synced, fault, verified, unindexed_count(store.con),
        tuple(one.case_id for one in replaced_fixes(store.con)),
    )  # fmt: skip


def leave_team(store: Store) -> TeamLeft:
    """Forget the server and what waits to be sent. What the team taught stays in the cases. Asks no server."""
    replica = require_replica(store)
    with store.transaction() as con:
        unsent = waiting_count(con)
        con.execute(f"DELETE FROM meta WHERE key IN ({_OWN_MERGES})")  # those of others stay known as theirs
        for table in ("team_server", "team_project", "team_lesson", "team_mark", "team_outbox"):
            con.execute(f"DELETE FROM {table}")
        forget_held(con)
    set_mark(store.path, there=False)
    return TeamLeft(replica.team, unsent)
