"""Esc alone is Esc at once; with more behind it, it is the beginning of another key."""

from __future__ import annotations

from textual import events

from tui.terminal.keyboard import LoneEscape


def heard(*parts: str, more: bool) -> list[str]:
    parser = LoneEscape(more=lambda: more)
    return [event.key for part in parts for event in parser.feed(part) if isinstance(event, events.Key)]


def test_alone_it_is_told_without_waiting_for_the_clock() -> None:
    assert heard("a\x1b", more=False) == ["a", "escape"]
    assert heard("\x1b", "x", more=False) == ["escape", "x"]


def test_with_more_behind_it_it_begins_another_key() -> None:
    assert heard("\x1b", "[A", more=True) == ["up"]
    assert heard("\x1b[A", "\x1bOP", more=False) == ["up", "f1"]


def test_within_a_paste_it_is_text() -> None:
    assert heard("\x1b[200~one\x1b", "two\x1b[201~", more=False) == []
