"""A view as an SVG and as Markdown: well-formed, loading nothing, without paths, user names and secrets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from core.flows.insights.pictures import (
    Block,
    Picture,
    Row,
    markdown_of,
    owners_in,
    picture_of_worked,
    shareable,
    side_words,
    svg_of,
    weeks_line,
)
from core.flows.insights.report import NO_PROOF, Side, Worked, WorkedItem, WorkedWeek

_SECRET = "ghp_Zk3vQ9xT7bLw2RfYp8sNcH4mJd6GaE1uXo5i"
_HOSTILE = f"open /home/mireille/shop/a.py: <b>&\x1b[2J\x00\ud800 {_SECRET} for MIREILLE"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("open /Users/soph/go/pkg/x.mod: denied", "open <path>: denied"),
        ("at ~/shop/a.py and ~ann/b", "at <path> and <path>"),
        ("C:\\Users\\ann\\shop\\a.py(3)", "<path>(3)"),
        ("\\\\server\\share\\ann", "<path>"),
        ("in '/work/shop/src/a.py'", "in '<path>'"),
        ("see file:///home/ann/x.html", "see <path>"),
        ("stat ./cmd/entire/...: no such file", "stat ./cmd/entire/...: no such file"),
        ("src/app.ts:3 and/or 1 / 2", "src/app.ts:3 and/or 1 / 2"),
        ("GET https://example.com/a/b", "GET https://example.com/a/b"),
        ("mail ann@example.com", "mail <email>"),
        ("clone git@github.com:acme/shop.git", "clone git@github.com:acme/shop.git"),
        ("PATH=/usr/bin:/home/ann/bin x", "PATH=<path>:<path> x"),
    ],
)
def test_a_text_without_paths(text: str, shown: str) -> None:
    assert shareable(text) == shown


def test_names_of_home_folders_go_wherever_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "kimberly")
    owners = owners_in(["a /home/mireille/x", "-Users-soph-shop", "/home/root/x"])
    assert {"mireille", "soph", "kimberly"} <= owners and "root" not in owners
    assert shareable("Soph, mireille_2 and kimberly at root", owners) == "<user>, <user>_2 and <user> at root"
    assert shareable("sophia", owners) == "sophia"


def _picture() -> Picture:
    rows = (Row(60, "60 min", "3×", _HOSTILE), Row(0, "0 min", "1×", "a" * 5_000))
    strip = (Block(1.0, "red"), Block(0.5, "green"), Block(0.1, "dim")) * 100
    return Picture("Worst", "all weeks, /home/mireille/shop", rows, ("note",), strip)


def test_a_picture_is_well_formed_and_tells_nothing_of_its_computer(tmp_path: Path) -> None:
    svg = svg_of(_picture())
    (tmp_path / "a.svg").write_text(svg)
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    shown = "".join(root.itertext())
    assert "open <path>: <b>&" in shown and "60 min" in shown and "note" in shown
    for gone in ("mireille", "MIREILLE", "/home", _SECRET, "\x1b", "href", "url(", "http://", "script"):
        assert gone not in svg.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert len(root.findall("{http://www.w3.org/2000/svg}rect")) == 1 + 300 + 3


def test_markdown_goes_through_the_same_door() -> None:
    text = markdown_of(_picture())
    assert "mireille" not in text.lower() and "/home" not in text and _SECRET not in text
    assert "| 60 min | 3× | open &lt;path>: &lt;b>&" in text


def _item() -> WorkedItem:
    weeks = (WorkedWeek("2026-01-05", 4, 0, 9), WorkedWeek("2026-01-12", 0, 0, 3), WorkedWeek("2026-01-19", 2, 1, 5))
    later = (WorkedWeek("2026-01-26", 0, 0, 2), WorkedWeek("2026-02-02", 0, 2, 2))
    return WorkedItem(
        "lesson", 1, 7, "Error: x", "do y", "2026-01-21T12:00:00Z", before=Side(6, 3, 12), after=Side(3, 2, 7),
        by_week=weeks + later,
    )  # fmt: skip


def test_the_weeks_have_the_decision_between_them() -> None:
    assert weeks_line(_item()) == "█·▄|▂·▄"
    assert weeks_line(_item(), ascii_only=True) == "4.2|1.2"


def test_a_decision_says_it_is_no_proof() -> None:
    svg = svg_of(picture_of_worked(Worked(None, (_item(),)), "all projects"))
    assert NO_PROOF in svg and "3 after" in svg and "6 before" in svg
    fresh = svg_of(picture_of_worked(Worked(None, (replace(_item(), after=Side(0, 0, 0)),)), "all projects"))
    assert "no session" in fresh and "0 after" not in fresh, "nothing has happened since"
    assert side_words(Side(1, 1, 7), "incident") == "1 incident in 1 of 7 sessions"
    assert side_words(Side(0, 0, 0), "incident") == "no session"
