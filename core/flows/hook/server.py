"""The hook host: answers hooks for one user's agents until none has asked for some minutes.

It is started by the first hook that met an error, listens in a folder that is its owner's alone, and does for a payload
exactly what the hook itself would do. It keeps no connection to a casebook open between two payloads.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from core.base.log import Log
from core.base.paths import log_file
from core.flows.hook.client import GO_ON, REFUSED, TAKEN, WRITTEN, goes_on, socket_path, stamp
from core.flows.hook.dispatch import Handled, Surroundings, handle
from core.flows.hook.first import is_event
from core.flows.hook.payload import MOST_BYTES
from core.flows.hook.spool import take_up, withdraw
from core.process.claim import Claim, claim
from core.process.endpoint import Endpoint, peer_uid

IDLE_S = 600.0
_LOOK_S = 5.0
_SLOW_S = 2.0
_AT_ONCE = 32
_MOST_NAMES = 8192


def serve(idle_s: float = IDLE_S, ready: Callable[[], object] = lambda: None) -> bool:
    """Serve until idle, or until the socket is gone; False where another host is there, or there can be none.

    Raises Fault io_error where there is no listening at the place.
    """
    path = socket_path()
    if path is None:
        return False
    own = claim(Endpoint(Path(path).parent, "hook", Path(path)))
    if own is None:
        return False
    _load()
    try:
        with own.listen("") as listener:
            ready()
            _Host(own, listener, idle_s).run()
    finally:
        own.leave()
    return True


def _load() -> None:
    """Everything a payload may need, so that the first one does not wait for it either."""
    for name in (
        "core.errors.cases.resolutions",
        "core.flows.harvest.reducer",
        "core.flows.hook.post_tool_use",
        "core.flows.hook.reply",
    ):
        import_module(name)


class _Host:
    def __init__(self, own: Claim, listener: socket.socket, idle_s: float) -> None:
        self._own, self._listener, self._idle = own, listener, idle_s
        self._asked = time.monotonic()
        self._busy = threading.BoundedSemaphore(_AT_ONCE)

    def run(self) -> None:
        self._listener.settimeout(min(_LOOK_S, self._idle))
        while self._own.found and time.monotonic() - self._asked < self._idle:
            try:
                line, _ = self._listener.accept()
            except TimeoutError:
                continue
            if peer_uid(line) not in (None, os.geteuid()) or not self._busy.acquire(blocking=False):
                line.close()
                continue
            self._asked = time.monotonic()
            threading.Thread(target=self._answer, args=(line,), daemon=True).start()

    def _answer(self, line: socket.socket) -> None:
        try:
            with line, contextlib.suppress(OSError, ValueError):
                line.settimeout(_SLOW_S)
                asked = _part(line, _MOST_NAMES).decode()
                database, model = _part(line, _MOST_NAMES), os.fsdecode(_part(line, _MOST_NAMES))
                payload = _part(line, MOST_BYTES + 1)
                if asked != stamp():
                    self._asked = -self._idle  # our packages were replaced: the next host is loaded from the new ones
                    line.sendall(REFUSED)
                elif _is_awaited(line):
                    _handle(line, payload, Path(os.fsdecode(database)), model)
                else:
                    _late()
        finally:
            self._busy.release()


def _is_awaited(line: socket.socket) -> bool:
    """Whether the caller still wants it done by us; one that waited too long does it itself, and it is done once."""
    try:
        line.sendall(TAKEN)
        return line.recv(1) == GO_ON
    except OSError:
        return False


def _late() -> None:
    """Somebody gave up waiting, and has told the others: they need not wait any more."""
    if (path := socket_path()) is not None:
        goes_on(path)


def _handle(line: socket.socket, payload: bytes, database: Path, model: str) -> None:
    """Answer, then write down what hooks before this one could not."""
    around, event = _around(model)
    handled = handle(payload, database, around, event=event)
    try:
        line.sendall(_reply(handled))
        written = handled.once_written if handled.once_written is not None and _was_written(line) else None
        line.close()
    except OSError:  # whoever asked gave up, and has left it to be done once more: it is done
        if not event:
            withdraw(payload, database, but=int(handled.kept))
        _late()
        written = None
    if written is not None and (fault := written()):
        Log(log_file()).write("warning", "hook", hook_event=handled.event, fault=fault)
    if not handled.kept:
        take_up(database)


def _was_written(line: socket.socket) -> bool:
    """Whether the caller wrote the reply to the agent; it says so once it did."""
    try:
        return line.recv(1) == WRITTEN
    except OSError:
        return False


def _around(told: str) -> tuple[Surroundings, str]:
    """What the caller's settings say, and the file of its event.

    A session's beginning and end are the hook's own business: it asks no host about them.
    """
    event, name, service, share, rules = (*told.split("\n", 4), "", "", "", "")[:5]
    around = Surroundings(lambda _: None, lambda _: None, name, service == "1", rules, _share(share))
    return around, event if is_event(event) else ""


def _share(told: str) -> float:
    try:
        return float(told)
    except ValueError:
        return 0.0


def _part(line: socket.socket, most: int) -> bytes:
    size = int.from_bytes(_exactly(line, 4), "big")
    if size > most:
        raise ValueError("too long")
    return _exactly(line, size)


def _exactly(line: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = line.recv(min(1 << 16, size - len(data)))
        if not part:
            raise ValueError("cut off")
        data += part
    return bytes(data)


def _reply(handled: Handled) -> bytes:
    """Two lines: what the log is told, then what the agent is told; either may be empty."""
    fault = json.dumps({"hook_event": handled.event, "fault": handled.fault}) if handled.fault else ""
    answer = "" if handled.reply is None else json.dumps(handled.reply)
    return f"{fault}\n{answer}\n".encode()
