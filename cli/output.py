"""What leaves the program: results to stdout, everything else to stderr; as text for people or as JSON."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TextIO

from cli.format.layout import UNCUT, one_line, width, wrap
from core.base.fault import Fault
from core.text import visible

Style = Literal["bold", "dim", "good", "warn", "bad", "code"]
_LONG, _END = 1_200, 200
"""Code points of a displayed fault, and how many of them are its end, which often has the cause."""
_LONG_RUN_S = 10.0
_SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")
_SGR: dict[Style, str] = {"bold": "1", "dim": "2", "good": "32", "warn": "33", "bad": "31", "code": "36"}


class Output(NamedTuple):
    """How to say things: as JSON or text, how much, in colour or not, how wide, and long results in a pager or not.

    `notify`: how the terminal is told that a run which began at `began` has ended (`ui.notify`), if it was long.
    `text` lines given to it must be made of own words and of foreign text that went through `visible`.
    """

    json: bool = False
    verbose: bool = False
    colour: bool = False
    columns: int = 80
    pager: bool = False
    notify: str = "off"
    began: float = 0.0

    def result(self, value: object, lines: Iterable[str]) -> None:
        """One answer: the value as one JSON object, or the lines. A progress line on the terminal is erased."""
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
        self.signal_end()
        if self.json:
            from core.base.wire import dumps

            self.line(dumps(value))
        elif self.pager:
            from shutil import get_terminal_size

            shown = list(lines)
            if _rows(shown, self.columns) >= get_terminal_size().lines:
                _page("".join(f"{line}\n" for line in shown))
            else:
                sys.stdout.writelines(f"{line}\n" for line in shown)
        else:
            for line in lines:
                self.line(line)

    def signal_end(self) -> None:
        """Tell the terminal that the run has ended if it took long: whoever started it may be elsewhere."""
        if self.notify == "off" or self.json or not sys.stderr.isatty():
            return
        if time.monotonic() - self.began >= _LONG_RUN_S:
            sys.stderr.write("\a" if self.notify == "bell" else "\x1b]9;casebook: the command has ended\a")
            sys.stderr.flush()

    def line(self, line: str) -> None:
        """One line on stdout."""
        sys.stdout.write(line + "\n")

    def note(self, line: str) -> None:
        """One line on stderr, for people only."""
        if not self.json:
            sys.stderr.write(visible(line) + "\n")

    def fault(self, fault: Fault) -> None:
        """A fault on stderr: one line, or one `error.v1` object."""
        if not self.json:
            sys.stderr.write("\n".join(_wrapped(f"casebook: {fault_line(fault)}")) + "\n")
            return
        from core.base.wire import dumps, error_object

        sys.stderr.write(dumps(error_object(fault)) + "\n")

    def paint(self, text: str, style: Style) -> str:
        """`text` (already inert) in a style, where the terminal shows any."""
        return f"\x1b[{_SGR[style]}m{text}\x1b[0m" if self.colour else text


def _wrapped(line: str) -> Iterator[str]:
    """The line as it is, or broken between words on a terminal."""
    if not sys.stderr.isatty():
        yield line
        return
    from shutil import get_terminal_size

    yield from wrap(line, get_terminal_size().columns)


def fault_line(fault: Fault) -> str:
    """What is wrong and where; what to do about it."""
    hint = fault.hint.strip().rstrip(".")
    if hint[1:2].islower():
        hint = hint[0].lower() + hint[1:]
    what = fault.message.strip().rstrip(".")
    if len(what) > _LONG:
        what = f"{what[: _LONG - _END]} … {what[-_END:]}"
    return one_line(what + (f"; {hint}" if hint else ""))


def output_for(*, json: bool, verbose: bool) -> Output:
    """The output that suits this terminal, pipe or file.

    `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE` and `COLUMNS` are obeyed everywhere, `PAGER` on a terminal.
    """
    on_terminal = sys.stdout.isatty()
    forced = any(os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))
    colour = forced or (on_terminal and os.environ.get("TERM") != "dumb")
    pager = on_terminal and not json and bool(os.environ.get("PAGER"))
    coloured = colour and not json and not os.environ.get("NO_COLOR")
    return Output(json, verbose, coloured, _columns(on_terminal), pager, began=time.monotonic())


def _columns(on_terminal: bool) -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(size := given[:9]) > 0:
        return max(40, min(int(size), UNCUT))
    if not on_terminal:
        return UNCUT
    try:
        return max(40, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return 80


def _rows(lines: list[str], columns: int) -> int:
    """The rows that lines with escape codes take on a terminal."""
    return sum(1 + max(0, width(_SEQUENCE.sub("", line)) - 1) // columns for line in lines)


def _page(text: str) -> None:
    """Show a long text in the pager. `less` draws colours, and ends at once if all fits, unless LESS says otherwise."""
    import pydoc

    os.environ.setdefault("LESS", "FRX")
    pydoc.pager(text)


def prepare_streams() -> None:
    """UTF-8 whatever the locale says, no newline translation, and no character that could end the program."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        _prepare(stream)


def _prepare(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is None:
        return
    if not stream.isatty():
        reconfigure(encoding="utf-8", errors="replace", newline="\n")
    else:
        reconfigure(errors="replace")
