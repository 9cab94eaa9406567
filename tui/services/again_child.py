"""What runs in the process that harvests again: see `tui.runtime.child_side`. It stops between two sessions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tui.runtime.child_side import Tell, serve
from tui.services.import_child import GRACE

if TYPE_CHECKING:
    from core.flows.transcripts.again.report import ImportAgain
    from core.flows.transcripts.report import Progress


def harvest_into(
    casebook: Path, tell: Callable[[Progress], None], cancelled: Callable[[], bool], *, apply: bool
) -> ImportAgain:
    """Harvest every imported session again; without `apply` the result is kept beside the casebook, not applied.

    Raises Fault: what `harvest_again` raises.
    """
    from core.errors.curation import person
    from core.flows.system.evidence import align_due
    from core.flows.transcripts.again.api import harvest_again
    from core.store import open_store

    with open_store(casebook, write=True) as store:
        report = harvest_again(
            store, actor=person(), dry_run=not apply, keep=True, on_progress=tell, cancelled=cancelled
        )
        if report.applied:
            align_due(store, on_progress=tell, cancelled=cancelled)
        return report


def main(casebook: str, apply: str) -> int:
    """Harvest again, telling each `progress.v1`, and at the end the `import_again.v1` or an `error.v1`."""

    def work(tell: Tell, stopped: Callable[[], bool]) -> object:
        return harvest_into(Path(casebook), tell, stopped, apply=apply == "apply")

    return serve(work, GRACE)
