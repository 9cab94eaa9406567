"""What a person can do while asking the library: the part of the registry for questions and answers."""

from __future__ import annotations

from tui.actions.action import Action, Situation

ASK = "While asking the library"

SOURCES_CHOSEN = 9
"""Sources that have a key of their own."""


def _needs_answer(now: Situation) -> str:
    return "" if now.answered else "Nothing was answered yet."


def _can_go_back(now: Situation) -> str:
    return "" if now.library or now.focus in ("ask", "asking") else "That is done in the library pane."


def _needs_source(now: Situation) -> str:
    return "" if now.sources else "There is no source to open."


ASK_ACTIONS: tuple[Action, ...] = (
    Action("library.ask", "Ask: a grounded answer with its sources, or a refusal", ("a",), "library",
           "In the library", "ask", 2),
    Action("ask.box", "To the question", ("slash",), "ask", ASK, "ask on", 2, palette=False),
    Action("ask.stop", "Stop the answer, keeping what has come; then back", ("escape",), "ask", ASK, "stop, back", 1,
           palette=False),
    Action("ask.back", "Back to the library", ("q",), "ask", ASK, palette=False),
    Action("ask.why", "Show or hide the trace: gate, packing, model, each citation", ("t",), "ask", ASK, "why", 3,
           palette=False, enabled=_needs_answer),
    Action("ask.copy", "Copy the answer with its sources", ("y",), "ask", ASK, "copy", 4, palette=False,
           enabled=_needs_answer),
    Action("ask.steps", "Take the question apart: search, then ask on, in several steps", ("m", "f4"), "ask", ASK,
           "steps", 7, palette=False),
    Action("ask.fresh", "A new conversation: what was asked before is forgotten", ("n",), "ask", ASK, "new", 6,
           palette=False, enabled=_needs_answer),
    Action("ask.talks", "Earlier conversations with the library: read one, go on with it", ("o", "f3"), "ask", ASK,
           "earlier", 8, enabled=_can_go_back, words="history session answers list"),
    *(
        Action(f"ask.source_{number}", f"Open source {number}", (str(number),), "ask", ASK,
               "open source" if number == 1 else "", 5 if number == 1 else 0, palette=False, enabled=_needs_source)
        for number in range(1, SOURCES_CHOSEN + 1)
    ),
)  # fmt: skip
