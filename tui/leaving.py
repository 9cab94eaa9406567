"""The end of the process once a model was loaded: at once, for there is nothing left to do.

To take down the interpreter with the model's modules in it takes half a second, and it aborts where a thread is still
inside of them.
"""

from __future__ import annotations

import atexit
import os
import sys

from core.embedding.loaded import model_is_loaded


def end_at_once(code: int) -> None:
    """When the process is about to end with `code`, leave out the rest, if a model was loaded or is being loaded."""
    if model_is_loaded():
        atexit.register(_end, code)


def _end(code: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
