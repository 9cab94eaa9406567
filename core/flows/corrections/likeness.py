"""Whether two corrections say the same: by the terms that rules are compared by, and what was declined."""

from __future__ import annotations

from typing import Final, NamedTuple, cast

from core.flows.corrections.sentences import sentences_of
from core.flows.harvest.command import command_of
from core.flows.harvest.session_events import object_of
from core.rules.matching.tables import load_tables
from core.rules.matching.terms import terms

SAME: Final = 0.6
"""Jaccard index of the terms of two corrections that say the same."""
_DENYING: Final = frozenset(("not", "no", "don't", "dont", "never", "avoid", "stop", "without"))
_POINTING: Final = frozenset(("this", "that", "it", "these", "those", "them"))


class Gist(NamedTuple):
    """The terms of a correction; what was called; whether it denies. `vague`: it says nothing without its moment."""

    terms: frozenset[str]
    call: str
    denies: bool
    vague: bool


def gist_of(quote: str, call_json: str) -> Gist:
    """What a correction comes down to."""
    sentences = tuple(sentences_of(quote))
    words = {word.text for one in sentences for word in one.words}
    korean = any(mark in quote for mark in ("지 마", "지 말", "지마", "안 돼", "금지"))
    found = frozenset(terms(quote, load_tables().glossary)) - _DENYING
    vague = not sentences or any(one.asks for one in sentences) or bool(words & _POINTING)
    return Gist(found, _called(call_json), bool(words & _DENYING) or korean, vague)


def say_the_same(one: Gist, other: Gist) -> bool:
    """Whether two corrections come down to the same. A likeness of the calls counts as one term more."""
    shared = len(one.terms & other.terms)
    if one.denies != other.denies or not shared:
        return False
    call = one.call == other.call != ""
    if shared + call < 2:
        return False
    called = bool(one.call or other.call)
    return (shared + call) / (len(one.terms | other.terms) + called) >= SAME


def _called(call_json: str) -> str:
    """The program and sub-command that a call ran; '' for a call of another tool."""
    call = object_of(call_json)
    given = call.get("input")
    command = command_of(str(call.get("tool", "")), cast("dict[str, object]", given) if isinstance(given, dict) else {})
    return "" if command is None else " ".join(command.text.split()[:2])
