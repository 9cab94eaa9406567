"""What a person can do about imports, embeddings and exports: what comes in and goes out."""

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


IN = "What comes in"


def _needs_no_import(now: Situation) -> str:
    return "An import is running already; {list.back} in the list stops it." if now.importing else ""


def _needs_to_harvest(now: Situation) -> str:
    if now.readonly:
        return "The casebook is read-only here."
    return "There is no casebook yet." if now.absent else _needs_no_import(now)


def _needs_emptiness(now: Situation) -> str:
    return "Here are cases of your own; samples: casebook demo, on another terminal." if now.cases else ""


def _needs_import(now: Situation) -> str:
    return "" if now.importing else "No import is running."


def _needs_embedding(now: Situation) -> str:
    return "" if now.embedding else "Nothing is being embedded."


def _needs_report(now: Situation) -> str:
    return "" if now.imported else "Nothing was imported since the workbench was opened."


INCOMING: tuple[Action, ...] = (
    Action(
        "import.begin", "Import sessions of your agents", ("i",), "pane", IN, "import", 45, enabled=_needs_no_import
    ),
    Action("again.show", "Harvest imported sessions again: show the changes", (), "app", IN, enabled=_needs_to_harvest),
    Action("import.stop", "Stop the import", (), "app", IN, enabled=_needs_import),
    Action("import.report", "What the last import did and left out", ("I",), "pane", IN, enabled=_needs_report),
    Action("embed.begin", "Embed what waits", (), "app", IN, enabled=lambda now: now.no_embedding),
    Action("embed.stop", "Stop embedding", (), "app", IN, enabled=_needs_embedding),
    Action("import.demo", "Look around in samples", ("d",), "pane", IN, enabled=_needs_emptiness),
)
