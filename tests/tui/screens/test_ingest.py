"""Filling the library from within: choose, follow, stop, read what was left out, run again."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.library.ingest.report import IngestReport, Item, Scope
from core.store import jobs, open_store
from core.text import visible
from tests.tui.services import ingest_children
from tests.tui.services.ingest_children import GO_ON
from tests.tui.support import app_on, frame, until
from tests.tui.terminal.test_typed_ahead import send
from tui.panes.library.ingest_screen import IngestScreen, RemoveFolder
from tui.panes.library.screen import LibraryScreen
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.ingest import draw_pace, draw_report, report_line
from tui.services import tasks
from tui.shell.app import CasebookApp
from tui.widgets.inputs import read_ends

WIDE, SMALL = (120, 34), (80, 24)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Three documents, and two that are left out."""
    folder = tmp_path / "docs 문서"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"# 밸브 {number}\n\n밸브는 정오에 열린다.\n", encoding="utf-8")
    (folder / "[red]photo[b].png").write_bytes(b"\x89PNG")
    (folder / "a#b.md").write_text("# no place to cite\n")
    return folder


def flat(app: CasebookApp) -> str:
    return " ".join(frame(app).replace("│", " ").split())


async def opened(pilot: Pilot[None], app: CasebookApp) -> IngestScreen:
    app.action_perform("library.ingest")
    await until(pilot, lambda: isinstance(app.screen, IngestScreen))
    screen = app.screen
    assert isinstance(screen, IngestScreen)
    return screen


def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an ingest be one that waits for the test."""
    monkeypatch.setattr(tasks, "run_ingest", ingest_children.slow)


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_folder_is_named_read_and_what_was_left_out_is_told(
    casebook: Path, docs: Path, size: tuple[int, int]
) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = await opened(pilot, app)
        assert app.focused is screen.box
        screen.box.value = str(docs)
        await pilot.press("enter")
        await until(pilot, lambda: "Done in" in flat(app) and "3 documents" in flat(app))
        assert "5 scanned: 3 new, 2 skipped" in flat(app)
        assert "[red]photo[b].png" in flat(app)
        assert "path cannot be cited" in flat(app)
        assert screen.choices.roots == (docs.resolve(),)
        assert screen.box.value == ""
        (docs / "3.md").write_text("# later\n\nmore\n")
        await pilot.press("r")
        await until(pilot, lambda: "6 scanned: 1 new, 3 unchanged, 2 skipped" in flat(app))
        await pilot.press("q")
        assert not isinstance(app.screen, IngestScreen)
        assert "enter open" in frame(app).split("\n")[-1], "the errors' own keys again"
    with open_store(casebook) as store:
        assert [job.status for job in jobs.recent(store, kind="ingest")] == ["succeeded"] * 2


async def test_the_newest_document_is_in_sight_until_the_person_moves(casebook: Path, docs: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        app.action_perform("pane.library")
        await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
        library = app.screen
        assert isinstance(library, LibraryScreen)
        rows = library.hits.rows
        for total, chosen in ((3, 0), (4, 0), (5, 2)):
            (await opened(pilot, app)).box.value = str(docs)
            await pilot.press("enter")
            await until(pilot, lambda: "Done in" in flat(app))
            await pilot.press("q")
            await until(pilot, lambda total=total: rows.rows.total == total and not app.jobs.busy("library"))
            assert rows.chosen == chosen, "one below the newest, and a new one above"
            (docs / f"later {total}.md").write_text("# later\n\nmore\n")
            if total == 4:
                library.hits.body.take_focus()
                await pilot.press("j")
                assert rows.chosen == 1


async def test_it_is_followed_stopped_by_esc_and_completed_by_the_next(
    casebook: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        slow(patch)
        app = app_on(casebook)
        async with app.run_test(size=WIDE, notifications=True) as pilot:
            screen = await opened(pilot, app)
            screen.box.value = str(docs)
            await pilot.press("enter")
            await until(pilot, lambda: "Ingesting files" in flat(app) and "1 of 3 files" in flat(app))
            assert "Slowest files" in frame(app)
            await pilot.press("q")  # it goes on, and the workbench says so
            await until(pilot, lambda: "Ingesting files" in frame(app).split("\n")[-2])
            app.action_perform("library.ingest")
            await until(pilot, lambda: "1 of 3 files" in flat(app))
            await pilot.press("escape")
            await until(pilot, lambda: "Stopped in" in flat(app))
            assert "The next run continues from there" in flat(app)
            patch.undo()
            await pilot.press("r")
            await until(pilot, lambda: "2 new" in flat(app) and "Done in" in flat(app))
    with open_store(casebook) as store:
        assert [job.status for job in jobs.recent(store, kind="ingest")] == ["succeeded", "canceled"]
        assert store.con.execute("SELECT count(*) FROM documents").fetchone() == (3,)


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_folder_is_removed_and_its_files_stay(
    casebook: Path, docs: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "one.md").write_text("# One\n\nAnother valve.\n")
    app = app_on(casebook)
    async with app.run_test(size=size, notifications=True) as pilot:
        screen = await opened(pilot, app)
        for known, folder in enumerate((docs, other), 1):
            screen.box.focus()
            screen.box.value = str(folder)
            await pilot.press("enter")
            await until(pilot, lambda known=known: screen.choices.total == known and not app.ingesting.busy)
        screen.box.focus()
        await pilot.press("down", "d")
        await until(pilot, lambda: "casebook removes 3 documents from the library. Your files stay." in flat(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)
        assert screen.choices.total == 2, "nothing is removed before it is confirmed"
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, RemoveFolder))
        await pilot.press("enter")
        await until(pilot, lambda: screen.choices.roots == (other.resolve(),))
    assert len(list(docs.iterdir())) == 5
    with open_store(casebook) as store:
        assert store.con.execute("SELECT workspace_path FROM documents").fetchall() == [("other/one.md",)]


async def test_leaving_the_workbench_in_the_middle_loses_nothing(
    casebook: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(monkeypatch)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        screen.box.value = str(docs)
        await pilot.press("enter")
        await until(pilot, lambda: app.ingesting.pace is not None and app.ingesting.pace.done)
    with open_store(casebook, write=True) as store:
        end = 2_400
        while jobs.running(store, "ingest") is not None and end:
            end -= 1
            await pilot.pause(0.05)
        assert [job.status for job in jobs.recent(store, kind="ingest")] == ["canceled"]
    casebook.with_name(GO_ON).touch()  # not before: it might go on to the end before it hears that it is to stop
    report = tasks.ingest_task(casebook, [], app.ingesting._chunking).run(lambda _pace: None)
    assert report.new + report.unchanged == 3


async def test_the_library_pane_tells_of_the_run_and_has_its_own_keys_again(
    casebook: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(monkeypatch)
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total)
        await pilot.press("alt+4")
        await until(pilot, lambda: isinstance(app.screen, LibraryScreen) and "The library is empty" in flat(app))
        screen = await opened(pilot, app)
        screen.box.value = str(docs)
        await pilot.press("enter")
        await until(pilot, lambda: "1 of 3 files" in flat(app))
        await pilot.press("q")
        await until(pilot, lambda: "m mode" in frame(app).split("\n")[-1])
        assert "Ingesting files" in frame(app).split("\n")[-2]
        assert "i shows it" in frame(app).split("\n")[-2]
        await until(pilot, lambda: "0.md" in flat(app))  # what is read stands there at once
        casebook.with_name(GO_ON).touch()
        await until(pilot, lambda: "The library is up to date: 3 new" in flat(app))
        await until(pilot, lambda: "2.md" in flat(app))


async def test_folders_are_chosen_and_left_out(casebook: Path, docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "one.md").write_text("# one\n\ntext\n")
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        for folder in (docs, other):
            screen.box.value = str(folder)
            screen.box.focus()
            await pilot.press("enter")
            await until(pilot, lambda: not app.ingesting.busy and screen.choices.roots[-1:] == (folder.resolve(),))  # noqa: B023
        screen.folders.focus()
        await pilot.press("x")
        assert screen.choices.roots == (other.resolve(),)
        await pilot.press("r")
        await until(pilot, lambda: "1 scanned: 1 unchanged" in flat(app))
        assert screen.choices.roots == (other.resolve(),), "who left a folder out finds it left out"
        screen.folders.focus()
        await pilot.press("down", "enter", "r")
        await until(pilot, lambda: "Select or enter a folder." in flat(app))


async def test_tab_completes_a_path(casebook: Path, tmp_path: Path) -> None:
    for name in ("alpha one", "alpha two", ".hidden", "beta"):
        (tmp_path / "here" / name).mkdir(parents=True)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        screen.box.value = f"{tmp_path}/here/a"
        await until(pilot, lambda: "alpha one/ alpha two/" in flat(app))
        await pilot.press("tab")
        assert screen.box.value == f"{tmp_path}/here/alpha "
        await pilot.press("t")
        await until(pilot, lambda: "alpha one/" not in flat(app))
        await pilot.press("tab")
        assert screen.box.value == f"{tmp_path}/here/alpha two/"


async def test_tab_right_behind_letters_completes_as_it_would_a_moment_later(casebook: Path, tmp_path: Path) -> None:
    for name in ("alpha one", "beta"):
        (tmp_path / "here" / name).mkdir(parents=True)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        screen.box.value = f"{tmp_path}/here/"
        screen.box.cursor_position = len(screen.box.value)
        await until(pilot, lambda: "alpha one/ beta/" in flat(app))
        send(app, "a", "l", "tab", "x")
        await until(pilot, lambda: screen.box.value == f"{tmp_path}/here/alpha one/x")


async def test_the_first_screen_says_how_a_folder_is_read_again(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "Press r here" in flat(app))
        assert "FOLDER follows" not in flat(app)


@pytest.mark.parametrize("name", ["/no\x1b]52;c;eA==\x07where", "~no-one-here/x"])
async def test_a_folder_that_is_not_there_is_said(casebook: Path, name: str) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        screen = await opened(pilot, app)
        screen.box.value = name
        await pilot.press("enter")
        await until(pilot, lambda: "Nothing was ingested Folder " in flat(app))
        assert "no casebook" not in flat(app)
        assert "\x1b" not in frame(app)
        assert screen.box.value == visible(name), "what was mistyped is there to be mended"
        assert screen.box.has_focus


class _Job:
    def check(self) -> None:
        """Nobody stops it."""


def test_ends_of_a_path_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    for typed in (str(tmp_path / "nowhere" / "a"), "\0", "~nobody-here/a", str(tmp_path) + "/\udcff"):
        assert read_ends(typed)(_Job()).names == ()  # type: ignore[arg-type]


def test_errors_warnings_and_reasons_stand_with_their_paths() -> None:
    items = (
        Item("error", "bad\x1b[31m.md", error="it cannot be read [b]"),
        Item("new", "old.txt", warnings=("read as cp949",)),
        Item("skipped", "a#b.md", error="bad path: its path holds a #"),
    )
    report = IngestReport(
        "r", Scope("/docs", ("/docs",), (), ()), 9, 1, 0, 0, 0, 4, 3, 1, 2, 1_500, aborted=True,
        skipped_gitignore=3, skipped_casebookignore=0, skipped_builtin_blacklist=0, skipped_generated=0,
        skipped_size_exceeded=0, skipped_other={"bad_path": 1}, skipped_by_extension={},
        skip_examples={"gitignore": ("build/", "x.log"), "bad_path": ("a#b.md",)}, corpus_revision=1, items=items,
    )  # fmt: skip
    told = draw_report(report, None, "2026-03-14T08:00:00Z", UNICODE).plain
    assert "\x1b" not in told
    for line in ("it cannot be read [b]", "read as cp949", "a#b.md  its path holds a #", "build/", "and 1 more"):
        assert line in told
    assert told.index("excluded by .gitignore") < told.index("path cannot be cited"), "the most first"
    assert "2026-03-14 08:00 UTC" in told
    line = report_line(report, ASCII)
    assert "1 file could not be read. 4 skipped." in line
    assert draw_pace(None, ASCII, stopping=False).plain == "Starting"
