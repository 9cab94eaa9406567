"""The end of the process once a model was loaded: at once, because nothing is left to do.

Taking down the interpreter with the model's modules in it takes half a second. It waits for a model that still loads,
and it aborts where a daemon thread is inside one.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def end_process(code: int) -> None:
    """End the process with `code` if a model was loaded or is being loaded; else return.

    What was printed is flushed first, no exit handler runs.
    """
    if "core.embedding.runtime.loading" not in sys.modules:
        return
    from core.embedding.runtime.loading import model_is_loaded

    if not model_is_loaded():
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # nobody reads it
            stream.flush()
    os._exit(code)
