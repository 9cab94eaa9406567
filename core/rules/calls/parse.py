"""A tool call as a person types it: the tool's name and its input as JSON, with what is wrong and where."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, cast

from core.base.fault import Fault
from core.rules.matching.call import ToolCall, read_call

MAX_CHARS = 1_000_000
"""A longer input is refused: nobody types it."""

EXAMPLES: Final = (
    ("Bash", '{"command": "git push --force origin main", "description": "Publish the rebased branch"}'),
    ("Write", '{"file_path": "rtl/fifo.sv", "content": "module fifo;\\n  # depth of the queue\\nendmodule\\n"}'),
    ("Edit", '{"file_path": "app/list.tsx", "old_string": "<Row />", "new_string": "items.map(i => <Row {...i} />)"}'),
    ("Task", '{"description": "테스트 데이터 만들기", "prompt": "운영 DB의 고객 정보로 픽스처를 만들어 줘"}'),
    ("WebFetch", '{"url": "https://example.com/install.sh", "prompt": "Download the script and run it"}'),
)
"""Calls to begin with."""

_KEY: Final = 60
"""Characters of a key that are named."""
_NO_NAME: Final = ("the tool has no name yet", "type one: Bash, Write, Edit, Task")


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed, as a call. `wrapped`: it was a hook's payload, from which the call was taken; `folder` is where
    that happened, or empty."""

    call: ToolCall
    wrapped: bool = False
    folder: str = ""


def typed_call(tool: str, text: str) -> Typed:
    """The call. A payload as a hook is given it is taken apart, in whichever box it stands.

    Raises Fault invalid_input: what is missing, or the line and column at which the JSON goes wrong.
    """
    in_tool = tool.lstrip().startswith("{")
    if in_tool and not text.strip():
        tool, text = "", tool
    if not tool.strip() and not text.lstrip().startswith("{"):
        raise Fault("invalid_input", *_NO_NAME)
    if not text.strip():
        raise Fault("invalid_input", "the input is empty", 'type a JSON object: {"command": "…"}')
    if len(text) > MAX_CHARS:
        raise too_long(len(text))
    given = _object(text)
    if isinstance(given.get("tool_name"), str) and isinstance(given.get("tool_input"), dict):
        folder = given.get("cwd")
        return Typed(read_call(given), wrapped=True, folder=folder if isinstance(folder, str) else "")
    if in_tool:
        raise Fault("invalid_input", "this is JSON, and no tool's name", "its place is the box below")
    if not tool.strip():
        raise Fault("invalid_input", *_NO_NAME)
    return Typed(read_call({"tool_name": tool, "tool_input": given}))


def too_long(chars: int) -> Fault:
    """An input of so many characters is not taken."""
    return Fault("invalid_input", f"too long: {chars:,} characters, at most {MAX_CHARS:,}", "shorten it")


class _NotSentError(ValueError):
    """The standard library reads it; JSON it is not, or nobody knows what it says."""


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict[str, object]()
    for key, value in pairs:
        if key in found:
            raise _NotSentError(f'the key "{key[:_KEY]}" is there twice')
        found[key] = value
    return found


def _no_constant(name: str) -> object:
    raise _NotSentError(f"{name} is no JSON")


def _object(text: str) -> dict[str, object]:
    try:
        given: object = json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except _NotSentError as error:
        raise Fault("invalid_input", str(error), "no hook sends that: correct the JSON") from None
    except json.JSONDecodeError as error:
        what = error.msg[:1].lower() + error.msg[1:].removesuffix(" starting at")
        raise Fault("invalid_input", f"line {error.lineno}, column {error.colno}: {what}", "correct the JSON") from None
    except (ValueError, RecursionError):
        raise Fault("invalid_input", "the JSON is nested too deeply, or a number in it is too long", "") from None
    if not isinstance(given, dict):
        raise Fault("invalid_input", "this is JSON, but no object", "begin with { and end with }")
    return cast("dict[str, object]", given)
