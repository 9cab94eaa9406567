"""What a person does in the Errors pane, by keys, from the query to the fix."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input

from core.errors import show_case
from core.store import open_store
from tests.tui.support import CASES, TRACEBACK, app_on, frame, offered, put, until
from tui.panes.errors import auto_refresh
from tui.panes.errors.fix_editor import WritingScreen
from tui.panes.errors.queries import find, read_case
from tui.panes.errors.results import ResultRows
from tui.runtime.jobs import Job
from tui.screens.help import HelpScreen
from tui.services.embedding import Embedding
from tui.shell.app import CasebookApp
from tui.widgets.inputs import FixArea

WIDE, SMALL = (120, 34), (80, 24)


def uses(path: Path, case_id: int) -> int:
    with open_store(path) as store:
        case = show_case(store, case_id)
    assert case is not None
    return case.use_count


async def started(pilot: Pilot[None], app: CasebookApp) -> None:
    await until(pilot, lambda: app.errors.results.rows.rows.total == len(CASES) and app.errors.case.read)


async def search(pilot: Pilot[None], app: CasebookApp, text: str) -> None:
    for letter in text:
        await pilot.press("space" if letter == " " else letter)
    await until(pilot, lambda: isinstance(app.errors.results.rows.rows, ResultRows))
    await until(pilot, lambda: not app.jobs.busy("search"))


def shown(app: CasebookApp) -> str:
    assert app.errors.case.read is not None
    return app.errors.case.read.case.key_lines[0]


async def test_it_starts_in_the_search_box_with_the_last_seen_case_shown(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        assert app.focused is app.errors.box
        screen = frame(app)
        assert "5 cases" in screen
        assert screen.index("No module named 'yaml'") < screen.index("TS2304")
        assert "uv add pyyaml" in screen


async def test_half_a_word_finds_the_case_and_enter_opens_it(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await search(pilot, app, "fetchOrd")
        await pilot.press("enter")
        await until(pilot, lambda: app.focused is app.errors.case and "fetchOrders" in shown(app))
        assert "import { fetchOrders }" in frame(app)


async def test_korean_words_find_the_case(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        app.errors.box.ask("데이터베이스")
        await until(pilot, lambda: "Connection refused" in shown(app))
        assert "데이터베이스가 아직 뜨지 않았다" in frame(app)


async def test_a_pasted_traceback_is_kept_whole_and_shows_its_key_line(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        app.errors.box.post_message(Paste(TRACEBACK.replace("\n", "\r")))
        await until(pilot, lambda: app.errors.box.value == "ModuleNotFoundError: No module named 'yaml'")
        assert app.errors.box.query_text == TRACEBACK
        await until(pilot, lambda: not app.jobs.busy("search"))
        row = app.errors.results.chosen
        assert row is not None
        assert row.tier == "fingerprint"
        await until(pilot, lambda: "= same case" in frame(app))
        assert "pasted, 6 lines" in frame(app)


async def test_a_pasted_line_wider_than_the_box_shows_its_start(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        line = f"ERROR: cannot read {'/a/long/folder' * 8}: it is gone"
        for text in (f"{line}\n  at the end", line):
            await pilot.press("ctrl+l")
            app.errors.box.post_message(Paste(text))
            await until(pilot, lambda: app.errors.box.value and "│ ERROR: cannot read" in frame(app))


async def test_an_error_that_no_case_has_is_recorded_with_its_fix(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Embedding, "runs", lambda _embedding: True)  # what others write is shown now and then
    monkeypatch.setattr(auto_refresh, "CALM", 3600.0)
    error = "Exception in thread main java.lang.IllegalStateException: Cannot load driver class: org.postgresql.Driver"
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        app.errors.box.post_message(Paste(f"{error}\n\tat com.acme.Shop.main(Shop.java:12)\n"))
        await until(pilot, lambda: app.errors.results.unknown and not app.jobs.busy("search"))
        await pilot.press("down", "plus")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen) and isinstance(app.focused, FixArea))
        await pilot.press(*"Add it", "f2")
        await until(pilot, lambda: app.screen is app.errors and app.errors.case.fix is not None)
        await until(pilot, lambda: "= same case" in frame(app) and "Add it" in frame(app))
        assert not app.errors.results.unknown
        assert app.errors.case.read is not None
        case_id = app.errors.case.read.case.id
    with open_store(casebook) as store:
        case = show_case(store, case_id)
    assert case is not None and case_id > len(CASES)
    assert (case.status, case.resolution, case.occurrences) == ("verified", "Add it", 1)


async def test_editing_a_pasted_text_makes_it_a_typed_query(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        app.errors.box.post_message(Paste(TRACEBACK))
        await until(pilot, lambda: app.errors.box.pasted_lines == 6 and not app.jobs.busy("search"))
        await pilot.press("backspace")
        await until(pilot, lambda: app.errors.box.pasted_lines == 0)
        assert app.errors.box.query_text == "ModuleNotFoundError: No module named 'yaml"


async def test_a_pasted_single_line_is_put_where_the_cursor_is(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("x", "space")
        app.errors.box.post_message(Paste("TS2304\n"))
        await until(pilot, lambda: app.errors.box.value == "x TS2304")
        assert app.errors.box.pasted_lines == 0


@pytest.mark.parametrize(
    ("keys", "size"), [(["down"], WIDE), (["down", "enter"], WIDE), (["down", "enter", "z"], SMALL)]
)
async def test_what_is_pasted_outside_the_box_is_searched_whole(
    casebook: Path, keys: list[str], size: tuple[int, int]
) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        await started(pilot, app)
        await pilot.press(*"ts", *keys)
        assert app.focused is not app.errors.box
        app.post_message(Paste(TRACEBACK.replace("\n", "\r")))
        await until(pilot, lambda: app.focused is app.errors.box and not app.jobs.busy("search"))
        assert app.errors.box.query_text == TRACEBACK.strip()
        await until(pilot, lambda: "pasted, 6 lines" in frame(app) and "No module named 'yaml'" in frame(app))


async def test_a_paste_into_another_box_stays_one_inert_line(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("down", "question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and isinstance(app.focused, Input))
        app.post_message(Paste("co\x1b[31mpy\rnow"))
        await until(pilot, lambda: isinstance(app.focused, Input) and "py" in app.focused.value)
        assert isinstance(app.focused, Input)
        assert app.focused.value.isprintable()
        assert app.errors.box.query_text == ""


async def test_down_goes_to_the_list_slash_comes_back(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("down")
        assert app.focused is app.errors.results.rows
        await pilot.press("j", "j", "k")
        await until(pilot, lambda: "TS2304" in shown(app))
        await pilot.press("G")
        await until(pilot, lambda: "빌드 실패" in shown(app))
        await pilot.press("g")
        await until(pilot, lambda: "yaml" in shown(app))
        await pilot.press("slash")
        assert app.focused is app.errors.box
        assert app.errors.box.value == ""


async def test_escape_leads_back_one_step_at_a_time(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await search(pilot, app, "config")
        await pilot.press("escape")
        assert app.focused is app.errors.results.rows
        await pilot.press("enter")
        await until(pilot, lambda: app.focused is app.errors.case)
        await pilot.press("escape")
        assert app.focused is app.errors.results.rows
        await pilot.press("escape")
        await until(pilot, lambda: app.errors.results.rows.rows.total == len(CASES) and app.errors.box.value == "")
        await pilot.press("escape", "escape", "escape")
        assert app.focused is app.errors.results.rows, "with nothing left to leave it leads nowhere"
        await pilot.press("slash", "up")
        await until(pilot, lambda: app.errors.box.value == "config")


async def test_in_one_column_the_case_takes_the_place_of_the_list(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        assert "uv add pyyaml" not in frame(app)
        await pilot.press("down", "enter")
        await until(pilot, lambda: "uv add pyyaml" in frame(app))
        assert "TS2304" not in frame(app)
        await pilot.press("t")
        await until(pilot, lambda: app.focused is app.errors.why)
        assert "No trace yet" in frame(app)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "TS2304" in frame(app))


async def test_in_one_column_an_answer_stands_below_its_rows(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        app.errors.box.post_message(Paste("ModuleNotFoundError: No module named 'yaml'"))
        await until(pilot, lambda: "uv add pyyaml" in frame(app))
        assert app.errors.results.outer_size.height < 9
        await pilot.press("down", "z")
        await until(pilot, lambda: "uv add pyyaml" not in frame(app))
        await pilot.press("z", "ctrl+l")
        await until(pilot, lambda: "TS2304" in frame(app) and "uv add pyyaml" not in frame(app))
        await pilot.press("slash")
        await search(pilot, app, "find name")
        await until(pilot, lambda: "Import it" in frame(app))
        total = app.errors.results.rows.rows.total
        assert app.errors.results.outer_size.height == total + 2, "what was typed is answered as what was pasted"
        await pilot.press("ctrl+l", *"zzz")
        await until(pilot, lambda: "No matching case" in frame(app) and "Import it" not in frame(app))


async def test_in_one_column_the_trace_closes_with_the_key_that_leaves_it(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        app.errors.box.post_message(Paste("ModuleNotFoundError: No module named 'yaml'"))
        await until(pilot, lambda: "uv add pyyaml" in frame(app))
        before = app.errors.results.outer_size.height
        await pilot.press("down", "t")
        await until(pilot, lambda: app.focused is app.errors.why)
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.focused is app.errors.results.rows)
        assert not app.errors.why.display
        assert app.errors.results.outer_size.height == before


async def test_three_columns_show_the_trace_from_the_start_and_t_hides_it(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=(200, 50)) as pilot:
        await started(pilot, app)
        await search(pilot, app, "psql")
        await pilot.press("down")
        await until(pilot, lambda: "fingerprint  miss" in frame(app))
        await pilot.press("t")
        await until(pilot, lambda: "fingerprint  miss" not in frame(app))
        await pilot.press("t")
        await until(pilot, lambda: "fingerprint  miss" in frame(app))


@pytest.mark.parametrize("size", [(120, 34), (160, 40), (200, 50)])
async def test_few_cases_are_as_tall_as_their_rows_and_the_case_has_the_width(
    casebook: Path, size: tuple[int, int]
) -> None:
    app = app_on(casebook)
    async with app.run_test(size=size) as pilot:
        await started(pilot, app)
        results, case = app.errors.results, app.errors.case
        assert results.region.width < size[0] // 2 < results.region.height * 5
        await search(pilot, app, "yaml")
        await until(pilot, lambda: results.region.width == size[0])
        assert results.region.height == results.rows.rows.total + 2
        assert case.region.y == results.region.bottom and case.region.width >= size[0] - 46
        await pilot.press("ctrl+l")
        await until(pilot, lambda: results.region.width < size[0] // 2)


async def test_the_fix_of_an_answer_is_in_sight_below_many_other_rows(tmp_path: Path) -> None:
    line = "the disk is full here"
    with open_store(tmp_path / "many.db", write=True, create=True) as store:
        put(store, line, "shell", "delete the cache")
        for name in "abcdefghijklm":
            put(store, f"error: unit {name * 3} failed\n{line}", "shell", f"fix {name}")
    app = app_on(tmp_path / "many.db")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await search(pilot, app, line)
        assert app.errors.results.rows.rows.total > 9
        await until(pilot, lambda: "delete the cache" in frame(app))


async def test_the_trace_opens_below_the_case_in_two_columns(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await search(pilot, app, "yaml")
        await pilot.press("down")
        assert "identify" not in frame(app)
        await pilot.press("t")
        await until(pilot, lambda: "identify" in frame(app))


async def test_typing_counts_nothing_opening_and_copying_count_one_use(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await search(pilot, app, "ModuleNotFoundError: No module named 'yaml'")
        await until(pilot, lambda: app.errors.case.read)
        assert uses(casebook, 1) == 0
        await pilot.press("enter")
        await until(pilot, lambda: uses(casebook, 1) == 1)
        await pilot.press("y", "escape", "enter", "y")
        await until(pilot, lambda: not app.jobs.busy("use"))
        assert uses(casebook, 1) == 1


async def test_opening_an_unresolved_case_is_no_use(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("down", "j", "j", "enter")
        await until(pilot, lambda: "E0382" in shown(app) and app.focused is app.errors.case)
        await until(pilot, lambda: not app.jobs.busy("use"))
        assert uses(casebook, 3) == 0


async def test_copying_sends_the_fix_to_the_terminal_and_says_so(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await started(pilot, app)
        await pilot.press("down", "y")
        await until(pilot, lambda: "Copied the" in frame(app))
        assert app.clipboard.startswith("`yaml` is not installed")
        assert base64.b64encode(app.clipboard.encode())


async def test_copying_where_there_is_no_fix_says_why_not(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await started(pilot, app)
        await pilot.press("down", "G")
        await until(pilot, lambda: "빌드 실패" in shown(app))
        await pilot.press("y")
        await until(pilot, lambda: "This case has no fix yet." in frame(app))
        assert app.clipboard == ""


async def test_orders_go_round(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("down")
        await pilot.press("s")
        await until(pilot, lambda: "most seen" in frame(app))
        await pilot.press("g")
        await until(pilot, lambda: "Connection refused" in shown(app))


async def test_a_search_without_any_result_says_what_was_done(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        app.errors.box.ask("qqqqxyzzy")
        await until(pilot, lambda: "No matching case" in frame(app))
        assert "5 cases were searched" in " ".join(frame(app).split())
        await pilot.press("escape", "t")
        await until(pilot, lambda: "fingerprint  miss" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: "No matching case" not in frame(app))
        assert app.focused is app.errors.results.rows


async def test_old_rows_stay_until_new_ones_come(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        totals: list[int] = []
        rows = app.errors.results.rows
        show = rows.show
        rows.show = lambda new, chosen=0: (totals.append(new.total), show(new, chosen))  # type: ignore[method-assign]
        await search(pilot, app, "yaml")
        assert totals
        assert 0 not in totals


async def test_rows_and_a_case_that_are_late_are_dimmed_until_they_come(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, goes = app_on(casebook), threading.Event()
    goes.set()

    def held(read: Callable[..., Callable[[Job[Any]], Any]]) -> Callable[..., Callable[[Job[Any]], Any]]:
        def bind(*given: Any, **options: Any) -> Callable[[Job[Any]], Any]:
            def work(job: Job[Any]) -> Any:
                while not goes.wait(0.01):
                    job.check()
                return read(*given, **options)(job)

            return work

        return bind

    monkeypatch.setattr("tui.panes.errors.results.find", held(find))
    monkeypatch.setattr("tui.panes.errors.case_reader.read_case", held(read_case))
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        rows, case = app.errors.results.rows, app.errors.case
        await until(pilot, lambda: case.read is not None)
        goes.clear()
        await pilot.press("down", "j")
        await until(pilot, lambda: case.opacity < 1)
        assert rows.opacity == 1
        goes.set()
        await until(pilot, lambda: case.opacity == 1)
        goes.clear()
        await pilot.press("slash", *"yaml")
        await until(pilot, lambda: rows.opacity < 1)
        goes.set()
        await until(pilot, lambda: rows.opacity == 1 and "yaml" in frame(app))


async def test_zoom_shows_one_part_and_back(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.focused is app.errors.case)
        await pilot.press("z")
        await until(pilot, lambda: "TS2304" not in frame(app))
        await pilot.press("z")
        await until(pilot, lambda: "TS2304" in frame(app))


async def test_help_finds_an_action_by_name_and_by_key(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen) and "Go to the search box" in frame(app))
        await pilot.press("pagedown")
        await until(pilot, lambda: "Go to the search box" not in frame(app))
        await pilot.press("pageup")
        await until(pilot, lambda: "Go to the search box" in frame(app))
        await pilot.press("z", "o", "o", "m")
        await until(pilot, lambda: "Go to the search box" not in frame(app) and "Zoom this panel" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, HelpScreen))


async def test_the_palette_runs_an_action(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("ctrl+p")
        await pilot.press(*"zoom")
        await until(pilot, lambda: offered(app).startswith("Zoom this panel"))
        await pilot.press("enter")
        await until(pilot, lambda: app.errors.has_class("-zoomed"))


async def test_the_footer_can_be_clicked(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("down")
        await pilot.pause()
        at = frame(app).split("\n")[-1].index("trace")
        await pilot.click(app.errors.footer, offset=(at, 0))
        await until(pilot, lambda: app.errors.why.display)


async def test_a_click_chooses_and_a_double_click_opens(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.click(app.errors.results.rows, offset=(5, 1))
        await until(pilot, lambda: "TS2304" in shown(app))
        await pilot.click(app.errors.results.rows, offset=(5, 1), times=2)
        await until(pilot, lambda: app.focused is app.errors.case)


async def test_another_theme_can_be_put_on(casebook: Path) -> None:
    app = app_on(casebook)
    async with app.run_test(size=WIDE) as pilot:
        await started(pilot, app)
        await pilot.press("down")
        for theme in ("casebook-light", "gruvbox", "textual-light", "ansi-dark"):
            app.theme = theme
            await pilot.pause()
            assert "uv add pyyaml" in frame(app), theme


async def test_ctrl_z_suspends_wherever_one_is(casebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_on(casebook)
    suspended: list[bool] = []
    async with app.run_test(size=SMALL) as pilot:
        await started(pilot, app)
        monkeypatch.setattr(app, "action_suspend_process", lambda: suspended.append(True))
        await pilot.press("ctrl+z", "down", "ctrl+z", "alt+2", "ctrl+z")
        await until(pilot, lambda: len(suspended) == 3)
