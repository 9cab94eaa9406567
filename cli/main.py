"""The door: `casebook` and `python -m cli`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

_SELDOM = 100_000
"""Objects made from which garbage is looked for: a start makes fewer, and hardly any of them is garbage."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (without the program's name; by default the program's own) and return its exit code."""
    if argv is not None:
        return _run(list(argv))
    gc.set_threshold(_SELDOM)
    if sys.getfilesystemencoding() != "utf-8":  # on Windows, and nearly everywhere else, it is
        from cli.arguments import read_as_utf8

        read_as_utf8(sys.argv)
    try:
        code = _run(sys.argv[1:])
    finally:
        gc.freeze()  # the process ends: nor is any looked for then
    end_process(code)
    return code


def end_process(code: int) -> None:
    """End the process with `code` if a daemon thread is there, or a model was loaded or is being loaded; else return.

    Taking down the interpreter with the model's modules in it takes half a second, waits for a model that still loads,
    and aborts where a daemon thread asks for the interpreter meanwhile: Python unwinds it. What was printed is flushed
    first, no exit handler runs.
    """
    if not (_leaves_threads() or _has_model()):
        return
    import os
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # nobody reads it
            stream.flush()
    os._exit(code)


def _leaves_threads() -> bool:
    """Whether daemon threads are left, and no thread that Python waits for."""
    if "threading" not in sys.modules:
        return False
    import threading

    others = [one for one in threading.enumerate() if one is not threading.main_thread()]
    return bool(others) and all(one.daemon for one in others)


def _has_model() -> bool:
    if "core.embedding.runtime.loading" not in sys.modules:
        return False
    from core.embedding.runtime.loading import model_is_loaded

    return model_is_loaded()


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:  # asked by scripts and prompts: no parser for it
        from core.base.program import VERSION

        try:
            print(f"casebook {VERSION}", flush=True)
            return 0
        except OSError:
            pass  # the whole program says what is wrong with the output
    if arguments[:1] == ["hook"] and not {"-h", "--help"} & set(arguments):  # nor for agents' hooks
        try:
            from cli.commands.hook import run as run_hook
        except Exception:  # noqa: BLE001
            return 0  # a damaged installation: an agent's hook does not fail for it

        run_hook(arguments[1:])
    from cli.program import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
