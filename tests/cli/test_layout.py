"""Lines that fit: measured in cells, broken between words, inert."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.format.layout import clip, counted, one_line, pad, width, wrap
from cli.output import Output
from cli.progress import reporter
from core.base.reports import Progress

ANY = st.text(st.characters(codec=None), max_size=300)


@given(ANY, st.integers(10, 100))
def test_wrapped_lines_fit_are_inert_and_lose_nothing_but_blanks(text: str, cells: int) -> None:
    lines = list(wrap(text, cells))
    assert all(width(line) <= cells for line in lines)
    assert not any(c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" for line in lines for c in line)
    shown = one_line(text).replace("⏎", "").replace(" ", "")
    assert "".join(lines).replace(" ", "") == shown


@given(ANY, st.integers(1, 60))
def test_clipped_text_is_one_line_that_fits(text: str, cells: int) -> None:
    line = clip(text, cells)
    assert width(line) <= cells
    assert "\n" not in line
    assert width(pad(text, cells)) == cells


def test_hangul_takes_two_cells() -> None:
    assert width("모듈") == 4
    assert clip("모듈을 찾을 수 없습니다", 8) == "모듈을…"
    assert list(wrap("모듈을 찾을 수 없습니다", 12)) == ["모듈을 찾을", "수 없습니다"]


def test_own_breaks_and_indents_are_kept() -> None:
    text = "Run:\n    npm install --save-dev typescript\n\nthen again"
    assert list(wrap(text, 24, "  ")) == [
        "  Run:",
        "      npm install",
        "      --save-dev",
        "      typescript",
        "  ",
        "  then again",
    ]
    assert list(wrap("x" * 25, 10)) == ["x" * 10, "x" * 10, "x" * 5]


def test_a_huge_line_costs_little() -> None:
    assert len(clip("x" * 50_000_000, 80)) == 80


def test_one_of_a_thing_is_no_plural() -> None:
    told = [counted(count, what) for count, what in ((0, "file"), (1, "file"), (1_000, "file"), (1, "fix"), (2, "fix"))]
    assert told == ["0 files", "1 file", "1,000 files", "1 fix", "2 fixes"]


def test_an_answer_stands_alone_after_progress_that_did_not_finish(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    report = reporter(Output())
    assert report is not None
    report(Progress("pull", 58, 100, 1.0, None, "model.onnx"))
    assert capsys.readouterr().err == "\r\x1b[Kpull 58 %  model.onnx"
    Output().result(None, ["Stopped."])
    assert capsys.readouterr() == ("Stopped.\n", "\r\x1b[K")
