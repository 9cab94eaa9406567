"""Behind the workbench and in the hook host: what one decides is there for the other without a command."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import list_cases
from core.flows.team.place import TeamPlace
from core.flows.team.sync.follow import follow
from core.flows.team.sync.mark import is_marked, turn
from core.flows.team.sync.replica import replica_of
from core.flows.team.sync.session import sync
from core.flows.team.sync.setup import join_team, leave_team, look_at_team
from core.store import open_store
from core.team.postgres.schema import Membership
from tests.cli.hook.test_host import FAILED, Home
from tests.flows.team.conftest import add_fix
from tests.postgres import Server

KNOWN = "ModuleNotFoundError: No module named 'yaml'"
REPOSITORY = "github.com/acme/shop"


class Stopped(Exception):
    """The test is over."""


def book(tmp_path: Path, name: str, address: str) -> Path:
    """A casebook in the team, with a tree of the repository."""
    database, tree = tmp_path / name / "book.db", tmp_path / name / "shop"
    (tree / ".git").mkdir(parents=True)
    (tree / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://{REPOSITORY}.git\n')
    (tree / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    with open_store(database, write=True, create=True) as store:
        place = TeamPlace(tree, REPOSITORY, frozenset((REPOSITORY, str(tree))))
        join_team(store, address, look_at_team(address, ""), [place], name)
    return database


def tree_of(database: Path) -> str:
    return str(database.parent / "shop")


@contextmanager
def following(*databases: Path, log: Callable[[str], object] = print) -> Iterator[dict[Path, list[str]]]:
    """Each in a thread of its own, with what it says."""
    over = threading.Event()
    said: dict[Path, list[str]] = {one: [] for one in databases}

    def pause(seconds: float) -> None:
        if over.wait(min(seconds, 0.2)):
            raise Stopped

    def run(database: Path) -> None:
        with suppress(Stopped):
            follow(database, pause, said[database].append, log)

    threads = [threading.Thread(target=run, args=(one,)) for one in databases]
    for one in threads:
        one.start()
    try:
        yield said
    finally:
        over.set()
        for one in threads:
            one.join(60)
            assert not one.is_alive()


def wait_for(holds: Callable[[], object]) -> None:
    until = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def lessons(database: Path) -> int:
    with open_store(database) as store:
        return sum(1 for one in list_cases(store).cases if one.origin == "team")


@pytest.fixture
def team(postgres: Server) -> str:
    return postgres.team()


def test_a_decision_arrives_without_a_command(postgres: Server, team: str, tmp_path: Path) -> None:
    mina, joon = (book(tmp_path, name, postgres.member(team)) for name in ("mina", "joon"))
    with following(mina, joon) as said:
        wait_for(lambda: said[joon] and said[mina])
        add_fix(mina, tree_of(mina), KNOWN, "pip install pyyaml")
        wait_for(lambda: lessons(joon))
        assert said[joon][-1] == f"team {team}"
        with turn(joon) as ours:
            assert not ours  # another process leaves it alone


def test_it_ends_when_the_team_is_left(postgres: Server, team: str, tmp_path: Path) -> None:
    mina = book(tmp_path, "mina", postgres.member(team))
    with following(mina) as said:
        wait_for(lambda: said[mina])
        with open_store(mina, write=True) as store:
            leave_team(store)
        assert not is_marked(mina)
        wait_for(lambda: said[mina][-1] == "")


def test_a_server_that_is_away_is_said_once_and_tried_again(postgres: Server, team: str, tmp_path: Path) -> None:
    mina = book(tmp_path, "mina", postgres.member(team))
    with open_store(mina, write=True) as store, store.transaction() as con:
        address = con.execute("SELECT address FROM team_server").fetchone()
        con.execute("UPDATE team_server SET address = 'host=/nowhere dbname=acme'")
    logged: list[str] = []
    with following(mina, log=logged.append) as said, pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.flows.team.sync.follow._FIRST_S", 0.0)
        wait_for(lambda: said[mina])
        assert said[mina][-1] == f"team {team}, not in sync"
        with open_store(mina, write=True) as store, store.transaction() as con:
            con.execute("UPDATE team_server SET address = ?", address)
        wait_for(lambda: said[mina][-1] == f"team {team}")
    assert len(logged) == 1
    with open_store(mina) as store:
        replica = replica_of(store.con)
        assert replica is not None
        assert (replica.fault, replica.synced != "") == ("", True)


def test_a_lost_connection_is_tried_again_at_once_after_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database, waits = tmp_path / "book.db", list[float]()
    with open_store(database, write=True, create=True) as store:
        join_team(store, "host=/nowhere dbname=acme", Membership("acme", "member", "ana"), [])
    clock, held = [0.0], iter((1.0, 1.0, 1.0, 7200.0, 1.0))

    def stay(*_: object) -> None:
        clock[0] += next(held)
        raise Fault("io_error", "the server is away", "")

    def pause(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 5:
            raise Stopped

    monkeypatch.setattr("core.flows.team.sync.follow._stay", stay)
    monkeypatch.setattr("core.flows.team.sync.follow.monotonic", lambda: clock[0])
    with pytest.raises(Stopped):
        follow(database, pause, lambda _: None)
    assert waits == [4.0, 8.0, 16.0, 2.0, 4.0]


def test_a_casebook_without_a_team_loads_nothing_of_it(tmp_path: Path) -> None:
    """No driver, no log, no query: the mark alone is looked at."""
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path; from core.flows.hook import server; from tui.services import tasks;"
        f"assert not server.is_marked(Path({str(tmp_path / 'book.db')!r}));"
        "print([name for name in sys.modules if 'psycopg' in name or name.startswith('core.team.postgres')"
        " or name in ('core.flows.team.sync.follow', 'core.flows.team.sync.replica')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


def test_the_hook_host_receives_what_a_colleague_verified(postgres: Server, team: str, tmp_path: Path) -> None:
    """The agent's hook of one answers with what the other verified, and no command was run for it."""
    mina, joon = (book(tmp_path, name, postgres.member(team)) for name in ("mina", "joon"))
    (tmp_path / "h").mkdir()
    home = Home(tmp_path / "h")
    home.database.parent.mkdir(parents=True, mode=0o700)
    for file in joon.parent.glob("book.db*"):
        file.rename(home.database.with_name(file.name.replace("book", "casebook")))
    error = "TypeError: cannot read properties of undefined (reading 'cart')"
    payload = FAILED | {"cwd": tree_of(joon), "error": f"Exit code 1\n{error}"}
    try:
        home.hook(payload)
        home.wait()  # the host follows the team of the casebook that it was started for
        add_fix(mina, tree_of(mina), error, "git checkout -- src/cart.ts")
        with open_store(mina, write=True) as store:
            sync(store)
        wait_for(lambda: lessons(home.database))
        assert "src/cart.ts" in home.hook(payload | {"session_id": "s2"}).stdout.decode()
    finally:
        home.close()
