"""What the Rules pane remembers from one day to the next: the tool it keeps to, the call and the rule one was at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.runtime.state import Memory, Scalar

if TYPE_CHECKING:
    from tui.panes.rules.screen import RulesScreen
    from tui.render.rules.rows import RuleKey

_NAME = 500


def memory_of(screen: RulesScreen) -> Memory:
    """What to remember now."""
    path, rule, line = screen.asking.rule or (None, None, None)
    return {"tool": screen.calls.tool, "call": screen.calls.at, "path": path, "rule": rule, "line": line}


def recall(screen: RulesScreen, memory: Memory) -> None:
    """Put the pane as it was; what makes no sense any more is passed over. Before it is mounted."""
    screen.calls.tool = _text(memory.get("tool")) or ""
    screen.calls.at = call = _number(memory.get("call"))
    rule = _rule(memory)
    screen.asking.resume = (call, rule) if call is not None and rule is not None else None


def _rule(memory: Memory) -> RuleKey | None:
    path, rule, line = _text(memory.get("path")), _text(memory.get("rule")), _number(memory.get("line"))
    return None if path is None or rule is None or line is None else (path, rule, line)


def _text(found: Scalar) -> str | None:
    return found if isinstance(found, str) and 0 < len(found) <= _NAME else None


def _number(found: Scalar) -> int | None:
    return found if isinstance(found, int) and not isinstance(found, bool) else None
