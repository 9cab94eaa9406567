"""Lessons that were received from a server answer by their error before they are in the cases."""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import shutil
import string
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

from cli.main import main
from core.base.wire import canonical
from core.errors import identify, search
from core.errors.cases.derived import refresh_case
from core.errors.cases.record import record_resolution
from core.errors.curation.merging import merge
from core.errors.curation.transaction import look
from core.errors.retrieval.answer import SearchAnswer
from core.flows.system.history import take_back
from core.flows.team import importing
from core.flows.team.ask_server import take_received
from core.flows.team.collect import lesson_id
from core.flows.team.sync import replica, session
from core.flows.team.sync.replica import (
    fold,
    require_replica,
    team_line,
    unindexed_count,
    waiting_for,
    waiting_lessons,
)
from core.flows.team.sync.setup import join_team, leave_team
from core.store import Store, history, open_store
from core.store.schema.migrations import Schema, migrate, shipped
from core.team.lessons_file import Record, Stamped
from core.team.postgres.log import Position
from core.team.postgres.schema import Membership
from tests.flows.team.test_pages import PROJECTS, TIMES, log_of

KNOWN = "KeyError: 'name of a shop'"
OTHER = "TypeError: cannot read property cart of undefined"
SECOND = "error TS2304: Cannot find name 'till'."


def lesson(errors: Sequence[str], text: str, time: str = TIMES[0]) -> Record:
    """A lesson about some errors, without their fingerprints, as a person could write it."""
    held = {"errors": [{"line": one} for one in errors], "error": errors[0], "text": text, "whole": len(errors) > 1}
    return Record(time, "", {name: Stamped(time, canonical(value)) for name, value in held.items()})


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.db"
    with open_store(path, write=True, create=True) as store:
        join_team(store, "host=/nowhere dbname=acme", Membership("acme", "member", "ana"), [])
    return path


def receive(store: Store, *decided: tuple[str, Record]) -> None:
    """Read these decisions from the log, and take none over."""
    at = require_replica(store).position
    events = log_of([(PROJECTS[0], "mina", id_, record) for id_, record in decided])
    for one in events:
        object.__setattr__(one, "seq", at.seq + one.seq)
    fold(store, at, events)


def take_over(store: Store) -> None:
    session._Round(store, cast("Any", None), require_replica(store)).take_over()


def asked(path: Path, error: str) -> SearchAnswer:
    return search(path, error, words=True, received=take_received)


def team_step(answer: SearchAnswer) -> str:
    return next((step.reason for step in answer.trace if step.stage == "team"), "")


def fix_of(answer: SearchAnswer) -> str | None:
    return None if answer.match is None else answer.match.resolution


def test_an_error_is_answered_by_a_lesson_that_was_received_and_is_not_indexed(book: Path) -> None:
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([OTHER, SECOND], "npm i")), ("l2", lesson([KNOWN], "export NAME=1")))
        assert team_line(store.con) == "team acme, 2 to index"
    answer = asked(book, SECOND)  # not the first error of its lesson
    assert fix_of(answer) == "npm i"
    assert team_step(answer) == ("the lessons about this error are indexed. 1 lesson of the team is not indexed yet")
    unknown = asked(book, "error TS2305: Module 'x' has no exported member 'y'.")
    assert (unknown.match, team_step(unknown)) == (None, "1 lesson of the team is not indexed yet")
    with open_store(book, write=True) as store:
        take_over(store)
        assert team_line(store.con) == "team acme"
        assert store.con.execute("SELECT count(*) FROM team_mark").fetchone() == (0,)
        assert store.con.execute("SELECT count(*) FROM resolution").fetchone() == (2,), "each is taken over once"
    assert (fix_of(asked(book, KNOWN)), team_step(asked(book, KNOWN))) == ("export NAME=1", "")


def test_a_withdrawal_that_is_not_indexed_takes_the_answer_away(book: Path) -> None:
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([KNOWN], "export NAME=1")))
        take_over(store)
        assert fix_of(asked(book, KNOWN)) == "export NAME=1"
        receive(store, ("l1", Record("", TIMES[1], {})))
    assert asked(book, KNOWN).match is None


def test_a_later_version_that_is_not_indexed_answers(book: Path) -> None:
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([KNOWN], "export NAME=1")))
        take_over(store)
        receive(store, ("l1", lesson([KNOWN], "export NAME=2", TIMES[1])))
    assert fix_of(asked(book, KNOWN)) == "export NAME=2"


def test_the_answer_is_counted_once(book: Path) -> None:
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([KNOWN], "export NAME=1")))
    match = asked(book, KNOWN).match
    assert match is not None
    assert match.use_count == 1


def test_a_lesson_is_a_candidate_while_another_process_writes(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.flows.team.sync.received._WAIT_MS", 10)
    with open_store(book, write=True) as writer:
        receive(writer, ("l1", lesson([KNOWN], "export NAME=1")), ("l2", lesson([OTHER], "npm i")))
        with writer.transaction(), open_store(book) as store:
            answer = search(store, KNOWN, count=False, received=take_received)
    (candidate,) = answer.candidates
    assert (answer.match, candidate.id, candidate.resolution) == (None, 0, "export NAME=1")
    assert "is not indexed yet" in candidate.reason
    assert team_step(answer) == "2 lessons of the team are not indexed yet"


def test_a_search_that_takes_nothing_over_says_what_is_not_indexed(book: Path) -> None:
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([KNOWN], "export NAME=1")))
    answer = search(book, KNOWN)
    assert (answer.match, team_step(answer)) == (None, "1 lesson of the team is not indexed yet")
    with open_store(book) as store:
        assert unindexed_count(store.con) == 1


def test_the_status_counts_what_is_not_indexed(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([KNOWN], "export NAME=1")))
    main(["team", "status", "--offline", "--db", str(book)])
    assert "to index 1 (run: casebook team sync)" in capsys.readouterr().out
    asked(book, KNOWN)
    main(["team", "status", "--offline", "--db", str(book)])
    assert "to index" not in capsys.readouterr().out


def test_what_waits_is_forgotten_with_the_team(book: Path) -> None:
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([KNOWN], "export NAME=1")))
        leave_team(store)
    answer = asked(book, KNOWN)
    assert (answer.match, team_step(answer)) == (None, "")


def test_a_step_ends_after_so_many_characters(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica, "_APPLY_SIZE", 1)
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([OTHER], "npm i")), ("l2", lesson([SECOND], "npm ci")))
        waiting = [waiting_lessons(store.con), waiting_for(store.con, [identify(SECOND).fingerprint])]
        assert [one and [*one.lines] for one in waiting] == [["l1"], ["l2"]]
        take_over(store)
        assert unindexed_count(store.con) == 0


def test_lessons_are_taken_over_by_searches_while_all_of_them_are(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes meet in each batch; the cases end as those of a casebook that nobody searched."""
    for module in (replica, session):
        monkeypatch.setattr(module, "APPLY", 3)
    errors = [f"error TS2304: Cannot find name 'w{chr(97 + at)}x'." for at in range(20)]
    decided = [(f"l{at}", lesson([error], f"npm i {at}")) for at, error in enumerate(errors)]
    with open_store(book, write=True) as store:
        receive(store, *decided)
        taken: list[int] = []

        def meanwhile() -> None:
            taken.append(unindexed_count(store.con))
            for error in errors[:: len(taken)]:
                assert fix_of(asked(book, error)) is not None

        session._Round(store, cast("Any", None), require_replica(store), tell=meanwhile).take_over()
        assert taken and unindexed_count(store.con) == 0
        found = sorted(store.con.execute("SELECT text FROM resolution").fetchall())
    assert found == sorted((f"npm i {at}",) for at in range(20))


_DERIVED = (
    "error_kb", "fingerprint", "case_key", "case_state", "answer_key", "backlog", "backlog_size", "case_term", "meta",
    "resolution",
)  # fmt: skip


def derived(store: Store) -> dict[str, list[str]]:
    return {name: sorted(map(repr, store.con.execute(f"SELECT * FROM {name}"))) for name in _DERIVED}


def test_cases_made_of_lessons_are_derived_as_triggers_and_a_refresh_do(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(book, write=True) as store:
        record_resolution(store, KNOWN, "export NAME=1")
        record_resolution(store, "OSError: nobody wrote a lesson about this", "touch it")
        rejected = lesson([f"{OTHER} twice"], "npm ci")
        rejected.fields["rejected"] = Stamped(TIMES[1], canonical("it hides the error"))  # pyright: ignore[reportIndexIssue]
        tagged = lesson(["오류: 설정 파일을 찾을 수 없습니다"], "설정 파일을 만든다")
        tagged.fields["tags"] = Stamped(TIMES[0], canonical(["설정", "config"]))  # pyright: ignore[reportIndexIssue]
        receive(
            store, ("l1", lesson([OTHER, SECOND], "npm i")), ("l2", lesson([KNOWN, f"{KNOWN} again"], "export NAME=2")),
            ("l3", lesson([SECOND, "error TS2305: Module 'x' has no exported member 'y'."], "npm i x")),
            ("l4", rejected), ("l5", tagged), ("l6", lesson([OTHER], "npm i -D")),
        )  # fmt: skip
    shutil.copy(book, other := tmp_path / "other.db")
    found: list[object] = []
    for path in (book, other):
        with open_store(path, write=True) as store:
            take_over(store)
            held = [derived(store)]
            store.con.execute("UPDATE error_kb SET resolution = resolution || '!' WHERE id = 3")  # triggers are back
            held.append(derived(store))
            for entry in [one for one in history(store) if one.title.startswith("team lessons")]:
                take_back(store, "ana", entry.id)
            found.append([*held, derived(store)])
        monkeypatch.setattr(importing, "without_triggers", lambda _: nullcontext())
        monkeypatch.setattr(importing, "derive_new_cases", lambda con, cases: refresh_case(con, *cases))
    assert found[0] == found[1]
    assert len(cast("Any", found)[0][0]["error_kb"]) == 5


_WRONG = [f"OSError: cannot open {at}x" for at in string.ascii_lowercase]
_ERRORS = (KNOWN, OTHER, SECOND, "오류: 설정 파일을 찾을 수 없습니다", *_WRONG)


def some_lesson(chance: random.Random, time: str, error: str | None) -> Record:
    """One about an error, or about some, with tags or rejected or neither, or a withdrawal."""
    if chance.random() < 0.15:
        return Record("", time, {})
    errors = [error] if error else chance.sample(_ERRORS, chance.choice((1, 1, 1, 1, 2)))
    fields = dict(lesson(errors, f"npm i {chance.randrange(4)}", time).fields)
    if chance.random() < 0.2:
        fields["tags"] = Stamped(time, canonical(chance.sample(["설정", "config", "ci"], 2)))
    if chance.random() < 0.1:
        fields["rejected"] = Stamped(time, canonical("it hides the error"))
    return Record(time, "", fields)


@pytest.mark.parametrize("seed", range(8))
def test_cases_are_derived_as_a_refresh_of_them_all_does(
    book: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """After lessons that are new, the same, edited, rejected and withdrawn, and fixes and merges of cases here."""
    monkeypatch.setattr(replica, "APPLY", 4)
    chance = random.Random(seed)
    with open_store(book, write=True) as store:
        for day in range(1, 7):
            own: dict[str, str] = {}
            for error in chance.sample(_ERRORS, 4):
                text, status = f"npm i {chance.randrange(4)}", chance.choice(("verified", "rejected", "draft"))
                record_resolution(store, error, text, status=status, author="ana")
                name = identify(error)
                own[lesson_id(name.fingerprint, name.normalized, None, text)] = error
            ids = [*own, *(f"l{at}" for at in range(20))]
            chosen = [(f"2026-12-{day:02}T00:00:{at:02}.000Z", chance.choice(ids)) for at in range(12)]
            receive(store, *((id_, some_lesson(chance, time, own.get(id_))) for time, id_ in chosen))
            take_over(store)
            cases = [int(str(row[0])) for row in store.con.execute("SELECT id FROM error_kb")]
            if day % 2 and len(cases) > 3:
                into, other = (look(store.con, one) for one in chance.sample(cases, 2))
                merge(store, "ana", into, [other])
            before = derived(store)
            with store.transaction() as con:
                refresh_case(con, *(int(str(row[0])) for row in con.execute("SELECT id FROM error_kb").fetchall()))
            assert derived(store) == before


def _die_after_a_batch(book: Path) -> None:
    with open_store(book, write=True) as store:
        _round = session._Round(store, cast("Any", None), require_replica(store), tell=lambda: os._exit(9))
        _round.take_over()


def test_a_process_that_is_killed_between_two_batches_loses_nothing(
    book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (replica, session):
        monkeypatch.setattr(module, "APPLY", 3)
    errors = [f"error TS2304: Cannot find name 'w{chr(97 + at)}x'." for at in range(8)]
    with open_store(book, write=True) as store:
        receive(store, *((f"l{at}", lesson([error], f"npm i {at}")) for at, error in enumerate(errors)))
    process = multiprocessing.get_context("fork").Process(target=_die_after_a_batch, args=(book,))
    process.start()
    process.join(300)
    assert process.exitcode == 9
    with open_store(book) as store:
        assert unindexed_count(store.con) == 5
    assert [fix_of(asked(book, error)) for error in errors] == [f"npm i {at}" for at in range(8)]
    with open_store(book) as store:
        assert unindexed_count(store.con) == 0


def test_a_casebook_of_the_version_before_keeps_its_lessons(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    con = apsw.Connection(str(path))
    migrate(con, None, Schema(17, lambda: tuple(one for one in shipped() if one.number <= 17)))
    con.execute("INSERT INTO team_lesson VALUES ('r', 'l', '{}', 1, 'mina')")
    con.close()
    with open_store(path, write=True) as store:
        rows = store.con.execute("SELECT repository, lesson, line, waits, decided_by FROM team_lesson").fetchall()
        assert rows == [("r", "l", "{}", 1, "mina")]


def test_own_fixes_answer_before_a_lesson_that_waits(book: Path) -> None:
    record_resolution(book, KNOWN, "export NAME=own", status="verified", author="ana")
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([KNOWN], "export NAME=1")))
    assert fix_of(asked(book, KNOWN)) == "export NAME=own"
    with open_store(book) as store:
        assert unindexed_count(store.con) == 0
        assert Position() != require_replica(store).position


def test_no_step_of_taking_over_reads_every_fix(book: Path) -> None:
    """A lesson that is added, changed or withdrawn costs the same in a large casebook as in a small one."""
    record_resolution(book, OTHER, "npm ci", status="verified", author="person")
    asked: set[str] = set()
    with open_store(book, write=True) as store:
        receive(store, ("l1", lesson([KNOWN], "export NAME=1")), ("l2", lesson([SECOND], "npm i")))
        take_over(store)
        receive(
            store, ("l1", lesson([KNOWN], "export NAME=2", TIMES[1])), ("l2", Record("", TIMES[1], {})),
            ("l3", lesson([OTHER], "npm ci")),
        )  # fmt: skip
        store.con.set_exec_trace(lambda _, sql, __: asked.add(sql) or True)
        take_over(store)
        store.con.set_exec_trace(None)
        rows = store.con.execute("SELECT text FROM resolution ORDER BY text").fetchall()
        assert [str(row[0]) for row in rows] == ["export NAME=2", "npm ci", "npm ci"]
        found = {(step, sql) for sql in asked if "resolution" in sql for step in _plan(store.con, sql)}
    assert [one for one in found if one[0].startswith(("SCAN r", "SCAN e", "SCAN resolution", "SCAN error_kb"))] == []


def _plan(con: apsw.Connection, sql: str) -> list[str]:
    if not sql.startswith(("SELECT", "UPDATE", "DELETE")):
        return []
    given = {number or f"at {at}" for at, number in enumerate(re.findall(r"\?([0-9]*)", sql))}
    return [str(row[3]) for row in con.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * len(given))]
