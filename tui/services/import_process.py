"""Importing in a process of its own: it takes a core for minutes, and on a thread here every key would wait for it.

Left behind by quitting it ends after the batch it is at, and the next import goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.runtime.child_process import Child, fault_of
from tui.services.import_child import import_into

if TYPE_CHECKING:
    from core.flows.transcripts.report import ImportReport, Progress

CHILD = "from tui.services.import_child import main"


class ImportProcess:
    """One import. `stop` may be called at any time and from any thread, also more than once."""

    def __init__(self, casebook: Path, paths: Sequence[Path]) -> None:
        self._casebook = casebook
        self._paths = tuple(paths)
        self._stopped = False
        self._child = Child(CHILD, casebook, *self._paths)

    def stop(self) -> None:
        """Ask it to stop after the batch it is at; what it has read stays. Returns at once."""
        self._stopped = True
        self._child.stop()

    def run(self, tell: Callable[[Progress], None]) -> ImportReport:
        """Import, and call `tell` with each progress; waits for the end.

        Raises Fault: what `import_into` raises; generic where the process has died.
        """
        try:
            self._child.begin()
        except OSError:  # no memory for it, no process left: slower for whoever types meanwhile, but it is done
            return import_into(self._casebook, self._paths, tell, lambda: self._stopped)
        with self._child:
            for said in self._child.said():
                if (report := _heard(said, tell)) is not None:
                    return report
        raise self._child.died("The import")


def _heard(said: bytes, tell: Callable[[Progress], None]) -> ImportReport | None:
    """Hand on a progress; the report at the end, or its Fault."""
    from core.flows.transcripts.report import ImportReport, Progress, SkippedLine

    value: dict[str, Any] = json.loads(said)
    kind = value.pop("schema_version")
    if kind == Progress.SCHEMA:
        tell(Progress(**value))
        return None
    if kind == ImportReport.SCHEMA:
        skipped = tuple(SkippedLine(**line) for line in value.pop("skipped"))
        return ImportReport(**value, skipped=skipped)
    raise fault_of(value)
