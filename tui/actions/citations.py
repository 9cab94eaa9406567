"""Between a case, a rule and the library: search it for them, cite from it, go to what is cited."""

from __future__ import annotations

from tui.actions.action import Action, Situation

CASE, RULES, LIBRARY, WRITE = "The case", "Among the rules", "In the library", "While writing a fix"


def _needs_case(now: Situation) -> str:
    return "" if now.case_open else "No case is chosen yet."


def _needs_cited(now: Situation) -> str:
    return _needs_case(now) or ("" if now.cites else "The fix of this case cites nothing.")


def _needs_rule(now: Situation) -> str:
    if now.focus != "rules":
        return "That is done in the rules pane."
    return "" if now.rule else "No rule is chosen yet."


def _needs_text(now: Situation) -> str:
    return "" if now.focus == "write" else "No fix is being written: {fix.write} begins."


def _can_cite(now: Situation) -> str:
    if not now.library:
        return "That is done in the library pane."
    if not now.citing:
        return "Nothing can cite it here: {write.cite} in a fix, or {case.library} on a case with a fix, leads here."
    if now.readonly:
        return "The casebook is read-only here: nothing can be cited."
    return "" if now.hit or now.cited else "No passage is chosen yet."


CITE_ACTIONS: tuple[Action, ...] = (
    Action("case.library", "Search the library for this case", ("b",), "pane", CASE, "library", 21,
           enabled=_needs_case),
    Action("case.cited", "Go to what the fix cites", ("c",), "pane", CASE, "cited", 22, enabled=_needs_cited),
    Action("case.cited_editor", "Open what the fix cites in your editor, at its line", ("E",), "pane", CASE,
           enabled=_needs_cited),
    Action("rules.library", "Search the library for this rule", ("b",), "rules", RULES, "library", 12,
           enabled=_needs_rule),
    Action("library.cite", "Cite it in the fix one came from", ("c",), "library", LIBRARY, "cite", 1,
           enabled=_can_cite),
    Action("write.cite", "Search the library, to cite it here", ("f6",), "write", WRITE, "cite", 7, True, True,
           _needs_text),
)  # fmt: skip
