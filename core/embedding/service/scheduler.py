"""One model, many who ask: requests take turns, a few texts at a time, so that none keeps another waiting long."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.base.fault import Fault
from core.embedding.runtime.embedder import Embedder, Kind, Vector

TURN_TEXTS = 8
TURN_CHARS = 2048
"""Texts and code points of one turn: a tenth of a second of a small model on one core; one long text may take more."""

Vectors = list[tuple[Vector, ...]]


class ModelThread:
    """The one thread that touches the model: loading it and embedding, while the event loop answers others.

    A daemon: a model that hangs must not keep the process from ending.
    """

    def __init__(self) -> None:
        self._todo: queue.SimpleQueue[tuple[Callable[[], Any], asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)
        self._thread.start()

    def call(self, act: Callable[[], Any]) -> asyncio.Future[Any]:
        """What `act` returns or raises, once it is done."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._todo.put((act, done))
        return done

    def end(self, seconds: float) -> bool:
        """Whether the thread is done within so many seconds; it takes on nothing more."""
        self._todo.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while (item := self._todo.get()) is not None:
            act, done = item
            value, error = None, None
            try:
                value = act()
            except BaseException as raised:  # noqa: BLE001 whatever a model raises belongs to whoever asked
                error = raised
            try:
                done.get_loop().call_soon_threadsafe(_settle, done, value, error)
            except RuntimeError:  # the loop has ended meanwhile
                return


def _settle(done: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(value)
    else:
        done.set_exception(error if isinstance(error, Exception) else RuntimeError(repr(error)))


@dataclass(slots=True, eq=False)
class _Job:
    texts: Sequence[str]
    kind: Kind
    gone: Callable[[], bool]
    done: asyncio.Future[Vectors]
    got: Vectors = field(default_factory=list[tuple[Vector, ...]])


class FairQueue:
    """The queue before the model, of one event loop."""

    def __init__(self, thread: ModelThread) -> None:
        self._thread = thread
        self._waiting: deque[_Job] = deque()
        self._news = asyncio.Event()
        self.embedded = 0
        """Texts embedded so far."""

    @property
    def busy(self) -> bool:
        """Whether anybody waits for an answer."""
        return bool(self._waiting)

    async def embed(self, texts: Sequence[str], kind: Kind, gone: Callable[[], bool]) -> Vectors:
        """The vectors, when the turn has come often enough. `gone`: whether nobody waits for them any more.

        Raises Fault as the model does; any other failure of the model is Fault model_unreachable.
        """
        job = _Job(texts, kind, gone, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._news.set()
        return await job.done

    async def run(self, model: Embedder) -> None:
        """Serve turns until cancelled."""
        while True:
            if not self._waiting:
                self._news.clear()
                await self._news.wait()
            job = self._waiting[0]
            if job.gone() or job.done.cancelled():
                self._waiting.popleft()
                job.done.cancel()
                continue
            await self._turn(model, job)
            self._waiting.popleft()  # only now: who is served is busy
            if not job.done.done():
                self._waiting.append(job)

    async def _turn(self, model: Embedder, job: _Job) -> None:
        part = next(slices(job.texts[len(job.got) :]), ())
        try:
            got: Vectors = await self._thread.call(lambda: model.embed(part, job.kind)) if part else []
            if len(got) != len(part):
                raise RuntimeError(f"{len(got)} answers for {len(part)} texts")
        except Fault as fault:
            _fail(job, fault)
            return
        except Exception as error:  # noqa: BLE001 one request fails, the service goes on
            _fail(job, Fault("model_unreachable", f"the model failed: {type(error).__name__}: {error}"))
            return
        self.embedded += len(part)
        job.got += got
        if len(job.got) == len(job.texts) and not job.done.done():
            job.done.set_result(job.got)


def slices(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The texts in turns: at least one, else no more than a turn holds."""
    start = chars = 0
    for at, text in enumerate(texts):
        if at > start and (at - start == TURN_TEXTS or chars + len(text) > TURN_CHARS):
            yield texts[start:at]
            start, chars = at, 0
        chars += len(text)
    if start < len(texts):
        yield texts[start:]


def _fail(job: _Job, fault: Fault) -> None:
    if not job.done.done():
        job.done.set_exception(fault)
