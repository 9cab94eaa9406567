"""What a server sends, as it comes, by the reader's clock: no wait is longer than a deadline or than patience."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from typing import Final

from core.base.fault import Fault
from core.llm.connection import Body, Connection, Line, Mail, Opened, Request
from core.llm.endpoint import Endpoint
from core.llm.errors import broken_off, elsewhere, endless, refused, silent, unreachable
from core.llm.limits import Limits

_TICK: Final = 0.02
"""Seconds between two looks at whether anybody still wants the answer."""


class Cancelled(Exception):
    """Nobody wants the answer any more."""


def received(
    endpoint: Endpoint,
    request: Request,
    limits: Limits,
    cancelled: Callable[[], bool],
    *,
    asked_of: tuple[str, str],
    stream: bool,
) -> Iterator[bytes]:
    """The lines of a stream (or the one body) of a successful answer.

    `asked_of` is the provider and the model, for the telling. Raises Fault as `LanguageModel.stream` does, Cancelled
    within a fiftieth of a second of `cancelled`; closing the iterator ends the connection.
    """
    if cancelled():
        raise Cancelled
    connection = Connection(endpoint, request, limits.connect_s, stream=stream)
    try:
        yield from _read(connection, endpoint, limits, cancelled, asked_of)
    finally:
        connection.close()


def _read(
    connection: Connection, endpoint: Endpoint, limits: Limits, cancelled: Callable[[], bool], asked_of: tuple[str, str]
) -> Iterator[bytes]:
    clock = _Clock(endpoint, asked_of[0], limits)
    status = 0
    while True:
        mail = _next(connection, clock, cancelled)
        if isinstance(mail, Opened):
            status = mail.status
            if 300 <= status < 400:
                raise elsewhere(endpoint, status, mail.location)
            clock.heard(b"")
        elif isinstance(mail, Line):
            clock.heard(mail.data)
            yield mail.data
        elif isinstance(mail, Body):
            if status != 200:
                raise refused(endpoint, *asked_of, status, mail.data)
            yield mail.data
        elif mail.error is None:
            return
        elif status:
            raise broken_off(endpoint, mail.error) from mail.error
        else:
            raise unreachable(endpoint, asked_of[0], mail.error, limits.connect_s) from mail.error


def _next(connection: Connection, clock: _Clock, cancelled: Callable[[], bool]) -> Mail:
    while True:
        if cancelled():
            raise Cancelled
        if (fault := clock.over(connected=connection.connected)) is not None:
            raise fault
        try:
            return connection.mail.get(timeout=_TICK)
        except queue.Empty:
            continue


class _Clock:
    """How long nothing has come, and how long it all takes."""

    def __init__(self, endpoint: Endpoint, provider: str, limits: Limits) -> None:
        self._endpoint, self._provider, self._limits = endpoint, provider, limits
        self._began = self._last = time.monotonic()
        self._speaking = False

    def heard(self, line: bytes) -> None:
        """Something came. A blank line or a comment keeps a connection alive and says nothing yet."""
        self._last = time.monotonic()
        self._speaking = self._speaking or not (line.strip() == b"" or line.startswith(b":"))

    def over(self, *, connected: bool) -> Fault | None:
        """The fault where a deadline has passed."""
        now, limits = time.monotonic(), self._limits
        if not connected and now - self._began > limits.connect_s:
            return unreachable(self._endpoint, self._provider, TimeoutError(), limits.connect_s)
        if now - self._began > limits.total_s:
            return endless(self._endpoint, limits.total_s)
        if not self._speaking and now - self._began > limits.first_s:
            return silent(self._endpoint, limits.first_s, "models.llm.first_token_s")
        if self._speaking and now - self._last > limits.idle_s:
            return silent(self._endpoint, limits.idle_s, "models.llm.idle_s")
        return None
