"""Which lessons of its team a casebook holds. Those of its own repositories always; by default every one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar, Final, cast

import apsw

from core.base.fault import Fault
from core.store import Store
from core.team.lessons_file import Record

_KEY: Final = "team_hold"


@dataclass(frozen=True, slots=True)
class TeamHold:
    """Which lessons of its team a casebook holds (`team_hold.v1`): those of its own repositories, and of these projects
    and tools; `everything`: all. The server is asked for the others."""

    SCHEMA: ClassVar[str] = "team_hold.v1"

    everything: bool
    projects: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    def has(self, con: apsw.Connection, project: str, lesson: str, record: Record) -> bool:
        """Whether a lesson is held. One that is here already is, so that it can change and be withdrawn."""
        if self.everything or project in self.projects or not _tools(record).isdisjoint(self.tools):
            return True
        row = con.execute(
            "SELECT EXISTS (SELECT 1 FROM team_project WHERE repository = ?1)"
            " OR EXISTS (SELECT 1 FROM team_lesson WHERE repository = ?1 AND lesson = ?2)",
            (project, lesson),
        ).fetchone()
        return bool(row and row[0])


def _tools(record: Record) -> set[str]:
    values = record.values()
    errors = cast("list[object]", values.get("errors")) if isinstance(values.get("errors"), list) else []
    named = [values, *(cast("dict[str, object]", one) for one in errors if isinstance(one, dict))]
    return {tool.lower() for one in named if isinstance(tool := one.get("tool"), str)}


def held_lessons(con: apsw.Connection) -> TeamHold:
    """What this casebook holds. Raises apsw errors of the store."""
    row = con.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
    if row is None:
        return TeamHold(everything=True)
    kept = cast("dict[str, list[str]]", json.loads(cast("str", row[0])))
    return TeamHold(False, tuple(kept["projects"]), tuple(kept["tools"]))


def hold_lessons(store: Store, projects: Sequence[str], tools: Sequence[str], *, everything: bool) -> TeamHold:
    """Choose what is held. The next round with the server reads its whole log again. What is here stays here. Raises
    Fault without a team."""
    found = TeamHold(everything, tuple(sorted({*projects})), tuple(sorted({one.lower() for one in tools})))
    with store.transaction() as con:
        if con.execute("SELECT 1 FROM team_server").fetchone() is None:
            raise Fault(
                "not_indexed", "this casebook has not joined a team", "to join a team, run: casebook team join URL"
            )
        forget_held(con)
        if not everything:
            con.execute("INSERT INTO meta(key, value) VALUES (?, ?)", (_KEY, json.dumps(asdict(found))))
        con.execute("UPDATE team_server SET seq = 0, hash = x''")
    return found


def forget_held(con: apsw.Connection) -> None:
    """Hold every lesson again, inside the caller's transaction."""
    con.execute("DELETE FROM meta WHERE key = ?", (_KEY,))
