"""Hostile text through the list, the case, the search, toasts, the clipboard: no crash, nothing but its own signs."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets._toast import Toast

from core.errors import add_resolution, occurrences_of, search, show_case
from core.errors.cases.record import Name, observe
from core.store import open_store
from tests.tui.corpus import (
    CORPUS,
    DANGEROUS,
    KINDS,
    STORED,
    assert_all_literal,
    assert_inert,
    assert_inert_text,
    assert_literal,
    drawn,
    drawn_each,
    few,
    is_literal,
    of_kinds,
)  # fmt: skip
from tests.tui.support import NOW, app_on, frame, until
from tui.panes.errors.queries import Read
from tui.render.case import (
    Raw,
    draw_facts,
    draw_fix,
    draw_head,
    draw_occurrence,
    draw_raw,
    draw_source,
    fix_of,
    fix_title,
)
from tui.render.common.glyphs import ASCII, UNICODE
from tui.render.common.trace import draw_trace
from tui.render.common.untrusted import inline, without_colours
from tui.runtime.messages import PaneCopied
from tui.widgets.row_list import RowList


def test_the_corpus_is_large_and_its_kinds_are_named() -> None:
    assert len(CORPUS) >= 200
    assert len(set(CORPUS)) == len(CORPUS)
    assert {
        "markup", "ansi", "osc", "osc52", "c1", "bidi", "zero-width", "nul", "surrogate", "huge", "wide", "combining",
        "emoji", "like", "sql", "fts", "korean-nfd", "control-picture", "tab", "return", "markdown",
    } <= KINDS  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case for each text, in which everything that can be foreign is."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.db"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        for number, text in enumerate(STORED):
            name = Name(text[:300], f"{number} {text[:150]}", f"{number}:{text[:60]}", text[:40])
            case_id = observe(
                con, name, session_id=None, message_idx=None, tool=text[:40], project=text[:80],
                ts="2026-03-01T00:00:00.000Z", raw=f"before\n{text}\nafter",
            )  # fmt: skip
            add_resolution(
                con, case_id, None, f"{text}\nfix", resolved_by=text[:60], tool_sequence=(text[:50], text[:50]),
                author=text[:40], session_id=text[:60], message_ids=(1,), ts="2026-03-01T00:00:00.000Z",
            )  # fmt: skip
    return path


async def test_every_text_is_shown_as_it_is_in_the_list(hostile: Path) -> None:
    app = app_on(hostile, name="[/red]\x1b[2J name")
    async with app.run_test(size=(98, 60), notifications=True, tooltips=True) as pilot:
        rows = app.errors.results.rows
        await until(pilot, lambda: rows.rows.total == len(CORPUS) and app.errors.case.read)
        seen: list[str] = []
        for first in range(0, len(CORPUS), 40):
            rows.scroll_to(y=first, animate=False, force=True)
            await until(pilot, lambda first=first: all(rows.rows.get(at) for at in range(first, first + 10)))
            await until(pilot, lambda: not app.jobs.busy("rows"))
            seen.append(drawn(app, rows))
        assert_all_literal(STORED, "\n".join(seen), 12)  # rows alike keep a third of their room for it


def test_every_text_is_shown_as_it_is_in_each_part_of_a_case(hostile: Path) -> None:
    with open_store(hostile) as store:
        for case_id, text in enumerate(STORED, 1):
            case, (one,) = show_case(store, case_id), occurrences_of(store, case_id, 1)
            assert case is not None
            fix, raw = fix_of(case, None), Raw(*without_colours(one.raw, one.start, one.end))
            for signs in (UNICODE, ASCII):
                head, error = draw_head(case, None, signs, NOW), draw_raw(Raw(case.error_raw or ""), signs)
                assert_literal(case.key_lines[0], head.plain)
                assert_literal(text, error.plain, 16)
                for part in (
                    head,
                    error,
                    draw_raw(raw, signs),
                    draw_facts(case, fix, signs, NOW),
                    draw_fix(fix, signs, case, 80),
                    fix_title(fix, signs),
                    draw_source(case, fix, signs),
                    draw_occurrence(one, 0, 1, signs, NOW, case=case),
                ):
                    assert_inert_text(part.plain)


async def test_texts_of_every_kind_are_shown_as_they_are_in_the_case(hostile: Path) -> None:
    app = app_on(hostile)
    async with app.run_test(size=(120, 80), notifications=True, tooltips=True) as pilot:  # most are seen as a whole
        await until(pilot, lambda: app.errors.results.rows.rows.total == len(CORPUS) and app.errors.case.read)
        view = app.errors.case
        with open_store(hostile) as store:
            for text in few(2):
                case_id = STORED.index(text) + 1
                case, seen = show_case(store, case_id), occurrences_of(store, case_id, 1)
                assert case is not None
                line, shown = case.key_lines[0], [""]
                view.show(Read(case, seen[0]), None)
                await pilot.pause()

                def is_head_shown(line: str = line, shown: list[str] = shown) -> bool:
                    shown[:] = drawn_each(app, (view._head, view._raw))
                    return is_literal(line, shown[0])

                await until(pilot, is_head_shown)  # the case before it may have been scrolled
                if not is_literal(text, shown[-1], 16):
                    view.scroll_to_widget(view._raw, animate=False, top=True)
                    await until(pilot, lambda text=text: is_literal(text, drawn(app, view._raw), 16))
        assert app.is_running


def test_every_text_can_be_searched_for_and_explained(hostile: Path) -> None:
    with open_store(hostile) as store:
        for text in STORED:
            found = search(store, text)
            assert found.trace
            for signs in (UNICODE, ASCII):
                assert_inert_text(draw_trace(found.trace, signs).plain)


async def test_texts_of_every_kind_can_be_searched_for_and_explained(hostile: Path) -> None:
    app = app_on(hostile)
    async with app.run_test(size=(160, 24), notifications=True, tooltips=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        for text in few(1):
            app.errors.box.ask(text)
            await pilot.pause()
            await until(pilot, lambda: not app.jobs.busy("search"))
            assert_inert(app)
        assert app.is_running


async def test_every_text_can_be_pasted_and_is_kept_as_it_came(hostile: Path) -> None:
    app = app_on(hostile)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        for text in of_kinds("ansi", "osc52", "osc", "c1", "bidi", "nul", "surrogate", "return", "tab"):
            app.errors.box.ask("")
            app.errors.box.post_message(Paste(f"first\n{text}\nlast"))
            wanted = f"first\n{text}\nlast".replace("\r\n", "\n").replace("\r", "\n")
            await until(pilot, lambda wanted=wanted: app.errors.box.query_text == wanted)
            assert_inert(app)


async def test_every_text_is_shown_as_it_is_in_a_toast(tmp_path: Path) -> None:
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=(90, 400), notifications=True, tooltips=True) as pilot:
        for first in range(0, len(CORPUS), 12):
            texts = tuple({inline(text, 400): text for text in CORPUS[first : first + 12]}.values())  # equal: one
            for text in texts:
                app.say(text, seconds=3_600)
            await until(pilot, lambda texts=texts: len(app.screen.query(Toast)) == len(texts))
            await pilot.pause()
            for shown, text in zip(drawn_each(app, app.screen.query(Toast)), texts, strict=True):
                assert_literal(inline(text, 400), shown, 16)
            app.clear_notifications()
            await until(pilot, lambda: not app.screen.query(Toast))


async def test_every_text_is_clean_on_the_clipboard(tmp_path: Path) -> None:
    app = app_on(tmp_path / "none.db")
    async with app.run_test(size=(100, 30)) as pilot:
        for text in CORPUS:
            app.on_pane_copied(PaneCopied("fix", text))
            assert not DANGEROUS.search(app.clipboard.replace("\t", " "))
        await pilot.pause()


async def test_a_click_on_hostile_markup_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "click.db"
    text = "[@click=app.quit]quit[/] [@click=app.perform('app.quit')]now[/]"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        name = Name(text, text, text, text)
        case_id = observe(con, name, session_id=None, message_idx=None, tool=None, project=None, ts=NOW.isoformat())
        add_resolution(con, case_id, None, text, author="x", ts=NOW.isoformat())
    app = app_on(path)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        lines = frame(app).split("\n")
        spots = [(line.index("@click"), y) for y, line in enumerate(lines) if "@click" in line]
        assert len(spots) >= 2
        for spot in spots:
            await pilot.click(offset=spot)
        assert app.is_running
        assert isinstance(app.errors.results.rows, RowList)
