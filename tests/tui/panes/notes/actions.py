"""What can be done in the pane of the exercise."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import Action, Needs, Pane, Place, Situation, needs


@dataclass(frozen=True, slots=True)
class NotesNow(Situation):
    """What the pane shows."""


_ANY = Needs(NotesNow, lambda _now: "")
_ROW = needs(NotesNow, lambda now: now.cases, "No note is listed.")


def _act(shared: str, title: str, key: str, hint: str, rank: int, *, row: bool = False) -> Action:
    """An action that other panes have too: `list.why` is `notes.why` here."""
    alias = f"notes.{shared.partition('.')[2]}"
    return Action(shared, title, (key,), "notes", "In the notes", hint, rank, needs=_ROW if row else _ANY, alias=alias)


PANE = Pane(
    "notes",
    "Notes: an exercise",
    (Place("notes", (("list",), ("why", "scroll")), "both", also={"find.focus": 20}),),
    (
        _act("list.filter", "Filter by status", "f", "filter", 1),
        _act("list.unfilter", "Clear the filter of the notes", "F", "", 0),
        _act("list.why", "Show or hide how they were found", "t", "why", 2),
        _act("list.copy", "Copy the note", "y", "copy", 3, row=True),
    ),
)
