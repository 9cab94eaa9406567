"""The agent's settings file: where it is, what a change would do, and the change, beside a copy of what was there."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.base.atomic import write_file
from core.base.fault import Fault
from core.flows.hook.settings.registration import install, registered, uninstall

MOST_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class HooksReport:
    """casebook's hooks in one settings file: which events they listen to, and what a command changed there."""

    SCHEMA: ClassVar[str] = "hooks.v1"

    path: str
    installed: bool
    events: tuple[str, ...]
    changed: bool = False
    backup: str | None = None
    diff: tuple[str, ...] = ()


def default_path(environ: Mapping[str, str]) -> Path:
    """Claude Code's own settings."""
    home = environ.get("CLAUDE_CONFIG_DIR")
    return (Path(home) if home else Path.home() / ".claude") / "settings.json"


def status(path: Path, command: str) -> HooksReport:
    """What the file says of casebook; a missing one says nothing. Raises Fault where it cannot be understood."""
    found = registered(_read(path), str(path), command)
    return HooksReport(str(path), found.complete, found.events)


def add_hooks(path: Path, command: str, *, dry: bool = False) -> HooksReport:
    """Put casebook's hooks into the file, each once. Raises Fault; then nothing was changed."""
    return _change(path, command, lambda text: install(text, str(path), command), dry=dry)


def remove_hooks(path: Path, command: str, *, dry: bool = False) -> HooksReport:
    """Take casebook's hooks out of the file. Raises Fault; then nothing was changed."""
    return _change(path, command, lambda text: uninstall(text, str(path)), dry=dry)


def _change(path: Path, command: str, edit: Callable[[str], str], *, dry: bool) -> HooksReport:
    old = _read(path)
    new = edit(old)
    diff = tuple(
        line.rstrip("\r\n")
        for line in difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), str(path), str(path), n=2
        )
    )
    found = registered(new, str(path), command)
    if dry or old == new:
        return HooksReport(str(path), found.complete, found.events, False, None, diff)
    backup = _write(path, old, new)
    return HooksReport(str(path), found.complete, found.events, True, backup, diff)


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Fault("io_error", f"cannot read {path}: {error.strerror}", "check the path and its rights") from error
    if len(data) > MOST_BYTES:
        raise Fault("invalid_input", f"{path} is larger than {MOST_BYTES >> 20} MiB", "this is no settings file")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Fault("invalid_input", f"{path}:{line}: not UTF-8", "mend the file; nothing was changed") from error


def _write(path: Path, old: str, new: str) -> str | None:
    """Write the file whole, beside a copy of the old one; returns that copy's path. A link stays a link."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        write_file(target, [new], replace=False)
        return None
    mode = stat.S_IMODE(target.stat().st_mode)
    backup = _backup(target)
    write_file(backup, [old], replace=False)
    if _read(target) != old:
        raise Fault("io_error", f"{path} has just been changed by someone else", "run the command again")
    write_file(target, [new], replace=True)
    for made in (backup, target):
        os.chmod(made, mode)  # noqa: PTH101 as its owner had it
    return str(backup)


def _backup(target: Path) -> Path:
    for number in range(1, 10_000):
        place = target.with_name(f"{target.name}.casebook-{number}.bak")
        if not place.exists():
            return place
    raise Fault("io_error", f"there are 9,999 backups beside {target}", "remove some of them")
