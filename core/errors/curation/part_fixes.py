"""The fixes of a case that is split: each goes with the errors it is for, and answers as it did for them alone."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

import apsw

from core.errors.curation.origin import Copy, Origin


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

    def goes(fix: int) -> bool:
        if fix in take or fix in keep:
            return fix in take
        mark = scopes.get(fix)
        if mark is not None:
            return mark in going
        copy = origin.copies.get(fix)
        return ("resolution", fix) in origin.goes if copy is None or copy.of not in scopes else goes(copy.of)

    for fix in scopes:
        if goes(fix):
            con.execute("UPDATE resolution SET case_id = ? WHERE id = ?", (made, fix))
    for fix, copy in origin.copies.items():
        if fix not in scopes or copy.of not in scopes or goes(fix) != goes(copy.of):
            continue
        if copy.errors.issuperset(going if goes(fix) else staying):
            _drop_copy(con, fix, copy)
    for at in (case_id, made):
        _answer_again(con, at)


def hold_alone(con: apsw.Connection, case_id: int, fix: int | None) -> None:
    """Let this fix of the case stand in the place of every other one that answers."""
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
    con.execute("UPDATE resolution SET replaced_by = ? WHERE id = ?", (replaced_by, copy.of))
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
