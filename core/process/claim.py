"""One server an endpoint: who holds the lock listens, and clears away what a killed one left."""

from __future__ import annotations

import contextlib
import os
import signal
import socket as sockets
import time
from dataclasses import dataclass

from core.base.atomic import write_file
from core.base.fault import Fault
from core.process.endpoint import Endpoint, Port, make_private
from core.process.lock import is_locked, try_lock


@dataclass(slots=True)
class Claim:
    """A place that is ours until `leave`."""

    place: Endpoint
    _lock: int
    _entered: tuple[int, int] | None = None

    def listen(self, token: str) -> sockets.socket:
        """A socket that listens at the place; what a killed service left there is gone. Raises Fault io_error."""
        try:
            return self._at_path(str(self.place.socket)) if self.place.socket is not None else self._at_port(token)
        except OSError as error:
            said = error.strerror or str(error)
            raise Fault("io_error", f"cannot listen at {self.place.entrance}: {said}", "see casebook doctor") from error

    def _at_path(self, path: str) -> sockets.socket:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108 the lock is ours, so whoever made it is dead
        listener = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
        try:
            listener.bind(path)
            os.chmod(path, 0o600)  # noqa: PTH101 before anyone can connect
            listener.listen(64)
        except OSError:
            listener.close()
            raise
        self._enter()
        return listener

    def _at_port(self, token: str) -> sockets.socket:
        listener = sockets.create_server(("127.0.0.1", 0), backlog=64)
        port = Port(listener.getsockname()[1], token)
        try:
            write_file(self.place.port, [f'{{"port": {port.number}, "token": "{port.token}"}}'], replace=True)
        except Fault:
            listener.close()
            raise
        self._enter()
        return listener

    def _enter(self) -> None:
        there = self.place.entrance.lstat()
        self._entered = there.st_dev, there.st_ino

    @property
    def found(self) -> bool:
        """Whether clients can still find us: somebody may have cleared the folder, and nobody would ever come."""
        try:
            there = self.place.entrance.lstat()
        except OSError:
            return False
        return self._entered == (there.st_dev, there.st_ino)

    def leave(self) -> None:
        """Take away what is ours; may be called twice."""
        if self._lock < 0:
            return
        with contextlib.suppress(OSError):
            if self.found:
                self.place.entrance.unlink()
        os.close(self._lock)
        self._lock = -1


def claim(place: Endpoint) -> Claim | None:
    """The place, if no other service has it. Raises Fault io_error where its folder or lock cannot be made."""
    make_private(place.folder)
    try:
        handle = os.open(place.lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise Fault("io_error", f"cannot open {place.lock}: {error.strerror}", "remove it, and try again") from error
    if not try_lock(handle):
        os.close(handle)
        return None
    with contextlib.suppress(OSError):
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
    return Claim(place, handle)


def holder(place: Endpoint) -> int | None:
    """The process that holds the lock, or held it last, as far as is known."""
    try:
        with place.lock.open("rb") as file:
            return int(file.read(20))
    except (OSError, ValueError):
        return None


def end_holder(place: Endpoint, seconds: float) -> int | None:
    """End the service that holds the place and does not answer; None where none does.

    While the lock is held, the process that it names lives: no other one can be hit. Asked first, it is ended by force
    after so many `seconds`. Raises Fault timeout where it lives on after as many again.
    """
    pid = holder(place)
    if pid is None or not is_locked(place.lock):
        return None
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not is_locked(place.lock):
                return pid
            time.sleep(0.02)
    raise Fault("timeout", f"the model service (process {pid}) does not end", "end that process yourself")
