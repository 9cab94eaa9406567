"""The model service: one model, kept loaded for the hooks and searches of one user, until it is idle.

The model is loaded and asked in a thread of its own, so a greeting is answered at once, also while it loads. Whoever
asks for much gets a turn among others: a short request waits for one turn of a long one at most.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

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
    slices,
    state_frame,
    vectors_frame,
)
from core.embedding.service.spawn import note_start, note_success
from core.process.endpoint import Claim, Endpoint, claim, proof_of
from core.process.frames import MAX_HEADER, BadFrame, Frame, encode
from core.process.server import Client, Ending, Limits, Server


class LogWriter(Protocol):
    """Receiver of log records, with the signature of `core.base.log.Log.write`."""

    def __call__(self, level: Literal["error", "warning", "info", "debug"], event: str, /, **facts: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Offer:
    """The model that is kept: its names, known before it is loaded, and how to load it (blocking, in a thread)."""

    id: str
    version: str
    load: Callable[[], Embedder]


@dataclass(frozen=True, slots=True)
class Ended:
    """Why a service ended (`taken`: there was one already), and whether `clean`: else its thread is still busy with
    the model."""

    why: Ending | Literal["taken"]
    clean: bool = True


TURN_TEXTS = 8
TURN_CHARS = 2048
"""Texts and code points of one turn: a tenth of a second of a small model on one core; one long text may take more."""
LOAD_S = 600.0
"""Seconds after which a model that is not loaded never will be."""

Vectors = list[tuple[Vector, ...]]


@dataclass(slots=True, eq=False)
class _Job:
    texts: Sequence[str]
    kind: Kind
    gone: Callable[[], bool]
    got: Vectors = field(default_factory=list[tuple[Vector, ...]])
    fault: Fault | None = None
    done: threading.Event = field(default_factory=threading.Event)


class ModelThread:
    """The one thread that touches the model, loading it and embedding, and the queue before it.

    A daemon: a model that hangs must not keep the process from ending.
    """

    def __init__(
        self, load: Callable[[], Embedder], loaded: Callable[[Embedder], object], failed: Callable[[Exception], object]
    ) -> None:
        """`loaded` and `failed` are called in the thread, once."""
        self._load, self._loaded, self._failed = load, loaded, failed
        self._waiting: deque[_Job] = deque()
        self._closed = False
        self._news = threading.Condition()
        self.embedded = 0
        """Texts embedded so far."""
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Number of waiting callers, including the current one."""
        return len(self._waiting)

    def embed(self, texts: Sequence[str], kind: Kind, gone: Callable[[], bool]) -> Vectors:
        """Return the vectors, possibly after several turns. `gone`: whether all callers have left.

        Raises Fault as the model does; any other failure of the model is Fault model_unreachable.
        """
        job = _Job(texts, kind, gone)
        with self._news:
            self._waiting.append(job)
            self._news.notify()
        job.done.wait()
        if job.fault is not None:
            raise job.fault
        return job.got

    def end(self, seconds: float) -> bool:
        """Return whether the thread ends within so many seconds; waiting callers get no vectors."""
        with self._news:
            self._closed = True
            left = list(self._waiting)
            self._news.notify()
        for job in left:
            _settle(job, Fault("model_unreachable", "the model service is stopping"))
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            model = self._load()
        except BaseException as error:  # noqa: BLE001 whatever it raises, the service says so and ends
            self._failed(error if isinstance(error, Exception) else RuntimeError(repr(error)))
            return
        self._loaded(model)
        while (job := self._next()) is not None:
            self._turn(model, job)
            with self._news:
                self._waiting.popleft()  # only now: who is served is busy
                if not job.done.is_set():
                    self._waiting.append(job)

    def _next(self) -> _Job | None:
        """The job whose turn it is, waited for; None at the end."""
        with self._news:
            self._news.wait_for(lambda: self._waiting or self._closed)
            return None if self._closed else self._waiting[0]

    def _turn(self, model: Embedder, job: _Job) -> None:
        if job.gone():
            _settle(job, Fault("model_unreachable", "the client disconnected"))
            return
        part = next(slices(job.texts[len(job.got) :], TURN_TEXTS, TURN_CHARS), ())
        try:
            got: Vectors = model.embed(part, job.kind) if part else []
            if len(got) != len(part):
                raise RuntimeError(f"{len(got)} answers for {len(part)} texts")
        except Fault as fault:
            _settle(job, fault)
        except BaseException as error:  # noqa: BLE001 one request fails, the service goes on
            _settle(job, Fault("model_unreachable", f"the model failed: {type(error).__name__}: {error}"))
        else:
            self.embedded += len(part)
            job.got += got
            if len(job.got) == len(job.texts):
                _settle(job)


def _settle(job: _Job, fault: Fault | None = None) -> None:
    job.fault = fault
    job.done.set()


def serve(
    place: Endpoint,
    offer: Offer,
    *,
    limits: Limits,
    say: LogWriter,
    ready: Callable[[], object],
    load_s: float = LOAD_S,
) -> Ended:
    """Serve until idle; `ready` is called when clients can connect (the model may still be loading).

    Raises Fault io_error where there is no listening at that place, and whatever the model's loading raises.
    """
    own = claim(place)
    if own is None:
        return Ended("taken")
    try:
        return _Service(own, offer, limits, say, load_s).run(ready)
    finally:
        own.leave()


class _Service:
    def __init__(self, own: Claim, offer: Offer, limits: Limits, say: LogWriter, load_s: float) -> None:
        self._own, self._offer, self._limits, self._say = own, offer, limits, say
        self._token = "" if own.place.socket is not None else secrets.token_hex(32)
        self._model: Embedder | None = None
        self._error: Exception | None = None
        self._give_up = time.monotonic() + load_s
        self._server = Server(own, self._answer, limits, refuse=_refusal, tend=self._tend, most=(MAX_HEADER, 0))
        self._thread = ModelThread(offer.load, self._loaded, self._failed)

    def run(self, ready: Callable[[], object]) -> Ended:
        try:
            why = self._server.run(self._token, ready)
        finally:
            clean = self._thread.end(1.0)
            if clean and self._model is not None:
                self._model.close()
            self._say("info", "model service ended", texts=self._thread.embedded)
        if self._error is not None and why == "failed":
            raise self._error
        return Ended(why, clean)

    def _loaded(self, model: Embedder) -> None:
        self._model = model
        note_success(self._own.place)
        self._server.touch()  # loading is no idling
        self._say("info", "model service ready", model=self._offer.id)

    def _failed(self, error: Exception) -> None:
        reason = error.message if isinstance(error, Fault) else f"{type(error).__name__}: {error}"
        note_start(self._own.place, self._offer.id, reason)
        self._error = error
        self._server.finish("failed")

    def _tend(self) -> None:
        if self._model is None and self._error is None and time.monotonic() > self._give_up:
            note_start(self._own.place, self._offer.id, "the model cannot be loaded")
            self._server.finish("failed")
        if self._model is None or self._thread.waiting:
            self._server.touch()

    def _answer(self, frame: Frame, client: Client) -> None:
        try:
            request = read_request(frame)
            self._check(request)
            match request:
                case Hello():
                    answer = state_frame(self._state(request.nonce))
                case Stop():
                    answer = bye_frame()
                case Embed():
                    answer = vectors_frame(self._thread.embed(request.texts, request.kind, client.is_gone))
                    self._server.touch()
        except Fault as fault:
            answer = fault_frame(fault)
        client.send(encode(answer))
        if answer.header["say"] == "bye":
            self._server.finish("stopped")

    def _check(self, request: Request) -> None:
        """Raise a Fault if the model cannot serve the request."""
        if isinstance(request, Hello):
            return
        if not secrets.compare_digest(request.token.encode("utf-8", "replace"), self._token.encode()):
            raise Fault("model_unreachable", "the token is invalid")
        if isinstance(request, Stop):
            return
        if self._model is None:
            raise Fault("model_unreachable", f"the model {self._offer.id} is still loading")
        requested = request.model, request.version, request.recipe
        if requested != (self._model.id, self._model.version, self._model.recipe):
            held = f"{self._model.id} {self._model.version}"
            raise Fault("model_unreachable", f"the model service has {held}, not {request.model} {request.version}")

    def _state(self, nonce: str) -> State:
        model = self._model
        return State(
            self._offer.id,
            self._offer.version,
            "" if model is None else model.recipe,
            0 if model is None else model.dim,
            model is None,
            os.getpid(),
            self._thread.embedded,
            int(self._limits.idle),
            proof_of(self._token, nonce) if self._token and nonce else "",
        )


def _refusal(error: BadFrame | None) -> Frame:
    if error is None:
        return fault_frame(Fault("model_unreachable", "the model service is busy"))
    return fault_frame(Fault("invalid_input", str(error)))
