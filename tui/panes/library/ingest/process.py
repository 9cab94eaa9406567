"""Ingesting in a process of its own: it takes a core for minutes, and on a thread here every key would wait for it.

Left behind by quitting it ends after the file it is at, and the next ingest goes on from there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.panes.library.ingest.child import ingest_into
from tui.runtime.child_process import Child, fault_of

if TYPE_CHECKING:
    from core.base.config.settings import ChunkingSettings
    from core.library.ingest.progress import IngestPace
    from core.library.ingest.report import IngestReport

CHILD = "from tui.panes.library.ingest.child import main"


class IngestProcess:
    """One ingest. `stop` may be called at any time and from any thread, also more than once."""

    def __init__(
        self, casebook: Path, roots: Sequence[Path], chunking: ChunkingSettings, korean: str = "bigrams"
    ) -> None:
        self._casebook = casebook
        self._roots = tuple(roots)
        self._chunking = chunking
        self._korean = korean
        self._stopped = False
        self.lacking = ""
        """What the settings ask for and is not installed, and its remedy; known once it runs."""
        self._child = Child(CHILD, casebook, json.dumps([chunking.as_dict(), korean]), *self._roots)

    def stop(self) -> None:
        """Ask it to stop after the file it is at; what it has read stays. Returns at once."""
        self._stopped = True
        self._child.stop()

    def run(self, tell: Callable[[IngestPace], None]) -> IngestReport:
        """Ingest, and call `tell` with how it stands; waits for the end.

        Raises Fault: what `ingest` raises; generic where the process has died.
        """
        from core.library.search.morphemes import lacking

        self.lacking = lacking(self._korean)
        try:
            self._child.begin()
        except OSError:  # no memory for it, no process left: slower for whoever types meanwhile, but it is done
            from core.library.ingest.options import options_of

            options = options_of(self._chunking, self._korean)
            return ingest_into(self._casebook, self._roots, options, tell, lambda: self._stopped)
        with self._child:
            for said in self._child.said():
                if (report := _heard(said, tell)) is not None:
                    return report
        raise self._child.died("The ingest")


def _heard(said: bytes, tell: Callable[[IngestPace], None]) -> IngestReport | None:
    """Hand on how it stands; the report at the end, or its Fault."""
    from core.library.ingest.progress import IngestPace
    from core.library.ingest.report import IngestReport
    from core.library.ingest.runs import report_of

    value: dict[str, Any] = json.loads(said)
    kind = value.pop("schema_version", None)
    if kind is None:
        slowest = tuple((float(ms), str(path)) for ms, path in value.pop("slowest"))
        tell(IngestPace(**value, slowest=slowest))
        return None
    if kind != IngestReport.SCHEMA:
        raise fault_of(value)
    return report_of(value)
