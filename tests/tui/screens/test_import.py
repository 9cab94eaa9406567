"""Importing from within: the first run's offer, progress, Esc, quitting, a second one, and what can go wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from core.base.config.settings_sources import default_config
from core.errors import count_cases
from core.flows.transcripts.report import ImportReport, Progress, SkippedLine
from core.samples import sample_paths
from core.store import jobs, open_store
from tests.tui.services import import_children
from tests.tui.services.import_children import GO_ON
from tests.tui.support import CASES, app_on, frame, look_up, offered, until
from tui.render.common.amounts import draw_progress, report_line, report_text, size_of
from tui.render.common.glyphs import ASCII, UNICODE
from tui.screens.import_files import ImportScreen
from tui.screens.pager import WholeText
from tui.services import tasks
from tui.services.environment import Surroundings
from tui.services.importing import Roots, look_for, roots_of
from tui.shell.app import CasebookApp
from tui.widgets import workbench

WIDE, SMALL = (120, 34), (80, 24)


@pytest.fixture
def roots() -> Roots:
    claude, codex = sample_paths()
    return {"claude-code": [claude], "codex": [codex, codex / "not there"]}


def total(app: CasebookApp) -> int:
    return app.errors.results.rows.rows.total


def flat(app: CasebookApp) -> str:
    return " ".join(frame(app).replace("│", " ").split())


def child(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let an import be one that waits for the test."""
    monkeypatch.setattr(tasks, "run_import", getattr(import_children, name))


async def importing(pilot: Pilot[None], app: CasebookApp) -> None:
    await until(pilot, lambda: app.errors.incoming.running and app.errors.incoming.running.progress)


async def test_the_first_run_offers_what_is_there_and_one_key_imports_it(tmp_path: Path, roots: Roots) -> None:
    path = tmp_path / "deep" / "new.db"
    app = app_on(path, roots=roots)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        for size in (SMALL, WIDE):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda: "Claude Code," in flat(app) and "Codex," in flat(app))
            assert "No cases yet" in frame(app)
        assert not path.exists(), "looking makes nothing"
        await pilot.press("i")
        await until(pilot, lambda: app.errors.incoming.report is not None and total(app) > 0)
        await until(pilot, lambda: "Import done" in flat(app))
        with open_store(path) as store:
            cases = count_cases(store)
        await until(pilot, lambda: total(app) == cases)
        assert app.errors.incoming.running is None
        assert app.focused is app.errors.results.rows
        assert app.errors.results.rows.chosen == 0, "nobody has moved, so the newest case is the chosen one"
        await pilot.resize_terminal(*SMALL)
        await until(pilot, lambda: "Import done" in flat(app))


async def test_the_first_run_says_how_to_see_it_on_samples(tmp_path: Path) -> None:
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "No agent sessions found" in flat(app))
        await pilot.press("d")
        await until(pilot, lambda: "casebook demo" in flat(app))


async def test_progress_is_told_and_esc_stops_it_keeping_whole_batches(
    tmp_path: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    child(monkeypatch, "slow")
    path = tmp_path / "new.db"
    app = app_on(path, roots=roots)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "Claude Code," in flat(app))
        await pilot.press("i")
        await importing(pilot, app)
        await until(pilot, lambda: "Reading sessions: " in flat(app))
        assert "Importing sessions" in frame(app) and "No cases yet" not in frame(app)
        assert "%" in frame(app)
        assert "esc twice cancels" in frame(app)
        app.say("said meanwhile", seconds=3_600)
        await until(pilot, lambda: "said meanwhile" in frame(app))
        assert "esc twice cancels" in frame(app), "a toast is above the line"
        app.clear_notifications()
        await pilot.press("escape")
        await until(pilot, lambda: "esc again cancels" in frame(app))
        assert app.errors.incoming.report is None, "people press it out of habit"
        await pilot.press("escape")
        await until(pilot, lambda: app.errors.incoming.report is not None)
        report = app.errors.incoming.report
        assert report is not None
        assert report.canceled
        assert report.messages > 0
        await until(pilot, lambda: "partial results kept" in flat(app))
        assert app.errors.incoming.running is None
    with open_store(path) as store:
        assert [job.status for job in jobs.recent(store, kind="import")] == ["canceled"]
        stored = store.con.execute("SELECT count(*) FROM message").fetchone()
        assert stored == (report.messages,)


async def test_the_palette_stops_it_from_any_pane(
    tmp_path: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    child(monkeypatch, "slow")
    app = app_on(tmp_path / "new.db", roots=roots)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: "Claude Code," in flat(app))
        incoming = app.errors.incoming
        for pane in "1234":
            incoming.begin(incoming.folders)
            await importing(pilot, app)
            await pilot.press(f"alt+{pane}")
            await until(pilot, lambda pane=pane: len(app.screen_stack) == (1 if pane == "1" else 2))
            await look_up(pilot, app, "stop the import")
            await until(pilot, lambda: offered(app).startswith("Stop the import"))
            assert "No import is running" not in frame(app)
            await pilot.press("enter")
            await until(pilot, lambda: incoming.report is not None and not incoming.busy)
            report = incoming.report
            assert report is not None and report.canceled


async def test_cases_appear_while_the_import_still_runs(
    tmp_path: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    child(monkeypatch, "slow_harvest")
    looked: list[object] = []

    def looking() -> Roots:
        looked.append(1)
        return roots

    app = app_on(tmp_path / "new.db")
    app.errors.incoming._roots = looking
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "Claude Code," in flat(app))
        await pilot.press("i")
        await until(pilot, lambda: app.errors.incoming.busy and not app.jobs.busy("look"))
        asked = len(looked)
        await until(pilot, lambda: total(app) > 0 and app.errors.case.read)
        assert app.errors.incoming.busy
        assert len(looked) == asked, "what there is to import is not looked for while it is imported"
        before = total(app)
        (tmp_path / GO_ON).touch()
        await until(pilot, lambda: total(app) > before)
        await until(pilot, lambda: not app.errors.incoming.busy)


async def test_a_canceled_import_goes_on_where_it_stopped(tmp_path: Path, roots: Roots) -> None:
    path = tmp_path / "new.db"
    app = app_on(path, roots=roots)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "Claude Code," in flat(app))
        app.errors.incoming.begin(app.errors.incoming.folders)
        app.errors.incoming.stop()
        await until(pilot, lambda: app.errors.incoming.report is not None)
        app.errors.incoming.begin(app.errors.incoming.folders)
        await until(pilot, lambda: app.errors.incoming.report and not app.errors.incoming.report.canceled)
        await until(pilot, lambda: total(app) > 10)


async def test_a_second_import_says_why_not(casebook: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "slow")
    app = app_on(casebook, roots=roots)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: total(app) == len(CASES))
        await pilot.press("down", "i")
        await until(pilot, lambda: isinstance(app.screen, ImportScreen) and "Claude Code" in frame(app))
        await pilot.press("enter")
        await importing(pilot, app)
        await pilot.press("i")
        await until(pilot, lambda: "An import is already running" in flat(app))
        casebook.with_name(GO_ON).touch()
        await until(pilot, lambda: app.errors.incoming.report is not None and total(app) > len(CASES))


async def test_an_import_of_another_process_is_respected(casebook: Path, roots: Roots) -> None:
    with open_store(casebook, write=True) as store:
        assert jobs.begin(store, "import")
    app = app_on(casebook, roots=roots)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: total(app) == len(CASES))
        app.errors.incoming.begin(sample_paths())
        await until(pilot, lambda: "Another import is running" in flat(app))
        assert not app.errors.incoming.busy
        assert total(app) == len(CASES)


async def test_quitting_does_not_wait_for_the_import(
    tmp_path: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    child(monkeypatch, "deaf")
    app = app_on(tmp_path / "new.db", roots=roots)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "Claude Code," in flat(app))
        await pilot.press("i")
        await until(pilot, (tmp_path / "deaf").exists)
        app.leave()
    assert app.jobs.is_working("import"), "it is left behind"
    (tmp_path / GO_ON).touch()


async def test_a_named_file_is_imported_and_what_was_left_out_can_be_read(casebook: Path, tmp_path: Path) -> None:
    sample = sorted(sample_paths()[0].rglob("*.jsonl"))[0]
    torn = tmp_path / "torn [b].jsonl"
    torn.write_bytes(sample.read_bytes() + b'{"type": \n\x1b]52;c;aGk=\x07\n')
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: total(app) == len(CASES))
        await pilot.press("down", "i")
        await until(pilot, lambda: isinstance(app.screen, ImportScreen))
        await pilot.press("enter")
        await until(pilot, lambda: "No sessions found" in flat(app))
        app.screen.query_one(Input).value = f"{torn}x"
        await pilot.press("enter")
        await until(pilot, lambda: "File or folder not found" in flat(app))
        assert isinstance(app.screen, ImportScreen), "a slip in a path is corrected where it was made"
        assert app.screen.query_one(Input).value == f"{torn}x"
        app.screen.query_one(Input).value = "~nobody-of-that-name/x"
        await pilot.press("enter")
        await until(pilot, lambda: "File or folder not found: ~nobody-of-that-name/x" in flat(app))
        app.screen.query_one(Input).value = str(torn)[:-7]
        await until(pilot, lambda: "torn [b].jsonl" in flat(app))
        await pilot.press("tab")
        assert app.screen.query_one(Input).value == str(torn)
        await pilot.press("enter")
        await until(pilot, lambda: app.errors.incoming.report is not None)
        await until(pilot, lambda: "skipped (I for details)" in flat(app))
        await pilot.press("I")
        torn_line = "torn[b].jsonl:"  # its path may be broken anywhere
        await until(pilot, lambda: isinstance(app.screen, WholeText) and torn_line in "".join(flat(app).split()))
        assert "\x1b" not in frame(app)


@pytest.mark.parametrize(("spoil", "told"), [("missing", "not found"), ("readonly", "cannot be written")])
async def test_what_goes_wrong_is_one_line_and_nothing_is_lost(
    casebook: Path, tmp_path: Path, spoil: str, told: str
) -> None:
    paths: list[Path] = sample_paths()
    if spoil == "missing":
        paths = [tmp_path / "nowhere"]
    else:
        con = sqlite3.connect(casebook)
        con.execute("PRAGMA user_version = 9999")
        con.close()
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: total(app) == len(CASES))
        app.errors.incoming.begin(paths)
        await until(pilot, lambda: told in flat(app))
        assert not app.errors.incoming.busy
        assert total(app) == len(CASES)


def test_each_agent_s_folders_are_counted_without_opening_a_file(roots: Roots, tmp_path: Path) -> None:
    class Still:
        @staticmethod
        def check() -> None: ...

    look: Callable[..., tuple[object, ...]] = look_for(lambda: {**roots, "codex": [tmp_path / "none"]})
    claude, codex = look(Still())  # pyright: ignore[reportArgumentType]
    assert claude.files == len(list(sample_paths()[0].rglob("*.jsonl")))  # pyright: ignore[reportAttributeAccessIssue]
    assert (codex.files, codex.bytes, codex.folders) == (0, 0, ())  # pyright: ignore[reportAttributeAccessIssue]


def test_the_agents_own_variables_move_their_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    assert roots_of(None)["codex"][0] == tmp_path / "sessions"


@pytest.mark.parametrize("width", [0, 1, 5, 20, 40, 80, 200])
def test_the_status_line_fits_whatever_the_file_is_called(width: int) -> None:
    for name in ("/home/mina/.claude/projects/shop/0a.jsonl", "한글" * 300, "\x1b[2J[/red]", ""):
        for kind in ("import", "harvest", "else"):
            for signs in (UNICODE, ASCII):
                line = draw_progress(Progress(kind, 3, 7, 1.5, 2.6, name), width, signs, "esc cancels", stopping=False)
                assert line.cell_length <= width
                assert "\x1b" not in line.plain
    full = draw_progress(
        Progress("import", 3_000_000, 6_000_000, 1e6, 3.0, "/a/b.jsonl"), 120, UNICODE, "esc", stopping=False
    )
    for part in ("50%", "3.0 MB of 6.0 MB", "3 s left", "1.0 MB/s", "/a/b.jsonl", "esc"):
        assert part in full.plain


def test_the_share_of_an_import_does_not_go_back_with_each_batch() -> None:
    read = Progress("import", 3_000_000, 6_000_000, 1e6, 3.0)
    batch = draw_progress(Progress("harvest", 1, 36, 3.0, 11.0), 120, UNICODE, "esc", stopping=False, whole=read).plain
    assert "Harvesting fixes  50%" in batch and "1 of 36 in this batch" in batch
    assert "left" not in batch, "the end of a batch is not the end of the import"
    last = replace(read, done=read.total)
    assert (
        " 99%"
        in draw_progress(Progress("align", 1, 30, 3.0, 11.0), 120, UNICODE, "esc", stopping=False, whole=last).plain
    )
    again = draw_progress(Progress("harvest", 1, 4, 3.0, 11.0), 120, UNICODE, "esc", stopping=False).plain
    assert "25%" in again and "11 s left" in again


def test_a_report_is_told_short_and_in_full() -> None:
    report = ImportReport(2, 1, 30, 5, 1, 2, (SkippedLine("/a/b.jsonl", 7, "no JSON\x1b[2J"),), canceled=True)
    assert report_line(report, UNICODE) == (
        "Import stopped, partial results kept: 2 files read, 30 new messages, 1 error, 2 fixes."
        " 1 line skipped (I for details)."
    )
    assert "no JSON␛[2J: /a/b.jsonl:7" in report_text(report)
    again = ImportReport(files=2)
    assert report_line(again, UNICODE) == "Import done: 2 files read, nothing new."
    assert report_text(again) == "2 files\nNothing new."


def test_sizes_are_short() -> None:
    assert [size_of(size) for size in (0, 999, 1_500, 12_345_678, 3_200_000_000)] == [
        "0 B",
        "999 B",
        "1.5 kB",
        "12 MB",
        "3.2 GB",
    ]


@pytest.mark.parametrize(
    ("notify", "elsewhere", "sent"),
    [("bell", True, "\a"), ("osc9", True, "\x1b]9;casebook: Import done"), ("off", True, ""), ("bell", False, "")],
)
async def test_the_end_of_a_long_import_is_signaled_to_who_is_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notify: str, elsewhere: bool, sent: str
) -> None:
    monkeypatch.setattr(workbench, "LONG_RUN", 0.0)
    config = default_config({"ui.notify": ("--notify", notify), "embedding.auto": ("--auto", False)})
    roots = {"claude-code": [next(sample_paths()[0].glob("*sensor-fw"))]}  # `LONG_RUN` makes a short one long
    app = CasebookApp(tmp_path / "new.db", roots=lambda: roots, around=Surroundings(config))
    written: list[str] = []
    async with app.run_test(size=WIDE) as pilot:
        assert app._driver is not None
        monkeypatch.setattr(app._driver, "write", written.append)
        await until(pilot, lambda: "Claude Code," in flat(app))
        await pilot.press("i")
        app.app_focus = not elsewhere
        await until(pilot, lambda: app.errors.incoming.report is not None and not app.errors.incoming.busy)
    signals = [text for text in written if "\a" in text]
    assert len(signals) == bool(sent)
    assert "".join(signals).startswith(sent)
    assert "".join(signals).count("\a") == bool(sent)
