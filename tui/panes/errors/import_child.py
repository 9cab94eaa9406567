"""What runs in the import's own process. It tells what it does on standard output, a JSON object a line.

It stops between two batches once its standard input is closed; that also happens when the workbench is killed.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from core.fault import Fault

if TYPE_CHECKING:
    from core.flows.import_report import ImportReport, Progress

GRACE = 60.0
"""Seconds it has for the batch it is at; then it is ended, and what that batch would have stored is read again."""

_TRACE = 4_000
_GIVES_WAY = 10
"""It takes what is left of the processor: whoever types does not wait for it."""


def import_into(
    casebook: Path, paths: Sequence[Path], tell: Callable[[Progress], None], cancelled: Callable[[], bool]
) -> ImportReport:
    """Import these files and folders, whole batches only; the casebook is made if there is none.

    Raises Fault: db_locked while another import runs on it, and what `import_transcripts` raises.
    """
    from core.flows.importing import import_transcripts
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
        return import_transcripts(store, "auto", paths, on_progress=tell, cancelled=cancelled)


def main(casebook: str, *paths: str) -> int:
    """Import, telling each `progress.v1`, and at the end the `import_report.v1` or an `error.v1`."""
    from core.wire import dumps, error_object

    if hasattr(os, "nice"):
        os.nice(_GIVES_WAY)
    heard, said = _take_pipes()
    stop = threading.Event()
    threading.Thread(target=_listen, args=(heard, stop), daemon=True).start()

    def tell(value: object) -> None:
        try:
            said.write(dumps(value).encode() + b"\n")
            said.flush()
        except OSError:  # nobody is there any more
            stop.set()

    try:
        tell(import_into(Path(casebook), [Path(path) for path in paths], tell, stop.is_set))
    except Fault as fault:
        tell(error_object(fault))
    except Exception as error:  # noqa: BLE001  whatever it is, the workbench says so and writes it to its log
        trace = traceback.format_exc()[-_TRACE:]
        tell(error_object(Fault("generic", f"{type(error).__name__}: {error}", trace=trace)))
    return 0


def _take_pipes() -> tuple[int, BinaryIO]:
    """Both pipes for this process alone: a process it starts itself, outliving it, must not hold them open."""
    heard, said = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nothing, standard)
    return heard, os.fdopen(said, "wb")


def _listen(heard: int, stop: threading.Event) -> None:
    """Ask for the end once nobody writes to the pipe any more, and see to it."""
    while os.read(heard, 64):
        continue
    stop.set()
    time.sleep(GRACE)
    os._exit(1)  # what it has started itself ends with its input
