"""Labels in two windows: what one says is seen in the other, and nobody takes back what they do not see."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.rules.evaluation.labels import Label, label_file, label_of, put_label
from core.rules.matching.call import ToolCall
from tests.tui.panes.rules.support import CALLS, PUSH, RULES, answered, idle, ids, opened, put_calls, rules_app
from tests.tui.support import frame, told, until
from tui.panes.rules.tables import TableScreen

LARGE = (200, 50)
CALL = ToolCall(*CALLS[-1])


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    (tmp_path / "memory.md").write_text(RULES, encoding="utf-8")
    return label_file(put_calls(tmp_path / "calls.db", *CALLS))


async def test_what_is_said_in_another_window_comes_by_itself(tmp_path: Path, labels: Path) -> None:
    app = rules_app(tmp_path / "calls.db", tmp_path / "memory.md")
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and ids(screen)[:1] == ["ERR-001"] and idle(app))
        await pilot.press("enter", "j")
        await until(pilot, lambda: screen.rank.chosen is not None and screen.rank.chosen.id == "ERR-004" and idle(app))
        put_label(labels, CALL, "ERR-001", "right")
        await until(pilot, lambda: "labeled: ERR-001 right" in frame(app) and "✓" in frame(app))
        assert screen.rank.chosen is not None and screen.rank.chosen.id == "ERR-004", "the cursor stays"
        put_label(labels, CALL, "ERR-001", "right")
        await until(pilot, lambda: "labeled" not in frame(app))


async def test_what_is_said_of_one_of_two_rules_with_an_id_is_not_said_of_the_other(
    tmp_path: Path, labels: Path
) -> None:
    (tmp_path / "memory.md").write_text(RULES.replace("ERR-004", "ERR-001"), encoding="utf-8")
    app = rules_app(tmp_path / "calls.db", tmp_path / "memory.md")
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and ids(screen) == ["ERR-001"] and idle(app))
        await pilot.press("enter", "G", "x")
        second = "ERR-001: Push over the branch of others"
        await until(pilot, lambda: label_of(labels, CALL) == Label((), (second,)) and idle(app))
        rows = screen.rank.rows.rows
        assert [getattr(rows.get(at), "label", None) for at in range(rows.total)] == ["", None, "wrong"]
        await pilot.press("g", "r")
        first = "ERR-001: Force push over a shared branch"
        await until(pilot, lambda: label_of(labels, CALL) == Label((first,), (second,)) and idle(app))
        await until(pilot, lambda: f"Labeled: {first} right here (repeat to remove)" in frame(app))
        await pilot.press("v")
        await until(pilot, lambda: "1 of 1 labeled calls right" in frame(app) and idle(app))


async def test_what_is_not_on_the_screen_is_not_taken_back(
    tmp_path: Path, labels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.panes.rules.queries.INTERVAL", 3600.0)
    app = rules_app(tmp_path / "calls.db", tmp_path / "memory.md")
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and ids(screen)[:1] == ["ERR-001"] and idle(app))
        put_label(labels, CALL, "ERR-001", "right")
        await pilot.press("r")
        await until(pilot, lambda: told(app, "labeled elsewhere") and idle(app))
        assert label_of(labels, CALL) == Label(("ERR-001",)), "no change"
        assert "labeled: ERR-001 right" in frame(app), "but the screen"
        await pilot.press("r")
        await until(pilot, lambda: "ERR-001: label removed" in frame(app))
        assert label_of(labels, CALL) is None


async def test_what_one_said_a_moment_ago_counts_as_seen(tmp_path: Path, labels: Path) -> None:
    app = rules_app(tmp_path / "calls.db", tmp_path / "memory.md")
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and ids(screen)[:1] == ["ERR-001"] and idle(app))
        for verdict in ("right", "wrong", "right"):
            screen.acts.perform(f"rules.{verdict}")
        await until(pilot, lambda: "ERR-001 right here" in frame(app) and idle(app))
        assert label_of(labels, CALL) == Label(("ERR-001",))
        assert not told(app, "labeled elsewhere")


async def test_a_label_is_never_that_of_the_call_before(tmp_path: Path, labels: Path) -> None:
    app = rules_app(tmp_path / "calls.db", tmp_path / "memory.md")
    async with app.run_test(size=LARGE, notifications=True) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and ids(screen)[:1] == ["ERR-001"] and idle(app))
        screen.calls.rows.choose(1)
        screen.acts.perform("rules.right")  # the list is at the next call, and its rules are still to come
        await until(pilot, lambda: told(app, "The call is still loading") and screen.asking.settled and idle(app))
        assert not labels.exists()


async def test_what_was_said_to_be_wrong_counts_in_the_comparison_as_that_alone(tmp_path: Path, labels: Path) -> None:
    put_label(labels, CALL, "ERR-001", "wrong")
    app = rules_app(tmp_path / "calls.db", tmp_path / "memory.md")
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and ids(screen)[:1] == ["ERR-001"] and idle(app))
        await pilot.press("v")
        await until(
            pilot, lambda: isinstance(app.screen, TableScreen) and "1 call with a “wrong” label only" in frame(app)
        )
        names, first = frame(app).split("\n")[1:3]
        assert first.index("1.00", names.index("wrong")) == names.index("wrong") + 1, "below the name of its column"
        assert "quiet    no such labels yet" in frame(app)
        assert "wrong    1.00   1 of 1" in frame(app)
        await pilot.press("G")
        await until(pilot, lambda: "shows a rule labeled wrong" in frame(app))
        assert "not ERR-001 → ERR-001" in frame(app)


async def test_the_comparison_says_which_line_of_the_labels_is_broken(tmp_path: Path, labels: Path) -> None:
    put_label(labels, CALL, "ERR-001", "right")
    with labels.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    app = rules_app(tmp_path / "calls.db", tmp_path / "memory.md")
    async with app.run_test(size=LARGE) as pilot:
        screen = await opened(pilot, app)
        await until(pilot, lambda: answered(screen, PUSH) and ids(screen)[:1] == ["ERR-001"] and idle(app))
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and "1 warning (see details)" in frame(app))
        assert "! line 2 of the labels cannot be read" in frame(app)
