"""The Insights pane: views of what failed, what came back and what was told; a row opens its case."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from core.errors import fingerprint
from core.flows.transcripts.api import import_transcripts
from core.store import open_store
from tests.flows.harvest.chat import LOOKUP
from tests.flows.harvest.test_session import Transcript
from tests.flows.insights.rows import add_outcome, add_session, add_verdict
from tests.tui.support import app_on, frame, make_casebook, settled, until
from tui.panes.insights.screen import InsightsScreen
from tui.render.insights import draw_tabs
from tui.screens.import_files import ImportScreen
from tui.screens.session import SessionScreen, StripScreen
from tui.shell.app import CasebookApp
from tui.widgets.inputs import PathBox

WIDE, SMALL = (160, 40), (80, 24)
_YAML = "ModuleNotFoundError: No module named 'yaml'"
_MOVED = "error[E0382]: borrow of moved value: `config`"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def casebook(tmp_path: Path) -> Path:
    """Two cases with incidents, one of which came back though its fix was known and was told."""
    path = make_casebook(tmp_path / "casebook.db")
    with open_store(path, write=True) as store, store.transaction() as con:
        add_session(con, "s1", "github.com/acme/shop")
        add_session(con, "s2", "github.com/acme/[bold]blog")
        known, open_case = json.dumps([fingerprint(_YAML)]), json.dumps([fingerprint(_MOVED)])
        con.execute("UPDATE resolution SET ts = '2026-01-01T00:00:00Z'")
        add_verdict(con, "s1", 1, fingerprints=known, seconds=3600, program="python")
        add_verdict(con, "s2", 1, fingerprints=known, seconds=1200, program="python", ts="2026-03-11T10:00:00Z")
        add_verdict(con, "s2", 2, fingerprints=open_case, seconds=600, program="cargo", ts="2026-03-11T10:00:00Z")
        add_outcome(con, fingerprint=fingerprint(_YAML), outcome="helped", told_at="2026-03-11T10:00:00Z")
    return path


async def opened(pilot: object, app: CasebookApp) -> InsightsScreen:
    await pilot.pause()  # type: ignore[attr-defined]
    await pilot.press("alt+5")  # type: ignore[attr-defined]
    await until(pilot, lambda: isinstance(app.screen, InsightsScreen) and app.screen.read is not None)  # type: ignore[arg-type]
    assert isinstance(app.screen, InsightsScreen)
    return app.screen


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_the_worst_first_with_their_cost_and_the_weeks_beside_them(casebook: Path, size: tuple[int, int]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await settled(pilot, app)
        assert [row.name for row in screen.rows.rows.rows] == [_YAML, _MOVED]  # type: ignore[attr-defined]
        seen = frame(app)
        assert "80 min" in seen and "10 min" in seen and "ModuleNotFoundError: No" in seen
        assert "A pause counts as at most 5 minutes." in seen
        assert " Worst   Recurring " in seen and "all weeks, all projects" in seen
        if size == WIDE:
            assert "2 incidents in 2 sessions, 4 attempts" in seen
            assert "Minutes by week" in seen and "2026-03-09" in seen and "github.com/acme/[bold]" in seen
            assert "━" in seen


async def test_every_view_has_its_rows(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("v")
        await settled(pilot, app)
        assert screen.insights_view.view == "came_back"
        assert "Fix known since 2026-01-01" in frame(app)
        await pilot.press("v")
        await settled(pilot, app)
        assert "shown" in frame(app) and "without effect" in frame(app) and "Shown 1×: helped 1" in frame(app)
        await pilot.press("tab", "tab")
        await settled(pilot, app)
        assert [row.name for row in screen.rows.rows.rows] == ["python", "cargo"]  # type: ignore[attr-defined]
        await pilot.press("V", "escape")
        await settled(pilot, app)
        assert screen.insights_view.view == "worst"


async def test_a_click_on_a_tab_opens_its_view(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        tabs = screen.query_one("#insights-head")
        await pilot.click(tabs, offset=(draw_tabs("worst", tabs.size.width, screen.signs).plain.index("Answers"), 0))
        await until(pilot, lambda: screen.insights_view.view == "answers")
        await pilot.click(tabs, offset=(tabs.size.width - 1, 0))
        await settled(pilot, app)
        assert screen.insights_view.view == "answers", "beside the tabs there is none"


async def test_weeks_and_projects_narrow_it_and_escape_widens_it(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        assert "F all" not in frame(app), "nothing is narrowed"
        await pilot.press("s", "s")
        await until(pilot, lambda: screen.read is not None and screen.read.found.totals.incidents == 2)
        await until(pilot, lambda: "F all" in frame(app))
        assert "last 4 weeks" in frame(app)
        await pilot.press("escape")
        await until(pilot, lambda: screen.read is not None and screen.read.found.totals.incidents == 3)
        await pilot.press("p")
        await until(pilot, lambda: screen.read is not None and screen.read.found.project is not None)
        assert screen.read is not None and screen.read.found.project == screen.read.projects[0][0]
        project = screen.insights_view.project
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.errors)
        screen = await opened(pilot, app)
        assert screen.insights_view.project == project, "it is found again as it was left"


async def test_a_change_beneath_leaves_the_chosen_row_chosen(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("j")
        await until(pilot, lambda: screen.chosen is not None and "borrow of moved" in screen.chosen.name)
        with open_store(casebook, write=True) as store, store.transaction() as con:
            known = json.dumps([fingerprint(_MOVED)])
            add_verdict(con, "s1", 2, fingerprints=known, seconds=90_000, program="cargo")
        await until(pilot, lambda: screen.read is not None and screen.read.found.totals.incidents == 4)
        assert screen.rows.chosen == 0, "it comes first now"
        assert screen.chosen is not None and "borrow of moved" in screen.chosen.name


async def test_enter_opens_the_case_in_the_errors_pane(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("j", "enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await settled(pilot, app)
        assert "borrow of moved value" in str(frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, InsightsScreen) and app.screen.read is not None)
        assert isinstance(app.screen, InsightsScreen)
        assert app.screen.rows.chosen == 1, "at the row that was opened"
        await pilot.press("alt+1")
        app.errors.box.ask("borrow of moved value")
        await until(pilot, lambda: "Search" in frame(app) and app.errors.results.rows.rows.total > 0)
        await settled(pilot, app)
        await opened(pilot, app)
        await pilot.press("j", "enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await settled(pilot, app)
        assert app.errors.case.read is not None
        assert app.errors.case.standing is None, "it is no answer to what was searched before"
        await opened(pilot, app)
        await pilot.press("V", "V", "enter")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        assert app.errors.box.query_text == "python"


async def test_a_copy_is_a_markdown_table(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot, app)
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard.startswith("## Worst"))
        assert f"| 80 min | 2× | {_YAML} |" in app.clipboard


async def test_what_others_write_appears(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        with open_store(casebook, write=True) as store, store.transaction() as con:
            add_verdict(con, "s1", 9, fingerprints=json.dumps([fingerprint(_MOVED)]), seconds=9000)
        await until(pilot, lambda: screen.read is not None and screen.read.found.totals.incidents == 4)
        assert screen.rows.rows.rows[0].name == _MOVED  # type: ignore[attr-defined]


async def test_states_without_rows_say_what_to_do(tmp_path: Path) -> None:
    app = app_on(make_casebook(tmp_path / "casebook.db"), ascii_only=True)
    async with app.run_test(size=SMALL) as pilot:
        await opened(pilot, app)
        await settled(pilot, app)
        assert "No insights yet" in frame(app) and "import agent sessions" in frame(app)
        await pilot.press("s")
        await until(pilot, lambda: "Nothing here" in frame(app))
        assert "show all weeks and projects" in frame(app)
        assert frame(app).isascii()
        await pilot.press("i")
        await until(pilot, lambda: isinstance(app.screen, ImportScreen) and len(app.screen_stack) == 3)


async def test_ascii_signs_and_a_small_screen(casebook: Path) -> None:
    app = app_on(casebook, ascii_only=True)
    async with app.run_test(size=(60, 12)) as pilot:
        await opened(pilot, app)
        await settled(pilot, app)
        assert "80 min" in frame(app) and frame(app).isascii()
        await pilot.resize_terminal(20, 5)
        await settled(pilot, app)


async def test_a_read_only_casebook_shows_the_same(casebook: Path) -> None:
    casebook.chmod(0o400)
    casebook.parent.chmod(0o500)
    try:
        app = app_on(casebook)
        async with app.run_test(size=WIDE) as pilot:
            screen = await opened(pilot, app)
            await settled(pilot, app)
            assert screen.rows.rows.total == 2 and "80 min" in frame(app)
    finally:
        casebook.parent.chmod(0o700)


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_decision_with_what_came_before_and_after_it(casebook: Path, size: tuple[int, int]) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("V")
        await until(pilot, lambda: screen.read is not None and screen.read.worked is not None)
        await settled(pilot, app)
        seen = frame(app)
        assert "Effects" in seen and re.search(r"after +before", seen) and re.search(r"  2 ━+ +0 ", seen)
        assert "After: 2 incidents in 2 sessions." in seen
        assert "may have other causes" in seen
        if size == WIDE:
            assert "Still in session s2, message 1, 2026-03-11" in seen


async def test_a_view_is_written_as_a_picture(casebook: Path, tmp_path: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("V")
        await until(pilot, lambda: screen.read is not None and screen.read.worked is not None)
        await pilot.press("w")
        await until(pilot, lambda: "insights-effects-" in frame(app))
        await pilot.press("escape", "v", "w")
        await settled(pilot, app)
        box = app.screen.query_one(PathBox)
        assert "insights-worst-" in box.value and box.value.endswith(".svg")
        box.value = str(tmp_path / "view.svg")
        await pilot.press("enter")
        await until(pilot, (tmp_path / "view.svg").exists)
        assert "ModuleNotFoundError" in (tmp_path / "view.svg").read_text()
        await until(pilot, lambda: isinstance(app.screen, InsightsScreen))


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A casebook with one imported session: it fails, is mended and passes."""
    chat = Transcript(tmp_path / "in").bash("ls", "a.py").bash("python app.py", LOOKUP, 1).edit("app.py")
    chat.bash("python app.py", "fine").bash("npm test", "Error: listen EADDRINUSE: :::3000", 1).save()
    with open_store(tmp_path / "own.db", write=True, create=True) as store:
        import_transcripts(store, "auto", [chat.path])
    return tmp_path / "own.db"


@pytest.mark.parametrize(("size", "ascii_only"), [(WIDE, False), (SMALL, True), ((20, 5), True)])
async def test_a_row_leads_to_its_session_as_a_strip(session: Path, size: tuple[int, int], ascii_only: bool) -> None:
    app = app_on(session, ascii_only=ascii_only)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        await settled(pilot, app)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, StripScreen) and app.screen.found is not None)
        strip = app.screen
        assert isinstance(strip, StripScreen) and strip.chosen == 1
        await settled(pilot, app)
        if size[1] > 5:
            assert (".#.+#" if ascii_only else "·█·▄█") in frame(app)
            assert "2 failed, 1 check passed" in frame(app) and "python: python app.py" in frame(app)
        if ascii_only:
            assert frame(app).isascii()
        await pilot.press("n")
        assert strip.chosen == 4
        await pilot.press("p", "l", "l")
        assert strip.chosen == 3
        await pilot.press("y")
        await until(pilot, lambda: app.clipboard.startswith("## One session"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen))
        await settled(pilot, app)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, StripScreen) and app.screen.found is not None)
        assert isinstance(app.screen, StripScreen) and app.screen.chosen == 3
        await pilot.press("escape", "escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, InsightsScreen))


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_the_practice_of_a_project_and_its_cases(casebook: Path, size: tuple[int, int]) -> None:
    line = ("s1", 1, fingerprint(_YAML), "rule", "ruff", "F401", "suppressed", "# noqa: F401", "[]", None, "[]", "2026")
    with open_store(casebook, write=True) as store, store.transaction() as con:
        con.execute("INSERT INTO session(id, agent, project, repository) VALUES ('s3', 'plain', 'zz/z', 'zz/z')")
        often = [("s3", at, "x", "rule", "ruff", "E501", *line[6:]) for at in range(3)]
        for session, message, mark, *rest in (line, ("s2", 1, *line[2:]), ("s2", 2, *line[2:]), *often):
            con.execute(
                "INSERT INTO practice_finding(harvest, session_id, message_idx, fingerprint, kind, tool, name, how,"
                " shown, names, fix_session, message_ids, ts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (session, session, message, mark, *rest),
            )
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("V", "V", "V")
        await until(pilot, lambda: "F401: suppressed in 2 of 2" in frame(app))
        assert frame(app).index("E501: ") < frame(app).index("F401: "), "the most frequent of all projects is first"
        await pilot.press("j")
        await settled(pilot, app)
        assert "Lint rule F401: 2 findings in 1 session." in frame(app)
        assert "Suppressed 2×: # noqa: F401" in frame(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.errors.box.query_text == "F401")
        assert screen is not app.screen
