"""What goes out into a file, from the palette: what is listed, all, the verified fixes, a copy; and what cannot be
written."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from core.base.fault import Fault
from core.errors.cases.case import Case
from core.errors.exchange.case_export import export_cases, export_fixes
from core.store import open_store
from core.store.backups import backup
from tests.tui.corpus import CORPUS, assert_inert, assert_inert_text
from tests.tui.support import app_on, frame, look_up, make_casebook, put, told, until
from tests.tui.terminal.test_typed_ahead import send
from tui.panes.errors.queries import Scope
from tui.panes.evidence.screen import EvidenceScreen
from tui.screens.export import ExportScreen, PreviewScreen
from tui.services.exporting import export_of, proposed
from tui.shell.app import CasebookApp
from tui.widgets.inputs import PathBox

SMALL, WIDE = (80, 24), (120, 34)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return make_casebook(tmp_path / "casebook.db")


def cases(path: Path, *ids: int) -> str:
    with open_store(path) as store:
        return "".join(export_cases(store, which=ids)) if ids else "".join(export_cases(store))


async def started(pilot: Pilot[None], app: CasebookApp) -> None:
    await until(pilot, lambda: app.errors.case.read)
    await pilot.press("escape")


async def asked(pilot: Pilot[None], app: CasebookApp, words: str) -> ExportScreen:
    """The box that the palette opens for these words."""
    await look_up(pilot, app, words)
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, ExportScreen))
    screen = app.screen
    assert isinstance(screen, ExportScreen)
    return screen


async def named(pilot: Pilot[None], app: CasebookApp, path: Path | str) -> None:
    app.screen.query_one(PathBox).value = str(path)
    await pilot.press("enter")


def words(app: CasebookApp) -> str:
    return " ".join(str(app.screen.query_one("#export-told", Static).content).split())


@pytest.mark.parametrize("size", [SMALL, WIDE], ids=str)
async def test_all_cases_go_where_it_proposes_and_the_toast_tells_where_and_how_many(
    book: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    app = app_on(book)
    async with app.run_test(size=size, notifications=True) as pilot:
        await started(pilot, app)
        await asked(pilot, app, "export all cases")
        assert "All 5 cases." in words(app)
        file = tmp_path / "here" / "cases-2026-03-14.jsonl"
        assert app.screen.query_one(PathBox).value == str(file)
        await pilot.press("enter")
        await until(pilot, lambda: told(app, f"5 cases written to {file} ("))
        assert file.read_text(encoding="utf-8") == cases(book)
        assert file.stat().st_mode & 0o777 == 0o600
        assert len(app.screen_stack) == 1


async def test_what_the_filter_leaves_goes_out_and_what_a_search_found(book: Path, tmp_path: Path) -> None:
    app = app_on(book)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await started(pilot, app)
        app.errors.results.load(Scope(status="verified", tool="psql"))
        await until(pilot, lambda: app.errors.results.rows.rows.total == 1)
        await asked(pilot, app, "export the listed cases")
        assert words(app).startswith("1 case of 5: status verified, tool psql.")
        await named(pilot, app, tmp_path / "psql.jsonl")
        await until(pilot, lambda: told(app, "1 case written to"))
        assert (tmp_path / "psql.jsonl").read_text(encoding="utf-8") == cases(book, 4)

        app.errors.results.load(Scope())
        await until(pilot, lambda: app.errors.results.rows.rows.total == 5)
        await pilot.press("slash", *"config")
        await until(pilot, lambda: not app.jobs.busy("search") and app.errors.results.rows.rows.total == 2)
        found = [app.errors.results.rows.rows.get(at) for at in range(2)]
        await asked(pilot, app, "export the listed cases")
        assert words(app).startswith("Results of the search: 2 cases.")
        assert app.screen.query_one(PathBox).value == str(tmp_path / "cases-2026-03-14.jsonl"), "where the last went"
        await pilot.press("enter")
        await until(pilot, lambda: told(app, "2 cases written to"))
        ids = [row.id for row in found]  # pyright: ignore[reportAttributeAccessIssue, reportOptionalMemberAccess]
        assert (tmp_path / "cases-2026-03-14.jsonl").read_text(encoding="utf-8") == cases(book, *ids)


async def test_the_ending_names_the_form_of_cases_and_of_fixes(book: Path, tmp_path: Path) -> None:
    app = app_on(book)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await started(pilot, app)
        with open_store(book) as store:
            wanted = {
                ("export all cases", "a.csv"): "".join(export_cases(store, "csv")),
                ("export all cases", "a.MD"): "".join(export_cases(store, "markdown")),
                ("export the verified fixes", "f.jsonl"): "".join(export_fixes(store)),
                ("export the verified fixes", "f.md"): "".join(export_fixes(store, "markdown")),
            }
        for (action, name), text in wanted.items():
            await asked(pilot, app, action)
            await named(pilot, app, tmp_path / name)
            many = "2 fixes" if "fixes" in action else "5 cases"
            await until(pilot, lambda name=name, many=many: told(app, f"{many} written to {tmp_path / name}"))
            assert (tmp_path / name).read_text(encoding="utf-8") == text


async def test_an_empty_block_of_fixes_is_refused(tmp_path: Path) -> None:
    path, file = tmp_path / "drafts.db", tmp_path / "CLAUDE.md"
    with open_store(path, write=True, create=True) as store:
        put(store, "error: boom", "shell", None)
    app = app_on(path)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == 1)
        await asked(pilot, app, "export the verified fixes")
        await named(pilot, app, file)
        await until(pilot, lambda: words(app).startswith("No fix is verified yet. Accept a draft"))
        assert not file.exists()


async def test_a_file_that_is_there_is_replaced_only_by_the_key_that_is_named_then(book: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "there.jsonl", tmp_path / "too.jsonl"
    file.write_text("mine")
    other.write_text("mine too")
    app = app_on(book)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await started(pilot, app)
        await asked(pilot, app, "export all cases")
        app.screen.query_one(PathBox).value = str(file)
        await pilot.press("f2")
        await pilot.press("enter")
        await until(
            pilot, lambda: words(app) == f"{file} already exists. Press F2 to replace it, or enter another name."
        )
        await pilot.press("enter", "enter")
        await until(pilot, lambda: not app.jobs.busy("export"))
        assert file.read_text() == "mine", "a held Enter replaces nothing"
        app.screen.query_one(PathBox).value = str(other)
        await pilot.press("f2")
        await pilot.pause()
        assert other.read_text() == "mine too", "it was not told of this one"
        app.screen.query_one(PathBox).value = str(file)
        await pilot.press("enter")
        await until(pilot, lambda: "F2 to replace it" in words(app))
        await pilot.press("f2")
        await until(pilot, lambda: told(app, "5 cases written to"))
        assert file.read_text(encoding="utf-8") == cases(book)


async def test_what_cannot_be_written_is_told_in_the_box_and_leaves_nothing(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = app_on(book)
    (tmp_path / "dir.csv").mkdir()
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        await asked(pilot, app, "export all cases")
        for name, said in (
            (
                tmp_path / "no" / "a.csv",
                f"Folder {tmp_path / 'no'} not found. Create it first, or pass another file.",
            ),
            (tmp_path / "dir.csv", f"{tmp_path / 'dir.csv'} is a folder. Enter a file name in it."),
            (tmp_path / "a.txt", "Unknown format: a.txt. Use the extension .jsonl, .csv or .md."),
            (
                "~no-one-here/a.md",
                "Unknown user in ~no-one-here/a.md. Pass an absolute path.",
            ),
            (" ", "Enter a file name."),
        ):
            await named(pilot, app, name)
            await until(pilot, lambda said=said: words(app) == said)
        for number, said in ((errno.ENOSPC, "No space left on device"), (errno.EACCES, "Permission denied")):

            def refuse(_file: int, number: int = number) -> None:
                raise OSError(number, os.strerror(number))

            with monkeypatch.context() as patch:
                patch.setattr("core.base.atomic.os.fsync", refuse)
                await named(pilot, app, tmp_path / "full.csv")
                line = f"Cannot write {tmp_path / 'full.csv'}: {said}. Check the folder"
                await until(pilot, lambda line=line: line in words(app))
        assert sorted(one.name for one in tmp_path.iterdir() if "full" in one.name or ".part" in one.name) == []
        await named(pilot, app, tmp_path / "full.csv")  # the box is still there, and there is room again
        await until(pilot, lambda: len(app.screen_stack) == 1)
        assert (tmp_path / "full.csv").exists()


async def test_escape_stops_it_and_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "many.db"
    with open_store(path, write=True, create=True) as store:
        for at in range(450):
            put(store, f"Error: gadget {chr(97 + at % 26)}{chr(97 + at // 26)} broke", "npm", None, "unresolved")
    go = Event()

    def slow(case: Case) -> str:
        """The case after the first report is written only when somebody says go."""
        if case.id > 201:
            go.wait(120)
        return json.dumps(case.id)

    monkeypatch.setattr("core.errors.exchange.case_export.dumps", slow)
    app = app_on(path)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await started(pilot, app)
        await asked(pilot, app, "export all cases")
        await pilot.press("enter")
        await until(pilot, lambda: words(app) == "200 cases written. To stop, press esc.")
        await pilot.press("escape")
        go.set()
        await until(pilot, lambda: not app.jobs.is_working("export"))
        assert list((tmp_path / "here").iterdir()) == []
        assert not told(app, "written to")


async def test_a_copy_is_made_from_every_pane_and_never_over_another_file(book: Path, tmp_path: Path) -> None:
    app = app_on(book)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await started(pilot, app)
        await pilot.press("alt+2")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        await asked(pilot, app, "back up the casebook")
        file = tmp_path / "here" / "casebook-2026-03-14.db"
        assert app.screen.query_one(PathBox).value == str(file)
        await pilot.press("enter")
        await until(pilot, lambda: told(app, f"Backup written to {file} ("))
        assert cases(file) == cases(book)
        await asked(pilot, app, "back up the casebook")
        await pilot.press("enter")
        await until(pilot, lambda: f"{file} already exists." in words(app))
        assert "F2" not in words(app)
        before = file.read_bytes()
        app.screen.query_one(PathBox).value = str(tmp_path / "copy.db")
        await pilot.press("enter")
        await until(pilot, lambda: told(app, f"Backup written to {tmp_path / 'copy.db'} ("))
        await asked(pilot, app, "back up the casebook")
        assert app.screen.query_one(PathBox).value == str(file), "where no export went is not offered"
        await pilot.press("f2", "escape")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        assert file.read_bytes() == before


@pytest.mark.parametrize(("fault", "said"), [(None, "Backup written to"), ("no room", "No room. Make some.")])
async def test_a_copy_that_is_left_alone_ends_and_tells(
    book: Path, monkeypatch: pytest.MonkeyPatch, fault: str | None, said: str
) -> None:
    go = Event()

    def slow(path: Path, target: Path) -> None:
        go.wait(120)
        if fault is not None:
            raise Fault("io_error", fault, "make some")
        backup(path, target)

    monkeypatch.setattr("core.store.backups.backup", slow)
    app = app_on(book)
    async with app.run_test(size=SMALL, notifications=True) as pilot:
        await started(pilot, app)
        await asked(pilot, app, "back up the casebook")
        await pilot.press("enter")
        await until(pilot, lambda: words(app) == "Copying…")
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        go.set()
        await until(pilot, lambda: told(app, said))


async def test_the_palette_says_where_cases_are_exported_and_when_there_are_none(book: Path, tmp_path: Path) -> None:
    app = app_on(book)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("alt+2")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        await pilot.press("ctrl+p", *"export")
        await until(pilot, lambda: "Export all cases  Only available in the Errors pane." in frame(app))
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await pilot.press("ctrl+p", *"export")
        await until(pilot, lambda: "Export all cases  The casebook has no cases." in frame(app))
        assert "Export the listed cases  No case is listed." in frame(app)


async def test_tab_completes_the_path_and_says_how_it_may_go_on(book: Path, tmp_path: Path) -> None:
    (tmp_path / "here" / "notes").mkdir()
    (tmp_path / "here" / "notes-old").mkdir()
    app = app_on(book)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        await asked(pilot, app, "export all cases")
        app.screen.query_one(PathBox).value = str(tmp_path / "here" / "n")
        await until(pilot, lambda: words(app) == "notes-old/ notes/")
        await pilot.press("tab")
        assert app.screen.query_one(PathBox).value == str(tmp_path / "here" / "notes")
        await pilot.press(*"-old/x.csv")
        await until(pilot, lambda: words(app).startswith("All 5 cases."))


async def test_tab_right_behind_letters_completes_as_it_would_a_moment_later(book: Path, tmp_path: Path) -> None:
    (tmp_path / "here" / "notes-old").mkdir(parents=True)
    app = app_on(book)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        await asked(pilot, app, "export all cases")
        box = app.screen.query_one(PathBox)
        box.value = f"{tmp_path}/here/"
        box.cursor_position = len(box.value)
        await until(pilot, lambda: words(app) == "notes-old/")
        send(app, "n", "o", "tab", "x")
        await until(pilot, lambda: box.value == f"{tmp_path}/here/notes-old/x")


async def test_hostile_filters_folders_and_paths_are_inert(book: Path) -> None:
    app = app_on(book)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        results = app.errors.results
        for text in CORPUS:
            results.scope = replace(results.scope, project=text)
            assert_inert_text(export_of("listed", results._clock(), results.every, results.listed).summary)
            assert_inert_text(proposed(Path(text.replace("\x00", "0")), "cases.csv"))
        results.scope = Scope(project=CORPUS[0])
        await asked(pilot, app, "export the listed cases")
        for text in CORPUS:
            if len(text) < 3_000 and "\n" not in text:
                await named(pilot, app, f"/nowhere/{text}/{text}.csv")
                await until(pilot, lambda: not app.jobs.busy("export"))
                assert_inert_text(words(app))
                assert_inert(app)


async def test_fixes_go_into_a_block_of_a_file_for_agents_and_the_key_replaces_an_edited_one(
    book: Path, tmp_path: Path
) -> None:
    file = tmp_path / "AGENTS.md"
    file.write_text("# Mine\n")
    app = app_on(book)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await started(pilot, app)
        await asked(pilot, app, "export the verified fixes")
        await named(pilot, app, file)
        await until(pilot, lambda: "Write 2 fixes to AGENTS.md" in frame(app))
        assert "Known errors and their fixes" in frame(app)
        await pilot.press("escape")
        assert file.read_text() == "# Mine\n", "nothing is written before it was seen"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen))
        await pilot.press("enter")
        await until(pilot, lambda: told(app, f"2 fixes written to {file}"))
        text = file.read_text()
        assert text.startswith("# Mine\n\n<!-- casebook:start fixes sha=")
        file.write_text(text.replace("Written by", "Edited by") + "more of mine\n")
        await asked(pilot, app, "export the verified fixes")
        app.screen.query_one(PathBox).value = str(file)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen))
        await pilot.press("enter")
        await until(pilot, lambda: "edited by hand" in words(app))
        await pilot.press("f2")
        await until(pilot, lambda: file.read_text() == text + "more of mine\n")
