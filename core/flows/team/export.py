"""What an export would change in a repository's lessons file, shown field by field, and doing it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NamedTuple, cast

import apsw

from core.base.fault import Fault
from core.base.wire import canonical
from core.flows.agent_file import SyncedFile, block_for, refresh_files, synced_files
from core.flows.team.collect import Outgoing, outgoing, seen_versions
from core.flows.team.place import (
    TeamPlace,
    agree,
    file_digest,
    known_digest,
    mark_known,
    person_of,
    raw_bytes,
    read_lessons,
    write_lessons,
)
from core.store import Store, after, faults, now
from core.team.lessons_file import BadLine, LessonsFile, Record, Stamped, line_of, parse
from core.team.privacy import Person, leaks, texts_of

Act = Literal["add", "change", "restore", "withdraw", "unchanged"]
_SHORTEST_ID: Final = 4
_LATER: Final = "the file contains a newer version of this lesson. To write yours, run: casebook team export --case {}"


@dataclass(frozen=True, slots=True)
class FileFault:
    """A line of the lessons file that is no lesson. `kept`: it stays in the file as it is."""

    line: int
    reason: str
    kept: bool


@dataclass(frozen=True, slots=True)
class LeavingLesson:
    """One lesson that an export writes: `fields` is all that leaves of it, `changed` the names of what is new.

    `case_id` and `fix_id` are null for a lesson that this casebook does not have.
    """

    id: str
    act: Act
    case_id: int | None
    fix_id: int | None
    fields: Mapping[str, Any]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A lesson that an export leaves out, and why."""

    id: str
    case_id: int
    reason: str


@dataclass(frozen=True, slots=True)
class TeamPreview:
    """What an export would write (`team_preview.v1`): lessons with every field, and the block of each agent file."""

    SCHEMA: ClassVar[str] = "team_preview.v1"

    path: Path
    repository: str
    lessons: tuple[LeavingLesson, ...]
    unchanged: int
    left_out: tuple[LeftOut, ...]
    bad: tuple[FileFault, ...]
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TeamExport:
    """What an export wrote (`team_export.v1`). `lessons`: in the file now, without withdrawn ones."""

    SCHEMA: ClassVar[str] = "team_export.v1"

    path: Path
    repository: str
    lessons: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    restored: tuple[str, ...]
    withdrawn: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    bad: tuple[FileFault, ...]
    size: int
    written: bool
    blocks: tuple[SyncedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """An export that was worked out and not written. `before`: the bytes of the file that it rests on."""

    place: TeamPlace
    before: bytes | None
    file: LessonsFile
    lessons: tuple[LeavingLesson, ...]
    unchanged: int
    left_out: tuple[LeftOut, ...]
    bad: tuple[BadLine, ...]

    def ids(self, act: Act) -> tuple[str, ...]:
        """The lessons that it does this to."""
        return tuple(one.id for one in self.lessons if one.act == act)


class PlannedLessons(NamedTuple):
    """The lessons of a repository after a plan, and what it changes in them."""

    records: Mapping[str, Record]
    leaving: tuple[LeavingLesson, ...]
    left_out: tuple[LeftOut, ...]
    unchanged: int


def plan_export(store: Store, place: TeamPlace, *, cases: Collection[int] = (), restore: Collection[str] = ()) -> Plan:
    """What an export would do now. `cases`: their verified fixes are shared too; `restore`: withdrawn lessons to share
    again. Raises Fault where the file cannot be read, or an id is unknown."""
    before = raw_bytes(place.file)
    file = read_lessons(place.file) if before is not None else parse(())
    again = {find_id(file, id_) for id_ in restore}
    with faults(store.path):
        planned = plan_lessons(store.con, place, file.records, cases=cases, again=again)
    if missing := again - {one.id for one in planned.leaving}:
        message = f"this casebook has no verified fix for lesson {min(missing)}"
        raise Fault("invalid_input", message, "to verify it, run: casebook errors verify ID")
    new = LessonsFile(planned.records, file.bad, file.kept)
    return Plan(place, before, new, planned.leaving, planned.unchanged, planned.left_out, file.bad)


def plan_lessons(
    con: apsw.Connection,
    place: TeamPlace,
    known: Mapping[str, Record],
    *,
    cases: Collection[int] = (),
    again: Collection[str] = (),
    later: str = _LATER,
    command: str = "export",
) -> PlannedLessons:
    """What the verified fixes of a repository change in the lessons that are `known` of it. `again`: withdrawn ones to
    share again; `later`: why one with a later version is left out; `command`: what shares one again. Raises apsw errors
    of the store."""
    person, ts, seen = person_of(place), now(), seen_versions(con)
    records = dict(known)
    leaving: list[LeavingLesson] = []
    left_out: list[LeftOut] = []
    unchanged = 0
    again = {id_ for id_ in again if id_ in known and known[id_].is_withdrawn}
    for one in outgoing(con, place.names, person, cases, known.keys(), again):
        old = records.get(one.id)
        if one.as_imported and one.id not in again:
            unchanged += old is not None
            continue
        if old is not None and one.ts < seen.get(one.id, "") <= old.latest() and one.case_id not in cases:
            left_out.append(LeftOut(one.id, one.case_id, later.format(one.case_id)))
            continue
        if old is not None and one.ts <= old.withdrawn and old.is_withdrawn and one.id not in again:
            why = f"withdrawn. To share it again, run: casebook team {command} --restore ID"
            left_out.append(LeftOut(one.id, one.case_id, why))
            continue
        read = _leaving(one, old, ts, person=person)
        if isinstance(read, str):
            left_out.append(LeftOut(one.id, one.case_id, read))
        elif read is None:
            unchanged += 1
        else:
            lesson, records[one.id] = read
            leaving.append(lesson)
    return PlannedLessons(records, tuple(leaving), tuple(left_out), unchanged)


def plan_withdrawal(place: TeamPlace, ids: Sequence[str]) -> Plan:
    """The withdrawal of lessons. Raises Fault where an id is not in the file, or the file cannot be read."""
    before = raw_bytes(place.file)
    file = read_lessons(place.file)
    records, gone = dict(file.records), list[LeavingLesson]()
    for id_ in dict.fromkeys(find_id(file, one) for one in ids):
        old = records[id_]
        if not old.is_withdrawn:
            records[id_] = Record("", after(old.latest(), now()), {})
            gone.append(LeavingLesson(id_, "withdraw", None, None, {}, ()))
    return Plan(place, before, LessonsFile(records, file.bad, file.kept), tuple(gone), 0, (), file.bad)


def find_id(file: LessonsFile, given: str) -> str:
    """The one id of the file that begins like this. Raises Fault invalid_input."""
    if given in file.records:
        return given
    same = [id_ for id_ in file.records if id_.startswith(given)] if len(given) >= _SHORTEST_ID else []
    if len(same) != 1:
        what = f"the ids of {len(same)} lessons begin with {given!r}" if same else f"the file has no lesson {given!r}"
        raise Fault("invalid_input", what, "to list the ids, run: casebook team check --verbose")
    return same[0]


def _leaving(
    one: Outgoing, old: Record | None, ts: str, *, person: Person
) -> tuple[LeavingLesson, Record] | str | None:
    """What becomes of a lesson: written, left out with the reason, or None: it is in the file as it is."""
    fields = {name: canonical(value) for name, value in one.fields.items()}
    act: Act = "add"
    if old is not None and old.is_withdrawn:
        act = "restore"
    if old is None or old.is_withdrawn:
        gone = "" if old is None else old.withdrawn
        time = after(gone, ts)
        record = Record(time, gone, {name: Stamped(time, value) for name, value in sorted(fields.items())})
        changed = tuple(record.fields)
    else:
        known = {name: "null" for name in old.fields if name in _FIELDS} | fields  # an emptied field is null
        differing = {name: value for name, value in known.items() if _json_of(old, name) != value}
        if not differing:
            return None
        # Of two edits the later one answers, whoever shares first.
        time = after(old.latest(), one.ts if old.latest() < one.ts < ts else ts)
        record = old._replace(
            fields={**old.fields, **{name: Stamped(time, value) for name, value in differing.items()}}
        )
        act, changed = "change", tuple(sorted(differing))
    values = record.values()
    if found := leaks(texts_of(values), person):
        return f"it contains {', '.join(found)}"
    if unread := parse([line_of(one.id, record).encode()]).bad:
        return unread[0].reason
    return LeavingLesson(one.id, act, one.case_id, one.fix_id, values, changed), record


_FIELDS: Final = frozenset(
    (
        "because", "check", "do", "error", "errors", "key", "not", "rejected", "sandbox", "scope", "system", "tags",
        "text", "tool", "version", "whole", "workaround",
    )
)  # fmt: skip
"""Fields that this version writes; those of a later one are left alone."""


def _json_of(record: Record, name: str) -> str:
    stamped = record.fields.get(name)
    return "null" if stamped is None else stamped.json


def write_plan(store: Store | None, plan: Plan) -> TeamExport:
    """Do what was planned, then bring the blocks of the repository's agent files up to date. Raises Fault."""
    size = 0 if plan.before is None else len(plan.before)
    new = b"".join(plan.file.lines())
    written = new != (plan.before or b"") and (plan.before is not None or bool(new))
    if written:
        size = write_lessons(plan.place, plan.before, plan.file)
    if store is not None and written and _was_known(store, plan):
        with store.transaction() as con:
            mark_known(con, plan.place, plan.file)
    if store is not None:
        with store.transaction() as con:
            agree(con, plan.place)
    blocks = () if store is None else refresh_files(store, str(plan.place.root))
    alive = sum(not one.is_withdrawn for one in plan.file.records.values())
    return TeamExport(
        plan.place.file, plan.place.repository, alive, plan.ids("add"), plan.ids("change"), plan.ids("restore"),
        plan.ids("withdraw"), plan.left_out, file_faults(plan.bad), size, written, blocks,
    )  # fmt: skip


def _was_known(store: Store, plan: Plan) -> bool:
    """Whether all that the file held before is in the casebook: then it need not be imported for what we added."""
    if plan.before is None:
        return True
    before = parse(plan.before.splitlines(keepends=True))
    return file_digest(before) == known_digest(store.con, str(plan.place.file))


def preview(store: Store, plan: Plan) -> TeamPreview:
    inside = [(path, budget) for path, budget in synced_files(store) if path.is_relative_to(plan.place.root)]
    blocks = tuple(block_for(store, path, budget)[0] for path, budget in inside)
    return TeamPreview(
        plan.place.file, plan.place.repository, plan.lessons, plan.unchanged, plan.left_out, file_faults(plan.bad),
        blocks,
    )  # fmt: skip


def file_faults(bad: Sequence[BadLine]) -> tuple[FileFault, ...]:
    """Lines that are no lesson, without their bytes."""
    return tuple(FileFault(one.line, one.reason, one.kind == "other") for one in bad)


def named_errors(fields: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """The errors that a lesson names."""
    errors = fields.get("errors")
    for one in cast("list[object]", errors) if isinstance(errors, list) else ():
        if isinstance(one, dict):
            yield cast("Mapping[str, str]", one)
