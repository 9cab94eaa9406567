"""The tools there are, and the one way to call them."""

from __future__ import annotations

from typing import Final

from core.base.fault import Fault
from core.flows.mcp.about_tools import DOCTOR, SCHEMA
from core.flows.mcp.arguments import checked
from core.flows.mcp.ask_tool import ASK
from core.flows.mcp.case_tools import ALIGN_QUOTE, ERROR_SEARCH, MATCH_RULES
from core.flows.mcp.context import Desk
from core.flows.mcp.lesson_tool import RECORD_LESSON
from core.flows.mcp.library_tools import BULK_SEARCH, FETCH, SEARCH
from core.flows.mcp.tool import Cancelled, Tool

TOOLS: Final[tuple[Tool, ...]] = (
    SEARCH, BULK_SEARCH, ASK, FETCH, ERROR_SEARCH, ALIGN_QUOTE, MATCH_RULES, RECORD_LESSON, SCHEMA, DOCTOR,
)  # fmt: skip


def call(name: str, arguments: object, desk: Desk, cancelled: Cancelled = lambda: False) -> object:
    """The answer of a tool: a value with a wire form. Raises Fault, invalid_input for a wrong name or argument too."""
    tool = next((one for one in TOOLS if one.name == name), None)
    if tool is None:
        raise Fault("invalid_input", f"there is no tool {name[:60]!r}", f"one of: {', '.join(t.name for t in TOOLS)}")
    return tool.run(desk, checked(arguments, tool.loose or tool.shape), cancelled)
