"""A team's server under many clients: the server is shut down and clients are killed while they decide and sync; then
what a casebook pays for a week away."""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from bench.table import Row, p95
from bench.team_load import draft, word_of
from core.base.fault import Fault
from core.base.wire import canonical
from core.errors import search
from core.errors.cases.derived import refresh_case
from core.errors.lessons import Do, Lesson, When, lesson_json
from core.flows.team.ask_server import take_received
from core.flows.team.place import TeamPlace
from core.flows.team.sync.replica import fold, put, require_replica
from core.flows.team.sync.session import sync
from core.flows.team.sync.setup import join_team, look_at_team
from core.store import Store, now, open_store
from core.team.lessons_file import Record, Stamped
from core.team.postgres.log import append, head, pull, read_all
from core.team.postgres.schema import Membership
from core.team.postgres.server import connected
from tests.postgres import Server, running

if TYPE_CHECKING:
    from core.team.postgres.server import Session

_PROJECT = "github.com/acme/shop"
_LESSONS = 100
_TIME = "2026-11-01T00:00:00.000Z"
_BATCH = 25
"""Decisions between two rounds with the server."""
_NEW = 10_000_000
"""Numbers of lessons that no team was loaded with."""


def measure_server(*, quick: bool) -> list[Row]:
    """Both, on a server of their own."""
    with running() as postgres:
        killed = _killed(postgres, *((6, 50) if quick else (50, 200)))
        return [*killed, *measure_week(postgres, 1_000 if quick else 20_000)]


def _killed(postgres: Server, clients: int, decisions: int) -> Iterator[Row]:
    team = postgres.team()
    address = postgres.member(team)
    began, kills, chance = time.perf_counter(), 0, random.Random(28)
    with tempfile.TemporaryDirectory() as folder:
        books = [Path(folder) / f"{at}.db" for at in range(clients)]
        held = look_at_team(address, team)
        for book in books:
            with open_store(book, write=True, create=True) as store:
                join_team(store, address, held, [])
        running_now = {book: _start(book, at, decisions) for at, book in enumerate(books)}
        next_stop, stops = time.perf_counter() + 3, 0
        while running_now:
            for at, book in enumerate(books):
                process = running_now.get(book)
                if process is not None and process.exitcode is not None:
                    del running_now[book]
                    if process.exitcode != 0:  # it was killed, and goes on where it was
                        running_now[book] = _start(book, at, decisions)
            if running_now and kills < clients and chance.random() < 0.3:
                os.kill(chance.choice([*running_now.values()]).pid or 0, signal.SIGKILL)
                kills += 1
            if stops < 3 and time.perf_counter() > next_stop:
                postgres.stop(kill=True)
                time.sleep(0.5)
                postgres.start()
                stops, next_stop = stops + 1, time.perf_counter() + 3
            time.sleep(0.1)
        for _ in range(2):
            for book in books:
                with open_store(book, write=True) as store:
                    sync(store)
        states = {_state(book) for book in books}
        wanted = {row[0] for book in books for row in _ids(book)}
    with connected(address) as con:
        found = [event.id for event in read_all(con, team)]  # raises at a gap or a wrong hash
    wrong = len(found) - len({*found}) + len(wanted ^ {*found}) + abs(len(found) - clients * decisions)
    note = f"{len(found):,} events, {kills} clients killed, {stops} shutdowns, {time.perf_counter() - began:.0f} s"
    yield Row(f"{clients} clients, {decisions} decisions each: events lost, double or wrong", wrong, 0, note, unit=" ")
    yield Row("replicas that differ afterwards", len(states) - 1, 0, unit=" ")


def _line(number: int) -> str:
    return f"TypeError: cannot read property {word_of(number)} of undefined"


def _start(book: Path, at: int, decisions: int) -> ForkProcess:
    process = multiprocessing.get_context("fork").Process(target=_client, args=(book, at, decisions), daemon=True)
    process.start()
    return process


def _client(book: Path, at: int, decisions: int) -> None:
    """Decide until there are so many decisions in the outbox, with a round after each few. It may die anywhere."""
    chance = random.Random(f"{at} {os.getpid()}")
    while True:
        with open_store(book, write=True) as store:
            made = len(_ids(book))
            for _ in range(min(_BATCH, decisions - made)):
                with store.transaction() as con:
                    put(con, _PROJECT, lesson := f"l{chance.randrange(_LESSONS)}", _record(lesson, chance), None)
            try:
                sync(store)
            except Fault:  # the server is away
                time.sleep(0.2)
                continue
            if made >= decisions:
                os._exit(0)


def _record(lesson: str, chance: random.Random) -> Record:
    began, time_ = "2026-11-01T00:00:00.000Z", now()
    fields = {
        "error": Stamped(began, canonical(f"KeyError: 'name of {lesson}'")),
        "text": Stamped(time_, canonical(f"export {lesson}={chance.randrange(1_000)}")),
    }
    return Record(began, "", fields)


def _ids(book: Path) -> list[tuple[str, ...]]:
    with open_store(book) as store:
        return [(str(row[0]),) for row in store.con.execute("SELECT id FROM team_outbox")]


def _state(book: Path) -> str:
    with open_store(book) as store:
        return str(store.con.execute("SELECT lesson, line FROM team_lesson ORDER BY lesson").fetchall())


def measure_week(postgres: Server, events: int, team: str = "") -> Iterator[Row]:
    """So many events that a casebook of half as many cases has not read, each another lesson, beside a plain COPY of
    them: out of the log to this process, and into tables with the keys and indexes of the log. `team`: one with a long
    log, which the casebook has read; by default a new one.

    An event is received when it is stored and a search for its error finds it. The cases follow in batches.
    Seconds of this process on a processor, so that other programs do not count, and the fastest of some COPYs."""
    team = team or postgres.team()
    address = postgres.member(team)
    with connected(address) as con:
        before = head(con, team)
        for start in range(0, events, 500):
            numbers = range(start + 1, min(events, start + 500) + 1)
            append(con, team, "m", [draft(_NEW + number, _PROJECT, _line(number)) for number in numbers])
        postgres.sql("ANALYZE casebook.team_event, casebook.team_payload")  # else COPY reads every text for each event
        plain, copied = min(_copied(con, team, before.seq) for _ in range(5))
    stored = min(_copied_in(postgres, team, before.seq) for _ in range(5))
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book.db"
        with open_store(book, write=True, create=True) as store:
            fill(store, TeamPlace(Path(folder), "github.com/acme/till", frozenset()), events // 2)
            join_team(store, address, Membership(team, "member", ""), [])
            with store.transaction() as local:
                local.execute("UPDATE team_server SET seq = ?, hash = ?, epoch = ?", before)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            began = time.process_time()
            with connected(address) as con:
                at = require_replica(store).position
                while page := pull(con, team, at):
                    at, _ = fold(store, at, page)
            spent = time.process_time() - began
        shutil.copy(book, other := Path(folder) / "other.db")
        with open_store(book, write=True) as store:
            began = time.process_time()
            report = sync(store)
            followed = time.process_time() - began
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
        searches = [*_searched(other, events)]
    note = f"in {spent:.2f} s, {grown:.0f} MB more in all"
    yield Row(f"{events:,} events received, 1,000 of them", spent / events * 1e6, None, note, unit=" ms")
    note = f"{stored:.2f} s, keys and indexes included"
    yield Row("the time of a COPY of them into tables", spent / stored, 5.0, note, unit=" times")
    note = f"{copied / 1e6:.1f} MB in {plain:.2f} s"
    yield Row("the time of a COPY of them out of the log", spent / plain, None, note, unit=" times")
    note = f"{report.added:,} added in {followed:.1f} s"
    yield Row("events taken over into the cases, 1,000 of them", followed / events * 1e6, None, note, unit=" ms")
    took = (spent + followed) / stored
    yield Row("the time of a COPY of them into tables, cases included", took, None, unit=" times")
    yield from searches


def _searched(book: Path, events: int) -> Iterator[Row]:
    """Searches for errors of lessons that were received, in one process, while another takes them over."""
    process = multiprocessing.get_context("fork").Process(target=_follow, args=(book,), daemon=True)
    process.start()
    times, missed, chance = list[float](), 0, random.Random(2)

    def look() -> None:
        nonlocal missed
        line = _line(chance.randint(events // 2 + 1, events))
        began = time.perf_counter()
        missed += search(book, line, count=False, received=take_received).match is None
        times.append(time.perf_counter() - began)
        time.sleep(0.01)

    while process.is_alive():
        look()
    process.join()
    meanwhile, count = p95(times) * 1e3, len(times)
    times.clear()
    for _ in range(count):
        look()
    note = f"of {count} meanwhile and as many afterwards"
    yield Row("searches for these errors without the lesson", missed, 0, note, unit=" ")
    yield Row(
        "a search meanwhile, 95th percentile", meanwhile, None, f"{p95(times) * 1e3:.1f} ms afterwards", unit=" ms"
    )


def _follow(book: Path) -> None:
    with open_store(book, write=True) as store:
        sync(store)


def _copied(con: Session, team: str, after: int) -> tuple[float, int]:
    """Seconds and bytes of a COPY of the events behind a number with their texts."""
    query = (
        "SELECT * FROM casebook.team_event e JOIN casebook.team_payload p ON p.team = e.team AND p.hash = e.payload"
        f" WHERE e.team = '{team}' AND e.seq > {after}"
    )
    began = time.perf_counter()
    with con.cursor().copy(f"COPY ({query}) TO STDOUT".encode()) as rows:
        size = sum(len(one) for one in rows)
    return time.perf_counter() - began, size


def _copied_in(postgres: Server, team: str, after: int) -> float:
    """Seconds of a COPY of these events and texts into empty tables like those of the log, without its triggers."""
    spent = 0.0
    events = f"SELECT * FROM casebook.team_event WHERE team = '{team}' AND seq > {after}"
    texts = f"SELECT p.* FROM ({events}) e JOIN casebook.team_payload p ON p.team = e.team AND p.hash = e.payload"
    with psycopg.connect(postgres.admin) as con:
        for table, query in (("team_event", events), ("team_payload", texts)):
            con.execute(f"CREATE TABLE casebook.{table}_copy (LIKE casebook.{table} INCLUDING ALL)".encode())
            with con.cursor().copy(f"COPY ({query}) TO STDOUT".encode()) as out:
                rows = [bytes(one) for one in out]
            began = time.perf_counter()
            with con.cursor().copy(f"COPY casebook.{table}_copy FROM STDIN".encode()) as into:
                for row in rows:
                    into.write(row)
            spent += time.perf_counter() - began
        con.rollback()
    return spent


def fill(store: Store, place: TeamPlace, size: int) -> None:
    """So many cases of a repository, each with a verified fix and its lesson."""
    with store.transaction() as con:
        con.execute(
            "INSERT INTO session(id, agent, project, repository) VALUES ('s', 'codex', ?1, ?2)",
            (str(place.root), place.repository),
        )
        for at in range(1, size + 1):
            line = _line(at)
            do = Do("hunk", f"- a.{word_of(at)}()\n+ a?.{word_of(at)}()", f"src/{word_of(at)}.ts")
            lesson = Lesson(When(line, "node", "20.1.0"), do, ("npm ci",), "npm test", f"{word_of(at)} may be missing")
            text = f"**Edit** `{do.file}`\n\n```diff\n{do.text}\n```\n\n**Check** `npm test`"
            con.execute("INSERT INTO error_kb(id, ts, error_normalized) VALUES (?, ?, ?)", (at, _TIME, line))
            con.execute("INSERT INTO case_key(error_normalized, case_id) VALUES (?, ?)", (line, at))
            con.execute("INSERT INTO fingerprint VALUES (?1, ?2, ?1, 'node', ?3, NULL)", (line, at, _TIME))
            con.execute(
                "INSERT INTO resolution(case_id, fingerprint, text, status, author, session_id, ts, lesson)"
                " VALUES (?, ?, ?, 'verified', 'mina', 's', ?, ?)",
                (at, line, text, _TIME, lesson_json(lesson)),
            )
        refresh_case(con, *range(1, size + 1))
