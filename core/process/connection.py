"""One socket between two processes: frames out, frames in, and a timeout.

Imports next to nothing, because the client of the hooks is paid for a thousand times a day: no pathlib, no dataclass,
no json, and no socket before one is opened.
"""

from __future__ import annotations

import os
import stat
import time

from core.process.frames import Frame, FrameReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket as sockets
    from collections.abc import Callable, Mapping

LONGEST_PATH = 103
"""Bytes of a Unix socket's path: macOS takes 103, Linux 107."""
_PIECE = 1 << 16
_FULL_S = 0.005
"""Seconds until the next try where the server has not yet accepted those before."""


class Connection:
    """A socket that carries frames. Belongs to one thread; `interrupt` and `is_closed` are for any."""

    def __init__(
        self, line: sockets.socket, frames: FrameReader | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._line, self._frames, self._clock = line, frames or FrameReader(), clock
        self._whole: list[Frame] = []

    @property
    def surplus(self) -> bool:
        """Whether more has come than was taken."""
        return bool(self._whole) or self._frames.partial

    def send(self, data: bytes, until: float) -> None:
        """Send a frame's bytes. Raises TimeoutError once the clock shows `until`, OSError where the other is gone."""
        self._wait(until)
        self._line.sendall(data)

    def receive(self, until: float, slow: float | None = None) -> Frame | None:
        """The next frame; None where the other side hangs up first.

        Raises TimeoutError once the clock shows `until`, or `slow` seconds after the frame's first byte: drops do not
        buy time. Raises another OSError where the connection is lost, BadFrame where what came is none: then close it.
        """
        if slow is not None and self._frames.partial:
            until = self._clock() + slow
        while not self._whole:
            self._wait(until)
            data = self._line.recv(_PIECE)
            if not data:
                return None
            began = self._frames.partial
            self._whole = self._frames.feed(data)
            if slow is not None and not began and not self._whole:
                until = self._clock() + slow
        return self._whole.pop(0)

    def wait_for_end(self, until: float) -> None:
        """Return when the other side has hung up. Raises TimeoutError, or another OSError, which is an end too."""
        while True:
            self._wait(until)
            if not self._line.recv(_PIECE):
                return

    def is_closed(self) -> bool:
        """Whether the other side has hung up and left nothing to read. Returns at once."""
        from selectors import EVENT_READ, DefaultSelector
        from socket import MSG_PEEK

        try:
            with DefaultSelector() as selector:
                selector.register(self._line, EVENT_READ)
                return bool(selector.select(0)) and not self._line.recv(1, MSG_PEEK)
        except (OSError, ValueError):
            return True

    def interrupt(self) -> None:
        """Close both directions; waiting threads wake."""
        from socket import SHUT_RDWR

        try:
            self._line.shutdown(SHUT_RDWR)
        except OSError:
            pass  # it has ended already

    def close(self) -> None:
        """Hang up; may be called twice."""
        self._line.close()

    def _wait(self, until: float) -> None:
        left = until - self._clock()
        if left <= 0:
            raise TimeoutError
        self._line.settimeout(left)


def connect(
    path: str, until: float, clock: Callable[[], float] = time.monotonic, *, patient: bool = True
) -> sockets.socket:
    """A connection to a Unix socket. Raises OSError; BlockingIOError where its queue is full: `patient`, until then."""
    import socket as sockets

    line = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
    try:
        while True:
            line.settimeout(max(0.001, until - clock()))
            try:
                line.connect(path)
                return line
            except BlockingIOError:
                if not patient or clock() + _FULL_S >= until:
                    raise
                time.sleep(_FULL_S)
    except BaseException:
        line.close()
        raise


def runtime_folder(environ: Mapping[str, str]) -> str | None:
    """Return casebook's folder below XDG_RUNTIME_DIR, if this user owns it: under sudo another user does."""
    named = environ.get("XDG_RUNTIME_DIR", "")
    if not os.path.isabs(named) or not hasattr(os, "geteuid"):
        return None
    try:
        there = os.stat(named)
    except (OSError, ValueError):
        return None
    ours = stat.S_ISDIR(there.st_mode) and there.st_uid == os.geteuid()
    return os.path.join(named, "casebook") if ours else None


def not_private(folder: str | os.PathLike[str]) -> str | None:
    """Why nothing in this folder may be trusted; None if it is its owner's alone, and that is us."""
    try:
        there = os.lstat(folder)
    except (OSError, ValueError) as error:
        return f"{folder} cannot be read: {getattr(error, 'strerror', None) or error}"
    if not stat.S_ISDIR(there.st_mode):
        return f"{folder} is not a folder"
    if hasattr(os, "geteuid"):  # elsewhere the user's own folders are private by themselves
        if there.st_uid != os.geteuid():
            return f"{folder} belongs to another user"
        if there.st_mode & 0o077:
            return f"{folder} is accessible to other users"
    return None
