"""Keys: how people write them, which ones the user has set, and what is wrong with those.

A key has Textual's long name inside (`question_mark`, `ctrl+p`); `?`, `^p`, `esc` and `↓` are how people write it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "escape": "esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "comma": ",",
    "full_stop": ".",
    "colon": ":",
    "semicolon": ";",
    "minus": "-",
    "plus": "+",
    "equals_sign": "=",
    "underscore": "_",
    "exclamation_mark": "!",
    "quotation_mark": '"',
    "apostrophe": "'",
    "number_sign": "#",
    "dollar_sign": "$",
    "percent_sign": "%",
    "ampersand": "&",
    "asterisk": "*",
    "at": "@",
    "backslash": "\\",
    "circumflex_accent": "^",
    "grave_accent": "`",
    "tilde": "~",
    "vertical_line": "|",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_parenthesis": "(",
    "right_parenthesis": ")",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
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
            told = f"; did you mean {near[0]}?" if near else "; the help lists the ids"
            troubles.append(f"There is no action {wish.action} ({wish.where}){told}")
            continue
        keys = [key_from(one) for one in wish.keys]
        if None in keys:
            bad = wish.keys[keys.index(None)]
            troubles.append(f"{wish.action} keeps its keys: {bad} is no key ({wish.where})")
            continue
        chosen[wish.action] = tuple(dict.fromkeys(key for key in keys if key))
        places[wish.action] = wish.where
    while clash := _clash(chosen, own, rivals):
        loser, holder, key = clash
        held = f"{key_name(key)} is the key of {holder}"
        troubles.append(f"{loser} keeps its keys: {held} in the same place ({places[loser]})")
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
