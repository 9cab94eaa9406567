"""The configured language model, the models that its server offers (for `doctor`), and the filter for reasoning text.

Some servers send reasoning between tags as the beginning of an answer. If the prompt ended with the opening tag, the
answer has only the closing one: then all text before it is retracted."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from core.base.config.settings import LlmSettings
from core.base.fault import Fault
from core.llm import ollama, openai
from core.llm.connection import Cancelled, Request, response_lines
from core.llm.endpoint import Endpoint, endpoint_of
from core.llm.errors import (
    NO_SUCH_PAGE,
    ConnectionEnded,
    MalformedLine,
    ServerError,
    as_object,
    error_in,
    interrupted,
    malformed,
    refused,
)
from core.llm.language_model import (
    ANSWER_CHARS,
    GenerateOptions,
    GenerationEnd,
    LanguageModel,
    Limits,
    Message,
    ModelRef,
    Retracted,
    Token,
)

_NAMES: Final = "think", "thinking", "thought", "thoughts", "reasoning"
_OPENING: Final = (*(f"<{name}>" for name in _NAMES), "[think]")
_CLOSING: Final = (*(f"</{name}>" for name in _NAMES), "[/think]")
_TAG: Final = re.compile(r"(?i)<(?P<close>/?)(?:think|thinking|thoughts?|reasoning)>|\[(?P<end>/?)think\]", re.ASCII)
_LONGEST: Final = max(map(len, _CLOSING))


class Filtered(NamedTuple):
    """Answer text, often empty. `retract`: all text before it was reasoning and is not part of the answer."""

    text: str
    retract: bool = False


class ReasoningFilter:
    """Removes reasoning from a streamed answer. Only text at its beginning is reasoning."""

    def __init__(self) -> None:
        self._held = ""  # what may still become a tag
        self._state = "before"
        self._open = 0  # tags in the middle of the answer that are not closed yet
        self._last = ""  # the last character that was given out

    def answer(self, piece: str) -> Filtered:
        """The answer text that this piece completes."""
        if self._state == "answer":
            return Filtered(piece)
        self._held += piece
        if self._state == "before":
            text = self._held.lstrip()
            found = _TAG.match(text)
            if found and not _is_closing(found):
                self._state, self._held = "thinking", text[found.end() :]
            elif _is_tag_prefix(text, _OPENING):
                return Filtered("")
            else:
                self._state = "unsure"
        if self._state == "unsure":
            return self._unsure()
        if self._state == "thinking":
            found = next((one for one in _TAG.finditer(self._held) if _is_closing(one)), None)
            if found is None:
                self._held = self._held[-_LONGEST:]
                return Filtered("")
            self._state, self._held = "after", self._held[found.end() :]
        return Filtered(self._after())

    def end(self) -> str:
        """The text held back when the answer ended: the beginning of an incomplete tag."""
        return self._held if self._state in ("before", "unsure") else ""

    def _unsure(self) -> Filtered:
        """The answer, unless it has a closing tag without an opening one. A tag in backticks is only a mention."""
        text = self._held
        for found in _TAG.finditer(text):
            before = text[found.start() - 1] if found.start() else self._last
            if before == "`":
                continue
            if not _is_closing(found):
                self._open += 1
            elif self._open:
                self._open -= 1
            else:
                shown = self._last != ""
                self._state, self._held = "after", text[found.end() :]
                return Filtered(self._after(), shown)
        kept = next((at for at in range(_LONGEST, 0, -1) if _is_tag_prefix(text[-at:], (*_OPENING, *_CLOSING))), 0)
        kept = min(kept, len(text))
        self._held = text[len(text) - kept :]
        text = text[: len(text) - kept]
        self._last = text[-1:] or self._last
        return Filtered(text)

    def _after(self) -> str:
        """The answer behind its thoughts, without the blanks between."""
        text = self._held.lstrip()
        if text:
            self._state, self._held = "answer", ""
        return text


def _is_closing(found: re.Match[str]) -> bool:
    return bool(found["close"] or found["end"])


def _is_tag_prefix(begun: str, tags: tuple[str, ...]) -> bool:
    """Whether it is the beginning of a tag, and not all of one."""
    low = begun.lower()
    return any(tag.startswith(low) and tag != low for tag in tags)


_PROBE: Final = Limits(3.0, 2.0, 4.0, 3.0)
"""Seconds a server is waited for that is only asked what it has."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model behind an HTTP server."""

    settings: LlmSettings
    environ: Mapping[str, str] | None = None

    @property
    def ref(self) -> ModelRef:
        """Its name, and how its server is spoken to."""
        return ModelRef(self.settings.model, self.settings.provider)

    @property
    def context_tokens(self) -> int:
        """Tokens it reads and writes at once."""
        return self.settings.context_tokens

    def stream(
        self, messages: Sequence[Message], options: GenerateOptions, cancelled: Callable[[], bool]
    ) -> Iterator[Token | Retracted | GenerationEnd]:
        """As `LanguageModel.stream`. An answer beyond the limit ends as one that reached its maximum length."""
        endpoint, reader, request = self._build_request(messages, options)
        lines = self._lines(endpoint, request, cancelled)
        length, thoughts = 0, ReasoningFilter()
        try:
            for line in lines:
                text, retract = thoughts.answer(reader.read(line))
                if retract:
                    yield Retracted()
                if text:
                    length += len(text)
                    yield Token(_encodable(text))
                if reader.done is not None:
                    break
                if length > ANSWER_CHARS:
                    reader.done = GenerationEnd("length")
                    break
            done = reader.end()
            if left := thoughts.end():
                yield Token(_encodable(left))
            yield done
        except Cancelled:
            yield GenerationEnd("aborted")
        except ConnectionEnded:
            raise interrupted(endpoint, None) from None
        except MalformedLine as found:
            raise malformed(endpoint, found.line) from None
        except ServerError as found:
            raise _server_error(endpoint, self.settings, found) from None
        finally:
            lines.close()

    def _lines(self, endpoint: Endpoint, request: Request, cancelled: Callable[[], bool]) -> Generator[bytes]:
        """The lines of the answer. A server that names an option it does not take is asked once more without it."""
        limits = Limits(self.settings.first_token_s, self.settings.idle_s, self.settings.total_s)
        of_model = (self.settings.provider, self.settings.model)
        while True:
            try:
                yield from response_lines(endpoint, request, limits, cancelled, of_model=of_model, stream=True)
            except Fault as fault:
                again = openai.without_rejected_option(request, fault) if self.settings.provider == "openai" else None
                if again is None:
                    raise
                request = again
            else:
                return

    def _build_request(
        self, messages: Sequence[Message], options: GenerateOptions
    ) -> tuple[Endpoint, ollama.Reader | openai.Reader, Request]:
        settings = self.settings
        endpoint = endpoint_of(settings, self.environ)
        if settings.provider == "openai":
            request = openai.chat_request(settings.model, messages, options)
            return openai.with_version_path(endpoint), openai.Reader(), request
        return (
            endpoint,
            ollama.Reader(),
            ollama.chat_request(settings.model, settings.context_tokens, messages, options),
        )


def language_model(settings: LlmSettings) -> LanguageModel:
    """The model in the settings. Contacts nothing. Raises Fault config_invalid where none is named."""
    if not settings.model.strip():
        raise Fault(
            "config_invalid",
            "no language model is configured",
            "set models.llm.model, for example to qwen2.5:14b-instruct",
        )
    return ServedModel(settings)


@dataclass(frozen=True, slots=True)
class ServerModels:
    """The models of a server. `known` is False if it does not list them; `has`: whether it has the configured one."""

    address: str
    models: tuple[str, ...]
    known: bool
    has: bool


def server_models(settings: LlmSettings) -> ServerModels:
    """Ask the server which models it has; at most 8 seconds. Raises Fault as `LanguageModel.stream`."""
    endpoint = endpoint_of(settings)
    speaks_openai = settings.provider == "openai"
    if speaks_openai:
        endpoint = openai.with_version_path(endpoint)
    of_model = (settings.provider, settings.model)

    def send(request: Request) -> bytes:
        return b"".join(response_lines(endpoint, request, _PROBE, lambda: False, of_model=of_model, stream=False))

    try:
        body = send(Request(openai.MODELS if speaks_openai else ollama.TAGS))
        models = openai.names(body) if speaks_openai else ollama.names(body)
    except MalformedLine as found:
        raise malformed(endpoint, found.line) from None
    except Fault as fault:
        if not speaks_openai or fault.details.get("status") not in NO_SUCH_PAGE:
            raise
        try:
            _check_chat(send)
        except MalformedLine as found:
            raise malformed(endpoint, found.line) from None
        return ServerModels(endpoint.address, (), False, True)
    there = settings.model in models if speaks_openai else ollama.has(settings.model, models)
    return ServerModels(endpoint.address, models, True, there)


def _check_chat(send: Callable[[Request], bytes]) -> None:
    """Check a server that lists no models: it answers an empty request, or says what is wrong with it.

    Raises Fault if it does not or if it needs a key, and MalformedLine."""
    try:
        body = send(openai.EMPTY_REQUEST).strip()
        if not body.startswith(b"data:") and "choices" not in as_object(body):
            raise MalformedLine(body)
    except Fault as fault:
        if fault.code == "config_invalid" or fault.details.get("status") is None:
            raise


def _server_error(endpoint: Endpoint, settings: LlmSettings, found: ServerError) -> Fault:
    """Return the error a server reports in the middle of a stream. A missing model may come with status 200."""
    text, code = error_in(found.value, endpoint.key)
    if code == "model_not_found" or ("model" in text.lower() and "not found" in text.lower()):
        return refused(endpoint, settings.provider, settings.model, 404, b'{"error": "model not found"}')
    return Fault("io_error", f"the server at {endpoint.address} failed: {text}", "ask again", endpoint=endpoint.address)


def _encodable(text: str) -> str:
    """Half of a surrogate pair, which JSON may hold and UTF-8 may not, becomes U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
