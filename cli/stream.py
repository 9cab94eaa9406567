"""`--jsonl`: one JSON object a line in, one a line out, in order, in constant memory; a fault stays on its line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

from core.base.fault import Fault, why_unread
from core.base.wire import dumps, error_object

MAX_LINE = 16 << 20
"""Bytes of one line; a longer one is answered with an error."""
_CHUNK = 1 << 20
TEXT = '{"text": "…"}'
"""The form of a line that is a text."""


def run_stream(answer: Callable[[dict[str, Any]], object], form: str = TEXT) -> bool:
    """Answer every line of standard input; whether none failed. Each answer is flushed, so that a pipe sees it.

    `form` is that of a line, as the hint of a wrong one shows it.
    """
    clean = True
    for number, line in enumerate(capped_lines(sys.stdin.buffer), 1):
        try:
            result = answer(object_of(line, form))
        except Fault as fault:
            clean = False
            fault.details = {**fault.details, "line": number}
            result = error_object(fault)
        except Exception as error:  # noqa: BLE001 one line must not cost the others their answer
            clean = False
            result = error_object(
                Fault("generic", f"{type(error).__name__}: {error}", "report this line as a bug", line=number)
            )
        sys.stdout.write(dumps(result) + "\n")
        sys.stdout.flush()
    return clean


def capped_lines(source: IO[bytes], limit: int = MAX_LINE) -> Iterator[bytes | None]:
    """Lines without their ends; None for one of more than `limit` bytes, which is read past but never held."""
    while line := source.readline(limit + 2):
        if len(line.rstrip(b"\r\n")) <= limit:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(_CHUNK)
        yield None


def text_of(item: dict[str, Any]) -> str:
    """The `text` of an input line. Raises Fault invalid_input."""
    text = item.get("text")
    if not isinstance(text, str):
        raise Fault("invalid_input", "the line has no text", f"use the format {TEXT}")
    if not text.strip():
        raise Fault("invalid_input", "the text is empty", "pass the error output as text")
    return text


def object_of(line: bytes | None, form: str) -> dict[str, Any]:
    """The object on a line of that form; None is a line that was too long. Raises Fault invalid_input."""
    hint = f"use the format {form}"
    if line is None:
        raise Fault("invalid_input", f"the line is longer than {MAX_LINE >> 20} MiB", hint)
    try:
        value: object = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise Fault("invalid_input", f"the line is not JSON: {why_unread(error)}", hint) from None
    if not isinstance(value, dict):
        raise Fault("invalid_input", "the line is not a JSON object", hint)
    return cast("dict[str, Any]", value)
