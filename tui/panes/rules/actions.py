"""Actions of the Rules pane."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import (
    GONE,
    NO_CASEBOOK,
    NO_FILTER,
    READONLY,
    Action,
    Needs,
    Pane,
    Place,
    Situation,
    acting,
    needs,
)

RULES = "Rules"
TYPED = "Typing a call"
TABLE = "Table"
DRAFTS = "Draft rules"


@dataclass(frozen=True, slots=True)
class RulesNow(Situation):
    """What the pane shows: `rules` and `flaws` of the rule files, whether a call is open (`call`) and is one of
    a session (`call_kept`), whether a rule is chosen (`rule`) and is shown for the call. `calls`: it is this pane."""

    calls: bool = False
    rules: int = 0
    loading: bool = False
    flaws: int = 0
    call: bool = False
    call_kept: bool = False
    rule: bool = False
    rule_shown: bool = False


@dataclass(frozen=True, slots=True)
class TableNow(Situation):
    """A table over the pane. `has_target`: Enter on the chosen row opens something."""

    has_target: bool = False


_ELSEWHERE = "Only available in the Rules pane."
_NO_CALL, _NO_RULE = "Select a tool call first.", "Select a rule first."
_PANE = needs(RulesNow, lambda now: now.focus == "rules" or (now.focus == "box" and now.calls), _ELSEWHERE)
_LOADING, _NO_RULES = "The rules are still loading.", "No rules found. Check rules.files in the settings."
_FILES = Needs(RulesNow, lambda now: "" if now.rules else _LOADING if now.loading else _NO_RULES, _PANE)
_CALL = needs(RulesNow, lambda now: now.call, _NO_CALL, _FILES)
_SESSION = needs(
    RulesNow, lambda now: now.call_kept, "You typed this call, so it has no session.",
    needs(RulesNow, lambda now: now.call, _NO_CALL, _PANE),
)  # fmt: skip
_LABEL = needs(RulesNow, lambda now: not now.around.readonly, f"{READONLY} You cannot save labels.", _CALL)
_RULE = needs(RulesNow, lambda now: now.rule, _NO_RULE, _CALL)
_NEEDS_RULE = needs(
    RulesNow, lambda now: now.rule_shown or not now.rule,
    "This rule is not shown. Press {rules.missing} to label it as missing.", _LABEL,
)  # fmt: skip
_REJECTABLE = Needs(RulesNow, _RULE.unmet, _LABEL)
_FLAWS = needs(RulesNow, lambda now: now.flaws, "The rule files have no problems.", _PANE)
_FILTERED = needs(RulesNow, lambda now: now.filtered, NO_FILTER, _PANE)
_PRESENT = needs(RulesNow, lambda now: not now.around.gone, GONE, _PANE)
_CASEBOOK = needs(RulesNow, lambda now: not now.around.absent, NO_CASEBOOK, _PRESENT)
_LISTED_RULE = needs(
    RulesNow, lambda now: now.rule, _NO_RULE, needs(RulesNow, lambda now: now.focus == "rules", _ELSEWHERE)
)
_DRAFT = Needs(
    TableNow, lambda now: "" if now.has_target else now.nothing or "Select a draft first.",
    needs(TableNow, lambda now: not now.around.readonly, READONLY),
)  # fmt: skip
_WAY = needs(
    TableNow, lambda now: now.has_target, "Nothing to open here. Select a cluster or a labeled call.",
    Needs(TableNow, lambda now: now.nothing),
)  # fmt: skip


_act = acting("rules", RULES, _CALL)


_ACTIONS: tuple[Action, ...] = (
    _act("why_not", "Explain why a rule is not shown", "w", hint="why not", rank=1),
    _act("edit", "Edit the rule in your editor", "e", hint="edit", rank=2, needs=_PANE),
    _act("type", "Type a tool call", "n", hint="type a call", rank=3, needs=_PANE),
    _act("change", "Edit the selected call in the box", "N"),
    _act("right", "Label as right: the rule applies", "r", hint="right", rank=4, needs=_NEEDS_RULE),
    _act("wrong", "Label as wrong: the rule does not apply", "x", hint="wrong", rank=5, needs=_REJECTABLE),
    _act("missing", "Label as missing: the rule applies but is not shown", "m", hint="missing", rank=6, needs=_LABEL),
    _act("why", "Show or hide the trace", "t", hint="trace", rank=7, needs=_PANE, shared="list.why"),
    _act("session", "Open the session of the call", "o", hint="session", rank=8, needs=_SESSION),
    _act("compare", "Compare matching methods on labeled calls", "v", hint="compare", rank=8, needs=_FILES),
    _act("clusters", "Similar and related rules", "c", hint="clusters", rank=9, needs=_FILES),
    _act("problems", "Problems in the rule files", "p", hint="problems", rank=10, needs=_FLAWS),
    _act("drafts", "Draft rules from declined calls", "d", hint="drafts", rank=10, needs=_CASEBOOK),
    _act("tool", "Show the calls of this tool or of all tools", "f", hint="only this tool", rank=11,
         shared="list.filter"),
    _act("unfilter", "Show the calls of all tools", "F", needs=_FILTERED, shared="list.unfilter"),
    _act("copy", "Copy the solution of the rule", "y", needs=_RULE, shared="list.copy"),
    _act("library", "Search the library for this rule", "b", hint="library", rank=12, needs=_LISTED_RULE),
    Action("typed.example", "Next example", ("f2",), "typed", TYPED, "example", 1, palette=False),
    Action("typed.keep", "Go to the rules", ("f3", "ctrl+s"), "typed", TYPED, "to the rules", 2, palette=False),
    Action("typed.other", "Switch between tool and input", ("tab", "shift+tab"), "typed", TYPED, "tool or input", 4,
           palette=False),
    Action("typed.clear", "Clear both boxes", ("f4",), "typed", TYPED, "clear", 5, palette=False),
    Action("typed.back", "Back to the calls", ("escape",), "typed", TYPED, "back", 3, palette=False),
    Action("table.back", "Close the table", ("q",), "table", TABLE, "back", 1, palette=False),
    Action("table.take", "Open the call, the session or the rule file", ("o",), "table", TABLE, "open", 2,
           palette=False, needs=_WAY),
    Action("draft.accept", "Accept draft and write the rule", ("a",), "drafts", DRAFTS, "accept", 3, palette=False,
           needs=_DRAFT),
    Action("draft.reject", "Reject draft", ("x",), "drafts", DRAFTS, "reject", 4, palette=False, needs=_DRAFT),
)  # fmt: skip

PANE = Pane(
    "rules",
    "Rules: match tool calls",
    (
        Place("rules", (("list",), ("case", "scroll")), "both", also={
            "find.focus": 20, "undo.last": 0, "undo.redo": 0, "history.open": 0, "view.zoom": 0, "import.begin": 0,
            "import.setup": 0, "import.report": 0,
        }),
        Place("typed", app="both", typing=("typed",)),
        Place("table", (("list",), ("case", "scroll")), also={"app.help": 90}),
        Place("drafts", (("list",), ("case", "scroll")), within=("table",), also={
            "undo.last": 28, "undo.redo": 0, "history.open": 0,
        }),
    ),
    _ACTIONS,
)  # fmt: skip
