"""What goes out of the casebook into a file: the part of the registry that the palette offers."""

from __future__ import annotations

from tui.actions.action import Action, Situation

OUT = "What goes out"
_WORDS = "save write file jsonl csv markdown"


def _needs_listed(now: Situation) -> str:
    return "" if now.cases else "No case is listed."


def _needs_some(now: Situation) -> str:
    return "" if now.cases or now.query or now.filtered else "The casebook has no cases."


EXPORTS: tuple[Action, ...] = (
    Action("export.listed", "Export the cases that are listed", (), "pane", OUT, enabled=_needs_listed, words=_WORDS),
    Action("export.cases", "Export all cases", (), "pane", OUT, enabled=_needs_some, words=_WORDS),
    Action("export.fixes", "Export the verified fixes", (), "pane", OUT, enabled=_needs_some, words=_WORDS),
    Action("export.backup", "Back up the casebook", (), "app", OUT, words="export copy save file database"),
)
