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
