"""What the Rules pane remembers from one day to the next: the tool it keeps to, the call and the rule one was at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.panes.common.memory import number_of, text_of
from tui.runtime.state import Memory

if TYPE_CHECKING:
    from tui.panes.rules.screen import RulesScreen
    from tui.render.rules.rows import RuleKey


def memory_of(screen: RulesScreen) -> Memory:
    """What to remember now."""
    path, rule, line = screen.asking.rule or (None, None, None)
    return {"tool": screen.calls.tool, "call": screen.calls.at, "path": path, "rule": rule, "line": line}


def recall(screen: RulesScreen, memory: Memory) -> None:
    """Put the pane as it was; what makes no sense any more is passed over. Before it is mounted."""
    screen.calls.tool = text_of(memory.get("tool")) or ""
    screen.calls.at = call = number_of(memory.get("call"))
    rule = _rule(memory)
    screen.asking.resume = (call, rule) if call is not None and rule is not None else None


def _rule(memory: Memory) -> RuleKey | None:
    path, rule, line = text_of(memory.get("path")), text_of(memory.get("rule")), number_of(memory.get("line"))
    return None if path is None or rule is None or line is None else (path, rule, line)
