"""The interface of a language model: messages in, tokens out one by one, then the usage; and the limits of an answer.

Source: kebab-frozen-design 7.1, 7.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "aborted"]


CONNECT_S: Final = 5.0
"""Seconds until there is a connection, finding the host included."""
LINE_BYTES: Final = 1 << 20
"""A line of a stream that is longer is no token."""
BODY_BYTES: Final = 64 << 20
"""Bytes taken of one stream; some hundred go with each token."""
MESSAGE_BYTES: Final = 1 << 20
"""Bytes taken of an answer that is no stream: a list of models, or what a server says is wrong."""
ANSWER_CHARS: Final = 1 << 18
"""Characters taken of one answer: more than a person reads, or a model should write."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """How to answer. `max_tokens` 0: as many as the model likes; `as_json`: one JSON object and nothing else."""

    max_tokens: int = 0
    temperature: float = 0.0
    seed: int | None = 0
    stop: tuple[str, ...] = ()
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer, never empty, raw: foreign text like any other."""

    text: str


@dataclass(frozen=True, slots=True)
class Retracted:
    """All tokens before this were thought aloud, as shows only now: they are no part of the answer."""


@dataclass(frozen=True, slots=True)
class GenerationEnd:
    """The end of an answer: by itself, because of its length, or because it was cancelled."""

    finish: Finish
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class ModelRef:
    """The model that answered, and its provider."""

    id: str
    provider: str
    dimensions: int | None = None


class LanguageModel(Protocol):
    """A model that can be asked. Making one contacts nothing."""

    @property
    def ref(self) -> ModelRef: ...

    @property
    def context_tokens(self) -> int:
        """Tokens it reads at once, its answer included."""
        ...

    def stream(
        self, messages: Sequence[Message], options: GenerateOptions, cancelled: Callable[[], bool]
    ) -> Iterator[Token | Retracted | GenerationEnd]:
        """Tokens as they arrive, TakenBack once at most, and exactly one Done, last; closing it ends the connection.

        `cancelled` is asked at least every 30 ms, also while the server is silent. Raises Fault from the iterator:
        model_unreachable, model_not_pulled, timeout, config_invalid, io_error (a stream cut off or malformed).
        """
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds: until the first line that says something, between two lines, and for all of it."""

    first_s: float
    idle_s: float
    total_s: float
    connect_s: float = CONNECT_S
