"""What a person can decide about cases and their fixes: the part of the registry that changes the casebook."""

from __future__ import annotations

from tui.actions.action import Action, Situation

CURATE, DECIDE, WRITE, PAST = "Curate", "In the queue", "While writing a fix", "In the history"

_READONLY = "The casebook is read-only here: nothing can be decided."


def _can_write(now: Situation) -> str:
    return _READONLY if now.readonly else ""


def _needs_casebook(now: Situation) -> str:
    return "There is no casebook yet: {import.begin} in the errors pane imports sessions." if now.absent else ""


def _can_undo(now: Situation) -> str:
    return _can_write(now) or _needs_casebook(now)


def _needs_case(now: Situation) -> str:
    return _can_write(now) or ("" if now.case_open else "No case is chosen yet.")


def _needs_lesson(now: Situation) -> str:
    return _needs_case(now) or ("" if now.lesson else "This fix has no lesson.")


def _needs_unsaved(now: Situation) -> str:
    return _can_write(now) or ("" if now.unsaved else "Nothing was typed and left unsaved.")


def _needs_queue(now: Situation) -> str:
    if now.focus != "triage":
        return "That is decided in the queue: {triage.open} opens it."
    return _can_write(now) or ("" if now.waiting else "Nothing waits for a decision.")


def _needs_draft(now: Situation) -> str:
    if reason := _needs_queue(now):
        return reason
    return "" if now.has_fix or now.marked else "There is no draft: {fix.write} writes the fix, {triage.skip} skips."


def _needs_text(now: Situation) -> str:
    return _can_write(now) or ("" if now.focus == "write" else "No fix is being written: {fix.write} begins.")


def _needs_written(now: Situation) -> str:
    return _needs_text(now) or ("" if now.has_fix else "This case has no fix that could be rejected.")


def _needs_alike(now: Situation) -> str:
    return _needs_text(now) or ("" if now.alike else "No case that waits reads like this one.")


def _needs_past(now: Situation) -> str:
    return "" if now.focus == "history" else "The history is not open: {history.open} opens it."


CURATION: tuple[Action, ...] = (
    Action("triage.open", "Decide what waits: drafts and unsolved cases", ("T",), "pane", CURATE, "decide", 6,
           enabled=_needs_casebook),
    Action("fix.write", "Write the fix", ("w",), "pane", CURATE, "write", 4, enabled=_needs_case),
    Action("fix.editor", "Write the fix in your editor", ("e",), "pane", CURATE, enabled=_needs_case),
    Action("fix.general", "Keep the lesson for every project, or only for its own", ("W",), "pane", CURATE,
           enabled=_needs_lesson),
    Action("fix.unsaved", "Go on with a fix that was typed and not saved", ("R",), "pane", CURATE, "unsaved", 2,
           enabled=_needs_unsaved),
    Action("undo.last", "Take your last decision back", ("u",), "pane", CURATE, "undo", 28, enabled=_can_undo),
    Action("undo.redo", "Bring back what you took back", ("U",), "pane", CURATE, enabled=_can_undo),
    Action("history.open", "History: who changed what, and when", ("C",), "pane", CURATE, enabled=_needs_casebook),
    Action("triage.accept", "Accept: the draft is right", ("a",), "triage", DECIDE, "accept", 1, enabled=_needs_draft),
    Action("triage.reject", "Reject: the draft is wrong", ("x",), "triage", DECIDE, "reject", 3, enabled=_needs_draft),
    Action("triage.reject_all", "Reject every draft of the case", ("X",), "triage", DECIDE, enabled=_needs_draft),
    Action("triage.skip", "Skip: later", ("s",), "triage", DECIDE, "skip", 5, enabled=_needs_queue),
    Action("triage.noise", "Noise: no error worth a fix", ("N",), "triage", DECIDE, "noise", 6, enabled=_needs_queue),
    Action("triage.mark", "Mark, to decide several at once", ("space",), "triage", DECIDE, "mark", 7, True, False,
           _needs_queue),
    Action("triage.mark_all", "Mark all, or none", ("A",), "triage", DECIDE, enabled=_needs_queue),
    Action("triage.merge", "Merge the marked cases, or this one and one you pick", ("M",), "triage", DECIDE,
           enabled=_needs_queue),
    Action("triage.split", "Split off errors that have another fix", ("P",), "triage", DECIDE, enabled=_needs_queue),
    Action("triage.all", "Show all of the error", ("v",), "triage", DECIDE, "show all", 30, enabled=_needs_queue),
    Action("triage.back", "Back to the cases", ("q", "T"), "triage", DECIDE, "back", 20, palette=False),
    Action("write.save", "Save as a draft", ("ctrl+s",), "write", WRITE, "save", 2, enabled=_needs_text),
    Action("write.verify", "Save as verified", ("f2", "ctrl+t"), "write", WRITE, "verify", 1, enabled=_needs_text),
    Action("write.source", "Open the messages it comes from", ("f3",), "write", WRITE, "messages", 5,
           enabled=_needs_text),
    Action("write.editor", "Go on in your editor", ("f4", "ctrl+g"), "write", WRITE, "editor", 6, enabled=_needs_text),
    Action("write.also", "Apply to similar cases too, or not", ("ctrl+n",), "write", WRITE, "these too", 4,
           enabled=_needs_alike),
    Action("write.reject", "Reject the fix that answers", ("f8",), "write", WRITE, "reject", 8,
           enabled=_needs_written),
    Action("write.split", "Split off errors that this fix is for", ("f9",), "write", WRITE, "split", 9,
           enabled=_needs_text),
    Action("write.merge", "Merge another case into this one", ("ctrl+b",), "write", WRITE, "merge", 10,
           enabled=_needs_text),
    Action("write.noise", "Mark the case as noise", ("f12",), "write", WRITE, "noise", 11, enabled=_needs_text),
    Action("write.back", "Back; what was typed is kept", ("escape",), "write", WRITE, "back", 3, palette=False),
    Action("history.undo", "Take this change back", ("u",), "history", PAST, "take back", 1, enabled=_needs_past),
    Action("history.case", "Only the chosen case, or all", ("c",), "history", PAST, "this case", 2,
           enabled=_needs_past),
    Action("history.back", "Back", ("q", "C"), "history", PAST, "back", 3, palette=False),
    Action("conflict.mine", "Mine all the same: theirs stays in the history", ("m",), "conflict", WRITE, "mine", 1,
           palette=False),
    Action("conflict.theirs", "Leave theirs", ("t", "escape", "q"), "conflict", WRITE, "theirs", 2, palette=False),
    Action("conflict.write", "Write one from both", ("w",), "conflict", WRITE, "write", 3, palette=False),
)  # fmt: skip
