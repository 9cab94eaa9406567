"""Merges of cases as a team shares them: which leave, and how those of others join and part the cases here.

A merge names errors of two cases that are one. It is an event of its own kind, folded like a lesson, so that its undo
is a withdrawal. Which errors share a case follows from the merges that hold, in whatever order they arrive; which fix
answers follows from the lessons.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, cast

import apsw

from core.base.fault import Fault
from core.base.wire import canonical
from core.errors.cases.derived import TEAM, refresh_case
from core.errors.curation.merging import join_cases
from core.errors.curation.splitting import shared_fixes, split
from core.errors.curation.transaction import look
from core.errors.identity.fingerprint import normalize_error
from core.flows.team.collect import ERRORS, PLACE, origin_of
from core.flows.team.export import LeavingLesson, LeftOut, PlannedLessons, named_errors
from core.flows.team.place import TeamPlace, person_of
from core.flows.team.sync.replica import MERGES, Line, mark_line, merge_lines, replica_of
from core.store import RowChange, Store, after, change, now, row_changes
from core.store.sql import digest
from core.team.lessons_file import Record, Stamped, parse_line
from core.team.privacy import cleaned_value, leaks, texts_of

_SIDES: Final = "team_merge:"
_BY_A_PERSON: Final = ("merge %", "redo: merge %", "undo: split %")


class Side(NamedTuple):
    """The errors of one of two cases: their fingerprints, the one that stands for them first, and their key."""

    marks: tuple[str, ...]
    key: str = ""


class Joined(NamedTuple):
    """What a merge joins: `other` became a part of `into`. `change`: its number in the history here, 0 for none; `at`:
    when it was decided."""

    into: Side
    other: Side
    change: int = 0
    at: str = ""


def take_merges(store: Store) -> int:
    """Bring the cases up to date with the merges of the team that wait; how many changed something. One whose errors
    are not both here goes on waiting."""
    held = _held(store.con)
    waiting = sorted(merge_lines(store.con), key=lambda one: (one.record.latest(), one.lesson))
    gone = [one for one in waiting if one.record.is_withdrawn]
    done = _part(store, [one for one in gone if _meta_key(one) in held], held)
    with store.transaction() as con:
        for one in gone:
            mark_line(con, one)
            con.execute("DELETE FROM meta WHERE key = ?", (_meta_key(one),))
    for one in waiting:
        if not one.record.is_withdrawn and (joined := _join(store, one)) is not None:
            done += joined
            with store.transaction() as con:
                mark_line(con, one)
    if held or waiting:
        _spread(store)
    return done


def _sides_of(record: Record) -> Joined | None:
    values = record.values()
    into, other = (_side(values.get(name)) for name in ("into", "other"))
    return None if into is None or other is None else Joined(into, other, at=record.latest())


def _side(value: object) -> Side | None:
    if not isinstance(value, dict):
        return None
    held = cast("dict[str, object]", value)
    marks, key = tuple(_marks_of(held)), held.get("key")
    return Side(marks, key if isinstance(key, str) else "") if marks else None


def _case_of(con: apsw.Connection, side: Side) -> int | None:
    """The case of the first of these errors that is here, else of their key."""
    by_mark = (
        "SELECT case_id FROM json_each(?) one JOIN fingerprint ON fingerprint = one.value ORDER BY one.key LIMIT 1"
    )
    row = con.execute(by_mark, (json.dumps(side.marks),)).fetchone()
    if row is None:
        row = con.execute(
            "SELECT case_id FROM case_key WHERE error_normalized = ?1 UNION ALL SELECT id FROM error_kb"
            " WHERE error_normalized = ?1 LIMIT 1",
            (side.key,),
        ).fetchone()
    return None if row is None else cast("int", row[0])


def _cases_of(con: apsw.Connection, sides: Joined) -> tuple[int | None, int | None]:
    return _case_of(con, sides.into), _case_of(con, sides.other)


def _join(store: Store, one: Line) -> bool | None:
    """Whether two cases became one; None while one of them is not here."""
    if (sides := _sides_of(one.record)) is None:
        return False
    into, other = _cases_of(store.con, sides)
    if into is None or other is None:
        return None
    number = 0
    if into != other:
        number = join_cases(store, one.decided_by, into, other).change or 0
    elif _meta_key(one) in _held(store.con):
        return False
    with store.transaction() as con:
        _note(con, one.repository, one.lesson, sides._replace(change=number))
    return into != other


def _note(con: apsw.Connection, repository: str, lesson: str, sides: Joined) -> None:
    """Remember what a merge joined here, so that it can be parted again: the event of its undo names nothing."""
    con.execute(
        "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (f"{_SIDES}{repository}\0{lesson}", json.dumps(sides))
    )


def _meta_key(one: Line) -> str:
    return f"{_SIDES}{one.repository}\0{one.lesson}"


def _held(con: apsw.Connection) -> dict[str, Joined]:
    """What merges joined here, by their rows of `meta`."""
    rows = con.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_SIDES, f"{_SIDES[:-1]};"))
    found: dict[str, Joined] = {}
    for key, value in cast("Iterator[tuple[str, str]]", rows):
        into, other, number, at = json.loads(value)
        found[key] = Joined(Side(tuple(into[0]), into[1]), Side(tuple(other[0]), other[1]), number, at)
    return found


def _marks_in(con: apsw.Connection, case_id: int) -> dict[str, str]:
    """The fingerprints of a case, each with its key."""
    rows = con.execute(
        "SELECT fingerprint, key_line FROM fingerprint WHERE case_id = ? ORDER BY first_seen, fingerprint", (case_id,)
    ).fetchall()
    return {mark: normalize_error(line) for mark, line in cast("list[tuple[str, str]]", rows)}


def _key_here(con: apsw.Connection, side: Side) -> str:
    """The key of the errors as they are here: what has one key is one case without any merge."""
    row = con.execute(
        "SELECT key_line FROM json_each(?) one JOIN fingerprint ON fingerprint = one.value ORDER BY one.key LIMIT 1",
        (json.dumps(side.marks),),
    ).fetchone()
    return side.key if row is None else normalize_error(str(row[0]))


def _part(store: Store, gone: Sequence[Line], held: Mapping[str, Joined]) -> int:
    """Part what undone merges had joined here, as far as no other merge joins it; how many cases were made."""
    undone = {_meta_key(one): one for one in gone}
    groups = _Groups()
    for key, known in held.items():
        if key not in undone:
            groups.join([_key_here(store.con, side) for side in known[:2]])
    made = 0
    for key, one in undone.items():
        sides = held[key]
        for case_id in {case for case in _cases_of(store.con, sides) if case is not None}:
            made += _part_case(store, one, case_id, [held[other] for other in undone], groups)
    return made


def _part_case(store: Store, one: Line, case_id: int, undone: Sequence[Joined], groups: _Groups) -> int:
    """Give each group of errors that only undone merges had joined a case of its own."""
    there = _marks_in(store.con, case_id)
    keys = {_key_here(store.con, side) for sides in undone for side in sides[:2]} & {*there.values()}
    roots = sorted({groups.root(key) for key in keys})
    row = store.con.execute("SELECT error_normalized FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    own = groups.root(str(row[0])) if row else ""
    made = [case_id]
    for root in sorted(roots, key=lambda found: found != own)[1:]:
        going = [mark for mark, key in there.items() if groups.root(key) == root]
        try:
            keep = {fix.id for fix in shared_fixes(store, case_id, going)}
            done = split(store, one.decided_by, look(store.con, case_id), going, keep=keep)
        except Fault as fault:
            if fault.code not in ("invalid_input", "not_indexed"):
                raise
            continue  # the case changed meanwhile
        made += [] if done.made is None else [done.made]
    if len(made) > 1:
        _bring_home(store, made)
    return len(made) - 1


def _joined_cases(con: apsw.Connection) -> set[int]:
    """The cases here that merges of the team join."""
    found = (_case_of(con, sides.into) for sides in _held(con).values())
    return {case_id for case_id in found if case_id is not None}


def _spread(store: Store) -> None:
    """In a case that a merge joins, one fix of the team holds for the whole case: that of the case that the newest
    merge kept, else the newest. Any other holds as its lesson says."""
    joined = _joined_cases(store.con)
    kept: dict[str, int] = {}
    for rank, sides in enumerate(sorted(_held(store.con).values(), key=lambda one: (one.at, one.into), reverse=True)):
        for mark in sides.into.marks:
            kept.setdefault(mark, rank)
    whole: set[int] = set()
    changed: list[tuple[str | None, int]] = []
    rows = store.con.execute(
        "SELECT id, case_id, fingerprint, replaced_by, original FROM resolution WHERE author = ?"
        " AND status = 'verified' AND case_id IN (SELECT value FROM json_each(?)) ORDER BY ts DESC, original",
        (TEAM, json.dumps(sorted(joined))),
    ).fetchall()
    touched: set[int] = set()
    fixes = [
        (case_id, mark, None if replaced else fix_id, lesson)
        for fix_id, case_id, mark, replaced, original in cast(
            "list[tuple[int, int, str | None, int | None, str | None]]", rows
        )
        if (lesson := _lesson_of(original)) is not None
    ]
    for case_id, mark, fix_id, lesson in sorted(fixes, key=lambda one: kept.get(_marks_of(one[3])[0], len(kept))):
        own = None if lesson.get("whole") is True or case_id not in whole else _marks_of(lesson)[0]
        whole.add(case_id)
        if own != mark and fix_id is not None:  # an edit made here stands for a replaced one
            changed.append((own, fix_id))
            touched.add(case_id)
    if changed:
        with change(store, TEAM, "team fixes of merged cases"):
            store.con.executemany("UPDATE resolution SET fingerprint = ? WHERE id = ?", changed)
            refresh_case(store.con, *touched)


def _lesson_of(original: str | None) -> Mapping[str, object] | None:
    """What the lesson of a team's fix says, if it names its errors."""
    origin = origin_of(TEAM, original)
    read = "" if origin is None else parse_line(origin.line.encode())
    values = None if isinstance(read, str) else read[1].values()
    return values if values is not None and _marks_of(values) else None


def _marks_of(values: Mapping[str, object]) -> list[str]:
    return [mark for one in named_errors(values) if isinstance(mark := one.get("fingerprint"), str) and mark]


def _bring_home(store: Store, cases: Sequence[int]) -> None:
    """Move fixes of the team to the case of their error: one may have come while the cases were one."""
    with change(store, TEAM, "team fixes of split cases"):
        con = store.con
        rows = con.execute(
            "SELECT id, case_id, original FROM resolution WHERE author = ? AND case_id IN (SELECT value FROM"
            " json_each(?))",
            (TEAM, json.dumps(cases)),
        ).fetchall()
        for fix_id, case_id, original in cast("list[tuple[int, int, str | None]]", rows):
            if (lesson := _lesson_of(original)) is None:
                continue
            marks = _marks_of(lesson)
            home = _case_of(con, Side(tuple(marks)))
            mark = None if lesson.get("whole") is True else marks[0]
            con.execute(
                "UPDATE resolution SET case_id = ?, fingerprint = ? WHERE id = ?",
                (home if home in cases else case_id, mark, fix_id),
            )
        refresh_case(con, *cases)


class _Groups:
    """Keys of errors that are of one case, as far as the merges say."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, key: str) -> str:
        while (above := self._above.get(key, key)) != key:
            key = above
        return key

    def join(self, keys: Sequence[str]) -> None:
        for key in keys:
            self._above[self.root(key)] = self.root(keys[0])


def with_merges(store: Store, place: TeamPlace, known: Mapping[str, Record], planned: PlannedLessons) -> PlannedLessons:
    """A plan with the merges of a person here, and with the undo of those that are two cases here again."""
    records, leaving, left_out = dict(planned.records), list(planned.leaving), list(planned.left_out)
    for one in _undone_here(store.con, place.repository):
        records[one.lesson] = Record("", after(one.record.latest(), now()), {})
        leaving.append(LeavingLesson(one.lesson, "withdraw", None, None, {}, ()))
    person = person_of(place)
    for case_id, sides in _merged_here(store):
        shareable = _shareable(store.con, place, known, sides)
        if shareable is None:
            continue
        id_ = _id_of(shareable)
        old = records.get(id_)
        if old is not None and not old.is_withdrawn:
            continue
        fields = cast("dict[str, object]", cleaned_value(shareable, person))
        if found := leaks(texts_of(fields), person):
            left_out.append(LeftOut(id_, case_id, f"it contains {', '.join(found)}"))
            continue
        gone = "" if old is None else old.withdrawn
        time = after(gone, now())
        records[id_] = Record(time, gone, {name: Stamped(time, canonical(value)) for name, value in fields.items()})
        leaving.append(LeavingLesson(id_, "add", case_id, None, fields, tuple(fields)))
    joined = {one.case_id for one in leaving if one.id.startswith(MERGES)} | _joined_cases(store.con)
    for one in [one for one in leaving if one.case_id in joined and one.act == "change"]:
        leaving.remove(one)
        if (old := known.get(one.id)) is not None and (left := _without_errors(old, records[one.id])) is not None:
            records[one.id] = left
            changed = tuple(name for name in one.changed if name not in _ERROR_FIELDS)
            leaving.append(replace(one, fields=left.values(), changed=changed))
        elif old is not None:
            records[one.id] = old
    return planned._replace(records=records, leaving=tuple(leaving), left_out=tuple(left_out))


def _undone_here(con: apsw.Connection, repository: str) -> list[Line]:
    """The merges of a repository that a person undid here. Where the change of a merge was undone, that merge was
    meant, and others that this parted hold on. Where cases were split, every merge across the split was."""
    held = _held(con)
    unchanged: list[Line] = []
    taken_back: list[Line] = []
    for one in merge_lines(con, repository):
        sides = held.get(_meta_key(one))
        into, other = (None, None) if sides is None else _cases_of(con, sides)
        if sides is None or into is None or other is None or into == other:
            continue
        unchanged.append(one)
        row = con.execute("SELECT undone_by FROM journal WHERE id = ?", (sides.change,)).fetchone()
        if row is not None and row[0] is not None:
            taken_back.append(one)
    return taken_back or unchanged


def note_own(store: Store, repository: str, planned: PlannedLessons) -> None:
    """Remember what the merges of a plan joined here, and join again what an undo parted besides. Inside the caller's
    transaction, once the plan is in the outbox."""
    if any(one.act == "withdraw" for one in planned.leaving):
        for one in _undone_here(store.con, repository):
            store.con.execute(
                "UPDATE team_lesson SET waits = 1 WHERE repository = ? AND lesson = ?", (one.repository, one.lesson)
            )
    added = {one.id for one in planned.leaving if one.id.startswith(MERGES) and one.act == "add"}
    for _, sides in _merged_here(store) if added else ():
        for id_ in added:
            known = _sides_of(planned.records[id_])
            if (
                known is not None
                and {*known.into.marks} <= {*sides.into.marks}
                and {*known.other.marks} <= {*sides.other.marks}
            ):
                _note(store.con, repository, id_, known._replace(change=sides.change))


def _id_of(sides: Mapping[str, Mapping[str, object]]) -> str:
    """The same for both ways to merge two errors."""
    return f"{MERGES}{digest(chr(0).join(sorted(_first(one) for one in sides.values()))).hex()[:16]}"


def _without_errors(old: Record, new: Record) -> Record | None:
    """A changed lesson of a merged case with its errors as they are known, since the merge says which are one; None
    where nothing else changed."""
    fields = {name: value for name, value in new.fields.items() if name not in _ERROR_FIELDS}
    fields |= {name: value for name, value in old.fields.items() if name in _ERROR_FIELDS}
    found = new._replace(fields=dict(sorted(fields.items())))
    return None if found == old else found


_ERROR_FIELDS: Final = ("errors", "key", "whole")


def _first(side: Mapping[str, object]) -> str:
    return next(str(one.get("fingerprint")) for one in named_errors(side))


def _merged_here(store: Store) -> Iterator[tuple[int, Joined]]:
    """The merges since the last look that still hold, by a person or by an undo, each with its case."""
    replica = replica_of(store.con)
    rows = store.con.execute(
        "SELECT id FROM journal WHERE id > ? AND undone_by IS NULL AND (title LIKE ? OR title LIKE ? OR title LIKE ?)"
        " ORDER BY id",
        (-1 if replica is None else replica.journaled, *_BY_A_PERSON),
    ).fetchall()
    taken_over = {sides.change for sides in _held(store.con).values()}  # these are of others
    for (number,) in cast("list[tuple[int]]", rows):
        if number in taken_over:
            continue
        for case_id, sides in _joined_by(store, number):
            yield case_id, sides._replace(change=number)


def _joined_by(store: Store, number: int) -> Iterator[tuple[int, Joined]]:
    """What a change joined: of each case the errors with its own key, or the first one with what has its key."""
    con = store.con
    moved: dict[int, list[str]] = {}
    targets: dict[int, int] = {}
    changes = row_changes(store, number)
    for one in changes:
        values = {name: (before, now_) for name, before, now_ in one.columns}
        if one.table == "fingerprint" and one.op == "UPDATE" and "case_id" in values:
            source, target = cast("tuple[int, int]", values["case_id"])
            moved.setdefault(source, []).append(str(one.key))
            targets[source] = target
    going = {mark for marks in moved.values() for mark in marks}
    for source, key in _keys_of_gone(changes).items():
        for case_id in _cases_with(con, moved.get(source, ())):  # one that was parted since: where it still holds
            there = _marks_in(con, case_id)
            own = _key_of_target(store, number, targets[source], case_id)
            other = _base({mark: there[mark] for mark in moved[source] if mark in there}, key)
            into = _base({mark: of for mark, of in there.items() if mark not in going}, own)
            if into.marks and other.marks:
                yield case_id, Joined(into, other)
                break


def _cases_with(con: apsw.Connection, marks: Collection[str]) -> list[int]:
    """The cases that these errors are in, that of the first one first."""
    found = (_case_of(con, Side((mark,))) for mark in marks)
    return [*dict.fromkeys(case_id for case_id in found if case_id is not None)]


def _keys_of_gone(changes: Sequence[RowChange]) -> dict[int, str]:
    """The keys of the cases that a change took away."""
    return {
        cast("int", one.key): str(before)
        for one in changes
        if one.table == "error_kb" and one.op == "DELETE"
        for name, before, _ in one.columns
        if name == "error_normalized"
    }


def _key_of_target(store: Store, number: int, target: int, case_id: int) -> str:
    """The key of the case that a change merged into. A later merge may have taken it away: that change knows it."""
    query = "SELECT error_normalized FROM error_kb WHERE id = ?"
    if store.con.execute(query, (target,)).fetchone() is None:
        for (later,) in store.con.execute("SELECT id FROM journal WHERE id > ? ORDER BY id", (number,)).fetchall():
            if key := _keys_of_gone(row_changes(store, cast("int", later))).get(target):
                return key
    row = store.con.execute(query, (case_id,)).fetchone()
    return "" if row is None else str(row[0])


def _base(there: Mapping[str, str], key: str) -> Side:
    own = key if key in there.values() else next(iter(there.values()), "")
    return Side(tuple(sorted(mark for mark, of in there.items() if of == own)), own)


def _shareable(
    con: apsw.Connection, place: TeamPlace, known: Mapping[str, Record], sides: Joined
) -> dict[str, Mapping[str, object]] | None:
    """What leaves of a merge: the errors that this repository met or shared; None where a side has none."""
    marks = {*sides.into.marks, *sides.other.marks}
    may = _occurred(con, place, marks) | {
        str(one.get("fingerprint")) for record in known.values() for one in _errors_of(record)
    }  # fmt: skip
    found: dict[str, Mapping[str, object]] = {}
    for name, side in zip(("into", "other"), sides[:2], strict=True):
        rows = con.execute(
            "SELECT fingerprint, key_line, tool FROM json_each(?) one JOIN fingerprint ON fingerprint = one.value"
            " ORDER BY one.key LIMIT ?",
            (json.dumps([mark for mark in side.marks if mark in may]), ERRORS),
        ).fetchall()
        if not rows:
            return None
        errors = [dict(zip(("fingerprint", "line", "tool"), row, strict=True)) for row in rows]
        found[name] = {"errors": errors, "key": side.key}
    return found


def _errors_of(record: Record) -> Iterator[Mapping[str, str]]:
    errors = record.fields.get("errors")
    return named_errors({} if errors is None else {"errors": errors.value})


def _occurred(con: apsw.Connection, place: TeamPlace, marks: Collection[str]) -> set[str]:
    rows = con.execute(
        "SELECT DISTINCT o.fingerprint FROM json_each(?) one JOIN occurrence o ON o.fingerprint = one.value"
        f" WHERE coalesce(nullif({PLACE}, ''), o.project) IN (SELECT value FROM json_each(?))",
        (json.dumps([*marks]), json.dumps([*place.names])),
    ).fetchall()
    return {str(row[0]) for row in rows}
