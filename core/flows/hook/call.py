"""Asking the hook host: a process that has everything loaded answers in the time that loading it would take ten times.

Imports next to nothing, because that is its whole point: no pathlib, no dataclass, no json. Where no host listens, or
one of another version, the caller does the work itself.
"""

from __future__ import annotations

import os
import sys

from core.version import VERSION
from core.xdg import folder_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket as _socket

_SIZE = 4
_LONGEST = 103
_MOST_REPLY = 1 << 20


def stamp() -> str:
    """What host and caller must have in common: the version, and whose packages are loaded."""
    return f"{VERSION}\n{sys.prefix}"


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


def ask(payload: bytes, database: str, model: str, service: bool, seconds: float, rules: str = "") -> bytes | None:
    """The host's answer to a payload; None where no host took it, or the one that did died over it.

    `model`, `service` and `rules`: the settings of that name, which the host has not read.

    Raises TimeoutError where one took it and has not answered in time: the work may be done already, once is enough.
    """
    path = socket_path()
    if path is None or not os.path.exists(path) or not _is_ours(os.path.dirname(path), private=True):
        return None
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(seconds)
        try:
            line.connect(path)
            asked = stamp().encode(), os.fsencode(database), f"{model}\n{int(service)}\n{rules}".encode(), payload
            line.sendall(b"".join(map(pack, asked)))
            taken = line.recv(1)
        except TimeoutError:
            raise
        except OSError:
            return None
        if taken != b"+":
            return None  # of another version, or too busy: it has done nothing
        return _reply(line)


def _reply(line: _socket) -> bytes | None:
    reply = bytearray()
    try:
        while len(reply) <= _MOST_REPLY and (part := line.recv(1 << 16)):
            reply += part
    except TimeoutError:
        raise
    except OSError:
        return None
    return bytes(reply) or None  # a host that has nothing to say says two empty lines


def pack(data: bytes) -> bytes:
    """A part of a request: its length, then itself."""
    return len(data).to_bytes(_SIZE, "big") + data


def _is_ours(folder: str, *, private: bool) -> bool:
    try:
        there = os.lstat(folder)
    except OSError:
        return False
    return there.st_uid == os.geteuid() and not (private and there.st_mode & 0o077)
