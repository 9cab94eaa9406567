"""The Rules and the Library pane, opened again where they were left, as kill -9 leaves them: nobody says good-bye."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from core.store import open_store
from tests.flows.insights.rows import add_session, add_verdict
from tests.tui.panes.evidence.support import one_of_each
from tests.tui.panes.library.support import idle as library_idle
from tests.tui.panes.library.support import paths, put_notes, read_notes
from tests.tui.panes.rules.support import CALLS, RULES, answered, put_calls
from tests.tui.panes.rules.support import idle as rules_idle
from tests.tui.support import NOW, put, toasts, until
from tui.actions.registry import PANES
from tui.panes.common.pane_screen import PaneScreen
from tui.panes.library.screen import LibraryScreen
from tui.panes.rules.screen import RulesScreen
from tui.runtime.state import Memory, Scalar, State, read_state, write_state
from tui.services.environment import Surroundings
from tui.shell.app import CasebookApp

SIZE = (120, 34)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    (tmp_path / "memory.md").write_text(RULES, encoding="utf-8")
    return put_calls(tmp_path / "calls.db", *CALLS)


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    """A casebook with something for each pane: where nothing is stored, no list has an edge."""
    (tmp_path / "memory.md").write_text(RULES, encoding="utf-8")
    path = put_calls(one_of_each(tmp_path / "all.db"), *CALLS)
    read_notes(path, put_notes(tmp_path / "notes"))
    with open_store(path, write=True) as store:
        put(store, "Error: x", "shell", "do y")
        with store.transaction() as con:
            add_session(con, "s")
            add_verdict(con, "s", 1)
    return path


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return read_notes(tmp_path / "library.db", put_notes(tmp_path / "notes"))


def kept(casebook: Path) -> State:
    return read_state(casebook.with_suffix(".json"))[0]


def app_on(casebook: Path, state: State | None = None) -> CasebookApp:
    """As it was left there; or with another state."""
    place, rules = casebook.with_suffix(".json"), casebook.with_name("memory.md")
    around = Surroundings(state_path=place, state=state or kept(casebook), rules=(rules,))
    return CasebookApp(casebook, around=around, clock=lambda: NOW)


def left_in(pane: str, **memory: Scalar) -> State:
    return State(pane=pane, panes={pane: memory})


async def rules_screen(pilot: Pilot[None], app: CasebookApp) -> RulesScreen:
    await until(pilot, lambda: isinstance(app.screen, RulesScreen) and rules_idle(app) and app.screen.rank.ranked)
    assert isinstance(app.screen, RulesScreen)
    return app.screen


async def library_screen(pilot: Pilot[None], app: CasebookApp) -> LibraryScreen:
    await until(pilot, lambda: isinstance(app.screen, LibraryScreen) and app.screen.hits.total and library_idle(app))
    assert isinstance(app.screen, LibraryScreen)
    return app.screen


def chosen_path(screen: LibraryScreen) -> str:
    one = screen.hits.hit or screen.hits.document
    return "" if one is None else one.doc_path


def list_width(screen: PaneScreen) -> int:
    return screen.query_one(f"#{screen.LIST}").outer_size.width


async def pane(pilot: Pilot[None], app: CasebookApp, number: int) -> PaneScreen:
    """The pane of this number, on the screen and drawn."""
    name = tuple(PANES)[number - 1]
    await pilot.press(f"alt+{number}")
    await until(pilot, lambda: isinstance(app.screen, PaneScreen) and name == app.screen.PANE)
    screen = app.screen
    assert isinstance(screen, PaneScreen)
    await until(pilot, lambda: list_width(screen) > 0)
    return screen


async def test_the_edge_of_each_pane_moves_by_key_and_mouse_and_is_there_again(everything: Path) -> None:
    left: dict[str, int] = {}
    app = app_on(everything, State())
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: app.focused is not None)
        for number in range(1, len(PANES) + 1):
            screen = await pane(pilot, app, number)
            await until(pilot, lambda: app.focused is not None and app.errors.case.read)
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.focused, Input))
            before = list_width(screen)
            await pilot.press("greater_than_sign")
            await until(pilot, lambda screen=screen, before=before: list_width(screen) > before)
            await pilot.press("less_than_sign", "less_than_sign")
            await until(pilot, lambda screen=screen, before=before: list_width(screen) < before)
            edge = screen.query_one(f"#{screen.LIST}").region
            await pilot.mouse_down(offset=(edge.right - 1, edge.y + 2))
            assert screen.splitter.drags
            await pilot.hover(offset=(39, edge.y + 2))
            await pilot.mouse_up(offset=(39, edge.y + 2))
            await until(pilot, lambda screen=screen: list_width(screen) == 40)
            assert not screen.splitter.drags and not screen.selections, "nothing is selected by it"
            await pilot.hover(offset=(60, edge.y + 2))
            assert list_width(screen) == 40, "it was let go"
            await pilot.mouse_down(offset=(39, edge.y + 2))
            await pilot.hover(offset=(119, edge.y + 2))
            await pilot.mouse_up(offset=(119, edge.y + 2))
            await until(pilot, lambda screen=screen: list_width(screen) > 60)
            left[screen.PANE] = width = list_width(screen)
            assert SIZE[0] - width >= 40, "what is beside it can still be read"
        await until(pilot, lambda: kept(everything).panes.get("insights", {}).get("share"))
    app = app_on(everything)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await until(pilot, lambda: isinstance(app.screen, PaneScreen) and list_width(app.screen) > 0)
        screen = app.screen
        assert isinstance(screen, PaneScreen)
        for number in range(1, len(PANES) + 1):
            screen = await pane(pilot, app, number)
            await until(pilot, lambda screen=screen: list_width(screen) == left[screen.PANE])
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: list_width(screen) == 80)
        tall = screen.query_one(f"#{screen.LIST}").outer_size.height
        await pilot.press("less_than_sign", "less_than_sign")
        await until(pilot, lambda: screen.query_one(f"#{screen.LIST}").outer_size.height == tall - 2)
        edge = screen.query_one(f"#{screen.LIST}").region
        await pilot.mouse_down(offset=(20, edge.bottom - 1))
        await pilot.hover(offset=(20, 8))
        await pilot.mouse_up(offset=(20, 8))
        await until(pilot, lambda: screen.query_one(f"#{screen.LIST}").region.bottom == 9)
        await pilot.press("alt+1", "escape", "greater_than_sign")
        await until(pilot, lambda: "one panel at a time" in str(toasts(app)))
        await pilot.resize_terminal(*SIZE)
        await until(pilot, lambda: list_width(app.errors) == left["errors"])
        await pilot.press("alt+5")
        await until(pilot, lambda: app.screen is not app.errors and list_width(app.screen) == left["insights"])  # pyright: ignore
        assert app.screen.query_one("#insights-list").outer_size.height > 20, "side by side again"


async def test_the_call_and_its_rule_are_there_again(calls: Path) -> None:
    put_calls(calls, ("Bash", {"command": "git push --force origin dev"}), ("Read", {"file_path": "/tmp/x"}))
    app = app_on(calls, State(pane="rules"))
    async with app.run_test(size=SIZE) as pilot:
        screen = await rules_screen(pilot, app)
        await pilot.press("j", "j")
        await until(pilot, lambda: answered(screen, "git push --force origin main") and rules_idle(app))
        await pilot.press("enter", "j")
        await until(pilot, lambda: kept(calls).panes.get("rules", {}).get("rule") == "ERR-004")
    app = app_on(calls)
    async with app.run_test(size=SIZE) as pilot:
        screen = await rules_screen(pilot, app)
        assert answered(screen, "git push --force origin main")
        assert (screen.calls.rows.chosen, screen.rank.chosen and screen.rank.chosen.id) == (2, "ERR-004")
        assert app.focused is screen.calls.rows, "where one begins, as ever"
        await pilot.press("k")
        await until(pilot, lambda: answered(screen, "git push --force origin dev") and rules_idle(app))
        assert screen.rank.rows.chosen == 0, "another call begins with its best rule"
        await pilot.press("alt+1", "alt+3")
        screen = await rules_screen(pilot, app)
        assert screen.calls.rows.chosen == 1, "while it is open, too"


async def test_the_tool_that_was_kept_to_is_kept_to(calls: Path) -> None:
    app = app_on(calls, left_in("rules", tool="Bash", call=2))
    async with app.run_test(size=SIZE) as pilot:
        screen = await rules_screen(pilot, app)
        assert (screen.calls.calls.total, screen.calls.chosen_key) == (2, 2)
        await pilot.press("escape")
        await until(pilot, lambda: screen.calls.calls.total == 3 and rules_idle(app))
        assert screen.calls.chosen_key == 2


@pytest.mark.parametrize(
    "memory",
    [
        {"call": 2, "path": "/gone.md", "rule": "ERR-004", "line": 1},
        {"call": 999},
        {"call": 0, "path": 1, "rule": "ERR-004", "line": 1},
        {"call": "3", "tool": 7},
        {"call": True, "line": "x"},
    ],
)
async def test_of_a_call_that_is_gone_the_first_one_is_shown(calls: Path, memory: Memory) -> None:
    with open_store(calls, write=True) as store, store.transaction() as con:
        con.execute("DELETE FROM tool_call WHERE rowid = 2")
    app = app_on(calls, left_in("rules", **memory))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await rules_screen(pilot, app)
        assert (screen.calls.rows.chosen, screen.rank.rows.chosen) == (0, 0)
        assert not toasts(app), "silently"


async def test_a_rule_of_a_call_that_is_gone_is_not_looked_for_in_another_one(calls: Path) -> None:
    app = app_on(calls, left_in("rules", call=999, path=str(calls.with_name("memory.md")), rule="ERR-004", line=22))
    async with app.run_test(size=SIZE) as pilot:
        screen = await rules_screen(pilot, app)
        assert [row.rule.id for row in screen.rank.rows.rows.rows[:2]] == ["ERR-001", "ERR-004"]  # pyright: ignore
        assert screen.rank.rows.chosen == 0


async def test_the_document_is_there_again(library: Path) -> None:
    app = app_on(library, State(pane="library"))
    async with app.run_test(size=SIZE) as pilot:
        screen = await library_screen(pilot, app)
        await pilot.press("down", "j")
        await until(pilot, lambda: chosen_path(screen) == paths(screen)[1])
        wanted = chosen_path(screen)
        await until(pilot, lambda: kept(library).panes.get("library", {}).get("document") == wanted)
        await pilot.press("alt+1", "alt+4")
        screen = await library_screen(pilot, app)
        assert chosen_path(screen) == wanted, "while it is open, too"
        await until(pilot, lambda: kept(library).pane == "library")
    app = app_on(library)
    async with app.run_test(size=SIZE) as pilot:
        screen = await library_screen(pilot, app)
        assert (chosen_path(screen), screen.hits.rows.chosen) == (wanted, 1)
        await until(pilot, lambda: screen.document.laid and screen.document.laid.wanted.path == wanted)


async def test_the_search_and_its_hit_are_there_again(library: Path) -> None:
    app = app_on(library, State(pane="library"))
    async with app.run_test(size=SIZE) as pilot:
        screen = await library_screen(pilot, app)
        await pilot.press(*"ledger")
        await until(pilot, lambda: screen.searching.found is not None and library_idle(app) and screen.hits.total > 2)
        assert app.pane_context("library").memory["query"] is None, "while one types there is nothing to write"
        await pilot.press("down", "j", "j")
        hit = screen.hits.hit
        assert hit is not None
        await until(pilot, lambda: kept(library).panes.get("library", {}).get("passage") == hit.chunk_id)
    app = app_on(library)
    async with app.run_test(size=SIZE) as pilot:
        screen = await library_screen(pilot, app)
        await until(pilot, lambda: screen.hits.hit == hit)
        assert (screen.box.query_text, screen.hits.rows.chosen) == ("ledger", 2)
        assert app.focused is screen.box
        await until(pilot, lambda: screen.document.laid and screen.document.laid.wanted.uri == hit.citation.uri)
        screen.hits.resume = hit.chunk_id  # as while meaning has not answered yet
        await pilot.press("end", "space", *"crane")  # the query of before is selected
        await until(pilot, lambda: screen.searching.text == "ledger crane" and library_idle(app))
        assert screen.hits.rows.chosen == 0, "another search begins with its best hit"


@pytest.mark.parametrize(
    ("memory", "query"),
    [
        ({"document": "gone.md"}, ""),
        ({"query": "ledger", "passage": "gone", "document": "ko/야간백업.md"}, "ledger"),
        ({"query": 3, "passage": [], "document": True}, ""),
        ({"query": "x" * 5_000}, ""),
    ],
)
async def test_of_what_is_gone_the_first_row_is_shown(library: Path, memory: Memory, query: str) -> None:
    app = app_on(library, left_in("library", **memory))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        screen = await library_screen(pilot, app)
        assert (screen.hits.rows.chosen, screen.box.query_text) == (0, query)
        assert not toasts(app), "silently"


async def test_what_the_command_line_cites_goes_before_it(library: Path) -> None:
    state = left_in("library", query="ledger", document="src/cranes.py")
    place = library.with_suffix(".json")
    around = Surroundings(state_path=place, state=state, cited="backup.md#L9")
    app = CasebookApp(library, around=around, clock=lambda: NOW)
    async with app.run_test(size=SIZE) as pilot:
        screen = await library_screen(pilot, app)
        await until(pilot, lambda: screen.document.laid and screen.document.laid.wanted.uri == "backup.md#L9")


def test_a_query_with_a_secret_in_it_is_not_written(tmp_path: Path) -> None:
    secret = "why does ghp_16C7e42F292c6912E7710c838347Ae178B4a fail"
    place = tmp_path / "x.json"
    write_state(place, State(panes={"library": {"query": secret, "document": "a.md"}}))
    assert "ghp_" not in place.read_text(encoding="utf-8")
    assert read_state(place)[0].panes == {"library": {"query": None, "document": "a.md"}}
