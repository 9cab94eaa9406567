"""What an action is, where its keys hold, and what its being possible depends on."""

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
    """What is so in every pane."""

    readonly: bool = False
    absent: bool = False
    no_color: bool = False
    importing: bool = False
    imported: bool = False
    embedding: bool = False
    no_embedding: str = ""
    no_edge: str = ""
    ingesting: bool = False


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
    """What an action needs, in situations of the kind `kind`: `told` gives the reason why it is not possible, or an
    empty string. What is needed `before` is told first."""

    def __init__(self, kind: type[S], told: Callable[[S], str], *before: Needs) -> None:
        self.kind: type[Situation] = kind
        self._told: Callable[[Any], str] = told
        self._before = before

    def unmet(self, now: Situation) -> str:
        """The reason why it is not possible now; empty: it is."""
        here = as_situation(self.kind, now)
        return next((told for one in self._before if (told := one.unmet(here))), "") or self._told(here)


def needs(kind: type[S], holds: Callable[[S], object], reason: str, *before: Needs) -> Needs:
    """It is not possible, for this reason, unless `holds` is true of the situation."""
    return Needs(kind, lambda now: "" if holds(now) else reason, *before)


NOTHING = Needs(Situation, lambda _: "")


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """One thing a person can do, as one place offers it.

    Places may share an `id` and its keys (`list.filter`); `alias` is then the name for it in this place alone, which
    settings may use too. `scope` says where its keys hold. `rank` orders the footer, lowest first; 0 keeps it out.
    `needs` says why it is not possible now. `hint` is the short title for the footer. `passes` tells when its keys pass
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
