"""Tools about casebook itself: what it speaks, and whether it is well."""

from __future__ import annotations

import json
from typing import Any, Final

from core.base.fault import Fault
from core.flows.mcp.case_tools import ALIGN_QUOTE, ERROR_SEARCH, MATCH_RULES, RECORD_LESSON
from core.flows.mcp.context import Desk
from core.flows.mcp.library_tools import ASK, BULK_SEARCH, FETCH, SEARCH
from core.flows.mcp.tool import Cancelled, Tool, checked, shape, text


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
    "Capabilities and contents of this casebook",
    "Capabilities, models, versions and counts (schema.v1). With a name: that JSON Schema.",
    shape(name=text("The schema of an answer, for example search_response.v1.", 100)),
    _schema,
)
DOCTOR: Final = Tool(
    "doctor",
    "Check casebook",
    "Runs every check and returns a remedy for each failure. `ok` false is a normal result. Returns doctor.v1.",
    shape(),
    _doctor,
    asks_network=True,
)


TOOLS: Final[tuple[Tool, ...]] = (
    SEARCH, BULK_SEARCH, ASK, FETCH, ERROR_SEARCH, ALIGN_QUOTE, MATCH_RULES, RECORD_LESSON, SCHEMA, DOCTOR,
)  # fmt: skip


def call(name: str, arguments: object, desk: Desk, cancelled: Cancelled = lambda: False) -> object:
    """The answer of a tool: a value with a wire form. Raises Fault, invalid_input for a wrong name or argument too."""
    tool = next((one for one in TOOLS if one.name == name), None)
    if tool is None:
        raise Fault("invalid_input", f"unknown tool {name[:60]!r}", f"use one of: {', '.join(t.name for t in TOOLS)}")
    return tool.run(desk, checked(arguments, tool.loose or tool.shape), cancelled)
