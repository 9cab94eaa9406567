"""What can go wrong with a language model server: exceptions of the readers, and the faults a person sees."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any, Final, cast

from core.base.fault import Fault, FaultCode
from core.llm.endpoint import Endpoint
from core.text import redact, visible

NO_SUCH_PAGE: Final = (404, 405, 501)
"""What HTTP servers answer that do not know what they are asked."""
_SHOWN: Final = 200


class MalformedLine(Exception):
    """A line that is not what such a server sends."""

    def __init__(self, line: bytes) -> None:
        super().__init__()
        self.line = line[:400].decode("utf-8", "replace")


class ServerError(Exception):
    """The server says, instead of going on, what is wrong."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        super().__init__()
        self.value = dict(value)


class ConnectionEnded(Exception):
    """The connection ended before the answer did."""


class TooLarge(Exception):
    """The server sends more than `BODY_BYTES`, or a line longer than `LINE_BYTES`."""


def as_object(line: bytes) -> dict[str, Any]:
    """A line as a JSON object. Raises MalformedLine."""
    try:
        value: object = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise MalformedLine(line) from None
    if not isinstance(value, dict):
        raise MalformedLine(line)
    return cast("dict[str, Any]", value)


def count(value: object) -> int | None:
    """A number of tokens as the server counted them."""
    return value if type(value) is int and 0 <= value < 1 << 40 else None


def server_text(text: object, key: str = "") -> str:
    """What a server says, as it may be shown: one line, inert, cut, without secrets and the key it was given."""
    message = str(text)[: 16 * _SHOWN]
    message = message.replace(key, "<SECRET>") if key else message
    line = visible(redact(message[: 4 * _SHOWN])).replace("\n", " ").replace("\t", " ").strip()
    return line if len(line) <= _SHOWN else line[:_SHOWN] + "…"


def start_hint(provider: str) -> str:
    """What to do where no server answers."""
    if provider == "ollama":
        return "run: ollama serve, or set models.llm.endpoint to the URL of the server"
    return "start the server, or set models.llm.endpoint to its URL"


def unreachable(endpoint: Endpoint, provider: str, error: Exception, connect_s: float) -> Fault:
    """There was no connection, or what answered is no such server."""
    where = endpoint.address
    if isinstance(error, Fault):
        return error
    hint = start_hint(provider)
    if isinstance(error, ConnectionRefusedError):
        message = f"no server responds at {where}"
    elif isinstance(error, socket.gaierror):
        message, hint = (
            f"unknown host {endpoint.host}",
            "correct models.llm.endpoint, or check the network",
        )
    elif isinstance(error, TimeoutError):
        message = f"no connection to {where} within {connect_s:.0f} s"
    elif type(error).__name__.startswith("SSL"):
        reason = server_text(getattr(error, "verify_message", "") or getattr(error, "reason", "") or error)
        message, hint = (
            f"no trusted connection to {where}: {reason}",
            "check the certificate, or the URL",
        )
    elif isinstance(error, OSError):
        message = f"no connection to {where}: {server_text(error.strerror or error)}"
    else:
        message, hint = (
            f"{where} is not an {provider} server",
            "check models.llm.provider and models.llm.endpoint",
        )
    return Fault("model_unreachable", message, hint, endpoint=where)


def interrupted(endpoint: Endpoint, error: Exception | None) -> Fault:
    """The connection was there and ended before the answer did."""
    if isinstance(error, TooLarge):
        return malformed(endpoint, "the response exceeds the size limit")
    return Fault(
        "io_error", f"the answer from {endpoint.address} was interrupted", "ask again", endpoint=endpoint.address
    )


def malformed(endpoint: Endpoint, what: object) -> Fault:
    """What came is not what such a server sends."""
    return Fault(
        "io_error",
        f"invalid reply from the server at {endpoint.address}: {server_text(what, endpoint.key)}",
        "ask again, or check models.llm.provider and models.llm.endpoint",
        endpoint=endpoint.address,
    )


def no_response(endpoint: Endpoint, seconds: float, setting: str) -> Fault:
    """Nothing came for too long. `setting` is the one that says how long."""
    return Fault(
        "timeout",
        f"the model at {endpoint.address} timed out after {seconds:g} s",
        f"when the model has loaded, ask again, or raise {setting}",
        endpoint=endpoint.address,
    )


def took_too_long(endpoint: Endpoint, seconds: float) -> Fault:
    """The answer went on for too long."""
    message = f"the answer from {endpoint.address} timed out after {seconds:g} s"
    return Fault("timeout", message, "ask a shorter question, or raise models.llm.total_s", endpoint=endpoint.address)


def error_in_body(body: bytes, key: str = "") -> tuple[str, str]:
    """What the body of a refusal says, and the code it gives: `{"error": "…"}` or `{"error": {"message", "code"}}`."""
    try:
        value: object = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return server_text(body[:3200].decode("utf-8", "replace"), key), ""
    return error_in(value, key)


def error_in(value: object, key: str = "") -> tuple[str, str]:
    """The same of a value that was read already; two empty texts where it complains of nothing."""
    if not isinstance(value, dict):
        return "", ""
    whole = cast("dict[str, Any]", value)
    error = whole.get("error", whole.get("message", whole.get("detail")))
    if isinstance(error, dict):
        found = cast("dict[str, Any]", error)
        return server_text(found.get("message") or found, key), str(found.get("code") or "")
    if isinstance(error, str):
        return server_text(error, key) or "an error", ""
    return ("", "") if error is None else (server_text(error, key), "")


def refused(endpoint: Endpoint, provider: str, model: str, status: int, body: bytes) -> Fault:
    """An HTTP status that is no success."""
    text, code = error_in_body(body, endpoint.key)
    shown, where = visible(model)[:100], endpoint.address
    because = f" (HTTP {status})" + (f": {text}" if text else "")
    kind: FaultCode
    if status in (401, 403):
        kind, message = "config_invalid", f"{where} requires a valid API key"
        hint = "set models.llm.api_key_env to the environment variable that holds the key"
    elif status == 404 and ("model" in text.lower() or code == "model_not_found"):
        kind, message, hint = "model_not_pulled", f"{where} has no model {shown}", pull_hint(provider, model)
    elif status in NO_SUCH_PAGE:
        kind, message = "config_invalid", f"{where} is not an {provider} server (HTTP {status})"
        hint = "check models.llm.provider and models.llm.endpoint" + (
            " (the URL may have to end in /v1)" if provider == "openai" else ""
        )
    elif status == 429:
        kind, message, hint = "model_unreachable", f"{where} is overloaded{because}", "ask again later"
    elif 400 <= status < 500:
        kind, message, hint = "invalid_input", f"{where} rejects the request{because}", "check the llm settings"
    else:
        kind, message, hint = "model_unreachable", f"{where} cannot answer{because}", "check the log of the server"
    return Fault(kind, message, hint, endpoint=where, model=shown, status=status, said=text)


def redirected(endpoint: Endpoint, status: int, location: str) -> Fault:
    """A redirect: questions and keys go where the settings say, and nowhere else."""
    message = f"{endpoint.address} redirects (HTTP {status}): {server_text(location) or 'without a target'}"
    hint = "if that is the right server, set models.llm.endpoint to its URL"
    return Fault("model_unreachable", message, hint, endpoint=endpoint.address, status=status)


def pull_hint(provider: str, model: str) -> str:
    """How to come by a model."""
    if provider == "ollama":
        return f"ollama pull {visible(model)[:100]}"
    return "set models.llm.model to a model that this server has (casebook doctor lists them)"
