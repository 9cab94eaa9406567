"""The cases behind the sums: the dearest, those that came back though a fix was known, those that were told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

import apsw

from core.errors.cases.browse import case_rows
from core.errors.cases.case import CaseRow
from core.errors.fixes.evidence import strength_of
from core.flows.insights.report import CameBack, ToldCase, WorstCase
from core.flows.insights.sums import Scope, minutes
from core.store import Store

_CANDIDATES: Final = 500
"""The dearest cases, among which those that came back are looked for."""

_FINDING: Final = "CAST(v.fingerprints ->> 0 AS TEXT)"
"""The first finding of `result_verdict v`, as the index has it."""
_INCIDENT: Final = "v.verdict = 'incident' AND v.repeats IS NULL"
_TOLD: Final = (
    "sum(withheld = 0), sum(withheld = 0 AND outcome = 'helped'), sum(withheld = 0 AND outcome = 'failed_again'),"
    " sum(withheld = 0 AND outcome = 'ignored'), sum(withheld <> 0)"
)
_FIRST_FIX: Final = (
    "SELECT ts, coalesce(session_id, '') FROM resolution"
    " WHERE case_id = ? AND status <> 'rejected' AND trim(text) <> '' ORDER BY ts, id LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class CaseCost:
    """What the incidents of a case cost."""

    row: CaseRow
    times: int
    attempts: int
    milliseconds: int


def dearest(store: Store, scope: Scope) -> tuple[CaseCost, ...]:
    """The cases whose incidents took the most time; noise is left out."""
    where, values = scope.where()
    found = cast(
        "list[tuple[int, int, int, int]]",
        store.con.execute(
            "WITH found AS (SELECT fingerprint, sum(incidents) AS times, sum(attempts) AS attempts,"
            f" sum(milliseconds) AS ms FROM insight_finding{where} GROUP BY fingerprint)"
            " SELECT case_id, sum(times), sum(attempts), sum(ms) FROM found JOIN fingerprint USING (fingerprint)"
            " GROUP BY case_id ORDER BY 4 DESC, 2 DESC, 1 LIMIT ?",
            (*values, _CANDIDATES),
        ).fetchall(),
    )
    rows = _rows(store, [case_id for case_id, *_ in found])
    return tuple(
        CaseCost(rows[case_id], *costs)
        for case_id, *costs in found
        if case_id in rows and rows[case_id].status != "noise"
    )


def worst(store: Store, scope: Scope, costs: Sequence[CaseCost]) -> tuple[WorstCase, ...]:
    """These cases with the sessions that met them."""
    return tuple(
        WorstCase(
            cost.row.id,
            cost.row.key_line,
            cost.times,
            _sessions(store.con, scope, cost.row.id),
            cost.attempts,
            minutes(cost.milliseconds),
            cost.row.status,
            cost.row.project_name or cost.row.project,
        )
        for cost in costs
    )


def came_back(store: Store, scope: Scope, costs: Sequence[CaseCost], most: int) -> tuple[CameBack, ...]:
    """The cases with a fix that were met in another session after it was known, the dearest first."""
    found: list[CameBack] = []
    for cost in costs:
        row = cost.row
        if row.status not in ("draft", "verified"):
            continue
        fix = store.con.execute(_FIRST_FIX, (row.id,)).fetchone()
        if fix is None:
            continue
        since, source = cast("tuple[str, str]", fix)
        times, attempts, ms = _after(store.con, scope, row.id, since, source)
        if times:
            told, helped, *_, withheld = _told_of(store.con, scope, row.id)
            why = _why(store.con, row.id, told, helped, withheld)
            found.append(
                CameBack(row.id, row.key_line, times, attempts, minutes(ms), row.status, since, told, helped, why)
            )
    return tuple(sorted(found, key=lambda one: (-one.minutes, -one.times, one.case_id))[:most])


def told_cases(store: Store, scope: Scope, most: int) -> tuple[ToldCase, ...]:
    """The cases whose fixes were told or held back, the most frequent first."""
    tests, values = _told_tests(scope)
    found = cast(
        "list[tuple[int, int, int, int, int, int]]",
        store.con.execute(
            f"SELECT case_id, {_TOLD} FROM answer_outcome JOIN fingerprint USING (fingerprint)"
            f" WHERE fingerprint <> ''{tests} GROUP BY case_id ORDER BY count(*) DESC, case_id LIMIT ?",
            (*values, most),
        ).fetchall(),
    )
    rows = _rows(store, [case_id for case_id, *_ in found])
    return tuple(
        ToldCase(case_id, rows[case_id].key_line, rows[case_id].status, *counts)
        for case_id, *counts in found
        if case_id in rows
    )


def latest_session(store: Store, case_id: int) -> str | None:
    """The last session with an incident of the case, None where none is stored."""
    row = store.con.execute(
        "SELECT session_id FROM fingerprint JOIN insight_session USING (fingerprint) WHERE case_id = ?"
        " ORDER BY week DESC, session_id DESC LIMIT 1",
        (case_id,),
    ).fetchone()
    return None if row is None else cast("str", row[0])


def _rows(store: Store, cases: Sequence[int]) -> Mapping[int, CaseRow]:
    return {row.id: row for row in case_rows(store, tuple(cases))}


def _met(scope: Scope) -> tuple[str, str, list[str]]:
    """A join with `result_verdict v`, the condition on both, and its values."""
    join, tests, values = "", "", list[str]()
    if scope.since is not None:
        tests += " AND v.ts >= ?"
        values.append(scope.since)
    if scope.projects is not None:
        join = " CROSS JOIN session s ON s.id = v.session_id"
        tests += f" AND iif(s.repository = '', s.project, s.repository) IN ({', '.join('?' * len(scope.projects))})"
        values += sorted(scope.projects)
    return join, tests, values


def _sessions(con: apsw.Connection, scope: Scope, case_id: int) -> int:
    """The sessions that met a case."""
    where, values = scope.where("fingerprint IN (SELECT fingerprint FROM fingerprint WHERE case_id = ?)")
    row = con.execute(f"SELECT count(DISTINCT session_id) FROM insight_session{where}", (case_id, *values)).fetchone()
    return cast("int", row[0]) if row else 0


def _after(con: apsw.Connection, scope: Scope, case_id: int, since: str, source: str) -> tuple[int, int, int]:
    """The incidents of a case after a time, their attempts and milliseconds.

    The rest of that week is read one by one, later weeks from their sums.
    """
    join, tests, values = _met(scope)
    rest = con.execute(
        "SELECT count(*), sum(v.attempts), sum(CAST(round(v.seconds * 1000) AS INTEGER))"
        f" FROM fingerprint f CROSS JOIN result_verdict v ON {_FINDING} = f.fingerprint{join}"
        f" WHERE f.case_id = ? AND {_INCIDENT} AND v.ts > ? AND v.session_id <> ?"
        f" AND v.ts < coalesce(date(?, 'weekday 0', '+1 day'), ''){tests}",
        (case_id, since, source, since, *values),
    ).fetchone()
    where, bound = scope.where("f.case_id = ? AND week > coalesce(date(?, 'weekday 0', '-6 days'), '')")
    later = con.execute(
        "SELECT sum(incidents), sum(attempts), sum(milliseconds)"
        f" FROM fingerprint f CROSS JOIN insight_finding USING (fingerprint){where}",
        (case_id, since, *bound),
    ).fetchone()
    pairs = zip(cast("tuple[int | None, ...]", rest), cast("tuple[int | None, ...]", later), strict=True)
    times, attempts, ms = ((one or 0) + (other or 0) for one, other in pairs)
    return times, attempts, ms


def _told_tests(scope: Scope) -> tuple[str, list[str]]:
    tests, values = "", list[str]()
    if scope.since is not None:
        tests += " AND told_at >= ?"
        values.append(scope.since)
    if scope.projects is not None:
        tests += f" AND repository IN ({', '.join('?' * len(scope.projects))})"
        values += sorted(scope.projects)
    return tests, values


def _told_of(con: apsw.Connection, scope: Scope, case_id: int) -> tuple[int, int, int, int, int]:
    """How often a case was told, helped, failed again, was ignored and was held back."""
    tests, values = _told_tests(scope)
    row = con.execute(
        f"SELECT {_TOLD} FROM fingerprint f CROSS JOIN answer_outcome o ON o.fingerprint = f.fingerprint"
        f" WHERE f.case_id = ? AND o.fingerprint <> ''{tests}",
        (case_id, *values),
    ).fetchone()
    told, helped, failed, ignored, withheld = (count or 0 for count in cast("tuple[int | None, ...]", row))
    return told, helped, failed, ignored, withheld


def _why(con: apsw.Connection, case_id: int, told: int, helped: int, withheld: int) -> str:
    """What came of telling the fix of a case, or why it was not told."""
    if told:
        return f"Told {told}×, helped {helped}×."
    if withheld:
        return "Held back, to compare with."
    fixes = con.execute(
        "SELECT author, status, original FROM resolution WHERE case_id = ? AND status <> 'rejected'", (case_id,)
    ).fetchall()
    strengths = {strength_of(*cast("tuple[str, str, str | None]", fix)) for fix in fixes}
    return "Not told: the fix is weak." if strengths == {"weak"} else "Not told: nothing asked."
