"""What a person can decide about cases and their fixes: the part of the registry that changes the casebook."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import Action, Place, Situation

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


def _needs_case(now: CaseNow) -> str:
    return _can_write(now) or ("" if now.case_open else "No case is chosen yet.")


def _needs_lesson(now: CaseNow) -> str:
    return _needs_case(now) or ("" if now.lesson else "This fix has no lesson.")


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
    Action("fix.write", "Write the fix", ("w",), "pane", CURATE, "write", 4, needs=_needs_case, kind=CaseNow),
    Action("fix.editor", "Write the fix in your editor", ("e",), "pane", CURATE, needs=_needs_case, kind=CaseNow),
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
