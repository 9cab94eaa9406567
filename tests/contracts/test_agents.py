"""What agents are given: the tools of the MCP server and the replies of the hooks."""

from __future__ import annotations

from tests.contracts.goldens import assert_golden


def test_the_tools_of_the_mcp_server() -> None:
    assert_golden("mcp.json")


def test_the_replies_to_the_events_of_a_session() -> None:
    assert_golden("hooks.txt")
