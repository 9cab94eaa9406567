"""How the workbench dies: politely, in one line, with the terminal as it was. On a real terminal, in a process."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.tui.support import make_casebook
from tui.panes.common.decisions import LANE
from tui.shell.app import CasebookApp, crash_line, run
from tui.terminal.crash import crash_of, traceback_of

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
EVIL = "\x1b]52;c;ZXZpbA==\x07\x1b[2Jwiped"

CRASHING = f"""
import sys
from pathlib import Path
import tui.shell.app
from cli.main import main

class Failing(tui.shell.app.CasebookApp):
    def _perform_own(self, action_id):
        if action_id == "app.jump":
            local = {SECRET!r}
            raise KeyError({EVIL!r} + local)
        super()._perform_own(action_id)

tui.shell.app.CasebookApp = Failing
sys.exit(main(["--db", sys.argv[1]]))
"""

PATIENT = "import tui.terminal.crash\ntui.terminal.crash.PATIENCE = 60.0\n"
"""A slow machine needs more than three seconds to restore a terminal."""


class Terminal:
    """A program on a pseudo-terminal of its own session."""

    def __init__(self, argv: list[str], home: Path, **more: str) -> None:
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        env = {**os.environ, "HOME": str(home), "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30", **more}
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
            env.pop(name, None)
        end = self.slave
        self.process = subprocess.Popen(
            argv, stdin=end, stdout=end, stderr=end, env=env, close_fds=True, start_new_session=True
        )
        self.written = b""

    def read_until(self, mark: bytes, seconds: float = 120.0) -> None:
        end = time.monotonic() + seconds
        while mark not in self.written:
            assert time.monotonic() < end, f"{mark!r} was never written: {self.written[-500:]!r}"
            self.read(0.2)

    def read(self, seconds: float) -> bool:
        ready = bool(select.select([self.master], [], [], seconds)[0])
        if ready:
            self.written += os.read(self.master, 65_536)
        return ready

    def end(self) -> int:
        """Wait for its end; what it wrote last is read too."""
        deadline = time.monotonic() + 120
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.1)
        while self.read(0.1):
            pass
        return self.process.wait(1)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def assert_whole(self) -> None:
        """Out of the alternate screen, the cursor shown, mouse and paste reports off, echo and line mode on."""
        for begun, ended in (
            (b"?1049h", b"?1049l"),
            (b"?25l", b"?25h"),
            (b"?1000h", b"?1000l"),
            (b"?2004h", b"?2004l"),
        ):
            assert self.written.rfind(ended) > self.written.rfind(begun), ended
        assert termios.tcgetattr(self.slave)[3] == self.before[3]


@pytest.fixture
def started(tmp_path: Path):
    path = make_casebook(tmp_path / "sample.db")
    terminal = Terminal([sys.executable, "-c", PATIENT + CRASHING, str(path)], tmp_path)
    try:
        yield terminal
    finally:
        terminal.close()


def test_a_crash_prints_one_redacted_line_and_logs_the_rest(started: Terminal, tmp_path: Path) -> None:
    started.read_until(b"ModuleNotFound")
    os.write(started.master, b"\x0f")
    assert started.end() == 1
    started.assert_whole()
    last = started.written[started.written.rfind(b"?1049l") :]
    assert last.count(b"casebook crashed: KeyError") == 1
    assert b"Traceback" not in last
    assert SECRET.encode() not in started.written
    assert b"\x1b]52;c;ZXZpbA==" not in started.written
    log = tmp_path / ".local/state/casebook/casebook.log"
    assert str(log).encode() in last.replace(b"\r\n", b"")
    (line,) = [line for line in map(json.loads, log.read_text().splitlines()) if "crashed" in line["event"]]
    assert "KeyError" in line["trace"]
    assert SECRET not in log.read_text()
    assert "_perform_own" in line["trace"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_told_to_end_it_restores_the_terminal(started: Terminal, number: signal.Signals) -> None:
    started.read_until(b"ModuleNotFound")
    started.process.send_signal(number)
    assert started.end() == 128 + number
    started.assert_whole()


def test_a_terminal_that_is_gone_ends_it(tmp_path: Path) -> None:
    path = make_casebook(tmp_path / "sample.db")
    terminal = Terminal([sys.executable, "-c", CRASHING, str(path)], tmp_path)
    try:
        terminal.read_until(b"ModuleNotFound")
        os.close(terminal.master)
        os.close(terminal.slave)
        terminal.process.send_signal(signal.SIGHUP)  # what the kernel sends
        assert terminal.process.wait(120) != 0
    finally:
        terminal.process.kill()


@pytest.mark.parametrize("drawing", [False, True])
def test_a_terminal_that_is_gone_without_a_word_ends_it_too(tmp_path: Path, drawing: bool) -> None:
    """Nothing tells it; it may be waiting for keys, or for the bytes it draws to be taken."""
    path = make_casebook(tmp_path / "sample.db")
    terminal = Terminal([sys.executable, "-c", CRASHING, str(path)], tmp_path)
    try:
        terminal.read_until(b"ModuleNotFound")
        if drawing:
            os.write(terminal.master, b"\x1b[B" * 400)
        os.close(terminal.master)
        os.close(terminal.slave)
        assert terminal.process.wait(120) != 0
    finally:
        terminal.process.kill()


def test_a_job_that_is_left_behind_is_not_taken_down_with_the_interpreter(tmp_path: Path) -> None:
    """Python ends a thread where it next asks for the interpreter, which aborts the process inside C++ code. What the
    command made is taken away all the same."""
    code = """
import atexit, sys, time
from pathlib import Path
import cli.commands.demo as demo
from cli.main import main
from tui.shell.app import CasebookApp
def begin(self, **_):
    self.jobs.run("search", lambda job: time.sleep(300), print, print)
    while not self.jobs.left_behind:
        time.sleep(0.005)
    print("made", len(list(folder.glob("casebook-demo-*"))))
CasebookApp.run = begin
demo.fill_demo = lambda database, _: database.touch()
demo.add_weeks = lambda database: None
demo.fill_demo_rules = lambda database: database.with_name("rules.md")
atexit.register(print, "interpreter taken down")
folder, sys.argv[1:] = Path(sys.argv[1]), ["demo"]
sys.exit(main())
"""
    (tmp_path / "tmp").mkdir()
    terminal = Terminal([sys.executable, "-c", code, str(tmp_path / "tmp")], tmp_path, TMPDIR=str(tmp_path / "tmp"))
    with closing(terminal):
        assert terminal.end() == 0
    assert b"made 1" in terminal.written
    assert b"taken down" not in terminal.written
    assert list((tmp_path / "tmp").glob("casebook-demo-*")) == []


def test_a_decision_that_was_not_saved_is_reported_behind_the_workbench(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def begin(app: CasebookApp, **_how: object) -> None:
        app.jobs.run(LANE, lambda _job: time.sleep(300), print, print, keep=True)

    monkeypatch.setattr(CasebookApp, "run", begin)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    assert run(Path("none.db")) == 1
    assert capsys.readouterr().err.startswith("Your last decision was not saved.")


@pytest.mark.parametrize("more", [{"TERM": "dumb"}, {}])
def test_off_a_terminal_and_on_a_dumb_one_it_prints_help_and_exits_2(tmp_path: Path, more: dict[str, str]) -> None:
    path = make_casebook(tmp_path / "sample.db")
    command = [sys.executable, "-m", "cli", "--db", str(path)]
    if not more:
        done = subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
        assert (done.returncode, b"\x1b" in done.stdout, b"usage" in done.stdout) == (2, False, True)
        return
    terminal = Terminal(command, tmp_path, **more)
    with closing(terminal):
        assert terminal.end() == 2
    assert b"usage" in terminal.written
    assert b"\x1b" not in terminal.written


@pytest.mark.parametrize("theme", ["casebook-dark", "ansi", "nord"])
def test_no_color_sends_no_colour_at_all(tmp_path: Path, theme: str) -> None:
    path = make_casebook(tmp_path / "sample.db")
    terminal = Terminal(
        [sys.executable, "-m", "cli", "--db", str(path)], tmp_path, NO_COLOR="1", CASEBOOK_UI_THEME=theme
    )
    with closing(terminal):
        terminal.read_until(b"ModuleNotFound")
        os.write(terminal.master, b"\x1b[B")
        terminal.read_until(b"copy fix")
        os.write(terminal.master, b"\x1bOP")
        terminal.read_until(b"Keys and actions")
        os.write(terminal.master, b"\x11")
        assert terminal.end() == 0
    assert _coloured(terminal.written) == set()


def test_the_ansi_theme_sends_only_the_terminal_s_own_colours(tmp_path: Path) -> None:
    path = make_casebook(tmp_path / "sample.db")
    terminal = Terminal([sys.executable, "-m", "cli", "--db", str(path)], tmp_path, CASEBOOK_UI_THEME="ansi")
    with closing(terminal):
        terminal.read_until(b"ModuleNotFound")
        os.write(terminal.master, b"\x1b[B")
        terminal.read_until(b"copy fix")
        os.write(terminal.master, b"q")
        assert terminal.end() == 0
    colours = _coloured(terminal.written)
    assert colours
    assert not {colour for colour in colours if colour in ("38", "48")}


def _coloured(written: bytes) -> set[str]:
    """The colour codes sent; 39 and 49, the terminal's own, are none."""
    import re

    found: set[str] = set()
    for codes in re.findall(rb"\x1b\[([0-9;]*)m", written):
        values = codes.decode().split(";")
        found |= {one for one in values[:1] if one in ("38", "48")}
        if not {"38", "48"} & set(values):
            found |= {one for one in values if one and (30 <= int(one) <= 37 or 40 <= int(one) <= 47 or int(one) >= 90)}
        else:
            found |= {"38"} & set(values) | {"48"} & set(values)
    return found


def test_what_is_told_of_a_crash_has_none_of_its_words() -> None:
    try:
        int(f"{SECRET} {EVIL}")
    except ValueError as error:
        crash = crash_of(error)
        assert SECRET in traceback_of(error)  # the log redacts
    line = crash_line(crash, Path("/log"))
    assert SECRET not in line
    assert "\x1b" not in line
    assert "\n" not in line
    assert "ValueError" in line
