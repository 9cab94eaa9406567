"""Lines that fit: measured in cells, broken between words, inert; whole in a pipe; as the environment says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.format.cases import markdown_field
from cli.format.layout import clip, counted, one_line, pad, width, wrap
from cli.output import Output
from cli.progress import reporter
from core.base.fault import Fault
from core.base.reports import Progress

Run = Callable[..., Any]
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


LONG = "Error: cannot read the configuration of the service " + "at a place with a very long name " * 5 + "한글 끝"
FIX = "Run `make` **first**:\n\n```sh\nmake " + "--with-an-option " * 12 + "last\n```\n"


@pytest.fixture
def filled(run: Run, tmp_path: Path) -> Run:
    """A casebook with one long error, its fix, and forty others."""
    lines = [
        {"error": LONG, "resolution": FIX},
        *({"error": f"Error: {'abcdefgh'[n % 8] * (n + 3)}"} for n in range(40)),
    ]
    (tmp_path / "x.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert run("errors", "import", str(tmp_path / "x.jsonl")).code == 0
    return run


def test_nothing_is_cut_or_wrapped_in_a_pipe(filled: Run) -> None:
    assert any(line.endswith(f"  {LONG}") for line in filled("errors", "list").text.splitlines())
    shown = filled("errors", "show", "1").text.splitlines()
    assert f"  error        {LONG}" in shown
    assert sum("--with-an-option" in line for line in shown) == 1
    assert f"  error        {LONG}" in filled("errors", "search", LONG).text.splitlines()


def test_the_width_is_obeyed_everywhere(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    assert all(len(line) <= 72 for line in filled("errors", "list").text.splitlines())
    for endless in ("0", "9" * 5000):
        monkeypatch.setenv("COLUMNS", endless)
        assert LONG in filled("errors", "list").text


@pytest.mark.parametrize("name", ["FORCE_COLOR", "CLICOLOR_FORCE"])
def test_color_is_forced_and_forbidden(filled: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert "\x1b[" not in filled("errors", "show", "1").text
    monkeypatch.setenv(name, "0")
    assert "\x1b[" not in filled("errors", "show", "1").text
    monkeypatch.setenv(name, "1")
    assert "\x1b[1mCase 1" in filled("errors", "show", "1").text
    assert "\x1b" not in filled("errors", "show", "1", "--json").text
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in filled("errors", "show", "1").text


def test_markdown_is_drawn_with_colors_and_its_code_stays_whole(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    text = filled("errors", "show", "1").text
    assert "**" not in text
    assert "\x1b[1mfirst\x1b[0m" in text
    (code,) = (line for line in text.splitlines() if "--with-an-option" in line)
    assert "last" in code


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_a_result_longer_than_the_screen_goes_to_the_pager(filled: Run, home: Path) -> None:
    import pty

    def on_a_terminal(*args: str) -> str:
        outer, inner = pty.openpty()
        env = {
            **os.environ,
            "PAGER": "sed s/^/paged:/",
            "LINES": "24",
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "TERM": "xterm",
        }
        env["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
        with subprocess.Popen([sys.executable, "-m", "cli", *args], stdin=inner, stdout=inner, env=env, cwd=home):
            os.close(inner)
            found = b""
            while True:
                try:
                    part = os.read(outer, 65536)
                except OSError:  # Linux: nobody holds the other end any more
                    break
                if not part:
                    break
                found += part
        os.close(outer)
        return found.decode()

    assert sum(line.startswith("paged:") for line in on_a_terminal("errors", "list").splitlines()) > 24
    assert "paged:" not in on_a_terminal("errors", "list", "--limit", "3")


def test_a_fault_is_broken_between_words_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    fault = Fault("config_invalid", "config.toml is not valid TOML: expected a bracket", "correct that line")
    monkeypatch.setenv("COLUMNS", "30")
    for stream, lines in ((Terminal(), 3), (StringIO(), 1)):
        monkeypatch.setattr("sys.stderr", stream)
        Output().fault(fault)
        said = stream.getvalue()
        assert said.count("\n") == lines
        assert " ".join(said.split()) == (
            "casebook: config.toml is not valid TOML: expected a bracket; correct that line"
        )
        assert lines == 1 or all(len(line) <= 30 for line in said.split("\n"))


@pytest.mark.parametrize("colour", [False, True])
def test_a_fix_whose_card_says_everything_has_no_empty_row(
    run: Run, monkeypatch: pytest.MonkeyPatch, colour: bool
) -> None:
    samples = Path(__file__).resolve().parents[2] / "core" / "samples"
    assert run("import", "auto", str(samples)).code == 0
    if colour:
        monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("cli.commands.errors.cases.beyond_card", lambda text, lesson: "\n")
    shown = run("errors", "show", "1")
    rows = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in shown.text.splitlines()]
    assert (shown.code, shown.said) == (0, "")
    assert any(row.startswith("do ") for row in rows)
    assert "fix" not in rows
    assert list(markdown_field(Output(colour=True), "fix", "")) == ["\x1b[2m  fix          \x1b[0m"]


@pytest.mark.parametrize(
    ("notify", "sent"), [("", "\a"), ("bell", "\a"), ("osc9", "\x1b]9;casebook: the command has ended\a"), ("off", "")]
)
def test_the_end_of_a_long_command_is_signaled_on_a_terminal_only(
    run: Run, monkeypatch: pytest.MonkeyPatch, notify: str, sent: str
) -> None:
    if notify:
        monkeypatch.setenv("CASEBOOK_UI_NOTIFY", notify)

    def signals(*args: str, terminal: bool = True) -> str:
        return "".join(re.findall(r"(?:\x1b\]9[^\a]*)?\a", run(*args, terminal=terminal).said))

    assert signals("config", "show") == "", "it took no time"
    monkeypatch.setattr("cli.output._LONG_RUN_S", 0.0)
    assert signals("config", "show") == sent
    assert signals("import", "nothing there") == sent, "nor is a failure left unsaid"
    assert signals("config", "show", "--json") == ""
    assert signals("config", "show", terminal=False) == ""
