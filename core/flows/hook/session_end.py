"""What follows a session's end, in a process of its own: its transcript is read, and what is new gets its vectors."""

from __future__ import annotations

from pathlib import Path


def read_session(database: Path, transcript: Path, model: str) -> dict[str, int]:
    """Import one transcript, then give what is new its vectors, if there is a model. Says for the log what was done.

    Raises Fault.
    """
    from core.flows.system.evidence import align_due
    from core.flows.transcripts.api import import_transcripts
    from core.store import open_store

    with open_store(database, write=True, create=True) as store:
        report = import_transcripts(store, "auto", [transcript])
        align_due(store)
    done = {"messages": report.messages, "errors": report.errors, "resolutions": report.resolutions}
    return done | {"embedded": _embed(database, model)}


def _embed(database: Path, model: str) -> int:
    """How many texts got their vector: none without a model, or while another process is at it."""
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.models.models import Absent, current
    from core.flows.system.embedding import embed_pending

    settings = EmbeddingSettings(model=model)
    if isinstance(current(settings), Absent):
        return 0
    return embed_pending(database, settings=settings, threads=1, kinds=("error",)).embedded


def warm_model(database: Path, model: str, *, service: bool) -> None:
    """Start the model service, where it may be asked and the casebook has vectors; does not wait for it."""
    from core.base.config.settings import EmbeddingSettings
    from core.embedding.index.stored import any_kept
    from core.embedding.models.models import Absent, current
    from core.embedding.service.client import Unserved, connect, worth_starting
    from core.store import faults, open_store

    found = current(EmbeddingSettings(model=model))
    if not service or isinstance(found, Absent) or not database.exists():
        return
    with open_store(database) as store, faults(database):
        vectors = any(any_kept(store.con, kind) for kind in ("error", "rule"))
    if worth_starting(service=service, vectors=vectors):
        met = connect(found.model.id, version=found.model.version, deadline_ms=50, start=True)
        if not isinstance(met, Unserved):
            met.close()
