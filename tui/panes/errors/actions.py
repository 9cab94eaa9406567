"""What a person can do in the Errors pane: find cases, read one, go to where it was seen, decide on fixes."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import (
    FIND,
    GONE,
    LIST_IS_EMPTY,
    MOVE,
    NO_FILTER,
    SESSION_ACTIONS,
    SOME,
    Action,
    Needs,
    Pane,
    Place,
    Situation,
    is_some,
    needs,
)

CURATE, DECIDE, WRITE, PAST = "Curate", "Triage", "Fix editor", "History"


@dataclass(frozen=True, slots=True)
class CaseNow(Situation):
    """A case before a person: whether one is open, has a fix, and a lesson; `unsaved`: texts that were typed and left;
    `replaced`: fixes in whose place the team put another; `waiting` and `marked`: rows of the queue; `alike`: cases
    that wait and read like this one; `reading`: the case next to the queue has the focus; `unknown`: the search is for
    an error that no case has."""

    case_open: bool = False
    unknown: bool = False
    has_fix: bool = False
    lesson: bool = False
    unsaved: int = 0
    replaced: int = 0
    waiting: int = 0
    marked: int = 0
    alike: int = 0
    reading: bool = False


CURATION_PLACES: tuple[Place, ...] = (
    Place("triage", (("list",), ("case",)), also={
        "app.help": 90, "fix.write": 4, "fix.general": 0, "undo.last": 28, "undo.redo": 0, "history.open": 0,
        "fix.editor": 0, "case.source": 0, "case.fix_source": 0, "view.reload": 0,
    }),
    Place("write", app="keys", also={"app.help": 90, "case.source": 0}, typing=("write",)),
    Place("history", (("list",), ("scroll",)), also={"app.help": 90, "undo.redo": 0, "list.open": 1}),
    Place("conflict", (("scroll",),), also={"app.help": 90}),
)  # fmt: skip

_READONLY = "The casebook is read-only. You cannot save decisions."


_NO_CASE, _NO_TEXT = "Select a case first.", "Press {fix.write} to write a fix first."
_WRITABLE = needs(CaseNow, lambda now: not now.around.readonly, _READONLY)
_CASEBOOK = needs(
    Situation, lambda now: not now.around.absent,
    "No casebook found. Press {import.begin} in the Errors pane to import sessions.",
    needs(Situation, lambda now: not now.around.gone, GONE),
)  # fmt: skip
_UNDOABLE = Needs(Situation, _CASEBOOK.unmet, needs(Situation, lambda now: not now.around.readonly, _READONLY))
_CASES_HERE = needs(Situation, lambda now: not now.around.empty, "The casebook has no cases.", _CASEBOOK)
_UNDO = needs(
    Situation, lambda now: not (now.around.empty and now.around.importing), "There is nothing to undo.", _UNDOABLE
)
_CHANGEABLE = needs(CaseNow, lambda now: now.case_open, _NO_CASE, _WRITABLE)
_UNKNOWN = needs(
    CaseNow, lambda now: now.unknown,
    "Paste an error first that no case has. To add a fix to a case, press {fix.write}.", _WRITABLE,
)  # fmt: skip
_LESSON = needs(CaseNow, lambda now: now.lesson, "This fix has no lesson.", _CHANGEABLE)
_UNSAVED = needs(CaseNow, lambda now: now.unsaved, "There is no unsaved fix.", _WRITABLE)
_REPLACED = needs(CaseNow, lambda now: now.replaced, "Your team replaced no fix of yours.", _WRITABLE)
_TRIAGE = needs(CaseNow, lambda now: now.focus == "triage", "Only available in triage. Press {triage.open} to open it.")
_QUEUE = needs(CaseNow, lambda now: now.waiting, "Triage is empty.", _TRIAGE, _WRITABLE)
_IN_QUEUE = needs(
    CaseNow, lambda now: not now.reading, "In the case, this key scrolls. Press {case.back} to select in the list.",
    _QUEUE,
)  # fmt: skip
_DRAFT = needs(
    CaseNow, lambda now: now.has_fix or now.marked,
    "This case has no draft. To write a fix, press {fix.write}. To skip the case, press {triage.skip}.", _QUEUE,
)  # fmt: skip
_TEXT = needs(CaseNow, lambda now: now.focus == "write", _NO_TEXT, _WRITABLE)
_EDITOR = needs(Situation, lambda now: now.focus == "write", _NO_TEXT)
_WRITTEN = needs(CaseNow, lambda now: now.has_fix, "This case has no fix to reject.", _TEXT)
_ALIKE = needs(CaseNow, lambda now: now.alike, "Triage has no similar case.", _TEXT)
_PAST = needs(
    CaseNow, lambda now: now.focus == "history", "Only available in the history. Press {history.open} to open it."
)


CURATION: tuple[Action, ...] = (
    Action("triage.open", "Triage: review drafts and unresolved cases", ("T",), "pane", CURATE, "triage", 6,
           needs=_CASES_HERE),
    Action("fix.write", "Write a fix: text, author, tools, tags", ("w",), "pane", CURATE, "fix", 4, needs=_CHANGEABLE,
           words="edit change"),
    Action("fix.new", "Record the searched error as a new case and write its fix", ("plus",), "pane", CURATE,
           "new case", 2, needs=_UNKNOWN, words="add create error"),
    Action("fix.editor", "Write a fix in your editor", ("e",), "pane", CURATE, needs=_CHANGEABLE),
    Action("fix.general", "Change the scope of the lesson: all projects or its own project", ("W",), "pane", CURATE,
           needs=_LESSON),
    Action("fix.unsaved", "Resume the unsaved fix", ("R",), "pane", CURATE, "resume draft", 2, needs=_UNSAVED),
    Action("fix.replaced", "Compare your fix with the one your team replaced it with", ("D",), "pane", CURATE,
           "team's fix", 2, needs=_REPLACED, words="conflict"),
    Action("undo.last", "Undo your last decision", ("u",), "pane", CURATE, "undo", 28, needs=_UNDO),
    Action("undo.redo", "Redo", ("U",), "pane", CURATE, needs=_UNDOABLE),
    Action("history.open", "History: changes, authors and dates", ("C",), "pane", CURATE, needs=_CASEBOOK),
    Action("triage.accept", "Accept draft", ("a",), "triage", DECIDE, "accept", 1, needs=_DRAFT),
    Action("triage.reject", "Reject draft", ("x",), "triage", DECIDE, "reject", 3, needs=_DRAFT),
    Action("triage.reject_all", "Reject all drafts of the case", ("X",), "triage", DECIDE, needs=_DRAFT),
    Action("triage.reject_why", "Reject draft with a reason", ("r",), "triage", DECIDE, needs=_DRAFT),
    Action("triage.skip", "Skip for now", ("s",), "triage", DECIDE, "skip", 5, needs=_QUEUE),
    Action("triage.noise", "Mark as noise", ("N",), "triage", DECIDE, "noise", 6, needs=_QUEUE),
    Action("triage.mark", "Select for a bulk action", ("space",), "triage", DECIDE, "select", 7, True, False,
           _IN_QUEUE),
    Action("triage.mark_all", "Select all or none", ("A",), "triage", DECIDE, needs=_QUEUE),
    Action("triage.merge", "Merge the selected cases, or this case with another", ("M",), "triage", DECIDE,
           needs=_QUEUE),
    Action("triage.split", "Split off errors with a different fix", ("P",), "triage", DECIDE, needs=_QUEUE),
    Action("triage.all", "Show the full error", ("v",), "triage", DECIDE, "show all", 30, needs=_QUEUE),
    Action("triage.back", "Back to the cases", ("q", "T"), "triage", DECIDE, "back", 20, palette=False),
    Action("write.save", "Save as a draft", ("ctrl+s",), "write", WRITE, "save", 2, needs=_TEXT),
    Action("write.verify", "Save as verified", ("f2", "ctrl+t"), "write", WRITE, "verify", 1, needs=_TEXT),
    Action("write.source", "Open the source messages", ("f3",), "write", WRITE, "messages", 5, needs=_TEXT),
    Action("write.editor", "Continue in your editor", ("f4", "ctrl+g"), "write", WRITE, "editor", 6, needs=_TEXT),
    Action("write.also", "Apply the fix to similar cases: on or off", ("ctrl+n",), "write", WRITE, "similar too", 4,
           needs=_ALIKE),
    Action("write.reject", "Reject the current fix", ("f8",), "write", WRITE, "reject", 8, needs=_WRITTEN),
    Action("write.split", "Split off the errors that this fix solves", ("f9",), "write", WRITE, "split", 9,
           needs=_TEXT),
    Action("write.merge", "Merge another case into this one", ("ctrl+b",), "write", WRITE, "merge", 10, needs=_TEXT),
    Action("write.noise", "Mark the case as noise", ("f12",), "write", WRITE, "noise", 11, needs=_TEXT),
    Action("write.back", "Back (keeps your text)", ("escape",), "write", WRITE, "back", 3, palette=False),
    Action("history.undo", "Undo or redo this change", ("u",), "history", PAST, "undo/redo", 1, needs=_PAST),
    Action("history.case", "Switch between this case and all cases", ("c",), "history", PAST, "this case", 2,
           needs=_PAST),
    Action("history.back", "Back", ("q", "C"), "history", PAST, "back", 3, palette=False),
    Action("conflict.mine", "Keep my version (the other version stays in the history)", ("m",), "conflict", WRITE,
           "keep mine", 1, palette=False),
    Action("conflict.theirs", "Keep the other version", ("t", "escape", "q"), "conflict", WRITE, "keep theirs", 2,
           palette=False),
    Action("conflict.write", "Merge both versions manually", ("w",), "conflict", WRITE, "merge manually", 3,
           palette=False),
    Action("write.cite", "Cite a library passage", ("f6",), "write", WRITE, "cite", 7, True, True, _EDITOR),
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


_SOME = needs(ErrorsNow, is_some, LIST_IS_EMPTY)
_CASES = needs(ErrorsNow, lambda now: now.cases, LIST_IS_EMPTY)
_FILTERED = needs(ErrorsNow, lambda now: now.filtered, NO_FILTER)
_OPEN = needs(CaseNow, lambda now: now.case_open, _NO_CASE)
_FIXED = needs(CaseNow, lambda now: now.has_fix, "This case has no fix yet.", _OPEN)
_CASE = needs(ErrorsNow, lambda now: now.case_open, _NO_CASE)
_FIX = Needs(ErrorsNow, _FIXED.unmet)
_LIKE = needs(ErrorsNow, lambda now: now.like, "There are no similar cases.", _CASE)
_CLIPPED = needs(ErrorsNow, lambda now: now.raw_clipped, "The full error is already shown.", _CASE)
_OLDER = needs(ErrorsNow, lambda now: now.seen_older, "This is the earliest occurrence.")
_NEWER = needs(ErrorsNow, lambda now: now.seen_newer, "This is the latest occurrence.")
_FIXES = needs(
    ErrorsNow, lambda now: now.history,
    "This case has no other fixes. Press {history.open} for all changes, including undone ones.",
)  # fmt: skip
_CITED = needs(ErrorsNow, lambda now: now.cites, "The fix of this case has no citations.", _CASE)


_ACTIONS: tuple[Action, ...] = (
    Action("list.filter", "Filter by status, reuse, time, tool, project or tag", ("f",), "pane", FIND, "filter", 30,
           needs=_SOME),
    Action("list.unfilter", "Clear the filter", ("F",), "pane", FIND, "unfilter", 29, needs=_FILTERED),
    Action("list.sort", "Change the sort: last seen, most seen, first seen", ("s",), "pane", FIND, "sort", 31,
           needs=SOME),
    Action("list.next", "Next case", ("J", "right_square_bracket"), "pane", MOVE, needs=_CASES, alias="case.next"),
    Action("list.previous", "Previous case", ("K", "left_square_bracket"), "pane", MOVE, needs=_CASES,
           alias="case.previous"),
    Action("list.copy", "Copy the fix", ("y",), "pane", CASE, "copy fix", 3, needs=_FIX, alias="case.copy"),
    Action("list.copy_as", "Copy as key line, error, Markdown, JSON or command", ("Y",), "pane", CASE, needs=_CASE,
           alias="case.copy_as"),
    Action("case.all", "Show the full error", ("a",), "pane", CASE, "show all", 12, needs=_CLIPPED),
    Action("case.older", "Older occurrence", ("n",), "pane", CASE, "older", 8, needs=_OLDER),
    Action("case.newer", "Newer occurrence", ("p",), "pane", CASE, "newer", 9, needs=_NEWER),
    Action("case.source", "Open the session of this occurrence", ("o",), "pane", CASE, "session", 7, needs=_OPEN),
    Action("case.enter", "Open the session of this occurrence", ("enter",), "case", CASE, palette=False),
    Action("case.fix_source", "Open the session of the fix", ("O",), "pane", CASE, needs=_FIXED),
    Action("case.masked", "Show key details", ("m",), "pane", CASE, "key details", 26, needs=_CASE),
    Action("case.history", "Show all fixes in full", ("H",), "pane", CASE, "fixes", 11, needs=_FIXES),
    Action("case.like", "Go to the similar cases", ("L",), "pane", CASE, "similar", 10, needs=_LIKE),
    Action("case.pager", "Open the error in your pager", ("v",), "pane", CASE, "pager", 27, needs=_CASE),
    Action("case.editor", "Open the case in your editor (read-only)", ("V",), "pane", CASE, needs=_CASE),
    Action("case.library", "Search the library for this case", ("b",), "pane", CASE, "library", 21, needs=_CASE),
    Action("case.cited", "Open the citation of the fix", ("c",), "pane", CASE, "cited", 22, needs=_CITED),
    Action("case.cited_editor", "Open the citation in your editor at its line", ("E",), "pane", CASE, needs=_CITED),
    Action("list.why", "Show or hide the trace", ("t",), "pane", CASE, "trace", 5, needs=_SOME, alias="case.why"),
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
