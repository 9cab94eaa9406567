"""`casebook hook`: one payload of an agent's hook in, at most one answer out, exit 0 whatever happens.

It runs a thousand times a day beside somebody's work. So it asks the hook host, which has everything loaded; where
there is none it does the work itself and leaves a host behind. It builds no argument parser, reads the settings only
where there are any, and ends without tearing the interpreter down. A watchdog ends it before an agent would notice.
"""

from __future__ import annotations

import os
import sys
import threading

from core.base.paths import folder_name, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from cli.context import Context
    from core.flows.hook.agents.translation import Translation
    from core.flows.hook.dispatch import Handled
    from core.flows.hook.payload import Payload

PROBE = "CASEBOOK_HOOK_PROBE"
"""The variable by which `casebook hooks status` has an installed hook answer from a casebook made for the test."""
DEADLINE_MS = 1_600
"""After so long the process ends, answer or not, unless a setting says otherwise."""
_WORTH_A_HOST = (b'"PostToolUseFailure"', b'"PostToolUse"', b'"PreToolUse"')
_FOREIGN = (b'"cursor_version"', b'"turn_id"', b'_result_for_llm"')
"""Marks of payloads that other agents send to the hooks in Claude Code's settings, or in its plugins."""
_ANSWERED = 0
_SAVE_S = 2.4
"""Seconds after the deadline to read and save the event. An agent waits 5 s in all, so the event comes first."""
_LAST_WORDS_S = 0.3
"""Seconds after that to write the log and start a host."""
_SPARE_S, _SPARE_FILES, _SPARE_BYTES = 0.2, 3, 16_384
"""Limits for earlier events that a hook records: seconds, files, bytes of a file. A larger event would take each hook
to its deadline, so a host or an import records it."""


def run(argv: Sequence[str]) -> NoReturn:
    """Handle the payload on standard input. `argv`: `--db PATH`, `--config FILE`."""
    given, ended = list(argv), _ANSWERED
    try:
        if "--after" in given:
            _after(given)
        elif "--team" in given:
            _take_lessons(given)
        elif "--host" in given:
            _serve(_option(given, "--db"))
        else:
            watchdog = _Watchdog(DEADLINE_MS)
            ended = _handle(given, watchdog)
            watchdog.cancel()
    except BaseException as error:  # noqa: BLE001 a hook never fails
        _log("error", "hook failed", error=f"{type(error).__name__}: {error}")
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        pass  # whoever asked is gone
    os._exit(ended)  # nothing is open any more; taking the interpreter down would cost a fifth of the whole


def add_to(parser: argparse.ArgumentParser, shared: object) -> None:
    """The arguments, for the help: the command itself is answered before any parser is built."""
    parser.epilog = "Your agent runs this command with JSON on stdin. To set up the hooks, run: casebook hooks install"
    parser.add_argument("--agent", metavar="NAME", help="calling agent (default: Claude Code)")
    parser.set_defaults(run=_by_parser)


def _by_parser(args: argparse.Namespace, context: Context) -> int:
    """`casebook --db X hook`: the same, found by the parser."""
    run(["--db", str(context.database)])


def _handle(argv: list[str], watchdog: _Watchdog) -> int:
    """Answer the payload on standard input; returns the exit code, which is 0 unless the agent's protocol asks else."""
    if sys.stdin is None or sys.stdin.isatty():
        sys.stderr.write("casebook hook: waiting for a hook payload on stdin (see `casebook hooks --help`)\n")
        return _ANSWERED
    with watchdog.first:  # whatever happens from here on, the event is not lost
        found = _settings(argv)
        if found.deadline_ms != DEADLINE_MS:
            watchdog.set(found.deadline_ms)
        from core.flows.hook.first import keep_first

        translated, writer = _translated(_payload(), _option(argv, "--agent"))
        if translated is None:
            return _ANSWERED
        payload = translated
        event = keep_first(payload, found.database)
    watchdog.keep = None if event else (payload, found.database)
    hosted = found.host and any(name in payload for name in _WORTH_A_HOST)
    hung = None
    if hosted:
        from core.flows.hook.client import UnansweredError, ask

        try:
            wait = found.deadline_ms / 1000
            settings = found.model, found.service, found.hold_back, found.rules
            if ask(payload, found.database, settings, wait, event, writer.pass_on):
                return writer.exit_code
        except UnansweredError as error:
            hung = error
    if hung is not None and hung.taken and not event:
        from core.flows.hook.spool import put

        put(payload, found.database)  # the host may have written it down: then it takes this away
    watchdog.host = found.database if hosted and hung is None else ""
    handled = _answer_here(payload, found, argv, event, writer, taken=hung is not None and hung.taken)
    watchdog.keep, watchdog.host = None, ""
    if hosted and hung is None and (handled.event != "PreToolUse" or handled.rules > 0):
        _leave_host(found.database)
    if hung is not None and hung.sent:
        _log("warning", "hook", fault="hook host timeout: answered without it")
    if not handled.kept and (hung is None or not hung.taken):  # else it may be written down right now
        _take_up(found)
    return writer.exit_code


def _leave_host(database: str) -> None:
    from pathlib import Path

    from core.flows.hook.client import socket_path
    from core.process.lock import is_locked
    from core.process.spawn import start_detached

    path = socket_path()
    if path is not None and not is_locked(Path(path).with_suffix(".lock")):  # else a host starts, or cannot
        start_detached(["hook", "--host", f"--db={database}"])


def _serve(database: str) -> None:
    from pathlib import Path

    from core.flows.hook.server import serve

    serve(first=Path(database) if database else None)


def _answer_here(
    payload: bytes, found: _HookSettings, argv: list[str], event: str, writer: _Writer, *, taken: bool
) -> Handled:
    """Answer without a host. `taken`: one has it, and says nothing."""
    import json
    from pathlib import Path

    from core.flows.hook.dispatch import Surroundings, handle

    given = [f"{name}={value}" for name in ("--db", "--config") if (value := _option(argv, name))]
    around = Surroundings(
        lambda event: _ended(event, given), lambda event: _began(found), found.model, found.service, found.rules,
        found.hold_back,
    )  # fmt: skip
    handled = handle(payload, Path(found.database), around, taken=taken, event=event)
    if handled.reply is not None:
        writer.write(json.dumps(handled.reply) + "\n")
    if handled.fault:
        _log("warning", "hook", hook_event=handled.event, fault=handled.fault)
    if handled.once_written is not None and (fault := handled.once_written()):
        _log("warning", "hook", hook_event=handled.event, fault=fault)
    return handled


def _take_up(found: _HookSettings) -> None:
    """Write down what hooks before this one could not: a little of it, because the agent waits."""
    folder = os.path.join(folder_name("state"), "hooks")
    if sys.platform == "win32" or os.path.isdir(folder):
        from pathlib import Path

        from core.flows.hook.spool import take_up

        take_up(Path(found.database), seconds=_SPARE_S, most=_SPARE_FILES, most_bytes=_SPARE_BYTES)


class _Writer:
    """Writes the reply to the agent, in the agent's own form. `exit_code` is what the process ends with."""

    def __init__(self, translation: Translation | None) -> None:
        self._translation = translation
        self.exit_code = _ANSWERED

    def pass_on(self, answer: bytes) -> None:
        """What the host said: a line for the log, a line for the agent."""
        record, _, reply = answer.decode().partition("\n")
        if reply.strip():
            self.write(reply)
        if record:
            import json

            _log("warning", "hook", **json.loads(record))

    def write(self, reply: str) -> None:
        if self._translation is not None:
            import json

            reply, self.exit_code = self._translation.reply(json.loads(reply))
        sys.stdout.write(reply)
        sys.stdout.flush()


def _translated(payload: bytes, agent: str) -> tuple[bytes | None, _Writer]:
    """The payload in casebook's own form (None: nothing to do), and what writes the reply."""
    guessed = not agent and any(mark in payload for mark in _FOREIGN)
    if (agent and agent != "claude-code") or guessed:
        from core.flows.hook.agents.translation import AGENTS, agent_of, translate

        agent = agent or agent_of(payload)
        translation = translate(payload, agent, guessed=guessed) if agent in AGENTS else None
        if translation is not None:
            twice = guessed and agent == "cursor" and _has_own_hooks()
            return None if twice else translation.payload or None, _Writer(translation)
        if not guessed:
            _log("warning", "hook", fault=f"the payload was rejected: it is not from {agent}")
            return None, _Writer(None)
    return payload, _Writer(None)


def _has_own_hooks() -> bool:
    """Whether Cursor calls casebook by its own hooks: it runs those of Claude Code's settings as well."""
    try:
        with open(os.path.join(os.path.expanduser("~"), ".cursor", "hooks.json"), "rb") as file:
            return b" hook --agent cursor" in file.read(1 << 20)
    except OSError:
        return False


def _payload() -> bytes:
    most = 8 << 20  # as core.flows.hook.payload has it, which is not loaded for this
    data = sys.stdin.buffer.read(most + 1)
    while len(data) > most and sys.stdin.buffer.read(1 << 20):
        pass  # the agent must not find its pipe broken
    return data


def _option(argv: list[str], name: str) -> str:
    for at, word in enumerate(argv):
        if word == name and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith(f"{name}="):
            return word[len(name) + 1 :]
    return ""


class _HookSettings:
    """The settings that a hook needs; plain, because a dataclass takes as long to load as the rest."""

    def __init__(
        self,
        database: str,
        deadline_ms: int = DEADLINE_MS,
        host: bool = True,
        model: str = "",
        service: bool = True,
        config: str = "",
        rules: str = "",
        hold_back: float = 0.0,
    ) -> None:
        self.database, self.deadline_ms, self.host = database, deadline_ms, host
        self.model, self.service, self.config, self.rules = model, service, config, rules
        self.hold_back = hold_back


def _settings(argv: list[str]) -> _HookSettings:
    """The settings in force. Where there are none of any kind all of them are the default, and nothing is read."""
    named, config = os.environ.get(PROBE) or _option(argv, "--db"), _option(argv, "--config")
    if not config and not _has_settings():
        return _HookSettings(os.path.abspath(named or os.path.join(folder_name("data"), "casebook.db")))
    from pathlib import Path

    from core.base.config.settings_sources import database_path, load_config

    settings = load_config(Path(config) if config else None).values
    database = os.path.abspath(named or database_path(settings))
    hook, embedding, rules = settings.hook, settings.embedding, settings.rules
    without = "" if rules.bans else " without bans"
    told = f"{rules.hook_most}{without}\n{rules.files}\n{rules.project_files}\n{rules.trust}" if rules.hook else "off"
    known = database, hook.deadline_ms, hook.host, embedding.model, embedding.service, config, told
    return _HookSettings(*known, hook.hold_back)


def _has_settings() -> bool:
    if sys.platform == "win32" or any(name.startswith("CASEBOOK_") for name in os.environ):
        return True  # elsewhere than on Windows the folders' names are known without asking
    return os.path.exists(os.path.join(folder_name("config"), "config.toml"))


def _ended(payload: Payload, given: list[str]) -> None:
    """Read the session that has ended, in a process of its own."""
    if payload.transcript and os.path.isfile(payload.transcript):
        from core.process.spawn import start_detached

        start_detached(["hook", "--after", payload.transcript, *given])


def _began(found: _HookSettings) -> None:
    """Have the model ready by the time it is asked, where the casebook has vectors of it."""
    from pathlib import Path

    from core.flows.hook.session_end import warm_model

    warm_model(Path(found.database), found.model, service=found.service)


def _after(argv: list[str]) -> None:
    """The detached half: import the transcript, then embed what is new. No process waits for it."""
    from pathlib import Path

    from core.flows.hook.session_end import read_session

    found = _settings(argv)
    report = read_session(Path(found.database), Path(_option(argv, "--after")), found.model)
    _log("info", "session read", **report)


def _take_lessons(argv: list[str]) -> None:
    """The detached half for a large lessons file: import it. No process waits for it."""
    from pathlib import Path

    from core.flows.team.fresh import take_changed_at

    done = take_changed_at(Path(_settings(argv).database), _option(argv, "--team"))
    _log("info", "team lessons", imported=done)


class _Watchdog:
    """Ends the process cleanly at its deadline; setting it again restarts the time.

    `first` is held while an event is read and written down: so long it waits (`_SAVE_S`). `keep` is what must not be
    lost then: a payload that is in no file, and the casebook it is for. `host`: the casebook whose hooks get a host, or
    empty: what took too long here (a very large rule file) is done by it for the next ones, once.
    """

    def __init__(self, ms: int) -> None:
        self._timer: threading.Timer | None = None
        self._ms = ms
        self._once = threading.Lock()
        self.first = threading.Lock()
        self.keep: tuple[bytes, str] | None = None
        self.host = ""
        self.set(ms)

    def set(self, ms: int) -> None:
        self.cancel()
        self._ms = ms
        self._timer = _timer(ms / 1000, lambda: self.give_up(ms))

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def give_up(self, ms: int) -> None:
        """Leave the event to the next hook or import; this must be fast too. `ms`: the deadline that has passed."""
        if not self._once.acquire(blocking=False):
            threading.Event().wait(2 * _LAST_WORDS_S)  # the other thread is at it
            os._exit(_ANSWERED)
        if self.first.acquire(timeout=_SAVE_S) and self._ms != ms:  # the settings, read late, give it more time
            self._once.release()
            self.first.release()
            return
        _timer(_LAST_WORDS_S, lambda: os._exit(_ANSWERED))
        _log_bare(f"timeout after {self._ms} ms")
        kept = False
        if self.keep is not None:
            from core.flows.hook.spool import put

            kept = put(*self.keep)
        if kept:
            _log("info", "hook", told="the next hook or import processes the event")
        if self.host:
            try:
                _leave_host(self.host)
            except OSError:
                pass  # the next one tries again
        os._exit(_ANSWERED)


def _timer(seconds: float, do: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()
    return timer


def _log_bare(fault: str) -> None:
    """A warning in the log without loading the log: a machine too busy for the work has no time for that either, and
    another thread may hold an import lock. `fault` is ASCII without quotes or backslashes."""
    if sys.platform == "win32":  # the state folder has another name there
        _log("warning", "hook", fault=fault)
        return
    from time import gmtime, strftime

    at = strftime("%Y-%m-%dT%H:%M:%S.000Z", gmtime())
    line = f'{{"ts": "{at}", "level": "warning", "event": "hook", "pid": {os.getpid()}, "fault": "{fault}"}}\n'
    folder = folder_name("state")
    try:
        make_folder(folder)
        no_wait = getattr(os, "O_NONBLOCK", 0)
        handle = os.open(os.path.join(folder, "casebook.log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT | no_wait, 0o600)
        os.write(handle, line.encode())
        os.close(handle)
    except OSError:
        pass


def _log(level: str, event: str, **facts: object) -> None:
    try:
        from core.base.log import Log
        from core.base.paths import log_file

        Log(log_file()).write(level, event, **facts)  # pyright: ignore[reportArgumentType]
    except Exception:  # noqa: BLE001 a log serves, it never stands in the way
        pass
