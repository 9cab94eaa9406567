"""What the workbench lets run for minutes in a process of its own: an import, harvesting again, embedding.

The `run_…` functions are called there; a stopped one stops between two batches, sessions or slices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.base.fault import Fault
from core.process.task import Task
from core.process.worker import Call
from tui.runtime.jobs import Job

if TYPE_CHECKING:
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.runtime.report import EmbedReport
    from core.flows.transcripts.report import ImportAgain, ImportReport

BATCH_GRACE = 60.0
"""Seconds an import has for its batch once it is stopped; what that would have stored is read again."""
_SLICE_GRACE = 3.0
"""Seconds for a slice of texts, or for loading the model: what is not written waits for the next run."""


def import_task(casebook: Path, paths: Sequence[Path]) -> Task[ImportReport]:
    """An import of these files and folders; its progress is `progress.v1`."""
    return Task("The import", run_import, (casebook, tuple(paths)), grace=BATCH_GRACE)


def harvest_task(casebook: Path, *, apply: bool) -> Task[ImportAgain]:
    """Harvesting what was imported before: shows what would change, or applies it."""
    return Task("Harvesting again", run_harvest, (casebook, apply), grace=BATCH_GRACE)


def embedding_task(casebook: Path, settings: EmbeddingSettings) -> Task[EmbedReport]:
    """Embedding what waits. In a thread the model would let go of the interpreter, but loading it would not."""
    args = casebook, settings.as_dict()
    return Task("Embedding", run_embedding, args, grace=_SLICE_GRACE, one_core=True, here=False)


def job_of(task: Task[Any]) -> Callable[[Job[object]], object]:
    """A job that lets a task run to its end, and hands over its progress."""

    def work(job: Job[object]) -> object:
        job.on_stop(task.stop)
        return task.run(job.partial)

    return work


def run_import(call: Call, casebook: Path, paths: Sequence[Path]) -> ImportReport:
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
        report = import_transcripts(store, "auto", paths, on_progress=call.tell, cancelled=call.is_cancelled)
        if not report.canceled:
            align_due(store, on_progress=call.tell, cancelled=call.is_cancelled)
        return report


def run_harvest(call: Call, casebook: Path, apply: bool) -> ImportAgain:
    """Harvest every imported session again; without `apply` the result is kept beside the casebook, not applied.

    Raises Fault: what `harvest_again` raises.
    """
    from core.errors.curation.transaction import person
    from core.flows.system.evidence import align_due
    from core.flows.transcripts.reharvest import harvest_again
    from core.store import open_store

    with open_store(casebook, write=True) as store:
        report = harvest_again(
            store, actor=person(), dry_run=not apply, keep=True, on_progress=call.tell, cancelled=call.is_cancelled
        )
        if report.applied:
            align_due(store, on_progress=call.tell, cancelled=call.is_cancelled)
        return report


def run_embedding(call: Call, casebook: Path, settings: dict[str, Any]) -> EmbedReport:
    """Embed what waits with one thread. Raises Fault: what `embed_pending` raises."""
    from core.base.config.settings import EmbeddingSettings
    from core.flows.system.embedding import embed_pending

    chosen = EmbeddingSettings(**settings)
    return embed_pending(casebook, settings=chosen, threads=1, progress=call.tell, stop=call.is_cancelled)
