"""What runs in the import's own process: see `tui.runtime.child_side`. It stops between two batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.fault import Fault
from tui.runtime.child_side import Tell, serve

if TYPE_CHECKING:
    from core.flows.transcripts.report import ImportReport, Progress

GRACE = 60.0
"""Seconds it has for the batch it is at; then it is ended, and what that batch would have stored is read again."""


def import_into(
    casebook: Path, paths: Sequence[Path], tell: Callable[[Progress], None], cancelled: Callable[[], bool]
) -> ImportReport:
    """Import these files and folders, whole batches only; the casebook is made if there is none.

    Raises Fault: db_locked while another import runs on it, and what `import_transcripts` raises.
    """
    from core.flows.system.evidence import align_due
    from core.flows.transcripts.api import import_transcripts
    from core.store import jobs, open_store

    with open_store(casebook, write=True, create=True) as store:
        store.require_write()
        other = jobs.running(store, "import")
        if other is not None:
            raise Fault(
                "db_locked",
                f"Another import is running on this casebook (process {other.pid}).",
                "Its cases appear here as it goes on.",
            )
        report = import_transcripts(store, "auto", paths, on_progress=tell, cancelled=cancelled)
        if not report.canceled:
            align_due(store, on_progress=tell, cancelled=cancelled)
        return report


def main(casebook: str, *paths: str) -> int:
    """Import, telling each `progress.v1`, and at the end the `import_report.v1` or an `error.v1`."""

    def work(tell: Tell, stopped: Callable[[], bool]) -> object:
        return import_into(Path(casebook), [Path(path) for path in paths], tell, stopped)

    return serve(work, GRACE)
