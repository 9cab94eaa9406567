"""An answer read again from what is kept of it, checks, sources and trace with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import apsw

from core.base.fault import Fault
from core.base.trace import Facts
from core.library.ask.answer import Answer


def answers_of(con: apsw.Connection, session: str) -> dict[int, Answer]:
    """The answers of a conversation by turn; one that was written in another form is left out. Raises apsw errors."""
    rows = con.execute(
        "SELECT turn_index, answer_json FROM answers WHERE conversation_id = ? AND turn_index IS NOT NULL", (session,)
    ).fetchall()
    found = {turn: read_answer(text) for turn, text in cast("list[tuple[int, str]]", rows)}
    return {turn: answer for turn, answer in found.items() if answer is not None}


def read_answer(text: str) -> Answer | None:
    """An `answer.v1`; None where it is none. What was added since it was written is as it is by default."""
    try:
        made = _made(json.loads(text), Answer)
    except (ValueError, TypeError, KeyError, RecursionError, Fault):
        return None
    return cast("Answer", made)


def _made(given: Any, hint: Any) -> Any:
    """`given` as a value of this type. Raises ValueError, TypeError or KeyError where it is none."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint == Facts:
        return tuple(_object(given).items())
    if origin in (Union, UnionType):
        return _one_of(given, inner)
    if origin is Literal:
        if given not in inner:
            raise ValueError(given)
        return given
    if origin is tuple:
        if not isinstance(given, list):
            raise TypeError(given)
        return tuple(_made(one, inner[0]) for one in cast("list[Any]", given))
    if isinstance(hint, type) and is_dataclass(hint):
        known = _hints(hint)
        return hint(**{name: _made(one, known[name]) for name, one in _object(given).items() if name in known})
    if hint is float and isinstance(given, int):
        return float(given)
    if not isinstance(given, hint):
        raise TypeError(given)
    return given


def _one_of(given: Any, hints: tuple[Any, ...]) -> Any:
    if given is None and type(None) in hints:
        return None
    for hint in hints:
        if hint is type(None) or (is_dataclass(hint) and _kind(hint) not in (None, _object(given).get("kind"))):
            continue
        return _made(given, hint)
    raise ValueError(given)


def _object(given: Any) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise TypeError(given)
    return cast("dict[str, Any]", given)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """The types of what it is made with, by name."""
    hints = get_type_hints(kind)
    return {one.name: hints[one.name] for one in fields(kind) if one.init}


def _kind(hint: Any) -> str | None:
    """What tells a citation from one of another kind."""
    return next((str(one.default) for one in fields(hint) if one.name == "kind"), None)
