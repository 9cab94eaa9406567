"""Importing in a process of its own: it takes a core for minutes, and on a thread here every key would wait for it.

Quitting leaves it behind, its pipe closed: it ends after the batch it is at, and the next import goes on from there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.fault import Fault
from tui.panes.errors.import_child import import_into

if TYPE_CHECKING:
    from core.flows.import_report import ImportReport, Progress

ROOT = Path(__file__).resolve().parents[3]

CHILD = "from tui.panes.errors.import_child import main"

_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); {}; sys.exit(main(*sys.argv[1:]))"


class ImportProcess:
    """One import. `stop` may be called at any time and from any thread, also more than once."""

    def __init__(self, casebook: Path, paths: Sequence[Path]) -> None:
        self._casebook = casebook
        self._paths = tuple(paths)
        self._stopped = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._guard = threading.Lock()

    def stop(self) -> None:
        """Ask it to stop after the batch it is at; what it has read stays. Returns at once."""
        self._stopped.set()
        with self._guard:
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.close()

    def run(self, tell: Callable[[Progress], None]) -> ImportReport:
        """Import, and call `tell` with each progress; waits for the end.

        Raises Fault: what `import_into` raises; generic where the process has died.
        """
        try:
            process = self._begin()
        except OSError:  # no memory for it, no process left: slower for whoever types meanwhile, but it is done
            return import_into(self._casebook, self._paths, tell, self._stopped.is_set)
        try:
            for said in _lines(process):
                if (report := _heard(said, tell)) is not None:
                    return report
        finally:
            self.stop()
            code = process.wait()
            if process.stdout is not None:
                process.stdout.close()
        raise Fault(
            "generic",
            f"The import ended before its time (its process, with {code}).",
            "What it read stays: the next import goes on from there.",
        )

    def _begin(self) -> subprocess.Popen[bytes]:
        if not sys.executable or getattr(sys, "frozen", False):
            raise FileNotFoundError(sys.executable)
        # -P: a module in the folder where one happens to stand is none of ours.
        argv = (sys.executable, "-P", "-c", _START.format(CHILD), ROOT, self._casebook, *self._paths)
        # A group of its own, for Ctrl-C is not meant for it; but of one session, where the kernel shares out by these:
        # it then gives way to the workbench.
        process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            process_group=0,
        )  # fmt: skip
        with self._guard:
            self._process = process
        if self._stopped.is_set():
            self.stop()
        return process


def _lines(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """What the process says, line by line, until it ends."""
    if process.stdout is None:
        return
    rest = b""
    while piece := process.stdout.read(65_536):
        *whole, rest = (rest + piece).split(b"\n")
        yield from whole


def _heard(said: bytes, tell: Callable[[Progress], None]) -> ImportReport | None:
    """Hand on a progress; the report at the end, or its Fault."""
    from core.flows.import_report import ImportReport, Progress, SkippedLine

    value: dict[str, Any] = json.loads(said)
    kind = value.pop("schema_version")
    if kind == Progress.SCHEMA:
        tell(Progress(**value))
        return None
    if kind == ImportReport.SCHEMA:
        skipped = tuple(SkippedLine(**line) for line in value.pop("skipped"))
        return ImportReport(**value, skipped=skipped)
    fault = Fault(value["code"], value["message"], value["hint"])
    if trace := value["details"].get("trace"):
        raise fault from RuntimeError(trace)
    raise fault
