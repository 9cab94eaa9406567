"""Bytes from the terminal that are not UTF-8: they become U+FFFD, and the workbench and its texts stay."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("pty")

from core.errors.curation.autosave import read_scratches, scratch_folder
from core.store import open_store
from tests.tui.pseudo_terminal import Terminal
from tests.tui.shell.test_crash import Terminal as OwnSession
from tests.tui.support import make_casebook, put

REPLACED = "\N{REPLACEMENT CHARACTER}".encode()

DYING = """
import sys, os
from pathlib import Path
import textual.drivers.linux_driver as driver
from cli.main import main

class Selector(driver.selectors.SelectSelector):
    def select(self, timeout=None):
        found = super().select(timeout)
        if found:
            raise OSError("hidden words of the input")
        return found

driver.selectors.SelectSelector = Selector
sys.exit(main(["--db", sys.argv[1]]))
"""


@pytest.fixture
def one_case(tmp_path: Path) -> Iterator[Terminal]:
    path = tmp_path / "casebook.db"
    with open_store(path, write=True, create=True) as store:
        put(store, "error: it broke", "shell", "mend it")
    terminal = Terminal(str(path), XDG_STATE_HOME=str(tmp_path / "state"))
    try:
        terminal.read_until(b"mend it")
        yield terminal
    finally:
        terminal.close()


def leave(terminal: Terminal) -> None:
    terminal.send(b"\x11")
    terminal.read_until(b"\x1b[?1049l")
    assert terminal.ended() == 0


@pytest.mark.parametrize(
    "sent",
    [b"\xff", b"caf\xe9 ", b"\x1b[200~caf\xe9 raw \x9b31m\x1b[201~"],
    ids=["0xff", "latin-1 typed", "latin-1 and C1 pasted"],
)
def test_an_invalid_byte_is_replaced(one_case: Terminal, sent: bytes) -> None:
    one_case.send(sent)
    one_case.read_until(REPLACED)
    assert one_case.process.poll() is None
    leave(one_case)


def test_a_half_written_fix_survives_an_invalid_byte(one_case: Terminal, tmp_path: Path) -> None:
    one_case.send(b"\x1b[B")
    one_case.read_until(b"copy fix")
    one_case.send(b"w")
    one_case.read_until(b"save")
    one_case.send(b"half of a fix ")
    one_case.read_until(b"half")
    one_case.send(b"\xff")
    one_case.read_until(REPLACED)
    one_case.send(b"and its end")
    one_case.read_until(b"end")
    folder = scratch_folder(tmp_path / "casebook.db", {"XDG_STATE_HOME": str(tmp_path / "state")})
    whole, end = f"half of a fix {REPLACED.decode()}and its endmend it", time.monotonic() + 120
    while (kept := [one.written.text for one in read_scratches(folder)]) != [whole]:
        assert time.monotonic() < end, kept
        one_case.drain(0.05)


def test_an_input_thread_that_ends_is_reported(tmp_path: Path) -> None:
    path = make_casebook(tmp_path / "sample.db")
    terminal = OwnSession([sys.executable, "-c", DYING, str(path)], tmp_path)
    with closing(terminal):
        terminal.read_until(b"ModuleNotFound")
        os.write(terminal.master, b"x")
        assert terminal.end() == 1
        terminal.assert_whole()
        last = terminal.written[terminal.written.rfind(b"?1049l") :]
        assert b"casebook crashed: OSError" in last
        assert b"hidden words" not in last
        log = (tmp_path / ".local/state/casebook/casebook.log").read_text()
        assert "terminal input" in log
        assert "hidden words" in log
