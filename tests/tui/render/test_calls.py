"""A tool's call in the session screen: laid out for a person, inert, cut with how much is left."""

from __future__ import annotations

import json

from core.errors import SourceMessage
from tui.render.common.glyphs import UNICODE
from tui.render.common.session import MAX_CHARS, Marks, draw_line, lines_of, whole_text


def call(text: str) -> SourceMessage:
    return SourceMessage(7, "assistant", "tool_use", "Edit", text, "2026-03-01T10:00:00.000Z", "main")


def test_an_edit_is_drawn_as_a_patch_in_two_tones() -> None:
    text = json.dumps({"file_path": "/shop/a.py", "old_string": "x = 1", "new_string": "x = '\x1b[31m둘'"})
    drawn = lines_of([call(text)], 40, Marks())
    assert [(line.sign, line.text) for line in drawn if line.kind == "text"] == [
        ("@", "/shop/a.py"),
        ("-", "- x = 1"),
        ("+", "+ x = '␛[31m둘'"),
    ]
    tones = {line.sign: draw_line(line, 40, UNICODE).spans[-1].style for line in drawn if line.sign}
    assert tones["+"] != tones["-"]
    assert whole_text(call(text)).split("\n")[1] == "- x = 1"


def test_a_long_call_is_cut_and_says_how_much_is_left() -> None:
    text = json.dumps({"file_path": "a", "content": "\n".join(f"line {number}" for number in range(2_000))})
    drawn = lines_of([call(text)], 40, Marks())
    assert sum(len(line.text) for line in drawn) < MAX_CHARS + 200
    (more,) = [line.text for line in drawn if line.kind == "more"]
    left = int(more.split()[0].replace(",", ""))
    assert abs(left + MAX_CHARS - len(whole_text(call(text)))) < 40
    assert "line 1999" in whole_text(call(text))


def test_a_command_stays_a_command() -> None:
    drawn = lines_of([call("npm test\n--watch")], 40, Marks())
    assert [line.text for line in drawn if line.kind == "text"] == ["npm test", "--watch"]
