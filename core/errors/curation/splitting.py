"""Which errors of a case its keys and whole-case fixes came with: read back from the recorded changes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import apsw

from core.base.fault import Fault
from core.errors.cases.resolutions import Resolution, insert_resolution, resolutions_of
from core.errors.curation.transaction import Curated, DecisionResult, SeenVersion, Written, checked, decide
from core.errors.identity.fingerprint import fingerprint, identify, normalize_error
from core.store import RowChange, Store, faults, row_changes

_MOVED = {"fingerprint": "fingerprint", "case_key": "error_normalized", "resolution": "id", "noise": "case_id"}
"""Tables whose rows belong to a case, each with its key."""

Thing = tuple[str, object]
"""(table, key) of a row that belongs to a case."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A case that a merge joined to another: `errors` are those of its fingerprints that are looked at.

    `raw`: its error as it was printed; `noise`: (reason, author, ts) if it was marked as noise; `decided_since`: a fix
    of the merged case was written or decided on after the merge.
    """

    case_id: int
    errors: frozenset[str]
    raw: str | None
    noise: tuple[str, str, str] | None
    decided_since: bool


@dataclass(frozen=True, slots=True)
class Copy:
    """A fix that a merge wrote once more for the whole case: `of` is the original, `status` what it had then.

    `errors`: the fingerprints that were in the case of the original.
    """

    of: int
    status: str
    errors: frozenset[str]


@dataclass(slots=True)
class Origin:
    """What a split needs to know: `goes` and `stays` are rows whose errors are all on one side.

    A row in neither came with errors of both sides, or nothing is known of it.
    """

    goes: set[Thing] = field(default_factory=set[Thing])
    stays: set[Thing] = field(default_factory=set[Thing])
    copies: dict[int, Copy] = field(default_factory=dict[int, Copy])
    joined: list[Joined] = field(default_factory=list[Joined])


def read_origin(store: Store, case_id: int, leaving: frozenset[str]) -> Origin:
    """Walk back through the active changes of the case, and of those merged into it, newest first.

    A row goes with the errors it was with at the newest moment at which these were all on one side of the split.
    """
    con = store.con
    where = _rows(con, case_id)
    marks = frozenset(cast("str", key) for table, key in where if table == "fingerprint")
    found, decided = Origin(), False
    for number in _changes(con, where):
        changes = row_changes(store, number)
        merging = any(one.table == "merged" and one.op == "INSERT" for one in changes)
        inserted = [one for one in changes if one.op == "INSERT" and (one.table, one.key) in where]
        for one in inserted:
            del where[one.table, one.key]
        _move_back(where, changes)
        if merging:
            _note_merge(found, where, changes, inserted, marks, decided)
        decided = decided or {one.table for one in changes} & {"fingerprint", "resolution"} == {"resolution"}
        _judge(found, where, leaving)
    return found


def _rows(con: apsw.Connection, case_id: int) -> dict[Thing, int]:
    return {
        (table, cast("tuple[object]", row)[0]): case_id
        for table, key in _MOVED.items()
        for row in con.execute(f"SELECT {key} FROM {table} WHERE case_id = ?", (case_id,)).fetchall()
    }


def _changes(con: apsw.Connection, where: dict[Thing, int]) -> Iterable[int]:
    """Yield the active changes of the cases that contain the rows at that time, newest first."""
    before = 1 << 62
    while cases := sorted(set(where.values())):
        row = con.execute(
            "SELECT max(id) FROM journal WHERE undone_by IS NULL AND undoes IS NULL AND id < ? AND id IN (SELECT"
            " journal_id FROM journal_subject WHERE kind = 'error_kb' AND item IN (SELECT value FROM json_each(?)))",
            (before, json.dumps(cases)),
        ).fetchone()
        if row is None or row[0] is None:
            return
        before = cast("int", row[0])
        yield before


def _move_back(where: dict[Thing, int], changes: Iterable[RowChange]) -> None:
    for one in changes:
        for name, old, _ in one.columns:
            if one.op == "UPDATE" and name == "case_id" and (one.table, one.key) in where and isinstance(old, int):
                where[one.table, one.key] = old


def _note_merge(
    found: Origin,
    where: dict[Thing, int],
    changes: tuple[RowChange, ...],
    inserted: list[RowChange],
    marks: frozenset[str],
    decided: bool,
) -> None:
    """The cases that this merge joined, and the fix that it wrote once more."""
    held: dict[int, set[str]] = {}
    for mark in marks:
        if (at := where.get(("fingerprint", mark))) is not None:
            held.setdefault(at, set()).add(mark)
    noise = {
        cast("int", one.key): _changed_values(one) for one in changes if one.table == "noise" and one.op == "DELETE"
    }
    for one in changes:
        if one.table == "error_kb" and one.op == "DELETE":
            number = cast("int", one.key)
            marked, raw = noise.get(number), _changed_values(one).get("error_raw")
            note = None if marked is None else (str(marked["reason"]), str(marked["author"]), str(marked["ts"]))
            errors = frozenset(held.get(number, ()))
            found.joined.append(Joined(number, errors, raw if isinstance(raw, str) else None, note, decided))
    for one in inserted:
        values = _changed_values(one, after=True)
        original = values.get("supersedes")
        if one.table == "resolution" and values.get("fingerprint") is None and isinstance(original, int):
            errors = frozenset(held.get(where.get(("resolution", original), 0), ()))
            found.copies[cast("int", one.key)] = Copy(original, str(values.get("status")), errors)


def _changed_values(one: RowChange, *, after: bool = False) -> dict[str, object]:
    return {name: new if after else old for name, old, new in one.columns}


def _judge(found: Origin, where: dict[Thing, int], leaving: frozenset[str]) -> None:
    """Note the rows that are by now with errors of one side alone."""
    held: dict[int, set[str]] = {}
    for (table, key), at in where.items():
        if table == "fingerprint":
            held.setdefault(at, set()).add(cast("str", key))
    for thing, at in where.items():
        if thing[0] == "fingerprint" or thing in found.goes or thing in found.stays:
            continue
        with_it = held.get(at, set())
        if with_it and with_it <= leaving:
            found.goes.add(thing)
        elif with_it and not with_it & leaving:
            found.stays.add(thing)


def part_fixes(
    con: apsw.Connection,
    case_id: int,
    made: int,
    origin: Origin,
    going: Collection[str],
    staying: Collection[str],
    keep: Collection[int],
    take: Collection[int],
) -> None:
    """Move the fixes of the errors that go from `case_id` to `made`, inside the caller's transaction.

    A fix that one of the other side had replaced answers again.
    """
    rows = con.execute("SELECT id, fingerprint FROM resolution WHERE case_id = ?", (case_id,)).fetchall()
    scopes = dict(cast("list[tuple[int, str | None]]", rows))

    def is_moved(fix: int) -> bool:
        if fix in take or fix in keep:
            return fix in take
        mark = scopes.get(fix)
        if mark is not None:
            return mark in going
        copy = origin.copies.get(fix)
        return ("resolution", fix) in origin.goes if copy is None or copy.of not in scopes else is_moved(copy.of)

    for fix in scopes:
        if is_moved(fix):
            con.execute("UPDATE resolution SET case_id = ? WHERE id = ?", (made, fix))
    for fix, copy in origin.copies.items():
        if fix not in scopes or copy.of not in scopes or is_moved(fix) != is_moved(copy.of):
            continue
        if copy.errors.issuperset(going if is_moved(fix) else staying):
            _drop_copy(con, fix, copy)
    for at in (case_id, made):
        _answer_again(con, at)


def hold_alone(con: apsw.Connection, case_id: int, fix: int | None) -> None:
    """Replace every other current fix of the case with this one."""
    con.execute(
        "UPDATE resolution SET replaced_by = ?1 WHERE case_id = ?2 AND id <> ?1 AND replaced_by IS NULL"
        " AND status <> 'rejected'",
        (fix, case_id),
    )


def _drop_copy(con: apsw.Connection, fix: int, copy: Copy) -> None:
    """Let the original stand for its copy again, as that was decided on since."""
    row = con.execute("SELECT status, reason, replaced_by FROM resolution WHERE id = ?", (fix,)).fetchone()
    status, reason, replaced_by = cast("tuple[str, str, int | None]", row)
    if status != copy.status:
        con.execute("UPDATE resolution SET status = ?, reason = ? WHERE id = ?", (status, reason, copy.of))
    above = None if replaced_by == copy.of else replaced_by  # a team has a later version of the original
    con.execute("UPDATE resolution SET replaced_by = ? WHERE id = ?", (above, copy.of))
    con.execute("UPDATE resolution SET replaced_by = ?1 WHERE replaced_by = ?2", (copy.of, fix))
    con.execute("UPDATE resolution SET supersedes = ?1 WHERE supersedes = ?2", (copy.of, fix))
    con.execute("DELETE FROM resolution WHERE id = ?", (fix,))


def _answer_again(con: apsw.Connection, case_id: int) -> None:
    """A fix is replaced by the nearest of those that replaced it that is still in its case, if any."""
    rows = con.execute(
        "SELECT r.id, r.replaced_by FROM resolution r LEFT JOIN resolution s ON s.id = r.replaced_by"
        " WHERE r.case_id = ?1 AND r.replaced_by IS NOT NULL AND s.case_id IS NOT ?1",
        (case_id,),
    ).fetchall()
    for fix, first in cast("list[tuple[int, int]]", rows):
        con.execute("UPDATE resolution SET replaced_by = ? WHERE id = ?", (_nearest(con, case_id, fix, first), fix))


def _nearest(con: apsw.Connection, case_id: int, fix: int, first: int) -> int | None:
    """The first one of this case among those that replaced each other, from `first` on."""
    seen, at = {fix}, first
    while at not in seen:
        seen.add(at)
        row = con.execute("SELECT case_id, replaced_by FROM resolution WHERE id = ?", (at,)).fetchone()
        if row is not None and row[0] == case_id:
            return at
        if row is None or row[1] is None:
            return None
        at = cast("int", row[1])
    return None


_LONGEST_KEY = 200
NO_FIXES: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Plan:
    """One split: the key lines of both sides, by fingerprint, and where the rows of the case came from."""

    going: dict[str, str]
    staying: dict[str, str]
    origin: Origin


def split(
    store: Store,
    actor: str,
    seen: SeenVersion,
    fingerprints: Sequence[str],
    written: Written | None = None,
    *,
    keep: Collection[int] = NO_FIXES,
    take: Collection[int] = NO_FIXES,
) -> Curated:
    """Move these finer cases, with the fixes that are theirs, into a case of their own (`Curated.made`).

    What a merge joined answers again as it did before. `written` becomes the new case's verified fix. A fix for the
    whole case goes with the errors that it was written for; for one that was written for both sides, `keep` (it stays)
    or `take` (it goes) must name it, unless there is a `written` one: then it stays. To give a finer case a fix of its
    own within its case, `edit` with `Seen.fingerprint`.

    Raises Fault invalid_input if a fingerprint or a fix is not of this case, none would be left, or nobody said whose
    a fix is (details `fix`).
    """
    chosen = tuple(dict.fromkeys(fingerprints))
    mine = None if written is None else checked(written)
    made: list[int] = []

    def part(con: apsw.Connection, one: SeenVersion, ts: str) -> DecisionResult:
        plan = _plan(store, one.case_id, chosen)
        _refuse_others(con, one.case_id, {*keep, *take})
        shared = [] if mine is not None else _shared(con, one.case_id, plan.origin)
        untold = [fix.id for fix in shared if fix.id not in keep and fix.id not in take]
        if untold:
            raise _unknown_owner(one.case_id, untold)
        case_id = _new_case(con, one.case_id, plan, ts)
        made.append(case_id)
        for mark in plan.going:
            con.execute("UPDATE fingerprint SET case_id = ? WHERE fingerprint = ?", (case_id, mark))
        part_fixes(con, one.case_id, case_id, plan.origin, plan.going, plan.staying, keep, take)
        _part_noise(con, one.case_id, case_id, plan)
        _part_raw(con, one.case_id, case_id, plan)
        added = None
        if mine is not None:
            added = insert_resolution(
                con, case_id, None, mine.text, status="verified", resolved_by=mine.resolved_by,
                tool_sequence=mine.tool_sequence, author=actor, session_id=mine.source.session,
                message_ids=mine.source.messages, supersedes=None, ts=ts, tags=mine.tags,
            )  # fmt: skip
            hold_alone(con, case_id, added)
        return DecisionResult(added, (case_id,))

    done = decide(store, actor, "split", "split off", [seen], part, mine)
    return replace(done, made=made[0] if made else None)


def shared_fixes(store: Store, case_id: int, fingerprints: Sequence[str]) -> tuple[Resolution, ...]:
    """Return the fixes of errors on both sides of a split: the caller must assign them.

    Raises Fault invalid_input as `split` does, and what reading the store raises.
    """
    with faults(store.path):
        plan = _plan(store, case_id, tuple(dict.fromkeys(fingerprints)))
        return tuple(_shared(store.con, case_id, plan.origin))


def _plan(store: Store, case_id: int, chosen: Sequence[str]) -> _Plan:
    rows = store.con.execute("SELECT fingerprint, key_line FROM fingerprint WHERE case_id = ?", (case_id,)).fetchall()
    lines = dict(cast("list[tuple[str, str]]", rows))
    strange = [mark for mark in chosen if mark not in lines]
    if strange or not chosen:
        what = f"case {case_id} has no fingerprint {strange[0]}" if strange else "no fingerprint to split off"
        raise Fault("invalid_input", what, f"run: casebook errors show {case_id}")
    staying = {mark: line for mark, line in lines.items() if mark not in chosen}
    if not staying:
        raise Fault("invalid_input", f"case {case_id} would be empty", "keep at least one fingerprint")
    going = {mark: lines[mark] for mark in chosen}
    return _Plan(going, staying, read_origin(store, case_id, frozenset(chosen)))


def _shared(con: apsw.Connection, case_id: int, origin: Origin) -> list[Resolution]:
    """The fixes for the whole case that answer, and came with errors of both sides."""
    known = origin.goes | origin.stays
    return [
        fix
        for fix in resolutions_of(con, case_id, -1)
        if fix.fingerprint is None
        and fix.status != "rejected"
        and fix.replaced_by is None
        and fix.text.strip()
        and fix.id not in origin.copies
        and ("resolution", fix.id) not in known
    ]


def _refuse_others(con: apsw.Connection, case_id: int, named: Collection[int]) -> None:
    whole = {fix.id for fix in resolutions_of(con, case_id, -1) if fix.fingerprint is None}
    for one in sorted(set(named) - whole):
        message = f"fix {one} does not apply to all errors of case {case_id}"
        raise Fault("invalid_input", message, f"run: casebook errors show {case_id}")


def _unknown_owner(case_id: int, fixes: Sequence[int]) -> Fault:
    first = fixes[0]
    return Fault(
        "invalid_input",
        f"fix {first} of case {case_id} applies to errors on both sides of the split",
        f"pass --keep-fix {first} to keep it in case {case_id}, or --take-fix {first} to move it",
        fix=first,
    )


def _new_case(con: apsw.Connection, case_id: int, plan: _Plan, ts: str) -> int:
    """A case for these key lines, with the keys they came with, else with one of its own."""
    rows = con.execute("SELECT error_normalized FROM case_key WHERE case_id = ?", (case_id,)).fetchall()
    own = [str(row[0]) for row in rows]
    going = _moved_keys(own, plan)
    row = con.execute("SELECT error_normalized FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    if row is not None and row[0] in going:
        first = next(iter(plan.staying.values()))
        mine = normalize_error(first)
        rest = sorted(set(own) - set(going), key=lambda key: (key != mine, key)) or [_free(con, first)]
        con.execute("UPDATE error_kb SET error_normalized = ? WHERE id = ?", (rest[0], case_id))
        con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)", (rest[0], case_id))
    lines = list(plan.going.values())
    name = next((key for key in going if not _is_key_used(con, key)), None) or _free(con, lines[0])
    before = _old_number(con, plan)
    con.execute(
        "INSERT INTO error_kb(id, ts, error_normalized, error_raw, use_count) VALUES (?, ?, ?, ?, 0)",
        (before, ts, name, lines[0]),
    )
    made = con.last_insert_rowid()
    for key in going:
        con.execute("UPDATE case_key SET case_id = ? WHERE error_normalized = ?", (made, key))
    con.execute("INSERT OR IGNORE INTO case_key(error_normalized, case_id) VALUES (?, ?)", (name, made))
    con.execute("DELETE FROM merged WHERE case_id = ?", (made,))
    for one in plan.origin.joined:
        if one.errors and one.errors <= plan.going.keys():
            con.execute("UPDATE merged SET into_id = ? WHERE case_id = ? AND into_id = ?", (made, one.case_id, case_id))
    return made


def _moved_keys(own: Sequence[str], plan: _Plan) -> list[str]:
    """Keys that came with errors that go; of one that is not known, no line left behind may have it."""
    moving = dict.fromkeys(normalize_error(line) for line in plan.going.values())
    left = {normalize_error(line) for line in plan.staying.values()}
    origin = plan.origin

    def is_moved(key: str) -> bool:
        if ("case_key", key) in origin.goes:
            return True
        return ("case_key", key) not in origin.stays and key in moving and key not in left

    return sorted((key for key in own if is_moved(key)), key=lambda key: (key not in moving, key))


def _old_number(con: apsw.Connection, plan: _Plan) -> int | None:
    """The number of the case that these errors were before a merge, if they were all of it and it is free."""
    for one in plan.origin.joined:
        if one.errors == plan.going.keys():
            taken = con.execute("SELECT 1 FROM error_kb WHERE id = ?", (one.case_id,)).fetchone()
            return None if taken is not None else one.case_id
    return None


def _part_noise(con: apsw.Connection, case_id: int, made: int, plan: _Plan) -> None:
    """A mark of noise goes with the errors that it was set on; one that a merge removed returns."""
    if ("noise", case_id) in plan.origin.goes:
        con.execute("UPDATE noise SET case_id = ? WHERE case_id = ?", (made, case_id))
    for one in plan.origin.joined:
        if one.noise is None or one.decided_since or not one.errors:
            continue
        for errors, at in ((plan.going.keys(), made), (plan.staying.keys(), case_id)):
            if errors <= one.errors:
                con.execute("INSERT OR IGNORE INTO noise VALUES (?, ?, ?, ?)", (at, *one.noise))


def _part_raw(con: apsw.Connection, case_id: int, made: int, plan: _Plan) -> None:
    """Each side shows an error of its own as it was printed: else the key line of its first one."""
    row = con.execute("SELECT error_raw FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    printed = [] if row is None or row[0] is None else [str(row[0])]
    printed += [one.raw for one in plan.origin.joined if one.raw]
    names = [(raw, {fingerprint(line.text) for line in identify(raw).key_lines}) for raw in printed]
    for lines, at in ((plan.going, made), (plan.staying, case_id)):
        own = next((raw for raw, marks in names if marks & lines.keys()), None) or _first_line_of(con, lines)
        con.execute("UPDATE error_kb SET error_raw = ? WHERE id = ? AND error_raw IS NOT ?", (own, at, own))


def _first_line_of(con: apsw.Connection, lines: dict[str, str]) -> str:
    """The first of these errors as it was printed, where that is kept, else its key line."""
    mark, line = next(iter(lines.items()))
    sql = "SELECT raw FROM occurrence WHERE fingerprint = ? AND raw IS NOT NULL ORDER BY id LIMIT 1"
    row = con.execute(sql, (mark,)).fetchone()
    return line if row is None else str(row[0])


def _free(con: apsw.Connection, line: str) -> str:
    """A key that no case has: the line itself, numbered where that is taken."""
    base = line.strip()[: _LONGEST_KEY - 12] or "(no key line)"
    at = 1
    while _is_key_used(con, name := base if at == 1 else f"{base} ({at})"):
        at += 1
    return name


def _is_key_used(con: apsw.Connection, key: str) -> bool:
    return (
        con.execute(
            "SELECT 1 FROM error_kb WHERE error_normalized = ?1 UNION ALL SELECT 1 FROM case_key"
            " WHERE error_normalized = ?1 AND case_id NOT IN (SELECT id FROM error_kb WHERE error_normalized = ?1)",
            (key,),
        ).fetchone()
        is not None
    )
