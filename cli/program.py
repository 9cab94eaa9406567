"""One run of the command line: parse, do, and turn whatever happens into an exit code."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Sequence
from types import FrameType
from typing import NoReturn, cast

from cli.context import Context, context_for, open_workbench
from cli.output import Output, output_for, prepare_streams
from cli.parser import build_for, command_named
from core.base.fault import Fault
from core.text import visible

FOUND, NOTHING, FAILED, UNHEALTHY, INTERRUPTED = 0, 1, 2, 3, 130
Run = Callable[[argparse.Namespace, Context], int]


def run(argv: Sequence[str]) -> int:
    """Do what the command line says. Prints every fault and raises none. The command `hook` returns 0 for each.

    `help WORDS` is `WORDS --help`.
    """
    if argv[:1] == ["help"]:
        argv = [*argv[1:], "--help"]
    with _unwound_by_signals():
        code = _settled(argv)
    return FOUND if command_named(argv) == "hook" else code


@contextlib.contextmanager
def _unwound_by_signals() -> Generator[None]:
    """Inside, SIGTERM, or SIGHUP of a closed terminal, raises SystemExit, so that temporary files are removed.

    A signal that the caller ignores stays ignored, as `nohup` wants. The second one ends the process at once.
    """

    def unwind(number: int, _frame: FrameType | None) -> NoReturn:
        signal.signal(number, signal.SIG_DFL)
        raise SystemExit(128 + number)

    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    taken = [number for number in signals if signal.getsignal(number) is signal.SIG_DFL]
    try:
        with contextlib.suppress(ValueError):  # signals belong to the main thread
            for number in taken:
                signal.signal(number, unwind)
        yield
    finally:
        with contextlib.suppress(ValueError):
            for number in taken:
                signal.signal(number, signal.SIG_DFL)


def _settled(argv: Sequence[str]) -> int:
    prepare_streams()
    wants_json = any(word in ("--json", "--jsonl") for word in argv)
    out = output_for(json=wants_json, verbose="--verbose" in argv)
    try:
        code = _run(argv, out)
        sys.stdout.flush()
        return code
    except Fault as fault:
        return _failed(fault, out, debug="--debug" in argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as ended:
        return cast("int", ended.code)
    except BrokenPipeError:
        return _exit_on_closed_pipe()
    except OSError as error:
        fault = _lost_place() or Fault(
            "io_error", f"{error.filename or 'output'}: {error.strerror or error}", "check the disk and the path"
        )
        fault.__cause__ = error
        return _failed(fault, out, debug="--debug" in argv)
    except Exception as error:  # noqa: BLE001 the last net: one line, not a traceback
        fault = _lost_home() or Fault(
            "generic", f"{type(error).__name__}: {error}", "run the command with --debug and report the output"
        )
        fault.__cause__ = error
        return _failed(fault, out, debug="--debug" in argv)


def _run(argv: Sequence[str], out: Output) -> int:
    named = command_named(argv)
    try:
        parser = build_for(argv, named)
        args = parser.parse_args(argv)
    except SystemExit as done:  # --help
        return int(done.code or 0)
    if not "".join(argv).isascii():
        from cli.arguments import refuse_undecoded

        refuse_undecoded(vars(args))
    if getattr(args, "version", False):
        from core.base.program import VERSION

        out.line(f"casebook {VERSION}")
        return FOUND
    if named is None:
        return _alone(parser, args, out)
    out = output_for(json=hasattr(args, "json") or getattr(args, "jsonl", False), verbose=hasattr(args, "verbose"))
    context = context_for(args, out, read_settings=not getattr(args, "bare", False))
    start = time.perf_counter()
    try:
        code = cast("Run", args.run)(args, context)
    except Fault as fault:
        level = "debug" if fault.code in ("invalid_input", "not_indexed") else "error"  # the asker's slip, or ours
        context.log(level, "fault", command=named, code=fault.code, message=fault.message)
        context.out.signal_end()
        raise
    except BrokenPipeError:
        raise
    except Exception as error:
        context.log("error", "unexpected error", command=named, error=repr(error), trace=_traceback(error))
        raise
    elapsed = round((time.perf_counter() - start) * 1000, 1)
    context.log("debug", "done", command=named, exit_code=code, elapsed_ms=elapsed)
    return code


def _alone(parser: argparse.ArgumentParser, args: argparse.Namespace, out: Output) -> int:
    """`casebook` without a command: the workbench on a terminal, else the help."""
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        return open_workbench(context_for(args, out), ascii_only=args.ascii)
    parser.print_help()
    return FAILED


def _lost_place() -> Fault | None:
    """Return the fault of a deleted current folder: no path can be read from there."""
    try:
        os.getcwd()  # noqa: PTH109  the one thing that is asked
    except OSError:
        return Fault("io_error", "the current folder no longer exists", "change to another folder")
    return None


def _lost_home() -> Fault | None:
    """Return the fault of an unknown home folder: a user without an entry, and no HOME."""
    home = os.environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111  Path.home would raise
    if os.path.isabs(home):  # noqa: PTH117
        return None
    hint = "set HOME to the path of your home folder, then run the command again"
    return Fault("config_invalid", f"unknown home folder: {home}", hint)


def _failed(fault: Fault, out: Output, *, debug: bool) -> int:
    try:
        sys.stdout.flush()
    except OSError:
        _drop_stdout()
    with contextlib.suppress(OSError):
        if debug:
            sys.stderr.write(_traceback(fault.__cause__ or fault))
        out.fault(fault)
    return FAILED


def _traceback(error: BaseException) -> str:
    import traceback

    return visible("".join(traceback.format_exception(error)))


def _exit_on_closed_pipe() -> int:
    """Exit quietly when the reader of our output has closed the pipe."""
    _drop_stdout()
    return FOUND


def _drop_stdout() -> None:
    """Prevent Python's final flush of stdout from raising an error."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
