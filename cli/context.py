"""What a command is given besides its arguments: the settings, the casebook's place, the output, the log."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cli.output import Output
from core.base.config.settings import Settings, Value
from core.base.config.settings_sources import Config, database_path, default_config, load_config
from core.base.fault import Fault
from core.base.paths import log_file
from core.base.trace import Step

if TYPE_CHECKING:
    from core.base.log import Level
    from core.store import Store

MAX_TEXT = 64 << 20
"""Bytes of one text read from standard input."""


class Context(NamedTuple):
    """The surroundings of one command."""

    out: Output
    config: Config
    settings: Settings
    database: Path

    @contextmanager
    def store(self, *, write: bool = False, create: bool = False) -> Generator[Store]:
        """The casebook in force, open. Every error of SQLite on it is raised as a Fault."""
        from core.store import faults, open_store

        with open_store(self.database, write=write, create=create) as store, faults(self.database):
            yield store

    def log(self, level: Level, event: str, **facts: object) -> None:
        """Write a line to the log, if the settings find it worth one."""
        if level == "debug" and self.settings.log.level != "debug":
            return  # the usual case, which need not even load the log
        from core.base.log import Log

        keep = self.settings.log
        Log(log_file(), keep.level, keep.max_bytes, keep.keep).write(level, event, **facts)


def context_for(args: argparse.Namespace, out: Output, *, read_settings: bool = True) -> Context:
    """The surroundings that the options, the environment and the settings file make. Raises Fault config_invalid.

    Without `read_settings` only the options count: for commands that must work where the settings are broken.
    """
    flags: dict[str, tuple[str, Value]] = {}
    if getattr(args, "db", None) is not None:
        if not args.db:
            raise Fault("invalid_input", "--db is empty", "pass the path of a database")
        flags["store.path"] = ("--db", args.db)
    if read_settings:
        named = getattr(args, "config", None)
        config = load_config(None if named is None else Path(named), flags=flags)
    else:
        config = default_config(flags)
    for warning in config.warnings:
        out.note(f"casebook: {warning}")
    settings = config.values
    out = out._replace(notify=settings.ui.notify if read_settings else "off")
    return Context(out, config, settings, database_path(settings))


def read_text_argument(given: str | None, what: str) -> str:
    """A text from the command line, or from standard input where it is `-` or missing.

    Bytes that are no UTF-8 become U+FFFD; nothing else is changed. Raises Fault invalid_input for a missing, empty or
    oversized text.
    """
    text = given
    if text is None and sys.stdin.isatty():
        raise Fault("invalid_input", f"no {what} given", "pass it in quotes or on stdin")
    if text is None or text == "-":
        data = sys.stdin.buffer.read(MAX_TEXT + 1)
        if len(data) > MAX_TEXT:
            raise Fault("invalid_input", f"the {what} is larger than {MAX_TEXT >> 20} MiB", "pass a part of the text")
        text = data.decode("utf-8", "replace")
    if not text.strip():
        raise Fault("invalid_input", f"the {what} is empty", "pass it in quotes or on stdin")
    return text


def says_yes(question: str) -> bool:
    """Ask on standard error; anything but `y` or `yes` is a no. Ctrl-C ends the question, also within a long run."""
    import signal

    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    finally:
        signal.signal(signal.SIGINT, before)


def not_there(fault: Fault, context: Context) -> int:
    """What was named is not there, which is said as a fault, but is none: exit 1. Any other fault is raised on."""
    if fault.code != "not_indexed":
        raise fault
    context.out.fault(fault)
    return 1


def fault_in(trace: tuple[Step, ...]) -> Fault | None:
    """The fault that kept a trace from its answer, if there is one. A tier that fell out is none: the others answer."""
    for step in trace:
        code = step.fact("code")
        if step.outcome == "failed" and isinstance(code, str) and not code.startswith(("model_", "timeout")):
            return Fault(code, str(step.fact("message") or step.reason), str(step.fact("hint") or ""))  # pyright: ignore[reportArgumentType]
    return None


def open_workbench(
    context: Context,
    database: Path | None = None,
    *,
    title: str = "",
    ascii_only: bool = False,
    rules: tuple[Path, ...] = (),
    cited: str = "",
) -> int:
    """Open the workbench on the casebook in force, or on `database`; returns its exit code.

    `rules`: rule files that hold instead of those of the settings and the project around the current folder.
    `cited`: a citation, at which the library opens.
    """
    gc.disable()  # nothing that is loaded becomes garbage; the app enables it once it is warm
    from tui.shell.app import run

    place = context.database if database is None else database
    console = os.environ.get("TERM") == "linux"  # its fonts lack the signs: two states would look the same
    return run(
        place,
        title=title,
        ascii_only=ascii_only or context.settings.ui.ascii or console,
        config=context.config,
        log_line=context.log,  # pyright: ignore[reportArgumentType]  its levels are fewer than any text
        remember=database is None,
        rules=rules,
        cited=cited,
    )
