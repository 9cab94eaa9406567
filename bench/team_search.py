"""A team's server with very many lessons: how long it takes to find one, and that what is here is found no slower.

The server is that of the tests, filled by `bench.team_load`.
"""

from __future__ import annotations

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

from bench.table import Row, p95, seconds
from bench.team_load import EMBEDDER, differing_rows, error_of, load, some_words, vectors_of, word_of
from bench.team_server import fill
from bench.tui.workbench import PROMPT, _drawn, _workbench  # pyright: ignore[reportPrivateUsage]
from core.errors import SearchAnswer, search
from core.flows.team.ask_server import with_team
from core.flows.team.place import TeamPlace
from core.flows.team.sync.mark import set_mark
from core.flows.team.sync.server_search import server_search
from core.store import Store, open_store
from core.team.postgres import cases
from core.team.postgres.cases import Meaning, Question, mark_of
from core.team.postgres.schema import role_name
from core.team.postgres.server import connected
from tests.postgres import PASSWORD, Server, running


def measure(*, quick: bool) -> list[Row]:
    """Lessons and their vectors on the server; then a casebook without a team, with one, and with one that hangs."""
    return measure_sizes(20_000, 3, 1_000) if quick else measure_sizes(1_000_000, 11)


def measure_sizes(lessons: int, paints: int, cases_here: int = 10_000) -> list[Row]:
    """The same for so many lessons on the server and cases here."""
    os.environ["PGPASSWORD"] = PASSWORD
    with running(shared_buffers="1GB", max_wal_size="4GB", maintenance_work_mem="256MB") as server:
        server.sql("CREATE EXTENSION IF NOT EXISTS vector")
        team = server.team()
        login = server.login(role_name(team, "member"))
        rows = [*load(server, team, login, lessons), *measure_loaded(server, team, server.address(login), lessons)]
        return [*rows, *_local(team, server.address(login), cases_here, paints)]


def measure_loaded(server: Server, team: str, address: str, lessons: int) -> list[Row]:
    """A loaded team: whether its rows are those that members send, and how long a search takes."""
    sent = min(3_000, lessons)
    differ = differing_rows(server, team, sent)
    rows = [Row(f"rows of {sent:,} loaded lessons that differ from sent ones", differ, 0, unit=" ")]
    return [*rows, *_remote(team, address, lessons)]


def _remote(team: str, address: str, lessons: int) -> Iterator[Row]:
    chance = random.Random(28)
    marks = [mark_of(error_of(chance.randrange(lessons))) for _ in range(300)]
    texts = [some_words(chance, lessons) for _ in range(300)]
    _, near = vectors_of(lessons)
    asked = {
        f"server: fingerprint of {lessons:,} lessons, p95": ([Question((one,)) for one in marks], 20.0),
        f"server: words of {lessons:,} lessons, p95": ([Question((), one) for one in texts], 100.0),
        f"server: meaning of {lessons:,} lessons, p95": (
            [Question((), meaning=Meaning(EMBEDDER, one.tolist())) for one in near], 100.0,
        ),
    }  # fmt: skip
    with connected(address) as con:
        for what, (questions, budget) in asked.items():
            found = sum(bool(cases.find(con, team, one)) for one in questions[:20])
            times = [seconds(lambda one=one: cases.find(con, team, one)) for one in questions]
            note = f"median {statistics.median(times) * 1e3:.1f}, {found} of 20 found"
            yield Row(what, p95(times) * 1e3, budget, note, unit=" ms")


def _local(team: str, address: str, cases_here: int, paints: int) -> Iterator[Row]:
    """One casebook three times: alone, in the team, and with a server that accepts and says nothing."""
    with tempfile.TemporaryDirectory() as folder, _silent() as hanging:
        servers = {"no team": "", "a team": address, "a hanging server": hanging}
        books = {
            name: _casebook(Path(folder) / f"{at}.db", where, team, cases_here)
            for at, (name, where) in enumerate(servers.items())
        }
        known: dict[str, list[float]] = {name: [] for name in books}
        missed: dict[str, list[float]] = {name: [] for name in books}
        paint: dict[str, list[float]] = {name: [] for name in books}
        for turn in range(200):
            for name, book in books.items():
                known[name].append(seconds(lambda book=book, turn=turn: _asked(book, _here(turn))))
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
    return f"TypeError: cannot read property {word_of(at + 1)} of undefined"


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


def _casebook(path: Path, address: str, team: str, cases_here: int) -> Path:
    with open_store(path, write=True, create=True) as store:
        fill(store, TeamPlace(path.parent, "github.com/acme/till", frozenset()), cases_here)
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
