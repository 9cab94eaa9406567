"""What clients ask the model service and what it answers, as types; reading them from frames trusts nothing. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from core.base.fault import Fault, FaultCode
from core.embedding.index.vectors import unusable
from core.embedding.runtime.embedder import Kind, Vector
from core.process.frames import BadFrame, Frame

MAX_TEXTS = 256
"""Texts of one request."""
MAX_CHARS = 8192
"""Code points of one text: ten to thirty windows of a model, a second or a few of its time."""
_MAX_DIM = 8192
_MAX_WORDS = 500
"""Code points kept of what the other side says in words."""


@dataclass(frozen=True, slots=True)
class Hello:
    """Request for the identity. `nonce` asks for a proof that it is the service that wrote the token file."""

    nonce: str = ""


@dataclass(frozen=True, slots=True)
class Embed:
    """Embed `texts` with exactly this model; `token` as the token file has it, empty on a Unix socket."""

    model: str
    version: str
    recipe: str
    kind: Kind
    texts: tuple[str, ...]
    token: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """End, please."""

    token: str = ""


Request = Hello | Embed | Stop


@dataclass(frozen=True, slots=True)
class State:
    """A model service that answers.

    While it is `loading` its model, `recipe` is empty and `dim` 0. `pid`: its process. `texts`: how many it has
    embedded. `idle_s`: seconds without a request after which it ends. `proof`: see `Hello`.
    """

    id: str
    version: str
    recipe: str
    dim: int
    loading: bool
    pid: int
    texts: int
    idle_s: int
    proof: str = ""


def request_frame(request: Request) -> Frame:
    match request:
        case Hello():
            return Frame({"ask": "hello", "nonce": request.nonce})
        case Stop():
            return Frame({"ask": "stop", "token": request.token})
        case Embed():
            named = {name: getattr(request, name) for name in ("model", "version", "recipe", "kind", "token")}
            return Frame({"ask": "embed", **named, "texts": list(request.texts)})


def read_request(frame: Frame) -> Request:
    """Parse a request. Raises BadFrame if it is malformed, Fault invalid_input if it exceeds a limit."""
    action = frame.header.get("ask")
    if frame.body:
        raise BadFrame("the request has a body")
    if action == "hello":
        return Hello(_word(frame, "nonce"))
    if action == "stop":
        return Stop(_word(frame, "token"))
    if action != "embed":
        raise BadFrame("unknown request")
    kind, texts = frame.header.get("kind"), frame.header.get("texts")
    if kind not in get_args(Kind) or not isinstance(texts, list):
        raise BadFrame("the embed request has no kind or no texts")
    if not all(isinstance(text, str) for text in cast("list[object]", texts)):
        raise BadFrame("the embed request contains a text that is not a string")
    model, version, recipe = (_word(frame, name) for name in ("model", "version", "recipe"))
    given = tuple(cast("list[str]", texts))
    too_much(given)
    return Embed(model, version, recipe, cast("Kind", kind), given, _word(frame, "token"))


def too_much(texts: Sequence[str]) -> None:
    """Raise Fault invalid_input where one request would keep the model from everybody else for long."""
    if len(texts) > MAX_TEXTS:
        raise Fault(
            "invalid_input", f"too many texts in one request: {len(texts):,}", f"send at most {MAX_TEXTS} at a time"
        )
    longest = max(map(len, texts), default=0)
    if longest > MAX_CHARS:
        cure = "pass part of the text"
        raise Fault("invalid_input", f"the text has {longest:,} characters, the limit is {MAX_CHARS:,}", cure)


def state_frame(state: State) -> Frame:
    """The answer to `Hello`."""
    return Frame({"say": "state", **{name: getattr(state, name) for name in State.__slots__}})


def read_state(frame: Frame) -> State:
    """The answer to `Hello`, as it came. Raises BadFrame, or the Fault that came instead."""
    _expect(frame, "state")
    loading = frame.header.get("loading") is not False
    dim = _count(frame, "dim")
    if not loading and not 1 <= dim <= _MAX_DIM:
        raise BadFrame(f"invalid dim: {dim:,}")
    model, version, recipe = (_word(frame, name) for name in ("id", "version", "recipe"))
    pid, embedded, idle = (_count(frame, name) for name in ("pid", "texts", "idle_s"))
    return State(model, version, recipe, dim, loading, pid, embedded, idle, _word(frame, "proof"))


def vectors_frame(vectors: Sequence[tuple[Vector, ...]]) -> Frame:
    """The answer to `Embed`: how many vectors each text has, and all of them in order."""
    counts = [len(own) for own in vectors]
    return Frame({"say": "vectors", "counts": counts}, b"".join(vector for own in vectors for vector in own))


def read_vectors(frame: Frame, texts: int, dim: int) -> list[tuple[Vector, ...]]:
    """The vectors of so many `texts`, each looked at: finite, of unit length, of `dim` components.

    Raises BadFrame where they are not, or the Fault that came instead.
    """
    _expect(frame, "vectors")
    found = frame.header.get("counts")
    if not isinstance(found, list) or len(cast("list[object]", found)) != texts:
        raise BadFrame("wrong number of texts")
    counts = cast("list[object]", found)
    # A flag is an int to Python, and no count.
    if not all(type(count) is int and count >= 1 for count in counts):
        raise BadFrame("a text has no vector")
    sizes, size = cast("list[int]", counts), 4 * dim
    if sum(sizes) * size != len(frame.body):
        raise BadFrame(f"{len(frame.body):,} bytes for {sum(sizes):,} vectors")
    out: list[tuple[Vector, ...]] = []
    at = 0
    for count in sizes:
        own = tuple(frame.body[at + n * size : at + (n + 1) * size] for n in range(count))
        for vector in own:
            if (reason := unusable(vector, dim)) is not None:
                raise BadFrame(f"invalid vector: {reason}")
        out.append(own)
        at += count * size
    return out


def bye_frame() -> Frame:
    """The answer to `Stop`."""
    return Frame({"say": "bye"})


def read_bye(frame: Frame) -> None:
    """Raises BadFrame where the answer to `Stop` is another, or the Fault that came instead."""
    _expect(frame, "bye")


def slices(texts: Sequence[str], most: int, most_chars: int) -> Iterator[Sequence[str]]:
    """The texts in pieces: at least one text, else no more than so many texts and code points."""
    start = chars = 0
    for at, text in enumerate(texts):
        if at > start and (at - start == most or chars + len(text) > most_chars):
            yield texts[start:at]
            start, chars = at, 0
        chars += len(text)
    if start < len(texts):
        yield texts[start:]


def fault_frame(fault: Fault) -> Frame:
    """The answer to a request that was not met."""
    words = {"message": fault.message[:_MAX_WORDS], "hint": fault.hint[:_MAX_WORDS]}
    return Frame({"say": "fault", "code": fault.code, **words})


def _expect(frame: Frame, kind: str) -> None:
    if frame.header.get("say") == "fault":
        code = frame.header.get("code")
        known = code if code in ("invalid_input", "timeout") else "model_unreachable"
        raise Fault(cast("FaultCode", known), _word(frame, "message") or "no reason given", _word(frame, "hint"))
    if frame.header.get("say") != kind:
        raise BadFrame("unexpected message")


def _word(frame: Frame, name: str) -> str:
    value = frame.header.get(name, "")
    if not isinstance(value, str) or len(value) > _MAX_WORDS:
        raise BadFrame(f"{name} is not a short string")
    return value


def _count(frame: Frame, name: str) -> int:
    value = frame.header.get(name)
    if type(value) is not int or not 0 <= value < 1 << 53:
        raise BadFrame(f"{name} is not a valid count")
    return value
