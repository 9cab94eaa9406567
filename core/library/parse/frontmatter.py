"""What a document says of itself before it begins: YAML between `---`, or TOML between `+++`."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, cast

_LONGEST: Final = 1 << 16
_MOST: Final = 5_000
"""Values in a frontmatter; an alias counts each time it is used."""
_DEEPEST: Final = 20
_MOST_DOTS: Final = 1_000
"""In a line of TOML."""
_TOO_MUCH: Final = "it holds too much"


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """`lines` is how many lines it takes, its fences included; 0: there is none. `fault` says why it says nothing."""

    lines: int = 0
    said: dict[str, Any] | None = None
    fault: str = ""


def frontmatter(text: str) -> Frontmatter:
    """The frontmatter of a document. Values are plain JSON values; dates are ISO 8601 texts.

    One that cannot be read is told with its `fault`, and its lines are left to be read as text.
    """
    fence = text[:3]
    if fence not in ("---", "+++") or text[3:].partition("\n")[0].strip():
        return Frontmatter()
    inner = text[:_LONGEST].split("\n")
    ends = ("---", "...") if fence == "---" else ("+++",)
    end = next((at for at, line in enumerate(inner) if at and line.rstrip() in ends), None)
    if end is None:
        return Frontmatter()
    body = "\n".join(inner[1:end])
    try:
        found = _yaml(body) if fence == "---" else _toml(body)
    except (ValueError, RecursionError) as error:
        return Frontmatter(end + 1, None, f"the frontmatter cannot be read: {' '.join(str(error).split())[:200]}")
    if found is None:
        found = {}
    if not isinstance(found, dict):
        # a rule, some words and another rule: no frontmatter at all
        return Frontmatter()
    budget = [_MOST]
    try:
        plain = {_text(key): _plain(one, budget, 0) for key, one in cast("dict[object, object]", found).items()}
    except ValueError as error:
        return Frontmatter(end + 1, None, f"the frontmatter cannot be read: {error}")
    return Frontmatter(end + 1, plain)


def _yaml(body: str) -> object:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_depth(cast("Iterable[object]", yaml.parse(body, Loader=loader)))  # pyright: ignore[reportUnknownMemberType]
        return yaml.load(body, Loader=loader)  # the safe loader: nothing is run or made but plain values
    except (yaml.YAMLError, AttributeError, LookupError, TypeError, OverflowError) as error:  # PyYAML's own slips, too
        raise ValueError(error) from error


def _check_depth(events: Iterable[object]) -> None:
    """Raises ValueError for what nests too deeply: the time to load it grows with the square of its depth."""
    depth = 0
    for event in events:
        kind = type(event).__name__
        depth += kind in ("MappingStartEvent", "SequenceStartEvent")
        depth -= kind in ("MappingEndEvent", "SequenceEndEvent")
        if depth > _DEEPEST + 2:
            raise ValueError(_TOO_MUCH)


def _toml(body: str) -> object:
    import tomllib

    # The time for a dotted key grows with the square of its parts.
    if any(line.count(".") > _MOST_DOTS for line in body.split("\n")):
        raise ValueError(_TOO_MUCH)
    return tomllib.loads(body)


def _plain(value: object, budget: list[int], depth: int) -> object:
    budget[0] -= 1
    if budget[0] < 0 or depth > _DEEPEST:
        raise ValueError(_TOO_MUCH)
    if isinstance(value, dict):
        return {_text(key): _plain(one, budget, depth + 1) for key, one in cast("dict[object, object]", value).items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(one, budget, depth + 1) for one in cast("list[object]", value)]
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if abs(value) < 1 << 53 else str(value)
    if value is None or isinstance(value, bool):
        return value
    return _text(value)


def _text(value: object) -> str:
    return str(value).encode("utf-8", "replace").decode("utf-8")
