"""The virtual list: pages by key, jumps, memory, and rows that are not read yet."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from textual.widgets import Static

from core.errors import list_cases
from core.store import Store, open_store
from tests.tui.support import app_on, frame, put, until
from tui.panes.errors.queries import PAGE, Pages, Scope, Stretch
from tui.panes.errors.results import MAX_PAGES, PagedRows, ResultRows, caption
from tui.render.case_list import Row
from tui.render.common.glyphs import UNICODE
from tui.screens.pager import CHUNK, cut_rows

MANY = 1_250


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A casebook of more than two pages."""
    path = tmp_path_factory.mktemp("many") / "many.db"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        con.executemany(
            "INSERT INTO error_kb(ts, error_normalized, error_raw) VALUES (?1, ?2, ?2)",
            ((f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}.000Z", f"Error: part {words(n)} lacks") for n in range(MANY)),
        )
    return path


def words(number: int) -> str:
    """A number in letters, so that no digits are masked away."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def rows(first: int, count: int) -> tuple[Row, ...]:
    return tuple(Row(n, f"row {n}", "draft", "", 1, "") for n in range(first, first + count))


def walked(paged: PagedRows, upto: int, total: int) -> Iterator[Pages]:
    for first in range(0, upto, PAGE):
        page = Pages(first, rows(first, min(PAGE, total - first)), None if first + PAGE >= total else f"after {first}")
        paged.put(page)
        yield page


def test_rows_are_known_by_number_and_the_next_page_begins_at_its_key() -> None:
    paged = PagedRows()
    paged.counted(5_000)
    assert paged.lacking(0, 40) == Stretch(0, 40)
    paged.put(Pages(0, rows(0, PAGE), "key one"))
    assert paged.lacking(0, 40) is None
    assert paged.lacking(PAGE - 5, PAGE + 5) == Stretch(PAGE, PAGE + 5, "key one")
    assert paged.total == 5_000


def test_a_jump_far_down_reads_no_page_in_between() -> None:
    paged = PagedRows()
    paged.counted(100_000)
    paged.put(Pages(0, rows(0, PAGE), "key one"))
    assert paged.lacking(99_980, 99_999) == Stretch(99_500, 99_999)
    paged.put(Pages(99_500, rows(99_500, PAGE), None, "key far down"))
    assert paged.lacking(99_400, 99_999) == Stretch(99_000, 99_499)
    assert paged.get(99_999) == rows(99_999, 1)[0]


def test_only_so_many_pages_stay_in_memory_and_dropped_ones_are_read_again() -> None:
    paged = PagedRows()
    total = PAGE * (MAX_PAGES + 20)
    for _ in walked(paged, total, total):
        pass
    kept = sum(paged.get(number) is not None for number in range(0, total, PAGE))
    assert kept == MAX_PAGES
    assert paged.lacking(0, 10) == Stretch(0, 10)
    assert paged.lacking(PAGE * 3, PAGE * 3 + 10) == Stretch(PAGE * 3, PAGE * 3 + 10, f"after {PAGE * 2}")


def test_the_end_that_was_seen_is_believed_more_than_a_count() -> None:
    paged = PagedRows()
    paged.put(Pages(0, rows(0, 30), None))
    paged.counted(500)
    assert paged.total == 30
    assert paged.lacking(0, 29) is None


def test_found_rows_have_no_row_outside() -> None:
    found = ResultRows(rows(0, 3))
    assert found.get(3) is None
    assert found.get(-1) is None
    assert found.index_of(2) == 2
    assert found.index_of(9) is None


def test_a_list_of_found_cases_counts_from_the_cursor() -> None:
    def below(found: ResultRows, chosen: int) -> str:
        return caption(found, chosen, Scope(), "4 ms", UNICODE, known=True, typed=True)[1].plain

    assert below(ResultRows(rows(0, 3)), 1) == "2 of 3 · 4 ms"
    assert below(ResultRows(rows(0, 3), hidden=2), 0) == "1 of 3 · 2 hidden · 4 ms"
    assert below(ResultRows(()), 0) == "4 ms"


async def test_every_row_can_be_reached_and_only_pages_are_read(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[tuple[int, str]] = set()  # on a slow machine the first page is read again

    def counting(store: Store, filters, sort, limit: int, after):
        asked.add((limit, repr(after)))
        return list_cases(store, filters, sort, limit, after)

    monkeypatch.setattr("core.errors.list_cases", counting)
    app = app_on(many)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == MANY)
        assert asked == {(PAGE, "None")}, "the first screen needs one page"
        await pilot.press("down", "G")
        await until(pilot, lambda: "part a lacks" in frame(app))
        assert app.errors.results.chosen is not None
        assert len(asked) == 2, "the pages in between are not read"
        await until(pilot, lambda: f"{MANY:,} of {MANY:,}" in frame(app))
        await pilot.press("g")
        await until(pilot, lambda: f"part {words(MANY - 1)} lacks" in frame(app))
        assert len(asked) == 2, "what was read is kept"


async def test_dragging_the_bar_shows_what_is_there_and_the_choice_stays(many: Path) -> None:
    app = app_on(many)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == MANY)
        rows, chosen = app.errors.results.rows, app.errors.results.chosen

        def top() -> int:
            return round(rows.scroll_y)

        assert await pilot.mouse_down(rows.vertical_scrollbar, offset=(0, 0))
        for line in range(rows.size.height):
            await pilot.hover(rows.vertical_scrollbar, offset=(0, line))
        await until(pilot, lambda: rows.scroll_y > 2 * PAGE and f"part {words(MANY - 1 - top())} lacks" in frame(app))
        await pilot.mouse_up(rows.vertical_scrollbar, offset=(0, rows.size.height - 1))
        rows.scroll_to(y=PAGE + 50, animate=False)
        await until(pilot, lambda: top() == PAGE + 50 and f"part {words(MANY - 1 - top())} lacks" in frame(app))
        assert app.errors.results.chosen == chosen
        assert rows.chosen == 0


async def test_a_jump_to_rows_that_are_gone_meanwhile_ends_at_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "gone.db"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        con.executemany(
            "INSERT INTO error_kb(ts, error_normalized, error_raw) VALUES (?1, ?2, ?2)",
            ((f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}.000Z", f"Error: part {words(n)} lacks") for n in range(1_100)),
        )
    app = app_on(path)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == 1_100 and app.jobs.busy("watch"))
        app.jobs.cancel("watch")  # before it can tell
        with open_store(path, write=True) as store, store.transaction() as con:
            con.execute("DELETE FROM error_kb WHERE id > 20 AND id <= 1000")
        await pilot.press("down", "G")
        await until(pilot, lambda: "120 of 120" in frame(app) and "part a lacks" in frame(app))


async def test_paging_down_shows_every_row_in_turn(many: Path) -> None:
    app = app_on(many)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == MANY)
        await pilot.press("down")
        for _ in range(26):
            await pilot.press("pagedown")
        at = app.errors.results.rows.chosen
        assert at > PAGE
        expected = f"part {words(MANY - 1 - at)} lacks"
        await until(pilot, lambda: any(expected in line and "▌" in line for line in frame(app).split("\n")))


async def test_a_reload_keeps_the_chosen_case(many: Path, tmp_path: Path) -> None:
    path = tmp_path / "many.db"  # of its own: the other tests count the cases of the shared one
    path.write_bytes(many.read_bytes())
    app = app_on(path)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.errors.results.rows.rows.total == MANY)
        await pilot.press("down", "j", "j")
        chosen = app.errors.results.chosen
        assert chosen is not None
        with open_store(path, write=True) as store:
            put(store, "Error: brand new trouble", "shell", None, last="2026-03-14T08:59:00.000Z")
        await pilot.press("f5")
        await until(pilot, lambda: "brand new trouble" in frame(app))
        assert app.errors.results.chosen is not None
        assert app.errors.results.chosen.id == chosen.id


@pytest.mark.parametrize(
    ("text", "rows_of_it"),
    [
        ("", [""]),
        ("one", ["one"]),
        ("one\ntwo", ["one\n", "two"]),
        ("one\n", ["one\n", ""]),
        ("\n\n", ["\n", "\n", ""]),
        ("x" * CHUNK, ["x" * CHUNK]),
        ("x" * CHUNK + "\ny", ["x" * CHUNK + "\n", "y"]),
        ("x" * (CHUNK + 3), ["x" * CHUNK, "xxx"]),
        ("a\u2028b\x0bc\x85d", ["a\u2028b\x0bc\x85d"]),
    ],
)
def test_a_long_text_is_cut_into_rows_without_losing_a_character(text: str, rows_of_it: list[str]) -> None:
    starts = [*cut_rows(text), len(text)]
    assert [text[a:b] for a, b in pairwise(starts)] == rows_of_it


async def test_show_all_shows_the_end_of_a_long_message(tmp_path: Path) -> None:
    path = tmp_path / "long.db"
    raw = "\n".join(f"frame {words(n)}" for n in range(9_000)) + "\nError: everything broke\nthe very end"
    assert len(raw) > 65_536
    with open_store(path, write=True, create=True) as store:
        put(store, "Error: everything broke", "python", None, message=raw)
    app = app_on(path)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        assert "everything broke" in app.errors.case.query_one("#case-raw", Static).visual.plain  # type: ignore[union-attr]
        await pilot.press("down", "a")
        await until(pilot, lambda: "characters, 9,002 rows" in frame(app))
        await pilot.press("G")
        await until(pilot, lambda: "the very end" in frame(app))
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
