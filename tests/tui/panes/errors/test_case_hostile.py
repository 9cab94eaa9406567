"""Hostile text in a session, in what is masked, in the history, in every copy; and the screens at every size."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest

from core.errors import add_resolution, occurrences_of, show_case
from core.errors.cases.record import Name, observe
from core.errors.exchange.case_export import case_markdown, code, fenced
from core.store import open_store
from tests.tui.corpus import CORPUS, DANGEROUS, assert_inert
from tests.tui.support import app_on, until
from tui.panes.errors.case_actions import forms_of
from tui.render.case import fix_of
from tui.screens.export import CopyMenu
from tui.screens.session import SessionScreen, Transcript


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One case with a session in which every text is a message, a tool, a fix and an author."""
    path = tmp_path_factory.mktemp("hostile") / "session.db"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        session = "[/red]\x1b]52;c;x\x07 s\u202e"
        con.execute("INSERT INTO session(id, agent, project) VALUES (?, ?, ?)", (session, "[@click=app.quit]", "\x9b"))
        name = Name("Error: '\x1b[2J[/foo]' is not", "Error: <STR> is not", "fp", "\x1b[31m")
        for number, given in enumerate(CORPUS):
            text = given.encode("utf-8", "replace").decode()
            con.execute(
                "INSERT INTO message(session_id, idx, role, kind, text, uuid, block, ts, sha256, tool_use_id, chain)"
                " VALUES (?, ?, ?, ?, ?, '', 0, '2026-03-10T10:00:00.000Z', '', ?, ?)",
                (session, number, "tool", "tool_result", text, f"t{number}", text[:50]),
            )
            con.execute(
                "INSERT INTO tool_call(session_id, tool_use_id, name, input_json, call_idx, result_idx, failed)"
                " VALUES (?, ?, ?, '{}', ?, ?, 1)",
                (session, f"t{number}", text[:60], number, number),
            )
            case_id = observe(
                con, name, session_id=session, message_idx=number, tool=text[:40], project=text[:60],
                ts="2026-03-10T10:00:00.000Z", start=0, end=len(text),
            )  # fmt: skip
            add_resolution(
                con, case_id, None, f"{text}\n{number}", author=text[:30], resolved_by=text[:30], session_id=session,
                message_ids=(number,), tool_sequence=(text[:30],), ts="2026-03-10T10:00:00.000Z",
            )  # fmt: skip
    return path


async def test_every_message_of_a_session_is_inert(hostile: Path) -> None:
    app = app_on(hostile)
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "o")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen) and app.screen.query_one(Transcript).lines)
        own = app.screen.query_one(Transcript)
        for number in range(0, len(CORPUS), 5):
            own.choose(number)
            await until(pilot, lambda: not app.jobs.busy("session"))
            assert_inert(app)


async def test_masked_parts_history_and_times_are_inert(hostile: Path) -> None:
    app = app_on(hostile)
    async with app.run_test(size=(100, 50), notifications=True) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "enter", "m")
        assert_inert(app)
        await pilot.press("H")
        for _ in range(30):
            await pilot.press("n")
            await pilot.pause()
            assert_inert(app)
            await pilot.press("pagedown")
            assert_inert(app)


def test_every_copy_in_which_signs_stay_is_inert_already(hostile: Path) -> None:
    with open_store(hostile) as store:
        case, times = show_case(store, 1), occurrences_of(store, 1, 500)
    assert case is not None
    assert len(times) == len(CORPUS)
    for one, fix in zip(times, cycle(case.resolutions), strict=False):
        own = replace(case, resolutions=(fix,), resolution=fix.text, tool=one.tool or "", project=one.project or "")
        for form in forms_of(own, fix_of(own, None), own.key_lines[0], one.raw, hostile):
            if form.exact:
                assert not DANGEROUS.search(form.text)
        assert not DANGEROUS.search(case_markdown(own, one.raw).replace("\t", " "))
    assert not DANGEROUS.search(case_markdown(case, times[0].raw).replace("\t", " "))


def test_no_text_ends_the_code_it_stands_in() -> None:
    assert code("a `b` ``c``") == "``` a `b` ``c`` ```"
    assert fenced("x\n````\ny").split("\n")[0] == "`````text"
    assert fenced("plain").split("\n") == ["```text", "plain", "```"]


async def test_the_screens_live_at_every_size(hostile: Path) -> None:
    app = app_on(hostile)
    async with app.run_test(size=(120, 34)) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await pilot.press("down", "enter")
        for key, kind in (("o", SessionScreen), ("Y", CopyMenu)):
            await pilot.press(key)
            await until(pilot, lambda kind=kind: isinstance(app.screen, kind))
            for size in ((80, 24), (20, 5), (3, 2), (1, 1), (200, 50), (120, 34)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
                assert_inert(app)
            await pilot.press("escape")
            await until(pilot, lambda: app.focused is app.errors.case)
