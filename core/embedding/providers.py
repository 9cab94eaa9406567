"""On what a model runs: a pure choice among what onnxruntime offers on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

CUDA, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


def choose(available: Sequence[str]) -> tuple[str, ...]:
    """The providers to ask for, the best first.

    CUDA where the installed onnxruntime has it (extra `[gpu]`), and always the processor behind it: where a driver is
    missing, onnxruntime goes on to the next by itself. No other is asked for: none was tried.
    """
    return (CUDA, CPU) if CUDA in available else (CPU,)


def offered() -> Sequence[str]:
    """What the installed onnxruntime can run on. Loads it."""
    return import_module("onnxruntime").get_available_providers()
