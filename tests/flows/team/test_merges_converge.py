"""Replicas that read the same log group errors into the same cases: merges, splits and undos of several people, and
decisions on the lessons meanwhile, in any order."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.base.wire import canonical
from core.errors.cases.resolutions import answering
from core.errors.curation.merging import merge
from core.errors.curation.splitting import shared_fixes, split
from core.errors.curation.transaction import look
from core.errors.identity.fingerprint import identify
from core.flows.system.history import take_back
from core.flows.team.importing import errors_of
from core.flows.team.sync import merges, session
from core.flows.team.sync.replica import known_lessons, put
from core.store import Store
from core.team.lessons_file import Record, Stamped
from tests.flows.team.test_converge import PROJECT, TIMES, Killed, replicas
from tests.postgres import Server

ERRORS = (
    "KeyError: 'name one'", "TypeError: cannot read property cart of undefined", "fatal: not a git repository",
    "src/app.ts(3,7): error TS2304: Cannot find name 'describe'.",
)  # fmt: skip
STEPS = ("append", "mark_sent", "fold", "join_cases", "split", "mark_line", "_note")

who, errors = st.integers(0, 2), st.integers(0, len(ERRORS) - 1)
acts = st.lists(
    st.one_of(
        st.tuples(st.just("merge"), who, st.tuples(errors, errors)),
        st.tuples(st.just("split"), who, errors),
        st.tuples(st.just("undo"), who, st.none()),
        st.tuples(st.just("edit"), who, st.tuples(errors, st.sampled_from(TIMES), st.sampled_from(("a", "b")))),
        st.tuples(st.just("withdraw"), who, errors),
        st.tuples(st.just("sync"), who, st.sampled_from((None, *STEPS))),
    ),
    min_size=3,
    max_size=12,
)  # fmt: skip


def lesson(at: int, time: str, text: str) -> Record:
    found = identify(ERRORS[at])
    said = {
        "errors": [{"fingerprint": found.fingerprint, "line": found.key_line, "tool": found.tool}],
        "key": found.normalized, "text": text,
    }  # fmt: skip
    fields = {name: Stamped(TIMES[0], canonical(value)) for name, value in sorted(said.items())}
    return Record(TIMES[0], "", fields | {"text": Stamped(time, canonical(text))})


def decide(store: Store, at: int, record: Record) -> None:
    with store.transaction() as con:
        put(con, PROJECT, f"l{at}", record, None, waits=True)


def sync(store: Store, dies: str | None = None) -> None:
    """A round; `dies`: the process ends around this step."""
    with pytest.MonkeyPatch.context() as patch:
        if dies is not None:
            place = merges if hasattr(merges, dies) else session
            real = getattr(place, dies)

            def die(*args: Any, **more: Any) -> None:
                real(*args, **more)
                raise Killed

            patch.setattr(place, dies, die)
        try:
            session.sync(store)
        except Killed:
            return


def meet_errors(store: Store) -> None:
    """Every error was seen in the repository, too."""
    with store.transaction() as con:
        con.executemany(
            "INSERT INTO occurrence(fingerprint, project, ts) VALUES (?, ?, ?)",
            [(identify(error).fingerprint, PROJECT, TIMES[0]) for error in ERRORS],
        )


def case_of(store: Store, at: int) -> int | None:
    row = store.con.execute(
        "SELECT case_id FROM fingerprint WHERE fingerprint = ?", (identify(ERRORS[at]).fingerprint,)
    ).fetchone()
    return None if row is None else int(row[0])


def act(store: Store, name: str, what: Any) -> None:
    """What a person does here; refused as a person would be refused."""
    try:
        if name == "merge":
            into, other = (case_of(store, at) for at in what)
            if into is not None and other is not None and into != other:
                merge(store, "ana", look(store.con, into), [look(store.con, other)])
        elif name == "split":
            case_id = case_of(store, what)
            if case_id is not None:
                going = [identify(ERRORS[what]).fingerprint]
                keep = {one.id for one in shared_fixes(store, case_id, going)}
                split(store, "ana", look(store.con, case_id), going, keep=keep)
        else:
            take_back(store, "ana", by="ana")
    except Fault:
        return


def groups(store: Store) -> list[Any]:
    """Which errors with a lesson are of one case, the folded log, and errors with a lesson that nothing answers."""
    named = {mark for one in known_lessons(store.con, PROJECT).values() for mark in errors_of(one)}
    alive = [at for at in range(len(ERRORS)) if identify(ERRORS[at]).fingerprint in named]
    found: dict[int | None, list[int]] = {}
    for at in alive:
        found.setdefault(case_of(store, at), []).append(at)
    lines = store.con.execute("SELECT lesson, line, waits FROM team_lesson ORDER BY lesson").fetchall()
    silent = [at for at in alive if (case_id := case_of(store, at)) is None or not is_answered(store, case_id, at)]
    return [sorted(found.values()), [row for row in lines if not str(row[0]).startswith("merge-")], silent]


def is_answered(store: Store, case_id: int, at: int) -> bool:
    return answering(store.con, case_id, identify(ERRORS[at]).fingerprint) is not None


CHAIN = [
    ("merge", 0, (0, 1)), ("merge", 1, (1, 2)), ("sync", 0, None), ("sync", 1, None), ("sync", 2, None),
    ("undo", 0, None), ("edit", 2, (1, TIMES[2], "b")), ("sync", 2, "fold"), ("merge", 2, (3, 1)),
]  # fmt: skip
"""Two people merge one case into and out of another at once, and one of them undoes it."""


TWO_INTO_ONE = [
    ("merge", 0, (0, 1)), ("merge", 0, (0, 2)), ("sync", 0, None), ("sync", 1, None), ("sync", 2, "mark_line"),
    ("split", 1, 1), ("sync", 1, None), ("sync", 0, "split"), ("merge", 2, (2, 3)),
]  # fmt: skip
"""Two cases are merged into one, and the first is split off elsewhere."""


OUT_OF_ONE = [("merge", 0, (0, 1)), ("merge", 1, (2, 1))]
"""Two people merge one case into two others at once: the second merge is found after the first one arrived."""


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=acts)
@example(acts=CHAIN)
@example(acts=TWO_INTO_ONE)
@example(acts=OUT_OF_ONE)
def test_replicas_with_merges_converge(postgres: Server, acts: list[tuple[str, int, Any]]) -> None:
    team = postgres.team()
    with tempfile.TemporaryDirectory() as folder:
        stores = replicas(Path(folder), [postgres.member(team)] * 3)
        play(stores, acts)
        first, second, third = map(groups, stores)
        assert first == second == third
        assert first[2] == []
        for store in stores:
            store.close()


def play(stores: list[Store], acts: list[tuple[str, int, Any]]) -> None:
    """Share a lesson on each error, do `acts`, and let every replica hear of it."""
    for at in range(len(ERRORS)):
        decide(stores[0], at, lesson(at, TIMES[0], f"fix {at}"))
    for store in stores:
        sync(store)
        meet_errors(store)
    for name, at, what in acts:
        if name == "edit":
            decide(stores[at], what[0], lesson(*what))
        elif name == "withdraw":
            decide(stores[at], what, Record("", TIMES[3], {}))
        elif name == "sync":
            sync(stores[at], cast("str | None", what))
        else:
            act(stores[at], name, what)
    for store in (*stores, *stores, *stores):
        sync(store)


def test_a_lesson_that_is_on_another_error_now_answers_there_alone(postgres: Server, tmp_path: Path) -> None:
    """It was withdrawn while a merge kept its fix, which a split then left with the other error."""
    team = postgres.team()
    stores = replicas(tmp_path, [postgres.member(team)] * 3)
    play(
        stores,
        [("withdraw", 0, 2), ("merge", 1, (2, 0)), ("sync", 0, None), ("sync", 1, "_note"), ("split", 1, 2)],
    )
    for store in stores:
        case_id = case_of(store, 2)
        assert case_id is not None
        assert answering(store.con, case_id, identify(ERRORS[2]).fingerprint) is None
        texts = store.con.execute("SELECT text FROM resolution WHERE case_id = ?", (case_of(store, 0),)).fetchall()
        assert sorted(texts) == [("fix 0",), ("fix 2",)]
        store.close()
