"""A log that is applied in pages ends as one that is applied event by event."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.wire import canonical
from core.errors.cases.record import record_resolution
from core.flows.team.sync import replica
from core.flows.team.sync.replica import fold, require_replica
from core.flows.team.sync.session import _Round
from core.flows.team.sync.setup import join_team
from core.store import Store, open_store
from core.team.lessons_file import Record, Stamped, line_of, normal
from core.team.postgres.log import LESSON, WITHDRAWAL, Event, Position
from core.team.postgres.schema import Membership

PROJECTS = ("github.com/acme/shop", "github.com/acme/till")
ERRORS = {
    "l1": "KeyError: 'name one'", "l2": "KeyError: 'name two'", "l3": "KeyError: 'name one'",
    "l4": "TypeError: cannot read property cart of undefined",
}  # fmt: skip
"""Two lessons are about one error, and three of one case."""
TEXTS = ("export a=1", "export b=2", "export c=3")
REJECTED = TEXTS[1]
TIMES = [f"2026-11-0{day}T00:00:00.000Z" for day in range(1, 6)]


@st.composite
def decisions(draw: st.DrawFn) -> tuple[str, str, str, Record]:
    """A member decides on a lesson of a repository: shares it, changes it, shares it again, or withdraws it."""
    lesson, shared = draw(st.sampled_from(sorted(ERRORS))), draw(st.sampled_from(TIMES))
    later = st.sampled_from([time for time in TIMES if time >= shared])
    fields = {
        "error": Stamped(shared, canonical(ERRORS[lesson])),
        "text": Stamped(draw(later), canonical(draw(st.sampled_from(TEXTS)))),
        "tags": Stamped(draw(later), canonical(draw(st.sampled_from((["one"], ["one", "two"]))))),
    }
    record = normal(shared, draw(st.sampled_from(("", "", *TIMES))), fields)
    return draw(st.sampled_from(PROJECTS)), draw(st.sampled_from(("mina", "joon"))), lesson, record


def log_of(decided: Sequence[tuple[str, str, str, Record]]) -> list[Event]:
    """The log, as a casebook reads it that was away all the time: what was withdrawn since has no text."""
    events: list[Event] = []
    for seq, (project, actor, lesson, record) in enumerate(decided, 1):
        kind, time = (WITHDRAWAL, record.withdrawn) if record.is_withdrawn else (LESSON, record.shared)
        gone = any(
            other[0] == project and other[2] == lesson and other[3].is_withdrawn and other[3].withdrawn >= time
            for other in decided
        )
        line = None if gone and kind == LESSON else line_of(lesson, record)
        events.append(
            Event(seq, 1, f"id{seq}", kind, actor, "laptop", project, lesson, time, b"", time, b"%d" % seq, line)
        )
    return events


def applied(path: Path, events: Sequence[Event], page: int) -> tuple[list[tuple[Any, ...]], ...]:
    """What a casebook knows, answers and lists once it read the log, `page` events at a time."""
    record_resolution(path, ERRORS["l1"], REJECTED, status="rejected", author="ana")
    with open_store(path, write=True) as store:
        join_team(store, "host=/nowhere dbname=acme", Membership("acme", "member", "ana"), [])
        at = Position()
        for start in range(0, len(events), page):
            at, unread = fold(store, at, events[start : start + page])
            assert unread == 0
            _Round(store, cast("Any", None), require_replica(store)).take_over()
        return state(store)


QUERIES = (
    "SELECT repository, lesson, line, waits, decided_by FROM team_lesson ORDER BY 1, 2",
    "SELECT r.author, r.original, e.error_normalized, r.fingerprint, r.text, r.status, r.tags, r.lesson,"
    " iif(r.author = 'team', r.ts, '')"
    " FROM resolution r JOIN error_kb e ON e.id = r.case_id ORDER BY 1, 2, 5",
    "SELECT error_normalized, resolution, status, tool, seen, queued FROM error_kb JOIN case_state ON case_id = id"
    " ORDER BY 1",
    "SELECT fingerprint, key_line, tool, error_normalized FROM fingerprint JOIN error_kb ON id = case_id ORDER BY 1",
    "SELECT k.error_normalized, e.error_normalized FROM case_key k JOIN error_kb e ON e.id = k.case_id ORDER BY 1",
    "SELECT k.error_normalized, e.error_normalized FROM answer_key k JOIN error_kb e ON e.id = k.case_id ORDER BY 1",
    "SELECT key, value FROM meta WHERE key GLOB 'team_*' AND key NOT GLOB 'team_case:*' ORDER BY 1",
    "SELECT term, doc FROM case_term ORDER BY 1",
)
"""The tables without numbers of rows and times of arrival: those differ."""


def state(store: Store) -> tuple[list[tuple[Any, ...]], ...]:
    return tuple(store.con.execute(query).fetchall() for query in QUERIES)


@settings(max_examples=20)
@given(decided=st.lists(decisions(), min_size=2, max_size=14), page=st.integers(2, 7))
def test_pages_end_as_single_events(decided: list[tuple[str, str, str, Record]], page: int) -> None:
    events = log_of([*decided, *decided[:2]])  # twice: some were sent again
    with tempfile.TemporaryDirectory() as folder:
        one_by_one = applied(Path(folder) / "one.db", events, 1)
        assert applied(Path(folder) / "pages.db", events, page) == one_by_one
        assert applied(Path(folder) / "whole.db", events, len(events)) == one_by_one


def test_a_page_is_read_with_a_few_queries(tmp_path: Path) -> None:
    """Reading what is known does not grow with the events of a page."""
    counted: list[int] = []
    for size in (10, 200):
        decided = [
            (PROJECTS[0], "mina", f"n{at}", Record(TIMES[0], "", {
                "error": Stamped(TIMES[0], canonical(f"error TS2304: Cannot find name 'w{chr(97 + at % 26)}{at}'.")),
                "text": Stamped(TIMES[0], canonical("npm i")),
            }))
            for at in range(size)
        ]  # fmt: skip
        with open_store(tmp_path / f"{size}.db", write=True, create=True) as store:
            join_team(store, "host=/nowhere dbname=acme", Membership("acme", "member", "ana"), [])
            asked: list[str] = []

            def trace(_: object, sql: str, __: object, asked: list[str] = asked) -> bool:
                asked.append(sql)
                return True

            store.con.exec_trace = trace
            fold(store, Position(), log_of(decided))
            _Round(store, cast("Any", None), require_replica(store)).take_over()
            store.con.exec_trace = None
        counted.append(sum(sql.lstrip().startswith("SELECT") for sql in asked))
    assert replica.APPLY >= 200
    assert counted[0] == counted[1]


def test_the_number_of_a_case_that_went_is_not_given_again(tmp_path: Path) -> None:
    """A withdrawn lesson takes its case away; the history still names it."""
    one, two = (lesson_of(error) for error in (ERRORS["l1"], ERRORS["l4"]))
    gone = Record("", TIMES[1], {})
    with open_store(tmp_path / "book.db", write=True, create=True) as store:
        join_team(store, "host=/nowhere dbname=acme", Membership("acme", "member", "ana"), [])
        at, numbers = Position(), list[int]()
        for seq, (lesson, record) in enumerate((("l1", one), ("l1", gone), ("l4", two)), 1):
            (event,) = log_of([(PROJECTS[0], "mina", lesson, record)])
            at, _ = fold(store, at, [replace(event, seq=seq)])
            _Round(store, cast("Any", None), require_replica(store)).take_over()
            numbers += [row[0] for row in store.con.execute("SELECT id FROM error_kb")]
    assert numbers == [1, 2]


def lesson_of(error: str) -> Record:
    fields = {"error": canonical(error), "text": canonical("npm i")}
    return Record(TIMES[0], "", {name: Stamped(TIMES[0], value) for name, value in fields.items()})
