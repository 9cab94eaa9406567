"""Asking the hook host: a process that has everything loaded answers in the time that loading it would take ten times.

Imports next to nothing, because that is its whole point: no pathlib, no dataclass, no json. Where no host listens, or
one of another version, the caller does the work itself.
"""

from __future__ import annotations

import os
import sys
import time

from core.base.version import VERSION
from core.base.xdg import folder_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket as _socket

_SIZE = 4
_LONGEST = 103
_MOST_REPLY = 1 << 20
TAKEN, REFUSED, GO_ON, WRITTEN = b"+", b"-", b"!", b"w"
TAKE_SHARE, ANSWER_SHARE = 0.17, 0.7
"""Of the time that a hook has: how long the host may need to take a payload, and until when it must have answered."""
HUNG_S = 30.0
"""A host that took nothing is not asked again for so long, unless it shows that it goes on."""
_SPOKEN = "4"
"""What host and caller say to each other, in which order; another order has another number."""


class UnansweredError(Exception):
    """A host is there, or was, and gave no answer.

    `taken`: it has the payload, and may have done the work; `asked`: time was lost over it, else it was known to hang.
    """

    def __init__(self, *, taken: bool, asked: bool) -> None:
        super().__init__("the hook host did not answer")
        self.taken, self.asked = taken, asked


def stamp() -> str:
    """What host and caller must have in common: the version, whose packages are loaded, and how they speak."""
    return f"{VERSION}\n{sys.prefix}\n{_SPOKEN}"


def socket_path() -> str | None:
    """Where the host of this user listens, or would; None where there are no Unix sockets, or the path is too long."""
    if not hasattr(os, "geteuid"):
        return None
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and _is_ours(runtime, private=False):
        folder = os.path.join(runtime, "casebook")
    else:
        folder = os.path.join(folder_name("state"), "run")
    path = os.path.join(folder, "hook.sock")
    return path if len(os.fsencode(path)) <= _LONGEST else None


def ask(
    payload: bytes,
    database: str,
    settings: tuple[str, bool, float, str],
    seconds: float,
    event: str,
    write: Callable[[bytes], object],
) -> bool:
    """Have the host answer a payload; False where there is no host, or it refused: then nothing was done.

    `write` gives the reply to the agent; only after it returned is the host told that the reply was written.

    `settings`: model, service, hold_back and rules, which the host has not read. `event`: the file that the payload was
    written to first; the host settles it. `seconds`: the time that the caller has for everything. A host does nothing
    before it said that it takes the payload and was told to go on, so that one that comes too late has done nothing.

    Raises UnansweredError where it does not take the payload in its share of that time, or did and gives no answer.
    """
    path = socket_path()
    if path is None or not os.path.exists(path) or not _is_ours(os.path.dirname(path), private=True):
        return False
    if _is_hung(path):
        raise UnansweredError(taken=False, asked=False)
    import socket

    begun = time.monotonic()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(seconds * TAKE_SHARE)
        try:
            line.connect(path)
            model, service, hold_back, rules = settings
            told = os.fsencode(f"{event}\n{model}\n{int(service)}\n{hold_back}\n{rules}")
            line.sendall(b"".join(map(pack, (stamp().encode(), os.fsencode(database), told, payload))))
            if line.recv(1) != TAKEN:
                return False  # of another version, or too busy
            line.sendall(GO_ON)
        except TimeoutError:
            _mark_hung(path)
            raise UnansweredError(taken=False, asked=True) from None
        except OSError:
            return False
        reply = _reply(line, begun + seconds * ANSWER_SHARE)
        if reply is None:
            _mark_hung(path)
        if not reply:  # a host that has nothing to say says two empty lines: this one died
            raise UnansweredError(taken=True, asked=True)
        write(reply)
        _tell_written(line)
    return True


def _tell_written(line: _socket) -> None:
    try:
        line.sendall(WRITTEN)
    except OSError:
        pass  # the host had nothing to count, and has hung up


def _reply(line: _socket, until: float) -> bytes | None:
    """The host's two lines; less where it hangs up before; None where they do not come in time."""
    reply = bytearray()
    try:
        while len(reply) <= _MOST_REPLY and reply.count(b"\n") < 2:
            line.settimeout(max(0.001, until - time.monotonic()))
            part = line.recv(1 << 16)
            if not part:
                break
            reply += part
    except TimeoutError:
        return None
    except OSError:
        return b""
    return bytes(reply)


def goes_on(path: str) -> None:
    """Forget that the host at this socket was found to hang."""
    try:
        os.unlink(_mark(path))
    except OSError:
        pass  # nobody had found so


def _mark_hung(path: str) -> None:
    try:
        os.close(os.open(_mark(path), os.O_WRONLY | os.O_CREAT, 0o600))
        os.utime(_mark(path))
    except OSError:
        pass  # the next one finds out by itself


def _is_hung(path: str) -> bool:
    """Whether this host, not one before it, took nothing just now."""
    try:
        found = os.stat(_mark(path)).st_mtime
        return found >= os.stat(path).st_mtime and 0 <= time.time() - found < HUNG_S
    except OSError:
        return False


def _mark(path: str) -> str:
    return f"{path[: -len('.sock')]}.hung"


def pack(data: bytes) -> bytes:
    """A part of a request: its length, then itself."""
    return len(data).to_bytes(_SIZE, "big") + data


def _is_ours(folder: str, *, private: bool) -> bool:
    try:
        there = os.lstat(folder)
    except OSError:
        return False
    return there.st_uid == os.geteuid() and not (private and there.st_mode & 0o077)
