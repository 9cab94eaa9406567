"""A tool call with the session that it is from, and the rule that one reads of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.rules.matching.call import ToolCall
from core.store import open_store
from tests.tui.panes.rules.support import PUSH, RULES, answered, idle, opened, rules_app
from tests.tui.support import frame, told, until
from tui.actions.registry import BY_NAME
from tui.panes.rules.actions import RulesNow
from tui.render.ranking import Ranked, RuleKey
from tui.runtime.jobs import Job
from tui.screens.session import SessionScreen

PLACES = ("/home/mina/shop", "/home/mina/till")


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "memory.md"
    path.write_text(RULES, encoding="utf-8")
    return path


def casebook(tmp_path: Path, *commands: str) -> Path:
    """A session of twenty messages a command, whose call is the twelfth."""
    path = tmp_path / "c.db"
    with open_store(path, write=True, create=True) as store, store.transaction() as con:
        for at, command in enumerate(commands):
            session = f"s{at}"
            con.execute(
                "INSERT INTO session(id, agent, project, started) VALUES (?, 'plain', ?, '2026-03-13T09:00:00Z')",
                (session, PLACES[at]),
            )
            con.executemany(
                "INSERT INTO message(session_id, idx, role, kind, text, uuid, block, ts, sha256, chain, meta)"
                " VALUES (?, ?, 'assistant', 'text', ?, ?, 0, '2026-03-13T10:00:00Z', '00', 'main', 0)",
                [(session, idx, f"message number {idx}", f"{session}-{idx}") for idx in range(20)],
            )
            con.execute(
                "INSERT INTO tool_call(session_id, tool_use_id, name, input_json, call_idx)"
                " VALUES (?, 't', 'Bash', ?, 12)",
                (session, json.dumps({"command": command})),
            )
    return path


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_o_opens_the_session_of_the_call_at_its_message(
    tmp_path: Path, rules: Path, size: tuple[int, int]
) -> None:
    app = rules_app(casebook(tmp_path, PUSH), rules)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and idle(app))
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, SessionScreen) and "message 12 · 20 messages" in frame(app))
        assert "message number 12" in frame(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)


async def test_the_reasons_name_the_call_and_where_it_is_from(tmp_path: Path, rules: Path) -> None:
    app = rules_app(casebook(tmp_path, PUSH, "ls -la"), rules)
    async with app.run_test(size=(200, 50), notifications=True) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, "ls -la") and "no rule applies" in frame(app) and idle(app))
        assert "Call: Bash" in frame(app), "on the line of the cut-off too"
        assert "2026-03-13 till s1, message 12" in frame(app)
        assert "command  ls -la" in frame(app)
        lines = [line.strip(" │") for line in frame(app).split("\n")]
        assert not any(line.endswith((" project", " patterns")) for line in lines), "what says nothing is left out"
        await pilot.press("j")
        await until(pilot, lambda: answered(screen, PUSH) and idle(app))
        await until(pilot, lambda: "2026-03-13 shop s0, message 12  o opens the session" in frame(app))
        await pilot.press("N", "f3")
        await until(pilot, lambda: screen.rank.rows.has_focus and answered(screen, PUSH) and idle(app))
        assert "message 12" not in frame(app), "a typed call has no session"
        await pilot.press("o")
        await until(pilot, lambda: told(app, "has no session"))


async def test_the_same_call_of_another_session_is_from_there(tmp_path: Path, rules: Path) -> None:
    path = casebook(tmp_path, PUSH, PUSH)
    with open_store(path, write=True) as store, store.transaction() as con:
        con.execute("UPDATE session SET project = '/home/mina/shop'")
    app = rules_app(path, rules)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and "shop s1, message 12" in frame(app))
        await pilot.press("j")
        await until(pilot, lambda: "shop s0, message 12" in frame(app))


def test_what_is_no_call_of_a_session_says_so() -> None:
    possible = BY_NAME["rules.session"].enabled
    here = RulesNow("rules", call=True, call_kept=True)
    assert possible(here) == "", "rules or none"
    assert "typed" in possible(replace(here, call_kept=False))
    assert "Select a tool call" in possible(RulesNow("rules"))


async def test_the_rule_one_reads_stays_in_sight_when_a_newer_match_does_not_list_it(
    tmp_path: Path, rules: Path
) -> None:
    app = rules_app(casebook(tmp_path, PUSH), rules)
    async with app.run_test(size=(200, 50)) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and idle(app))
        ranking, lost = screen.matching.rank, "ERR-004"

        def rank(call: ToolCall | None, before: Ranked | None, pinned: RuleKey | None, **more: Any) -> Any:
            work = ranking(call, before, pinned, **more)

            def joined(job: Job[Any]) -> Ranked | None:
                found = work(job)
                assert found is not None
                match = found.match
                left = [tuple(one for one in many if one.id != lost) for many in (match.rules, match.below)]
                return replace(found, match=replace(match, rules=left[0], below=left[1]))

            return joined

        await pilot.press("enter", "j")
        await until(pilot, lambda: screen.rank.chosen is not None and screen.rank.chosen.id == lost and idle(app))
        await pilot.press("escape")
        screen.matching.rank = rank  # as the model that joins
        screen.asking.match(None)
        await until(pilot, lambda: screen.rank.ranked is not None and screen.rank.ranked.pinned is not None)
        await until(pilot, lambda: idle(app))
        assert screen.rank.chosen is not None and screen.rank.chosen.id == lost
        assert "? " in frame(app) and "Push over the branch of others" in frame(app)
        assert str(screen.why.border_title).startswith("Reasons for exclusion")
        await pilot.press("enter", "k")
        await until(pilot, lambda: screen.rank.chosen is None or screen.rank.chosen.id != lost)
        screen.asking.match(None)
        await until(pilot, lambda: screen.rank.ranked is not None and screen.rank.ranked.pinned is None and idle(app))
