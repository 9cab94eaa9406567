"""A hook's payload pasted where one types a call: its call is ranked, not the payload."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual import events

from tests.tui.panes.rules.support import CALLS, PUSH, RULES, answered, idle, ids, opened, put_calls, rules_app
from tests.tui.support import frame, until

PAYLOAD = {
    "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w/shop", "tool_name": "Bash",
    "tool_input": {"command": PUSH},
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
@pytest.mark.parametrize(("into", "indent"), [("tool", None), ("tool", 2), ("json", 2)])
async def test_a_pasted_payload_is_taken_apart(
    tmp_path: Path, size: tuple[int, int], into: str, indent: int | None
) -> None:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", CALLS[1]), rules)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("n")
        await until(pilot, lambda: screen.calls.typed.has_focus_within)
        if into == "json":
            await pilot.press(*"Write", "tab")
        app.post_message(events.Paste(json.dumps(PAYLOAD, indent=indent)))
        await until(pilot, lambda: answered(screen, PUSH) and ids(screen)[:1] == ["ERR-001"] and idle(app))
        assert screen.calls.typed.text == ("Bash", json.dumps({"command": PUSH}, indent=1))
        await until(pilot, lambda: "from a hook payload" in " ".join(frame(app).split()))
        assert screen.asking.project == "/w/shop", "the rules that hold are those of its folder"
        await pilot.press("space")
        await until(pilot, lambda: "the ranking for this call" in frame(app) and idle(app))


async def test_a_name_is_pasted_as_one_line(tmp_path: Path) -> None:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", CALLS[1]), rules)
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("n")
        await until(pilot, lambda: screen.calls.typed.has_focus_within)
        app.post_message(events.Paste(" Ba\x1b[31msh\n"))
        await until(pilot, lambda: screen.calls.typed.text[0].startswith("Ba"))
        assert "\x1b" not in screen.calls.typed.text[0] and "\n" not in screen.calls.typed.text[0]


async def test_the_box_has_the_focus_before_the_screen_is_drawn_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", CALLS[1]), rules)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot, app)
        monkeypatch.setattr(screen, "call_after_refresh", lambda *_call, **_rest: True)
        for key in "nread":
            app.post_message(events.Key(key, key))
        await until(pilot, lambda: screen.calls.typed.text == ("read", ""))


async def test_what_is_typed_behind_a_call_that_is_taken_goes_into_the_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", CALLS[1]), rules)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot, app)
        monkeypatch.setattr(screen, "call_after_refresh", lambda *_call, **_rest: True)
        before = screen.calls.typed.text
        for key in ("N", "x", "y"):
            app.post_message(events.Key(key, key))
        await until(pilot, lambda: "xy" in screen.calls.typed.text[1])
        assert screen.calls.typed.text != before


async def test_what_is_too_long_for_the_box_is_refused_and_not_cut(tmp_path: Path) -> None:
    rules = tmp_path / "memory.md"
    rules.write_text(RULES, encoding="utf-8")
    app = rules_app(put_calls(tmp_path / "calls.db", CALLS[1]), rules)
    async with app.run_test(size=(120, 34)) as pilot:
        screen = await opened(pilot, app)
        await pilot.press("n", "B", "a", "s", "h", "enter", "{")
        await until(pilot, lambda: screen.calls.typed.text == ("Bash", "{"))
        app.post_message(events.Paste(json.dumps({"command": "x" * 340_000})))
        await until(pilot, lambda: "too long: 340,0" in frame(app))
        assert screen.calls.typed.text == ("Bash", "{"), "nothing of it was taken"
        await pilot.press("}")
        await until(pilot, lambda: "too long" not in frame(app))
