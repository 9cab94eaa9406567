"""The hostile texts of `tests/data/hostile.jsonl`, and what must hold of them on a screen: inert, and shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from textual.widget import Widget

from core.text import visible
from tests.tui.support import frame, screen_rows
from tui.shell.app import CasebookApp

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "hostile.jsonl").read_text(encoding="utf-8").split("\n")
    if line
]
"""Each has a `kind` and a `text`; a huge one says how many `times` its text comes."""

KINDS = {row["kind"] for row in ROWS}
CORPUS: tuple[str, ...] = tuple(row["text"] * row.get("times", 1) for row in ROWS)
STORED: tuple[str, ...] = tuple(text.encode("utf-8", "replace").decode() for text in CORPUS)
"""As SQLite keeps them: without lone surrogates."""

DANGEROUS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def of_kinds(*kinds: str) -> tuple[str, ...]:
    """The texts of these kinds."""
    return tuple(text for row, text in zip(ROWS, CORPUS, strict=True) if row["kind"] in kinds)


def few(each: int = 3) -> tuple[str, ...]:
    """Some texts of every kind, for what is slow."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for row, text in zip(ROWS, STORED, strict=True):
        seen[row["kind"]] = seen.get(row["kind"], 0) + 1
        if seen[row["kind"]] <= each:
            found.append(text)
    return tuple(found)


def assert_inert(app: CasebookApp) -> None:
    """No character on the screen may do anything to a terminal."""
    assert_inert_text(frame(app))


def assert_inert_text(text: str) -> None:
    """No character of it may do anything to a terminal."""
    found = DANGEROUS.search(text)
    assert found is None, ascii(text[max(0, found.start() - 20) : found.start() + 20])


def letters(text: str) -> str:
    """Without the blanks that wrapping and padding change."""
    return "".join(text.split())


def drawn(app: CasebookApp, widget: Widget) -> str:
    """What the screen shows where this part's content is, a line a row; all of the screen must be inert."""
    return drawn_each(app, [widget])[0]


def drawn_each(app: CasebookApp, widgets: Iterable[Widget]) -> list[str]:
    """The same of several parts, for one drawing of the screen; all of it must be inert."""
    strips = screen_rows(app)
    assert_inert_text("\n".join(strip.text for strip in strips))
    found: list[str] = []
    for widget in widgets:
        area = widget.content_region.intersection(widget.screen.region)
        rows = strips[area.y : area.bottom]
        found.append("\n".join(strip.crop(area.x, area.right).text for strip in rows))
    return found


def is_literal(text: str, where: str, most: int = 24) -> bool:
    """Whether the beginning of a text is there, sign by sign, as `visible` shows it."""
    return letters(visible(text[:200]))[:most] in letters(where)


def assert_literal(text: str, where: str, most: int = 24) -> None:
    """The beginning of a text is there."""
    assert is_literal(text, where, most), (ascii(text[:most]), ascii(where[:400]))


def assert_all_literal(texts: Iterable[str], where: str, most: int = 24) -> None:
    """The beginning of each is there."""
    for text in texts:
        assert_literal(text, where, most)
