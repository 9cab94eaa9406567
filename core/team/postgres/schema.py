"""The tables of a server, brought up to date under an advisory lock, and the roles of a team."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from core.base.fault import Fault
from core.base.installation import installed

if TYPE_CHECKING:
    from core.team.postgres.server import Session

Role = Literal["owner", "member", "reader"]
VERSION: Final = 2
"""The newest version of the tables that this casebook knows."""
TEAM: Final = re.compile(r"[a-z][a-z0-9_]{0,30}")
_LOCK: Final = 0x63617365
"""Key of the advisory lock of migrations ('case')."""
_OLDEST: Final = 150_000


@dataclass(frozen=True, slots=True)
class Membership:
    """What a login may do in a team of a server. `newer`: the server's tables are of a later casebook, so that this
    one reads and does not write."""

    team: str
    role: Role
    login: str
    newer: bool = False

    @property
    def can_share(self) -> bool:
        return self.role != "reader" and not self.newer


def role_name(team: str, role: Role) -> str:
    """The role of the server that a member of the team is granted."""
    return f"casebook_{team}_{role}"


def create_team(con: Session, team: str) -> Membership:
    """Bring the tables up to date and make the team, unless it is there. Several callers may do this at once.

    Raises Fault where the server is too old, the login may not do it, or another database uses the roles.
    """
    if not TEAM.fullmatch(team):
        raise Fault("invalid_input", f"{team!r} is not the name of a team", "use a-z, 0-9 and _, at most 31 characters")
    if con.info.server_version < _OLDEST:
        found = con.info.server_version // 10_000
        raise Fault("invalid_input", f"the server is PostgreSQL {found}", "casebook needs PostgreSQL 15 or newer")
    if (encoding := con.info.parameter_status("server_encoding")) != "UTF8":
        hint = f"create the database with: createdb -T template0 -E UTF8 {con.info.dbname}"
        raise Fault("invalid_input", f"the database has the encoding {encoding}, casebook needs UTF8", hint)
    with con.transaction():
        con.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        _migrate(con)
        if _one(con, "SELECT 1 FROM casebook.team_head WHERE team = %s", team) is None:
            _make(con, team)
    return membership(con, team)


def _migrate(con: Session) -> None:
    scripts = _scripts()
    version = tables_version(con)
    for number in range(version + 1, VERSION + 1):
        con.execute(scripts[number].encode())
        con.execute("INSERT INTO casebook.team_schema (number) VALUES (%s)", (number,))


def _scripts() -> Mapping[int, str]:
    found = (one for one in files("core.team.postgres").iterdir() if one.name.endswith(".sql"))
    return {int(one.name[:4]): one.read_text("utf-8") for one in found}


def tables_version(con: Session) -> int:
    """The version of the server's tables; 0 where there are none."""
    if not _has_tables(con):
        return 0
    return cast("int", _one(con, "SELECT max(number) FROM casebook.team_schema") or 0)


def _has_tables(con: Session) -> bool:
    query = "SELECT 1 FROM pg_tables WHERE schemaname = 'casebook' AND tablename = 'team_schema'"
    return _one(con, query) is not None


def _make(con: Session, team: str) -> None:
    """A team with its roles. Roles are those of all databases of a server, so their names hold the team's."""
    owner, member, reader = (role_name(team, role) for role in ("owner", "member", "reader"))
    if _one(con, "SELECT 1 FROM pg_roles WHERE rolname = ANY(%s)", [owner, member, reader]) is not None:
        message = f"another database on this server already has a team {team}"
        raise Fault("invalid_input", message, "choose another name with --team NAME")
    for statement in (
        f"CREATE ROLE {reader} NOLOGIN",
        f"CREATE ROLE {member} NOLOGIN",
        f"CREATE ROLE {owner} NOLOGIN",
        f"GRANT {reader} TO {member}",
        f"GRANT {member}, {reader} TO {owner} WITH ADMIN OPTION",
        f"GRANT {owner} TO CURRENT_USER",
        f"GRANT USAGE ON SCHEMA casebook TO {reader}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA casebook TO {reader}",
        f"GRANT EXECUTE ON FUNCTION casebook.has_team_role, casebook.time_text, casebook.event_hash TO {reader}",
        f"GRANT EXECUTE ON FUNCTION casebook.append, casebook.raise_epoch TO {member}",
    ):
        con.execute(statement.encode())
    con.execute("INSERT INTO casebook.team_head (team) VALUES (%s)", (team,))
    con.execute("SELECT casebook.grant_cases(%s)", (team,))


def membership(con: Session, team: str = "", *, joined: bool = False) -> Membership:
    """What the login may do in a team; without a name in its only one. `joined`: the casebook is in that team. Raises
    Fault where the login is in none, or the server's tables are older than this casebook."""
    made = _has_tables(con)
    if not made or not _one(con, "SELECT has_schema_privilege('casebook', 'USAGE')"):
        _refuse(con, team, made=made, joined=joined)
    version = tables_version(con)
    if version < VERSION:
        raise Fault(
            "invalid_input", f"the server's tables have version {version}", "ask the owner to run: casebook team init"
        )
    rows = con.execute("SELECT team FROM casebook.team_head WHERE %s IN (team, '') ORDER BY team", (team,)).fetchall()
    if len(rows) != 1:
        if rows:
            named = ", ".join(str(row[0]) for row in rows)
            raise Fault("invalid_input", f"your login is in several teams: {named}", "choose one with --team NAME")
        _refuse(con, team, made=True, joined=joined)
    found = str(rows[0][0])
    roles: tuple[Role, ...] = ("owner", "member")
    held: list[Role] = [one for one in roles if _one(con, "SELECT casebook.has_team_role(%s, %s)", found, one)]
    newer = version > VERSION
    return Membership(found, held[0] if held else "reader", str(_one(con, "SELECT session_user")), newer)


def newer_line() -> str:
    """What to do where the server's tables are of a later casebook."""
    return f"the team uses a newer version of casebook, so yours only receives lessons. Run: {installed().upgrade()}"


def _refuse(con: Session, team: str, *, made: bool, joined: bool) -> None:
    login = str(_one(con, "SELECT session_user"))
    if not made:
        raise Fault("not_indexed", "this database has no team", "ask the owner to run: casebook team init URL")
    named = f"team {team}" if team else "a team of this database"
    hint = f"ask its owner to run: GRANT {role_name(team or 'TEAM', 'member')} TO {login}"
    hint += ". To stop syncing, run: casebook team leave" if joined else ""
    raise Fault("invalid_input", f"{login} is not a member of {named}", hint)


def _one(con: Session, query: str, *values: Any) -> Any:
    row = con.execute(query.encode(), values).fetchone()
    return None if row is None else row[0]
