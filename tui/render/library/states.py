"""What the Library pane says where it has no rows to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.actions.registry import BY_ID
from tui.render.common.empty_states import Notice, of_fault
from tui.render.common.untrusted import inline

if TYPE_CHECKING:
    from core.base.fault import Fault


def reading() -> Notice:
    """The first read takes longer than a moment."""
    return Notice("Reading the library", "")


def nothing_ingested() -> Notice:
    """Not one document."""
    begin = ("{library.ingest}", "reads a folder in") if "library.ingest" in BY_ID else None
    return Notice(
        "The library is empty",
        "Notes, documents and code are read in once, and searched here to the line. Nothing of them is changed.",
        (
            *((begin,) if begin else ()),
            ("casebook library ingest FOLDER", "reads a folder in from the shell"),
            ("casebook demo", "shows a casebook with some notes"),
        ),
    )


def not_ingested(fault: Fault) -> Notice:
    """A folder was not read. What was asked for may be wrong: that says nothing about the casebook."""
    if fault.code != "invalid_input":
        return of_fault(fault)
    why = " ".join(part for part in (fault.message, fault.hint) if part)
    return Notice("Nothing was read", inline(why, 400), (("{ingest.name}", "names another folder"),), "$cb-bad")


def none_found(hint: str, picked: Sequence[tuple[str, str]]) -> Notice:
    """A search found nothing; `hint` is the core's own word about it."""
    steps = (("{find.clear}", "goes back to the documents"), ("{library.why}", "shows each step of the search"))
    if picked:
        steps = (("{library.unfilter}", "searches without the filters"), *steps)
    return Notice("Nothing found", inline(hint, 400), steps)


def none_pass(picked: Sequence[tuple[str, str]], every: int) -> Notice:
    """The filters let no document pass."""
    named = ", ".join(f"{kind} {inline(value, 40)}" for kind, value in picked)
    return Notice(
        "No document passes the filters",
        f"{every:,} documents are hidden by: {named}.",
        (("{library.unfilter}", "shows them all"), ("{library.filter}", "changes the filters")),
    )


def asking_meaning() -> Notice:
    """Only meaning was asked for, and the model is not there yet."""
    return Notice(
        "Asking by meaning",
        "The model is being loaded: that takes a moment the first time.",
        (("{library.mode}", "searches by words at once"),),
    )


def no_meaning(fault: Fault) -> Notice:
    """Only meaning was asked for, and cannot be had."""
    if fault.code != "model_unreachable":
        return of_fault(fault)
    steps = (("{library.mode}", "searches by words"),)
    if fault.hint:
        steps = (*steps, (inline(fault.hint, 80), "mends it"))
    return Notice("No search by meaning", inline(fault.message, 400), steps)


def no_document() -> Notice:
    """Nothing is chosen."""
    return Notice("No document chosen", "Choose a hit to see it where it is written.", (("{list.open}", "opens it"),))


def no_trace() -> Notice:
    """Nothing was searched, so there is nothing to explain."""
    return Notice(
        "Nothing was searched",
        "The list shows the documents, those read last first. After a search, this says how each passage was found.",
        (("{find.focus}", "starts a search"),),
    )
