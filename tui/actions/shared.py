"""The actions that belong to no pane: the search box, lists, texts, sessions, imports and exports, the workbench."""

from __future__ import annotations

from tui.actions.action import Action, Place, Situation

FIND, MOVE, READ, SESSION, STRIP = "Find", "In the list", "In a text", "In a session", "In a session's strip"
IN, OUT, VIEW, APP = "What comes in", "What goes out", "View", "Workbench"

PLACES: tuple[Place, ...] = (
    Place("box", app="both", typing=("box",)),
    Place("whole", (("scroll",),)),
    Place("session", (("scroll",),)),
    Place("strip"),
)


def needs_some(now: Situation) -> str:
    """Something is listed, or was before a search or a filter."""
    return "" if now.cases or now.query or now.filtered else "The list is empty."


def needs_cases(now: Situation) -> str:
    """Something is listed."""
    return "" if now.cases else "The list is empty."


def needs_filter(now: Situation) -> str:
    """A filter is on."""
    return "" if now.filtered else "No filter is on."


def _can_zoom(now: Situation) -> str:
    if now.focus == "evidence":
        return "Nothing is zoomed here: {evidence.whole} shows the message whole, {evidence.why} hides the entry."
    if now.focus == "rules":
        return "Nothing is zoomed here: {rules.why} shows and hides the reasons."
    return needs_some(now)


def _needs_rows(now: Situation) -> str:
    return "" if now.rows else now.nothing or "The list is empty."


def _needs_query(now: Situation) -> str:
    return "" if now.query else "Nothing was searched."


def _needs_colours(now: Situation) -> str:
    return "NO_COLOR is set: every theme looks the same." if now.around.no_color else ""


def _whole(name: str, told: str, keys: tuple[str, ...], label: str, weight: int) -> Action:
    return Action(f"whole.{name}", told, keys, "whole", READ, label, weight, palette=False)


FIRST: tuple[Action, ...] = (
    Action("find.focus", "Go to the search box", ("slash",), "pane", FIND, "search", 20),
    Action("find.results", "From the box to the results", ("down", "escape"), "box", FIND, "results", 1, palette=False),
    Action("find.open", "Open the first result", ("enter",), "box", FIND, "open", 2, palette=False),
    Action("find.clear", "Clear the search", ("ctrl+l",), "app", FIND, "clear", 40, True, True, _needs_query),
    Action("find.recall", "Search the last thing again", ("up",), "box", FIND, palette=False),
    Action("list.down", "Next row", ("j", "down"), "list", MOVE, palette=False),
    Action("list.up", "Previous row", ("k", "up"), "list", MOVE, palette=False),
    Action("list.page_down", "A page down", ("pagedown", "ctrl+f"), "list", MOVE, palette=False),
    Action("list.page_up", "A page up", ("pageup", "ctrl+b"), "list", MOVE, palette=False),
    Action("list.first", "First row", ("g", "home"), "list", MOVE, palette=False),
    Action("list.last", "Last row", ("G", "end"), "list", MOVE, palette=False),
    Action("list.open", "Open the case", ("enter", "l", "right"), "list", MOVE, "open", 1, False, needs=_needs_rows),
    Action("scroll.down", "Scroll down", ("j", "down"), "scroll", READ, palette=False),
    Action("scroll.up", "Scroll up", ("k", "up"), "scroll", READ, palette=False),
    Action("scroll.page_down", "Scroll a page down", ("pagedown", "ctrl+f", "space"), "scroll", READ, palette=False),
    Action("scroll.page_up", "Scroll a page up", ("pageup", "ctrl+b"), "scroll", READ, palette=False),
    Action("scroll.first", "Scroll to the top", ("g", "home"), "scroll", READ, palette=False),
    Action("scroll.last", "Scroll to the end", ("G", "end"), "scroll", READ, palette=False),
    _whole("left", "Scroll to the left", ("h", "left"), "left", 5),
    _whole("right", "Scroll to the right", ("l", "right"), "right", 6),
    _whole("find", "Look for words in a text shown whole", ("slash",), "find", 2),
    _whole("next", "The next place with these words", ("n",), "next", 3),
    _whole("previous", "The place before with these words", ("N",), "", 0),
    _whole("wrap", "Break long lines, or scroll to their ends", ("w",), "wrap", 4),
    _whole("back", "Back from a text shown whole", ("escape", "q", "a"), "back", 1),
    Action("case.back", "Back to the list", ("escape", "h", "left"), "case", READ, "back", 1, palette=False),
    Action("why.fold", "Fold the step, or unfold it", ("enter", "l", "right"), "why", READ, "fold", 2, palette=False),
    Action("why.back", "Back to the case", ("escape", "h", "left"), "why", READ, "back", 1, palette=False),
    Action("list.back", "Back: out of the zoom, the search, the filter", ("escape",), "list", MOVE, palette=False),
)  # fmt: skip

SESSION_ACTIONS: tuple[Action, ...] = (
    Action("session.next_mark", "Next error or fix", ("n",), "session", SESSION, "next mark", 2, palette=False),
    Action("session.previous_mark", "Previous error or fix", ("p",), "session", SESSION, "previous", 3, palette=False),
    Action("session.next", "Next message", ("J", "right_square_bracket"), "session", SESSION, palette=False),
    Action("session.previous", "Previous message", ("K", "left_square_bracket"), "session", SESSION, palette=False),
    Action("session.whole", "Show the message whole", ("enter", "a"), "session", SESSION, "whole", 4, palette=False),
    Action("session.copy", "Copy the message", ("y",), "session", SESSION, "copy", 5, palette=False),
    Action("session.why", "Show or hide why: the verdict", ("t",), "session", SESSION, "why", 6, palette=False),
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
    _strip("open", "Read the session at this result", "enter", hint="read", rank=4),
    _strip("picture", "Save the strip as a picture, without paths", "w", hint="picture", rank=5),
    _strip("copy", "Copy the strip as Markdown, without paths", "y", hint="copy", rank=6),
    _strip("back", "Back from the strip", "escape", "q", hint="back", rank=1),
)


_WORDS = "save write file jsonl csv markdown"


def _needs_listed(now: Situation) -> str:
    return "" if now.cases else "No case is listed."


def _needs_any(now: Situation) -> str:
    return "" if now.cases or now.query or now.filtered else "The casebook has no cases."


EXPORTS: tuple[Action, ...] = (
    Action("export.listed", "Export the cases that are listed", (), "pane", OUT, needs=_needs_listed, words=_WORDS),
    Action("export.cases", "Export all cases", (), "pane", OUT, needs=_needs_any, words=_WORDS),
    Action("export.fixes", "Export the verified fixes", (), "pane", OUT, needs=_needs_any, words=_WORDS),
    Action("export.backup", "Back up the casebook", (), "app", OUT, words="export copy save file database"),
)


def _needs_no_import(now: Situation) -> str:
    return "An import is running already; {list.back} in the list stops it." if now.around.importing else ""


def _needs_to_harvest(now: Situation) -> str:
    if now.around.readonly:
        return "The casebook is read-only here."
    return "There is no casebook yet." if now.around.absent else _needs_no_import(now)


def _needs_emptiness(now: Situation) -> str:
    return "Here are cases of your own; samples: casebook demo, on another terminal." if now.cases else ""


def _needs_import(now: Situation) -> str:
    return "" if now.around.importing else "No import is running."


def _needs_embedding(now: Situation) -> str:
    return "" if now.around.embedding else "Nothing is being embedded."


def _needs_report(now: Situation) -> str:
    return "" if now.around.imported else "Nothing was imported since the workbench was opened."


_INCOMING: tuple[Action, ...] = (
    Action("import.begin", "Import sessions of your agents", ("i",), "pane", IN, "import", 45, needs=_needs_no_import),
    Action("import.setup", "Set up: sessions, hooks and model", ("B",), "pane", IN, needs=_needs_no_import),
    Action("again.show", "Harvest imported sessions again: show the changes", (), "app", IN, needs=_needs_to_harvest),
    Action("import.stop", "Stop the import", (), "app", IN, needs=_needs_import),
    Action("import.report", "What the last import did and left out", ("I",), "pane", IN, needs=_needs_report),
    Action("embed.begin", "Embed what waits", (), "app", IN, needs=lambda now: now.around.no_embedding),
    Action("embed.stop", "Stop embedding", (), "app", IN, needs=_needs_embedding),
    Action("import.demo", "Look around in samples", ("d",), "pane", IN, needs=_needs_emptiness),
)


LAST: tuple[Action, ...] = (
    *_STRIP,
    *_INCOMING,
    *EXPORTS,
    Action("view.zoom", "Zoom this part, or back", ("z",), "pane", VIEW, "zoom", 25, needs=_can_zoom),
    Action("view.reload", "Read the casebook again", ("f5", "ctrl+r"), "app", VIEW, priority=True),
    Action("view.theme", "Change the theme", (), "app", VIEW, needs=_needs_colours),
    Action("app.palette", "All actions, by name", ("ctrl+p",), "app", APP, "actions", 50, False, True),
)  # fmt: skip
"""What comes behind the actions of the panes; the tabs and the rest of the workbench follow."""

WORKBENCH: tuple[Action, ...] = (
    Action("app.jump", "Jump: a letter on every part", ("ctrl+o",), "app", APP, priority=True),
    Action("app.status", "Status: file, counts, health, long runs", ("S",), "app", APP, "status", 55),
    Action(
        "app.help",
        "Keys and what they do",
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
