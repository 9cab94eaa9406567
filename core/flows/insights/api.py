"""Insights (`insights.v1`): what failed, what it cost, what came back, what helped; failures before and after a fix."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Final, NamedTuple, cast

import apsw

from core.base.fault import Fault
from core.errors.cases.browse import case_rows
from core.errors.cases.case import CaseRow
from core.errors.cases.derived import project_aliases, project_names
from core.errors.cases.resolutions import Resolution, answering
from core.errors.fixes import strength_of
from core.flows.insights.report import (
    AnsweredCase,
    AnswersByChannel,
    Insights,
    Lead,
    ProjectCost,
    RecurredCase,
    Side,
    ToolCost,
    Totals,
    Week,
    Worked,
    WorkedItem,
    WorkedWeek,
    WorstCase,
)
from core.store import Store, faults, row_changes
from core.text import clean, redact

_MINUTE_MS: Final = 60_000
_COSTS: Final = "sum(failures), sum(incidents), sum(attempts), sum(messages), sum(milliseconds)"
_CASE_OF_ANSWER: Final = (
    "coalesce((SELECT case_id FROM fingerprint AS f WHERE f.fingerprint = a.fingerprint),"
    " (SELECT case_id FROM resolution AS r WHERE r.id = a.resolution_id))"
)
"""The case of an answer: of the error, or of the fix if the error was searched in other words."""
_ANSWER_SUMS: Final = "sum(told), sum(helped), sum(failed_again), sum(ignored), sum(withheld)"


@dataclass(frozen=True, slots=True)
class Scope:
    """Which weeks and projects are summed. `since` is a Monday; None lets all pass."""

    since: str | None = None
    projects: frozenset[str] | None = None

    def where(self, *more: str) -> tuple[str, list[str]]:
        """The condition on `week` and `project` with its values; `more` conditions have none."""
        tests, values = [*more], list[str]()
        if self.since is not None:
            tests.append("week >= ?")
            values.append(self.since)
        if self.projects is not None:
            tests.append(f"project IN ({', '.join('?' * len(self.projects))})")
            values += sorted(self.projects)
        return (f" WHERE {' AND '.join(tests)}" if tests else ""), values


def minutes(milliseconds: int) -> float:
    """Milliseconds as minutes to a tenth."""
    return round(milliseconds / _MINUTE_MS, 1)


def by_week(con: apsw.Connection, scope: Scope) -> tuple[Week, ...]:
    """Return the weeks with failures or shown fixes, newest first."""
    found: dict[str, Week] = {}
    for week, failures, incidents, attempts, _, ms in _sums(con, scope, "week", _COSTS, "insight_week"):
        found[week] = Week(week, failures, incidents, attempts, minutes(ms))
    for week, answered, helped, *_ in _sums(con, scope, "week", _ANSWER_SUMS, "insight_answer"):
        found[week] = replace(found.get(week, Week(week)), answered=answered, helped=helped)
    return tuple(sorted(found.values(), key=lambda one: one.week, reverse=True))


def by_tool(con: apsw.Connection, scope: Scope) -> tuple[ToolCost, ...]:
    """The programs and tools that failed, the dearest first."""
    rows = _sums(con, scope, "program", _COSTS, "insight_week")
    found = (ToolCost(*cast("tuple[str, int, int, int, int]", row[:5]), minutes(row[5])) for row in rows)
    return tuple(sorted(found, key=lambda one: (-one.minutes, -one.failures, one.tool)))


def by_project(con: apsw.Connection, scope: Scope, names: Mapping[str, str]) -> tuple[ProjectCost, ...]:
    """Return the projects with failures or shown fixes, the most expensive first. `names` are their display names."""
    found: dict[str, ProjectCost] = {}
    for project, failures, incidents, attempts, _, ms in _sums(con, scope, "project", _COSTS, "insight_week"):
        shown = names.get(project, project)
        found[project] = ProjectCost(project, shown, failures, incidents, attempts, minutes(ms))
    for project, answered, helped, *_ in _sums(con, scope, "project", _ANSWER_SUMS, "insight_answer"):
        known = found.get(project, ProjectCost(project, names.get(project, project), 0, 0, 0, 0.0))
        found[project] = replace(known, answered=answered, helped=helped)
    return tuple(sorted(found.values(), key=lambda one: (-one.minutes, -one.failures, one.project)))


def by_way(con: apsw.Connection, scope: Scope) -> tuple[AnswersByChannel, ...]:
    """Return the channels of shown fixes, the most frequent first."""
    rows = _sums(con, scope, "via", _ANSWER_SUMS, "insight_answer")
    found = (AnswersByChannel(*cast("tuple[str, int, int, int, int, int]", row)) for row in rows)
    return tuple(sorted(found, key=lambda one: (-one.told, one.via)))


def totals(con: apsw.Connection, scope: Scope) -> Totals:
    where, values = scope.where()
    costs = con.execute(f"SELECT {_COSTS} FROM insight_week{where}", values).fetchone()
    row = con.execute(f"SELECT sum(told), sum(helped) FROM insight_answer{where}", values).fetchone()
    failures, incidents, attempts, _, ms = cast("tuple[int | None, ...]", costs)
    answered, helped = cast("tuple[int | None, ...]", row)
    return Totals(failures or 0, incidents or 0, attempts or 0, minutes(ms or 0), answered or 0, helped or 0)


def _sums(con: apsw.Connection, scope: Scope, key: str, sums: str, table: str) -> Iterable[tuple[Any, ...]]:
    where, values = scope.where()
    return con.execute(f"SELECT {key}, {sums} FROM {table}{where} GROUP BY {key}", values).fetchall()


_CANDIDATES: Final = 500
"""The dearest cases, among which those that came back are looked for."""

_FINDING: Final = "CAST(v.fingerprints ->> 0 AS TEXT)"
"""The first finding of `result_verdict v`, as the index has it."""
_INCIDENT: Final = "v.verdict = 'incident' AND v.repeats IS NULL"
_ANSWERS_OF_CASE: Final = (
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


def worst(store: Store, scope: Scope, costs: Sequence[CaseCost], names: Mapping[str, str]) -> tuple[WorstCase, ...]:
    """These cases with the sessions that met them, and the project where they cost most."""
    return tuple(
        WorstCase(
            cost.row.id,
            cost.row.key_line,
            cost.times,
            _sessions(store.con, scope, cost.row.id),
            cost.attempts,
            minutes(cost.milliseconds),
            cost.row.status,
            _project(store.con, scope, cost.row.id, names),
        )
        for cost in costs
    )


def recurred_cases(store: Store, scope: Scope, costs: Sequence[CaseCost], most: int) -> tuple[RecurredCase, ...]:
    """The cases with a fix that were met in another session after it was known, the dearest first."""
    found: list[RecurredCase] = []
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
            answered, helped, *_, withheld = _answer_counts(store.con, scope, row.id)
            why = _why(store.con, row.id, answered, helped, withheld)
            found.append(
                RecurredCase(
                    row.id, row.key_line, times, attempts, minutes(ms), row.status, since, answered, helped, why
                )
            )
    return tuple(sorted(found, key=lambda one: (-one.minutes, -one.times, one.case_id))[:most])


def answered_cases(store: Store, scope: Scope, most: int) -> tuple[AnsweredCase, ...]:
    """Return the cases with shown or withheld fixes, the most frequent first."""
    tests, values = _answer_filter(scope)
    found = cast(
        "list[tuple[int, int, int, int, int, int]]",
        store.con.execute(
            f"SELECT {_CASE_OF_ANSWER} AS of_case, {_ANSWERS_OF_CASE} FROM answer_outcome AS a"
            f" WHERE of_case IS NOT NULL{tests} GROUP BY of_case ORDER BY count(*) DESC, of_case LIMIT ?",
            (*values, most),
        ).fetchall(),
    )
    rows = _rows(store, [case_id for case_id, *_ in found])
    return tuple(
        AnsweredCase(case_id, rows[case_id].key_line, rows[case_id].status, *counts)
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


def _scope_filter(scope: Scope) -> tuple[str, str, list[str]]:
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
    where, values = scope.where("fingerprint IN (SELECT fingerprint FROM fingerprint WHERE case_id = ?)")
    row = con.execute(f"SELECT count(DISTINCT session_id) FROM insight_session{where}", (case_id, *values)).fetchone()
    return cast("int", row[0]) if row else 0


def _project(con: apsw.Connection, scope: Scope, case_id: int, names: Mapping[str, str]) -> str:
    where, values = scope.where("fingerprint IN (SELECT fingerprint FROM fingerprint WHERE case_id = ?)")
    found = con.execute(
        f"SELECT project FROM insight_finding{where} GROUP BY project ORDER BY sum(milliseconds) DESC, project LIMIT 1",
        (case_id, *values),
    ).fetchone()
    project = cast("str", found[0]) if found else ""
    return names.get(project, project)


def _after(con: apsw.Connection, scope: Scope, case_id: int, since: str, source: str) -> tuple[int, int, int]:
    """The incidents of a case after a time, their attempts and milliseconds.

    The rest of that week is read one by one, later weeks from their sums.
    """
    join, tests, values = _scope_filter(scope)
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


def _answer_filter(scope: Scope) -> tuple[str, list[str]]:
    tests, values = "", list[str]()
    if scope.since is not None:
        tests += " AND told_at >= ?"
        values.append(scope.since)
    if scope.projects is not None:
        tests += f" AND repository IN ({', '.join('?' * len(scope.projects))})"
        values += sorted(scope.projects)
    return tests, values


def _answer_counts(con: apsw.Connection, scope: Scope, case_id: int) -> tuple[int, int, int, int, int]:
    """Return how often a case's fix was shown, helped, failed again, was ignored and was held back."""
    tests, values = _answer_filter(scope)
    row = con.execute(
        f"SELECT {_ANSWERS_OF_CASE} FROM fingerprint f CROSS JOIN answer_outcome o ON o.fingerprint = f.fingerprint"
        f" WHERE f.case_id = ? AND o.fingerprint <> ''{tests}",
        (case_id, *values),
    ).fetchone()
    answered, helped, failed, ignored, withheld = (count or 0 for count in cast("tuple[int | None, ...]", row))
    return answered, helped, failed, ignored, withheld


def _why(con: apsw.Connection, case_id: int, answered: int, helped: int, withheld: int) -> str:
    """Return the outcomes of the shown fix of a case, or why it was not shown."""
    if answered:
        return f"Shown {answered}×, helped {helped}×."
    if withheld:
        return "Withheld (control group)."
    fixes = con.execute(
        "SELECT author, status, original FROM resolution WHERE case_id = ? AND status <> 'rejected'", (case_id,)
    ).fetchall()
    strengths = {strength_of(*cast("tuple[str, str, str | None]", fix)) for fix in fixes}
    return "Not shown: the fix is weak." if strengths == {"weak"} else "Not shown: no hook call."


CASES: Final = 50
"""Cases of each list."""


def week_of(text: str) -> str:
    """The Monday of the week of a date. Raises Fault invalid_input for a text that begins with none."""
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:
        raise Fault("invalid_input", f"{text} is not a date", "use the format 2026-01-31") from None
    return str(day - timedelta(days=day.weekday()))


def insights(store: Store, since: str | None = None, project: str | None = None, cases: int = CASES) -> Insights:
    """Return failures, their cost, recurrences, and fixes that were shown and helped.

    `since` is a date, and its whole week counts; `project` a repository's name, long or short, or a folder. `cases` is
    how many each list of cases holds. Raises Fault: invalid_input for a text that is no date, and those of the store.
    """
    week = None if since is None else week_of(since)
    name = None if project is None else redact(project)  # as it is stored
    with faults(store.path):
        con = store.con
        scope = Scope(week, None if name is None else project_aliases(con, name))
        costs = dearest(store, scope)
        names = project_names(con)
        return Insights(
            since=week,
            project=name,
            totals=totals(con, scope),
            by_week=by_week(con, scope),
            by_tool=by_tool(con, scope),
            by_project=by_project(con, scope, names),
            worst=worst(store, scope, costs[:cases], names),
            came_back=recurred_cases(store, scope, costs, cases),
            told=answered_cases(store, scope, cases),
            by_way=by_way(con, scope),
        )


def projects(store: Store) -> tuple[tuple[str, str], ...]:
    """Every project in which something failed, the dearest first: its repository or folder, and how it is shown."""
    with faults(store.path):
        found = by_project(store.con, Scope(), project_names(store.con))
    return tuple((one.project, one.name) for one in found)


ITEMS: Final = 50
MAX_LEADS: Final = 5
_WEEKS: Final = 52
"""Weeks that are listed of an item, the latest."""
_CHANGES: Final = 40
_CHANGE_BYTES: Final = 1 << 20
"""The largest change in which the date of a decision is looked for: larger ones are harvests."""
_TEXT: Final = 300

_PROJECT: Final = "iif(s.repository = '', s.project, s.repository)"
_VERIFIED: Final = """SELECT c.case_id FROM case_state c CROSS JOIN fingerprint f USING (case_id)
 CROSS JOIN insight_finding i USING (fingerprint) WHERE c.status = 'verified' AND (?1 IS NULL OR i.project IN
 (SELECT value FROM json_each(?1))) GROUP BY c.case_id ORDER BY sum(i.milliseconds) DESC, c.case_id LIMIT ?2"""
_OCCURRENCES: Final = f"""SELECT v.ts, v.session_id, v.message_idx, {_PROJECT}
 FROM fingerprint f CROSS JOIN result_verdict v ON CAST(v.fingerprints ->> 0 AS TEXT) = f.fingerprint
 CROSS JOIN session s ON s.id = v.session_id
 WHERE f.case_id = ? AND v.verdict = 'incident' AND v.repeats IS NULL"""
_ANSWERED: Final = """SELECT count(*), sum(outcome = 'helped') FROM answer_outcome
 WHERE resolution_id = ? AND withheld = 0 AND told_at > ?"""
_ACCEPTED: Final = """SELECT d.id, d.rule, d.decided_at, d.repository, coalesce(u.shown, 0), coalesce(u.dismissed, 0),
 coalesce(u.helped, 0) FROM rule_draft d LEFT JOIN rule_use u ON u.path = d.path AND u.rule_id = d.rule_id
 WHERE d.status = 'accepted' AND d.decided_at <> '' ORDER BY d.decided_at DESC, d.id LIMIT ?"""
_CORRECTIONS: Final = f"""SELECT c.ts, c.session_id, c.message_idx, {_PROJECT}
 FROM correction c JOIN session s ON s.id = c.session_id WHERE c.draft_id = ?"""
_DATED: Final = """SELECT r.id, r.title, r.body ->> 'date', coalesce(u.shown, 0), coalesce(u.dismissed, 0),
 coalesce(u.helped, 0) FROM rule r JOIN rule_use u ON u.path = r.path AND u.rule_id = r.rule_id
 WHERE json_valid(r.body) AND r.body ->> 'date' GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*'
 AND NOT EXISTS (SELECT 1 FROM rule_draft d WHERE d.status = 'accepted' AND d.path = r.path AND d.rule_id = r.rule_id)
 ORDER BY u.shown DESC, r.id LIMIT ?"""


class _Event(NamedTuple):
    """An incident or a correction: when, where, and the project of its session."""

    ts: str
    session: str
    message: int
    project: str


class _Decision(NamedTuple):
    """What was decided when, and the events that it was to end; None: no event is stored."""

    item: WorkedItem
    events: Sequence[_Event] | None


def worked(store: Store, project: str | None = None, items: int = ITEMS) -> Worked:
    """The verified fixes and the dated rules, what still comes first.

    `project` is a repository's name, long or short, or a folder. Raises Fault of the store.
    """
    name = None if project is None else redact(project)
    with faults(store.path):
        con = store.con
        projects = None if name is None else project_aliases(con, name)
        sessions = _sessions_by_project(store)
        names = project_names(con)
        decisions = [*_lessons(store, projects, items), *_accepted(store, projects, items)]
        decisions += _dated(store, items) if projects is None else []
        found = [_compared(one, sessions, names) for one in decisions]
    return Worked(name, tuple(sorted(found, key=_order)[:items]))


def _order(item: WorkedItem) -> tuple[int, int, str, int]:
    after = item.after.times if item.after is not None else -1
    before = item.before.times if item.before is not None else -1
    return -after, -before, item.kind, item.id


def _lessons(store: Store, projects: frozenset[str] | None, most: int) -> Iterable[_Decision]:
    con, scope = store.con, None if projects is None else json.dumps(sorted(projects))
    for (case_id,) in cast("list[tuple[int]]", con.execute(_VERIFIED, (scope, most)).fetchall()):
        fix = answering(con, case_id)
        if fix is None or fix.status != "verified":
            continue
        decided = _decided(store, case_id, fix)
        rows = cast("list[tuple[str, str, int, str]]", con.execute(_OCCURRENCES, (case_id,)).fetchall())
        answered, helped = cast(
            "tuple[int, int | None]", con.execute(_ANSWERED, (fix.id, decided)).fetchone() or (0, 0)
        )
        line = con.execute(
            "SELECT key_line FROM fingerprint WHERE case_id = ? ORDER BY first_seen, fingerprint LIMIT 1", (case_id,)
        ).fetchone()
        what = fix.lesson.do.text if fix.lesson is not None else fix.text
        item = WorkedItem(
            "lesson", fix.id, case_id, _line(cast("str", line[0]) if line else ""), _line(what), decided,
            answered, helped or 0,
        )  # fmt: skip
        yield _Decision(item, _within(rows, projects))


def _accepted(store: Store, projects: frozenset[str] | None, most: int) -> Iterable[_Decision]:
    """Yield the rules accepted from corrections; their measure is whether the correction was repeated."""
    rows = store.con.execute(_ACCEPTED, (most,)).fetchall()
    for draft, rule, decided, repository, shown, dismissed, helped in cast(
        "list[tuple[int, str, str, str, int, int, int]]", rows
    ):
        if projects is not None and repository not in projects:
            continue
        corrections = cast("list[tuple[str, str, int, str]]", store.con.execute(_CORRECTIONS, (draft,)).fetchall())
        item = WorkedItem("rule", draft, None, _line(rule), "", decided, shown, helped, dismissed)
        yield _Decision(item, _within(corrections, None))


def _dated(store: Store, most: int) -> Iterable[_Decision]:
    """The rules of rule files that say their date and were shown: they are counted without weeks."""
    for rule, title, day, shown, dismissed, helped in cast(
        "list[tuple[int, str, str, int, int, int]]", store.con.execute(_DATED, (most,)).fetchall()
    ):
        item = WorkedItem("rule", rule, None, _line(title), "", day[:10], shown, helped, dismissed)
        yield _Decision(item, None)


def _within(rows: Iterable[tuple[str, str, int, str]], projects: frozenset[str] | None) -> list[_Event]:
    return sorted(_Event(*row) for row in rows if row[0] and (projects is None or row[3] in projects))


def _line(text: str) -> str:
    return " ".join(clean(text).split())[:_TEXT]


def _decided(store: Store, case_id: int, fix: Resolution) -> str:
    """When the fix was verified: as the history has it, else when it was written."""
    rows = store.con.execute(
        "SELECT id, ts FROM journal WHERE undoes IS NULL AND length(changeset) <= ? AND id IN (SELECT journal_id"
        " FROM journal_subject WHERE kind = 'error_kb' AND item = ?) ORDER BY id DESC LIMIT ?",
        (_CHANGE_BYTES, case_id, _CHANGES),
    ).fetchall()
    for change, ts in cast("list[tuple[int, str]]", rows):
        for row in row_changes(store, change):
            if row.table == "resolution" and row.key == fix.id:
                status = next((after for name, _, after in row.columns if name == "status"), None)
                if status == "verified":
                    return ts
    return fix.ts


def _sessions_by_project(store: Store) -> Mapping[str, Sequence[str]]:
    """When the sessions of each project began, in order."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for project, started in cast(
        "Iterable[tuple[str, str]]", store.con.execute(f"SELECT {_PROJECT}, started FROM session s WHERE started <> ''")
    ):
        found[project].append(started)
    for times in found.values():
        times.sort()
    return found


def _compared(decision: _Decision, sessions: Mapping[str, Sequence[str]], names: Mapping[str, str]) -> WorkedItem:
    """The decision with its two sides, its weeks, and where it is still broken."""
    item, events = decision
    if events is None:
        return item
    projects = {one.project for one in events}
    began = [sessions[project] for project in sorted(projects) if project in sessions]
    before = [one for one in events if one.ts <= item.decided]
    after = [one for one in events if one.ts > item.decided]
    early = sum(bisect_left(times, item.decided) for times in began)
    late = sum(map(len, began)) - early
    last = tuple(
        Lead(one.session, one.message, one.ts, names.get(one.project, one.project))
        for one in after[: -MAX_LEADS - 1 : -1]
    )
    return replace(
        item,
        before=Side(len(before), len({one.session for one in before}), early),
        after=Side(len(after), len({one.session for one in after}), late),
        by_week=_by_week(item.decided, before, after, began),
        still=last,
    )


def _by_week(
    decided: str, before: Sequence[_Event], after: Sequence[_Event], began: Sequence[Sequence[str]]
) -> tuple[WorkedWeek, ...]:
    """Every week from the first event to the last session, oldest first; of a long time the latest weeks."""
    counts = Counter((monday(one.ts), side) for side, events in enumerate((before, after)) for one in events)
    ends = [one.ts for one in (*before[:1], *after[-1:])] + [decided] + [times[-1] for times in began]
    known = [week for week in map(monday, ends) if week is not None]
    if not known:
        return ()
    weeks = list[WorkedWeek]()
    week = max(min(known), max(known) - timedelta(weeks=_WEEKS - 1))
    while week <= max(known):
        following = week + timedelta(weeks=1)
        held = sum(bisect_left(times, str(following)) - bisect_left(times, str(week)) for times in began)
        weeks.append(WorkedWeek(str(week), counts[week, 0], counts[week, 1], held))
        week = following
    return tuple(weeks)


def monday(ts: str) -> date | None:
    """The Monday of a time's week; None where it is no time."""
    try:
        day = date.fromisoformat(ts[:10])
    except ValueError:
        return None
    return day - timedelta(days=day.weekday())
