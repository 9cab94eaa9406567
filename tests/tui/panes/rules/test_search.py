"""`/` in the Rules pane: words narrow the list of calls, nothing waits for it, and what is chosen stays chosen."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from core.rules.calls import call_keys
from core.store import Store, open_store
from tests.tui.panes.rules.support import CALLS, PUSH, RULES, answered, idle, opened, put_calls, rules_app
from tests.tui.support import frame, until
from tui.actions.registry import BY_NAME, footer
from tui.panes.rules.actions import RulesNow
from tui.panes.rules.calls import CallRows
from tui.panes.rules.queries import FIRST, Keys, read_keys
from tui.panes.rules.rule_actions import PickRule
from tui.panes.rules.screen import RulesScreen
from tui.render.ranking import Ranked, no_call
from tui.runtime.jobs import Job
from tui.shell.app import CasebookApp
from tui.widgets.inputs import SearchBox

WIDE, SMALL = (120, 34), (80, 24)
MORE = (
    ("WebFetch", {"url": "https://example.com/push", "prompt": "read it"}),
    ("Task", {"prompt": "운영데이터베이스를 복사한다"}),
)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "memory.md"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return put_calls(tmp_path / "calls.db", *CALLS, *MORE)


def title(screen: RulesScreen) -> str:
    return str(screen.calls.border_title)


def box_of(screen: RulesScreen) -> SearchBox:
    assert screen.calls.box is not None
    return screen.calls.box


async def searched(pilot: Pilot[None], screen: RulesScreen, text: str) -> None:
    """Type it, and wait for what it finds."""
    await pilot.press(*("space" if sign == " " else sign for sign in text))
    await until(pilot, lambda: box_of(screen).query_text.endswith(text) and idle(cast("CasebookApp", pilot.app)))


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_words_narrow_the_list_and_esc_gives_it_back_step_by_step(
    calls: Path, rules: Path, size: tuple[int, int]
) -> None:
    app = rules_app(calls, rules)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        assert not box_of(screen).display, "the list has all of its place until one searches"
        await pilot.press("slash")
        await until(pilot, lambda: box_of(screen).has_focus)
        await searched(pilot, screen, "pu")
        assert title(screen) == "Tool calls · 2 of 5"
        assert "WebFetch" in frame(app)
        assert "ls -la" not in frame(app)
        await searched(pilot, screen, " git")
        await until(pilot, lambda: title(screen) == "Tool calls · 1 of 5" and answered(screen, PUSH))
        await pilot.press("escape")
        await until(pilot, lambda: screen.calls.rows.has_focus)
        assert title(screen) == "Tool calls · 1 of 5", "leaving the box leaves the search"
        await pilot.press("escape")
        await until(pilot, lambda: title(screen) == "Tool calls · 5" and idle(app))
        assert answered(screen, PUSH), "what was chosen is chosen still"
        assert screen.calls.rows.chosen == 2
        assert not box_of(screen).display
        await pilot.press("escape", "alt+1")
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_hits_are_lit_in_the_rows_by_any_half_of_a_word(calls: Path, rules: Path) -> None:
    app = rules_app(calls, rules)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("slash")
        for text, line in (
            ("FETCH ex", "https://…"),
            ("데이터베", "운영데이터베이스를 복사한다"),
            ("shop readm", "README.md"),
        ):
            await pilot.press("ctrl+l")
            await searched(pilot, screen, text)
            await until(pilot, lambda: screen.calls.calls.total == 1 and screen.calls.calls.get(0) is not None)
            row = screen.calls.calls.get(0)
            assert row is not None
            lit = [row.about[start:end] for start, end in row.highlights] + [
                row.tool[a:z] for a, z in row.tool_highlights
            ]
            assert {one.casefold() for one in lit} == set(text.casefold().split())
            assert line[:8] in frame(app)
        assert "README.md … shop" in frame(app), "a project that was found is shown"


async def test_where_nothing_is_found_it_says_so_and_which_key_clears_it(calls: Path, rules: Path) -> None:
    app = rules_app(calls, rules)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("j", "j", "slash")
        await searched(pilot, screen, "nowhere")
        told = frame(app)
        assert "No matching calls" in told
        assert "5 calls were searched" in told
        assert "^l  show all calls" in told
        await pilot.press("ctrl+l")
        await until(pilot, lambda: title(screen) == "Tool calls · 5" and idle(app))
        assert screen.calls.rows.chosen == 2, "one is where one was"
        assert box_of(screen).has_focus
        await searched(pilot, screen, "nowhere")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: title(screen) == "Tool calls · 5" and screen.calls.rows.has_focus)


@pytest.mark.parametrize("size", [SMALL, (200, 50)])
async def test_where_no_call_is_found_nothing_is_ranked_and_no_verdict_is_shown(
    calls: Path, rules: Path, size: tuple[int, int]
) -> None:
    app = rules_app(calls, rules)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("slash")
        await searched(pilot, screen, "nowhere")
        await until(pilot, lambda: "No matching calls" in frame(app))
        told = " ".join(frame(app).replace("│", " ").split())
        assert 'No call has "nowhere".' in told
        assert not any(one in told for one in ("cut-off", "Silence", "by words")), "nobody asked about an empty call"
        await searched(pilot, screen, "else")
        await until(pilot, lambda: 'No call has "nowhereelse"' in frame(app))
        await pilot.press("ctrl+l")
        await until(pilot, lambda: "cut-off" in frame(app) and "No matching calls" not in frame(app) and idle(app))


def test_a_search_among_the_calls_of_one_tool_says_so_where_it_finds_none() -> None:
    told = no_call(cast("Ranked", SimpleNamespace(every_rule=1)), "git", "Bash")
    assert told.why == 'No call of Bash has "git". One rule was loaded.'
    assert [key for key, _ in told.steps] == ["{find.clear}", "{rules.unfilter}", "{rules.type}"]
    assert no_call(cast("Ranked", SimpleNamespace(every_rule=2)), "", "Bash").why.startswith("No call of Bash is there")


async def test_a_short_terminal_has_room_for_the_box_and_what_it_finds(calls: Path, rules: Path) -> None:
    app = rules_app(calls, rules, ascii_only=True)
    async with app.run_test(size=(40, 12)) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("slash")
        await searched(pilot, screen, "pu")
        await until(pilot, lambda: "Bash" in frame(app) and "WebFe~" in frame(app))
        assert "\n pu" in frame(app)
        assert "score" in frame(app)


async def test_where_no_calls_are_it_is_not_the_words(tmp_path: Path, rules: Path) -> None:
    app = rules_app(put_calls(tmp_path / "none.db"), rules)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("slash")
        await searched(pilot, screen, "git")
        assert "No tool calls yet" in frame(app)
        assert "No tool call selected" in frame(app) and "No matching calls" not in frame(app)


async def test_a_search_goes_with_the_tool_and_with_what_comes_in(calls: Path, rules: Path) -> None:
    app = rules_app(calls, rules)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("slash")
        await searched(pilot, screen, "push")
        await pilot.press("down", "down")
        await until(pilot, lambda: answered(screen, PUSH))
        put_calls(calls, ("Bash", {"command": "git push"}), ("Bash", {"command": "make"}))
        await until(pilot, lambda: title(screen) == "Tool calls · 3 of 7" and idle(app))
        assert answered(screen, PUSH), "what came in moves nobody"
        await pilot.press("f")
        await until(pilot, lambda: title(screen) == "Bash calls · 2 of 4" and idle(app))
        assert answered(screen, PUSH)
        await pilot.press("escape")
        await until(pilot, lambda: title(screen) == "Bash calls · 4")


async def test_enter_goes_to_the_rules_of_the_call_once_it_is_found(calls: Path, rules: Path) -> None:
    app = rules_app(calls, rules)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("slash", *"forc", "enter")
        await until(pilot, lambda: screen.rank.rows.has_focus and answered(screen, PUSH))
        await pilot.press("escape", "escape", "slash", "up")
        await until(pilot, lambda: box_of(screen).query_text == "forc" and title(screen) == "Tool calls · 1 of 5")
        await pilot.press("escape", "n")
        await until(pilot, lambda: screen.calls.typed.has_focus_within and not box_of(screen).display)
        await pilot.press("f3", "slash")
        await until(pilot, lambda: box_of(screen).has_focus and not screen.calls.typing)
        assert box_of(screen).query_text == "forc"


async def test_no_key_waits_for_a_search_and_the_newest_wins(
    calls: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import core.rules.calls as module

    begun, end, found = Event(), Event(), module.find_calls

    def slow(store: Store, words: Sequence[str], tool: str = "") -> Iterator[int]:
        if words and "slow".startswith(words[0]):  # where keys come slowly, what is half typed is searched for too
            begun.set()
            end.wait()
        yield from found(store, words, tool)

    monkeypatch.setattr(module, "find_calls", slow)
    app = rules_app(calls, rules)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("slash", *"slow")
        await until(pilot, begun.is_set)
        assert title(screen) == "Tool calls · 5", "the old rows stand until new ones come"
        await pilot.press("ctrl+l", *"ls")
        await until(pilot, lambda: title(screen) == "Tool calls · 1 of 5")
        end.set()
        await until(pilot, lambda: idle(app))
        assert title(screen) == "Tool calls · 1 of 5"


def test_what_is_found_is_told_as_it_comes_down_to_the_chosen_call(tmp_path: Path) -> None:
    path = put_calls(tmp_path / "many.db", *((("Bash", {"command": f"echo {at}"})) for at in range(400)))

    class Told:
        def __init__(self, store: Store) -> None:
            self.kept, self.told = store, list[Keys]()

        def store(self) -> Store:
            return self.kept

        def check(self) -> None:
            pass

        def partial(self, value: Keys) -> None:
            self.told.append(value)

    with open_store(path) as store:
        keys = call_keys(store)
        for keep, first in ((None, FIRST), (keys[10], FIRST), (keys[299], 300)):
            job = Told(store)
            found = read_keys("", "echo", keep)(cast("Job[Any]", job))
            assert (found.keys, found.every, found.whole, found.words) == (keys, 400, True, ("echo",))
            assert len(job.told[0].keys) == first
            assert [one.keys for one in job.told] == [keys[: first * 2**at] for at in range(len(job.told))]
            assert not any(one.whole for one in job.told)


def test_rows_know_where_a_call_stands_or_would_stand() -> None:
    every = CallRows(array("q", [9, 7, 4, 2]))
    found = CallRows(array("q", [9, 4]), every, ("push",))
    assert [every.place_of(key) for key in (9, 4, 5, 1, None)] == [0, 2, 2, 0, 0]
    assert [found.place_of(key) for key in (4, 7)] == [1, 0], "one that is not found is not guessed at"


async def test_esc_gives_up_a_picker_that_is_not_there_yet(
    calls: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = rules_app(calls, rules)
    async with app.run_test(size=WIDE) as pilot:
        screen = await opened(pilot, app)
        begun, end, ended = Event(), Event(), Event()
        every = screen.matching.all_rules()

        def slow(job: Job[Any]) -> object:
            begun.set()
            end.wait()
            try:
                return every(job)
            finally:
                ended.set()

        monkeypatch.setattr(screen.matching, "all_rules", lambda: slow)
        await pilot.press("w")
        await until(pilot, begun.is_set)
        await pilot.press("escape")
        end.set()
        await until(pilot, ended.is_set)
        await until(pilot, lambda: idle(app))
        assert app.screen is screen, "neither the picker came nor was the pane left"
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, PickRule))


def test_the_keys_of_the_pane_know_the_box() -> None:
    box = RulesNow("box", calls=True, rules=3, call=True, rule=True, query="git")
    assert BY_NAME["rules.edit"].enabled(box) == ""
    assert "Rules pane" in BY_NAME["rules.edit"].enabled(replace(box, calls=False))
    assert "find.clear" in {action.id for action, _ in footer(box)}
    assert ("find.focus", "slash") in {(action.id, key) for action, key in footer(replace(box, focus="rules"))}
