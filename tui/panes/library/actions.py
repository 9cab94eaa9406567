"""What a person can do in the library: search, read, cite, ask, read folders into it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.actions.action import Action, Pane, Place, Situation

LIBRARY_GROUP, INGEST, ASK = "In the library", "While filling the library", "While asking the library"

SOURCES_CHOSEN = 9
"""Sources that have a key of their own."""


@dataclass(frozen=True, slots=True)
class LibraryNow(Situation):
    """What the pane shows: whether something is chosen (`cited`), and a passage (`hit`); whether a document is open,
    and has a drawn form (`markdown`). `citing`: the fix that one came from. `library`: it is this pane."""

    library: bool = False
    citing: str = ""
    cited: bool = False
    hit: bool = False
    document: bool = False
    markdown: bool = False


@dataclass(frozen=True, slots=True)
class AskNow(Situation):
    """A conversation: whether something was answered, and from how many sources."""

    answered: bool = False
    sources: int = 0


def _can_ingest(now: Situation) -> str:
    return "The casebook is read-only here: nothing can be read into it." if now.around.readonly else ""


def _needs_ingest(now: Situation) -> str:
    return "" if now.around.ingesting else "No folder is being read into the library."


def _needs_quiet(now: Situation) -> str:
    return _can_ingest(now) or ("Folders are being read already." if now.around.ingesting else "")


_INGEST: tuple[Action, ...] = (
    Action("library.ingest", "Read folders into the library", ("i",), "library", LIBRARY_GROUP, "read folders", 12,
           needs=_can_ingest),
    Action("library.left_out", "What the last ingest did, and what it left out and why", ("I",), "library",
           LIBRARY_GROUP),
    Action("library.stop_ingest", "Stop reading folders into the library", (), "app", LIBRARY_GROUP,
           needs=_needs_ingest),
    Action("ingest.begin", "Read the chosen folders, again too", ("r",), "ingest", INGEST, "read", 1, palette=False,
           needs=_needs_quiet),
    Action("ingest.mark", "Read this folder too, or not", ("x",), "ingest", INGEST, "choose", 2, palette=False),
    Action("ingest.name", "Name another folder", ("n", "slash"), "ingest", INGEST, "name a folder", 3, palette=False),
    Action("ingest.told", "To what was done, and what was left out", ("w",), "ingest", INGEST, "result", 4,
           palette=False),
    Action("ingest.stop", "Stop after the file it is at; then back", ("escape",), "ingest", INGEST, "stop, back", 5,
           palette=False),
    Action("ingest.back", "Back; what runs goes on", ("q",), "ingest", INGEST, "back", 6, palette=False),
)  # fmt: skip


def _can_cite(now: LibraryNow) -> str:
    if not now.library:
        return "That is done in the library pane."
    if not now.citing:
        return "Nothing can cite it here: {write.cite} in a fix, or {case.library} on a case with a fix, leads here."
    if now.around.readonly:
        return "The casebook is read-only here: nothing can be cited."
    return "" if now.hit or now.cited else "No passage is chosen yet."


_CITE: tuple[Action, ...] = (
    Action("library.cite", "Cite it in the fix one came from", ("c",), "library", LIBRARY_GROUP, "cite", 1,
           needs=_can_cite, kind=LibraryNow),
)  # fmt: skip


def _needs_answer(now: AskNow) -> str:
    return "" if now.answered else "Nothing was answered yet."


def _can_go_back(now: LibraryNow) -> str:
    return "" if now.library or now.focus in ("ask", "asking") else "That is done in the library pane."


def _needs_source(now: AskNow) -> str:
    return "" if now.sources else "There is no source to open."


_ASK: tuple[Action, ...] = (
    Action("library.ask", "Ask: a grounded answer with its sources, or a refusal", ("a",), "library",
           LIBRARY_GROUP, "ask", 2),
    Action("ask.box", "To the question", ("slash",), "ask", ASK, "ask on", 2, palette=False),
    Action("ask.stop", "Stop the answer, keeping what has come; then back", ("escape",), "ask", ASK, "stop, back", 1,
           palette=False),
    Action("ask.back", "Back to the library", ("q",), "ask", ASK, palette=False),
    Action("ask.why", "Show or hide the trace: gate, packing, model, each citation", ("t",), "ask", ASK, "why", 3,
           palette=False, needs=_needs_answer, kind=AskNow),
    Action("ask.copy", "Copy the answer with its sources", ("y",), "ask", ASK, "copy", 4, palette=False,
           needs=_needs_answer, kind=AskNow),
    Action("ask.steps", "Take the question apart: search, then ask on, in several steps", ("m", "f4"), "ask", ASK,
           "steps", 7, palette=False),
    Action("ask.fresh", "A new conversation: what was asked before is forgotten", ("n",), "ask", ASK, "new", 6,
           palette=False, needs=_needs_answer, kind=AskNow),
    Action("ask.talks", "Earlier conversations with the library: read one, go on with it", ("o", "f3"), "ask", ASK,
           "earlier", 8, needs=_can_go_back, kind=LibraryNow, words="history session answers list"),
    *(
        Action(f"ask.source_{number}", f"Open source {number}", (str(number),), "ask", ASK,
               "open source" if number == 1 else "", 5 if number == 1 else 0, palette=False, needs=_needs_source,
               kind=AskNow)
        for number in range(1, SOURCES_CHOSEN + 1)
    ),
)  # fmt: skip


def _needs_pane(now: LibraryNow) -> str:
    return "" if now.library else "That is done in the library pane."


def _needs_row(now: LibraryNow) -> str:
    return _needs_pane(now) or ("" if now.cited else "Nothing is chosen yet.")


def _needs_hit(now: LibraryNow) -> str:
    return _needs_pane(now) or ("" if now.hit else "No passage is chosen: search for something first.")


def _needs_document(now: LibraryNow) -> str:
    return _needs_pane(now) or ("" if now.document else "No document is open yet.")


def _needs_words(now: LibraryNow) -> str:
    return _needs_document(now) or ("" if now.query else "Nothing was searched.")


def _needs_markdown(now: LibraryNow) -> str:
    return _needs_document(now) or ("" if now.markdown else "This document has only one form.")


def _needs_filtered(now: LibraryNow) -> str:
    return _needs_pane(now) or ("" if now.filtered else "No filter is on.")


def _act(
    name: str,
    title: str,
    *keys: str,
    hint: str = "",
    rank: int = 0,
    needs: Callable[[LibraryNow], str] = _needs_row,
    shared: bool = False,
) -> Action:
    """An action of the pane; `shared`: other panes have it too."""
    own, alias = (f"list.{name}", f"library.{name}") if shared else (f"library.{name}", "")
    return Action(own, title, keys, "library", LIBRARY_GROUP, hint, rank, needs=needs, kind=LibraryNow, alias=alias)


_LIBRARY: tuple[Action, ...] = (
    _act("mode", "Search by words and meaning, by words only, by meaning only", "m", hint="mode", rank=4,
         needs=_needs_pane),
    _act("filter", "Filter by tag, path, language, kind, trust, date, and more", "f", hint="filter", rank=5,
         needs=_needs_pane, shared=True),
    _act("unfilter", "Clear the filters of the library", "F", needs=_needs_filtered, shared=True),
    _act("only", "Only this document, or all", "o", hint="only this", rank=13),
    _act("why", "Show or hide why: both ranks, how they are fused, the steps", "t", hint="why", rank=6,
         needs=_needs_pane, shared=True),
    _act("raw", "The Markdown drawn, or as it is written", "r", hint="raw", rank=9, needs=_needs_markdown),
    _act("next_match", "Next line with a word that was searched", "n", hint="next match", rank=7, needs=_needs_words),
    _act("previous_match", "Previous line with a word that was searched", "N", needs=_needs_words),
    _act("next", "Next hit, wherever the focus is", "J", "right_square_bracket", shared=True),
    _act("previous", "Previous hit, wherever the focus is", "K", "left_square_bracket", shared=True),
    _act("copy", "Copy the citation", "y", hint="copy", rank=3, shared=True),
    _act("copy_as", "Copy as: citation, passage, quote, link, JSON, command", "Y", shared=True),
    _act("edit", "Open the file in your editor, at the cited line", "e", hint="edit", rank=8),
    _act("passage", "The passage as it is kept: id, spans, tokens, vector, neighbours", "p", hint="passage", rank=10,
         needs=_needs_hit),
    Action("passage.next", "The passage behind it", ("J", "n", "right_square_bracket"), "passage", LIBRARY_GROUP,
           "next", 2, palette=False),
    Action("passage.previous", "The passage before it", ("K", "N", "left_square_bracket"), "passage", LIBRARY_GROUP,
           "previous", 3, palette=False),
    Action("passage.back", "Back from the passage", ("escape", "q", "p"), "passage", LIBRARY_GROUP, "back", 1,
           palette=False),
)  # fmt: skip

PANE = Pane(
    "library",
    "Library: where does it say so?",
    (
        Place("library", (("list",), ("case", "scroll"), ("why", "scroll")), "both", also={
            "find.focus": 20, "view.zoom": 25,
        }),
        Place("passage", (("scroll",),), also={"app.help": 90}),
        Place("ingest", (("list",), ("scroll",)), also={"app.help": 90}, names=("naming",), typing=("naming",)),
        Place("ask", (("scroll",),), also={"app.help": 90}, names=("asking",), typing=("asking",)),
    ),
    (*_LIBRARY, *_INGEST, *_CITE, *_ASK),
)  # fmt: skip
