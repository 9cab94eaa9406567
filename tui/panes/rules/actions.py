"""What a person can do about tool calls and the rules they meet: the part of the registry for the Rules pane."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place, Situation

RULES = "Among the rules"
TYPED = "While typing a call"
TABLE = "In a table"
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
    return "" if here else "That is done in the rules pane."


def _needs_files(now: RulesNow) -> str:
    return _needs_pane(now) or ("" if now.rules else "No rules were read: see rules.files in the settings.")


def _needs_call(now: RulesNow) -> str:
    return _needs_files(now) or ("" if now.call else "No tool call is chosen yet.")


def _needs_session(now: RulesNow) -> str:
    if _needs_pane(now):
        return _needs_pane(now)
    if not now.call:
        return "No tool call is chosen yet."
    return "" if now.call_kept else "This call is typed: it is from no session."


def _can_label(now: RulesNow) -> str:
    told = "The casebook is read-only here: labels are kept beside it." if now.around.readonly else ""
    return _needs_call(now) or told


def _needs_rule(now: RulesNow) -> str:
    return _needs_call(now) or ("" if now.rule else "No rule is chosen yet.")


def _needs_shown(now: RulesNow) -> str:
    if _can_label(now):
        return _can_label(now)
    if now.rule and not now.rule_shown:
        return "This rule is not shown: {rules.missing} says that it is missing."
    return ""


def _can_reject(now: RulesNow) -> str:
    return _can_label(now) or _needs_rule(now)


def _needs_flaws(now: RulesNow) -> str:
    return _needs_pane(now) or ("" if now.flaws else "Nothing is wrong with the rule files.")


def _needs_filtered(now: RulesNow) -> str:
    return _needs_pane(now) or ("" if now.filtered else "No filter is on.")


def _needs_casebook(now: RulesNow) -> str:
    return _needs_pane(now) or ("There is no casebook yet." if now.around.absent else "")


def _needs_draft(now: TableNow) -> str:
    if now.around.readonly:
        return "The casebook is read-only here."
    return "" if now.leads else now.nothing or "No draft is chosen."


def _needs_way(now: TableNow) -> str:
    if now.nothing:
        return now.nothing
    return "" if now.leads else "This row leads nowhere: a cluster leads to its first rule, a labelled call to the box."


def _needs_listed_rule(now: RulesNow) -> str:
    if now.focus != "rules":
        return "That is done in the rules pane."
    return "" if now.rule else "No rule is chosen yet."


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
    _act("why_not", "Why not this rule? Pick any, and see what it would have needed", "w", "why not", 1),
    _act("edit", "Edit the rule in your editor; the ranking follows", "e", "edit", 2, needs=_needs_pane),
    _act("type", "Type a tool call of your own", "n", "type a call", 3, needs=_needs_pane),
    _act("change", "Change the chosen call: take it into the box", "N"),
    _act("right", "Right: this rule applies (no rule shown: silence is right)", "r", "right", 4, needs=_needs_shown),
    _act("wrong", "Wrong: this rule does not apply", "x", "wrong", 5, needs=_can_reject),
    _act("missing", "Missing: this rule applies and is not shown, or pick one", "m", "missing", 6, needs=_can_label),
    _act("why", "Show or hide why: sum, words, query, cache, steps", "t", "why", 7, needs=_needs_pane,
         shared="list.why"),
    _act("session", "Open the session that the call is from, at its message", "o", "session", 8,
         needs=_needs_session),
    _act("compare", "Compare the ways of matching on what was labelled", "v", "compare", 8, needs=_needs_files),
    _act("clusters", "Rules that say nearly the same, or belong together", "c", "clusters", 9, needs=_needs_files),
    _act("problems", "What is wrong with the rule files, line by line", "p", "problems", 10, needs=_needs_flaws),
    _act("drafts", "Draft rules, from calls that you declined", "d", "drafts", 10, needs=_needs_casebook),
    _act("tool", "Only calls of this tool, or all", "f", "only this tool", 11, shared="list.filter"),
    _act("unfilter", "Show the calls of all tools", "F", needs=_needs_filtered, shared="list.unfilter"),
    _act("copy", "Copy the solution of the rule", "y", needs=_needs_rule, shared="list.copy"),
    _act("library", "Search the library for this rule", "b", "library", 12, needs=_needs_listed_rule),
    Action("typed.example", "Another example", ("f2",), "typed", TYPED, "example", 1, palette=False),
    Action("typed.keep", "Done: on to the rules", ("f3", "ctrl+s"), "typed", TYPED, "to the rules", 2, palette=False),
    Action("typed.other", "From the tool to its input, and back", ("tab", "shift+tab"), "typed", TYPED, "tool or input",
           4, palette=False),
    Action("typed.clear", "Empty both boxes", ("f4",), "typed", TYPED, "clear", 5, palette=False),
    Action("typed.back", "Back to the calls", ("escape",), "typed", TYPED, "back", 3, palette=False),
    Action("table.back", "Back from the table", ("q",), "table", TABLE, "back", 1, palette=False),
    Action("table.take", "Go there: to the call, the session, the rule's file", ("o",), "table", TABLE, "go there", 2,
           palette=False, needs=_needs_way, kind=TableNow),
    Action("draft.accept", "Accept: write the rule into a rule file", ("a",), "drafts", DRAFTS, "accept", 3,
           palette=False, needs=_needs_draft, kind=TableNow),
    Action("draft.reject", "Reject: this is no rule", ("x",), "drafts", DRAFTS, "reject", 4, palette=False,
           needs=_needs_draft, kind=TableNow),
)  # fmt: skip

PANE = Pane(
    "rules",
    "Rules: why did this fire?",
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
