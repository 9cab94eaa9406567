"""The hook host: the next hook is answered by it, and whatever is wrong with it costs an answer at most."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from core.errors import list_cases
from core.errors.cases.record import record_resolution
from core.flows.hook.client import GO_ON, REFUSED, REPLY, TAKEN, WIRE, stamp
from core.process.frames import join, plain_header
from core.process.lock import try_lock
from core.store import open_store

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="hosts listen on Unix sockets")
ROOT = Path(__file__).resolve().parents[3]
FAILED = {
    "hook_event_name": "PostToolUseFailure",
    "session_id": "s1",
    "cwd": "/home/me/shop",
    "tool_name": "Bash",
    "tool_input": {"command": "npm test"},
    "error": "Exit code 1\nError: Cannot find module 'leftpad'",
}

HUNG = (
    "-c",
    (
        "import sys, core.flows.hook.client as client; from cli.commands.hook import run\n"
        "client.TAKE_SHARE, client.ANSWER_SHARE, client.HUNG_S = 0.03, 0.1, 3_600.0; run(sys.argv[1:])"
    ),
)
"""A hook that waits seconds for a host that hangs, and has nearly all of its minute to answer without it."""

OLD_PARTS = stamp().encode() + b"\n4", b"/db", b"\n1", json.dumps(FAILED).encode()
OLD_WIRE = b"".join(len(part).to_bytes(4, "big") + part for part in OLD_PARTS)
"""What a caller said before there were frames."""


class Home:
    """A user's home, with the hooks and the host that run in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CASEBOOK_"))}
        runtime = path / "r"
        runtime.mkdir(mode=0o700)
        self.env = kept | {
            "HOME": str(path),
            "PYTHONPATH": str(ROOT),
            "XDG_RUNTIME_DIR": str(runtime),
            "CASEBOOK_HOOK_DEADLINE_MS": "60000",
        }
        self.database = path / ".local/share/casebook/casebook.db"
        self.socket = runtime / f"casebook/hook-{WIRE}.sock"

    def hook(
        self, payload: dict[str, Any], by: tuple[str, ...] = ("-m", "cli.main", "hook"), **variables: str
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, *by],
            input=json.dumps(payload).encode(),
            capture_output=True,
            cwd=self.path,
            env=self.env | variables,
            timeout=120,
            check=False,
        )

    def wait(self, there: bool = True) -> None:
        assert happens(lambda: self.socket.exists() == there and (not there or self.listens())), there

    def listens(self) -> bool:
        """Its file is there a moment before anybody listens."""
        with socket.socket(socket.AF_UNIX) as line:
            return line.connect_ex(str(self.socket)) == 0

    def host(self) -> int:
        return int(self.socket.with_suffix(".lock").read_text())

    def close(self) -> None:
        """End its host, and any that a hook has started and that does not listen yet: it finds no place to."""
        if self.socket.exists():
            with suppress(OSError, ValueError):
                os.kill(self.host(), signal.SIGKILL)
        runtime = self.socket.parent.parent
        runtime.rename(self.path / "ended")
        runtime.touch()

    def seen(self) -> int:
        with open_store(self.database) as store:
            return sum(case.seen for case in list_cases(store).cases)


def happens(what: Callable[[], object]) -> bool:
    """Wait until something has happened, two minutes at most; return whether it did."""
    end = time.monotonic() + 120
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(what())


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def offer(home: Home, payload: dict[str, Any], stamped: str) -> bytes:
    """What a hook of that version sends first."""
    named = {"stamp": stamped, "database": str(home.database), "service": "1"}
    return join(plain_header(named), json.dumps(payload).encode())


@pytest.fixture
def home(tmp_path: Path) -> Generator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


@contextmanager
def impostor(home: Home, said: bytes, *, closes: bool = False, then: bytes = b"") -> Generator[list[socket.socket]]:
    """Somebody who listens where the host would, takes what comes, says `said` and nothing more, or even `closes`;
    told to go on, it says `then` and closes.

    Gives those who came.
    """
    home.socket.parent.mkdir(mode=0o700, exist_ok=True)
    done = threading.Event()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.socket))
        listener.listen()
        listener.settimeout(0.1)
        lines: list[socket.socket] = []

        def serve() -> None:
            while not done.is_set():
                try:
                    line, _ = listener.accept()
                except TimeoutError:
                    continue
                line.sendall(said)
                lines.append(line)
                if then:
                    heard = b""
                    while not heard.endswith(join(GO_ON)) and (more := line.recv(1 << 16)):
                        heard += more
                    line.sendall(then)
                if closes or then or said not in (b"", join(TAKEN)):
                    line.close()
            for line in lines:
                line.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield lines
        finally:
            done.set()
            thread.join(120)
            home.socket.unlink()


def test_the_first_hook_leaves_a_host_that_answers_the_next(home: Home) -> None:
    assert home.hook(FAILED).returncode == 0
    home.wait()
    record_resolution(home.database, str(FAILED["error"]), "Install leftpad.")
    answered = home.hook(FAILED | {"session_id": "s2"}, PYTHONVERBOSE="1")
    assert b"Install leftpad" in answered.stdout
    assert b"core.errors" not in answered.stderr, "the hook did the work itself"
    assert home.seen() == 2


def test_a_host_of_another_version_does_nothing_and_leaves(home: Home) -> None:
    home.hook(FAILED)
    home.wait()
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(120)
        line.connect(str(home.socket))
        line.sendall(offer(home, FAILED, "0.0.0\n/elsewhere"))
        assert line.recv(100) == join(REFUSED)
    home.wait(there=False)
    assert home.seen() == 1


def test_a_killed_host_is_no_loss(home: Home) -> None:
    home.hook(FAILED)
    home.wait()
    os.kill(home.host(), signal.SIGKILL)
    assert happens(lambda: not home.listens())
    assert home.hook(FAILED | {"session_id": "s2"}).returncode == 0
    assert home.seen() == 2


def test_a_hanging_host_costs_no_answer_and_is_waited_for_once(home: Home) -> None:
    record_resolution(home.database, str(FAILED["error"]), "Install leftpad.")
    with impostor(home, b"") as came:
        for number in range(3):
            hung = home.hook(FAILED | {"session_id": f"s{number}"}, HUNG)
            assert hung.returncode == 0
            assert b"Install leftpad" in hung.stdout
        assert len(came) == 1, "what the first hook found out is of no use to the next"
    assert home.seen() == 1 + 3
    assert (home.path / ".local/state/casebook/casebook.log").read_text().count("hook host timeout") == 1


def test_a_host_that_goes_on_does_nothing_again_and_is_asked_again(home: Home) -> None:
    home.hook(FAILED)
    home.wait()
    record_resolution(home.database, str(FAILED["error"]), "Install leftpad.")
    mark = home.socket.with_suffix(".hung")
    os.kill(home.host(), signal.SIGSTOP)
    try:
        answered = home.hook(FAILED | {"session_id": "s2"}, HUNG)
        assert b"Install leftpad" in answered.stdout
        assert mark.exists()
    finally:
        os.kill(home.host(), signal.SIGCONT)
    assert happens(lambda: not mark.exists()), "a host that goes on says so"
    again = home.hook(FAILED | {"session_id": "s3"}, PYTHONVERBOSE="1")
    assert b"Install leftpad" in again.stdout
    assert b"core.errors" not in again.stderr, "a host that goes on is not asked"
    assert home.seen() == 3, "what the hook had done itself was done by the host too"


def test_a_mark_of_a_host_before_it_counts_for_nothing(home: Home) -> None:
    home.hook(FAILED)
    home.wait()
    mark = home.socket.with_suffix(".hung")
    mark.touch()
    before = home.socket.stat().st_mtime - 1
    os.utime(mark, (before, before))
    again = home.hook(FAILED | {"session_id": "s2"}, PYTHONVERBOSE="1")
    assert b"core.errors" not in again.stderr


def test_a_host_that_hangs_over_a_payload_loses_neither_answer_nor_event(home: Home) -> None:
    record_resolution(home.database, str(FAILED["error"]), "Install leftpad.")
    with impostor(home, join(TAKEN)) as came:
        hung = home.hook(FAILED, HUNG)
        assert b"Install leftpad" in hung.stdout
        assert home.seen() == 1, "the host may write it down yet"
        assert b"Install leftpad" in home.hook(FAILED | {"session_id": "s2"}).stdout
        assert len(came) == 1
    assert home.seen() == 1 + 2, "what the first one was told is written down by the next"


def test_a_caller_that_waits_no_more_has_nothing_done_for_it(home: Home) -> None:
    home.hook(FAILED)
    home.wait()
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(120)
        line.connect(str(home.socket))
        line.sendall(offer(home, FAILED | {"session_id": "s2"}, stamp()))
        assert line.recv(100) == join(TAKEN)
    assert home.hook(FAILED | {"session_id": "s3"}).returncode == 0
    assert home.seen() == 2


def test_a_host_that_dies_over_a_payload_is_done_without(home: Home) -> None:
    record_resolution(home.database, str(FAILED["error"]), "Install leftpad.")
    with impostor(home, join(TAKEN), closes=True):
        assert b"Install leftpad" in home.hook(FAILED).stdout


@pytest.mark.parametrize("said", [join(REFUSED), b"garbage", b"\x00" * 99, join(TAKEN)[:9], join(GO_ON), join(b"[]")])
def test_a_host_that_refuses_or_lies_is_done_without(home: Home, said: bytes) -> None:
    record_resolution(home.database, str(FAILED["error"]), "Install leftpad.")
    with impostor(home, said):
        assert b"Install leftpad" in home.hook(FAILED).stdout


def test_a_host_that_dies_at_any_byte_of_its_answer_is_done_without(home: Home) -> None:
    """Killed after so many bytes: the event is written down once, and told of."""
    record_resolution(home.database, str(FAILED["error"]), "Install leftpad.")
    whole = join(REPLY, b"\n\n")
    for number, size in enumerate((1, 12, len(whole) - 1)):
        with impostor(home, join(TAKEN), then=whole[:size]):
            told = home.hook(FAILED | {"session_id": f"s{number}"})
        assert b"Install leftpad" in told.stdout
    for number in range(3):  # each takes up one of those at least, however slow it is
        home.hook(FAILED | {"session_id": f"after{number}"}, CASEBOOK_HOOK_HOST="false")
    assert home.seen() == 1 + 3 + 3


def test_a_host_that_speaks_the_wire_before_is_not_met(home: Home) -> None:
    """It goes on until it is idle; the hook does the work itself, and starts a host of its own."""
    home.socket.parent.mkdir(mode=0o700)
    old = home.socket.with_name("hook.sock")
    lock = os.open(home.socket.with_name("hook.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    assert try_lock(lock)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(old))
        listener.listen()
        listener.setblocking(False)
        assert home.hook(FAILED).returncode == 0
        home.wait()
        assert home.hook(FAILED | {"session_id": "s2"}).returncode == 0
        with pytest.raises(BlockingIOError):
            listener.accept()
    os.close(lock)
    assert home.seen() == 2


def test_a_folder_that_others_may_enter_is_not_trusted(home: Home) -> None:
    record_resolution(home.database, str(FAILED["error"]), "Install leftpad.")
    with impostor(home, join(TAKEN)):
        home.socket.parent.chmod(0o755)
        assert b"Install leftpad" in home.hook(FAILED).stdout


@pytest.mark.parametrize(
    "sent",
    [b"", b"\xff" * 4, join(b"{}")[:9], join(b"{}"), join(GO_ON) * 3, b"\x00" * 4_000, OLD_WIRE],
    ids=["nothing", "length", "cut", "empty", "others", "zeros", "old"],
)
def test_hostile_callers_do_not_harm_the_host(home: Home, sent: bytes) -> None:
    home.hook(FAILED)
    home.wait()
    for _ in range(3):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(home.socket))
            line.sendall(sent)
    assert home.hook(FAILED | {"session_id": "s2"}).returncode == 0
    assert home.seen() == 2


def test_a_host_whose_socket_is_gone_ends(home: Home) -> None:
    home.hook(FAILED)
    home.wait()
    pid = home.host()
    home.socket.unlink()
    assert happens(lambda: not lives(pid)), "the host lives on"
