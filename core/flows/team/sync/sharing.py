"""What leaves for a team's server: the verified fixes of the chosen repositories, and withdrawals."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, cast

import apsw

from core.base.fault import Fault
from core.base.wire import canonical
from core.errors.cases.derived import TEAM
from core.flows.team.collect import origin_of
from core.flows.team.export import LeavingLesson, LeftOut, PlannedLessons, plan_lessons
from core.flows.team.importing import REJECTED_TEXT
from core.flows.team.place import TeamPlace, person_of
from core.flows.team.sync.merges import note_own, with_merges
from core.flows.team.sync.replica import (
    known_lesson,
    known_lessons,
    last_decisions,
    projects_of,
    put,
    require_replica,
)
from core.store import Store, after, faults, now
from core.team.lessons_file import Record, Stamped, line_of
from core.team.postgres.log import LESSON, WITHDRAWAL
from core.team.privacy import cleaned, leaks

_SHORTEST_ID: Final = 4
_LATER: Final = "the team has a newer version of this lesson. To share yours, edit case {} again"


@dataclass(frozen=True, slots=True)
class ProjectPreview:
    """What would leave of one repository: every lesson with every field."""

    repository: str
    lessons: tuple[LeavingLesson, ...]
    unchanged: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class TeamServerPreview:
    """What the next `team sync` would send (`team_server_preview.v1`)."""

    SCHEMA: ClassVar[str] = "team_server_preview.v1"

    team: str
    projects: tuple[ProjectPreview, ...]


def preview_projects(store: Store, places: Sequence[TeamPlace]) -> tuple[ProjectPreview, ...]:
    """What would leave of these repositories, field by field. Writes nothing."""
    return tuple(_preview(place, planned) for place, planned in _planned(store, places))


def preview_team(store: Store) -> TeamServerPreview:
    """What would leave of the repositories of the team. Raises Fault without a team."""
    replica = require_replica(store)
    return TeamServerPreview(replica.team, preview_projects(store, projects_of(store.con)))


def _preview(place: TeamPlace, planned: PlannedLessons) -> ProjectPreview:
    return ProjectPreview(place.repository, planned.leaving, planned.unchanged, planned.left_out)


def _planned(
    store: Store, places: Sequence[TeamPlace], again: Collection[str] = ()
) -> Iterator[tuple[TeamPlace, PlannedLessons]]:
    for place in places:
        with faults(store.path):
            known = known_lessons(store.con, place.repository)
            planned = plan_lessons(store.con, place, known, again=again, later=_LATER, command="sync")
            yield place, with_merges(store, place, known, _with_verdicts(store.con, place, planned))


def _with_verdicts(con: apsw.Connection, place: TeamPlace, planned: PlannedLessons) -> PlannedLessons:
    """A plan with what a person here decided on the team's own fixes: those that they rejected, or verified again."""
    person, records = person_of(place), dict(planned.records)
    again = json.dumps([id_ for id_, one in records.items() if one.is_rejected])
    leaving: list[LeavingLesson] = []
    for fix_id, case_id, status, reason, original in cast(
        "list[tuple[int, int, str, str, str]]", con.execute(_VERDICTS, (REJECTED_TEXT, again)).fetchall()
    ):
        origin = origin_of(TEAM, original)
        old = None if origin is None or origin.repository != place.repository else records.get(origin.id)
        if origin is None or old is None or old.is_withdrawn or old.is_rejected == (status == "rejected"):
            continue
        shared_reason = cleaned(reason, person) if status == "rejected" else None
        shared_reason = "" if shared_reason is None or leaks([shared_reason], person) else shared_reason
        time = after(old.latest(), now())
        stamped = Stamped(time, canonical(shared_reason if status == "rejected" else None))
        records[origin.id] = old._replace(fields={**old.fields, "rejected": stamped})
        leaving.append(LeavingLesson(origin.id, "change", case_id, fix_id, records[origin.id].values(), _VERDICT))
    return planned._replace(records=records, leaving=(*planned.leaving, *leaving))


def _is_of_team(con: apsw.Connection, fix_id: int | None) -> bool:
    row = con.execute("SELECT author FROM resolution WHERE id = ?", (fix_id,)).fetchone()
    return row is not None and row[0] == TEAM


_VERDICT: Final = ("rejected",)
_VERDICTS: Final = (
    "SELECT id, case_id, status, reason, original FROM resolution WHERE author = 'team' AND replaced_by IS NULL"
    " AND ((status = 'rejected' AND reason <> ?1) OR (status = 'verified' AND"
    " iif(json_valid(original), json_extract(original, '$.team.id'), NULL) IN (SELECT value FROM json_each(?2))))"
)


def collect(store: Store, restore: Collection[str] = ()) -> tuple[LeftOut, ...]:
    """Put what changed in the fixes of the team's repositories into the outbox; returns what is left out.

    The fixes are read before the transaction, so that nobody waits: a lesson that changed meanwhile is left for the
    next time. Raises Fault.
    """
    row = store.con.execute("SELECT coalesce(max(id), 0) FROM journal").fetchone()
    places = projects_of(store.con)
    again = {*restore, *_taken_back(store.con)}
    found = list(_planned(store, places, again))
    if missing := {*restore} - {one.id for _, planned in found for one in planned.leaving}:
        message = f"this casebook has no verified fix for lesson {min(missing)}"
        raise Fault("invalid_input", message, "to verify it, run: casebook errors verify ID")
    before = {place.repository: known_lessons(store.con, place.repository) for place, _ in found}
    with store.transaction() as con:
        require_replica(store)  # the team may have been left meanwhile: its next one gets nothing of this
        for place, planned in found:
            for one in planned.leaving:
                if known_lesson(con, place.repository, one.id) == before[place.repository].get(one.id):
                    verdict = one.changed == _VERDICT and _is_of_team(con, one.fix_id)
                    fix_id = None if verdict else one.fix_id
                    put(con, place.repository, one.id, planned.records[one.id], fix_id, waits=verdict)
            note_own(store, place.repository, planned)
        _withdraw_undone(con)
        con.execute("UPDATE team_server SET journaled = ?", (cast("int", row[0]) if row else 0,))
    return tuple(one for _, planned in found for one in planned.left_out)


_VERIFIED: Final = "SELECT status FROM resolution WHERE id = ?"


def _withdraw_undone(con: apsw.Connection) -> None:
    """Withdraw the lessons whose fix, shared from here, is rejected or no longer verified, unless a colleague changed
    them since. A fix that is gone decides nothing: the casebook may have been restored."""
    for one in last_decisions(con):
        if one.kind != LESSON or one.fix_id is None or _status(con, one.fix_id) in ("verified", ""):
            continue
        known = known_lesson(con, one.repository, one.lesson)
        if known is not None and line_of(one.lesson, known) == one.line:
            withdraw(con, one.repository, one.lesson, one.fix_id)


def _taken_back(con: apsw.Connection) -> Iterator[str]:
    """Lessons that were withdrawn because their fix was no longer verified, and are verified again."""
    for one in last_decisions(con):
        if one.kind == WITHDRAWAL and one.fix_id is not None and _status(con, one.fix_id) == "verified":
            yield one.lesson


def _status(con: apsw.Connection, fix_id: int) -> str:
    row = con.execute(_VERIFIED, (fix_id,)).fetchone()
    return "" if row is None else cast("str", row[0])


def withdraw(con: apsw.Connection, repository: str, lesson: str, fix_id: int | None = None) -> None:
    """Withdraw a lesson, inside the caller's transaction; one that is withdrawn stays so."""
    known = known_lesson(con, repository, lesson)
    if known is not None and not known.is_withdrawn:
        put(con, repository, lesson, Record("", after(known.latest(), now()), {}), fix_id)


def find_lessons(con: apsw.Connection, given: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """The lessons of the team that begin like these, each with its repositories. Raises Fault where one names none or
    several."""
    found: dict[str, list[str]] = {}
    for start in given:
        rows = con.execute(
            "SELECT lesson, repository FROM team_lesson WHERE lesson >= ?1 AND lesson < ?1 || char(1114111)", (start,)
        ).fetchall()
        ids = {str(row[0]) for row in rows}
        if len(ids) != 1 or (len(start) < _SHORTEST_ID and start not in ids):
            what = f"the ids of {len(ids)} lessons begin" if len(ids) > 1 else "no lesson has an id that begins"
            raise Fault(
                "invalid_input", f"{what} with {start!r}", "to list the ids, run: casebook team status --verbose"
            )
        found[ids.pop()] = [str(row[1]) for row in rows]
    return found
