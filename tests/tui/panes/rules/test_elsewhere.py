"""While another program embeds, the ranking shows what there is, says so, and becomes whole by itself."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.store import jobs, open_store
from tests.tui.panes.rules.support import PUSH, RULES, answered, idle, opened
from tests.tui.panes.rules.test_meaning import an_app, at_home, told_of
from tests.tui.support import frame, until
from tui.panes.rules import matching
from tui.panes.rules.queries import Matching
from tui.panes.rules.screen import RulesScreen
from tui.shell.app import CasebookApp

__all__ = ["at_home"]
SAID = "another process is embedding"
TITLE, OTHER = "Force push over a shared branch", "Letters fell off the sign"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Each ranking that is asked for, and whether it is one of those again."""
    given, rank = list[bool](), Matching.rank

    def counted(*args: object, again: bool = False) -> Callable[..., object]:
        given.append(again)
        return rank(*args, again=again)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Matching, "rank", counted)
    monkeypatch.setattr(matching, "_ELSEWHERE", 0.02)
    monkeypatch.setattr(matching, "_LONGEST", 0.05)
    return given


@contextmanager
def embedding(casebook: Path) -> Generator[None]:
    """Another program has the one place to embed."""
    with open_store(casebook, write=True) as store:
        job = jobs.begin(store, "embed")
        assert job is not None
        yield
        assert jobs.finish(store, job)


def similar(screen: RulesScreen, rule: str) -> bool | None:
    """Whether a rule of the ranking was compared by meaning; None: it is not in it."""
    ranked = screen.rank.ranked
    assert ranked is not None
    there = (*ranked.match.rules, *ranked.match.below)
    return next((one.similarity is not None for one in there if one.id == rule), None)


async def whole(pilot: Pilot[None], app: CasebookApp, screen: RulesScreen, call: str = PUSH) -> None:
    await until(
        pilot,
        lambda: (
            "is closest" in told_of(screen, call) and "process is embedding" not in told_of(screen, call) and idle(app)
        ),
    )


async def test_an_edit_while_another_program_embeds(tmp_path: Path, at_home: None, asked: list[bool]) -> None:
    app, rules = an_app(tmp_path)
    async with app.run_test(size=(200, 60)) as pilot:
        screen = await opened(pilot, app)
        await whole(pilot, app, screen)
        with embedding(app.jobs.path):
            asked.clear()
            rules.write_text(RULES.replace(TITLE, OTHER), encoding="utf-8")
            await until(pilot, lambda: "process is embedding" in told_of(screen, PUSH) and sum(asked) >= 3)
            assert SAID in frame(app)
            assert screen.rank.chosen is not None
            assert screen.rank.chosen.id == "ERR-001"
            await until(pilot, lambda: "out of date (not compared)" in frame(app))
            assert "1 of 4 rules has no up-to-date vector" in told_of(screen, PUSH)
            assert (similar(screen, "ERR-001"), similar(screen, "ERR-004")) == (False, True)
            ranked = screen.rank.ranked
            count = len(asked)
            await until(pilot, lambda: len(asked) >= count + 3)
            assert screen.rank.ranked is ranked, "who reads it is not disturbed"
            assert not screen.rank.message
        await whole(pilot, app, screen)
        assert SAID not in frame(app)
        assert similar(screen, "ERR-001") is True
        assert screen.rank.message, "what moved since the last whole ranking is told"


async def test_the_first_ranking_while_another_program_embeds_and_the_next_call(
    tmp_path: Path, at_home: None, asked: list[bool]
) -> None:
    app, _ = an_app(tmp_path)
    async with app.run_test(size=(200, 50)) as pilot:
        with embedding(app.jobs.path):
            await pilot.press("alt+3")
            await until(pilot, lambda: isinstance(app.screen, RulesScreen))
            screen = app.screen
            assert isinstance(screen, RulesScreen)
            await until(
                pilot, lambda: "4 of 4 rules have no up-to-date vector" in told_of(screen, PUSH) and SAID in frame(app)
            )
            await until(pilot, lambda: sum(asked) >= 8)  # more often than a model that fails is asked
            await pilot.press("j")
            await until(pilot, lambda: "4 of 4 rules have" in told_of(screen, "ls -la"))
            assert answered(screen, "ls -la")
        await whole(pilot, app, screen, "ls -la")


async def test_who_leaves_the_pane_waits_for_nothing(tmp_path: Path, at_home: None, asked: list[bool]) -> None:
    app, _ = an_app(tmp_path)
    async with app.run_test(size=(200, 50)) as pilot:
        with embedding(app.jobs.path):
            await pilot.press("alt+3")
            await until(pilot, lambda: sum(asked) >= 3)
            await pilot.press("alt+1")
            await until(pilot, lambda: not isinstance(app.screen, RulesScreen) and idle(app))
