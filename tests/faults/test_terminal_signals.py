"""Row 37: Ctrl-C, a resize and a hangup while the workbench works; the casebook stays whole."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from pathlib import Path

import pytest

from core.store import open_store
from tests.tui.pseudo_terminal import Terminal
from tests.tui.support import make_casebook

termios = pytest.importorskip("termios")


def resize(terminal: Terminal, columns: int, lines: int) -> None:
    termios.tcsetwinsize(terminal.master, (lines, columns))
    terminal.process.send_signal(signal.SIGWINCH)


def test_row_37_keys_work_on_through_resizes_and_ctrl_c(tmp_path: Path) -> None:
    path = make_casebook(tmp_path / "casebook.db")
    with closing(Terminal(str(path), COLUMNS="", LINES="")) as terminal:
        resize(terminal, 120, 34)
        terminal.read_until(b"ModuleNotFound")
        for columns, lines in ((40, 12), (20, 5), (200, 50), (1, 1), (120, 34)):
            resize(terminal, columns, lines)
            terminal.send(b"\x03")
            terminal.drain(0.2)
        assert terminal.process.poll() is None
        terminal.send(b"\x1b[B\x0c")
        terminal.read_until(b"ModuleNotFound")
        terminal.send(b"\x11")
        assert terminal.ended() == 0
        assert terminal.written.rfind(b"?1049l") > terminal.written.rfind(b"?1049h")
    assert [item.name for item in path.parent.glob("casebook.db-*")] == []


LEAD = "import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])"


def test_ctrl_z_does_not_stop_a_workbench_that_no_shell_can_continue(tmp_path: Path) -> None:
    path = make_casebook(tmp_path / "casebook.db")
    with closing(Terminal(str(path), before=[sys.executable, "-c", LEAD])) as terminal:
        terminal.read_until(b"ModuleNotFound")
        terminal.send(b"\x1a")
        terminal.read_until(b"ModuleNotFound")
        terminal.send(b"\x11")
        assert terminal.ended() == 0


SHELL = """
import os, signal, subprocess, sys
os.setsid()
child = subprocess.Popen(sys.argv[1:], process_group=0)
os.waitpid(child.pid, os.WUNTRACED)
print("stopped", flush=True)
os.kill(child.pid, signal.SIGCONT)
sys.exit(child.wait())
"""


def test_ctrl_z_stops_the_workbench_until_the_shell_continues_it(tmp_path: Path) -> None:
    path = make_casebook(tmp_path / "casebook.db")
    with closing(Terminal(str(path), before=[sys.executable, "-c", SHELL])) as terminal:
        terminal.read_until(b"ModuleNotFound")
        terminal.send(b"\x1a")
        terminal.read_until(b"stopped")
        before = terminal.written.partition(b"stopped")[0]
        assert before.rfind(b"?1049l") > before.rfind(b"?1049h")
        terminal.read_until(b"ModuleNotFound")
        terminal.send(b"\x11")
        assert terminal.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_row_37_a_signal_closes_the_casebook(tmp_path: Path, number: signal.Signals) -> None:
    path = make_casebook(tmp_path / "casebook.db")
    with closing(Terminal(str(path))) as terminal:
        terminal.read_until(b"ModuleNotFound")
        os.kill(terminal.process.pid, number)
        assert terminal.ended() == 128 + number
    with open_store(path) as store:
        assert store.con.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert [item.name for item in path.parent.glob("casebook.db-*")] == []
