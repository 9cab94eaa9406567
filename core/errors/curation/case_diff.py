"""What two cases differ in, with reasons: one who makes them one is told what was not obviously the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.errors.cases.case import Case, CaseKeyLine
from core.errors.curation.similar_fixes import ENOUGH, alike
from core.errors.equivalence.difference import (
    failure_kinds,
    opposites,
    other_code,
    other_failure,
    other_subject,
    other_word,
)
from core.errors.equivalence.message_templates import said
from core.errors.identity.codes import codes
from core.errors.identity.normalize import normalize_line
from core.errors.retrieval.embed_text import embed_text

LINES = 8
"""Key lines of one case that are compared."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two cases differ: the tool whose errors they are, what the errors say (`key`), their fixes.

    `why`: how so, in plain words.
    """

    what: Literal["tool", "key", "fix"]
    why: str


@dataclass(frozen=True, slots=True)
class Unlike:
    """A case that is not obviously the same as the one it is merged into."""

    case_id: int
    key_line: str
    differences: tuple[Difference, ...]


def unlike(ours: Case, theirs: Case) -> Unlike | None:
    """What speaks against `theirs` being the same case as `ours`; None if nothing does.

    Of several key lines the two count that are most alike: what was merged before has many, each good enough.
    """
    pairs = (_named(one, other) for one in _lines(ours) for other in _lines(theirs))
    found = (*min(pairs, key=len), *_fix(ours, theirs))
    return Unlike(theirs.id, theirs.key_lines[0], found) if found else None


def _lines(case: Case) -> tuple[CaseKeyLine, ...]:
    return case.fingerprints[:LINES] or (CaseKeyLine("", case.key_lines[0], case.tool, 0),)


def _named(ours: CaseKeyLine, theirs: CaseKeyLine) -> tuple[Difference, ...]:
    found: list[Difference] = []
    if ours.tool != theirs.tool and "unknown" not in (ours.tool, theirs.tool):
        found.append(Difference("tool", f"an error of {theirs.tool}, not of {ours.tool}"))
    if why := _other_key(ours.key_line, theirs.key_line):
        found.append(Difference("key", why))
    return tuple(found)


def _other_key(ours: str, theirs: str) -> str:
    """Why two key lines are not the same: the codes, what fails, one word, or most of the words."""
    if why := other_code(codes(ours), codes(theirs)):
        return why
    if normalize_line(ours) == normalize_line(theirs):
        return ""
    mine, other = embed_text(ours), embed_text(theirs)
    return (
        other_failure(failure_kinds(mine), failure_kinds(other))
        or other_subject(opposites(mine), other)
        or other_word(said(ours), said(theirs))
        or _few_words(ours, theirs)
    )


def _few_words(ours: str, theirs: str) -> str:
    share, shared = alike(ours, theirs)
    if share >= ENOUGH:
        return ""
    named = ", ".join(f"“{word}”" for word in shared[:LINES])
    return f"of their words they share only {named}" if shared else "they share no word"


def _fix(ours: Case, theirs: Case) -> tuple[Difference, ...]:
    mine, other = (ours.resolution or "").strip(), (theirs.resolution or "").strip()
    return (Difference("fix", "its fix says something else"),) if mine and other and mine != other else ()
