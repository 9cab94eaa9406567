"""Tools about casebook itself: what it speaks, and whether it is well."""

from __future__ import annotations

import json
from typing import Any, Final

from core.flows.mcp.arguments import shape, text
from core.flows.mcp.context import Desk
from core.flows.mcp.tool import Cancelled, Tool


def _schema(desk: Desk, given: dict[str, Any], _: Cancelled) -> object:
    from core.flows.system.capabilities import capabilities, schema_text

    if name := given.get("name"):
        return json.loads(schema_text(name))
    return capabilities(desk.database)


def _doctor(desk: Desk, _: dict[str, Any], __: Cancelled) -> object:
    from core.flows.system.doctor import diagnose

    return diagnose(desk.load, lambda _: desk.database)


SCHEMA: Final = Tool(
    "schema",
    "What this casebook speaks and holds",
    "Its capabilities, models, versions and counts (schema.v1); or, with a name, that JSON Schema.",
    shape(name=text("The schema of an answer, for example search_response.v1.", 100)),
    _schema,
)
DOCTOR: Final = Tool(
    "doctor",
    "Is casebook well?",
    "Every check, and what to do about each that fails; `ok` false is a normal answer. Answers doctor.v1.",
    shape(),
    _doctor,
    asks_network=True,
)
