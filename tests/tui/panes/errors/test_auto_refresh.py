"""What other processes do to the casebook while the workbench looks at it."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.base.fault import Fault
from core.errors import add_resolution
from core.store import open_store
from tests.tui.support import CASES, TRACEBACK, app_on, frame, make_casebook, put, toasts, until
from tui.services.db_watch import Eye
from tui.shell.app import CasebookApp

WIDE, SMALL = (120, 34), (80, 24)

OTHER = """
import sys
from pathlib import Path
from core.errors import identify, observe
from core.store import open_store
with open_store(Path(sys.argv[1]), write=True, create=True) as store, store.transaction() as con:
    observe(con, identify(sys.argv[2]), session_id=None, message_idx=None, tool="shell", project="p",
            ts="2026-03-14T08:59:00.000Z", raw=sys.argv[2])
"""


def elsewhere(path: Path, error: str) -> None:
    """Another process observes an error."""
    subprocess.run([sys.executable, "-c", OTHER, str(path), error], check=True, cwd=Path(__file__).parents[4])


def erase(path: Path) -> None:
    for file in path.parent.glob(path.name + "*"):
        file.unlink()


def flat(app: CasebookApp) -> str:
    return " ".join(frame(app).replace("│", " ").split())


def total(app: CasebookApp) -> int:
    return app.errors.results.rows.rows.total


async def started(pilot: Pilot[None], app: CasebookApp, cases: int = len(CASES)) -> None:
    """Everything is read, and the watch has had its first look."""
    await until(pilot, lambda: total(app) == cases and app.errors.case.read and app.jobs.busy("watch"))
    await pilot.pause(0.2)
    await until(pilot, lambda: not app.jobs.busy("renew"))


async def test_a_case_of_another_process_appears_and_the_choice_stays(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("down", "j", "j")
        await until(pilot, lambda: app.errors.case.read and "E0382" in app.errors.case.read.case.key_lines[0])
        elsewhere(casebook, "fatal: it came from elsewhere")
        await until(pilot, lambda: total(app) == len(CASES) + 1)
        rows = app.errors.results.rows
        assert rows.chosen == 3
        assert "E0382" in app.errors.results.chosen.key_line  # pyright: ignore[reportOptionalMemberAccess]
        assert "came from elsewhere" in frame(app)
        assert "6 cases" in frame(app)
        assert app.focused is rows


async def test_rows_far_down_stay_where_they_are_on_the_screen(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    with open_store(path, write=True, create=True) as store, store.transaction():
        for number in range(1_300):
            letters = "".join(chr(97 + int(digit)) for digit in f"{number:04d}")
            put(
                store,
                f"Error: no part {letters}",
                "shell",
                None,
                last=f"2026-02-01T{number // 60:02d}:{number % 60:02d}:00.000Z",
            )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app, 1_300)
        rows = app.errors.results.rows
        await pilot.press("down")
        rows.choose(1_111)
        await until(pilot, lambda: rows.rows.get(1_111) and not app.jobs.busy("rows"))
        rows.choose(1_105)
        await pilot.pause()
        chosen, line = app.errors.results.chosen, rows.chosen - round(rows.scroll_y)
        before = frame(app).split("\n")
        for number in range(3):
            elsewhere(path, f"fatal: new {'abc'[number]}")
        await until(pilot, lambda: total(app) == 1_303)
        await until(pilot, lambda: not app.jobs.busy("renew") and app.errors.results.chosen)
        assert rows.chosen == 1_108
        assert app.errors.results.chosen == chosen
        assert rows.chosen - round(rows.scroll_y) == line
        after = frame(app).split("\n")
        assert [old[:40] for old in before[5:-3]] == [new[:40] for new in after[5:-3]], "no changes"


async def test_a_search_finds_what_came_meanwhile(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        app.errors.box.ask("fetchOrders")
        await until(pilot, lambda: total(app) == 1)
        elsewhere(casebook, "TypeError: fetchOrders is not a function")
        await until(pilot, lambda: total(app) == 2)
        assert "TS2304" in app.errors.results.chosen.key_line  # pyright: ignore[reportOptionalMemberAccess]


async def test_a_fix_recorded_elsewhere_shows_in_the_open_case(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("down", "j", "j", "enter")
        await until(pilot, lambda: app.focused is app.errors.case)
        case = app.errors.case.read
        assert case is not None
        assert app.errors.case.fix is None
        with open_store(casebook, write=True) as store, store.transaction() as con:
            add_resolution(con, case.case.id, None, "Clone it before the move.", status="draft", author="hook", ts="")
        await until(pilot, lambda: "Clone it before the move" in flat(app))
        assert app.focused is app.errors.case


async def test_a_casebook_made_later_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "later.db"
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "No cases yet" in frame(app) and app.jobs.busy("watch"))
        elsewhere(path, "fatal: the first of all")
        await until(pilot, lambda: total(app) == 1 and "the first of all" in frame(app))


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_lost_casebook_is_named_and_comes_back(casebook: Path, size: tuple[int, int]) -> None:
    kept = make_casebook(casebook.with_name("kept.sqlite"))
    app = app_on(casebook)
    async with app.run_test(size=size, notifications=True) as pilot:
        await started(pilot, app)
        await pilot.press("down")
        erase(casebook)
        await until(pilot, lambda: "The casebook file is missing" in flat(app))
        assert app.errors.case.read is None
        await pilot.press("T")
        await until(pilot, lambda: toasts(app) == ["The casebook file is missing."])
        await until(pilot, lambda: "cases" not in frame(app).splitlines()[0])
        assert f"of {len(CASES)}" not in frame(app)
        await pilot.press("f5", "slash", "x")
        await until(pilot, lambda: "The casebook file is missing" in flat(app))
        await pilot.press("ctrl+l", "escape")
        kept.replace(casebook)
        await until(pilot, lambda: total(app) == len(CASES) and "yaml" in frame(app))
        await until(pilot, lambda: f"{len(CASES)} cases" in frame(app).splitlines()[0])
        assert "gone" not in frame(app)


async def test_a_restored_file_in_its_place_is_read(casebook: Path) -> None:
    other = casebook.with_name("other.sqlite")
    with open_store(other, write=True, create=True) as store:
        put(store, "Error: only this one", "shell", None)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        for side in ("-wal", "-shm"):  # first: a look in between would read the new file with the old log
            casebook.with_name(casebook.name + side).unlink(missing_ok=True)
        other.replace(casebook)
        await until(pilot, lambda: total(app) == 1 and "only this one" in frame(app))
        elsewhere(casebook, "fatal: and one more")
        await until(pilot, lambda: total(app) == 2)


async def test_a_torn_file_is_told_and_its_backup_is_shown_once_it_is_back(casebook: Path) -> None:
    kept = casebook.with_name("kept.sqlite")
    shutil.copy(casebook, kept)
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await started(pilot, app)
        for side in ("-wal", "-shm"):
            casebook.with_name(casebook.name + side).unlink(missing_ok=True)
        casebook.write_bytes(b"torn" * 5_000)
        await until(pilot, lambda: "This casebook is damaged" in flat(app))
        assert "yaml" in frame(app), "what was read stays"
        shutil.copy(kept, casebook)
        elsewhere(casebook, "fatal: after the rescue")
        await until(
            pilot, lambda: "after the rescue" in frame(app) and "damaged" not in str(app.errors.results.border_subtitle)
        )


async def test_a_newer_schema_makes_it_read_only_while_it_is_open(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await started(pilot, app)
        con = sqlite3.connect(casebook)
        con.execute("PRAGMA user_version = 9999")
        con.close()
        await until(pilot, lambda: "read-only" in frame(app) and "9999" in flat(app))


async def test_an_idle_watch_lets_the_log_be_written_back(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        with open_store(casebook, write=True) as store:
            for number in range(40):
                with store.transaction() as con:
                    con.execute("INSERT INTO meta(key, value) VALUES (?, ?)", (f"x{number}", "x" * 400_000))
                await pilot.pause(0.01)
            log = casebook.with_name(casebook.name + "-wal").stat().st_size
            assert log < 8_000_000, "16 MB were written, and the log was never begun anew"
            row = store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            assert row is not None
            assert row[0] == 0


async def test_an_older_casebook_that_was_locked_is_settled_later(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[Path]()

    def locked_once(path: Path) -> None:
        asked.append(path)
        if len(asked) == 1:
            raise Fault("db_locked", "locked for too long")

    monkeypatch.setattr("core.flows.transcripts.projects.assign_overdue", locked_once)
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: len(asked) == 2)
        await started(pilot, app)
    assert len(asked) == 2


def test_the_removed_log_of_the_file_before_a_restore_is_noticed(casebook: Path) -> None:
    """Until then SQLite reads the restored file with the old log; neither its own version nor the file says the end."""
    backup, log = casebook.with_name("backup.sqlite"), casebook.with_name(casebook.name + "-wal")
    with open_store(casebook, write=True) as store:
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copy(casebook, backup)
        put(store, "Error: after the backup", "shell", None)
        kept = Path(shutil.copy(log, casebook.with_name("kept.sqlite-wal")))
    erase(casebook)
    kept.replace(log)
    backup.replace(casebook)

    def cases() -> int:
        with open_store(casebook) as store:
            return len(store.con.execute("SELECT id FROM error_kb").fetchall())

    eye = Eye(casebook)
    try:
        first = eye.look()
        assert cases() == len(CASES) + 1
        log.unlink()
        second = eye.look()
        assert second != first
        assert eye.look() == second
        assert cases() == len(CASES), "the old log is not written into the restored file"
    finally:
        eye.close()
    assert cases() == len(CASES)


def test_looking_again_without_a_change_gives_the_same(casebook: Path) -> None:
    eye = Eye(casebook)
    try:
        first = eye.look()
        assert first is not None
        assert eye.look() == first
        with open_store(casebook, write=True) as store:
            put(store, TRACEBACK.replace("yaml", "toml"), "python", None)
            second = eye.look()
        assert second != first
    finally:
        eye.close()
    assert Eye(casebook.with_name("none.db")).look() is None
