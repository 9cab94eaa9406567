"""The way back to an answer: from a source, after Esc, and from an earlier run; nothing that was asked is lost."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Static

from core.base.wire import dumps
from core.library.ask.store import answers_of, list_sessions, read_answer
from core.store import open_store
from tests.core.llm.llm_server import Reply, llm_server
from tests.tui.panes.library.test_ask import RETRIES, ask, flat, library, opened, workbench
from tests.tui.support import screen_rows, until
from tests.tui.terminal.test_typed_ahead import send
from tui.panes.library.ask_screen import AskScreen, PickTalk
from tui.panes.library.conversation import MAX_TURNS
from tui.panes.library.screen import LibraryScreen
from tui.shell.app import CasebookApp

__all__ = ["library"]  # the fixture

BOTH = "The client makes three retries, then it stops [1]. The valve opens at noon [2]."
ASKED = "How many retries does the client make, and when does the valve open?"


async def at_ask(pilot: Pilot[None], app: CasebookApp) -> AskScreen:
    await until(pilot, lambda: isinstance(app.screen, AskScreen))
    assert isinstance(app.screen, AskScreen)
    return app.screen


async def at_library(pilot: Pilot[None], app: CasebookApp) -> LibraryScreen:
    await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
    assert isinstance(app.screen, LibraryScreen)
    return app.screen


async def test_both_sources_of_an_answer_are_read_and_what_is_half_typed_stays(library: Path) -> None:
    with llm_server([Reply((BOTH,)), Reply(("The client makes three retries [1].",))]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(80, 16)) as pilot:
            screen = await opened(pilot, app)
            await ask(pilot, screen, ASKED)
            await until(pilot, lambda: screen.talk.answer is not None)
            await pilot.press("slash", *"and", "space", *"then", "tab")
            await until(pilot, lambda: screen.conversation.has_focus)
            await pilot.press("j", "j", "j")
            scrolled = screen.conversation.scroll_y
            assert scrolled
            for number, path in ((1, "retries.md"), (2, "evil.md")):
                await pilot.press(str(number))
                pane = await at_library(pilot, app)
                await until(pilot, lambda pane=pane: pane.document.has_focus and pane.document.laid is not None)

                def path_shown(pane: LibraryScreen = pane) -> str:
                    shown = pane.document.laid
                    return "" if shown is None else shown.opened.document.doc_path

                await until(pilot, lambda path=path, path_shown=path_shown: path_shown() == path)
                await pilot.press("escape")
                again = await at_ask(pilot, app)
                await until(pilot, lambda again=again: again.conversation.scroll_y == scrolled)
                assert again.conversation.has_focus
                assert again.box.value == "and then"
                assert again.talk.answer is not None
            await pilot.press("escape")
            pane = await at_library(pilot, app)
            await pilot.press("escape")
            assert app.screen is pane, "the way back is gone once it was taken"
            await pilot.press("a")
            again = await at_ask(pilot, app)
            assert ASKED in flat(app) or again.conversation.scroll_y
            await ask(pilot, again, RETRIES)
            await until(pilot, lambda: again.last is not None and again.last.answer is not None and again.last.text)
        assert BOTH in str(server.requests[1]["messages"]), "the conversation goes on"
    with open_store(library) as store:
        assert [one.turns for one in list_sessions(store.con).sessions] == [2]


async def test_a_conversation_stays_while_other_panes_are_open_until_a_new_one_is_begun(library: Path) -> None:
    with llm_server([Reply(("The client makes three retries, then it stops [1].",))]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(80, 24)) as pilot:
            screen = await opened(pilot, app)
            await ask(pilot, screen, RETRIES)
            await until(pilot, lambda: "Grounded" in flat(app))
            await pilot.press("q", "alt+1")
            await until(pilot, lambda: len(app.screen_stack) == 1)
            screen = await opened(pilot, app)
            assert "Grounded" in flat(app)
            before = screen.talk.session
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, LibraryScreen))
            send(app, "a", *"next")
            await until(pilot, lambda: isinstance(app.screen, AskScreen) and app.screen.box.value == "next")
            screen = await at_ask(pilot, app)
            assert "Grounded" in flat(app), "what is read stays"
            assert screen.talk.session == before
            screen.conversation.focus()
            await pilot.press("n")
            await until(pilot, lambda: "Grounded" not in flat(app))
            assert screen.talk.session != before


async def test_esc_leads_from_a_source_to_its_answer_also_where_the_trace_was_open(library: Path) -> None:
    with llm_server([Reply((BOTH,))]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(80, 24)) as pilot:
            app.action_perform("pane.library")
            pane = await at_library(pilot, app)
            await until(pilot, lambda: pane.hits.total > 0)
            pane.acts.toggle_why()
            await until(pilot, lambda: pane.acts.why_is_opened)
            app.action_perform("library.ask")
            screen = await at_ask(pilot, app)
            await ask(pilot, screen, ASKED)
            await until(pilot, lambda: screen.talk.answer is not None)
            await pilot.press("1")
            await at_library(pilot, app)
            await until(pilot, lambda: pane.document.has_focus and pane.document.laid is not None)
            await until(pilot, lambda: pane.acts.why_is_opened)
            await pilot.press("escape")
            await at_ask(pilot, app)
            await pilot.press("1")
            await at_library(pilot, app)
            await until(pilot, lambda: pane.document.has_focus and pane.document.laid is not None)
            await pilot.press("q")  # which would quit elsewhere
            await at_ask(pilot, app)


async def test_an_answer_that_one_left_in_the_middle_is_told_as_such(library: Path) -> None:
    with llm_server([Reply(("The client", " makes"), hang_after=1)]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(80, 24)) as pilot:
            screen = await opened(pilot, app)
            await ask(pilot, screen, RETRIES)
            await until(pilot, lambda: "not checked yet" in flat(app))
            await pilot.press("q")
            await at_library(pilot, app)
            await pilot.press("a")
            screen = await at_ask(pilot, app)
            await until(pilot, lambda: "Stopped early" in flat(app))
            assert "The client" in flat(app)
            assert "Canceled when you left" in flat(app)
            assert screen.last is not None
            assert not screen.last.open, "another question can be asked"


async def test_a_click_on_a_source_opens_it(library: Path) -> None:
    with llm_server([Reply((BOTH,))]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(100, 40)) as pilot:
            screen = await opened(pilot, app)
            await ask(pilot, screen, ASKED)
            await until(pilot, lambda: "Sources" in flat(app))
            turn = screen.conversation.query(Static).first()
            rows = [line.text for line in screen_rows(app)]
            row = next(at for at, text in enumerate(rows) if "[2] evil.md" in text)
            await pilot.click(turn, offset=(1, row - turn.region.y))
            assert app.screen is screen, "the marker is no citation"
            await pilot.click(turn, offset=(6, row - turn.region.y))
            pane = await at_library(pilot, app)
            await until(pilot, lambda: pane.document.wanted is not None)
            assert pane.document.wanted is not None
            assert pane.document.wanted.path == "evil.md"


async def test_an_earlier_conversation_is_found_read_and_gone_on_with(library: Path) -> None:
    script = [Reply(("The valve opens at eight [1].",)), Reply(("The client makes three retries, then it stops [1].",))]
    with llm_server(script) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(100, 30)) as pilot:
            screen = await opened(pilot, app)
            await ask(pilot, screen, "When does the [red]valve\x1b[2J open?")
            await until(pilot, lambda: screen.talk.answer is not None)
            screen.conversation.focus()
            await pilot.press("n")
            await ask(pilot, screen, RETRIES)
            await until(pilot, lambda: "Grounded" in flat(app))
    with llm_server([Reply(("The valve opens at noon [1].",))]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(100, 30)) as pilot:
            app.action_perform("pane.library")
            await at_library(pilot, app)
            app.action_perform("ask.talks")
            await until(pilot, lambda: isinstance(app.screen, PickTalk) and "2 · enter" in flat(app))
            assert "[red]valve" in flat(app)
            await pilot.press(*"valve")
            await until(pilot, lambda: "1 · enter" in flat(app))
            await pilot.press("enter")
            screen = await at_ask(pilot, app)
            await until(pilot, lambda: "not supported" in flat(app) and not screen.box.has_focus and not screen._busy())
            assert "opens at eight" in flat(app)
            assert "not supported" in flat(app), "as it was checked"
            assert "Sources" in flat(app) or "Closest" in flat(app)
            await pilot.press("t")
            await until(pilot, lambda: screen.why.has_focus and "gate" in flat(app))
            await ask(pilot, screen, "When does the valve open?")
            await until(pilot, lambda: "opens at noon" in flat(app))
            await until(pilot, lambda: not screen._busy())  # it is kept once it is whole, not while it is told
            await pilot.press("f3")
            await until(pilot, lambda: isinstance(app.screen, PickTalk) and "2 turns" in flat(app))
            await pilot.press(*"nothing like it")
            await until(pilot, lambda: "no matches" in flat(app))
            await pilot.press("enter", "escape")
            assert app.screen is screen
            drawn = flat(app)
    assert not set(drawn) & set("\x1b\x07")
    with open_store(library) as store:
        assert sorted(one.turns for one in list_sessions(store.con).sessions) == [1, 2]


async def test_a_long_conversation_shows_its_end_and_what_cannot_be_read_again_its_words(library: Path) -> None:
    answer = "It is **so**\x1b[2J [1]."
    with open_store(library, write=True) as store, store.transaction() as con:
        con.execute("INSERT INTO chat_sessions VALUES ('release', '2026-03-14', '2026-03-14', 'First?', '{}')")
        cited = '[{"uri": "retries.md#L5"}, {"uri": "[red]"}]'
        for turn in range(MAX_TURNS + 2):
            row = (f"t{turn}", "release", turn, f"Question {turn}?", answer, cited, "2026-03-14")
            con.execute("INSERT INTO chat_turns VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    with llm_server([]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(100, 30)) as pilot:
            screen = await opened(pilot, app)
            await pilot.press("f3")
            await until(pilot, lambda: isinstance(app.screen, PickTalk) and "release" in flat(app))
            await pilot.press("enter")
            await until(pilot, lambda: f"Question {MAX_TURNS + 1}?" in flat(app))
            assert "It is so\u241b[2J [1]." in flat(app)
            assert "retries.md#L5 [red] Only the text was saved" in flat(app)
            await pilot.press("g")
            await until(pilot, lambda: "2 earlier questions are not shown" in flat(app))
            assert "Question 2?" in flat(app)
            assert "Question 1?" not in flat(app)
            assert screen.talk.session == "release"
            assert not screen.last or not screen.last.open


async def test_without_a_conversation_the_list_says_so(library: Path) -> None:
    with llm_server([]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(80, 24)) as pilot:
            screen = await opened(pilot, app)
            await pilot.press("f3")
            await until(pilot, lambda: isinstance(app.screen, PickTalk) and "no conversations yet" in flat(app))
            await pilot.press("enter", "escape")
            assert app.screen is screen


async def test_answers_are_read_again_as_they_were_written(library: Path) -> None:
    with llm_server([Reply((BOTH,))]) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(80, 24)) as pilot:
            screen = await opened(pilot, app)
            await ask(pilot, screen, ASKED)
            await until(pilot, lambda: screen.talk.answer is not None)
            answer = screen.talk.answer
    assert answer is not None
    assert answer.claims
    with open_store(library) as store:
        again = answers_of(store.con, screen.talk.session)[0]
    text = dumps(answer)
    assert dumps(again) == text
    assert again.trace == answer.trace
    assert again.claims[0].citation == answer.claims[0].citation
    assert read_answer(text.replace('"kind": "line"', '"kind": "other"')) is None
    for broken in ("", "[]", "{}", '{"query": 1}', text.replace("citations", "x"), text[:-1], "[" * 100_000):
        assert read_answer(broken) is None


async def test_the_trace_of_the_answer_before_is_gone_while_the_next_is_written(library: Path) -> None:
    replies = [Reply(("The client makes three retries, ", "then it stops [1].")), Reply(("So", " x"), hang_after=1)]
    with llm_server(replies) as server:
        app = workbench(library, server.endpoint)
        async with app.run_test(size=(200, 40)) as pilot:
            screen = await opened(pilot, app)
            await ask(pilot, screen, RETRIES)
            await until(pilot, lambda: "retrieval hit" in flat(app))
            await ask(pilot, screen, RETRIES)
            await until(pilot, lambda: "The trace is shown with the answer" in flat(app))
            await pilot.press("escape")
            await until(pilot, lambda: "retrieval hit" in flat(app))
