"""What a person can do in the Errors pane: find cases, read one, go to where it was seen, decide on fixes."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place, Situation
from tui.actions.shared import FIND, MOVE, SESSION_ACTIONS, needs_cases, needs_filter, needs_some

CURATE, DECIDE, WRITE, PAST = "Curate", "Triage", "While writing a fix", "History"


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

_READONLY = "The casebook is read-only. You cannot save decisions."


def _can_write(now: CaseNow) -> str:
    return _READONLY if now.around.readonly else ""


def _needs_casebook(now: CaseNow) -> str:
    return "No casebook found. Press {import.begin} in the Errors pane to import sessions." if now.around.absent else ""


def _can_undo(now: CaseNow) -> str:
    return _can_write(now) or _needs_casebook(now)


def _can_change_case(now: CaseNow) -> str:
    return _can_write(now) or ("" if now.case_open else "Select a case first.")


def _needs_lesson(now: CaseNow) -> str:
    return _can_change_case(now) or ("" if now.lesson else "This fix has no lesson.")


def _needs_unsaved(now: CaseNow) -> str:
    return _can_write(now) or ("" if now.unsaved else "There is no unsaved fix.")


def _needs_queue(now: CaseNow) -> str:
    if now.focus != "triage":
        return "Only available in triage. Press {triage.open} to open it."
    return _can_write(now) or ("" if now.waiting else "Triage is empty.")


def _needs_draft(now: CaseNow) -> str:
    if reason := _needs_queue(now):
        return reason
    return (
        ""
        if now.has_fix or now.marked
        else "This case has no draft. To write a fix, press {fix.write}. To skip the case, press {triage.skip}."
    )


def _needs_text(now: CaseNow) -> str:
    return _can_write(now) or ("" if now.focus == "write" else "Press {fix.write} to write a fix first.")


def _needs_editor(now: Situation) -> str:
    return "" if now.focus == "write" else "Press {fix.write} to write a fix first."


def _needs_written(now: CaseNow) -> str:
    return _needs_text(now) or ("" if now.has_fix else "This case has no fix to reject.")


def _needs_alike(now: CaseNow) -> str:
    return _needs_text(now) or ("" if now.alike else "Triage has no similar case.")


def _needs_past(now: CaseNow) -> str:
    return "" if now.focus == "history" else "Only available in the history. Press {history.open} to open it."


CURATION: tuple[Action, ...] = (
    Action("triage.open", "Triage: review drafts and unresolved cases", ("T",), "pane", CURATE, "triage", 6,
           needs=_needs_casebook),
    Action("fix.write", "Write a fix", ("w",), "pane", CURATE, "fix", 4, needs=_can_change_case, kind=CaseNow),
    Action("fix.editor", "Write a fix in your editor", ("e",), "pane", CURATE, needs=_can_change_case, kind=CaseNow),
    Action("fix.general", "Change the scope of the lesson: all projects or its own project", ("W",), "pane", CURATE,
           needs=_needs_lesson, kind=CaseNow),
    Action("fix.unsaved", "Resume the unsaved fix", ("R",), "pane", CURATE, "resume draft", 2,
           needs=_needs_unsaved, kind=CaseNow),
    Action("undo.last", "Undo your last decision", ("u",), "pane", CURATE, "undo", 28, needs=_can_undo),
    Action("undo.redo", "Redo", ("U",), "pane", CURATE, needs=_can_undo),
    Action("history.open", "History: changes, authors and dates", ("C",), "pane", CURATE, needs=_needs_casebook),
    Action("triage.accept", "Accept draft", ("a",), "triage", DECIDE, "accept", 1,
           needs=_needs_draft, kind=CaseNow),
    Action("triage.reject", "Reject draft", ("x",), "triage", DECIDE, "reject", 3,
           needs=_needs_draft, kind=CaseNow),
    Action("triage.reject_all", "Reject all drafts of the case", ("X",), "triage", DECIDE, needs=_needs_draft,
           kind=CaseNow),
    Action("triage.skip", "Skip for now", ("s",), "triage", DECIDE, "skip", 5, needs=_needs_queue, kind=CaseNow),
    Action("triage.noise", "Mark as noise", ("N",), "triage", DECIDE, "noise", 6,
           needs=_needs_queue, kind=CaseNow),
    Action("triage.mark", "Select for a bulk action", ("space",), "triage", DECIDE, "select", 7, True, False,
           _needs_queue, kind=CaseNow),
    Action("triage.mark_all", "Select all or none", ("A",), "triage", DECIDE, needs=_needs_queue, kind=CaseNow),
    Action("triage.merge", "Merge the selected cases, or this case with another", ("M",), "triage", DECIDE,
           needs=_needs_queue, kind=CaseNow),
    Action("triage.split", "Split off errors with a different fix", ("P",), "triage", DECIDE, needs=_needs_queue,
           kind=CaseNow),
    Action("triage.all", "Show the full error", ("v",), "triage", DECIDE, "show all", 30, needs=_needs_queue,
           kind=CaseNow),
    Action("triage.back", "Back to the cases", ("q", "T"), "triage", DECIDE, "back", 20, palette=False),
    Action("write.save", "Save as a draft", ("ctrl+s",), "write", WRITE, "save", 2, needs=_needs_text, kind=CaseNow),
    Action("write.verify", "Save as verified", ("f2", "ctrl+t"), "write", WRITE, "verify", 1, needs=_needs_text,
           kind=CaseNow),
    Action("write.source", "Open the source messages", ("f3",), "write", WRITE, "messages", 5,
           needs=_needs_text, kind=CaseNow),
    Action("write.editor", "Continue in your editor", ("f4", "ctrl+g"), "write", WRITE, "editor", 6,
           needs=_needs_text, kind=CaseNow),
    Action("write.also", "Apply the fix to similar cases: on or off", ("ctrl+n",), "write", WRITE, "similar too", 4,
           needs=_needs_alike, kind=CaseNow),
    Action("write.reject", "Reject the current fix", ("f8",), "write", WRITE, "reject", 8,
           needs=_needs_written, kind=CaseNow),
    Action("write.split", "Split off the errors that this fix solves", ("f9",), "write", WRITE, "split", 9,
           needs=_needs_text, kind=CaseNow),
    Action("write.merge", "Merge another case into this one", ("ctrl+b",), "write", WRITE, "merge", 10,
           needs=_needs_text, kind=CaseNow),
    Action("write.noise", "Mark the case as noise", ("f12",), "write", WRITE, "noise", 11, needs=_needs_text,
           kind=CaseNow),
    Action("write.back", "Back (keeps your text)", ("escape",), "write", WRITE, "back", 3, palette=False),
    Action("history.undo", "Undo this change", ("u",), "history", PAST, "undo", 1, needs=_needs_past,
           kind=CaseNow),
    Action("history.case", "Switch between this case and all cases", ("c",), "history", PAST, "this case", 2,
           needs=_needs_past, kind=CaseNow),
    Action("history.back", "Back", ("q", "C"), "history", PAST, "back", 3, palette=False),
    Action("conflict.mine", "Keep my version (the other version stays in the history)", ("m",), "conflict", WRITE,
           "keep mine", 1, palette=False),
    Action("conflict.theirs", "Keep the other version", ("t", "escape", "q"), "conflict", WRITE, "keep theirs", 2,
           palette=False),
    Action("conflict.write", "Merge both versions manually", ("w",), "conflict", WRITE, "merge manually", 3,
           palette=False),
    Action("write.cite", "Cite a library passage", ("f6",), "write", WRITE, "cite", 7, True, True,
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
    return "" if now.case_open else "Select a case first."


def _needs_fix(now: CaseNow) -> str:
    return _needs_case(now) or ("" if now.has_fix else "This case has no fix yet.")


def _needs_like(now: ErrorsNow) -> str:
    return _needs_case(now) or ("" if now.like else "There are no similar cases.")


def _needs_clip(now: ErrorsNow) -> str:
    return _needs_case(now) or ("" if now.raw_clipped else "The full error is already shown.")


def _needs_older(now: ErrorsNow) -> str:
    return "" if now.seen_older else "This is the earliest occurrence."


def _needs_newer(now: ErrorsNow) -> str:
    return "" if now.seen_newer else "This is the latest occurrence."


def _needs_history(now: ErrorsNow) -> str:
    return (
        ""
        if now.history
        else "This case has no other fixes. Press {history.open} for all changes, including undone ones."
    )


def _needs_cited(now: ErrorsNow) -> str:
    return _needs_case(now) or ("" if now.cites else "The fix of this case has no citations.")


_ACTIONS: tuple[Action, ...] = (
    Action("list.filter", "Filter by status, reuse, time, tool, project or tag", ("f",), "pane", FIND, "filter", 30,
           needs=needs_some, kind=ErrorsNow),
    Action("list.unfilter", "Clear the filter", ("F",), "pane", FIND, "unfilter", 29, needs=needs_filter,
           kind=ErrorsNow),
    Action("list.sort", "Change the sort: last seen, most seen, first seen", ("s",), "pane", FIND, "sort", 31,
           needs=needs_some),
    Action("list.next", "Next case", ("J", "right_square_bracket"), "pane", MOVE, needs=needs_cases, kind=ErrorsNow,
           alias="case.next"),
    Action("list.previous", "Previous case", ("K", "left_square_bracket"), "pane", MOVE, needs=needs_cases,
           kind=ErrorsNow, alias="case.previous"),
    Action("list.copy", "Copy the fix", ("y",), "pane", CASE, "copy fix", 3, needs=_needs_fix, kind=ErrorsNow,
           alias="case.copy"),
    Action("list.copy_as", "Copy as key line, error, Markdown, JSON or command", ("Y",), "pane", CASE,
           needs=_needs_case, kind=ErrorsNow, alias="case.copy_as"),
    Action("case.all", "Show the full error", ("a",), "pane", CASE, "show all", 12, needs=_needs_clip,
           kind=ErrorsNow),
    Action("case.older", "Older occurrence", ("n",), "pane", CASE, "older", 8, needs=_needs_older,
           kind=ErrorsNow),
    Action("case.newer", "Newer occurrence", ("p",), "pane", CASE, "newer", 9, needs=_needs_newer,
           kind=ErrorsNow),
    Action("case.source", "Open the session of this occurrence", ("o",), "pane", CASE, "session", 7, needs=_needs_case,
           kind=CaseNow),
    Action("case.enter", "Open the session of this occurrence", ("enter",), "case", CASE, palette=False),
    Action("case.fix_source", "Open the session of the fix", ("O",), "pane", CASE, needs=_needs_fix,
           kind=CaseNow),
    Action("case.masked", "Show key details", ("m",), "pane", CASE, "key details", 26, needs=_needs_case,
           kind=ErrorsNow),
    Action("case.history", "Show all fixes in full", ("H",), "pane", CASE, "fixes", 11, needs=_needs_history,
           kind=ErrorsNow),
    Action("case.like", "Go to the similar cases", ("L",), "pane", CASE, "similar", 10, needs=_needs_like,
           kind=ErrorsNow),
    Action("case.pager", "Open the error in your pager", ("v",), "pane", CASE, "pager", 27, needs=_needs_case,
           kind=ErrorsNow),
    Action("case.editor", "Open the case in your editor (read-only)", ("V",), "pane", CASE, needs=_needs_case,
           kind=ErrorsNow),
    Action("case.library", "Search the library for this case", ("b",), "pane", CASE, "library", 21,
           needs=_needs_case, kind=ErrorsNow),
    Action("case.cited", "Open the citation of the fix", ("c",), "pane", CASE, "cited", 22, needs=_needs_cited,
           kind=ErrorsNow),
    Action("case.cited_editor", "Open the citation in your editor at its line", ("E",), "pane", CASE,
           needs=_needs_cited, kind=ErrorsNow),
    Action("list.why", "Show or hide the trace", ("t",), "pane", CASE, "trace", 5, needs=needs_some,
           kind=ErrorsNow, alias="case.why"),
)  # fmt: skip

PANE = Pane(
    "errors",
    "Errors: search errors and fixes",
    (
        Place("pane", (("list",), ("scroll", "case"), ("scroll", "why")), "both", names=("list", "case", "why")),
        *CURATION_PLACES,
    ),
    (*_ACTIONS, *SESSION_ACTIONS, *CURATION),
)
