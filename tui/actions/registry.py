"""Every action of the workbench, once: bindings, footer, palette, help and the key table all come from here."""

from __future__ import annotations

import difflib
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import cast

from textual.binding import Binding, BindingType
from textual.keys import KEY_NAME_REPLACEMENTS

from tui.actions.action import APP, FIRST, LAST, PLACES, WORKBENCH, Action, Focus, Pane, Place, Scope, Situation

_SIGNS = "/?][,.:;-+=_!\"'#$%&*@\\^`~|<>(){}"
_SIGN_KEYS = ((unicodedata.name(sign).lower().replace("-", "_").replace(" ", "_"), sign) for sign in _SIGNS)
_NAMES = {
    **{KEY_NAME_REPLACEMENTS.get(key, key): sign for key, sign in _SIGN_KEYS},
    **{"escape": "esc", "pagedown": "PgDn", "pageup": "PgUp", "down": "↓", "up": "↑", "left": "←", "right": "→"},
    **{f"f{number}": f"F{number}" for number in range(1, 25)},
}
_ASCII_NAMES = {"down": "down", "up": "up", "left": "left", "right": "right"}
_NAMED = {"enter", "space", "tab", "backspace", "delete", "insert", "home", "end", *_NAMES}
_BY_NAME = {name.casefold(): key for key, name in _NAMES.items() if len(name) > 1} | {
    "page_down": "pagedown",
    "page_up": "pageup",
    "pgdown": "pagedown",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
}
_BY_SIGN = {name: key for key, name in _NAMES.items() if len(name) == 1}
_MODIFIERS = ("ctrl", "alt", "shift")


def key_name(key: str, *, ascii_only: bool = False) -> str:
    """A key as people write it: `ctrl+p` is `^p`."""
    if key.startswith("ctrl+"):
        return "^" + key_name(key.removeprefix("ctrl+"), ascii_only=ascii_only)
    if key.startswith("alt+"):
        return "alt+" + key_name(key.removeprefix("alt+"), ascii_only=ascii_only)
    if ascii_only and key in _ASCII_NAMES:
        return _ASCII_NAMES[key]
    return _NAMES.get(key, key)


def types_text(key: str) -> bool:
    """Whether pressing the key writes a letter or a sign where one can type."""
    return len(key) == 1 or key == "space" or (len(_NAMES.get(key, "..")) == 1 and key not in _ASCII_NAMES)


def key_from(written: str) -> str | None:
    """The key that a person means; None for what is no key."""
    if written.startswith("^") and len(written) > 1:
        written = "ctrl+" + written[1:]
    *modifiers, last = written.split("+") if len(written) > 1 else [written]
    if not last and written.endswith("++"):
        modifiers, last = modifiers[:-1], "+"
    modifiers = [one.casefold() for one in modifiers]
    if any(one not in _MODIFIERS for one in modifiers) or len(set(modifiers)) < len(modifiers):
        return None
    key = _plain_key(last)
    if key is None:
        return None
    if "ctrl" in modifiers and len(key) == 1:
        key = key.lower()
    return "+".join((*(one for one in ("alt", "ctrl", "shift") if one in modifiers), key))


def _plain_key(written: str) -> str | None:
    if len(written) == 1:
        found = _BY_SIGN.get(written, written if written.isalnum() else None)
        return "space" if written == " " else found
    folded = written.casefold()
    return folded if folded in _NAMED else _BY_NAME.get(folded)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys in force: those the user has set by action id; every other action keeps its own."""

    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def of(self, action_id: str, own: tuple[str, ...]) -> tuple[str, ...]:
        """An action's keys, of which `own` are those it comes with."""
        return self.chosen.get(action_id, own)


@dataclass(frozen=True, slots=True)
class Wish:
    """The keys that the user wants for an action, as written, and the place that says so."""

    action: str
    keys: tuple[str, ...]
    where: str


def grant(
    wishes: Iterable[Wish], own: Mapping[str, tuple[str, ...]], rivals: Mapping[str, Sequence[str]]
) -> tuple[Keys, tuple[str, ...]]:
    """The keys in force, and a line about each wish that could not be granted: its action keeps its own keys.

    `own` are the keys that each action comes with; `rivals` the actions whose keys hold in the same place.
    """
    chosen: dict[str, tuple[str, ...]] = {}
    places: dict[str, str] = {}
    troubles: list[str] = []
    for wish in wishes:
        if wish.action not in own:
            near = difflib.get_close_matches(wish.action, own, 1, 0.6)
            hint = f" Did you mean {near[0]}?" if near else " The help lists the ids."
            troubles.append(f"Unknown action {wish.action} ({wish.where}).{hint}")
            continue
        keys = [key_from(one) for one in wish.keys]
        if None in keys:
            bad = wish.keys[keys.index(None)]
            troubles.append(f"{wish.action} keeps its keys: {bad} is not a key ({wish.where})")
            continue
        chosen[wish.action] = tuple(dict.fromkeys(key for key in keys if key))
        places[wish.action] = wish.where
    while clash := _clash(chosen, own, rivals):
        loser, holder, key = clash
        held = f"{key_name(key)} is already bound to {holder}"
        troubles.append(f"{loser} keeps its keys: {held} ({places[loser]})")
        del chosen[loser]
    return Keys(chosen), tuple(troubles)


def _clash(
    chosen: Mapping[str, tuple[str, ...]], own: Mapping[str, tuple[str, ...]], rivals: Mapping[str, Sequence[str]]
) -> tuple[str, str, str] | None:
    """A wish that does not go, the action that has its key already, and the key. The later wish gives way."""
    for loser in reversed(tuple(chosen)):
        for holder in rivals[loser]:
            held = set(chosen.get(holder, own[holder]))
            for key in chosen[loser]:
                if key in held:
                    return loser, holder, key
    return None


DECLARED = (
    "tui.panes.errors.actions",
    "tui.panes.evidence.actions",
    "tui.panes.rules.actions",
    "tui.panes.library.actions",
    "tui.panes.insights.actions",
)
"""Modules that declare the actions of each pane, in the order of their digits. Their screens are in the same folder."""


_PANES = {module: cast("Pane", import_module(module).PANE) for module in DECLARED}
PANES = {pane.name: module.rpartition(".")[0] for module, pane in _PANES.items()}
"""The panes by name, in the order of their digits, each with its package."""

_TABS = tuple(
    Action(f"pane.{pane.name}", pane.title, (f"alt+{digit}", str(digit)), "app", APP, priority=True)
    for digit, pane in enumerate(_PANES.values(), 1)
)

ACTIONS: tuple[Action, ...] = (
    *FIRST,
    *(action for pane in _PANES.values() for action in pane.actions),
    *LAST,
    *_TABS,
    *WORKBENCH,
)

BY_NAME = {action.name: action for action in ACTIONS}

_PLACES: tuple[Place, ...] = (*PLACES, *(place for pane in _PANES.values() for place in pane.places))
_PLACE_OF: dict[str, Place] = {name: place for place in _PLACES for name in (place.scope, *place.names)}

NO_KEY = "unbound"
"""The key that Textual gets for an action without one: no terminal sends it."""


def action_here(name: str, now: Situation) -> Action:
    """The action of this id or name, as the place where one is offers it."""
    if (found := BY_NAME.get(name)) is not None and found.alias:
        return found
    offered = [action for action in ACTIONS if action.id == name]
    return next((action for action in offered if isinstance(now, action.kind)), offered[0])


def bindings(*scopes: Scope, only: Sequence[str] = ()) -> list[BindingType]:
    """The key bindings of these scopes, with what holds there of others, and of the actions named.

    Each has an id of its own, `<action>` or `<action>!` (it goes before typing), `<action>:<key>` for the keys that
    the action comes with: `keymap` sets keys by these ids.
    """
    also = {name for scope in scopes if scope in _PLACE_OF for name in _PLACE_OF[scope].also}.union(only)
    found: list[BindingType] = []
    for action in ACTIONS:
        if action.scope in scopes or action.name in also:
            name = action.name
            found.append(_binding(action, NO_KEY, name, first=False))
            if action.priority:
                found.append(_binding(action, NO_KEY, f"{name}!", first=True))
            found += [_binding(action, key, f"{name}:{key}", first=_first(action, key)) for key in action.keys]
    return found


def keymap(keys: Keys) -> dict[str, str]:
    """The user's keys as Textual takes them: by the ids of `bindings`."""
    found: dict[str, str] = {}
    for name, chosen in keys.chosen.items():
        action = BY_NAME[name]
        found |= {f"{name}:{key}": NO_KEY for key in action.keys}
        found[name] = ",".join(key for key in chosen if not _first(action, key)) or NO_KEY
        found[f"{name}!"] = ",".join(key for key in chosen if _first(action, key)) or NO_KEY
    return found


def keys_for(wishes: Iterable[Wish]) -> tuple[Keys, tuple[str, ...]]:
    """The keys in force, and a line about each wish that could not be granted."""
    rivals: dict[str, dict[str, None]] = {action.name: {} for action in ACTIONS}
    for place in _PLACES:
        for scopes in place.together:
            there = [one.name for one in ACTIONS if one.scope in scopes or one.name in place.also]
            for name in there:
                rivals[name].update(dict.fromkeys(other for other in there if other != name))
    order = {action.name: at for at, action in enumerate(ACTIONS)}
    return grant(
        _in_each_place(wishes),
        {action.name: action.keys for action in ACTIONS},
        {name: sorted(others, key=order.__getitem__) for name, others in rivals.items()},
    )


def _in_each_place(wishes: Iterable[Wish]) -> list[Wish]:
    """A wish for an id that places share is one for each of them that has no wish of its own."""
    wished = list(wishes)
    own = {wish.action for wish in wished}
    found: list[Wish] = []
    for wish in wished:
        found.append(wish)
        shared = [action.name for action in ACTIONS if action.id == wish.action and action.alias]
        if shared and wish.action not in BY_NAME:
            found.pop()
        found += [Wish(name, wish.keys, wish.where) for name in shared if name not in own]
    return found


def panes(keys: Keys) -> tuple[tuple[Action, str], ...]:
    """The actions that go to the panes there are, each with the shortest of its keys."""
    found = ((action, keys.of(action.name, action.keys)) for action in _TABS)
    return tuple((action, min(held, key=len)) for action, held in found if held)


def _binding(action: Action, key: str, name: str, *, first: bool) -> Binding:
    return Binding(key, f"app.perform('{action.id}')", action.title, show=False, priority=first, id=name)


def _first(action: Action, key: str) -> bool:
    """Whether this key goes before whatever has the focus: never one that types."""
    return action.priority and not types_text(key)


def footer(now: Situation, keys: Keys = Keys()) -> tuple[tuple[Action, str], ...]:
    """What the footer offers now, with the key of each, the most useful first. Impossible actions are left out."""
    place = _place(now.focus)
    scopes = place.footer_scopes(now.focus)
    ranks = {action.name: action.rank for action in ACTIONS if action.scope in scopes}
    ranks |= {name: BY_NAME[name].rank for name in ("app.help", *place.shows)}
    ranks |= place.also
    if place.app in ("both", "shown"):
        ranks |= {f"{now.around.text}.back": 1} if now.around.text else {}
        ranks |= {"visit.back": BY_NAME["visit.back"].rank}
    offered = [action for action in ACTIONS if ranks.get(action.name) and not action.enabled(now)]
    offered.sort(key=lambda action: ranks[action.name])
    found: dict[str, Action] = {}
    for action in offered:
        usable = _usable_keys(action, now.focus, keys)
        if key := next((key for key in usable if key not in found), ""):
            found[key] = action
    return tuple((action, key) for key, action in found.items())


def _place(focus: Focus) -> Place:
    return _PLACE_OF.get(focus) or _PLACE_OF["pane"]


def holds_at(action: Action, focus: Focus) -> bool:
    """Whether the keys of an action of the Errors pane hold in the pane, or the screen over it, that has the focus."""
    place = _place(focus)
    return action.scope != "pane" or action.name in place.also or (place.app == "both" and place.scope not in PANES)


def is_pane(focus: Focus) -> bool:
    """Whether a pane has the focus, not a screen over it."""
    return _place(focus).app == "both"


def matching(text: str, keys: Keys = Keys(), actions: Iterable[Action] = ACTIONS) -> tuple[Action, ...]:
    """The actions whose title, group, id or key has every word of `text`."""
    words = text.casefold().split()
    return tuple(action for action in actions if all(_has(action, word, keys) for word in words))


def nearest_first(actions: Iterable[Action], now: Situation) -> tuple[Action, ...]:
    """The same actions: first those of the groups whose keys hold where one is, if that is another place than the
    errors, which all groups begin with."""
    place = _place(now.focus)
    here = frozenset[Scope]() if place.scope == "pane" else place.footer_scopes(now.focus) - {"app"}
    groups = {action.group for action in ACTIONS if action.scope in here}
    return tuple(sorted(actions, key=lambda action: action.group not in groups))


def key_table() -> str:
    """The keys as a Markdown table, for the documentation."""
    rows = ["| key | action | id |", "| --- | --- | --- |"]
    for group in dict.fromkeys(action.group for action in ACTIONS):
        rows.append(f"| **{group}** | | |")
        rows += [
            f"| {' '.join(f'`{key_name(key)}`' for key in action.keys)} | {action.title} | {_ids(action)} |"
            for action in ACTIONS
            if action.group == group
        ]
    return "\n".join(rows) + "\n"


def _ids(action: Action) -> str:
    return f"`{action.id}` `{action.alias}`" if action.alias else f"`{action.id}`"


def _has(action: Action, word: str, keys: Keys) -> bool:
    if word in f"{action.title} {action.group} {action.hint} {action.id} {action.alias} {action.words}".casefold():
        return True
    held = keys.of(action.name, action.keys)
    return word in {key.casefold() for key in held} | {key_name(key).casefold() for key in held}


def _usable_keys(action: Action, focus: Focus, keys: Keys) -> Sequence[str]:
    """The keys to show: inside the box a plain letter would be typed, so only the others count there."""
    held = keys.of(action.name, action.keys)
    typing = focus in _place(focus).typing and action.scope != focus
    return [key for key in held if not typing or not types_text(key)]


MARKS = ("<!-- keys: written by python -m tui.actions.registry --write -->", "<!-- end of keys -->")


def with_key_table(text: str) -> str:
    """A Markdown text with the key table of today between its marks (raises ValueError where it has none)."""
    before, start, rest = text.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not start or not end:
        raise ValueError("the marks of the key table are missing")
    return f"{before}{start}\n\n{key_table()}\n{end}{after}"


def _main(arguments: list[str]) -> int:
    """Print the key table; with `--write` put it into docs/reference/keys.md."""
    if arguments != ["--write"]:
        sys.stdout.write(key_table())
        return 0
    page = Path(__file__).parents[2] / "docs" / "reference" / "keys.md"
    page.write_text(with_key_table(page.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
