"""What the seed stored as a resolution, as text for people (decision 7b)."""

from __future__ import annotations

import json
from typing import cast

_SAID = ("resolution", "fix", "text", "summary")
_TOLD = {*_SAID, "toolSequence", "tool_sequence", "resolvedBy", "resolved_by", "errorRaw", "error_raw"}


def readable(resolution: str) -> tuple[str, str | None]:
    """A resolution as text for people: the seed stored JSON, which becomes a list and is kept as the original.

    An array of texts is one of tools.
    """
    try:
        value: object = json.loads(resolution)
    except (ValueError, RecursionError):
        return resolution, None
    if isinstance(value, list) and value:
        items = cast("list[object]", value)
        if all(isinstance(item, str) for item in items):
            return "Steps: " + " → ".join(map(str, items)), resolution
        return "\n".join(f"- {json.dumps(item, ensure_ascii=False)}" for item in items), resolution
    if not isinstance(value, dict):
        return (value, resolution) if isinstance(value, str) else (resolution, None)
    details = cast("dict[str, object]", value)
    said = next((details[key] for key in _SAID if isinstance(details.get(key), str)), "")
    lines = [str(said)] if said else []
    tools = details.get("toolSequence", details.get("tool_sequence"))
    if isinstance(tools, list) and tools:
        lines.append("Steps: " + " → ".join(str(tool) for tool in cast("list[object]", tools)))
    by = details.get("resolvedBy", details.get("resolved_by"))
    if isinstance(by, str) and by:
        lines.append(f"Resolved by: {by}")
    lines.extend(f"- {key}: {item}" for key, item in details.items() if key not in _TOLD)
    return "\n".join(lines) or resolution, resolution
