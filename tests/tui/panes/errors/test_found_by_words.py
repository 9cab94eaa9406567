"""A case found by its words: the row and the reader show the error that has them, and whose fix stands below it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.errors import Hit, add_resolution, case_rows, observe, record_resolution, search
from core.errors.cases.browse import browse
from core.errors.cases.record import Name
from core.errors.identity.fingerprint import identify
from core.errors.retrieval.answer import Place, Source
from core.store import Store, open_store
from tests.tui.support import app_on, frame, settled, told, until
from tui.panes.errors.fix_editor import WritingScreen
from tui.panes.errors.queries import SearchResult, joined
from tui.render.case_list import Row, near_row, row_of
from tui.shell.app import CasebookApp

FIRST = "ImportError: cannot import 'freezegun' from vendor"
LATER = "cannot import harmonica"
WIDE = (200, 50)


def seen(store: Store, line: str, ts: str, raw: str) -> None:
    with store.transaction() as con:
        observe(
            con, Name(line, "ImportError: cannot import <STR>", line, "python"), session_id=None, message_idx=None,
            tool="python", project="shop", ts=ts, raw=raw, start=raw.find(line), end=raw.find(line) + len(line),
        )  # fmt: skip


def fixed(path: Path, mark: str | None, text: str, tags: tuple[str, ...] = ()) -> None:
    with open_store(path, write=True) as store, store.transaction() as con:
        add_resolution(con, 1, mark, text, status="verified", author="mina", ts="2026-03-05T10:00:00.000Z", tags=tags)


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    """One case of two errors, which were seen in turn."""
    path = tmp_path / "merged.db"
    with open_store(path, write=True, create=True) as store:
        for day, line in enumerate((FIRST, LATER, FIRST, LATER, FIRST), 1):
            seen(store, line, f"2026-03-0{day}T10:00:00.000Z", f"on day {day}\n{line}")
    return path


def both(path: Path) -> Path:
    """A fix of each; that of the first error answers for the case."""
    fixed(path, LATER, "pip install harmonica")
    fixed(path, FIRST, "pip install freezegun")
    return path


async def asked(pilot: Pilot[None], app: CasebookApp, text: str) -> Row:
    """Type it, and wait until what it found is the case on the screen."""
    await until(pilot, lambda: app.errors.results.rows.rows.total and app.errors.case.read)
    await pilot.press(*(" " if letter == " " else letter for letter in text))
    await until(pilot, lambda: app.errors.results.query_text == text and not app.jobs.busy("search"))
    await settled(pilot, app)
    row = app.errors.results.chosen
    assert row is not None
    return row


def lit(row: Row) -> list[str]:
    return [row.key_line[start:end] for start, end in row.highlights]


async def test_the_row_s_line_is_the_one_that_has_the_words_and_they_are_lit(merged: Path) -> None:
    app = app_on(both(merged))
    async with app.run_test(size=WIDE) as pilot:
        row = await asked(pilot, app, "harmonica")
        assert (row.key_line, lit(row)) == (LATER, ["harmonica"])
        assert str(app.errors.results.border_title) == "1 case has these words"


async def test_the_reader_opens_at_that_error_with_its_own_fix(merged: Path) -> None:
    app = app_on(both(merged))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await asked(pilot, app, "harmonica")
        shown = frame(app)
        assert "another error of the case contains every word" in shown
        assert "Fix for this error" in shown
        assert "pip install harmonica" in shown
        assert "pip install freezegun" not in str(app.errors.case._fix.content)
        assert "Matches your words (not searched as an error)" in shown
        assert "Not a match" not in shown
        assert "1 of 2 of this error" in shown
        assert "on day 4" in shown, "on day 5 it was the other error"
        await pilot.press("enter", "n")
        await until(pilot, lambda: "2 of 2 of this error" in frame(app))
        assert "on day 2" in frame(app)
        await pilot.press("y")
        await until(pilot, lambda: told(app, "fix for this error"))


async def test_the_error_itself_stands_above_a_weak_match_of_another_and_has_no_fix_yet(tmp_path: Path) -> None:
    daemon = "Error response from daemon: could not "
    itself = f"{daemon}create, the container name is already in use now"
    path = tmp_path / "known.db"
    with open_store(path, write=True, create=True) as store:
        record_resolution(store, f"{daemon}reach network frontend declared as external, but missing", "create it")
        name = identify(itself)
        with store.transaction() as con:
            known = observe(
                con, Name(name.key_line, name.normalized, name.fingerprint, name.tool), session_id=None,
                message_idx=None, tool="docker", project="shop", ts="2026-03-01T10:00:00.000Z", raw=itself,
            )  # fmt: skip
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        row = await asked(pilot, app, itself)
        assert (row.id, row.answers, row.tier) == (known, False, "fingerprint")
        second = app.errors.results.rows.rows.get(1)
        assert isinstance(second, Row)
        assert (second.tier, second.answers) == ("prefix", False)
        assert str(app.errors.results.border_title) == "Known error, no fix yet"
        assert "No fix yet." in frame(app)


async def test_what_says_just_these_words_is_not_told_to_have_no_fix(merged: Path) -> None:
    app = app_on(both(merged))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        row = await asked(pilot, app, "harmonica cannot import")
        assert (row.tier, row.answers) == ("text", False)
        shown = frame(app)
        assert "Same words as this error" in shown
        assert "Not a match" not in shown
        assert str(app.errors.results.border_title) == "Keyword matches"
        assert "Fix for this error" in shown
        await pilot.press("enter", "y")
        await until(pilot, lambda: told(app, "Copied the fix"))


async def test_the_fix_of_another_error_of_the_case_is_called_that(merged: Path) -> None:
    fixed(merged, FIRST, "pip install freezegun")
    app = app_on(merged)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await asked(pilot, app, "harmonica cannot import")
        shown = frame(app)
        assert "No fix for this error. The case has a fix for another variant." in shown
        assert "Fix for another variant of this case" in shown
        assert str(app.errors.results.border_title) == "1 case has these words"
        await pilot.press("enter", "y")
        await until(pilot, lambda: told(app, "fix for another variant of this case"))


async def test_a_word_of_its_fix_or_tag_is_told_in_the_row(merged: Path) -> None:
    fixed(merged, None, "Take the vendored one.", ("네트워크",))
    app = app_on(merged)
    async with app.run_test(size=WIDE) as pilot:
        row = await asked(pilot, app, "vendored")
        assert (row.key_line, row.match_label) == (FIRST, "in its fix")
        assert "in its fix" in frame(app)
        assert "all words appear in its fix" in frame(app)
        assert "Only the fix has these words, not the error." in frame(app)
        assert "Fix with these words" in frame(app)
        await pilot.press("ctrl+u")
        assert (await asked(pilot, app, "네트워크")).match_label == "in its tags"


async def test_without_a_search_the_case_is_whole_again(merged: Path) -> None:
    app = app_on(both(merged))
    async with app.run_test(size=WIDE) as pilot:
        await asked(pilot, app, "harmonica")
        await pilot.press("ctrl+u")
        await until(pilot, lambda: "on day 5" in frame(app))
        assert "1 of 5" in frame(app)
        assert "of this error" not in frame(app)
        assert "pip install freezegun" in str(app.errors.case._fix.content)


async def test_what_is_written_is_about_the_fix_of_that_error(merged: Path) -> None:
    app = app_on(both(merged))
    async with app.run_test(size=WIDE) as pilot:
        await asked(pilot, app, "harmonica")
        await pilot.press("enter", "w")
        await until(pilot, lambda: isinstance(app.screen, WritingScreen))
        assert isinstance(app.screen, WritingScreen)
        assert app.screen.area.text == "pip install harmonica"
        await settled(pilot, app)
        assert LATER in str(app.screen.case._head.content)
        assert FIRST not in frame(app)
        assert "another of the 2" not in frame(app), "it is the very error that the fix is for"


async def test_an_error_that_was_given_by_hand_is_shown_by_its_own_line(merged: Path) -> None:
    with open_store(merged, write=True) as store, store.transaction() as con:
        con.execute("DELETE FROM occurrence WHERE fingerprint = ?", (LATER,))
    app = app_on(both(merged))
    async with app.run_test(size=WIDE) as pilot:
        await asked(pilot, app, "harmonica")
        assert app.errors.case.raw.text == LATER


async def test_the_trace_says_where_the_words_are(merged: Path) -> None:
    app = app_on(both(merged))
    async with app.run_test(size=WIDE) as pilot:
        await asked(pilot, app, "harmonica")
        trace = frame(app).partition("─ Trace ")[2].split("\n")[1:-2]
        why = [" ".join(line.split("│")[-2].split()) for line in trace]
        assert "1 case with every word (suggestions only" in " ".join(why)
        assert (
            "another error of the case contains every word case 1 part error line cannot import harmonica"
            in " ".join(why)
        )


def beside_a_tier(path: Path, text: str, change: dict[str, object] | None) -> tuple[Row, Hit]:
    """The row of a case that the vector tier found alike, once words have their say, and the hit by words."""
    with open_store(path) as store:
        (words,), (case,), query = browse(store, text), case_rows(store, (1,)), search(store, text, count=False).query
    miss = None
    if change is not None:
        miss = replace(words, tier="vector", key_line=FIRST, resolution="?", place=None, why=("similarity 0.51",))
        miss = replace(miss, **change)  # pyright: ignore[reportArgumentType]
    near = near_row(case, 0.51, miss, query)
    (row,) = joined(SearchResult(None, (near,)), (row_of(case, words, query),)).rows
    return row, words


def test_a_case_that_reads_alike_is_shown_at_the_error_that_has_the_words(merged: Path) -> None:
    row, words = beside_a_tier(both(merged), "harmonica", {})
    assert (row.tier, row.similarity, row.key_line, lit(row)) == ("similar", 0.51, LATER, ["harmonica"])
    assert row.hit is not None
    assert (row.hit.tier, row.hit.resolution, row.hit.place) == ("vector", "pip install harmonica", words.place)
    assert row.hit.why == ("another error of the case contains every word", "similarity 0.51")
    assert beside_a_tier(merged, "harmonica", None)[0].hit == words, "also where the tier says no more of it"


def test_what_answers_stays_what_it_is_and_so_does_what_has_not_all_the_words(merged: Path) -> None:
    assert beside_a_tier(both(merged), "harmonica", {"accepted": True})[0].key_line == FIRST
    assert beside_a_tier(merged, "harmonica frobnicate", {})[0].key_line == FIRST


async def test_which_fix_is_shown_is_decided_once_and_not_by_who_draws(
    merged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import core.errors.retrieval.match_location

    calls: list[int] = []
    right = core.errors.retrieval.match_location.matched_fix

    def counted(case: object, hit: object) -> object:
        calls.append(1)
        return right(case, hit)  # pyright: ignore[reportArgumentType]

    app = app_on(both(merged))
    async with app.run_test(size=WIDE) as pilot:
        await asked(pilot, app, "harmoni")
        monkeypatch.setattr("core.errors.retrieval.match_location.matched_fix", counted)
        app.errors.reader._read(0.0)
        app.errors.case.read = None  # so that it is drawn, whatever was
        await until(pilot, lambda: app.errors.case.read is not None)
        assert calls == [1]


async def test_rows_stand_by_how_much_they_say_and_stop_words_match_nothing(tmp_path: Path) -> None:
    path = tmp_path / "order.db"
    with open_store(path, write=True, create=True) as store:
        for at, line in enumerate(
            (
                "left on device there is no space",
                "No space left on device",
                "the engine is not reduced",
                "is not a type",
            )
        ):
            with store.transaction() as con:
                name = Name(line, line, line, "shell")
                observe(
                    con,
                    name,
                    session_id=None,
                    message_idx=None,
                    tool=None,
                    project=None,
                    ts=f"2026-03-0{at + 1}",
                    raw=line,
                )
    app = app_on(path)
    async with app.run_test(size=WIDE) as pilot:
        await asked(pilot, app, "no space left on")
        rows = [app.errors.results.rows.rows.get(at) for at in range(app.errors.results.rows.rows.total)]
        assert [row.id for row in rows if isinstance(row, Row)] == [2, 1], "the words in order come first"
        assert str(app.errors.results.border_title) == "2 cases have these words"
        await pilot.press("ctrl+u")
        await asked(pilot, app, "device is not typed")
        assert str(app.errors.results.border_title) == "No match · 2 share some words"


def row_with(number: int, tier: str, says: str | None, *, accepted: bool = False) -> Row:
    hit = Hit(
        number, "vector" if tier == "similar" else tier, "low", 0.0, None, "", "", None, None, None, (), 0, None,  # pyright: ignore[reportArgumentType]
        Source(None), (), accepted, "", None if says is None else Place("error", says),  # pyright: ignore[reportArgumentType]
    )  # fmt: skip
    return Row(number, "", "draft", "", 1, "", tier, hit)


def test_the_order_is_answer_every_word_similar_some_words() -> None:
    answer, seen = row_with(1, "vector", None, accepted=True), row_with(2, "fingerprint", "exactly")
    every, near, some = row_with(3, "text", "every"), row_with(4, "similar", None), row_with(5, "text", "some")
    found = joined(SearchResult(None, (near, seen, answer)), (some, every)).rows
    assert [row.id for row in found] == [1, 2, 3, 4, 5]


async def test_output_of_another_variant_says_so(merged: Path) -> None:
    app = app_on(both(merged))
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("escape", "enter")
        await until(pilot, lambda: "1 of 5" in frame(app))
        assert "another of the 2" not in frame(app)
        await pilot.press("n")
        await until(pilot, lambda: "2 of 5 (another of the 2 variants)" in frame(app))
