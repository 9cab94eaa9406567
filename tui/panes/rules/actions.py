"""What a person can do about tool calls and the rules they meet: the part of the registry for the Rules pane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place, Situation

RULES = "Rules"
TYPED = "Typing a call"
TABLE = "Table"
DRAFTS = "Draft rules"


@dataclass(frozen=True, slots=True)
class RulesNow(Situation):
    """What the pane shows: `rules` and `flaws` of the rule files, whether a call is asked about (`call`) and is one of
    a session (`call_kept`), whether a rule is chosen (`rule`) and is shown for the call. `calls`: it is this pane."""

    calls: bool = False
    rules: int = 0
    flaws: int = 0
    call: bool = False
    call_kept: bool = False
    rule: bool = False
    rule_shown: bool = False


@dataclass(frozen=True, slots=True)
class TableNow(Situation):
    """A table over the pane. `leads`: the chosen row leads somewhere."""

    leads: bool = False


def _needs_pane(now: RulesNow) -> str:
    here = now.focus == "rules" or (now.focus == "box" and now.calls)
    return "" if here else "Only available in the Rules pane."


def _needs_files(now: RulesNow) -> str:
    return _needs_pane(now) or ("" if now.rules else "No rules found. Check rules.files in the settings.")


def _needs_call(now: RulesNow) -> str:
    return _needs_files(now) or ("" if now.call else "Select a tool call first.")


def _needs_session(now: RulesNow) -> str:
    if _needs_pane(now):
        return _needs_pane(now)
    if not now.call:
        return "Select a tool call first."
    return "" if now.call_kept else "You typed this call, so it has no session."


def _can_label(now: RulesNow) -> str:
    told = "The casebook is read-only. You cannot save labels." if now.around.readonly else ""
    return _needs_call(now) or told


def _needs_rule(now: RulesNow) -> str:
    return _needs_call(now) or ("" if now.rule else "Select a rule first.")


def _why_hidden(now: RulesNow) -> str:
    if _can_label(now):
        return _can_label(now)
    if now.rule and not now.rule_shown:
        return "This rule is not shown. Press {rules.missing} to label it as missing."
    return ""


def _can_reject(now: RulesNow) -> str:
    return _can_label(now) or _needs_rule(now)


def _needs_flaws(now: RulesNow) -> str:
    return _needs_pane(now) or ("" if now.flaws else "The rule files have no problems.")


def _needs_filtered(now: RulesNow) -> str:
    return _needs_pane(now) or ("" if now.filtered else "No filter is active.")


def _needs_casebook(now: RulesNow) -> str:
    return _needs_pane(now) or (
        "No casebook found. Press {import.begin} to import sessions." if now.around.absent else ""
    )


def _needs_draft(now: TableNow) -> str:
    if now.around.readonly:
        return "The casebook is read-only."
    return "" if now.leads else now.nothing or "Select a draft first."


def _needs_way(now: TableNow) -> str:
    if now.nothing:
        return now.nothing
    return "" if now.leads else "Nothing to open here. Select a cluster or a labeled call."


def _needs_listed_rule(now: RulesNow) -> str:
    if now.focus != "rules":
        return "Only available in the Rules pane."
    return "" if now.rule else "Select a rule first."


def _act(
    name: str,
    title: str,
    keys: str,
    hint: str = "",
    rank: int = 0,
    *,
    needs: Callable[[RulesNow], str] = _needs_call,
    shared: str = "",
) -> Action:
    """An action of the pane; `shared`: its id, where other panes have it too."""
    own = f"rules.{name}"
    held = tuple(keys.split())
    alias = own if shared else ""
    return Action(shared or own, title, held, "rules", RULES, hint, rank, needs=needs, kind=RulesNow, alias=alias)


_ACTIONS: tuple[Action, ...] = (
    _act("why_not", "Explain why a rule is not shown", "w", "why not", 1),
    _act("edit", "Edit the rule in your editor", "e", "edit", 2, needs=_needs_pane),
    _act("type", "Type a tool call", "n", "type a call", 3, needs=_needs_pane),
    _act("change", "Edit the selected call in the box", "N"),
    _act("right", "Label as right: the rule applies", "r", "right", 4, needs=_why_hidden),
    _act("wrong", "Label as wrong: the rule does not apply", "x", "wrong", 5, needs=_can_reject),
    _act("missing", "Label as missing: the rule applies but is not shown", "m", "missing", 6, needs=_can_label),
    _act("why", "Show or hide the trace", "t", "trace", 7, needs=_needs_pane,
         shared="list.why"),
    _act("session", "Open the session of the call", "o", "session", 8,
         needs=_needs_session),
    _act("compare", "Compare matching methods on labeled calls", "v", "compare", 8, needs=_needs_files),
    _act("clusters", "Similar and related rules", "c", "clusters", 9, needs=_needs_files),
    _act("problems", "Problems in the rule files", "p", "problems", 10, needs=_needs_flaws),
    _act("drafts", "Draft rules from declined calls", "d", "drafts", 10, needs=_needs_casebook),
    _act("tool", "Show the calls of this tool or of all tools", "f", "only this tool", 11, shared="list.filter"),
    _act("unfilter", "Show the calls of all tools", "F", needs=_needs_filtered, shared="list.unfilter"),
    _act("copy", "Copy the solution of the rule", "y", needs=_needs_rule, shared="list.copy"),
    _act("library", "Search the library for this rule", "b", "library", 12, needs=_needs_listed_rule),
    Action("typed.example", "Next example", ("f2",), "typed", TYPED, "example", 1, palette=False),
    Action("typed.keep", "Go to the rules", ("f3", "ctrl+s"), "typed", TYPED, "to the rules", 2, palette=False),
    Action("typed.other", "Switch between tool and input", ("tab", "shift+tab"), "typed", TYPED, "tool or input",
           4, palette=False),
    Action("typed.clear", "Clear both boxes", ("f4",), "typed", TYPED, "clear", 5, palette=False),
    Action("typed.back", "Back to the calls", ("escape",), "typed", TYPED, "back", 3, palette=False),
    Action("table.back", "Close the table", ("q",), "table", TABLE, "back", 1, palette=False),
    Action("table.take", "Open the call, the session or the rule file", ("o",), "table", TABLE, "open", 2,
           palette=False, needs=_needs_way, kind=TableNow),
    Action("draft.accept", "Accept draft and write the rule", ("a",), "drafts", DRAFTS, "accept", 3,
           palette=False, needs=_needs_draft, kind=TableNow),
    Action("draft.reject", "Reject draft", ("x",), "drafts", DRAFTS, "reject", 4, palette=False,
           needs=_needs_draft, kind=TableNow),
)  # fmt: skip

PANE = Pane(
    "rules",
    "Rules: match tool calls",
    (
        Place("rules", (("list",), ("case", "scroll")), "both", also={
            "find.focus": 20, "view.zoom": 0, "import.begin": 0,
        }),
        Place("typed", app="both", typing=("typed",)),
        Place("table", (("list",), ("case", "scroll")), also={"app.help": 90}),
        Place("drafts", (("list",), ("case", "scroll")), within=("table",), also={"undo.last": 28, "undo.redo": 0}),
    ),
    _ACTIONS,
)  # fmt: skip
