"""Asking the model service: an `Embedder` that waits no longer than it may, or the reason why there is none.

Nothing heavy is imported, and where no service runs one look at the file system is all it costs. What comes back is
taken for what it is: other people's bytes. A service that hangs, dribbles, lies or dies costs its deadline at most.

When a service is started: who asks for vectors says `start=True` if the setting `embedding.service` is on, the model
is on this machine and the casebook has vectors of it (`worth_starting`). Then nothing is started for a one-off on a
machine without a model, nor for a casebook that nobody has embedded; and the one who asked first does not wait.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar

from core.base.fault import Fault, hint_of
from core.embedding.runtime.embedder import Kind, Vector
from core.embedding.runtime.query_model import NoVectors, VectorSearch, describe_model

if TYPE_CHECKING:
    from core.embedding.models.catalogue import Model
    from core.embedding.service.protocol import Request, State
    from core.process.connection import Connection
    from core.process.endpoint import Endpoint
    from core.process.frames import Frame
    from core.store import Store

DEADLINE_MS = 150
"""What a hook or a search waits for the service at most, in all."""
PART_TEXTS = 64
"""Texts sent at once: others get their turn, and a request stays far below its cap."""
PART_CHARS = 1 << 16

Clock = Callable[[], float]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Unserved:
    """Why no service answers, in plain words for a trace; `outcome` is that of its step."""

    outcome: Literal["skipped", "timeout", "failed"]
    reason: str


def worth_starting(*, service: bool, vectors: bool) -> bool:
    """Whether a look-up should start the service for the next one, where the model is on this machine.

    `service`: the setting `embedding.service`; `vectors`: whether the casebook has any of that model.
    """
    return service and vectors


def connect(
    model: str,
    *,
    version: str | None = None,
    recipe: str | None = None,
    deadline_ms: float = DEADLINE_MS,
    start: bool = False,
    place: Endpoint | None = None,
    clock: Clock = time.monotonic,
) -> Served | Unserved:
    """The service's embedder, if a service answers that holds this model (`version`, `recipe`: where given).

    `deadline_ms` bounds the time waited here and in the first `embed` together, and in each later `embed`. `start`
    starts a service where none runs, and does not wait for it; one that holds another model, or read texts in another
    way, is ended for it: the setting has changed, and it would else answer nobody until it is tired of waiting. Raises
    nothing.
    """
    from core.process.endpoint import service_place

    where = service_place() if place is None else place
    until = clock() + deadline_ms / 1000
    service = _greet(where, until, clock)
    if isinstance(service, Unserved):
        if not start or service is not _NONE:
            return service
        from core.embedding.service.spawn import start_service

        return Unserved("skipped", f"{service.reason}; {start_service(where, model)}")
    line, state = service
    if reason := _unfit(state, model, version, recipe):
        line.close()
        if start and not state.loading:
            reason = f"{reason}; {_replaced(where, model, until - clock(), clock)}"
        return Unserved("skipped", reason)
    return Served(where, line, state, deadline_ms / 1000, max(0.0, until - clock()), clock)


def _replaced(where: Endpoint, model: str, left: float, clock: Clock) -> str:
    """End the service that is there and start one with `model`; what came of it, in plain words."""
    from core.embedding.service.spawn import start_service

    ended = stop(where, max(0.0, left) * 1000, clock)
    if isinstance(ended, Unserved) and ended is not _NONE:
        return "stop requested" if ended.outcome == "timeout" else ended.reason
    return f"stopped, {start_service(where, model)}"


def look(place: Endpoint | None = None, deadline_ms: float = 1000, clock: Clock = time.monotonic) -> State | Unserved:
    """What service answers now, whatever its model. Raises nothing and starts nothing."""
    from core.process.endpoint import service_place

    service = _greet(service_place() if place is None else place, clock() + deadline_ms / 1000, clock)
    if isinstance(service, Unserved):
        return service
    service[0].close()
    return service[1]


def stop(place: Endpoint | None = None, deadline_ms: float = 5000, clock: Clock = time.monotonic) -> State | Unserved:
    """Ask the service to end, and wait until it no longer listens; says which it was."""
    from core.embedding.service.protocol import Stop, read_bye
    from core.process.endpoint import service_place

    where = service_place() if place is None else place
    until = clock() + deadline_ms / 1000
    service = _greet(where, until, clock)
    if isinstance(service, Unserved):
        return service
    line, state = service
    try:
        line.ask(Stop(line.token), until, read_bye)
        line.wait_for_end(until)
    except TimeoutError:
        return Unserved("timeout", f"the model service (process {state.pid}) did not stop")
    except Fault as fault:
        return Unserved("failed", fault.message)
    except OSError:
        pass  # it ended before its answer came
    finally:
        line.close()
    return state


class Line:
    """A connection; `token` is what a request must carry. Belongs to one thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.wait_for_end, self.close = connection.wait_for_end, connection.close
        self.token = ""

    def ask(self, request: Request, until: float, read: Callable[[Frame], _T]) -> _T:
        """What `read` makes of the answer.

        Raises TimeoutError once the clock shows `until`, another OSError where the connection is gone, the Fault that
        was answered, and Fault model_unreachable where what came is no answer. After a TimeoutError or an answer that
        is none, close it: what comes later would be taken for the answer to something else.
        """
        from core.embedding.service.protocol import request_frame
        from core.process.frames import BadFrame, encode

        try:
            data = encode(request_frame(request))
            with suppress(BrokenPipeError):  # it may have answered and hung up unasked: that it is busy
                self._connection.send(data, until)
            answer = self._connection.receive(until)
            if answer is None:
                raise ConnectionResetError("the connection was closed")
            if self._connection.surplus:
                raise BadFrame("more data than requested")
            return read(answer)
        except BadFrame as error:
            raise Fault("model_unreachable", f"invalid reply from the model service: {error}") from error


def open_line(place: Endpoint, until: float, clock: Callable[[], float]) -> tuple[Line, State]:
    """Connect and read the greeting. Raises OSError as `Line.ask` does, Fault for an untrusted service."""
    import socket as sockets

    from core.embedding.service.protocol import Hello, read_state
    from core.process.connection import Connection, connect, not_private
    from core.process.endpoint import peer_uid, proof_of, read_port

    if (reason := not_private(place.folder)) is not None:
        raise Fault("model_unreachable", reason)
    port, nonce = (read_port(place), os.urandom(16).hex()) if place.socket is None else (None, "")
    if place.socket is not None:
        joined = connect(str(place.socket), until, clock)
    elif port is not None:
        joined = sockets.create_connection(("127.0.0.1", port.number), max(0.001, until - clock()))
    else:
        raise FileNotFoundError(place.port)
    line = Line(Connection(joined, clock=clock))
    try:
        if place.socket is not None and peer_uid(joined) not in (None, os.geteuid()):
            raise Fault("model_unreachable", f"another process is listening on {place.socket}")
        state = line.ask(Hello(nonce), until, read_state)
        if port is not None:  # by now it may be somebody else's: no text and no token is sent before this
            if state.proof != proof_of(port.token, nonce):
                raise Fault("model_unreachable", "another process is listening on the port of the model service")
            line.token = port.token
    except BaseException:
        line.close()
        raise
    return line, state


class Served:
    """The service's model as an `Embedder`. Belongs to one thread; made by `connect`."""

    def __init__(self, place: Endpoint, line: Line, state: State, each: float, left: float, clock: Clock) -> None:
        self._place, self._line, self._state, self._clock = place, line, state, clock
        self._each, self._left = each, left

    @property
    def id(self) -> str:
        return self._state.id

    @property
    def version(self) -> str:
        return self._state.version

    @property
    def recipe(self) -> str:
        return self._state.recipe

    @property
    def dim(self) -> int:
        return self._state.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        """As `Embedder.embed`. After Fault timeout or model_unreachable this embedder is closed."""
        from core.embedding.service.protocol import slices

        until = self._clock() + self._left
        self._left = self._each
        out: list[tuple[Vector, ...]] = []
        try:
            for part in slices(texts, PART_TEXTS, PART_CHARS):
                out += self._vectors(part, kind, until)
        except TimeoutError as error:
            self.close()
            message = f"the model service timed out after {self._each * 1000:.0f} ms"
            raise Fault("timeout", message, "run: casebook serve-model --status") from error
        except OSError as error:
            self.close()
            raise Fault("model_unreachable", f"lost the model service: {error.strerror or error}") from error
        except Fault as fault:
            if fault.code != "invalid_input":
                self.close()
            raise
        return out

    def _vectors(self, texts: Sequence[str], kind: Kind, until: float) -> list[tuple[Vector, ...]]:
        from core.embedding.service.protocol import Embed, read_vectors, too_much

        too_much(texts)
        state = self._state

        def ask() -> list[tuple[Vector, ...]]:
            request = Embed(state.id, state.version, state.recipe, kind, tuple(texts), self._line.token)
            return self._line.ask(request, until, lambda frame: read_vectors(frame, len(texts), state.dim))

        try:
            return ask()
        except TimeoutError:
            raise
        except OSError:  # kept for long: the service has closed the connection, or has ended and another has come
            self._reconnect(until)
            return ask()

    def _reconnect(self, until: float) -> None:
        self._line.close()
        service = _greet(self._place, until, self._clock)
        if isinstance(service, Unserved):
            raise Fault("timeout" if service.outcome == "timeout" else "model_unreachable", service.reason)
        self._line, state = service
        if (state.id, state.version, state.recipe, state.dim) != (self.id, self.version, self.recipe, self.dim):
            raise Fault("model_unreachable", "the model service now has a different model")

    def close(self) -> None:
        """Hang up; may be called twice."""
        self._line.close()


_NONE = Unserved("skipped", "no model service is running")


def _greet(place: Endpoint, until: float, clock: Clock) -> tuple[Line, State] | Unserved:
    """Return a connection to the service and its greeting; `_NONE` if no service listens."""
    try:
        if not place.entrance.exists():
            return _NONE
    except OSError as error:
        return Unserved("failed", f"{place.entrance} cannot be read: {error.strerror}")
    try:
        return open_line(place, until, clock)
    except (ConnectionRefusedError, FileNotFoundError):
        return _NONE  # it was killed, and its socket file is still there; or it has just ended
    except TimeoutError:
        return Unserved("timeout", "the model service does not respond")
    except OSError as error:
        if isinstance(error, BlockingIOError):  # its queue of connections is full
            return Unserved("failed", "the model service is busy")
        return Unserved("failed", f"the model service cannot be reached: {error.strerror or error}")
    except Fault as fault:
        return Unserved("failed", fault.message)


def _unfit(state: State, model: str, version: str | None, recipe: str | None) -> str:
    """Why this service's model is not the one to ask; empty if it is."""
    if state.id != model or version not in (None, state.version):
        required = model if version is None else f"{model} {version}"
        return f"the model service has {state.id} {state.version}, not {required}"
    if state.loading:
        return f"the model service is still loading {state.id}"
    if recipe not in (None, state.recipe):
        return f"the model service uses recipe {state.recipe}, not {recipe}"
    return ""


@dataclass(frozen=True, slots=True)
class ModelService:
    """Whether a model service answers at `address` and, if so, with which model; `reason` says it in a sentence.

    `broken`: there is one, or something in its place, that does not answer as it should. `pid`: its process.
    `texts`: how many it has embedded. `idle_s`: seconds without a question after which it ends. The last three are
    null where none answers.
    """

    SCHEMA: ClassVar[str] = "model_service.v1"

    answers: bool
    broken: bool
    loading: bool
    reason: str
    address: str
    model: str
    version: str
    pid: int | None
    texts: int | None
    idle_s: int | None


def model_service(place: Endpoint | None = None, deadline_ms: float = 1000) -> ModelService:
    """Look whether one answers. Starts nothing, raises nothing, waits no longer than `deadline_ms`."""
    from core.process.endpoint import service_place

    where = service_place() if place is None else place
    state = look(where, deadline_ms)
    address = str(where.entrance)
    if isinstance(state, Unserved):
        broken = state.outcome != "skipped"
        return ModelService(False, broken, False, state.reason, address, "", "", None, None, None)
    doing = "is loading" if state.loading else "is running with"
    status = f"the model service (process {state.pid}) {doing} {state.id}"
    return ModelService(
        True, False, state.loading, status, address, state.id, state.version, state.pid, state.texts, state.idle_s
    )


@dataclass(frozen=True, slots=True)
class Embed:
    """The vectors of some texts; `model` says which model is to make them (`said_of`)."""

    model: str
    texts: tuple[str, ...]
    kind: Kind

    def __call__(self, _store: Store, vectors: VectorSearch) -> list[tuple[Vector, ...]]:
        """As `Embedder.embed`. Raises Fault model_unreachable also where there is no model, or another one."""
        opened = vectors.embedder()
        if isinstance(opened, NoVectors):
            raise Fault(
                "timeout" if opened.outcome == "timeout" else "model_unreachable", opened.reason, hint_of(opened.remedy)
            )
        if describe_model(opened) != self.model:
            raise Fault("model_unreachable", f"the loaded model is {describe_model(opened)}, not {self.model}")
        return opened.embed(self.texts, self.kind)


@dataclass(frozen=True, slots=True)
class RemoteEmbedder:
    """An `Embedder`: `model` as another process has it, which answers what is given to `ask`, or raises Fault."""

    model: Model
    ask: Callable[[Embed], list[tuple[Vector, ...]]]

    @property
    def id(self) -> str:
        return self.model.id

    @property
    def version(self) -> str:
        return self.model.version

    @property
    def recipe(self) -> str:
        return self.model.recipe

    @property
    def dim(self) -> int:
        return self.model.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        """As `Embedder.embed`; RuntimeError where the other process met what is no Fault, as the model itself would."""
        try:
            return self.ask(Embed(describe_model(self.model), tuple(texts), kind))
        except Fault as fault:
            if fault.code == "generic":
                raise RuntimeError(fault.message) from fault
            raise

    def close(self) -> None:
        """Nothing: the other process keeps its model."""
