"""`casebook hook`: one payload of an agent's hook in, at most one answer out, exit 0 whatever happens.

It runs a thousand times a day beside somebody's work, so it builds no argument parser, reads the settings only where
there are any, and ends without tearing the interpreter down. A watchdog ends it before an agent would notice.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from core.folders import config_file, database_file, log_file

if TYPE_CHECKING:
    import argparse

    from cli.context import Context
    from core.flows.hook.payload import Payload

DEADLINE_MS = 1_600
"""After so long the process ends, answer or not, unless a setting says otherwise."""
_ANSWERED = 0


def run(argv: Sequence[str]) -> NoReturn:
    """Handle the payload on standard input. `argv`: `--db PATH`, `--config FILE`."""
    try:
        if "--after" in argv:
            _after(list(argv))
        else:
            watchdog = _Watchdog(DEADLINE_MS)
            _handle(list(argv), watchdog)
            watchdog.cancel()
    except BaseException as error:  # noqa: BLE001 a hook never fails
        _log("error", "hook failed", error=f"{type(error).__name__}: {error}")
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(_ANSWERED)  # nothing is open any more; taking the interpreter down would cost a fifth of the whole


def add_to(parser: argparse.ArgumentParser, shared: object) -> None:
    """The arguments, for the help: the command itself is answered before any parser is built."""
    parser.epilog = (
        "Called by an agent's hooks with a JSON payload on standard input; set up by `casebook hooks install`."
    )
    parser.set_defaults(run=_by_parser)


def _by_parser(args: argparse.Namespace, context: Context) -> int:
    """`casebook --db X hook`: the same, found by the parser."""
    run(["--db", str(context.database)])


def _handle(argv: list[str], watchdog: _Watchdog) -> None:
    if sys.stdin is None or sys.stdin.isatty():
        sys.stderr.write("casebook hook: waits for an agent's payload on standard input; see `casebook hooks --help`\n")
        return
    database, deadline_ms = _settings(argv)
    if deadline_ms != DEADLINE_MS:
        watchdog.set(deadline_ms)
    from core.flows.hook.handle import Surroundings, handle

    given = [f"{name}={value}" for name in ("--db", "--config") if (value := _option(argv, name))]
    handled = handle(_payload(), database, Surroundings(lambda payload: _ended(payload, given), _began))
    if handled.reply is not None:
        import json

        sys.stdout.write(json.dumps(handled.reply) + "\n")
        sys.stdout.flush()
    if handled.fault:
        _log("warning", "hook", hook_event=handled.event, fault=handled.fault)


def _payload() -> bytes:
    from core.flows.hook.payload import MOST_BYTES

    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    while len(data) > MOST_BYTES and sys.stdin.buffer.read(1 << 20):
        pass  # the agent must not find its pipe broken
    return data


def _option(argv: list[str], name: str) -> str:
    for at, word in enumerate(argv):
        if word == name and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith(f"{name}="):
            return word[len(name) + 1 :]
    return ""


def _settings(argv: list[str]) -> tuple[Path, int]:
    """The casebook in force, and the deadline. Without settings of any kind both are the default: nothing is read."""
    named, config = _option(argv, "--db"), _option(argv, "--config")
    if not config and not config_file().exists() and not any(name.startswith("CASEBOOK_") for name in os.environ):
        return Path(named) if named else database_file(), DEADLINE_MS
    from core.config import database_path, load_config

    settings = load_config(Path(config) if config else None).values
    return Path(named) if named else database_path(settings), settings.hook.deadline_ms


def _ended(payload: Payload, given: list[str]) -> None:
    """Read the session that has ended, in a process of its own."""
    if payload.transcript and Path(payload.transcript).is_file():
        from core.flows.hook.after import start_detached

        start_detached(["hook", "--after", payload.transcript, *given])


def _began(payload: Payload) -> None:
    """Have the model ready by the time it is asked."""


def _after(argv: list[str]) -> None:
    """The detached half: import the transcript, then embed what is new. Nobody waits for it."""
    from core.flows.hook.after import read_session

    report = read_session(_settings(argv)[0], Path(_option(argv, "--after")))
    _log("info", "session read", **report)


class _Watchdog:
    """Ends the process, well, when its time is up; setting it again starts the time anew."""

    def __init__(self, ms: int) -> None:
        self._timer: threading.Timer | None = None
        self.set(ms)

    def set(self, ms: int) -> None:
        self.cancel()
        self._timer = threading.Timer(ms / 1000, _give_up, (ms,))
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _give_up(ms: int) -> NoReturn:
    _log("warning", "hook", fault=f"it took longer than {ms} ms and was given up")
    os._exit(_ANSWERED)


def _log(level: str, event: str, **facts: object) -> None:
    with contextlib.suppress(Exception):
        from core.log import Log

        Log(log_file()).write(level, event, **facts)  # pyright: ignore[reportArgumentType]
