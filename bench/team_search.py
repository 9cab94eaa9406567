"""A team's server with very many lessons: how long it takes to find one, and that what is here is found no slower.

The server is that of the tests. Lessons are filled by COPY; `casebook team index` indexes them.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import socket
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench.table import Row, p95, seconds
from bench.tui.workbench import PROMPT, _drawn, _workbench  # pyright: ignore[reportPrivateUsage]
from core.base.wire import canonical
from core.errors import SearchAnswer, record_resolution, search
from core.flows.team.ask_server import with_team
from core.flows.team.sync.mark import set_mark
from core.flows.team.sync.server_search import server_search
from core.store import Store, open_store
from core.team.postgres import cases
from core.team.postgres.cases import Meaning, Question, mark_of
from core.team.postgres.schema import role_name
from core.team.postgres.server import connected
from tests.postgres import PASSWORD, Server, running

PROJECTS = 20
_TIME = "2026-11-01T09:00:00.000Z"
_DIM = 384
_EMBEDDER = "bench"
_WORDS = [
    f"{first}{last}" for first in ("pay", "load", "stock", "ship", "order") for last in ("er", "ing", "able", "s")
]


def measure(*, quick: bool) -> list[Row]:
    """Lessons on the server, vectors of a part of them; then a casebook without a team, with one, and with one that
    hangs."""
    return measure_sizes(*((20_000, 5_000) if quick else (1_000_000, 200_000)), paints=3 if quick else 11)


def measure_sizes(lessons: int, vectors: int, paints: int) -> list[Row]:
    """The same for so many lessons and vectors."""
    os.environ["PGPASSWORD"] = PASSWORD
    with running() as server:
        server.sql("CREATE EXTENSION IF NOT EXISTS vector")
        team = server.team()
        login = server.login(role_name(team, "member"))
        address = server.address(login)
        rows = [*_fill(server, team, address, lessons, vectors), *_remote(team, address, lessons, vectors)]
        return [*rows, *_local(team, address, paints)]


def line_of(at: int) -> str:
    """The error of a lesson: words that many share, and one that only it has."""
    chance = random.Random(at)
    return f"TypeError: {' '.join(chance.choices(_WORDS, k=4))} of field{at:x} is not a function"


def _bodies(lessons: int) -> Iterator[tuple[bytes, int, str, str]]:
    for at in range(lessons):
        error, project = line_of(at), f"github.com/acme/service{at % PROJECTS}"
        named = [{"fingerprint": error, "line": error, "tool": "node"}]
        said = {
            "id": f"{at:016x}",
            "shared": _TIME,
            "errors": named,
            "key": error.lower(),
            "text": f"npm i field{at:x}",
        }
        body = canonical(said)
        yield hashlib.sha256(f"{project}\n{body}".encode()).digest(), at + 1, project, body


def _fill(server: Server, team: str, address: str, lessons: int, vectors: int) -> Iterator[Row]:
    with psycopg.connect(server.admin, autocommit=True) as con:
        con.execute("SET session_replication_role = replica")
        con.execute("SET maintenance_work_mem = '1GB'")
        con.execute("CREATE TEMP TABLE fill (hash bytea, seq bigint, project text, body text)")
        copied = seconds(lambda: _copy(con, team, lessons))
        yield Row(f"COPY of {lessons:,} lessons into the log", copied, None, unit=" s")
        with connected(address) as member:
            took = seconds(lambda: [*cases.index_events(member, team, lessons)])
        yield Row("team index, a lesson", took / lessons * 1e3, None, f"{took:.0f} s", unit=" ms")
        cases.make_vectors(con, team, "none", _DIM)  # the table; its index is made once it is full
        con.execute(
            "INSERT INTO casebook.team_vector SELECT team, payload, %s, (SELECT array_agg(random() - 0.5) FROM"
            " generate_series(1, %s) WHERE payload IS NOT NULL)::vector::halfvec FROM"
            " (SELECT * FROM casebook.team_case WHERE team = %s LIMIT %s) one",
            (_EMBEDDER, _DIM, team, vectors),
        )
        took = seconds(lambda: cases.make_vectors(con, team, _EMBEDDER, _DIM))
        yield Row(f"HNSW over {vectors:,} vectors", took, None, unit=" s")
        con.execute("ANALYZE")


def _copy(con: psycopg.Connection, team: str, lessons: int) -> None:
    with con.cursor() as cursor, cursor.copy("COPY fill FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["bytea", "int8", "text", "text"])
        for row in _bodies(lessons):
            copy.write_row(row)
    con.execute("INSERT INTO casebook.team_payload SELECT %s, hash, body FROM fill", (team,))
    con.execute(
        "INSERT INTO casebook.team_event SELECT %s, seq, 1, gen_random_uuid(), 'lesson', 'bench', 'bench', project,"
        " lpad(to_hex(seq - 1), 16, '0'), %s, hash, now(), '' FROM fill",
        (team, _TIME),
    )
    con.execute("UPDATE casebook.team_head SET seq = %s WHERE team = %s", (lessons, team))


def _remote(team: str, address: str, lessons: int, vectors: int) -> Iterator[Row]:
    chance = random.Random(28)
    some = [line_of(chance.randrange(lessons)) for _ in range(300)]
    texts = [
        f"field{chance.randrange(lessons):x} function" if at % 2 else " ".join(chance.sample(_WORDS, 3))
        for at in range(300)
    ]
    near = [[chance.gauss(0, 1) for _ in range(_DIM)] for _ in range(200)]
    asked = {
        f"server: fingerprint of {lessons:,} lessons, p95": ([Question((mark_of(one),)) for one in some], 20.0),
        f"server: words of {lessons:,} lessons, p95": ([Question((), one) for one in texts], 100.0),
        f"server: meaning of {vectors:,} vectors, p95": (
            [Question((), meaning=Meaning(_EMBEDDER, one)) for one in near], 100.0,
        ),
    }  # fmt: skip
    with connected(address) as con:
        for what, (questions, budget) in asked.items():
            found = sum(bool(cases.find(con, team, one)) for one in questions[:20])
            times = [seconds(lambda one=one: cases.find(con, team, one)) for one in questions]
            yield Row(
                what,
                p95(times) * 1e3,
                budget,
                f"median {statistics.median(times) * 1e3:.1f}, {found} of 20 found",
                unit=" ms",
            )


def _local(team: str, address: str, paints: int) -> Iterator[Row]:
    """One casebook three times: alone, in the team, and with a server that accepts and says nothing."""
    with tempfile.TemporaryDirectory() as folder, _silent() as hanging:
        servers = {"no team": "", "a team": address, "a hanging server": hanging}
        books = {
            name: _casebook(Path(folder) / f"{at}.db", where, team) for at, (name, where) in enumerate(servers.items())
        }
        known: dict[str, list[float]] = {name: [] for name in books}
        missed: dict[str, list[float]] = {name: [] for name in books}
        paint: dict[str, list[float]] = {name: [] for name in books}
        for turn in range(200):
            for name, book in books.items():
                known[name].append(seconds(lambda book=book, turn=turn: _asked(book, _here(turn % 50))))
        for turn in range(40):
            for name, book in books.items():
                missed[name].append(seconds(lambda book=book, turn=turn: _asked(book, f"OSError: nobody{turn} knows")))
        env = {"CASEBOOK_EMBEDDING_MODEL": "none"}
        env |= dict.fromkeys(("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), folder)
        for turn in range(paints + 1):
            for name, book in books.items():
                took = _drawn(_workbench(book), env, PROMPT)[0]
                if turn:  # the first one warms the disk
                    paint[name].append(took)
        env |= {"PGPASSWORD": PASSWORD, "CASEBOOK_EMBEDDING_SERVICE": "false"}
        processes = [_in_time(books["a team"], env, turn) for turn in range(10)]
        server_search.cache_clear()
    for name in ("a team", "a hanging server"):
        yield _against(f"local answer with {name} / without", known[name], known["no team"], 1.15, p95)
        yield _against(f"first paint with {name} / without", paint[name], paint["no team"], 1.15, statistics.median)
    usual = statistics.median(missed["no team"])
    first, *later = missed["a hanging server"]
    yield Row("an unknown error in a team, p95", p95(missed["a team"]) * 1e3, None, unit=" ms")
    note = f"{first * 1e3:.0f} and {usual * 1e3:.0f} ms"
    yield Row("an unknown error, the first wait for a hanging server", (first - usual) * 1e3, 350.0, note, unit=" ms")
    yield Row("errors search as a process of its own: too late, of 10", 10 - sum(processes), None, unit=" ")
    yield _against("later ones with a hanging server / without", later, missed["no team"], 1.5, statistics.median)


def _against(
    what: str, times: list[float], base: list[float], budget: float, of: Callable[[list[float]], float]
) -> Row:
    return Row(what, of(times) / of(base), budget, f"{of(times) * 1e3:.2f} and {of(base) * 1e3:.2f} ms")


def _here(at: int) -> str:
    return f"KeyError: 'here{'x' * at}'"


def _asked(book: Path, text: str) -> SearchAnswer:
    def look(store: Store | Path) -> SearchAnswer:
        return search(store, text, count=False, words=True)

    return with_team(book, look(book), look)


def _in_time(book: Path, env: dict[str, str], turn: int) -> bool:
    """Whether a new process, which loads all it needs, has the server's answer in time."""
    done = subprocess.run(
        [*_workbench(book), "errors", "search", f"OSError: process{turn}", "--json"], env={**os.environ, **env},
        capture_output=True, check=False, timeout=120,
    )  # fmt: skip
    return any(step["stage"] == "team" and step["outcome"] == "miss" for step in json.loads(done.stdout)["trace"])


def _casebook(path: Path, address: str, team: str) -> Path:
    with open_store(path, write=True, create=True) as store:
        for at in range(50):
            record_resolution(store, _here(at), f"set here{at}")
        if address:
            with store.transaction() as con:
                con.execute(
                    "INSERT INTO team_server(one, address, team, login, role, machine)"
                    " VALUES (1, ?, ?, '', 'member', '')",
                    (address, team),
                )
            set_mark(path, there=True)  # the workbench syncs, too
    return path


@contextmanager
def _silent() -> Iterator[str]:
    """A server that accepts and says nothing: the system accepts, nobody reads."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield f"postgresql://mina@127.0.0.1:{listening.getsockname()[1]}/acme?sslmode=disable"
