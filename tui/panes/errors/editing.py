"""A text in the user's own pager or editor: a private file, no shell, and the workbench again afterwards."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

READ_ONLY = {"vi": "-R", "vim": "-R", "nvim": "-R", "view": "-R", "nano": "-v", "micro": "-readonly true", "less": ""}
"""How editors that can are told not to write: what is changed here would be lost."""

_BY_PLUS = frozenset(
    ("vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "vis")
)
_BY_COLON = {"hx": (), "helix": (), "subl": (), "zed": (), "code": ("--goto",), "codium": ("--goto",)}
_BY_COLON |= {"cursor": ("--goto",), "code-insiders": ("--goto",)}


def pager_of(environ: Mapping[str, str]) -> tuple[list[str], str]:
    """The pager's words, or none and why: `$PAGER`, else `less` where there is one."""
    named = environ.get("PAGER", "").strip()
    if not named and (less := shutil.which("less", path=environ.get("PATH"))):
        return [less], ""
    return _words("PAGER", named, "No pager is set: try  export PAGER=less")


def editor_of(environ: Mapping[str, str], *, to_read: bool = True) -> tuple[list[str], str]:
    """The editor's words, made to read only where it can, or none and why: `$VISUAL`, else `$EDITOR`.

    Without `to_read` it may write.
    """
    name = "VISUAL" if environ.get("VISUAL", "").strip() else "EDITOR"
    words, why = _words(name, environ.get(name, "").strip(), "No editor is set: try  export EDITOR=vim")
    if not words or not to_read:
        return words, why
    return words + shlex.split(READ_ONLY.get(Path(words[0]).name, "")), why


def _words(name: str, value: str, unset: str) -> tuple[list[str], str]:
    """A command line as a list: quotes count, and nothing else of a shell does."""
    if not value:
        return [], unset
    try:
        words = shlex.split(value)
    except ValueError:
        words = []
    if not words:
        return [], f"${name} is not a command line: {value}"
    return words, ""


def show_in(app: App[None], words: list[str], text: str, suffix: str) -> str:
    """Leave the terminal to a program that shows `text` (inert), and come back; what went wrong, or an empty string.

    The file is the user's alone (0600), and gone afterwards, however the program ends.
    """
    with _private_file(text, suffix) as path:
        try:
            with app.suspend():
                return _run([*words, str(path)])
        except SuspendNotSupported:
            return "This terminal cannot be lent to another program."


def change_in(app: App[Any], words: list[str], text: str, suffix: str) -> tuple[str | None, str]:
    """Leave the terminal to a program that may change `text`: what it made of it, or None and what went wrong."""
    with _private_file(text, suffix, mode=0o600) as path:
        try:
            with app.suspend():
                why = _run([*words, str(path)])
            return (None, why) if why else (path.read_text(encoding="utf-8", errors="replace"), "")
        except SuspendNotSupported:
            return None, "This terminal cannot be lent to another program."
        except OSError as error:
            return None, f"{words[0]} left nothing to read: {error.strerror or error}"


def edit_in(app: App[Any], words: list[str], path: Path, line: int) -> str:
    """Leave the terminal to an editor on the user's own file, at this line; what went wrong, or an empty string."""
    try:
        with app.suspend():
            return _run(at_line(words, path, line))
    except SuspendNotSupported:
        return "This terminal cannot be lent to another program."


def at_line(words: list[str], path: Path, line: int) -> list[str]:
    """The command that opens a file at a line, for editors known to have one; others open it where they like."""
    name = Path(words[0]).name.removesuffix(".exe")
    if line > 1 and name in _BY_PLUS:
        return [*words, f"+{line}", str(path)]
    if line > 1 and name in _BY_COLON:
        return [*words, *_BY_COLON[name], f"{path}:{line}"]
    return [*words, str(path)]


def _run(argv: list[str]) -> str:
    # ctrl+c belongs to the program; a handler that does nothing is not inherited, as "ignore" would be
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        ended = subprocess.run(argv, check=False)  # a list, so no shell reads it
    except OSError as error:
        return f"{argv[0]} cannot be started: {error.strerror or error}"
    finally:
        signal.signal(signal.SIGINT, before)
        sys.stdout.flush()
    return "" if ended.returncode == 0 else f"{argv[0]} ended with {ended.returncode}"


@contextmanager
def _private_file(text: str, suffix: str, *, mode: int = 0o400) -> Generator[Path]:
    handle, name = tempfile.mkstemp(prefix="casebook-", suffix=suffix)  # 0600 by its own promise
    path = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
        path.chmod(mode)
        yield path
    finally:
        path.unlink(missing_ok=True)
