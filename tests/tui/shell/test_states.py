"""When something is wrong: the workbench says what, why and the next key, and goes on."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from core.store import open_store
from tests.tui.support import CASES, app_on, frame, put, until
from tui.runtime.jobs import Job, Jobs
from tui.widgets.row_list import NoticeView

WIDE = (120, 34)


def flat(app) -> str:
    """The screen with its blanks and borders squeezed, so that wrapped words can be looked for."""
    return " ".join(frame(app).replace("│", " ").split())


async def test_a_missing_casebook_is_not_made_by_looking(tmp_path: Path) -> None:
    path = tmp_path / "none.db"
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "No cases yet" in frame(app))
        assert "choose a file or folder" in frame(app)
        assert not path.exists()


async def test_an_empty_casebook_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    open_store(path, write=True, create=True).close()
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "No cases yet" in frame(app))
        results, case = app.errors.results, app.errors.case
        await until(pilot, lambda: results.region.width == WIDE[0] and not case.region.area)
        with open_store(path, write=True) as store:
            put(store, "Error: it works now", "shell", None)
        await pilot.press("f5")
        await until(pilot, lambda: "it works now" in frame(app))
        await until(pilot, lambda: results.region.width < WIDE[0] and case.region.area)


@pytest.mark.parametrize("pane", ["alt+2", "alt+4", "alt+5"])
async def test_where_nothing_is_stored_nothing_is_beside_what_says_so(tmp_path: Path, pane: str) -> None:
    path = tmp_path / "empty.db"
    open_store(path, write=True, create=True).close()
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "No cases yet" in frame(app))
        await pilot.press(pane)
        await until(pilot, lambda: app.screen.has_class("-alone") and app.screen is not app.errors)
        await until(pilot, lambda: app.screen.query(NoticeView).first().region.width == WIDE[0] - 2)


@pytest.mark.parametrize("size", [(120, 34), (80, 24), (40, 12)])
async def test_a_damaged_casebook_points_at_the_rescue_and_is_left_alone(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "torn.db"
    path.write_bytes(b"this is no database at all" * 100)
    before = path.read_bytes()
    app = app_on(path)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: "This casebook is damaged" in flat(app))
        await until(pilot, lambda: "casebook db salvage" in flat(app))
        await pilot.press("escape", "q")
    assert path.read_bytes() == before


async def test_another_program_s_file_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as con:
        con.execute("CREATE TABLE songs(id)")
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "Not a casebook database" in flat(app))


async def test_a_newer_casebook_is_shown_read_only_and_says_which_version(casebook: Path) -> None:
    with sqlite3.connect(casebook) as con:
        con.execute("PRAGMA user_version = 9999")
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "read-only" in frame(app) and "9999" in flat(app))
        await until(pilot, lambda: "uv add pyyaml" in frame(app))


async def test_the_casebook_may_be_torn_while_it_is_looked_at(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read and app.errors.results.rows.rows.total == len(CASES))
        for path in casebook.parent.glob(casebook.name + "-*"):
            path.unlink()
        casebook.write_bytes(b"torn" * 5_000)
        await pilot.press("f5")
        await until(pilot, lambda: "This casebook is damaged" in flat(app))
        assert "yaml" in frame(app), "the rows that were there stay"


async def test_a_slow_first_read_says_so_without_moving_anything(casebook: Path, monkeypatch) -> None:
    run, told = Jobs.run, threading.Event()

    def slowly(self, lane, work, done, failed, **more) -> None:
        def wait(job: Job) -> object:
            told.wait(120)
            return work(job)

        run(self, lane, wait if lane in ("rows", "count") else work, done, failed, **more)

    monkeypatch.setattr(Jobs, "run", slowly)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "Loading the casebook" in frame(app))
        told.set()
        await until(pilot, lambda: "yaml" in frame(app) and "Loading the casebook" not in frame(app))


async def test_quitting_does_not_wait_for_a_running_job(casebook: Path, monkeypatch) -> None:
    run, begun, release = Jobs.run, threading.Event(), threading.Event()
    ended = list[bool]()

    def endlessly(self, lane, work, done, failed, **more) -> None:
        def forever(job: Job) -> object:
            begun.set()
            ended.append(release.wait(120))
            return work(job)

        run(self, lane, forever if lane == "search" else work, done, failed, **more)

    monkeypatch.setattr(Jobs, "run", endlessly)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == len(CASES))
        await pilot.press("x")
        await until(pilot, begun.is_set)
        app.leave()
        assert not ended, "quitting waited for the job"
        release.set()


async def test_a_running_query_is_interrupted_by_quitting(casebook: Path) -> None:
    app = app_on(casebook)
    ended: list[str] = []
    begun = threading.Event()

    def endless(job: Job[object]) -> object:
        con = job.store().con
        begun.set()
        try:
            con.execute(
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
            ).fetchall()
        finally:
            ended.append("ended")
        return None

    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == len(CASES))
        app.jobs.run("search", endless, lambda value, final: None, lambda fault: None)
        async with asyncio.timeout(120):
            while not begun.is_set():  # no pause of the pilot: it would wait for the query
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        assert not ended
        app.leave()
    deadline = time.monotonic() + 120  # an endless query ends because it was interrupted, or never
    while not ended and time.monotonic() < deadline:
        time.sleep(0.01)
    assert ended == ["ended"]
