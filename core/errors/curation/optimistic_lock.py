"""What a person had before them when they decided, and what stands in the way if somebody was faster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import apsw

from core.base.fault import Fault
from core.errors.cases.case import Case
from core.errors.cases.resolutions import Resolution, adopt_mirror, answering, resolution
from core.errors.curation.fix_input import Written
from core.errors.retrieval.answer import Status


@dataclass(frozen=True, slots=True)
class Seen:
    """The case, and the resolution that answered when the person looked (None: none did).

    `fingerprint`: they looked at this finer case alone, not at the whole case. `status`: what they saw of it; None does
    not tell, and then only another resolution is a conflict.
    """

    case_id: int
    resolution_id: int | None
    fingerprint: str | None = None
    status: Status | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why a case was left as it is: somebody was faster. Nothing is lost: `mine` is what was to be written.

    `changed`: `theirs` answers now (None: nothing does), not `base`, or it was decided meanwhile and has another
    status. `gone`: the case was merged into `moved_to`, or taken back (None).
    """

    case_id: int
    reason: Literal["changed", "gone"]
    base: Resolution | None
    theirs: Resolution | None
    mine: Written | None = None
    moved_to: int | None = None


def seen_of(case: Case, fingerprint: str | None = None) -> Seen:
    """What someone sees who has this case before them. Its fixes are read in the order in which they answer."""
    may = [one for one in case.resolutions if one.status != "rejected" and one.text.strip(" ") and not one.replaced_by]
    if case.status == "noise":
        may = []
    if fingerprint is not None:
        may = [one for one in may if one.fingerprint in (None, fingerprint)]
        may.sort(key=lambda one: (_harvested(one), _harvested(one) and one.worth == "slip", one.fingerprint is None))
    return Seen(case.id, may[0].id if may else None, fingerprint, may[0].status if may else None)


def seen_with(case: Case, shown: Resolution | None, at: str | None = None) -> Seen:
    """What someone sees who has this fix of the case before them: to decide about it is to decide for what it holds
    for, not about the one that answers for the whole case.

    `at`: the error that it is shown for. A fix that holds for the whole case may answer for that one alone.
    """
    whole = seen_of(case)
    if shown is None or shown.id == whole.resolution_id or case.status == "noise":
        return whole
    return Seen(case.id, shown.id, shown.fingerprint or at, shown.status)


def look(con: apsw.Connection, case_id: int, fingerprint: str | None = None) -> Seen:
    """What answers for the case now. Raises Fault not_indexed if there is no such case."""
    if not _exists(con, case_id):
        moved = moved_to(con, case_id)
        hint = f"It was merged into case {moved}." if moved is not None else "see: casebook errors list"
        raise Fault("not_indexed", f"there is no case {case_id}", hint, case_id=case_id)
    found = answering(con, case_id, fingerprint)
    return Seen(case_id, None, fingerprint) if found is None else Seen(case_id, found.id, fingerprint, found.status)


def look_at_error(con: apsw.Connection, case_id: int, fingerprint: str) -> Seen:
    """What answers for one error of the case. Raises Fault not_indexed for no such case, invalid_input for no such
    error."""
    seen = look(con, case_id, fingerprint)
    sql = "SELECT 1 FROM fingerprint WHERE fingerprint = ? AND case_id = ?"
    if con.execute(sql, (fingerprint, case_id)).fetchone() is None:
        hint = f"see: casebook errors show {case_id}"
        raise Fault("invalid_input", f"case {case_id} has no error with the fingerprint {fingerprint}", hint)
    return seen


def clash(con: apsw.Connection, seen: Seen, mine: Written | None, *, whatever_status: bool = False) -> Conflict | None:
    """What stands in the way of a decision that was made on what is `seen`; None if nothing does.

    The fix of a row that has no history yet is first given one, so it is seen as nothing that answers.
    """
    if not _exists(con, seen.case_id):
        base = None
        moved = moved_to(con, seen.case_id)
        if moved is not None and seen.resolution_id is not None:
            base = resolution(con, moved, seen.resolution_id)
        return Conflict(seen.case_id, "gone", base, None, mine, moved)
    theirs = answering(con, seen.case_id, seen.fingerprint)
    same_status = whatever_status or theirs is None or seen.status in (None, theirs.status)
    if (None if theirs is None else theirs.id) == seen.resolution_id and same_status:
        adopt_mirror(con, seen.case_id)
        return None
    base = None if seen.resolution_id is None else resolution(con, seen.case_id, seen.resolution_id)
    return Conflict(seen.case_id, "changed", base, theirs, mine)


def moved_to(con: apsw.Connection, case_id: int) -> int | None:
    """The case that this one was merged into."""
    row = con.execute("SELECT into_id FROM merged WHERE case_id = ?", (case_id,)).fetchone()
    return None if row is None else int(row[0])


def _harvested(one: Resolution) -> bool:
    return one.author == "harvest" and one.status == "draft"


def _exists(con: apsw.Connection, case_id: int) -> bool:
    return con.execute("SELECT 1 FROM error_kb WHERE id = ?", (case_id,)).fetchone() is not None
