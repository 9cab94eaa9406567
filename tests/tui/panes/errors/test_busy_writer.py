"""Another process writes again and again: what is read is shown all the same, and what is asked for is answered."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

import core.errors
import core.evidence
import core.library.documents.opened
import core.rules.calls
from core.base.fault import Fault
from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.errors.curation import triage
from core.evidence import add_entries, align_session
from core.library.search.api import SearchRequest
from core.library.search.rows import SearchResponse
from core.store import open_store
from tests.core.evidence.evidence_support import FAILED, MESSAGES, SESSION, entry
from tests.tui.panes.evidence import support as evidence_support
from tests.tui.panes.library import support as library_support
from tests.tui.panes.library.support import library_app, put_notes, read_notes, searched
from tests.tui.panes.rules import support as rules_support
from tests.tui.screens import test_triage
from tests.tui.support import CASES, app_on, put, until
from tui.panes.library.queries import Meaning
from tui.runtime.jobs import Job, JobReport, Jobs
from tui.services.db_watch import Following
from tui.services.embedding import AFTER, LATEST, quiet_for
from tui.shell.app import CasebookApp
from tui.widgets.row_list import RowList

WIDE, SMALL = (120, 34), (80, 24)
MOST = 3
"""Readings during which somebody writes."""


class BusyWriter:
    """While `lane` reads, it writes; the reading ends only when that change was put off, or the reading given up."""

    def __init__(self, patch: pytest.MonkeyPatch, jobs: Jobs, lane: str, place: object, name: str) -> None:
        self.write: Callable[[int], object] = lambda number: None
        self.readings = 0
        self.first: Job[object] | None = None
        self.answered: list[Job[object]] = []  # those of which something was handed over
        put_off, read, deliver, changed = threading.Event(), getattr(place, name), Jobs.deliver, Following.changed

        def reading(*given: object, **more: object) -> object:
            job = jobs._lanes[lane]._running if threading.current_thread().name == f"casebook-{lane}" else None
            if job is not None:
                self.first = self.first or job
                self.readings += 1
                if self.readings <= MOST:
                    put_off.clear()
                    self.write(self.readings)
                    job.on_stop(put_off.set)
                    assert put_off.wait(120)
            return read(*given, **more)

        def hearing(following: Following) -> None:
            changed(following)
            if following._due and lane in following._lanes:
                put_off.set()

        def delivering(jobs: Jobs, report: JobReport) -> None:
            job = report.job
            if job.lane.name == lane and not job.stopped and job.generation == job.lane.generation:
                self.answered.append(job)
            deliver(jobs, report)

        patch.setattr(place, name, reading)
        patch.setattr(Following, "changed", hearing)
        patch.setattr(Jobs, "deliver", delivering)

    @property
    def starved(self) -> bool:
        """Whether the first reading was given up."""
        return self.answered[0] is not self.first


class Meant:
    """Stands in for the process that compares vectors: it answers at once, until it `fails`."""

    def __init__(self) -> None:
        self.asked, self.fails = 0, False

    def ask(self, job: Job[object], question: SearchRequest) -> SearchResponse:
        self.asked += 1
        if self.fails:
            raise Fault("model_unreachable", "it has ended")
        return question(job.store(), VectorSearch(lambda: NoVectors("it was asked")))


def more_notes(path: Path, folder: Path, number: int) -> None:
    (folder / f"more{number}.md").write_text(f"# More {number}\n\nThe ledger of ship {number}.\n", encoding="utf-8")
    read_notes(path, folder)


def library(folder: Path) -> tuple[Path, Path]:
    """A casebook with the notes of a folder, and that folder."""
    notes = put_notes(folder / "notes")
    return read_notes(folder / "library.db", notes), notes


def library_writer(monkeypatch: pytest.MonkeyPatch, app: CasebookApp, path: Path, notes: Path) -> BusyWriter:
    """Whoever reads more notes in while the library's size is read."""
    writer = BusyWriter(monkeypatch, app.jobs, "library", core.library.documents.opened, "library_size")
    writer.write = lambda number: more_notes(path, notes, number)
    return writer


async def test_the_library_shows_what_comes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, notes = library(tmp_path)
    app = library_app(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await library_support.opened(pilot, app)
        writer = library_writer(monkeypatch, app, path, notes)
        more_notes(path, notes, 0)
        await until(pilot, lambda: screen.hits.total == 3 + 1 + MOST)
        assert not writer.starved, "the first reading was shown, whoever wrote meanwhile"


async def test_a_search_in_the_library_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, notes = library(tmp_path)
    app = library_app(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await library_support.opened(pilot, app)
        writer = library_writer(monkeypatch, app, path, notes)
        screen.box.ask("ship")
        await until(pilot, lambda: screen.searching.found is not None and screen.hit is not None)
        assert not writer.starved
        await until(pilot, lambda: sum("more" in one for one in library_support.paths(screen)) == MOST)


async def test_what_does_not_concern_the_library_is_not_read_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = read_notes(tmp_path / "library.db", put_notes(tmp_path / "notes"))
    app = library_app(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await searched(pilot, app, "ledger")
        looked = BusyWriter(monkeypatch, app.jobs, "library-look", core.library.documents.opened, "library_stamp")
        looked.readings = MOST  # it only counts
        screen.searching.look_again()
        await until(pilot, lambda: library_support.idle(app) and looked.answered)
        found = screen.searching.found
        with open_store(path, write=True) as store:
            put(store, "fatal: no note", "git", None)
        await until(pilot, lambda: len(looked.answered) >= 2 and library_support.idle(app))
        assert screen.searching.found is found
        more_notes(path, tmp_path / "notes", 1)
        await until(pilot, lambda: screen.searching.found is not found)


async def test_the_calls_show_what_comes_while_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = rules_support.put_calls(tmp_path / "calls.db", *rules_support.CALLS)
    app = rules_support.rules_app(path, tmp_path / "none.md")
    async with app.run_test(size=WIDE) as pilot:
        screen = await rules_support.opened(pilot, app)
        writer = BusyWriter(monkeypatch, app.jobs, "rules-calls", core.rules.calls, "call_keys")
        writer.write = lambda number: rules_support.put_calls(path, ("Bash", {"command": f"echo {number}"}))
        writer.write(0)
        await until(pilot, lambda: screen.calls.calls.total == 3 + 1 + MOST)
        assert not writer.starved


async def test_hits_by_meaning_stay_while_it_is_asked_again_and_words_answer_where_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = put_notes(tmp_path / "notes")
    path = read_notes(tmp_path / "library.db", notes)
    app = library_app(path)
    async with app.run_test(size=WIDE) as pilot:
        screen = await library_support.opened(pilot, app)
        process = Meant()
        screen.searching.meaning = Meaning(app.jobs, process)  # pyright: ignore[reportArgumentType]
        screen.box.ask("ledger")
        await until(pilot, lambda: process.asked == 1 and library_support.idle(app))
        words = BusyWriter(monkeypatch, app.jobs, "library", core.library.documents.opened, "library_size")
        words.readings = MOST  # it only counts
        more_notes(path, notes, 1)
        await until(pilot, lambda: "more1.md" in library_support.paths(screen))
        assert process.asked >= 2
        assert not words.answered, "what the words alone find was never shown in between"
        process.fails = True
        more_notes(path, notes, 2)
        await until(pilot, lambda: "more2.md" in library_support.paths(screen))
        assert words.answered


@pytest.mark.parametrize(("lane", "name"), [("evidence", "list_quotes"), ("evidence-quote", "show_quote")])
async def test_the_quotes_show_what_comes_while_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lane: str, name: str
) -> None:
    path = evidence_support.one_of_each(tmp_path / "quotes.db")
    app = app_on(path)

    def write(number: int) -> None:
        with open_store(path, write=True) as store:
            add_entries(store, SESSION, [entry(f"more {number}", FAILED)])
            align_session(store, SESSION)

    async with app.run_test(size=WIDE) as pilot:
        screen = await evidence_support.opened(pilot, app)
        await until(pilot, lambda: evidence_support.idle(app))
        total = screen.quotes.total
        writer = BusyWriter(monkeypatch, app.jobs, lane, core.evidence, name)
        writer.write = write
        write(0)
        await until(pilot, lambda: screen.quotes.total == total + 1 + MOST and evidence_support.shown(screen))
        assert not writer.starved


async def test_the_queue_shows_what_comes_while_it_is_read(casebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_on(casebook)

    def write(number: int) -> None:
        with open_store(casebook, write=True) as store:
            put(store, f"fatal: {'abcd'[number]} came", "git", None)

    async with app.run_test(size=WIDE) as pilot:
        screen = await test_triage.opened(pilot, app)
        await until(pilot, lambda: test_triage.idle(app))
        left = screen.queue.remaining
        writer = BusyWriter(monkeypatch, app.jobs, "triage", triage, "triage_queue")
        writer.write = write
        write(0)
        await until(pilot, lambda: screen.queue.remaining == left + 1 + MOST)
        assert not writer.starved


async def test_a_case_is_shown_though_the_list_is_read_again(casebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_on(casebook)

    def write(number: int) -> None:
        with open_store(casebook, write=True) as store:
            put(store, f"fatal: {'abcd'[number]} came", "git", None, last="2026-01-01T00:00:00.000Z")

    async with app.run_test(size=WIDE) as pilot:
        rows = app.errors.results.rows
        await until(pilot, lambda: rows.rows.total == len(CASES) and app.errors.case.read and app.jobs.busy("watch"))
        await pilot.press("down", "j")
        await until(pilot, lambda: app.errors.case.read and "TS2304" in app.errors.case.read.case.key_lines[0])
        writer = BusyWriter(monkeypatch, app.jobs, "case", core.errors, "show_case")
        writer.write = write
        await pilot.press("j")
        await until(pilot, lambda: app.errors.case.read and "E0382" in app.errors.case.read.case.key_lines[0])
        assert not writer.starved
        await until(pilot, lambda: rows.rows.total == len(CASES) + MOST)


async def looked_elsewhere(pilot: Pilot[None], rows: RowList, write: Callable[[], object], at_top: int) -> None:
    """Somebody has scrolled away from the chosen row while another process writes: `at_top` rows come above it."""
    chosen, total = rows.chosen, rows.rows.total
    rows.scroll_to(y=(chosen + 20) * rows.tall, animate=False, force=True)
    await pilot.pause()
    top = round(rows.scroll_y)
    assert top > chosen * rows.tall
    write()
    await until(pilot, lambda: rows.rows.total > total)
    assert rows.chosen == chosen + at_top
    assert round(rows.scroll_y) == top + at_top * rows.tall


async def test_who_has_scrolled_away_in_the_library_is_not_taken_back(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    for number in range(60):
        (notes / f"{number}").mkdir(parents=True)
        (notes / f"{number}" / "note.md").write_text(f"# Note {number}\n\nA ship.\n", encoding="utf-8")
    path = read_notes(tmp_path / "library.db", notes)
    app = library_app(path)
    async with app.run_test(size=SMALL) as pilot:
        screen = await library_support.opened(pilot, app)
        await looked_elsewhere(pilot, screen.hits.rows, lambda: more_notes(path, notes, 1), 1)


async def test_who_has_scrolled_away_in_the_calls_is_not_taken_back(tmp_path: Path) -> None:
    path = rules_support.put_calls(tmp_path / "calls.db", *(("Bash", {"command": f"echo {at}"}) for at in range(60)))
    app = rules_support.rules_app(path, tmp_path / "none.md")
    async with app.run_test(size=SMALL) as pilot:
        screen = await rules_support.opened(pilot, app)
        more = ("Bash", {"command": "echo more"})
        await looked_elsewhere(pilot, screen.calls.rows, lambda: rules_support.put_calls(path, more), 1)


async def test_who_has_scrolled_away_in_the_quotes_is_not_taken_back(tmp_path: Path) -> None:
    entries = [entry(f"entry {number}", FAILED) for number in range(60)]
    path = evidence_support.fill(tmp_path / "quotes.db", MESSAGES, *entries)
    app = app_on(path)

    def write() -> None:
        with open_store(path, write=True) as store:
            add_entries(store, SESSION, [entry("more", FAILED)])

    async with app.run_test(size=SMALL) as pilot:
        screen = await evidence_support.opened(pilot, app)
        await looked_elsewhere(pilot, screen.list.rows, write, 0)


async def test_who_has_scrolled_away_in_the_queue_is_not_taken_back(casebook: Path) -> None:
    def write(number: int) -> None:
        with open_store(casebook, write=True) as store:
            letters = "".join(chr(97 + int(digit)) for digit in f"{number:02d}")
            put(store, f"fatal: {letters} came", "git", None, last="2026-01-01T00:00:00.000Z")

    for number in range(60):
        write(number)
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        screen = await test_triage.opened(pilot, app)
        await looked_elsewhere(pilot, screen.rows, lambda: write(60), 0)


def test_a_change_gives_up_no_reading_and_one_more_follows_for_all_of_them() -> None:
    reports: list[JobReport] = []
    arrived, release = threading.Semaphore(0), threading.Event()
    shown: list[object] = []
    later: list[Callable[[], object]] = []
    begun: list[int] = []

    def post(report: JobReport) -> None:
        reports.append(report)
        arrived.release()

    def work(_job: Job[int]) -> int:
        assert release.wait(120)
        return len(begun)

    def read() -> None:
        begun.append(1)
        jobs.run("list", work, lambda value, _final: shown.append(value), lambda _fault: None)

    jobs = Jobs(Path("/nonexistent/none.db"), post)
    try:
        following = Following(jobs, ("list", "page"), read, lambda _seconds, act: later.append(act))
        following.changed()
        assert (len(begun), len(later)) == (1, 0), "nothing is read: at once"
        for _ in range(5):
            following.changed()
        assert (len(begun), len(later)) == (1, 1), "remembered, once"
        later.pop()()
        assert (len(begun), len(later)) == (1, 1), "it still reads"
        release.set()
        assert arrived.acquire(timeout=120)
        later.pop()()
        assert (len(begun), len(later)) == (1, 1), "it has ended, but nobody has seen the answer"
        jobs.deliver(reports[0])
        assert shown == [1]
        later.pop()()
        assert (len(begun), len(later)) == (2, 0), "one reading for all of them"
        assert arrived.acquire(timeout=120)
        jobs.deliver(reports[1])
        assert shown == [1, 2]
    finally:
        jobs.close()


def test_embedding_waits_for_quiet_and_not_for_ever() -> None:
    assert quiet_for(since=100.0, now=100.0) == AFTER
    assert quiet_for(since=100.0, now=100.0 + LATEST - AFTER / 2) == pytest.approx(AFTER / 2)
    assert quiet_for(since=100.0, now=200.0) == 0.0
