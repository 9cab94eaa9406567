"""Every action of the workbench, once: bindings, footer, palette, help and the key table all come from here."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from textual.binding import Binding, BindingType

from tui.actions.action import Action, Focus, Scope, Situation
from tui.actions.curation import CURATION
from tui.actions.evidence import EVIDENCE
from tui.actions.incoming import EXPORTS, INCOMING
from tui.actions.insights import INSIGHT_ACTIONS, STRIP_ACTIONS
from tui.actions.keys import Keys, Wish, grant, key_name, types_text
from tui.actions.library import ASK_ACTIONS, CITE_ACTIONS, INGEST_ACTIONS, LIBRARY
from tui.actions.rules import RULE_ACTIONS
from tui.actions.text_viewer import SESSION_ACTIONS, WHOLE

APP = "Workbench"


def _pane(name: str, title: str, digit: str) -> Action:
    return Action(f"pane.{name}", title, (f"alt+{digit}", digit), "app", APP, priority=True)


TABS: tuple[Action, ...] = (
    _pane("errors", "Errors: have we met this?", "1"),
    _pane("evidence", "Evidence: is it in the transcript?", "2"),
    _pane("rules", "Rules: why did this fire?", "3"),
    _pane("library", "Library: where does it say so?", "4"),
    _pane("insights", "Insights: what failed, what it cost, what helped", "5"),
)

PANES = tuple(action.id.removeprefix("pane.") for action in TABS)
"""The panes by name, in the order of their digits."""


def _needs_case(now: Situation) -> str:
    return "" if now.case_open else "No case is chosen yet."


def _needs_fix(now: Situation) -> str:
    if not now.case_open:
        return "No case is chosen yet."
    return "" if now.has_fix else "This case has no fix yet."


def _needs_cases(now: Situation) -> str:
    return "" if now.cases else "The list is empty."


def _needs_some(now: Situation) -> str:
    return "" if now.cases or now.query or now.filtered else "The list is empty."


def _can_zoom(now: Situation) -> str:
    if now.focus == "evidence":
        return "Nothing is zoomed here: {evidence.whole} shows the message whole, {evidence.why} hides the entry."
    if now.focus == "rules":
        return "Nothing is zoomed here: {rules.why} shows and hides the reasons."
    return _needs_some(now)


def _needs_rows(now: Situation) -> str:
    return "" if now.rows else now.nothing or "The list is empty."


def _needs_query(now: Situation) -> str:
    return "" if now.query else "Nothing was searched."


def _needs_filter(now: Situation) -> str:
    return "" if now.filtered else "No filter is on."


def _needs_like(now: Situation) -> str:
    if not now.case_open:
        return "No case is chosen yet."
    return "" if now.like else "No similar case is known."


def _needs_clip(now: Situation) -> str:
    if not now.case_open:
        return "No case is chosen yet."
    return "" if now.raw_clipped else "All of the error is shown already."


def _needs_older(now: Situation) -> str:
    return "" if now.seen_older else "It was never seen before that."


def _needs_newer(now: Situation) -> str:
    return "" if now.seen_newer else "This is the last time it was seen."


def _needs_history(now: Situation) -> str:
    return "" if now.history else "This case has no other fixes. {history.open} shows every change, undone ones too."


def _needs_colours(now: Situation) -> str:
    return "NO_COLOR is set: every theme looks the same." if now.no_color else ""


FIND, MOVE, READ, CASE = "Find", "In the list", "In a text", "The case"
VIEW = "View"

ACTIONS: tuple[Action, ...] = (
    Action("find.focus", "Go to the search box", ("slash",), "pane", FIND, hint="search", rank=20),
    Action("find.results", "From the box to the results", ("down", "escape"), "box", FIND, "results", 1, palette=False),
    Action("find.open", "Open the first result", ("enter",), "box", FIND, "open", 2, palette=False),
    Action("find.clear", "Clear the search", ("ctrl+l",), "app", FIND, "clear", 40, True, True, _needs_query),
    Action("find.recall", "Search the last thing again", ("up",), "box", FIND, palette=False),
    Action(
        "list.filter", "Filter by status, time, tool, project", ("f",), "pane", FIND, "filter", 30, enabled=_needs_some
    ),
    Action("list.unfilter", "Clear the filter", ("F",), "pane", FIND, "unfilter", 29, enabled=_needs_filter),
    Action(
        "list.sort", "Sort by last seen, most seen, first seen", ("s",), "pane", FIND, "sort", 31, enabled=_needs_some
    ),
    Action("list.down", "Next row", ("j", "down"), "list", MOVE, palette=False),
    Action("list.up", "Previous row", ("k", "up"), "list", MOVE, palette=False),
    Action("list.page_down", "A page down", ("pagedown", "ctrl+f"), "list", MOVE, palette=False),
    Action("list.page_up", "A page up", ("pageup", "ctrl+b"), "list", MOVE, palette=False),
    Action("list.first", "First row", ("g", "home"), "list", MOVE, palette=False),
    Action("list.last", "Last row", ("G", "end"), "list", MOVE, palette=False),
    Action("list.open", "Open the case", ("enter", "l", "right"), "list", MOVE, "open", 1, False, enabled=_needs_rows),
    Action("scroll.down", "Scroll down", ("j", "down"), "scroll", READ, palette=False),
    Action("scroll.up", "Scroll up", ("k", "up"), "scroll", READ, palette=False),
    Action("scroll.page_down", "Scroll a page down", ("pagedown", "ctrl+f", "space"), "scroll", READ, palette=False),
    Action("scroll.page_up", "Scroll a page up", ("pageup", "ctrl+b"), "scroll", READ, palette=False),
    Action("scroll.first", "Scroll to the top", ("g", "home"), "scroll", READ, palette=False),
    Action("scroll.last", "Scroll to the end", ("G", "end"), "scroll", READ, palette=False),
    *WHOLE,
    Action("case.back", "Back to the list", ("escape", "h", "left"), "case", READ, "back", 1, palette=False),
    Action("why.fold", "Fold the step, or unfold it", ("enter", "l", "right"), "why", READ, "fold", 2, palette=False),
    Action("why.back", "Back to the case", ("escape", "h", "left"), "why", READ, "back", 1, palette=False),
    Action("list.back", "Back: out of the zoom, the search, the filter", ("escape",), "list", MOVE, palette=False),
    Action("case.next", "Next case", ("J", "right_square_bracket"), "pane", MOVE, enabled=_needs_cases),
    Action("case.previous", "Previous case", ("K", "left_square_bracket"), "pane", MOVE, enabled=_needs_cases),
    Action("case.copy", "Copy the fix", ("y",), "pane", CASE, "copy fix", 3, enabled=_needs_fix),
    Action(
        "case.copy_as", "Copy as: key line, error, Markdown, JSON, command", ("Y",), "pane", CASE, enabled=_needs_case
    ),
    Action("case.all", "Show all of the error", ("a",), "pane", CASE, "show all", 12, enabled=_needs_clip),
    Action("case.older", "An older time it was seen", ("n",), "pane", CASE, "older", 8, enabled=_needs_older),
    Action("case.newer", "A newer time it was seen", ("p",), "pane", CASE, "newer", 9, enabled=_needs_newer),
    Action("case.source", "Open the session it was seen in", ("o",), "pane", CASE, "session", 7, enabled=_needs_case),
    Action("case.enter", "Open the session it was seen in", ("enter",), "case", CASE, palette=False),
    Action("case.fix_source", "Open the session the fix is from", ("O",), "pane", CASE, enabled=_needs_fix),
    Action("case.masked", "Explain what the key masks", ("m",), "pane", CASE, "masked", 26, enabled=_needs_case),
    Action("case.history", "Show the other fixes whole", ("H",), "pane", CASE, "history", 11, enabled=_needs_history),
    Action("case.like", "Go to the similar cases", ("L",), "pane", CASE, "similar", 10, enabled=_needs_like),
    Action("case.pager", "View the error in your pager", ("v",), "pane", CASE, "pager", 27, enabled=_needs_case),
    Action("case.editor", "Open the case in your editor, to read", ("V",), "pane", CASE, enabled=_needs_case),
    *SESSION_ACTIONS,
    *CURATION,
    *EVIDENCE,
    *RULE_ACTIONS,
    *LIBRARY,
    *INGEST_ACTIONS,
    *CITE_ACTIONS,
    *ASK_ACTIONS,
    *INSIGHT_ACTIONS,
    *STRIP_ACTIONS,
    Action("case.why", "Show or hide the trace: why this answer", ("t",), "pane", CASE, "why", 5, enabled=_needs_some),
    *INCOMING,
    *EXPORTS,
    Action("view.zoom", "Zoom this part, or back", ("z",), "pane", VIEW, "zoom", 25, enabled=_can_zoom),
    Action("view.reload", "Read the casebook again", ("f5", "ctrl+r"), "app", VIEW, priority=True),
    Action("view.theme", "Change the theme", (), "app", VIEW, enabled=_needs_colours),
    Action("app.palette", "All actions, by name", ("ctrl+p",), "app", APP, "actions", 50, False, True),
    *TABS,
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

BY_ID = {action.id: action for action in ACTIONS}

PLACES: tuple[tuple[Scope, ...], ...] = (
    ("app", "box"),
    ("app", "pane", "list"),
    ("app", "pane", "scroll", "case"),
    ("app", "pane", "scroll", "why"),
    ("scroll", "whole"),
    ("scroll", "session"),
    ("list", "triage"),
    ("case", "triage"),
    ("app", "write"),
    ("list", "history"),
    ("scroll", "history"),
    ("scroll", "conflict"),
    ("list", "evidence"),  # its digits show places where several are listed, else they go to the panes
    ("case", "scroll", "evidence"),
    ("app", "list", "rules"),
    ("app", "case", "scroll", "rules"),
    ("app", "typed"),
    ("list", "ingest"),
    ("scroll", "ingest"),
    ("list", "table", "drafts"),
    ("case", "scroll", "table", "drafts"),
    ("app", "list", "library"),
    ("app", "case", "scroll", "library"),
    ("app", "why", "scroll", "library"),
    ("scroll", "passage"),
    ("scroll", "ask"),
    ("app", "list", "insights"),
    ("app", "scroll", "insights"),
    ("strip",),
)
"""Scopes whose keys hold at the same time, so that a key may stand there once."""

_HOLDING = (
    {"box": {"app", "box"}, "session": {"session"}, "whole": {"whole"}, "evidence": {"app", "evidence"}}
    | {part: {part} for part in ("triage", "write", "history", "conflict", "table", "ingest", "passage", "strip")}
    | {"rules": {"app", "rules"}, "typed": {"app", "typed"}, "library": {"app", "library"}, "naming": {"ingest"}}
    | {"ask": {"ask"}, "asking": {"ask"}, "drafts": {"table", "drafts"}, "insights": {"app", "insights"}}
)
"""The scopes of a footer where the pane's keys do not hold."""

_ALSO: dict[str, set[str]] = {
    "evidence": {"undo.last"},
    "triage": {"fix.write", "undo.last"},
    "history": {"undo.redo", "list.open"},
    "drafts": {"undo.last", "undo.redo"},
    "rules": {"find.focus"},
    "library": {"find.focus", "view.zoom"},
    "insights": {"list.open"},
}
"""Actions of the pane that hold in such a place all the same."""

NO_KEY = "unbound"
"""What Textual is told where an action has no key: no terminal sends it."""


def bindings(*scopes: Scope, only: Sequence[str] = ()) -> list[BindingType]:
    """The key bindings of these scopes, or only of the actions named.

    Each has an id of its own, `<action>` or `<action>!` (it goes before typing), `<action>:<key>` for the keys that
    the action comes with: `keymap` sets keys by these ids.
    """
    found: list[BindingType] = []
    for action in ACTIONS:
        if action.scope in scopes or action.id in only:
            found.append(_binding(action, NO_KEY, action.id, first=False))
            if action.priority:
                found.append(_binding(action, NO_KEY, f"{action.id}!", first=True))
            found += [_binding(action, key, f"{action.id}:{key}", first=_first(action, key)) for key in action.keys]
    return found


def keymap(keys: Keys) -> dict[str, str]:
    """The user's keys as Textual takes them: by the ids of `bindings`."""
    found: dict[str, str] = {}
    for action_id, chosen in keys.chosen.items():
        action = BY_ID[action_id]
        found |= {f"{action_id}:{key}": NO_KEY for key in action.keys}
        found[action_id] = ",".join(key for key in chosen if not _first(action, key)) or NO_KEY
        found[f"{action_id}!"] = ",".join(key for key in chosen if _first(action, key)) or NO_KEY
    return found


def keys_for(wishes: Iterable[Wish]) -> tuple[Keys, tuple[str, ...]]:
    """The keys in force, and a line about each wish that could not be granted."""
    rivals = {
        action.id: [
            other.id
            for other in ACTIONS
            if other is not action and any(action.scope in place and other.scope in place for place in PLACES)
        ]
        for action in ACTIONS
    }
    return grant(wishes, {action.id: action.keys for action in ACTIONS}, rivals)


def panes(keys: Keys) -> tuple[tuple[Action, str], ...]:
    """The actions that go to the panes there are, each with the shortest of its keys."""
    found = ((action, keys.of(action.id, action.keys)) for action in ACTIONS if action.id.startswith("pane."))
    return tuple((action, min(held, key=len)) for action, held in found if held and not action.enabled(Situation()))


def _binding(action: Action, key: str, name: str, *, first: bool) -> Binding:
    return Binding(key, f"app.perform('{action.id}')", action.title, show=False, priority=first, id=name)


def _first(action: Action, key: str) -> bool:
    """Whether this key goes before whatever has the focus: never one that types."""
    return action.priority and not types_text(key)


def footer(now: Situation, keys: Keys = Keys()) -> tuple[tuple[Action, str], ...]:  # noqa: B008  frozen
    """What the footer offers now, with the key of each, the most useful first. Impossible actions are left out."""
    scopes = _HOLDING.get(now.focus, {"app", "pane", now.focus})
    also = {"app.help", *_ALSO.get(now.focus, ())}
    offered = [a for a in ACTIONS if a.rank and (a.scope in scopes or a.id in also) and not a.enabled(now)]
    offered.sort(key=lambda action: action.rank)
    found = ((action, _key_for(action, now.focus, keys)) for action in offered)
    return tuple((action, key) for action, key in found if key)


def matching(text: str, keys: Keys = Keys(), actions: Iterable[Action] = ACTIONS) -> tuple[Action, ...]:  # noqa: B008
    """The actions whose title, group, id or key has every word of `text`."""
    words = text.casefold().split()
    return tuple(action for action in actions if all(_has(action, word, keys) for word in words))


def nearest_first(actions: Iterable[Action], now: Situation) -> tuple[Action, ...]:
    """The same actions: first those of the groups whose keys hold where one is, if that is another place than the
    errors, which all groups begin with."""
    here = _HOLDING.get(now.focus, set()) - {"app"}
    groups = {action.group for action in ACTIONS if action.scope in here}
    return tuple(sorted(actions, key=lambda action: action.group not in groups))


def key_table() -> str:
    """The keys as a Markdown table, for the documentation."""
    rows = ["| key | what it does | id |", "| --- | --- | --- |"]
    for group in dict.fromkeys(action.group for action in ACTIONS):
        rows.append(f"| **{group}** | | |")
        rows += [
            f"| {' '.join(f'`{key_name(key)}`' for key in action.keys)} | {action.title} | `{action.id}` |"
            for action in ACTIONS
            if action.group == group
        ]
    return "\n".join(rows) + "\n"


def _has(action: Action, word: str, keys: Keys) -> bool:
    if word in f"{action.title} {action.group} {action.hint} {action.id} {action.words}".casefold():
        return True
    held = keys.of(action.id, action.keys)
    return word in {key.casefold() for key in held} | {key_name(key).casefold() for key in held}


def _key_for(action: Action, focus: Focus, keys: Keys) -> str:
    """The key to show: inside the box a plain letter would be typed, so only the others count there."""
    held = keys.of(action.id, action.keys)
    typing = focus in ("box", "typed", "naming", "asking", "write") and action.scope != focus
    usable = [key for key in held if not typing or not types_text(key)]
    return usable[0] if usable else ""


MARKS = ("<!-- keys: written by python -m tui.actions.registry --write -->", "<!-- end of keys -->")


def with_key_table(text: str) -> str:
    """A Markdown text with the key table of today between its marks (raises ValueError where it has none)."""
    before, start, rest = text.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not start or not end:
        raise ValueError("the marks of the key table are missing")
    return f"{before}{start}\n\n{key_table()}\n{end}{after}"


def _main(arguments: list[str]) -> int:
    """Print the key table; with `--write` put it into README.md and docs/workbench.md."""
    if arguments != ["--write"]:
        sys.stdout.write(key_table())
        return 0
    for page in (Path(__file__).parents[2] / name for name in ("README.md", "docs/workbench.md")):
        page.write_text(with_key_table(page.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
