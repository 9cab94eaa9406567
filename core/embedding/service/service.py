"""The model service: one model, kept loaded for the hooks and searches of one user, until nobody asks any more.

Nobody who connects can harm it: a frame that is none ends its connection, one that stays half-sent is given up after
some seconds, a reader that reads nothing is cut off, and there are only so many connections. The model is loaded and
asked in a thread of its own, so a greeting is answered at once, also while it loads.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import secrets
import signal
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Literal, Protocol

from core.base.fault import Fault
from core.embedding.runtime.embedder import Embedder, Kind, Vector
from core.embedding.service.protocol import (
    Embed,
    Hello,
    Request,
    State,
    Stop,
    bye_frame,
    fault_frame,
    read_request,
    state_frame,
    vectors_frame,
)
from core.embedding.service.spawn import note_start, note_success
from core.process.claim import Claim, claim
from core.process.endpoint import Endpoint, peer_uid, proof_of
from core.process.frames import BadFrame, Frame, FrameReader, encode

Ending = Literal["idle", "stopped", "signal", "failed", "lost", "taken"]
"""Why a service ended: nobody asked; asked to; a signal; no model; its socket is gone; there was one already."""


class Say(Protocol):
    """Where it is told what happened, as `core.base.log.Log.write` takes it."""

    def __call__(self, level: Literal["error", "warning", "info", "debug"], event: str, /, **facts: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """What is granted: `idle` seconds without a request to embed, `slow` seconds for one frame in either direction,
    `quiet` seconds of an open connection between two, so many `clients` at once; `look`: seconds between two looks at
    whether clients can still find the socket; `load`: seconds after which a model that is not loaded never will be."""

    idle: float = 600.0
    slow: float = 5.0
    quiet: float = 60.0
    clients: int = 64
    look: float = 30.0
    load: float = 600.0


@dataclass(frozen=True, slots=True)
class Offer:
    """The model that is kept: its names, known before it is loaded, and how to load it (blocking, in a thread)."""

    id: str
    version: str
    load: Callable[[], Embedder]


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a service ended, and whether `clean`: else its thread is still busy with the model."""

    why: Ending
    clean: bool = True


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


def serve(place: Endpoint, offer: Offer, *, limits: Limits, say: Say, ready: Callable[[], object]) -> Ended:
    """Serve until nobody asks any more; `ready` is called when clients can connect (the model may yet be loading).

    Raises Fault io_error where there is no listening at that place, and whatever the model's loading raises.
    """
    own = claim(place)
    if own is None:
        return Ended("taken")
    try:
        return asyncio.run(_Service(own, offer, limits, say).run(ready))
    finally:
        own.leave()


class _Service:
    def __init__(self, own: Claim, offer: Offer, limits: Limits, say: Say) -> None:
        self._own, self._offer, self._limits, self._say = own, offer, limits, say
        self._token = "" if own.place.socket is not None else secrets.token_hex(32)
        self._model: Embedder | None = None
        self._thread = ModelThread()
        self._queue = FairQueue(self._thread)
        self._open: set[asyncio.StreamWriter] = set()
        self._asked = 0.0

    async def run(self, ready: Callable[[], object]) -> Ended:
        loop = asyncio.get_running_loop()
        self._asked = loop.time()
        self._end: asyncio.Future[Ending] = loop.create_future()
        listener = self._own.listen(self._token)
        start = asyncio.start_unix_server if self._own.place.socket is not None else asyncio.start_server
        server = await start(self._client, sock=listener)
        tasks = [loop.create_task(self._work()), loop.create_task(self._watch())]
        ready()
        try:
            with _signals(loop, lambda: self._finish("signal")):
                await asyncio.wait([self._end, *tasks], return_when=asyncio.FIRST_COMPLETED)
            failed = next((task for task in tasks if task.done()), None)
            if failed is not None and not self._end.done():
                failed.result()  # raises why the model could not be loaded
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            for writer in list(self._open):
                writer.transport.abort()
            self._own.leave()
            clean = self._thread.end(1.0)
            if clean and self._model is not None:
                self._model.close()
            self._say("info", "model service ended", texts=self._queue.embedded)
        return Ended(self._end.result(), clean)

    def _finish(self, why: Ending) -> None:
        if not self._end.done():
            self._end.set_result(why)

    async def _work(self) -> None:
        try:
            self._model = model = await self._thread.call(self._offer.load)
        except Exception as error:
            reason = error.message if isinstance(error, Fault) else f"{type(error).__name__}: {error}"
            note_start(self._own.place, self._offer.id, reason)
            raise
        note_success(self._own.place)
        self._asked = max(self._asked, asyncio.get_running_loop().time())  # loading is no idling
        self._say("info", "model service ready", model=self._offer.id)
        await self._queue.run(model)

    async def _watch(self) -> None:
        """Ends the service when nobody has asked for long, or nobody could."""
        loop = asyncio.get_running_loop()
        give_up = loop.time() + self._limits.load
        while True:
            if self._queue.busy or self._model is None:
                self._asked = loop.time()
            if self._model is None and loop.time() > give_up:
                note_start(self._own.place, self._offer.id, "it does not load")
                return self._finish("failed")
            left = self._asked + self._limits.idle - loop.time()
            if left <= 0:
                return self._finish("idle")
            await asyncio.sleep(min(left, self._limits.look))
            if not self._own.found:
                return self._finish("lost")

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its first frame to its end, whatever that is."""
        self._open.add(writer)
        try:
            if not _ours(writer):
                return
            if len(self._open) > self._limits.clients:
                await self._send(writer, fault_frame(Fault("model_unreachable", "the model service is busy")))
                return
            async for frame in self._frames(reader):
                await self._send(writer, await self._answer(frame, reader))
        except BadFrame as error:
            with contextlib.suppress(TimeoutError, OSError):
                await self._send(writer, fault_frame(Fault("invalid_input", str(error))))
        except (TimeoutError, OSError, asyncio.CancelledError):
            pass  # slow, gone, or we are ending
        finally:
            self._open.discard(writer)
            if writer.transport.get_write_buffer_size():
                writer.transport.abort()
            else:
                writer.close()

    async def _frames(self, reader: asyncio.StreamReader) -> AsyncIterator[Frame]:
        frames = FrameReader(max_body=0)
        loop = asyncio.get_running_loop()
        until = loop.time() + self._limits.quiet
        while True:
            async with asyncio.timeout_at(until):
                data = await reader.read(1 << 16)
            if not data:
                return
            began = frames.partial
            whole = frames.feed(data)
            for frame in whole:
                yield frame
            if not frames.partial:
                until = loop.time() + self._limits.quiet
            elif whole or not began:
                until = loop.time() + self._limits.slow  # from its first byte: drops do not buy time

    async def _send(self, writer: asyncio.StreamWriter, frame: Frame) -> None:
        writer.write(encode(frame))
        async with asyncio.timeout(self._limits.slow):
            await writer.drain()

    async def _answer(self, frame: Frame, reader: asyncio.StreamReader) -> Frame:
        try:
            request = read_request(frame)
            self._check(request)
            match request:
                case Hello():
                    return state_frame(self._state(request.nonce))
                case Stop():
                    asyncio.get_running_loop().call_soon(self._finish, "stopped")
                    return bye_frame()
                case Embed():
                    answer = vectors_frame(await self._queue.embed(request.texts, request.kind, reader.at_eof))
                    self._asked = asyncio.get_running_loop().time()
                    return answer
        except Fault as fault:
            return fault_frame(fault)

    def _check(self, request: Request) -> None:
        """Raise the Fault that a request meets before it is asked of the model."""
        if isinstance(request, Hello):
            return
        if not secrets.compare_digest(request.token.encode("utf-8", "replace"), self._token.encode()):
            raise Fault("model_unreachable", "the token is not that of this service")
        if isinstance(request, Stop):
            return
        if self._model is None:
            raise Fault("model_unreachable", f"the model {self._offer.id} is still loading")
        wanted = request.model, request.version, request.recipe
        if wanted != (self._model.id, self._model.version, self._model.recipe):
            held = f"{self._model.id} {self._model.version}"
            raise Fault("model_unreachable", f"the model service holds {held}, not {request.model} {request.version}")

    def _state(self, nonce: str) -> State:
        model = self._model
        return State(
            self._offer.id,
            self._offer.version,
            "" if model is None else model.recipe,
            0 if model is None else model.dim,
            model is None,
            os.getpid(),
            self._queue.embedded,
            int(self._limits.idle),
            proof_of(self._token, nonce) if self._token and nonce else "",
        )


def _ours(writer: asyncio.StreamWriter) -> bool:
    """Whether the other end is this user's; where the platform does not tell, folder and token have seen to it."""
    there = writer.get_extra_info("socket")
    if there is None or not hasattr(os, "geteuid"):
        return True
    with contextlib.suppress(OSError):
        import socket

        if there.family != getattr(socket, "AF_UNIX", None):
            return True
        return peer_uid(there) in (None, os.geteuid())
    return False


@contextlib.contextmanager
def _signals(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> Generator[None]:
    """Inside, the signals that end a program end it cleanly."""
    names = [name for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK") if hasattr(signal, name)]
    numbers = [getattr(signal, name) for name in names]
    if threading.current_thread() is not threading.main_thread():  # signals belong to the main thread
        numbers = []

    def ask(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(act)

    before = {number: signal.signal(number, ask) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
