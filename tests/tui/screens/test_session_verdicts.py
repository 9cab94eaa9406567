"""The verdicts of a harvest in the margin of a session, and why, on demand."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.flows.transcripts.api import import_transcripts
from core.store import open_store
from tests.flows.harvest.chat import LOOKUP, NONE, python_error
from tests.flows.harvest.test_session import Transcript as Chat
from tests.tui.screens.queue_support import idle, opened, shown
from tests.tui.support import app_on, frame, told, until
from tui.panes.errors.triage import TriageScreen
from tui.render.common.session import Marks
from tui.screens.session import SessionScreen, Transcript

SMALL = (80, 24)
SESSION = "11111111-0000-4000-8000-000000000001"


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def harvested(tmp_path: Path) -> Path:
    chat = Chat(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit().bash("python app.py", NONE, 1)
    chat.edit("b.py").bash("python app.py", "fine").bash("grep -n nothing a.py", "", 1)
    path = tmp_path / "casebook.db"
    with open_store(path, write=True, create=True) as store:
        import_transcripts(store, "auto", [chat.save()])
    return path


async def test_messages_that_a_salvage_lost_are_passed_over(harvested: Path) -> None:
    with open_store(harvested, write=True) as store:
        store.con.execute("DELETE FROM message WHERE idx IN (3, 4)")
    app = app_on(harvested)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await app.push_screen(SessionScreen(app.jobs, SESSION, 3, Marks(), app.signs))
        own = app.screen.query_one(Transcript)
        await until(pilot, lambda: own.chosen == 5 and not app.jobs.busy("session"))
        own.perform("session.previous")
        await until(pilot, lambda: own.chosen == 2 and not app.jobs.busy("session"))
        own.perform("session.next")
        await until(pilot, lambda: own.chosen == 5 and not app.jobs.busy("session"))


async def test_a_session_that_only_a_hook_saw_says_so_and_how_to_get_it(harvested: Path) -> None:
    app = app_on(harvested)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        await app.push_screen(SessionScreen(app.jobs, "a session of a hook", 3, Marks(), app.signs))
        screen = app.screen
        await until(pilot, lambda: "casebook import auto" in frame(app))
        assert "The messages of this session are not in the casebook" in frame(app)
        assert "enter full" not in frame(app)
        await pilot.press("enter", "y", "t", "s")
        assert app.screen is screen, "there is nothing to show in full"
        await pilot.press("o")
        await until(pilot, lambda: app.screen is not screen)


async def test_a_result_has_its_verdict_in_the_margin_and_why_on_demand(harvested: Path) -> None:
    app = app_on(harvested)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        screen = SessionScreen(app.jobs, SESSION, 1, Marks(), app.signs)
        await app.push_screen(screen)
        own = screen.query_one(Transcript)
        await until(pilot, lambda: own.lines)
        heads = [line for line in own.lines if line.kind == "head" and line.judged is not None]
        assert [(line.index, line.judged.verdict, line.judged.repeats) for line in heads if line.judged] == [
            (1, "incident", None), (5, "incident", 1), (11, "answer", None),
        ]  # fmt: skip
        own.choose(1)
        await until(pilot, lambda: "incident, project" in frame(app))
        assert not screen.why.display
        await pilot.press("t")
        await until(pilot, lambda: "Fixed by message 9." in frame(app))
        assert "incident: The command failed with exit code 1" in " ".join(frame(app).split())
        own.choose(5)
        await until(pilot, lambda: "Repeats the failure of message 1." in frame(app))
        own.choose(0)
        await until(pilot, lambda: "No verdict" in frame(app))
        await pilot.press("n")
        await until(pilot, lambda: told(app, "No later error or fix is marked."))
        await pilot.press("t")
        await until(pilot, lambda: not screen.why.display)


async def test_the_queue_lists_the_other_findings_of_an_item_under_it(harvested: Path) -> None:
    app = app_on(harvested)
    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        entries = screen.queue.rows
        assert [(entry.row.key_line, entry.part) for entry in entries] == [
            ("KeyError: 'currency'", False), ("TypeError: 'NoneType' object is not iterable", True),
        ]  # fmt: skip
        assert "1 incident left" in frame(app)
        await pilot.press("N")
        assert screen.queue.total == 0, "its findings leave with it, before anything is on disk"
        await until(pilot, lambda: idle(app) and " (1 more leaves triage)" in frame(app))
        assert isinstance(app.screen, TriageScreen)
        assert (screen.queue.total, screen.queue.remaining) == (0, 0)
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and screen.queue.rows == entries)


async def test_a_decided_item_leads_to_the_next_item_and_its_findings_leave_with_it(tmp_path: Path) -> None:
    path = tmp_path / "casebook.db"
    with open_store(path, write=True, create=True) as store:
        for number in (1, 2):  # two sessions had the first item and the second, one the findings of the first
            chat = Chat(tmp_path / f"{number}", f"{number:08}-0000-4000-8000-000000000001")
            chat.bash("python app.py", LOOKUP, 1).edit()
            if number == 1:
                chat.bash("python app.py", NONE, 1).edit("b.py")
                chat.bash("python app.py", python_error("ValueError: no rate"), 1).edit("d.py")
            chat.bash("python app.py", "fine").bash("python c.py", python_error("OSError: disk full"), 1)
            import_transcripts(store, "auto", [chat.edit("c.py").bash("python c.py", "fine").save()])
    app = app_on(path)

    def lines(screen: TriageScreen) -> list[str]:
        return [f"{'  ' * entry.part}{entry.row.key_line[:9]}" for entry in screen.queue.rows]

    async with app.run_test(size=SMALL) as pilot:
        screen = await opened(pilot, app)
        assert lines(screen) == ["KeyError:", "  TypeError", "  ValueErro", "OSError: "]
        await pilot.press("a")
        await until(pilot, lambda: idle(app) and lines(screen) == ["OSError: "])
        assert screen.rows.chosen == 0
        await pilot.press("u")
        await until(pilot, lambda: idle(app) and screen.queue.total == 4)
        assert (screen.rows.chosen, lines(screen)[0]) == (0, "KeyError:")
        await pilot.press("j")
        await until(pilot, lambda: shown(screen) and screen.rows.chosen == 1)
        await pilot.press("a")
        await until(pilot, lambda: idle(app) and screen.queue.total == 3)
        assert screen.queue.rows[screen.rows.chosen].row.key_line == "ValueError: no rate"


async def test_a_long_line_keeps_its_last_character_beside_the_scrollbar(tmp_path: Path) -> None:
    """The bar comes when the messages are there, after the width was measured."""
    lines = [f"{'가' * (cells // 2)}{'a' * (cells % 2)}." for cells in range(70, 82)]
    chat = Chat(tmp_path / "in").bash("python app.py", LOOKUP, 1).row("assistant", "\n".join(lines * 2))
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        import_transcripts(store, "auto", [chat.save()])
    app = app_on(tmp_path / "casebook.db")
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.errors.case.read)
        screen = SessionScreen(app.jobs, SESSION, 2, Marks(), app.signs)
        await app.push_screen(screen)
        own = screen.query_one(Transcript)
        await until(pilot, lambda: own.lines)
        own.choose(2)
        await until(pilot, lambda: "#2" in frame(app))
        width = own.scrollable_content_region.width
        bodies = [
            (row, line) for row, line in enumerate(own.lines) if line.index == 2 and line.text and line.kind != "head"
        ]
        assert bodies
        for row, line in bodies:
            drawn = own.render_line(row - own.scroll_offset.y)
            assert line.text in drawn.text, (width, drawn.text)
