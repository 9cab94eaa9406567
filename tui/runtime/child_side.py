"""What runs in a process of the workbench's own: it tells on standard output, a JSON object a line.

It is to stop once its standard input is closed; that also happens when the workbench is killed.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

from core.base.fault import Fault

_TRACE = 4_000
_GIVES_WAY = 10
"""It takes what is left of the processor: whoever types does not wait for it."""

Tell = Callable[[object], None]


def serve(work: Callable[[Tell, Callable[[], bool]], object], grace: float) -> int:
    """Do `work(tell, stopped)`, and tell what it returns or the `error.v1` it ended with.

    `grace`: seconds it has after it was asked to stop; then it is ended where it stands.
    """
    from core.base.wire import dumps, error_object

    if hasattr(os, "nice"):
        os.nice(_GIVES_WAY)
    heard, said = take_pipes()
    stop = threading.Event()
    threading.Thread(target=_listen, args=(heard, stop, grace), daemon=True).start()

    def tell(value: object) -> None:
        try:
            said.write(dumps(value).encode() + b"\n")
            said.flush()
        except OSError:  # nobody is there any more
            stop.set()

    try:
        tell(work(tell, stop.is_set))
    except Fault as fault:
        tell(error_object(fault))
    except Exception as error:  # noqa: BLE001  whatever it is, the workbench says so and writes it to its log
        trace = traceback.format_exc()[-_TRACE:]
        tell(error_object(Fault("generic", f"{type(error).__name__}: {error}", trace=trace)))
    return 0


def keep_to_one_core() -> None:
    """Run on one core alone, the same for all that do: on a small machine the others are for whoever types.

    Where a system cannot say so, it is left to its scheduler.
    """
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def take_pipes() -> tuple[int, BinaryIO]:
    """Both pipes for this process alone: a process it starts itself, outliving it, must not hold them open."""
    heard, said = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nothing, standard)
    return heard, os.fdopen(said, "wb")


def _listen(heard: int, stop: threading.Event, grace: float) -> None:
    """Ask for the end once nobody writes to the pipe any more, and see to it."""
    while os.read(heard, 64):
        continue
    stop.set()
    time.sleep(grace)
    os._exit(1)  # what it has started itself ends with its input
