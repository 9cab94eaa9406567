"""Where a local server listens (a Unix socket in a private folder or a loopback port), and which server claims it.

The folder is its owner's alone (0700) and the socket too (0600); both sides look before they trust it. A loopback port
has no owner, so its number lies in a file of that folder (0600) beside a token: the service proves that it knows the
token before a client sends a text, and the client names it with each text (DESIGN 6, decision 24). The process that
holds the lock listens, and removes what a killed one left."""

from __future__ import annotations

import contextlib
import os
import signal
import socket as sockets
import stat
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from core.base.fault import Fault
from core.base.paths import make_folder, user_folder
from core.process.connection import LONGEST_PATH, not_private, runtime_folder
from core.process.lock import is_locked, try_lock

if TYPE_CHECKING:
    import socket as sockets


_SHORT = Path("/tmp")
"""A folder made in it is checked before use: owned by this user, not a link, private."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a service listens, or would. `socket` is None where a loopback port is used instead."""

    folder: Path
    name: str
    socket: Path | None

    @property
    def lock(self) -> Path:
        """Locked while a service lives, so that there is one; it holds the number of its process."""
        return self.folder / f"{self.name}.lock"

    @property
    def note(self) -> Path:
        """File touched when a service is started; holds the reason why the last start failed, if any."""
        return self.folder / f"{self.name}.note"

    @property
    def port(self) -> Path:
        """The loopback port and its token."""
        return self.folder / f"{self.name}.port"

    @property
    def entrance(self) -> Path:
        """The file that is there while a service listens."""
        return self.port if self.socket is None else self.socket


@dataclass(frozen=True, slots=True)
class Port:
    """A loopback port, and what shows that it is ours."""

    number: int
    token: str


def service_place(environ: Mapping[str, str] | None = None, *, loopback: bool | None = None) -> Endpoint:
    """The place of this user's service: below XDG_RUNTIME_DIR if that is the user's own, else in the state folder.

    `loopback` None: where Python has no Unix sockets. A path too long for a socket moves to a folder of the user
    in /tmp, under a name made from that path.
    """
    env = os.environ if environ is None else environ
    own = runtime_folder(env)
    folder = Path(own) if own is not None else user_folder("state", env) / "run"
    if sys.platform == "win32" if loopback is None else loopback:
        return Endpoint(folder, "model", None)
    path = folder / "model.sock"
    if len(os.fsencode(path)) <= LONGEST_PATH:
        return Endpoint(folder, "model", path)
    from hashlib import blake2s

    short = _SHORT / f"casebook-{os.geteuid()}"
    name = f"model-{blake2s(os.fsencode(path), digest_size=8).hexdigest()}"
    return Endpoint(short, name, short / f"{name}.sock")


def make_private(folder: Path) -> None:
    """Make the folder, for its owner alone. Raises Fault io_error where that cannot be had."""
    cure = "remove it, or set XDG_RUNTIME_DIR to a private folder"
    try:
        make_folder(folder)
        there = folder.lstat()
        if hasattr(os, "geteuid") and stat.S_ISDIR(there.st_mode) and there.st_uid == os.geteuid():
            folder.chmod(0o700)
    except OSError as error:
        raise Fault("io_error", f"cannot create the folder {folder}: {error.strerror}", cure) from error
    if (reason := not_private(folder)) is not None:
        raise Fault("io_error", reason, cure)


def peer_uid(connection: sockets.socket) -> int | None:
    """Whose process is at the other end of a Unix socket; None where the platform does not tell."""
    import socket as sockets
    import struct

    option = getattr(sockets, "SO_PEERCRED", None)
    if option is None:
        return None
    _, uid, _ = struct.unpack("3i", connection.getsockopt(sockets.SOL_SOCKET, option, 12))
    return uid


def read_port(place: Endpoint) -> Port | None:
    """The loopback port in force; None where no service has written one."""
    import json

    try:
        with place.port.open("rb") as file:
            found: object = json.loads(file.read(4096))
    except (OSError, ValueError, RecursionError):
        return None
    fields = cast("dict[str, object]", found) if isinstance(found, dict) else {}
    number, token = fields.get("port"), fields.get("token")
    if type(number) is not int or not 0 < number < 1 << 16 or not isinstance(token, str) or len(token) < 32:
        return None
    return Port(number, token)


def proof_of(token: str, nonce: str) -> str:
    """What only a holder of the token can say to a nonce."""
    import hmac

    return hmac.digest(token.encode("utf-8", "replace"), nonce.encode("utf-8", "replace"), "sha256").hex()


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
            reason = error.strerror or str(error)
            raise Fault(
                "io_error", f"cannot listen on {self.place.entrance}: {reason}", "run: casebook doctor"
            ) from error

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
            from core.base.atomic import write_file  # a client never writes it

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
    def is_reachable(self) -> bool:
        """Return whether clients can still connect: another program may have cleared the folder."""
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
            if self.is_reachable:
                self.place.entrance.unlink()
        os.close(self._lock)
        self._lock = -1


def claim(place: Endpoint) -> Claim | None:
    """The place, if no other service has it. Raises Fault io_error where its folder or lock cannot be made."""
    make_private(place.folder)
    try:
        handle = os.open(place.lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise Fault(
            "io_error", f"cannot open {place.lock}: {error.strerror}", "remove the file, then run the command again"
        ) from error
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
    raise Fault("timeout", f"the model service (process {pid}) did not stop", "end that process")
