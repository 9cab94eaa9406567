"""Did it work: how often a failure or a correction came before and after a decision on it, by week."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final, NamedTuple, cast

from core.errors.cases.derived import meant_by, project_names
from core.errors.cases.resolutions import Resolution, answering
from core.flows.insights.report import Lead, Side, Worked, WorkedItem, WorkedWeek
from core.store import Store, faults, row_changes
from core.text import clean, redact

ITEMS: Final = 50
LEADS: Final = 5
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
_MET: Final = f"""SELECT v.ts, v.session_id, v.message_idx, {_PROJECT}
 FROM fingerprint f CROSS JOIN result_verdict v ON CAST(v.fingerprints ->> 0 AS TEXT) = f.fingerprint
 CROSS JOIN session s ON s.id = v.session_id
 WHERE f.case_id = ? AND v.verdict = 'incident' AND v.repeats IS NULL"""
_TOLD: Final = """SELECT count(*), sum(outcome = 'helped') FROM answer_outcome
 WHERE resolution_id = ? AND withheld = 0 AND told_at > ?"""
_ACCEPTED: Final = """SELECT d.id, d.rule, d.decided_at, d.repository, coalesce(u.shown, 0), coalesce(u.dismissed, 0),
 coalesce(u.helped, 0) FROM rule_draft d LEFT JOIN rule_use u ON u.path = d.path AND u.rule_id = d.rule_id
 WHERE d.status = 'accepted' AND d.decided_at <> '' ORDER BY d.decided_at DESC, d.id LIMIT ?"""
_SAID: Final = f"""SELECT c.ts, c.session_id, c.message_idx, {_PROJECT}
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
        projects = None if name is None else meant_by(con, name)
        sessions = _sessions(store)
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
        rows = cast("list[tuple[str, str, int, str]]", con.execute(_MET, (case_id,)).fetchall())
        told, helped = cast("tuple[int, int | None]", con.execute(_TOLD, (fix.id, decided)).fetchone() or (0, 0))
        line = con.execute(
            "SELECT key_line FROM fingerprint WHERE case_id = ? ORDER BY first_seen, fingerprint LIMIT 1", (case_id,)
        ).fetchone()
        what = fix.lesson.do.text if fix.lesson is not None else fix.text
        item = WorkedItem(
            "lesson", fix.id, case_id, _line(cast("str", line[0]) if line else ""), _line(what), decided,
            told, helped or 0,
        )  # fmt: skip
        yield _Decision(item, _within(rows, projects))


def _accepted(store: Store, projects: frozenset[str] | None, most: int) -> Iterable[_Decision]:
    """The rules that a person accepted from corrections: what they stand on is whether it was said again."""
    rows = store.con.execute(_ACCEPTED, (most,)).fetchall()
    for draft, rule, decided, repository, shown, dismissed, helped in cast(
        "list[tuple[int, str, str, str, int, int, int]]", rows
    ):
        if projects is not None and repository not in projects:
            continue
        said = cast("list[tuple[str, str, int, str]]", store.con.execute(_SAID, (draft,)).fetchall())
        item = WorkedItem("rule", draft, None, _line(rule), "", decided, shown, helped, dismissed)
        yield _Decision(item, _within(said, None))


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


def _sessions(store: Store) -> Mapping[str, Sequence[str]]:
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
    met = {one.project for one in events}
    began = [sessions[project] for project in sorted(met) if project in sessions]
    before = [one for one in events if one.ts <= item.decided]
    after = [one for one in events if one.ts > item.decided]
    early = sum(bisect_left(times, item.decided) for times in began)
    late = sum(map(len, began)) - early
    leads = tuple(
        Lead(one.session, one.message, one.ts, names.get(one.project, one.project)) for one in after[: -LEADS - 1 : -1]
    )
    return replace(
        item,
        before=Side(len(before), len({one.session for one in before}), early),
        after=Side(len(after), len({one.session for one in after}), late),
        by_week=_by_week(item.decided, before, after, began),
        still=leads,
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
