"""The hook host: answers hooks for one user's agents until none has asked for some minutes.

It is started by the first hook that met an error, listens in a folder that is its owner's alone, and does for a payload
exactly what the hook itself would do. It keeps no connection to a casebook open between two payloads.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from core.base.log import Log
from core.base.paths import log_file
from core.flows.hook.client import GO_ON, REFUSED, REPLY, TAKEN, WRITTEN, clear_hang, socket_path, stamp
from core.flows.hook.dispatch import Handled, Surroundings, handle
from core.flows.hook.first import is_event
from core.flows.hook.payload import MOST_BYTES
from core.flows.hook.spool import take_up, withdraw
from core.flows.team.sync.mark import is_marked
from core.process.endpoint import Endpoint, claim
from core.process.frames import BadFrame, Frame, join
from core.process.server import Client, Limits, Server

IDLE_S = 600.0
_LIMITS = Limits(slow=2.0, quiet=2.0, clients=32, look=5.0, grace=2.0)
_MOST = 1 << 15, MOST_BYTES + 1
"""Bytes of what a caller says of itself, and of a payload."""


def serve(idle_s: float = IDLE_S, ready: Callable[[], object] = lambda: None, first: Path | None = None) -> bool:
    """Serve until idle, or until the socket is gone; False where another host is there, or there can be none.

    `first`: the casebook of the hook that started the host; its team is followed from the beginning.
    Raises Fault io_error where there is no listening at the place.
    """
    path = socket_path()
    if path is None:
        return False
    own = claim(Endpoint(Path(path).parent, Path(path).stem, Path(path)))
    if own is None:
        return False
    try:
        _load()
        host = _Host()
        host.server = Server(own, host.answer, replace(_LIMITS, idle=idle_s), most=_MOST)
        if first is not None:
            host.keep_in_step(first)
        host.server.run("", ready)
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
    server: Server

    def __init__(self) -> None:
        self._in_step: dict[Path, threading.Thread] = {}

    def answer(self, frame: Frame, client: Client) -> None:
        """One payload, from the offer to the reply; a connection is for one."""
        self.server.touch()
        header = frame.header
        if header.get("stamp") != stamp():
            self.server.finish("stopped")  # our packages were replaced: the next host is loaded from the new ones
            client.send(join(REFUSED))
        elif _is_awaited(client):
            with suppress(ValueError):  # a casebook whose name is none
                _handle(client, frame.body, Path(str(header.get("database", ""))), header)
                self.keep_in_step(Path(str(header.get("database", ""))))
        else:
            _late()
        client.close()

    def keep_in_step(self, database: Path) -> None:
        """Sync a casebook with its team from now on, if it is in one and we do not yet."""
        running = self._in_step.get(database)
        if is_marked(database) and (running is None or not running.is_alive()):
            self._in_step[database] = threading.Thread(target=_follow, args=(database,), daemon=True)
            self._in_step[database].start()


def _follow(database: Path) -> None:
    from core.flows.team.sync.follow import follow

    log = Log(log_file())
    follow(database, time.sleep, lambda _: None, lambda fault: log.write("warning", "team sync", fault=fault))


def _is_awaited(client: Client) -> bool:
    """Whether the caller still wants it done by us; one that waited too long does it itself, and it is done once."""
    try:
        client.send(join(TAKEN))
        return _send_line(client, GO_ON)
    except OSError:
        return False


def _send_line(client: Client, what: bytes) -> bool:
    answer = client.receive()
    return answer is not None and answer.header == json.loads(what)


def _late() -> None:
    """A caller timed out and left a mark for the others: they need not wait any more."""
    if (path := socket_path()) is not None:
        clear_hang(path)


def _handle(client: Client, payload: bytes, database: Path, environment: Mapping[str, object]) -> None:
    """Answer, then write down what hooks before this one could not."""
    around, event = _around(environment)
    handled = handle(payload, database, around, event=event)
    try:
        client.send(join(REPLY, _reply(handled)))
        written = handled.once_written if handled.once_written is not None and _was_written(client) else None
        client.close()
    except OSError:  # whoever asked gave up, and has left it to be done once more: it is done
        if not event:
            withdraw(payload, database, but=int(handled.kept))
        _late()
        written = None
    if written is not None and (fault := written()):
        Log(log_file()).write("warning", "hook", hook_event=handled.event, fault=fault)
    if not handled.kept:
        take_up(database)


def _was_written(client: Client) -> bool:
    """Whether the caller wrote the reply to the agent; it says so once it did."""
    try:
        return _send_line(client, WRITTEN)
    except (OSError, BadFrame):
        return False


def _around(environment: Mapping[str, object]) -> tuple[Surroundings, str]:
    """What the caller's settings say, and the file of its event.

    A session's beginning and end are the hook's own business: it asks no host about them.
    """
    event, model, service, share, rules = (
        str(environment.get(name, "")) for name in ("event", "model", "service", "hold_back", "rules")
    )
    around = Surroundings(lambda _: None, lambda _: None, model, service == "1", rules, _share(share), team=True)
    return around, event if is_event(event) else ""


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _reply(handled: Handled) -> bytes:
    """Return two lines: the log record, then the answer; either may be empty."""
    fault = json.dumps({"hook_event": handled.event, "fault": handled.fault}) if handled.fault else ""
    answer = "" if handled.reply is None else json.dumps(handled.reply)
    return f"{fault}\n{answer}\n".encode()
