"""Arguments of a tool: their shape as JSON Schema, and the check that what came has it.

The check knows the few words of JSON Schema that the shapes here use, and says in one line what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson

from core.base.fault import Fault
from core.base.wire import dumps
from core.flows.mcp.context import Desk

Shape = dict[str, Any]
Arguments = Mapping[str, Any]


def text(about: str, most: int, *, choices: tuple[str, ...] = ()) -> Shape:
    """A text of at most `most` characters, or one of a few."""
    found: Shape = {"type": "string", "description": about, "maxLength": most}
    return {"type": "string", "description": about, "enum": list(choices)} if choices else found


def number(about: str, least: int, most: int, default: int) -> Shape:
    return {"type": "integer", "description": about, "minimum": least, "maximum": most, "default": default}


def flag(about: str) -> Shape:
    """Yes or no; no unless it is said."""
    return {"type": "boolean", "description": about, "default": False}


def many(about: str, items: Shape, most: int) -> Shape:
    """A list of at most `most`."""
    return {"type": "array", "description": about, "items": items, "maxItems": most}


def shape(required: tuple[str, ...] = (), **properties: Shape) -> Shape:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def checked(given: object, shape: Shape, name: str = "the arguments") -> dict[str, Any]:
    """The arguments, which have the shape wanted. Raises Fault invalid_input naming the first that does not fit."""
    found = _wrong(given, shape, name)
    if found is not None:
        raise Fault("invalid_input", found, "see the tool's input schema")
    return cast("dict[str, Any]", given)


_KINDS: dict[str, tuple[type, str]] = {
    "string": (str, "text"),
    "integer": (int, "an integer"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
    "object": (dict, "an object"),
}


def _wrong(given: object, shape: Shape, name: str) -> str | None:
    if not shape:  # anything
        return None
    if "anyOf" in shape:
        found = [_wrong(given, one, name) for one in shape["anyOf"]]
        return None if None in found else found[-1]
    kind, called = _KINDS[shape["type"]]
    if not isinstance(given, kind) or (kind is int and isinstance(given, bool)):
        return f"{name} must be {called}"
    if isinstance(given, str):
        if "enum" in shape and given not in shape["enum"]:
            return f"{name} must be one of {', '.join(shape['enum'])}"
        return f"{name} is longer than {shape['maxLength']:,} characters" if _longer(given, shape) else None
    if isinstance(given, int) and not isinstance(given, bool):
        fits = shape["minimum"] <= given <= shape["maximum"]
        return None if fits else f"{name} must be between {shape['minimum']} and {shape['maximum']}"
    if isinstance(given, list):
        return _wrong_list(cast("list[object]", given), shape, name)
    return _wrong_object(cast("dict[str, object]", given), shape, name) if isinstance(given, dict) else None


def _longer(given: str, shape: Shape) -> bool:
    return len(given) > shape.get("maxLength", len(given))


def _wrong_list(given: list[object], shape: Shape, name: str) -> str | None:
    if len(given) > shape["maxItems"]:
        return f"{name} has more than {shape['maxItems']:,} items"
    found = (_wrong(one, shape["items"], f"{name}[{at}]") for at, one in enumerate(given))
    return next((one for one in found if one is not None), None)


def _wrong_object(given: dict[str, object], shape: Shape, name: str) -> str | None:
    known: dict[str, Shape] = shape.get("properties", {})
    missing = [one for one in shape.get("required", ()) if one not in given]
    if missing:
        return f"{name} lack {missing[0]}" if name == "the arguments" else f"{name} lacks {missing[0]}"
    if not shape.get("additionalProperties", True):
        strange = [one for one in given if one not in known]
        if strange:
            return f"unknown argument {strange[0][:40]!r}, expected: {', '.join(known) or 'none'}"
    within = "" if name == "the arguments" else f"{name}."
    found = (_wrong(value, known[key], within + key) for key, value in given.items() if key in known)
    return next((one for one in found if one is not None), None)


_ENVELOPE: Final = 120
"""Bytes around an answer in a message of the protocol."""


def sent_bytes(value: object) -> int:
    """The bytes that an answer takes on the wire: it is sent as an object and, once more, as text."""
    written = dumps(value)
    return _ENVELOPE + len(orjson.dumps(written)) + len(orjson.dumps(orjson.loads(written)))


Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Tool:
    """`about` names the schema of the answer (`casebook schema NAME`); `run` returns such a value or raises Fault."""

    name: str
    title: str
    about: str
    shape: Shape
    run: Callable[[Desk, dict[str, Any], Cancelled], object]
    asks_network: bool = False
    """Whether it may ask a server that the settings name."""
    writes: bool = False
    """Whether it keeps more in the casebook than what can be computed again; then its read-only hint is false."""
    loose: Shape | None = None
    """What is checked before `run`, in place of `shape`, where that checks the items of a list one by one."""
