"""Progress on stderr: on a terminal one line that is written over, with `--verbose` in a file a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from cli.format.layout import clip
from cli.output import Output
from core.flows.transcripts.report import Progress


def reporter(out: Output, *, every_line: bool = False) -> Callable[[Progress], None] | None:
    """What to call with each `progress.v1`; None where nobody would see it. `every_line`: write lines in any case."""
    on_terminal = sys.stderr.isatty() and not out.json
    if not on_terminal and not out.verbose and not every_line:
        return None
    last = 0.0

    def report(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        finished = progress.done >= progress.total
        if now - last < (0.1 if on_terminal else 1.0) and not finished:
            return
        last = now
        _write(out, progress, on_terminal=on_terminal, finished=finished)

    return report


def _write(out: Output, progress: Progress, *, on_terminal: bool, finished: bool) -> None:
    if out.json:
        from core.base.wire import dumps

        sys.stderr.write(dumps(progress) + "\n")
        return
    share = 100 * progress.done // max(progress.total, 1)
    left = "" if progress.eta_s is None or finished else f", {progress.eta_s:.0f} s left"
    line = clip(f"{progress.kind} {share} %{left}  {progress.file}", 79)
    # On a terminal the line is written over, so that the report stands alone afterwards.
    sys.stderr.write(f"\r\x1b[K{'' if finished else line}" if on_terminal else line + "\n")
    sys.stderr.flush()
