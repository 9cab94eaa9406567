"""What a person can do in the Errors pane: find cases, read one, go to where it was seen, decide on fixes."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place, Situation
from tui.actions.shared import FIND, MOVE, SESSION_ACTIONS, needs_cases, needs_filter, needs_some

CURATE, DECIDE, WRITE, PAST = "Curate", "In the queue", "While writing a fix", "In the history"


@dataclass(frozen=True, slots=True)
class CaseNow(Situation):
    """A case before a person: whether one is open, has a fix, and a lesson; `unsaved`: texts that were typed and left;
    `waiting` and `marked`: rows of the queue; `alike`: cases that wait and read like this one."""

    case_open: bool = False
    has_fix: bool = False
    lesson: bool = False
    unsaved: int = 0
    waiting: int = 0
    marked: int = 0
    alike: int = 0


CURATION_PLACES: tuple[Place, ...] = (
    Place("triage", (("list",), ("case",)), also={
        "app.help": 90, "fix.write": 4, "undo.last": 28, "undo.redo": 0, "history.open": 0, "fix.editor": 0,
        "case.source": 0, "case.fix_source": 0, "view.reload": 0,
    }),
    Place("write", app="keys", also={"app.help": 90, "case.source": 0}, typing=("write",)),
    Place("history", (("list",), ("scroll",)), also={"app.help": 90, "undo.redo": 0, "list.open": 1}),
    Place("conflict", (("scroll",),), also={"app.help": 90}),
)  # fmt: skip

_READONLY = "The casebook is read-only here: nothing can be decided."


def _can_write(now: CaseNow) -> str:
    return _READONLY if now.around.readonly else ""


def _needs_casebook(now: CaseNow) -> str:
    return "There is no casebook yet: {import.begin} in the errors pane imports sessions." if now.around.absent else ""


def _can_undo(now: CaseNow) -> str:
    return _can_write(now) or _needs_casebook(now)


def _can_change_case(now: CaseNow) -> str:
    return _can_write(now) or ("" if now.case_open else "No case is chosen yet.")


def _needs_lesson(now: CaseNow) -> str:
    return _can_change_case(now) or ("" if now.lesson else "This fix has no lesson.")


def _needs_unsaved(now: CaseNow) -> str:
    return _can_write(now) or ("" if now.unsaved else "Nothing was typed and left unsaved.")


def _needs_queue(now: CaseNow) -> str:
    if now.focus != "triage":
        return "That is decided in the queue: {triage.open} opens it."
    return _can_write(now) or ("" if now.waiting else "Nothing waits for a decision.")


def _needs_draft(now: CaseNow) -> str:
    if reason := _needs_queue(now):
        return reason
    return "" if now.has_fix or now.marked else "There is no draft: {fix.write} writes the fix, {triage.skip} skips."


def _needs_text(now: CaseNow) -> str:
    return _can_write(now) or ("" if now.focus == "write" else "No fix is being written: {fix.write} begins.")


def _needs_editor(now: Situation) -> str:
    return "" if now.focus == "write" else "No fix is being written: {fix.write} begins."


def _needs_written(now: CaseNow) -> str:
    return _needs_text(now) or ("" if now.has_fix else "This case has no fix that could be rejected.")


def _needs_alike(now: CaseNow) -> str:
    return _needs_text(now) or ("" if now.alike else "No case that waits reads like this one.")


def _needs_past(now: CaseNow) -> str:
    return "" if now.focus == "history" else "The history is not open: {history.open} opens it."


CURATION: tuple[Action, ...] = (
    Action("triage.open", "Decide what waits: drafts and unsolved cases", ("T",), "pane", CURATE, "decide", 6,
           needs=_needs_casebook),
    Action("fix.write", "Write the fix", ("w",), "pane", CURATE, "write", 4, needs=_can_change_case, kind=CaseNow),
    Action("fix.editor", "Write the fix in your editor", ("e",), "pane", CURATE, needs=_can_change_case, kind=CaseNow),
    Action("fix.general", "Keep the lesson for every project, or only for its own", ("W",), "pane", CURATE,
           needs=_needs_lesson, kind=CaseNow),
    Action("fix.unsaved", "Go on with a fix that was typed and not saved", ("R",), "pane", CURATE, "unsaved", 2,
           needs=_needs_unsaved, kind=CaseNow),
    Action("undo.last", "Take your last decision back", ("u",), "pane", CURATE, "undo", 28, needs=_can_undo),
    Action("undo.redo", "Bring back what you took back", ("U",), "pane", CURATE, needs=_can_undo),
    Action("history.open", "History: who changed what, and when", ("C",), "pane", CURATE, needs=_needs_casebook),
    Action("triage.accept", "Accept: the draft is right", ("a",), "triage", DECIDE, "accept", 1,
           needs=_needs_draft, kind=CaseNow),
    Action("triage.reject", "Reject: the draft is wrong", ("x",), "triage", DECIDE, "reject", 3,
           needs=_needs_draft, kind=CaseNow),
    Action("triage.reject_all", "Reject every draft of the case", ("X",), "triage", DECIDE, needs=_needs_draft,
           kind=CaseNow),
    Action("triage.skip", "Skip: later", ("s",), "triage", DECIDE, "skip", 5, needs=_needs_queue, kind=CaseNow),
    Action("triage.noise", "Noise: no error worth a fix", ("N",), "triage", DECIDE, "noise", 6,
           needs=_needs_queue, kind=CaseNow),
    Action("triage.mark", "Mark, to decide several at once", ("space",), "triage", DECIDE, "mark", 7, True, False,
           _needs_queue, kind=CaseNow),
    Action("triage.mark_all", "Mark all, or none", ("A",), "triage", DECIDE, needs=_needs_queue, kind=CaseNow),
    Action("triage.merge", "Merge the marked cases, or this one and one you pick", ("M",), "triage", DECIDE,
           needs=_needs_queue, kind=CaseNow),
    Action("triage.split", "Split off errors that have another fix", ("P",), "triage", DECIDE, needs=_needs_queue,
           kind=CaseNow),
    Action("triage.all", "Show all of the error", ("v",), "triage", DECIDE, "show all", 30, needs=_needs_queue,
           kind=CaseNow),
    Action("triage.back", "Back to the cases", ("q", "T"), "triage", DECIDE, "back", 20, palette=False),
    Action("write.save", "Save as a draft", ("ctrl+s",), "write", WRITE, "save", 2, needs=_needs_text, kind=CaseNow),
    Action("write.verify", "Save as verified", ("f2", "ctrl+t"), "write", WRITE, "verify", 1, needs=_needs_text,
           kind=CaseNow),
    Action("write.source", "Open the messages it comes from", ("f3",), "write", WRITE, "messages", 5,
           needs=_needs_text, kind=CaseNow),
    Action("write.editor", "Go on in your editor", ("f4", "ctrl+g"), "write", WRITE, "editor", 6,
           needs=_needs_text, kind=CaseNow),
    Action("write.also", "Apply to similar cases too, or not", ("ctrl+n",), "write", WRITE, "these too", 4,
           needs=_needs_alike, kind=CaseNow),
    Action("write.reject", "Reject the fix that answers", ("f8",), "write", WRITE, "reject", 8,
           needs=_needs_written, kind=CaseNow),
    Action("write.split", "Split off errors that this fix is for", ("f9",), "write", WRITE, "split", 9,
           needs=_needs_text, kind=CaseNow),
    Action("write.merge", "Merge another case into this one", ("ctrl+b",), "write", WRITE, "merge", 10,
           needs=_needs_text, kind=CaseNow),
    Action("write.noise", "Mark the case as noise", ("f12",), "write", WRITE, "noise", 11, needs=_needs_text,
           kind=CaseNow),
    Action("write.back", "Back; what was typed is kept", ("escape",), "write", WRITE, "back", 3, palette=False),
    Action("history.undo", "Take this change back", ("u",), "history", PAST, "take back", 1, needs=_needs_past,
           kind=CaseNow),
    Action("history.case", "Only the chosen case, or all", ("c",), "history", PAST, "this case", 2,
           needs=_needs_past, kind=CaseNow),
    Action("history.back", "Back", ("q", "C"), "history", PAST, "back", 3, palette=False),
    Action("conflict.mine", "Mine all the same: theirs stays in the history", ("m",), "conflict", WRITE, "mine", 1,
           palette=False),
    Action("conflict.theirs", "Leave theirs", ("t", "escape", "q"), "conflict", WRITE, "theirs", 2, palette=False),
    Action("conflict.write", "Write one from both", ("w",), "conflict", WRITE, "write", 3, palette=False),
    Action("write.cite", "Search the library, to cite it here", ("f6",), "write", WRITE, "cite", 7, True, True,
           _needs_editor),
)  # fmt: skip


CASE = "The case"


@dataclass(frozen=True, slots=True)
class ErrorsNow(CaseNow):
    """What the pane shows: `cites`: documents that the fix cites."""

    raw_clipped: bool = False
    seen_older: bool = False
    seen_newer: bool = False
    history: bool = False
    like: bool = False
    cites: int = 0


def _needs_case(now: CaseNow) -> str:
    return "" if now.case_open else "No case is chosen yet."


def _needs_fix(now: CaseNow) -> str:
    return _needs_case(now) or ("" if now.has_fix else "This case has no fix yet.")


def _needs_like(now: ErrorsNow) -> str:
    return _needs_case(now) or ("" if now.like else "No similar case is known.")


def _needs_clip(now: ErrorsNow) -> str:
    return _needs_case(now) or ("" if now.raw_clipped else "All of the error is shown already.")


def _needs_older(now: ErrorsNow) -> str:
    return "" if now.seen_older else "It was never seen before that."


def _needs_newer(now: ErrorsNow) -> str:
    return "" if now.seen_newer else "This is the last time it was seen."


def _needs_history(now: ErrorsNow) -> str:
    return "" if now.history else "This case has no other fixes. {history.open} shows every change, undone ones too."


def _needs_cited(now: ErrorsNow) -> str:
    return _needs_case(now) or ("" if now.cites else "The fix of this case cites nothing.")


_ACTIONS: tuple[Action, ...] = (
    Action("list.filter", "Filter by status, time, tool, project", ("f",), "pane", FIND, "filter", 30,
           needs=needs_some, kind=ErrorsNow),
    Action("list.unfilter", "Clear the filter", ("F",), "pane", FIND, "unfilter", 29, needs=needs_filter,
           kind=ErrorsNow),
    Action("list.sort", "Sort by last seen, most seen, first seen", ("s",), "pane", FIND, "sort", 31,
           needs=needs_some),
    Action("list.next", "Next case", ("J", "right_square_bracket"), "pane", MOVE, needs=needs_cases, kind=ErrorsNow,
           alias="case.next"),
    Action("list.previous", "Previous case", ("K", "left_square_bracket"), "pane", MOVE, needs=needs_cases,
           kind=ErrorsNow, alias="case.previous"),
    Action("list.copy", "Copy the fix", ("y",), "pane", CASE, "copy fix", 3, needs=_needs_fix, kind=ErrorsNow,
           alias="case.copy"),
    Action("list.copy_as", "Copy as: key line, error, Markdown, JSON, command", ("Y",), "pane", CASE,
           needs=_needs_case, kind=ErrorsNow, alias="case.copy_as"),
    Action("case.all", "Show all of the error", ("a",), "pane", CASE, "show all", 12, needs=_needs_clip,
           kind=ErrorsNow),
    Action("case.older", "An older time it was seen", ("n",), "pane", CASE, "older", 8, needs=_needs_older,
           kind=ErrorsNow),
    Action("case.newer", "A newer time it was seen", ("p",), "pane", CASE, "newer", 9, needs=_needs_newer,
           kind=ErrorsNow),
    Action("case.source", "Open the session it was seen in", ("o",), "pane", CASE, "session", 7, needs=_needs_case,
           kind=CaseNow),
    Action("case.enter", "Open the session it was seen in", ("enter",), "case", CASE, palette=False),
    Action("case.fix_source", "Open the session the fix is from", ("O",), "pane", CASE, needs=_needs_fix,
           kind=CaseNow),
    Action("case.masked", "Explain what the key masks", ("m",), "pane", CASE, "masked", 26, needs=_needs_case,
           kind=ErrorsNow),
    Action("case.history", "Show the other fixes whole", ("H",), "pane", CASE, "history", 11, needs=_needs_history,
           kind=ErrorsNow),
    Action("case.like", "Go to the similar cases", ("L",), "pane", CASE, "similar", 10, needs=_needs_like,
           kind=ErrorsNow),
    Action("case.pager", "View the error in your pager", ("v",), "pane", CASE, "pager", 27, needs=_needs_case,
           kind=ErrorsNow),
    Action("case.editor", "Open the case in your editor, to read", ("V",), "pane", CASE, needs=_needs_case,
           kind=ErrorsNow),
    Action("case.library", "Search the library for this case", ("b",), "pane", CASE, "library", 21,
           needs=_needs_case, kind=ErrorsNow),
    Action("case.cited", "Go to what the fix cites", ("c",), "pane", CASE, "cited", 22, needs=_needs_cited,
           kind=ErrorsNow),
    Action("case.cited_editor", "Open what the fix cites in your editor, at its line", ("E",), "pane", CASE,
           needs=_needs_cited, kind=ErrorsNow),
    Action("list.why", "Show or hide the trace: why this answer", ("t",), "pane", CASE, "why", 5, needs=needs_some,
           kind=ErrorsNow, alias="case.why"),
)  # fmt: skip

PANE = Pane(
    "errors",
    "Errors: have we met this?",
    (
        Place("pane", (("list",), ("scroll", "case"), ("scroll", "why")), "both", names=("list", "case", "why")),
        *CURATION_PLACES,
    ),
    (*_ACTIONS, *SESSION_ACTIONS, *CURATION),
)
