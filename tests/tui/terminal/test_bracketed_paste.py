"""What a terminal sends of a paste, in whatever parts it comes: one text, whole, and no keys."""

from __future__ import annotations

from itertools import pairwise

import pytest
from textual import events

from tui.terminal.keyboard import PasteParser

HOSTILE = "\x1b[31mboom\x1b[0m\nq \x1b\x1b[20 \x1b[200~ \x1b]52;c;eA==\x07 한글 \x1b"


def heard(*parts: str) -> list[str]:
    """What the parts come to: pastes as `paste:…`, keys by name."""
    parser = PasteParser()
    found = [event for part in parts for event in parser.feed(part)]
    return [f"paste:{one.text}" if isinstance(one, events.Paste) else getattr(one, "key", "") for one in found]


@pytest.mark.parametrize("text", ["boom", HOSTILE, HOSTILE * 50, "\x1b", "\x1b[201"])
def test_a_paste_is_text_whatever_it_holds(text: str) -> None:
    assert heard(f"a\x1b[200~{text}\x1b[201~b") == ["a", f"paste:{text}", "b"]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_it_may_come_in_parts_of_any_size(size: int) -> None:
    sent = f"a\x1b[200~{HOSTILE}\x1b[201~b\x1b[200~{HOSTILE}\x1b[201~\x1b[A"
    ends = [*range(0, len(sent), size), len(sent)]
    parts = [sent[start:end] for start, end in pairwise(ends)]
    assert heard(*parts) == ["a", f"paste:{HOSTILE}", "b", f"paste:{HOSTILE}", "up"]


@pytest.mark.parametrize("end", ["\r", "\n"])
def test_lines_that_wait_at_the_first_read_are_a_paste(end: str) -> None:
    lines = f"$ make{end}cmd/a.go:3: undefined: x{end}u"
    pasted = "paste:" + lines.replace("\r", "\n")
    assert heard(lines) == [pasted]
    assert heard("\x1b[?2026;2$y", lines)[-1] == pasted, "the terminal's answer is no text"
    assert heard("x", lines)[:2] == ["x", "dollar_sign"], "from then on it marks them"
    assert heard(f"make{end}") == ["m", "a", "k", "e", "enter" if end == "\r" else "ctrl+j"], "one line was typed"


def test_what_is_no_paste_is_parsed_at_once() -> None:
    assert heard("\x1b[A", "x", "\x1b[", "B") == ["up", "x", "down"]
    parser = PasteParser()
    assert not list(parser.feed("\x1b[200~never ended"))
    assert not list(parser.feed("")), "the end of the input is no fault"
