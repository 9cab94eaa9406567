"""Imports in a process of their own that take as long as a test wants: until a file named `go on` lies beside."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from traceback import print_exc
from typing import IO, Any, NoReturn

from core.base.program import python
from core.flows.transcripts import api
from core.flows.transcripts import reharvest as again
from core.flows.transcripts.report import ImportAgain, ImportReport, Progress
from core.process.worker import Call, main
from core.samples import sample_paths
from core.store import Store
from tui.services import tasks

GO_ON = "go on"


def slow(call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
    """The real import; after each piece that it tells about it waits until it is let go or stopped."""
    return _waiting(("import", "harvest"), call, casebook, paths)


def slow_harvest(call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
    """The real import; it waits once it has harvested something."""
    return _waiting(("harvest",), call, casebook, paths)


def _waiting(kinds: tuple[str, ...], call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
    real = api.import_transcripts
    go_on = casebook.with_name(GO_ON)

    def slowly(store, agent, paths, *, on_progress, cancelled) -> ImportReport:
        def told(progress: Progress) -> None:
            on_progress(progress)
            while progress.kind in kinds and not go_on.exists() and not cancelled():
                time.sleep(0.01)

        return real(store, agent, paths, on_progress=told, cancelled=cancelled)

    api.import_transcripts = slowly
    return tasks.run_import(call, casebook, paths)


def stopped_again(call: Call, casebook: Path, apply: bool) -> ImportAgain:
    """The real harvest of what was imported before; it waits with its first progress until it is stopped."""
    real = again.harvest_again

    def slowly(
        store: Store, *, cancelled: Callable[[], bool], on_progress: Callable[[object], None], **how: Any
    ) -> ImportAgain:
        def stopped() -> bool:
            on_progress(Progress("harvest", 0, 1, 0.0, None))
            while not cancelled():
                time.sleep(0.01)
            return True

        return real(store, cancelled=stopped, on_progress=on_progress, **how)

    again.harvest_again = slowly
    return tasks.run_harvest(call, casebook, apply)


def deaf(_call: Call, casebook: Path, _paths: Sequence[Path]) -> int:
    """Does nothing, and does not hear that it is to stop."""
    casebook.with_name("deaf").touch()
    end = time.monotonic() + 120
    while not casebook.with_name(GO_ON).exists() and time.monotonic() < end:
        time.sleep(0.01)
    os._exit(0)


def killed(_call: Call, _casebook: Path, _given: object) -> None:
    """Dies without a word."""
    os.kill(os.getpid(), signal.SIGKILL)


def raising(call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
    """Has a fault of its own."""

    def broken(*_given: object, **_more: object) -> ImportReport:
        raise RuntimeError("a fault of its own")

    api.import_transcripts = broken
    return tasks.run_import(call, casebook, paths)


class Forked:
    """In the place of `Popen` for `Child`: a process forked from one that has loaded what an import needs."""

    _guard = threading.Lock()
    _server: socket.socket | None = None

    def __init__(self, argv: Sequence[str], *, stderr: int | IO[bytes], **_given: object) -> None:
        with self._guard:
            if Forked._server is None:
                Forked._server = _start_server()
        wanted = {"arguments": argv[argv.index("-c") + 2 :], "cwd": str(Path.cwd()), "environ": dict(os.environ)}
        (given, stdin), (stdout, answers), (status, ends) = os.pipe(), os.pipe(), os.pipe()
        errors = os.open(os.devnull, os.O_WRONLY) if isinstance(stderr, int) else os.dup(stderr.fileno())
        theirs = [given, answers, errors, ends]
        socket.send_fds(Forked._server, [json.dumps(wanted).encode()], theirs)
        for one in theirs:
            os.close(one)
        self.stdin, self.stdout = os.fdopen(stdin, "wb", 0), os.fdopen(stdout, "rb", 0)
        self._status = os.fdopen(status, "rb", 0)
        self.returncode: int | None = None
        self.pid = int(self._status.readline())

    def wait(self, timeout: float | None = None) -> int:
        """As `Popen.wait`."""
        looks = select.poll()
        looks.register(self._status)
        if self.returncode is None and not looks.poll(None if timeout is None else timeout * 1_000):
            raise subprocess.TimeoutExpired("forked", timeout or 0.0)
        with self._guard:
            if self.returncode is None:
                self.returncode = int(self._status.readline() or -signal.SIGKILL)
        return self.returncode

    def kill(self) -> None:
        """As `Popen.kill`."""
        with self._guard:
            if self.returncode is None and not self._has_ended():
                os.kill(self.pid, signal.SIGKILL)

    def _has_ended(self) -> bool:
        looks = select.poll()
        looks.register(self._status)
        return bool(looks.poll(0))


def _start_server() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        code = f"from tests.tui.services.import_children import serve; serve({theirs.fileno()})"
        subprocess.Popen(
            python(code), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
            process_group=0,
        )  # fmt: skip
    return ours


def serve(number: int) -> NoReturn:
    """Import once, so that all is loaded; then fork a worker whenever one is asked for, until nobody asks any more."""
    with TemporaryDirectory() as folder:
        tasks.run_import(Call(lambda _value: None), Path(folder, "casebook.db"), sample_paths())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    asked = socket.socket(fileno=number)
    while True:
        wanted, theirs, _, _ = socket.recv_fds(asked, 1 << 20, 4)
        if not wanted:
            os._exit(0)
        if not os.fork():
            asked.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _watch(json.loads(wanted), *theirs)
        for one in theirs:
            os.close(one)


def _watch(wanted: dict[str, Any], stdin: int, stdout: int, stderr: int, status: int) -> NoReturn:
    """Fork the worker and say which process it is, then how it ended."""
    if not (pid := os.fork()):
        try:
            os.setpgid(0, 0)
            for at, one in enumerate((stdin, stdout, stderr)):
                os.dup2(one, at)
            os.closerange(3, status + 4)
            os.environ.clear()
            os.environ.update(wanted["environ"])
            os.chdir(wanted["cwd"])
            sys.argv[1:] = wanted["arguments"]
            main()
        except BaseException:  # noqa: BLE001  as an interpreter ends
            print_exc()
        os._exit(1)
    for one in (stdin, stdout, stderr):
        os.close(one)
    os.write(status, b"%d\n" % pid)
    os.write(status, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os._exit(0)
