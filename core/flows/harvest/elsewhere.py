"""Failures on other machines that a command only shows: logs of runs, containers that ended, services that refuse."""

from __future__ import annotations

import re
from typing import Final, cast
from urllib.parse import urlsplit

import orjson

from core.flows.harvest.command import Command, Part
from core.flows.harvest.signatures import ERROR, Named, named_errors

_FAILED_RUN: Final = re.compile(
    r"##\[error\]|\bProcess completed with exit code [1-9]|^ERROR: Job failed", re.MULTILINE
)
"""What GitHub Actions and GitLab CI write into the log of a job that failed."""
_SAVED_LOG: Final = re.compile(r"\s*[^\t\n]{1,120}\t[^\t\n]{1,120}\t\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+Z ")
"""The first line of such a log, where it was saved and is looked through now: job, step, time."""
_CLIENTS: Final = frozenset({"curl", "wget", "http", "https", "xh", "Invoke-RestMethod", "irm"})
_RUNTIMES: Final = frozenset({"python", "node", "go", "rust-panic", "java", "ruby", "php", "dotnet"})
_HERE: Final = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "::1", "host.docker.internal"})
_LONGEST: Final = 4_000


def errors_elsewhere(command: Command, body: str) -> tuple[Named, ...]:
    """What the log of a failed run elsewhere names, or why a service refused a request; empty for all else."""
    if any(map(_shows_log, command.parts)) or (command.reads_only and _SAVED_LOG.match(body)):
        only_failed = any("--log-failed" in part.words for part in command.parts)
        if not (only_failed or _FAILED_RUN.search(body)):
            return ()
        return tuple(error for error in named_errors(body) if _is_named_in_log(error))
    if any(map(_shows_crash, command.parts)):
        return _crash(body)
    if body.lstrip().startswith("{") and any(map(_asks_service, command.parts)) and _is_refusal(body):
        return named_errors(body)
    return ()


def _is_named_in_log(error: Named) -> bool:
    """Whether an error of a log is a tool's own, not the line of a log that sounds most like one."""
    return error.key.tool != "ci" and (error.key.tool != "unknown" or ERROR.search(error.key.text) is not None)


def _shows_log(part: Part) -> bool:
    words = part.words
    if words[:3] == ("gh", "run", "view"):
        return any(word.startswith("--log") for word in words)
    return words[:3] == ("glab", "ci", "trace") or (words[:2] == ("gh", "api") and any("/logs" in w for w in words))


def _shows_crash(part: Part) -> bool:
    """Whether a part shows the log of a container that ended: other logs quote what others met."""
    return (
        part.program in ("kubectl", "oc") and "logs" in part.words[1:3] and bool({"--previous", "-p"} & {*part.words})
    )


def _crash(body: str) -> tuple[Named, ...]:
    """What ended the program whose log this is: an uncaught exception or a panic in its last lines."""
    end = len(body.rstrip())
    for _ in range(2):
        end = max(0, body.rfind("\n", 0, end))
    return tuple(error for error in named_errors(body) if error.key.tool in _RUNTIMES and error.key.start >= end)


def _asks_service(part: Part) -> bool:
    """Whether a part asks a service on another machine: what is served here is often meant to refuse."""
    if part.words[:2] in (("gh", "api"), ("glab", "api")):
        return True
    hosts = [urlsplit(word).hostname for word in part.words if word.startswith(("http://", "https://"))]
    return part.program in _CLIENTS and bool(hosts) and not any(host in _HERE for host in hosts)


def _is_refusal(body: str) -> bool:
    """Whether a whole body is an error: a problem document (RFC 9457), an error object, GitHub's message, or
    errors of GraphQL with its data."""
    if len(body) > _LONGEST:
        return False
    try:
        read: object = orjson.loads(body.strip())
    except ValueError:
        return False
    if not isinstance(read, dict):
        return False
    error_body = cast("dict[str, object]", read)
    status = error_body.get("status")
    problem = isinstance(status, int) and status >= 400 and bool({"title", "detail", "message"} & error_body.keys())
    if problem or isinstance(error_body.get("error"), dict) or {"message", "documentation_url"} <= error_body.keys():
        return True
    errors = error_body.get("errors")  # GraphQL answers with status 200
    return isinstance(errors, list) and errors != [] and "data" in error_body
