"""What an action is, where its keys hold, what its being possible depends on; the actions that belong to no pane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

Scope = str
"""Where a key holds, by name: the workbench (`app`), a pane, a screen, or a part with the focus (`list`, `scroll`)."""
Focus = str
"""What has the focus: the name of a place, or one of the names that the place gives to its parts."""


@dataclass(frozen=True, slots=True)
class Around:
    """What is so in every pane. `absent`: there is no casebook; `gone`: there was one before; `empty`: it has no case.
    `visiting`: the place was opened from another one. `text`: the scope of the text that has the focus, `case` or
    `why`."""

    readonly: bool = False
    absent: bool = False
    gone: bool = False
    empty: bool = False
    no_color: bool = False
    importing: bool = False
    imported: bool = False
    embedding: bool = False
    no_embedding: str = ""
    no_edge: str = ""
    ingesting: bool = False
    visiting: bool = False
    text: Scope = ""


@dataclass(frozen=True, slots=True)
class Situation:
    """What an action's being possible depends on. Each pane and screen with more to say has a kind of its own.

    `cases`: rows of the pane's list; `rows`: of the list that has the focus; `nothing`: why there is none.
    """

    focus: Focus = "none"
    cases: int = 0
    rows: int = 0
    query: str = ""
    filtered: bool = False
    nothing: str = ""
    around: Around = Around()


S = TypeVar("S", bound=Situation)


def as_situation(kind: type[S], now: Situation) -> S:
    """The situation as one of another kind: what only that kind knows has its default elsewhere."""
    if isinstance(now, kind):
        return now
    return kind(now.focus, now.cases, now.rows, now.query, now.filtered, now.nothing, now.around)


class Needs:
    """What an action needs, in situations of the kind `kind`. `reason` returns why it is not possible, or an
    empty string. The conditions in `before` are checked first."""

    def __init__(self, kind: type[S], reason: Callable[[S], str], *before: Needs) -> None:
        self.kind: type[Situation] = kind
        self._reason: Callable[[Any], str] = reason
        self._before = before

    def unmet(self, now: Situation) -> str:
        """The reason why it is not possible now; empty: it is."""
        here = as_situation(self.kind, now)
        return next((reason for one in self._before if (reason := one.unmet(here))), "") or self._reason(here)


def needs(kind: type[S], holds: Callable[[S], object], reason: str, *before: Needs) -> Needs:
    """It is not possible, for this reason, unless `holds` is true of the situation."""
    return Needs(kind, lambda now: "" if holds(now) else reason, *before)


NOTHING = Needs(Situation, lambda _: "")


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """One thing a person can do, as one place offers it.

    Places may share an `id` and its keys (`list.filter`); `alias` is then the name for it in this place alone, which
    settings may use too. `scope` says where its keys hold. `rank` orders the footer, lowest first; 0 keeps it out.
    `needs` says why it is not possible now. `hint` is the short title for the footer. `passes` says when its keys pass
    on to what they mean everywhere else. `words` are others that it is found by.
    """

    id: str
    title: str
    keys: tuple[str, ...]
    scope: Scope
    group: str
    hint: str = ""
    rank: int = 0
    palette: bool = True
    priority: bool = False
    needs: Needs = NOTHING
    passes: Callable[[Any], bool] | None = None
    words: str = ""
    alias: str = ""

    @property
    def name(self) -> str:
        """What no other action is called."""
        return self.alias or self.id

    @property
    def kind(self) -> type[Situation]:
        """The kind of situation that the action looks at."""
        return self.needs.kind

    def enabled(self, now: Situation) -> str:
        """Why it is not possible now; empty: it is."""
        return self.needs.unmet(now)

    def passes_on(self, now: Situation) -> bool:
        """Whether its keys mean now what they mean everywhere else."""
        return self.passes is not None and self.passes(as_situation(self.kind, now))


def acting(pane: str, group: str, usual: Needs) -> Callable[..., Action]:
    """What makes the actions of a pane; most need what is `usual`."""

    def act(
        name: str, title: str, *keys: str, hint: str = "", rank: int = 0, needs: Needs = usual, shared: str = "",
        palette: bool = True, passes: Callable[[Any], bool] | None = None,
    ) -> Action:  # fmt: skip
        """An action of the pane; `shared`: its id, where other panes have it too."""
        own, alias = f"{pane}.{name}", f"{pane}.{name}" if shared else ""
        return Action(
            shared or own, title, keys, pane, group, hint, rank, palette, needs=needs, passes=passes, alias=alias
        )

    return act


Acts = Mapping[str, Callable[[], object]]
"""What a part of the screen does, by the ids of actions."""


class _Acting(Protocol):
    def actions(self) -> Acts: ...


def perform_of(acts: Acts, action_id: str) -> bool:
    """Do one of these; False for anything else."""
    if (act := acts.get(action_id)) is None:
        return False
    act()
    return True


class Performs:
    """For a part that does actions of the registry: those that `actions` names."""

    def perform(self: _Acting, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        return perform_of(self.actions(), action_id)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Somewhere the focus can be: the keys of `scope`, of `within` and of one of `parts` hold there at the same time.

    `also`: actions of other scopes whose keys hold there, by name, with their rank in its footer. `shows`: actions of
    its parts that the footer names too. `app`: the workbench's keys hold there too (`both`), come second to its own
    (`shown`, so that they may be the same), or hold without a line in the footer (`keys`). `names`: how situations
    call its parts. `typing`: of all its names, those where a letter is typed.
    """

    scope: Scope
    parts: tuple[tuple[Scope, ...], ...] = ((),)
    app: Literal["both", "shown", "keys", ""] = ""
    within: tuple[Scope, ...] = ()
    also: Mapping[str, int] = field(default_factory=dict[str, int])
    shows: tuple[str, ...] = ()
    names: tuple[Focus, ...] = ()
    typing: tuple[Focus, ...] = ()

    @property
    def together(self) -> tuple[frozenset[Scope], ...]:
        """Scopes in which a key may be bound once."""
        own = (self.scope, *self.within, *(("app",) if self.app in ("both", "keys") else ()))
        return tuple(frozenset((*own, *part)) for part in self.parts)

    def footer_scopes(self, focus: Focus) -> frozenset[Scope]:
        app = ("app",) if self.app in ("both", "shown") else ()
        return frozenset((self.scope, *self.within, *app, focus))


@dataclass(frozen=True, slots=True, eq=False)
class Pane:
    """A pane: its name and title, where its keys hold, its actions."""

    name: str
    title: str
    places: tuple[Place, ...]
    actions: tuple[Action, ...]


FIND, MOVE, READ, SESSION, STRIP = "Find", "List", "Text view", "Session", "Session strip"
IN, OUT, VIEW, APP = "Import", "Export", "View", "Workbench"

PLACES: tuple[Place, ...] = (
    Place("box", app="both", typing=("box",)),
    Place("whole", (("scroll",),)),
    Place("session", (("scroll",),)),
    Place("strip"),
)


def is_some(now: Situation) -> object:
    """Something is listed, or was before a search or a filter."""
    return now.cases or now.query or now.filtered


LIST_IS_EMPTY = "The list is empty."
NO_FILTER = "No filter is active."
SOME = needs(Situation, is_some, LIST_IS_EMPTY)
_ROWS = Needs(Situation, lambda now: "" if now.rows else now.nothing or LIST_IS_EMPTY)
_QUERY = needs(Situation, lambda now: now.query, "Search for something first.")
_COLOURS = needs(Situation, lambda now: not now.around.no_color, "NO_COLOR is set: every theme looks the same.")
_WHOLE_HERE = "Zoom is not available here. {evidence.whole} shows the full message, {evidence.why} hides the entry."
_WHY_HERE = "Zoom is not available here. Press {rules.why} to show or hide the trace."
_ZOOM = needs(
    Situation, is_some, LIST_IS_EMPTY,
    needs(Situation, lambda now: now.focus != "evidence", _WHOLE_HERE),
    needs(Situation, lambda now: now.focus != "rules", _WHY_HERE),
)  # fmt: skip


def _whole(name: str, title: str, keys: tuple[str, ...], label: str, weight: int) -> Action:
    return Action(f"whole.{name}", title, keys, "whole", READ, label, weight, palette=False)


FIRST: tuple[Action, ...] = (
    Action("find.focus", "Go to the search box", ("slash",), "pane", FIND, "search", 20),
    Action("find.results", "Go to the results", ("down", "escape"), "box", FIND, "results", 1, palette=False),
    Action("find.open", "Open the first result", ("enter",), "box", FIND, "open", 2, palette=False),
    Action("find.clear", "Clear the search", ("ctrl+l",), "app", FIND, "clear", 40, True, True, _QUERY),
    Action("find.recall", "Repeat the last search", ("up",), "box", FIND, palette=False),
    Action("list.down", "Next row", ("j", "down"), "list", MOVE, palette=False),
    Action("list.up", "Previous row", ("k", "up"), "list", MOVE, palette=False),
    Action("list.page_down", "Page down", ("pagedown", "ctrl+f"), "list", MOVE, palette=False),
    Action("list.page_up", "Page up", ("pageup", "ctrl+b"), "list", MOVE, palette=False),
    Action("list.first", "First row", ("g", "home"), "list", MOVE, palette=False),
    Action("list.last", "Last row", ("G", "end"), "list", MOVE, palette=False),
    Action("list.open", "Open the case", ("enter", "l", "right"), "list", MOVE, "open", 1, False, needs=_ROWS),
    Action("scroll.down", "Scroll down", ("j", "down"), "scroll", READ, palette=False),
    Action("scroll.up", "Scroll up", ("k", "up"), "scroll", READ, palette=False),
    Action("scroll.page_down", "Scroll down a page", ("pagedown", "ctrl+f", "space"), "scroll", READ, palette=False),
    Action("scroll.page_up", "Scroll up a page", ("pageup", "ctrl+b"), "scroll", READ, palette=False),
    Action("scroll.first", "Scroll to the top", ("g", "home"), "scroll", READ, palette=False),
    Action("scroll.last", "Scroll to the end", ("G", "end"), "scroll", READ, palette=False),
    _whole("left", "Scroll left", ("h", "left"), "left", 5),
    _whole("right", "Scroll right", ("l", "right"), "right", 6),
    _whole("find", "Find in the full text", ("slash",), "find", 2),
    _whole("next", "Next match in the full text", ("n",), "next", 3),
    _whole("previous", "Previous match in the full text", ("N",), "", 0),
    _whole("wrap", "Turn line wrapping on or off", ("w",), "wrap", 4),
    _whole("back", "Close the full text", ("escape", "q", "a"), "back", 1),
    Action("case.back", "Back to the list", ("escape", "h", "left"), "case", READ, "back", 1, palette=False),
    Action("why.fold", "Fold or unfold the step", ("enter", "l", "right"), "why", READ, "fold", 2, palette=False),
    Action("why.back", "Back to the case", ("escape", "h", "left"), "why", READ, "back", 1, palette=False),
    Action("list.back", "Back: leave the zoom, the search or the filter", ("escape",), "list", MOVE, palette=False),
)  # fmt: skip

_MESSAGES = Needs(Situation, lambda now: now.nothing)


def _session(name: str, title: str, *keys: str, hint: str = "", rank: int = 0) -> Action:
    return Action(f"session.{name}", title, keys, "session", SESSION, hint, rank, palette=False, needs=_MESSAGES)


SESSION_ACTIONS: tuple[Action, ...] = (
    _session("next_mark", "Next error or fix", "n", hint="next mark", rank=2),
    _session("previous_mark", "Previous error or fix", "p", hint="previous", rank=3),
    _session("next", "Next message", "J", "right_square_bracket"),
    _session("previous", "Previous message", "K", "left_square_bracket"),
    _session("whole", "Show the full message", "enter", "a", hint="full", rank=4),
    _session("copy", "Copy the message", "y", hint="copy", rank=5),
    _session("why", "Show or hide the trace of the verdict", "t", hint="trace", rank=6),
    _session("strip", "Show the session as a strip", "s", hint="strip", rank=7),
    Action("session.back", "Back to the pane", ("escape", "q", "o"), "session", SESSION, "back", 1, palette=False),
)


def _strip(name: str, title: str, *keys: str, hint: str = "", rank: int = 0) -> Action:
    return Action(f"strip.{name}", title, keys, "strip", STRIP, hint, rank, palette=False)


_STRIP: tuple[Action, ...] = (
    _strip("next", "Next result", "l", "right", "j", "down"),
    _strip("previous", "Previous result", "h", "left", "k", "up"),
    _strip("next_failed", "Next failure", "n", hint="next failure", rank=2),
    _strip("previous_failed", "Previous failure", "p", "N", hint="previous", rank=3),
    _strip("first", "First result", "g", "home"),
    _strip("last", "Last result", "G", "end"),
    _strip("open", "Open the session at this result", "enter", hint="read", rank=4),
    _strip("picture", "Save the strip as an image (paths removed)", "w", hint="image", rank=5),
    _strip("copy", "Copy the strip as Markdown (paths removed)", "y", hint="copy", rank=6),
    _strip("back", "Close the strip", "escape", "q", hint="back", rank=1),
)


_WORDS = "save write file jsonl csv markdown"


_LISTED = needs(Situation, lambda now: now.cases, "No case is listed.")
_ANY = needs(Situation, is_some, "The casebook has no cases.")
EXPORTS: tuple[Action, ...] = (
    Action("export.listed", "Export the listed cases", (), "pane", OUT, needs=_LISTED, words=_WORDS),
    Action("export.cases", "Export all cases", (), "pane", OUT, needs=_ANY, words=_WORDS),
    Action(
        "export.fixes",
        "Export the verified fixes",
        (),
        "pane",
        OUT,
        needs=_ANY,
        words=f"{_WORDS} claude.md agents.md block sync",
    ),
    Action("export.backup", "Back up the casebook", (), "app", OUT, words="export copy save file database"),
)


_NO_IMPORT = needs(
    Situation, lambda now: not now.around.importing,
    "An import is already running. Press {list.back} in the list to stop it.",
)  # fmt: skip
READONLY = "The casebook is read-only."
_WRITABLE = needs(Situation, lambda now: not now.around.readonly, READONLY)
NO_CASEBOOK = "No casebook found. Press {import.begin} to import sessions."
GONE = "The casebook file is missing."
_PRESENT = needs(Situation, lambda now: not now.around.gone, GONE, _WRITABLE)
_CASEBOOK = needs(Situation, lambda now: not now.around.absent, NO_CASEBOOK, _PRESENT)
_HARVEST = Needs(Situation, _NO_IMPORT.unmet, _CASEBOOK)
_EMPTINESS = needs(
    Situation, lambda now: not now.cases, "You already have cases. Run `casebook demo` in another terminal for samples."
)
_IMPORT = needs(Situation, lambda now: now.around.importing, "No import is running.")
_EMBEDDING = needs(Situation, lambda now: now.around.embedding, "Embedding is not running.")
_TO_EMBED = Needs(Situation, lambda now: now.around.no_embedding)
_REPORT = needs(
    Situation, lambda now: now.around.imported, "Nothing has been imported since you opened the workbench.",
    needs(
        Situation, lambda now: now.around.imported or not now.around.importing, "The import is still running."
    ),
)  # fmt: skip

_INCOMING: tuple[Action, ...] = (
    Action("import.begin", "Import agent sessions", ("i",), "pane", IN, "import", 45, needs=_NO_IMPORT),
    Action("import.setup", "Set up: sessions, hooks and model", ("B",), "pane", IN, needs=_NO_IMPORT),
    Action("again.show", "Harvest imported sessions again and preview the changes", (), "app", IN, needs=_HARVEST),
    Action("import.stop", "Stop the import", (), "app", IN, needs=_IMPORT),
    Action("import.report", "Report of the last import", ("I",), "pane", IN, needs=_REPORT),
    Action("embed.begin", "Compute missing embeddings", (), "app", IN, needs=_TO_EMBED),
    Action("embed.stop", "Stop embedding", (), "app", IN, needs=_EMBEDDING),
    Action("import.demo", "Open the demo", ("d",), "pane", IN, needs=_EMPTINESS),
)


_VISITING = needs(Situation, lambda now: now.around.visiting, "You did not come from another place.")
_MOVABLE = Needs(Situation, lambda now: now.around.no_edge)
_EDGE = "splitter resize width panel edge"
LAST: tuple[Action, ...] = (
    *_STRIP,
    *_INCOMING,
    *EXPORTS,
    Action("view.zoom", "Zoom this panel in or out", ("z",), "pane", VIEW, "zoom", 25, needs=_ZOOM),
    Action("view.narrower", "Make the list narrower", ("less_than_sign",), "app", VIEW, needs=_MOVABLE, words=_EDGE),
    Action("view.wider", "Make the list wider", ("greater_than_sign",), "app", VIEW, needs=_MOVABLE, words=_EDGE),
    Action("view.reload", "Reload the casebook", ("f5", "ctrl+r"), "app", VIEW, priority=True),
    Action("view.theme", "Change the theme", (), "app", VIEW, needs=_COLOURS),
    Action("app.palette", "Command palette: all actions", ("ctrl+p",), "app", APP, "actions", 50, False, True),
)  # fmt: skip
"""What comes behind the actions of the panes; the tabs and the rest of the workbench follow."""

WORKBENCH: tuple[Action, ...] = (
    Action("app.jump", "Jump to a panel by its letter", ("ctrl+o",), "app", APP, priority=True),
    Action(
        "app.status",
        "Status: file, settings, health, jobs",
        ("S",),
        "app",
        APP,
        "status",
        55,
        words="config doctor counts log version",
    ),
    Action(
        "app.help",
        "Keys and actions",
        ("question_mark", "f1"),
        "app",
        APP,
        "help",
        90,
        True,
        True,
        words="shortcuts",
    ),
    Action("app.interrupt", "Copy the selected text", ("ctrl+c",), "app", APP, palette=False),
    Action("app.suspend", "Suspend casebook: fg in the shell resumes", ("ctrl+z",), "app", APP, words="background"),
    Action(
        "visit.back",
        "Back to the place that you came from",
        ("q",),
        "visit",
        APP,
        "back",
        59,
        palette=False,
        needs=_VISITING,
        passes=lambda now: not now.around.visiting,
    ),
    Action("app.quit", "Quit", ("q", "ctrl+q"), "app", APP, "quit", 60, priority=True, words="exit leave close end"),
)
