"""What a person can do in the library: search, read, cite, ask, read folders into it."""

from __future__ import annotations

from dataclasses import dataclass

from tui.actions.action import NO_FILTER, Action, Pane, Place, Situation, acting, needs

LIBRARY_GROUP, INGEST, ASK = "Library", "Library ingest", "Ask the library"

SOURCES_CHOSEN = 9
"""Sources that have a key of their own."""


@dataclass(frozen=True, slots=True)
class LibraryNow(Situation):
    """What the pane shows: whether something is chosen (`cited`), and a passage (`hit`); whether a document is open,
    and has a drawn form (`markdown`). `citing`: the fix that one came from. `library`: it is this pane. `empty`: it is
    known that nothing was ingested."""

    library: bool = False
    citing: str = ""
    cited: bool = False
    hit: bool = False
    document: bool = False
    markdown: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True)
class AskNow(Situation):
    """A conversation: whether something was answered, and from how many sources."""

    answered: bool = False
    sources: int = 0


_CAN_INGEST = needs(
    Situation, lambda now: not now.around.readonly, "The casebook is read-only. You cannot ingest folders."
)
_INGESTING = needs(Situation, lambda now: now.around.ingesting, "No ingest is running.")
_QUIET = needs(Situation, lambda now: not now.around.ingesting, "An ingest is already running.", _CAN_INGEST)

_INGEST: tuple[Action, ...] = (
    Action("library.ingest", "Ingest folders", ("i",), "library", LIBRARY_GROUP, "ingest", 12, needs=_CAN_INGEST),
    Action("library.left_out", "Report of the last ingest", ("I",), "library", LIBRARY_GROUP),
    Action("library.stop_ingest", "Stop the ingest", (), "app", LIBRARY_GROUP, needs=_INGESTING),
    Action("ingest.begin", "Ingest the selected folders", ("r",), "ingest", INGEST, "ingest", 1, palette=False,
           needs=_QUIET),
    Action("ingest.mark", "Select or deselect this folder", ("x",), "ingest", INGEST, "select", 2, palette=False),
    Action("ingest.name", "Enter another folder", ("n", "slash"), "ingest", INGEST, "add folder", 3, palette=False),
    Action("ingest.told", "Go to the report", ("w",), "ingest", INGEST, "report", 4, palette=False),
    Action("ingest.remove", "Remove this folder from the library", ("d",), "ingest", INGEST, "remove", 7, palette=False,
           needs=needs(Situation, lambda now: now.cases, "The library has no folder yet.", _QUIET)),
    Action("ingest.stop", "Stop after the current file, then go back", ("escape",), "ingest", INGEST, "stop, back", 5,
           palette=False),
    Action("ingest.back", "Back (the ingest continues)", ("q",), "ingest", INGEST, "back", 6, palette=False),
)  # fmt: skip


_ELSEWHERE = "Only available in the Library pane."
_PANE = needs(LibraryNow, lambda now: now.library, _ELSEWHERE)
_EMPTY = "The library is empty. Press {library.ingest} to ingest a folder."
_SHELF = needs(LibraryNow, lambda now: not now.empty, _EMPTY, _PANE)
_ASKABLE = needs(LibraryNow, lambda now: not now.empty, _EMPTY)
_CITING = needs(
    LibraryNow, lambda now: now.citing,
    "No fix is waiting for a citation. Press {write.cite} in a fix or {case.library} on a fixed case.", _PANE,
)  # fmt: skip
_CAN_CITE = needs(
    LibraryNow, lambda now: not now.around.readonly, "The casebook is read-only. You cannot add citations.", _CITING
)
_TO_CITE = needs(LibraryNow, lambda now: now.hit or now.cited, "Select a passage first.", _CAN_CITE)

_CITE: tuple[Action, ...] = (
    Action("library.cite", "Cite this passage in the current fix", ("c",), "library", LIBRARY_GROUP, "cite", 1,
           needs=_TO_CITE),
)  # fmt: skip


_ANSWER = needs(AskNow, lambda now: now.answered, "No answer yet.")
_SOURCE = needs(AskNow, lambda now: now.sources, "The answer has no sources.")
_HERE = needs(LibraryNow, lambda now: now.library or now.focus in ("ask", "asking"), _ELSEWHERE)

_ASK: tuple[Action, ...] = (
    Action("library.ask", "Ask a question", ("a",), "library", LIBRARY_GROUP, "ask", 2, needs=_ASKABLE),
    Action("ask.box", "Go to the question box", ("slash",), "ask", ASK, "question", 2, palette=False),
    Action("ask.stop", "Stop the answer and keep its text, then go back", ("escape",), "ask", ASK, "stop, back", 1,
           palette=False),
    Action("ask.back", "Back to the library", ("q",), "ask", ASK, palette=False),
    Action("ask.why", "Show or hide the trace", ("t",), "ask", ASK, "trace", 3, palette=False, needs=_ANSWER),
    Action("ask.copy", "Copy the answer with its sources", ("y",), "ask", ASK, "copy", 4, palette=False, needs=_ANSWER),
    Action("ask.steps", "Answer in several steps: on or off", ("m", "f4"), "ask", ASK, "steps", 7, palette=False),
    Action("ask.fresh", "Start a new conversation", ("n",), "ask", ASK, "new", 6, palette=False, needs=_ANSWER),
    Action("ask.talks", "Open an earlier conversation", ("o", "f3"), "ask", ASK, "earlier", 8, needs=_HERE,
           words="history session answers list"),
    *(
        Action(f"ask.source_{number}", f"Open source {number}", (str(number),), "ask", ASK,
               "open source" if number == 1 else "", 5 if number == 1 else 0, palette=False, needs=_SOURCE)
        for number in range(1, SOURCES_CHOSEN + 1)
    ),
)  # fmt: skip


_ROW = needs(LibraryNow, lambda now: now.cited, "Select a row first.", _PANE)
_HIT = needs(LibraryNow, lambda now: now.hit, "Search first, then select a passage.", _PANE)
_DOCUMENT = needs(LibraryNow, lambda now: now.document, "Open a document first.", _PANE)
_WORDS = needs(LibraryNow, lambda now: now.query, "Search for something first.", _DOCUMENT)
_FILTERED = needs(LibraryNow, lambda now: now.filtered, NO_FILTER, _PANE)
_MARKDOWN = needs(
    LibraryNow, lambda now: now.markdown, "The document is not Markdown. There is nothing to render.", _DOCUMENT
)


_act = acting("library", LIBRARY_GROUP, _ROW)


_LIBRARY: tuple[Action, ...] = (
    _act("mode", "Change the search mode: hybrid, keyword, semantic", "m", hint="mode", rank=4, needs=_SHELF),
    _act("filter", "Filter by tag, path, language, kind, trust or date", "f", hint="filter", rank=5, needs=_SHELF,
         shared="list.filter"),
    _act("unfilter", "Clear the filters", "F", needs=_FILTERED, shared="list.unfilter"),
    _act("only", "Search this document or all documents", "o", hint="only this", rank=13),
    _act("why", "Show or hide the trace", "t", hint="trace", rank=6, needs=_SHELF, shared="list.why"),
    _act("raw", "Switch between rendered and raw Markdown", "r", hint="raw", rank=9, needs=_MARKDOWN),
    _act("next_match", "Next match in the document", "n", hint="next match", rank=7, needs=_WORDS),
    _act("previous_match", "Previous match in the document", "N", needs=_WORDS),
    _act("next", "Next hit", "J", "right_square_bracket", shared="list.next"),
    _act("previous", "Previous hit", "K", "left_square_bracket", shared="list.previous"),
    _act("copy", "Copy the citation", "y", hint="copy", rank=3, shared="list.copy"),
    _act("copy_as", "Copy as citation, passage, quote, link, JSON or command", "Y", shared="list.copy_as"),
    _act("edit", "Open the file in your editor at the cited line", "e", hint="edit", rank=8),
    _act("passage", "Show the stored passage and its neighbors", "p", hint="passage", rank=10, needs=_HIT),
    Action("passage.next", "Next passage", ("J", "n", "right_square_bracket"), "passage", LIBRARY_GROUP, "next", 2,
           palette=False),
    Action("passage.previous", "Previous passage", ("K", "N", "left_square_bracket"), "passage", LIBRARY_GROUP,
           "previous", 3, palette=False),
    Action("passage.back", "Close the passage", ("escape", "q", "p"), "passage", LIBRARY_GROUP, "back", 1,
           palette=False),
)  # fmt: skip

PANE = Pane(
    "library",
    "Library: search notes, documents and code",
    (
        Place("library", (("list",), ("case", "scroll"), ("why", "scroll")), "both", also={
            "find.focus": 20, "view.zoom": 25, "import.setup": 0, "import.demo": 0,
        }),
        Place("passage", (("scroll",),), also={"app.help": 90}),
        Place("ingest", (("list",), ("scroll",)), also={"app.help": 90}, names=("naming",), typing=("naming",)),
        Place("ask", (("scroll",),), also={"app.help": 90}, names=("asking",), typing=("asking",)),
    ),
    (*_LIBRARY, *_INGEST, *_CITE, *_ASK),
)  # fmt: skip
