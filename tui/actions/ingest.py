"""What a person can do about filling the library: the part of the registry for the ingest."""

from __future__ import annotations

from tui.actions.action import Action, Situation

LIBRARY, INGEST = "In the library", "While filling the library"


def _can_ingest(now: Situation) -> str:
    return "The casebook is read-only here: nothing can be read into it." if now.readonly else ""


def _needs_ingest(now: Situation) -> str:
    return "" if now.ingesting else "No folder is being read into the library."


def _needs_quiet(now: Situation) -> str:
    return _can_ingest(now) or ("Folders are being read already." if now.ingesting else "")


INGEST_ACTIONS: tuple[Action, ...] = (
    Action("library.ingest", "Read folders into the library", ("i",), "library", LIBRARY, "read folders", 12,
           enabled=_can_ingest),
    Action("library.left_out", "What the last ingest did, and what it left out and why", ("I",), "library", LIBRARY),
    Action("library.stop_ingest", "Stop reading folders into the library", (), "app", LIBRARY, enabled=_needs_ingest),
    Action("ingest.begin", "Read the chosen folders, again too", ("r",), "ingest", INGEST, "read", 1, palette=False,
           enabled=_needs_quiet),
    Action("ingest.mark", "Read this folder too, or not", ("x",), "ingest", INGEST, "choose", 2, palette=False),
    Action("ingest.name", "Name another folder", ("n", "slash"), "ingest", INGEST, "name a folder", 3, palette=False),
    Action("ingest.told", "To what was done, and what was left out", ("w",), "ingest", INGEST, "result", 4,
           palette=False),
    Action("ingest.stop", "Stop after the file it is at; then back", ("escape",), "ingest", INGEST, "stop, back", 5,
           palette=False),
    Action("ingest.back", "Back; what runs goes on", ("q",), "ingest", INGEST, "back", 6, palette=False),
)  # fmt: skip
