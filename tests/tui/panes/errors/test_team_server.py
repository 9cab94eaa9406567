"""A pasted error that nothing here answers: what the team's server knows of it arrives later and joins the list."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import SearchAnswer
from core.flows.team import ask_server
from core.flows.team.sync import server_search
from core.flows.team.sync.server_search import ServerSearch
from core.store import Store, open_store
from core.team.postgres.cases import Found, Question
from tests.core.team.postgres.test_cases import lesson
from tests.tui.support import app_on, frame, make_casebook, until

LOST = "SSLError: the certificate of the ledger has expired"
SIZE = (120, 40)


@pytest.fixture
def in_team(tmp_path: Path) -> Path:
    path = make_casebook(tmp_path / "team.db")
    with open_store(path, write=True) as store, store.transaction() as con:
        con.execute(
            "INSERT INTO team_server(one, address, team, login, role, machine)"
            " VALUES (1, 'host=/nowhere', 'acme', 'mina', 'member', 'laptop')"
        )
    return path


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A server that knows the error and answers once it is let go."""
    goes = threading.Event()

    def ask(_self: ServerSearch, _question: Question, _wait_s: float = 0.3) -> list[Found]:
        assert goes.wait(60)
        sent = lesson("a1", LOST, text="renew the ledger")
        return [Found("mark", sent.project, sent.lesson, 1.0, (sent.line,))]

    monkeypatch.setattr(ServerSearch, "ask", ask)
    server_search.server_search.cache_clear()
    return goes.set


async def test_a_pasted_error_is_answered_by_the_team_later(in_team: Path, server: Callable[[], None]) -> None:
    app = app_on(in_team)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total)
        app.errors.results.ask(LOST, pasted=True)
        await until(pilot, lambda: app.jobs.busy("team"))
        assert "renew the ledger" not in frame(app)
        assert app.errors.results.query_text == LOST
        server()
        await until(pilot, lambda: "renew the ledger" in frame(app))


async def test_what_is_typed_and_what_is_known_asks_nobody(in_team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def with_team(_target: Store | Path, answer: SearchAnswer, *_rest: Any, **_more: Any) -> SearchAnswer:
        asked.append(answer.query.raw)
        return answer

    monkeypatch.setattr(ask_server, "with_team", with_team)
    app = app_on(in_team)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total)
        app.errors.results.ask("certificate ledger", pasted=False)
        await until(pilot, lambda: app.errors.why._steps and not app.jobs.busy("search"))
        app.errors.results.ask(LOST, pasted=True)
        await until(pilot, lambda: asked)
        assert asked == [LOST]
