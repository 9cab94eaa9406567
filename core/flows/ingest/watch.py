"""Following changes: the folders of the library are watched, and what changed is read at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.base.fault import Fault
from core.flows.ingest.api import ingest
from core.library.documents.read import sources
from core.library.ingest.options import IngestOptions
from core.library.ingest.readers import FOLDERS
from core.library.ingest.report import IngestReport
from core.store import Store

LOOK_MS = 500
"""How often `stop` is asked, and folders are looked at where nobody tells of a change (a network drive does not)."""
_SETTLE_MS = 400


def watch_library(
    store: Store,
    options: IngestOptions,
    tell: Callable[[IngestReport], object],
    stop: Callable[[], bool],
    ready: Callable[[], object] = lambda: None,
) -> None:
    """Follow the folders of the library until `stop`; after each change read what changed, then `tell`.

    `ready` is called once they are watched. While another ingest runs it waits for that one's end. Belongs to one
    thread. Raises Fault not_indexed where the library has no folder that is there, and what `ingest` raises.
    """
    from watchfiles import watch

    roots = [one.root for one in sources(store.con) if Path(one.root).is_dir()]
    if not roots:
        raise Fault("not_indexed", "The library has no folder to watch.", "Name one: casebook library ingest FOLDER")
    events = watch(
        *roots,
        watch_filter=lambda _, name: FOLDERS.isdisjoint(Path(name).parts),
        debounce=_SETTLE_MS, step=50, rust_timeout=LOOK_MS, yield_on_timeout=True, raise_interrupt=False,
        ignore_permission_denied=True,
    )  # fmt: skip
    told = waiting = False
    for changes in events:
        if not told:
            told = True
            ready()
            waiting = True  # what changed between the last ingest and the first look
        if stop():
            return
        if not changes and not waiting:
            continue
        try:
            report = ingest(store, (), options, cancelled=stop)
        except Fault as fault:
            if fault.code != "db_locked":
                raise
            waiting = True
            continue
        waiting = False
        if report.new or report.updated or report.moved or report.removed or report.errors:
            tell(report)
