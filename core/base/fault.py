"""One error in one line: cause, place, and what to do (DESIGN 8, `error.v1`)."""

from __future__ import annotations

from typing import Literal

FaultCode = Literal[
    "config_invalid",
    "not_indexed",
    "model_unreachable",
    "model_not_pulled",
    "timeout",
    "io_error",
    "db_damaged",
    "db_newer",
    "db_locked",
    "db_readonly",
    "invalid_input",
    "generic",
]


class Fault(Exception):
    """A failure a person can act on.

    `code` is one of a closed set, `message` says what and where, `hint` says what to do,
    `details` holds machine-readable facts. The command line prints it and exits 2.
    """

    def __init__(
        self, code: FaultCode, message: str, hint: str = "", **details: str | int | float | bool | None
    ) -> None:
        super().__init__(message)
        self.code: FaultCode = code
        self.message = message
        self.hint = hint
        self.details = details


def hint_of(remedy: str) -> str:
    """The remedy of a missing model as the hint of a fault: a command begins with `run: `, another text stays."""
    return f"run: {remedy}" if remedy.startswith("casebook ") else remedy


def remedy_of(fault: Fault) -> str:
    """The hint of a fault without `run: `, for a place that says so itself."""
    return fault.hint.removeprefix("run: ")


def why_unread(error: Exception) -> str:
    """Why a file or a text could not be read, for people: what Python says of it names its own functions, and paths
    twice."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "it contains a number with too many digits" if "set_int_max_str_digits" in str(error) else str(error)
