"""The same error in other words, in the workbench: the real MiniLM loaded and embedding as it does for a person."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.config.settings_sources import load_config
from core.embedding.index.backlog import waiting
from core.embedding.index.state import VectorState, write_state
from core.embedding.models.catalogue import CATALOGUE, MINILM
from core.embedding.models.models import pulled_folder
from core.embedding.runtime.embedder import Embedder
from core.embedding.runtime.worker import run as embed_all
from core.errors import SearchAnswer, record_resolution
from core.errors.retrieval.embed_text import ErrorSource
from core.store import jobs, open_store
from tests.tui.services import embed_children
from tests.tui.services.embed_children import GO_ON
from tests.tui.support import NOW, app_on, frame, make_casebook, put, toasts, until
from tui.panes.errors.queries import SearchResult
from tui.render.common.trace import took
from tui.runtime.jobs import Job
from tui.runtime.state import State
from tui.services import tasks
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

ROOT = Path(__file__).parents[4]
SIZE = (120, 40)
KNOWN = "Error: Cannot find module 'react'"
FIX = "npm install react: it was in no package.json"
IN_OTHER_WORDS = "Module not found: Can't resolve 'react'"
STRANGER = "kernel: usb 1-1: device descriptor read/64, error -110"
NEIGHBOURS = ("webpack could not find the package lodash in node_modules", "the bundler found no module lodash to load")


@pytest.fixture
def at_home(tmp_path: Path, minilm_folder: Path, minilm: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own, with the model that all tests share: its own processes find it too."""
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in [name for name in os.environ if name.startswith("CASEBOOK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CASEBOOK_EMBEDDING_SERVICE", "false")
    folder = pulled_folder(MINILM)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(minilm_folder)


@pytest.fixture
def known(tmp_path: Path, at_home: None) -> Path:
    """A casebook that knows one error well, and others besides; nothing is embedded."""
    path = make_casebook(tmp_path / "known.db")
    with open_store(path, write=True) as store:
        record_resolution(store, KNOWN, FIX)
        for text in NEIGHBOURS:
            record_resolution(store, text, f"install it: {text}")
    return path


@pytest.fixture
def embedded(known: Path, minilm: Embedder) -> Path:
    with open_store(known, write=True) as store:
        embed_all(store, ErrorSource(), minilm)
    return known


def workbench(path: Path, state: State | None = None, **settings: str) -> CasebookApp:
    around = Surroundings(load_config(environ={**os.environ, **settings}), state=state or State())
    return CasebookApp(path, around=around, clock=lambda: NOW)


async def asked(pilot: Pilot[None], app: CasebookApp, text: str) -> None:
    await until(pilot, lambda: app.errors.results.rows.rows.total)
    app.errors.box.ask(text)
    await until(pilot, lambda: app.errors.why._steps and not app.jobs.busy("search"))


def held(app: CasebookApp) -> Callable[[], bool]:
    """The model takes as long as the test wants: until what this returns is called, and says that somebody waited."""
    meaning, waits, goes = app.errors.meaning, threading.Event(), threading.Event()
    deepened = meaning.deepened

    def slowly(job: Job[Any], answer: SearchAnswer) -> SearchAnswer:
        waits.set()
        while not goes.wait(0.01):
            job.check()
        return deepened(job, answer)

    meaning.deepened = slowly

    def go_on() -> bool:
        if waits.is_set():
            goes.set()
        return waits.is_set()

    return go_on


def tiers(app: CasebookApp) -> list[str | None]:
    rows = app.errors.results.rows.rows
    return [getattr(rows.get(at), "tier", None) for at in range(rows.total)]


async def test_an_error_in_other_words_joins_the_list_with_its_trace(embedded: Path) -> None:
    app = workbench(embedded)
    async with app.run_test(size=(200, 80)) as pilot:
        await asked(pilot, app, IN_OTHER_WORDS)
        await until(pilot, lambda: tiers(app)[:1] == ["vector"])
        await until(pilot, lambda: FIX in frame(app) and "~ similar meaning" in frame(app))
        if not app.errors.why.display:
            await pilot.press("escape", "t")
        await until(pilot, lambda: "neighbour  hit" in frame(app))
        shown = frame(app)
        for word in ("cosine", "distance", "shared", "missing", "bar", "react"):
            assert word in shown


async def test_no_search_waits_for_the_model_and_the_first_one_says_so(embedded: Path) -> None:
    app = workbench(embedded)
    async with app.run_test(size=SIZE) as pilot:
        go_on = held(app)
        await asked(pilot, app, IN_OTHER_WORDS)
        said = next(step for step in app.errors.why._steps if step.stage == "vector")
        assert said.outcome == "skipped"
        assert "is running" in said.reason or "is loading" in said.reason
        await until(pilot, go_on)
        await until(
            pilot, lambda: any(step.stage == "vector" and step.outcome == "hit" for step in app.errors.why._steps)
        )
        whole = took(app.errors.why._steps)
        await until(pilot, lambda: f"{whole} ─╯" in frame(app))


def uses(path: Path, case_id: int) -> int:
    with open_store(path) as store:
        row = store.con.execute("SELECT coalesce(use_count, 0) FROM error_kb WHERE id = ?", (case_id,)).fetchone()
    assert row is not None
    return int(row[0])


async def test_what_is_only_similar_is_shown_as_such_and_never_counted(embedded: Path) -> None:
    app = workbench(embedded)
    async with app.run_test(size=SIZE) as pilot:
        await asked(pilot, app, IN_OTHER_WORDS)
        await until(pilot, lambda: "similar" in tiers(app))
        at = tiers(app).index("similar")
        app.errors.results.rows.choose(at)
        app.errors.results.rows.focus()
        await until(pilot, lambda: "? similar, not a match" in frame(app))
        row = app.errors.results.chosen
        assert row is not None
        before = uses(embedded, row.id)
        await pilot.press("enter")
        await until(pilot, lambda: app.focused is app.errors.case and not app.jobs.busy("use"))
        assert uses(embedded, row.id) == before


async def test_who_is_in_the_list_is_not_moved_by_what_comes_later(embedded: Path) -> None:
    with open_store(embedded, write=True) as store:
        for number in range(3):
            put(store, f"{'abc'[number]}: module react is not resolved in a bundle", "shell", None)
    app = workbench(embedded)
    async with app.run_test(size=SIZE) as pilot:
        go_on = held(app)
        await asked(pilot, app, "module react resolve")
        await until(pilot, lambda: app.errors.results.rows.rows.total >= 3)
        await pilot.press("down", "j")
        results = app.errors.results
        before, line = results.chosen, results.rows.chosen - round(results.rows.scroll_y)
        assert before is not None
        await until(pilot, go_on)
        await until(pilot, lambda: {"vector", "similar"} & set(tiers(app)))
        assert results.chosen is not None
        assert results.chosen.id == before.id
        assert results.rows.chosen - round(results.rows.scroll_y) == line


async def test_what_comes_later_stays_below_the_rows_on_the_screen(embedded: Path) -> None:
    app = workbench(embedded)
    async with app.run_test(size=SIZE) as pilot:
        held(app)
        await asked(pilot, app, "module find load")
        results = app.errors.results
        await until(pilot, lambda: results.rows.rows.total > 2)
        await pilot.press("down", "j")
        rows = tuple(row for at in range(results.rows.rows.total) if (row := results.rows.rows.get(at)))
        many = tuple(replace(rows[0], id=1_000 + number) for number in range(60))  # pyright: ignore[reportArgumentType, reportCallIssue]
        results._join_vectors(SearchResult(None, (*many, *rows[::-1]), 0))  # pyright: ignore[reportArgumentType]
        assert (results.rows.chosen, results.chosen) == (1, rows[1])
        assert tuple(results.rows.rows.get(at) for at in range(len(rows))) == rows
        results._join_vectors(SearchResult(None, (*many[::-1], *rows), 0))  # pyright: ignore[reportArgumentType]
        height = results.rows.size.height
        assert tuple(results.rows.rows.get(at) for at in range(height)) == (*rows, *many)[:height]
        assert results.rows.scroll_y == 0


async def test_only_an_answer_takes_the_place_of_the_chosen_row(embedded: Path) -> None:
    """A rank that comes later joins below the chosen row, whether the person has moved or not."""
    app = workbench(embedded)
    async with app.run_test(size=SIZE) as pilot:
        held(app)
        await asked(pilot, app, "module find load")
        results = app.errors.results
        await until(pilot, lambda: results.rows.rows.total > 2)
        rows = tuple(row for at in range(results.rows.rows.total) if (row := results.rows.rows.get(at)))
        results._join_vectors(SearchResult(None, rows[::-1], 0))  # pyright: ignore[reportArgumentType]
        assert (results.rows.chosen, results.chosen) == (0, rows[0])
        assert results.rows.rows.get(1) == rows[-1]
        answer = replace(rows[-1], hit=replace(rows[-1].hit, accepted=True)) if rows[-1].hit else rows[-1]  # pyright: ignore[reportArgumentType, reportAttributeAccessIssue]
        results._join_vectors(SearchResult(None, (answer, *rows[:-1]), 0))  # pyright: ignore[reportArgumentType]
        assert (results.rows.chosen, results.chosen) == (0, answer), "an answer is shown at once"
        await pilot.press("enter")  # opened: it is read now
        await until(pilot, lambda: app.errors.case.has_focus_within)
        results._join_vectors(SearchResult(None, rows, 0))  # pyright: ignore[reportArgumentType]
        assert results.chosen == rows[-1], "the case that is read stays the chosen one"


async def test_a_result_of_an_older_text_is_dropped(embedded: Path) -> None:
    app = workbench(embedded)
    async with app.run_test(size=SIZE) as pilot:
        await asked(pilot, app, IN_OTHER_WORDS)
        app.errors.box.ask(STRANGER)
        await until(pilot, lambda: app.errors.meaning.warm)
        await until(pilot, lambda: not any(app.jobs.busy(lane) for lane in ("meaning", "search")))
        await pilot.pause(0.2)
        assert "vector" not in tiers(app)
        assert app.errors.results.query_text == STRANGER


async def test_similar_cases_stand_in_a_case_and_open(embedded: Path) -> None:
    app = workbench(embedded)
    async with app.run_test(size=SIZE) as pilot:
        await asked(pilot, app, "lodash")
        await until(pilot, lambda: app.errors.case.read and "lodash" in app.errors.case.line)
        await until(pilot, lambda: app.errors.case.like.rows.total)
        await pilot.press("escape", "L")
        await until(pilot, lambda: app.focused is app.errors.case.like)
        assert "Similar cases, by meaning" in frame(app)
        chosen = app.errors.case.like.chosen_id
        await pilot.press("enter")
        await until(pilot, lambda: app.errors.case.read and app.errors.case.read.case.id == chosen)
        assert app.focused is app.errors.case
        await pilot.press("escape")
        await until(pilot, lambda: app.errors.case.read and "lodash" in app.errors.case.line)


async def test_without_vectors_similar_cases_come_from_words(known: Path) -> None:
    app = workbench(known, CASEBOOK_EMBEDDING_AUTO="false")
    async with app.run_test(size=SIZE) as pilot:
        await asked(pilot, app, "lodash")
        await until(pilot, lambda: app.errors.case.like.rows.total)
        assert "Similar cases, by words" in str(app.errors.case.like.border_title)


async def test_what_waits_is_embedded_by_itself(known: Path) -> None:
    app = workbench(known)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: _left(known) == 0)
        await until(pilot, lambda: not app.jobs.busy("embed"))
        assert app.errors.embedding.running is None, "few of them are embedded without a word"
        await asked(pilot, app, IN_OTHER_WORDS)
        await until(pilot, lambda: tiers(app)[:1] == ["vector"])


async def test_a_run_that_began_by_itself_and_finds_another_one_says_nothing(
    known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "run_embedding", embed_children.occupied)
    with open_store(known, write=True) as store:
        for number in range(300):
            put(store, f"error: widget {_letters(number)} has no gear {_letters(number * 7)} left", "shell", None)
    app = workbench(known)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: known.with_name(GO_ON).exists() and not app.jobs.busy("embed"))
        assert "Another process" not in frame(app)


async def test_many_are_told_in_the_status_line_and_only_the_status_cancels_for_this_session(
    known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "run_embedding", embed_children.slow)
    with open_store(known, write=True) as store:
        for number in range(300):
            put(store, f"error: widget {_letters(number)} has no gear {_letters(number * 7)} left", "shell", None)
    app = workbench(known)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: app.errors.embedding.busy)
        await until(pilot, lambda: "Embedding" in frame(app) and "/s" in frame(app))
        await until(pilot, lambda: app.errors.results.rows.rows.total)
        await pilot.press("escape")
        await until(pilot, lambda: app.errors.results.has_focus_within and "S then x cancels" in frame(app))
        await pilot.press("escape", "escape", "escape")
        await pilot.pause()
        assert app.jobs.busy("embed"), "people press it out of habit"
        await pilot.press("S", "x", "escape")
        await until(pilot, lambda: not app.jobs.busy("embed"))
        await until(pilot, lambda: "Embedding stopped" in frame(app))
        left = _left(known)
        assert 0 < left < 308
        app.errors.embedding.changed()
        await until(pilot, lambda: not app.jobs.busy("backlog"))
        assert not app.jobs.busy("embed"), "it does not begin again by itself"
        app.errors.embedding.ask()
        await until(pilot, lambda: "S then x cancels" in frame(app))
        known.with_name(GO_ON).touch()
        await until(pilot, lambda: _left(known) < left)
        with open_store(known) as store:
            assert [job.status for job in jobs.recent(store, kind="embed")][-1] == "canceled"


@pytest.mark.parametrize("pane", "1234")
async def test_a_run_of_another_process_is_left_alone_and_told_in_every_pane(known: Path, pane: str) -> None:
    with open_store(known, write=True) as store:
        jobs.begin(store, "embed")
    app = workbench(known)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total)
        await pilot.press(f"alt+{pane}")
        await until(pilot, lambda: len(app.screen_stack) == (1 if pane == "1" else 2))
        app.action_perform("embed.begin")
        await until(pilot, lambda: "Another process is embedding" in frame(app))
        assert not app.jobs.busy("embed")


async def test_without_a_model_one_notice_says_what_mends_it_and_never_again(known: Path) -> None:
    nowhere = {"CASEBOOK_EMBEDDING_MODEL": "paraphrase-multilingual-MiniLM-L12-v2"}
    app = workbench(known, **nowhere)  # pyright: ignore[reportArgumentType]
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: "casebook models pull" in frame(app))
        await asked(pilot, app, "react")
        assert app.errors.results.rows.rows.total
        memory = app.errors.remembered()
    again = workbench(known, State(panes={"errors": memory}), **nowhere)
    async with again.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: again.errors.embedding._facts is not None)
        assert "casebook models pull" not in frame(again)


async def test_without_settings_nothing_of_it_happens(known: Path) -> None:
    app = app_on(known)
    async with app.run_test(size=SIZE) as pilot:
        await asked(pilot, app, IN_OTHER_WORDS)
        await pilot.pause(0.1)
        assert not any(app.jobs.busy(lane) for lane in ("meaning", "embed", "backlog"))


def _letters(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in f"{number:05d}")


def _left(path: Path) -> int:
    with open_store(path) as store:
        return waiting(store.con, "error")


def test_the_model_of_these_tests_is_the_measured_one() -> None:
    assert CATALOGUE[MINILM].measured


async def test_the_status_shows_the_model_its_bars_and_what_waits_and_proves_it(embedded: Path) -> None:
    with open_store(embedded, write=True) as store:
        put(store, "error: one more that waits", "shell", None)
    app = workbench(embedded, CASEBOOK_EMBEDDING_AUTO="false")
    async with app.run_test(size=(120, 60)) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total)
        await pilot.press("escape", "S")
        await until(pilot, lambda: "match from cosine 0.700" in frame(app))
        assert f"{MINILM}@" in frame(app)
        assert "cases embedded, 1 missing (run: casebook embed)" in frame(app)
        await until(pilot, lambda: "one text embedded to a unit vector of 384" in frame(app))


async def test_after_a_change_of_the_model_nothing_begins_by_itself(known: Path) -> None:
    with open_store(known, write=True) as store, store.transaction() as con:
        write_state(con, "error", VectorState("another@1", "error/1+mean/256", 384))
    app = workbench(known)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: any("model changed from another" in toast for toast in toasts(app)))
        assert not app.jobs.busy("embed")
        app.action_perform("embed.begin")
        await until(pilot, lambda: _left(known) == 0)
        await until(pilot, lambda: not app.jobs.busy("embed"))


STARTED = """
import asyncio, os, sys
from pathlib import Path
from core.base.config.settings_sources import load_config
from tui.shell.app import CasebookApp
from tui.render.common.trace import took
from tui.services.environment import Surroundings

async def main():
    app = CasebookApp(Path(sys.argv[1]), around=Surroundings(load_config()))
    async with app.run_test(size=(120, 34)) as pilot:
        while not app.errors.case.like.rows.total or app.jobs.busy("backlog"):
            await pilot.pause(0.02)
        print(*sorted({name.partition(".")[0] for name in sys.modules}))

asyncio.run(main())
"""


def test_neither_the_first_frame_nor_similar_cases_load_a_model(embedded: Path) -> None:
    with open_store(embedded, write=True) as store:  # the case that is shown first has one that is similar
        put(
            store,
            "webpack could not find a package lodash in the modules",
            "shell",
            None,
            last="2027-01-01T00:00:00.000Z",
        )
    done = subprocess.run(
        [sys.executable, "-c", STARTED, str(embedded)], cwd=ROOT, check=True, capture_output=True, text=True,
        env={**os.environ, "CASEBOOK_EMBEDDING_AUTO": "false"}, timeout=300,
    )  # fmt: skip
    assert not {"numpy", "onnxruntime", "fastembed", "tokenizers"} & set(done.stdout.split())
