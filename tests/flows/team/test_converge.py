"""Replicas that read the same log are equal, whatever happened on the way: decisions at any time, offline, twice,
withdrawn, and processes that die between any two steps."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.base.wire import canonical
from core.flows.team.place import TeamPlace
from core.flows.team.sync import received, session
from core.flows.team.sync.replica import known_lessons, put
from core.flows.team.sync.setup import join_team, look_at_team
from core.store import Store, open_store
from core.team.lessons_file import Record, Stamped, join, normal, parse_line
from core.team.postgres.log import read_all
from core.team.postgres.server import connected
from tests.postgres import Server

PROJECT = "github.com/acme/shop"
TIMES = [f"2026-11-0{day}T00:00:00.000Z" for day in range(1, 5)]
IDS = ("l1", "l2", "l3")
STEPS = ("append", "mark_sent", "fold", "mark_applied")


class Killed(BaseException):
    """The process is gone."""


@st.composite
def decisions(draw: st.DrawFn) -> tuple[str, Record]:
    """A lesson as somebody shares it, or its withdrawal."""
    lesson, shared = draw(st.sampled_from(IDS)), draw(st.sampled_from(TIMES))
    fields = {
        "error": Stamped(shared, canonical(f"KeyError: 'name {lesson}'")),
        "text": Stamped(draw(st.sampled_from([time for time in TIMES if time >= shared])), canonical(draw(texts))),
    }
    return lesson, normal(shared, draw(st.sampled_from(("", "", *TIMES))), fields)


texts = st.sampled_from(("export a=1", "export b=2", "export c=3"))
who = st.sampled_from((0, 1, 2))
deaths = st.sampled_from((None, *STEPS))
acts = st.lists(
    st.one_of(
        st.tuples(st.just("decide"), who, decisions()),
        st.tuples(st.just("sync"), who, deaths),
        st.tuples(st.just("twice"), who, st.none()),
        st.tuples(st.just("again"), who, deaths),
        st.tuples(st.sampled_from(("reject", "verify")), who, st.sampled_from(IDS)),
    ),
    min_size=3,
    max_size=14,
)  # fmt: skip


def sync(store: Store, dies: str | None = None, *, again: bool = False) -> None:
    """A round; `dies`: the process ends in this step, after it for the server's part and inside it for ours."""
    with pytest.MonkeyPatch.context() as patch:
        if dies is not None:
            place = received if dies == "mark_applied" else session
            real = getattr(place, dies)

            def die(*args: object) -> None:
                if dies in ("append", "fold"):
                    real(*args)
                raise Killed

            patch.setattr(place, dies, die)
        try:
            session.sync(store, again=again)
        except Killed:
            return


def state(store: Store) -> tuple[list[Any], ...]:
    """What a replica knows, and what it answers."""
    rows = store.con.execute("SELECT lesson, line FROM team_lesson ORDER BY lesson").fetchall()
    answers = store.con.execute(
        "SELECT json_extract(original, '$.team.id'), text, status, ts FROM resolution WHERE author = 'team' ORDER BY 1"
    ).fetchall()
    waits = store.con.execute("SELECT count(*) FROM team_lesson WHERE waits").fetchall()
    cases = store.con.execute("SELECT error_normalized FROM error_kb ORDER BY 1").fetchall()
    return rows, answers, waits, cases


def judge(store: Store, lesson: str, status: str) -> None:
    """A person rejects the team's fix, or verifies it again."""
    with store.transaction() as con:
        con.execute(
            "UPDATE resolution SET status = ? WHERE author = 'team' AND json_extract(original, '$.team.id') = ?",
            (status, lesson),
        )


def replicas(folder: Path, addresses: Sequence[str]) -> list[Store]:
    made: list[Store] = []
    for at, address in enumerate(addresses):
        store = open_store(folder / f"{at}.db", write=True, create=True)
        place = TeamPlace(folder / str(at), PROJECT, frozenset((PROJECT,)))
        join_team(store, address, look_at_team(address, ""), [place])
        made.append(store)
    return made


_LESSON = Record(
    TIMES[0], "", {name: Stamped(TIMES[0], canonical(f"KeyError: '{name}'")) for name in ("error", "text")}
)
KILLED_THEN_WITHDRAWN = [
    ("decide", 0, ("l3", _LESSON)), ("sync", 0, None), ("sync", 2, "mark_applied"),
    ("decide", 0, ("l3", Record("", TIMES[3], {}))),
]  # fmt: skip
"""The process dies while it takes a lesson over: no case may stay of it."""


_KNOWN_LINE = {name: Stamped(TIMES[0], canonical("KeyError: 'name l2'")) for name in ("error", "text")}
REJECTED_HERE: list[tuple[str, int, Any]] = [
    ("decide", 1, ("l2", Record(TIMES[0], "", _KNOWN_LINE))), ("sync", 1, None), ("sync", 0, None),
    ("reject", 0, "l2"), ("sync", 0, None),
]  # fmt: skip
"""The rejection comes back to whoever rejected: their fix has the time that it has elsewhere."""


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=acts)
@example(acts=KILLED_THEN_WITHDRAWN)
@example(acts=REJECTED_HERE)
def test_replicas_converge(postgres: Server, acts: list[tuple[str, int, Any]]) -> None:
    team = postgres.team()
    address = postgres.member(team)
    with tempfile.TemporaryDirectory() as folder:
        stores = replicas(Path(folder), [address] * 3)
        expected: dict[str, Record] = {}
        for act, at, what in acts:
            store = stores[at]
            if act == "decide":
                lesson, record = what
                with store.transaction() as con:
                    put(con, PROJECT, lesson, record, None)
                    con.execute("UPDATE team_lesson SET waits = 1")  # no fix of ours is behind it
                expected[lesson] = join(expected.get(lesson, record), record)
            elif act in ("reject", "verify"):
                judge(store, what, "rejected" if act == "reject" else "verified")
            elif act == "twice":
                with store.transaction() as con:
                    con.execute("UPDATE team_outbox SET sent = 0")
            else:
                sync(store, what, again=act == "again")
        for store in (*stores, *stores):
            sync(store)
        first, second, third = map(state, stores)
        assert first == second == third
        known = known_lessons(stores[0].con, PROJECT)
        assert {id_: join(known[id_], one) for id_, one in expected.items()} == known  # and what was rejected
        alive = {id_: "rejected" if one.is_rejected else "verified" for id_, one in known.items() if one.shared}
        assert {row[0]: row[2] for row in first[1]} == alive
        folded: dict[str, Record] = {}
        with connected(address) as con:
            for event in read_all(con, team):
                if event.line is not None:
                    id_, record = parse_line(event.line.encode())
                    folded[id_] = join(folded.get(id_, record), record)
        assert folded == known
        bodies = json.dumps(postgres.sql("SELECT body FROM casebook.team_payload WHERE team = %s", team))
        for id_, one in expected.items():
            if one.is_withdrawn:
                assert f"name {id_}" not in bodies
        for store in stores:
            store.close()
