"""On what a model runs: a pure choice among what onnxruntime offers on this machine."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from importlib import import_module

_FATAL = 4
"""onnxruntime's number for faults that end the process."""
CUDA, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


def choose(available: Sequence[str]) -> tuple[str, ...]:
    """The providers to ask for, the best first.

    CUDA where the installed onnxruntime has it (extra `[gpu]`), and always the processor behind it: where a driver is
    missing, onnxruntime goes on to the next by itself. No other is asked for: none was tried.
    """
    return (CUDA, CPU) if CUDA in available else (CPU,)


def offered() -> Sequence[str]:
    """What the installed onnxruntime can run on. Loads it, and keeps it from writing over the screen: what fails is
    raised as well."""
    keep_to_itself()
    runtime = import_module("onnxruntime")
    runtime.set_default_logger_severity(_FATAL)
    warnings.filterwarnings("ignore", message="Attempt to set CUDAExecutionProvider failed")
    return runtime.get_available_providers()


def keep_to_itself() -> None:
    """Call before anything imports onnxruntime: since 1.31 it tells its makers on every start, and keeps a device id in
    the user's cache folder, unless its environment says no (onnxruntime, `Privacy.md`)."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
