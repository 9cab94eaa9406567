"""The open workbench syncs with the team behind it, and its first line says the state."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from core.flows.team.sync.session import sync
from core.flows.team.sync.setup import join_team, look_at_team
from core.store import open_store
from core.team.postgres.schema import Membership
from tests.flows.team.conftest import add_fix
from tests.flows.team.test_follow import KNOWN, book, lessons, tree_of
from tests.postgres import Server
from tests.tui.support import app_on, frame, until
from tui.widgets.workbench import TopBar


@pytest.mark.asyncio
async def test_the_workbench_shows_what_a_colleague_verified(postgres: Server, tmp_path: Path) -> None:
    team = postgres.team()
    mina, joon = (book(tmp_path, name, postgres.member(team)) for name in ("mina", "joon"))
    async with app_on(joon).run_test(size=(140, 40)) as pilot:
        top = pilot.app.screen.query_one(TopBar)
        await until(pilot, lambda: f"team {team}" in top.render().plain)
        add_fix(mina, tree_of(mina), KNOWN, "pip install pyyaml")
        with open_store(mina, write=True) as store:
            sync(store)
        await until(pilot, lambda: lessons(joon) == 1 and top.place.cases == 1)


@pytest.mark.asyncio
async def test_a_casebook_that_joins_while_it_is_open_is_followed(postgres: Server, tmp_path: Path) -> None:
    team = postgres.team()
    address, database = postgres.member(team), tmp_path / "book.db"
    add_fix(database, str(tmp_path), KNOWN, "pip install pyyaml")
    async with app_on(database).run_test(size=(140, 40)) as pilot:
        top = pilot.app.screen.query_one(TopBar)
        await until(pilot, lambda: top.place.cases == 1)
        assert not top.place.team
        with open_store(database, write=True) as store:
            join_team(store, address, look_at_team(address, team), [])
        add_fix(database, str(tmp_path), "KeyError: 'token'", "export token=1")
        await until(pilot, lambda: top.place.team == f"team {team}")


@pytest.mark.asyncio
async def test_a_server_that_says_nothing_holds_nobody_up(tmp_path: Path) -> None:
    """It takes the connection and never answers: the workbench shows the cases, searches, and is left."""
    database = tmp_path / "book.db"
    add_fix(database, str(tmp_path), KNOWN, "pip install pyyaml")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(120)
        address = f"host=127.0.0.1 port={silent.getsockname()[1]} dbname=acme user=mina"
        with open_store(database, write=True) as store:
            join_team(store, address, Membership("acme", "member", "mina"), [])
        async with app_on(database).run_test(size=(140, 40)) as pilot:
            top = pilot.app.screen.query_one(TopBar)
            await until(pilot, lambda: top.place.cases == 1)
            asked, _ = await asyncio.to_thread(silent.accept)
            await pilot.press(*"yaml")
            await until(pilot, lambda: "pip install pyyaml" in frame(pilot.app))
        asked.close()
