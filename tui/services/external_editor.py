"""A text in the user's own pager or editor: a private file, no shell, and the workbench again afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App, SuspendNotSupported

from core.base.editor import at_line, editor_of, pager_of
from core.base.program import program
from core.process.child import how_it_ended
from core.text import visible
from core.text.cleaning import encoding_of

if TYPE_CHECKING:
    from core.errors import Case

__all__ = ["at_line", "change_in", "edit_in", "edit_outside", "editor_of", "open_demo", "pager_of", "show_in"]


def show_in(app: App[None], words: list[str], text: str, suffix: str) -> str:
    """Leave the terminal to a program that shows `text` (inert), and come back; what went wrong, or an empty string.

    The file is the user's alone (0600), and gone afterwards, however the program ends.
    """
    try:
        with _private_file(text, suffix) as file, app.suspend():
            return _run([*words, str(file.path)])[1]
    except SuspendNotSupported:
        return "This terminal cannot open an external editor."
    except OSError as error:
        return f"Cannot write a file for {words[0]}: {error.strerror or error}."


def change_in(app: App[Any], words: list[str], text: str, suffix: str) -> tuple[str | None, str]:
    """Leave the terminal to a program that may change `text`: what it made of it, or None, and what went wrong.

    What a killed program had saved is kept. A program that exits with a code refuses its text itself, as `:cq` does. A
    file that is too large, or neither UTF-8 nor, by its mark, UTF-16, stays where it is.
    """
    try:
        with _private_file(text, suffix, mode=0o600) as file:
            try:
                with app.suspend():
                    code, why = _run([*words, str(file.path)])
                saved = _read(file.path) if not why or code < 0 else text
            except ValueError as error:
                file.stays = True
                what = "did not save UTF-8" if isinstance(error, UnicodeDecodeError) else f"saved {error}"
                return None, f"Your text was not changed. {words[0]} {what}. The file is kept: {file.path}"
            except OSError as error:
                return None, f"Your text was not changed. Cannot read it from {words[0]}: {error.strerror or error}."
            if why and saved == text:
                return None, f"Your text was not changed. {why}"
            return saved, f"{why} The text that it saved is kept." if why else ""
    except SuspendNotSupported:
        return None, "This terminal cannot open an external editor."
    except OSError as error:
        return None, f"Your text was not changed. Cannot write a file for {words[0]}: {error.strerror or error}."


def _read(path: Path) -> str:
    """The text that an editor saved, in the encoding that its mark names, line ends plain.

    Raises OSError, UnicodeDecodeError, or ValueError for a file that the workbench cannot show in a moment.
    """
    if (size := path.stat().st_size) > _MOST_BYTES:
        raise ValueError(f"{size:,} bytes, the limit is {_MOST_BYTES:,}")
    saved = path.read_bytes()
    return saved.decode(encoding_of(saved)).replace("\r\n", "\n").replace("\r", "\n")


_MOST_BYTES = 1 << 20
"""Bytes that an editor may save, many times more than a fix can have."""

_END = "-->"
"""The end of the note above a fix."""


def edit_outside(app: App[Any], environ: Mapping[str, str], text: str, case: Case) -> tuple[str | None, str]:
    """The text as the editor gave it back, or None, and what went wrong."""
    words, why = editor_of(environ, to_read=False)
    if why:
        return None, why
    clean = inert(text).rstrip("\n")
    back, why = change_in(app, words, f"{_note(case)}{clean}\n", ".md")
    if back is None:
        return None, why
    found = without_note(back)
    return (text if found.rstrip("\n") == clean else found), why


def inert(text: str) -> str:
    """The text as an editor may show it: control signs drawn, line ends plain."""
    return visible(text.replace("\r\n", "\n"))


def _note(case: Case) -> str:
    line = visible(case.key_lines[0] if case.key_lines else case.error_normalized)
    line = " ".join(line.split()).replace("--", "- -")[:300]
    return f"<!-- The fix of case {case.id}, in Markdown. This note is not saved.\n     {line} {_END}\n\n"


def without_note(text: str) -> str:
    """The text behind the note, if it is still there."""
    if text.startswith("<!-- The fix of case ") and _END in text:
        text = text.partition(_END)[2]
    return text.strip("\n") + "\n" if text.strip() else ""


def edit_in(app: App[Any], words: list[str], path: Path, line: int) -> str:
    """Leave the terminal to an editor on the user's own file, at this line; what went wrong, or an empty string."""
    try:
        with app.suspend():
            return _run(at_line(words, path, line))[1]
    except SuspendNotSupported:
        return "This terminal cannot open an external editor."


def open_demo(app: App[Any]) -> str:
    """Leave the terminal to the workbench on samples, in their own casebook; what went wrong, or an empty string."""
    try:
        with app.suspend():
            sys.stdout.write("Reading the samples...\r")  # the program that starts says so on the same line
            sys.stdout.flush()
            return _run([*program(), "demo"], "casebook demo")[1]
    except SuspendNotSupported:
        return "Cannot open the demo from this terminal. Quit and run: casebook demo"


def _run(argv: list[str], name: str = "") -> tuple[int, str]:
    """Run a program to its end: its exit code, negative for a signal, and what went wrong, or an empty string.

    A signal that ends the workbench ends the program first: it would go on with a terminal that a shell uses again.
    """
    # ctrl+c belongs to the program; a handler that does nothing is not inherited, as "ignore" would be
    before: dict[int, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, lambda _number, _frame: None)}
    passed: list[int] = []
    started: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, frame: object) -> None:
        passed.append(number)
        for child in started:
            child.send_signal(number)
        if callable(handler := before[number]):
            handler(number, frame)

    try:
        for number in (getattr(signal, one) for one in ("SIGTERM", "SIGHUP") if hasattr(signal, one)):
            before[number] = signal.getsignal(number)
            signal.signal(number, pass_on)
        with subprocess.Popen(argv) as child:  # a list, so no shell reads it
            started.append(child)
            for number in tuple(passed):  # a signal during the start found no program yet
                child.send_signal(number)
            code = child.wait()
    except OSError as error:
        missing = isinstance(error, FileNotFoundError) and not name
        hint = " Set $EDITOR or $PAGER to an installed program." if missing else ""
        return 1, f"Cannot start {name or argv[0]}: {error.strerror or error}.{hint}"
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.stdout.flush()
    code = -passed[0] if passed else code  # vim exits with a code then
    return code, f"{name or argv[0]} {how_it_ended(code)}." if code else ""


@dataclass(slots=True)
class _File:
    """A file of a text for another program; `stays`: it is not removed."""

    path: Path
    stays: bool = False


@contextmanager
def _private_file(text: str, suffix: str, *, mode: int = 0o400) -> Generator[_File]:
    handle, name = tempfile.mkstemp(prefix="casebook-", suffix=suffix)  # 0600 by its own promise
    made = _File(Path(name))
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
        made.path.chmod(mode)
        yield made
    finally:
        if not made.stays:
            made.path.unlink(missing_ok=True)
