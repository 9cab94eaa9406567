"""Toasts do not stack: what a key leads to replaces what was said before it."""

from __future__ import annotations

from tui.terminal.display import OneToast


def said(app: OneToast) -> list[str]:
    return [str(one.message) for one in app._notifications]


async def test_a_toast_replaces_those_from_before_the_key() -> None:
    app = OneToast()
    async with app.run_test(notifications=True) as pilot:
        app.notify("read-only")
        app.notify("no model")
        await pilot.pause()
        assert said(app) == ["read-only", "no model"], "nobody has read them yet"
        for told in ("undone: 1", "undone: 2"):
            await pilot.press("u")
            app.notify(told)
            await pilot.pause()
            assert said(app) == [told]


async def test_an_error_stays_until_another_one() -> None:
    app = OneToast()
    async with app.run_test(notifications=True) as pilot:
        app.notify("the disk is full", severity="error")
        await pilot.press("x")
        app.notify("copied")
        await pilot.pause()
        assert said(app) == ["the disk is full", "copied"]
        await pilot.press("x")
        app.notify("the file is gone", severity="error")
        await pilot.pause()
        assert said(app) == ["the file is gone"]


async def test_what_comes_without_a_key_shares_one_toast() -> None:
    app = OneToast()
    async with app.run_test(notifications=True) as pilot:
        for told in ("Set up: 2 agents with hooks.", "Import done: 3 files.", "Set up: 2 agents with hooks."):
            app.notify_below(told, timeout=3_600)
            await pilot.pause()
        assert said(app) == ["Import done: 3 files.\nSet up: 2 agents with hooks."]
        await pilot.press("x")
        app.notify_below("Semantic search ready", timeout=3_600)
        await pilot.pause()
        assert said(app) == ["Semantic search ready"]


async def test_an_error_does_not_share_a_toast() -> None:
    app = OneToast()
    async with app.run_test(notifications=True) as pilot:
        app.notify("the disk is full", severity="error")
        await pilot.pause()
        app.notify_below("Import done: 3 files.", timeout=3_600)
        await pilot.pause()
        assert said(app) == ["the disk is full", "Import done: 3 files."]
