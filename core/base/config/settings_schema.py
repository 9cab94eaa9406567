"""JSON Schema of the settings file, with which editors complete and check it."""

from __future__ import annotations

from typing import Any, Final

from core.base.config.settings import KEYS, SECTIONS, Spec

TITLE: Final = "Settings of casebook"
_TYPES: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}


def settings_schema() -> dict[str, Any]:
    """Every section with its settings, their meaning, default and bounds. An unknown setting does not fit it."""
    schema: dict[str, Any] = {"$schema": "http://json-schema.org/draft-07/schema#", "title": TITLE}
    schema |= _table()
    for name, section in SECTIONS.items():
        within = schema
        *outer, last = name.split(".")
        for part in outer:
            within = within["properties"].setdefault(part, _table())
        values = {key: _value(spec) for key, spec in section.specs.items()}
        within["properties"][last] = {"description": section.__doc__, **_table(), "properties": values}
    key = {"type": "string", "minLength": 1}
    schema["properties"][KEYS] = {
        "description": "Keys of the workbench by action id.",
        "type": "object",
        "additionalProperties": {"anyOf": [key, {"type": "array", "items": key}]},
    }
    return schema


def _table() -> dict[str, Any]:
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _value(spec: Spec) -> dict[str, Any]:
    value: dict[str, Any] = {"description": spec.about, "type": _TYPES[type(spec.default)], "default": spec.default}
    bounds = {"minimum": spec.least, "maximum": spec.most, "enum": list(spec.choices) or None}
    return value | {name: bound for name, bound in bounds.items() if bound is not None}
