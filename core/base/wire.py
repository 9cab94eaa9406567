"""Values as JSON: frozen dataclasses become objects with `schema_version`, and their types become JSON Schemas.

One door for everything that leaves casebook as JSON (DESIGN 8). A value needs nothing but to be a dataclass; one that
is an answer of its own names itself in a class variable `SCHEMA`, for example `"error_search.v1"`.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePath
from types import UnionType
from typing import Any, ClassVar, Final, Literal, Union, cast, get_args, get_origin, get_type_hints

from core.base.fault import Fault, FaultCode
from core.base.trace import Fact

Json = dict[str, Any] | list[Any] | str | int | float | bool | None

# What JSON leaves as it is but a terminal, a line reader or a strict parser would not: DEL and C1, zero-width and bidi
# controls, the line separators, surrogates. As escapes inside JSON strings they mean the same and do nothing.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ErrorObject:
    """A fault as a machine reads it. `code` is one of a closed set; `hint` says what to do."""

    SCHEMA: ClassVar[str] = "error.v1"

    code: FaultCode
    message: str
    hint: str
    details: Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class FileReport:
    """What was done with a casebook's file.

    `kept`: where a restore put what stood there before. `tables`: rows salvaged, a table. `errors`: what could not be
    read. All are empty where they do not apply.
    """

    SCHEMA: ClassVar[str] = "db_report.v1"

    action: Literal["backup", "restore", "salvage"]
    source: str
    target: str
    size: int
    kept: str | None = None
    tables: Mapping[str, int] = field(default_factory=dict[str, int])
    errors: tuple[str, ...] = ()


def error_object(fault: Fault) -> ErrorObject:
    """The wire form of a fault."""
    return ErrorObject(fault.code, fault.message, fault.hint, dict(fault.details))


@lru_cache(maxsize=256)
def _plan(kind: type) -> tuple[str | None, tuple[tuple[str, str, bool], ...]]:
    """The schema name of a dataclass, and its fields: each with its name in JSON (the metadata `wire`, for a name that
    Python reserves) and whether its pairs are meant as an object."""
    fields = tuple(
        (f.name, str(f.metadata.get("wire", f.name)), f.type in {"Facts", "core.base.trace.Facts"})
        for f in dataclasses.fields(kind)
    )
    return getattr(kind, "SCHEMA", None), fields


def to_wire(value: object) -> Json:
    """A value as dicts, lists and scalars that JSON can hold.

    Dataclasses become objects (`schema_version` first where the type has `SCHEMA`), tuples and sets lists, the facts
    of a step an object. A float is rounded to six decimals; one that is no number becomes null.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): to_wire(item) for name, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [to_wire(item) for item in cast("tuple[object, ...]", value)]
    if isinstance(value, (set, frozenset)):
        return [to_wire(item) for item in sorted(cast("set[Any]", value))]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _object(value)
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no wire form")


def _object(value: object) -> dict[str, Any]:
    schema, fields = _plan(type(value))
    out: dict[str, Any] = {} if schema is None else {"schema_version": schema}
    for name, written, is_object in fields:
        item = getattr(value, name)
        out[written] = {key: to_wire(fact) for key, fact in item} if is_object else to_wire(item)
    return out


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    return "\ufffd" if "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}"


def dumps(value: object, *, indent: int | None = None) -> str:
    """A value as JSON text, one line unless `indent` is given.

    Readable scripts stay readable. What could act on a terminal or split a line is written as an escape; a lone
    surrogate, which UTF-8 cannot hold, becomes U+FFFD.
    """
    return _UNSAFE.sub(_escape, json.dumps(to_wire(value), ensure_ascii=False, allow_nan=False, indent=indent))


def canonical(value: object) -> str:
    """The one JSON text of plain JSON values: keys sorted, no spaces, escapes as `dumps`. Raises ValueError for a
    number that is none, RecursionError for what is nested too deeply."""
    text = _CANONICAL(value)
    return text if text.isascii() and "\x7f" not in text else _UNSAFE.sub(_escape, text)


_CANONICAL: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode


def json_schema(kind: type) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what `to_wire` makes of a dataclass.

    Every field is required, since every field is always written; further ones are allowed, since v1 may grow.
    """
    definitions: dict[str, Any] = {}
    body = _object_schema(kind, definitions)
    name = _plan(kind)[0] or kind.__name__
    out: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:casebook:{name}",
        "title": name,
        **body,
    }
    if definitions:
        out["$defs"] = dict(sorted(definitions.items()))
    return out


def _object_schema(kind: type, definitions: dict[str, Any]) -> dict[str, Any]:
    schema, fields = _plan(kind)
    hints = get_type_hints(kind)
    properties: dict[str, Any] = {} if schema is None else {"schema_version": {"const": schema}}
    for name, written, is_object in fields:
        value = get_args(get_args(hints[name])[0])[1] if is_object else hints[name]
        found = _type_schema(value, definitions)
        properties[written] = {"type": "object", "additionalProperties": found} if is_object else found
    about = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
    return {
        **({"description": about} if about else {}),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": True,
    }


_SCALARS: dict[object, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    # A float that is no number is written as null, which only a damaged value can be: the schema does not promise it.
    float: {"type": "number"},
    type(None): {"type": "null"},
    Any: {},
}


def _type_schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint in _SCALARS:
        return dict(_SCALARS[hint])
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, UnionType):
        return _union([_type_schema(arg, definitions) for arg in args])
    if origin in (tuple, list, set, frozenset, Sequence):
        if origin is tuple and args[-1] is not Ellipsis:
            items = [_type_schema(arg, definitions) for arg in args]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        return {"type": "array", "items": _type_schema(args[0], definitions)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _type_schema(args[1], definitions)}
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = {}  # claimed before it is filled: a step holds steps
            definitions[hint.__name__] = _object_schema(hint, definitions)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if isinstance(hint, type) and issubclass(hint, PurePath):
        return {"type": "string"}
    raise TypeError(f"{hint!r} has no JSON Schema")


def _union(members: list[dict[str, Any]]) -> dict[str, Any]:
    """Scalars as one list of types, which reads better; anything else as `anyOf`."""
    if all(set(member) == {"type"} and isinstance(member["type"], str) for member in members):
        return {"type": list(dict.fromkeys(member["type"] for member in members))}
    return {"anyOf": members}
