"""The actions that belong to no pane: the search box, lists, texts, sessions, imports and exports, the workbench."""

from __future__ import annotations

from tui.actions.action import Action, Needs, Place, Situation, needs

FIND, MOVE, READ, SESSION, STRIP = "Find", "List", "Text view", "Session", "Session strip"
IN, OUT, VIEW, APP = "Import", "Export", "View", "Workbench"

PLACES: tuple[Place, ...] = (
    Place("box", app="both", typing=("box",)),
    Place("whole", (("scroll",),)),
    Place("session", (("scroll",),)),
    Place("strip"),
)


def is_some(now: Situation) -> object:
    """Something is listed, or was before a search or a filter."""
    return now.cases or now.query or now.filtered


LIST_IS_EMPTY = "The list is empty."
NO_FILTER = "No filter is active."
SOME = needs(Situation, is_some, LIST_IS_EMPTY)
_ROWS = Needs(Situation, lambda now: "" if now.rows else now.nothing or LIST_IS_EMPTY)
_QUERY = needs(Situation, lambda now: now.query, "Search for something first.")
_COLOURS = needs(Situation, lambda now: not now.around.no_color, "NO_COLOR is set: every theme looks the same.")
_WHOLE_HERE = "Zoom is not available here. {evidence.whole} shows the full message, {evidence.why} hides the entry."
_WHY_HERE = "Zoom is not available here. Press {rules.why} to show or hide the trace."
_ZOOM = needs(
    Situation, is_some, LIST_IS_EMPTY,
    needs(Situation, lambda now: now.focus != "evidence", _WHOLE_HERE),
    needs(Situation, lambda now: now.focus != "rules", _WHY_HERE),
)  # fmt: skip


def _whole(name: str, told: str, keys: tuple[str, ...], label: str, weight: int) -> Action:
    return Action(f"whole.{name}", told, keys, "whole", READ, label, weight, palette=False)


FIRST: tuple[Action, ...] = (
    Action("find.focus", "Go to the search box", ("slash",), "pane", FIND, "search", 20),
    Action("find.results", "Go to the results", ("down", "escape"), "box", FIND, "results", 1, palette=False),
    Action("find.open", "Open the first result", ("enter",), "box", FIND, "open", 2, palette=False),
    Action("find.clear", "Clear the search", ("ctrl+l",), "app", FIND, "clear", 40, True, True, _QUERY),
    Action("find.recall", "Repeat the last search", ("up",), "box", FIND, palette=False),
    Action("list.down", "Next row", ("j", "down"), "list", MOVE, palette=False),
    Action("list.up", "Previous row", ("k", "up"), "list", MOVE, palette=False),
    Action("list.page_down", "Page down", ("pagedown", "ctrl+f"), "list", MOVE, palette=False),
    Action("list.page_up", "Page up", ("pageup", "ctrl+b"), "list", MOVE, palette=False),
    Action("list.first", "First row", ("g", "home"), "list", MOVE, palette=False),
    Action("list.last", "Last row", ("G", "end"), "list", MOVE, palette=False),
    Action("list.open", "Open the case", ("enter", "l", "right"), "list", MOVE, "open", 1, False, needs=_ROWS),
    Action("scroll.down", "Scroll down", ("j", "down"), "scroll", READ, palette=False),
    Action("scroll.up", "Scroll up", ("k", "up"), "scroll", READ, palette=False),
    Action("scroll.page_down", "Scroll down a page", ("pagedown", "ctrl+f", "space"), "scroll", READ, palette=False),
    Action("scroll.page_up", "Scroll up a page", ("pageup", "ctrl+b"), "scroll", READ, palette=False),
    Action("scroll.first", "Scroll to the top", ("g", "home"), "scroll", READ, palette=False),
    Action("scroll.last", "Scroll to the end", ("G", "end"), "scroll", READ, palette=False),
    _whole("left", "Scroll left", ("h", "left"), "left", 5),
    _whole("right", "Scroll right", ("l", "right"), "right", 6),
    _whole("find", "Find in the full text", ("slash",), "find", 2),
    _whole("next", "Next match in the full text", ("n",), "next", 3),
    _whole("previous", "Previous match in the full text", ("N",), "", 0),
    _whole("wrap", "Turn line wrapping on or off", ("w",), "wrap", 4),
    _whole("back", "Close the full text", ("escape", "q", "a"), "back", 1),
    Action("case.back", "Back to the list", ("escape", "h", "left"), "case", READ, "back", 1, palette=False),
    Action("why.fold", "Fold or unfold the step", ("enter", "l", "right"), "why", READ, "fold", 2, palette=False),
    Action("why.back", "Back to the case", ("escape", "h", "left"), "why", READ, "back", 1, palette=False),
    Action("list.back", "Back: leave the zoom, the search or the filter", ("escape",), "list", MOVE, palette=False),
)  # fmt: skip

SESSION_ACTIONS: tuple[Action, ...] = (
    Action("session.next_mark", "Next error or fix", ("n",), "session", SESSION, "next mark", 2, palette=False),
    Action("session.previous_mark", "Previous error or fix", ("p",), "session", SESSION, "previous", 3, palette=False),
    Action("session.next", "Next message", ("J", "right_square_bracket"), "session", SESSION, palette=False),
    Action("session.previous", "Previous message", ("K", "left_square_bracket"), "session", SESSION, palette=False),
    Action("session.whole", "Show the full message", ("enter", "a"), "session", SESSION, "full", 4, palette=False),
    Action("session.copy", "Copy the message", ("y",), "session", SESSION, "copy", 5, palette=False),
    Action(
        "session.why", "Show or hide the trace of the verdict", ("t",), "session", SESSION, "trace", 6, palette=False
    ),
    Action("session.strip", "Show the session as a strip", ("s",), "session", SESSION, "strip", 7, palette=False),
    Action("session.back", "Back to the pane", ("escape", "q", "o"), "session", SESSION, "back", 1, palette=False),
)


def _strip(name: str, title: str, *keys: str, hint: str = "", rank: int = 0) -> Action:
    return Action(f"strip.{name}", title, keys, "strip", STRIP, hint, rank, palette=False)


_STRIP: tuple[Action, ...] = (
    _strip("next", "Next result", "l", "right", "j", "down"),
    _strip("previous", "Previous result", "h", "left", "k", "up"),
    _strip("next_failed", "Next failure", "n", hint="next failure", rank=2),
    _strip("previous_failed", "Previous failure", "p", "N", hint="previous", rank=3),
    _strip("first", "First result", "g", "home"),
    _strip("last", "Last result", "G", "end"),
    _strip("open", "Open the session at this result", "enter", hint="read", rank=4),
    _strip("picture", "Save the strip as an image (paths removed)", "w", hint="image", rank=5),
    _strip("copy", "Copy the strip as Markdown (paths removed)", "y", hint="copy", rank=6),
    _strip("back", "Close the strip", "escape", "q", hint="back", rank=1),
)


_WORDS = "save write file jsonl csv markdown"


_LISTED = needs(Situation, lambda now: now.cases, "No case is listed.")
_ANY = needs(Situation, is_some, "The casebook has no cases.")
EXPORTS: tuple[Action, ...] = (
    Action("export.listed", "Export the listed cases", (), "pane", OUT, needs=_LISTED, words=_WORDS),
    Action("export.cases", "Export all cases", (), "pane", OUT, needs=_ANY, words=_WORDS),
    Action("export.fixes", "Export the verified fixes", (), "pane", OUT, needs=_ANY, words=_WORDS),
    Action("export.backup", "Back up the casebook", (), "app", OUT, words="export copy save file database"),
)


_NO_IMPORT = needs(
    Situation, lambda now: not now.around.importing,
    "An import is already running. Press {list.back} in the list to stop it.",
)  # fmt: skip
READONLY = "The casebook is read-only."
_WRITABLE = needs(Situation, lambda now: not now.around.readonly, READONLY)
NO_CASEBOOK = "No casebook found. Press {import.begin} to import sessions."
_CASEBOOK = needs(Situation, lambda now: not now.around.absent, NO_CASEBOOK, _WRITABLE)
_HARVEST = Needs(Situation, _NO_IMPORT.unmet, _CASEBOOK)
_EMPTINESS = needs(
    Situation, lambda now: not now.cases, "You already have cases. Run `casebook demo` in another terminal for samples."
)
_IMPORT = needs(Situation, lambda now: now.around.importing, "No import is running.")
_EMBEDDING = needs(Situation, lambda now: now.around.embedding, "Embedding is not running.")
_TO_EMBED = Needs(Situation, lambda now: now.around.no_embedding)
_REPORT = needs(Situation, lambda now: now.around.imported, "Nothing has been imported since you opened the workbench.")

_INCOMING: tuple[Action, ...] = (
    Action("import.begin", "Import agent sessions", ("i",), "pane", IN, "import", 45, needs=_NO_IMPORT),
    Action("import.setup", "Set up: sessions, hooks and model", ("B",), "pane", IN, needs=_NO_IMPORT),
    Action("again.show", "Harvest imported sessions again and preview the changes", (), "app", IN, needs=_HARVEST),
    Action("import.stop", "Stop the import", (), "app", IN, needs=_IMPORT),
    Action("import.report", "Report of the last import", ("I",), "pane", IN, needs=_REPORT),
    Action("embed.begin", "Compute missing embeddings", (), "app", IN, needs=_TO_EMBED),
    Action("embed.stop", "Stop embedding", (), "app", IN, needs=_EMBEDDING),
    Action("import.demo", "Open the demo", ("d",), "pane", IN, needs=_EMPTINESS),
)


_MOVABLE = Needs(Situation, lambda now: now.around.no_edge)
_EDGE = "splitter resize width panel edge"
LAST: tuple[Action, ...] = (
    *_STRIP,
    *_INCOMING,
    *EXPORTS,
    Action("view.zoom", "Zoom this panel in or out", ("z",), "pane", VIEW, "zoom", 25, needs=_ZOOM),
    Action("view.narrower", "Make the list narrower", ("less_than_sign",), "app", VIEW, needs=_MOVABLE, words=_EDGE),
    Action("view.wider", "Make the list wider", ("greater_than_sign",), "app", VIEW, needs=_MOVABLE, words=_EDGE),
    Action("view.reload", "Reload the casebook", ("f5", "ctrl+r"), "app", VIEW, priority=True),
    Action("view.theme", "Change the theme", (), "app", VIEW, needs=_COLOURS),
    Action("app.palette", "Command palette: all actions", ("ctrl+p",), "app", APP, "actions", 50, False, True),
)  # fmt: skip
"""What comes behind the actions of the panes; the tabs and the rest of the workbench follow."""

WORKBENCH: tuple[Action, ...] = (
    Action("app.jump", "Jump to a panel by its letter", ("ctrl+o",), "app", APP, priority=True),
    Action("app.status", "Status: file, counts, health, jobs", ("S",), "app", APP, "status", 55),
    Action(
        "app.help",
        "Keys and actions",
        ("question_mark", "f1"),
        "app",
        APP,
        "help",
        90,
        True,
        True,
        words="shortcuts",
    ),
    Action("app.interrupt", "Copy the selected text", ("ctrl+c",), "app", APP, palette=False),
    Action("app.quit", "Quit", ("q", "ctrl+q"), "app", APP, "quit", 60, priority=True, words="exit leave close end"),
)
