"""Loading a model in native code, on a thread that is never ended in the middle of it.

Python ends daemon threads at exit. One that is inside onnxruntime then aborts the whole process (SIGABRT). So the load
has a thread of its own that Python waits for at exit, and a caller can stop waiting for it at any time.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

_HEAVY = ("numpy", "onnxruntime", "fastembed")
_NAME = "casebook-model-load"
_LOOK_S = 0.05
"""Seconds between two looks whether the caller still wants the model."""


class LoadStoppedError(Exception):
    """The caller no longer wants the model; the load continues and its result is dropped."""


def model_is_loaded() -> bool:
    """Whether a model was loaded here, or is being loaded right now. Loads nothing."""
    return any(name in sys.modules for name in _HEAVY) or any(one.name == _NAME for one in threading.enumerate())


def load_on_thread(load: Callable[[], _T], stop: Callable[[], bool] = lambda: False) -> _T:
    """The result of `load`, run on a thread of its own; raises what it raises.

    On the main thread Ctrl-C interrupts the wait. Raises LoadStoppedError once `stop` says so.
    """
    result: list[_T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            result.append(load())
        except BaseException as error:  # noqa: BLE001 raised again on the caller's thread
            raised.append(error)

    thread = threading.Thread(target=work, name=_NAME, daemon=False)  # whatever the caller's thread is
    thread.start()
    while thread.is_alive():
        if stop():
            raise LoadStoppedError
        thread.join(_LOOK_S)
    if raised:
        raise raised[0]
    return result[0]
