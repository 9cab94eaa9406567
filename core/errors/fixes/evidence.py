"""What a harvest knows of a fix that it drafted, and how strong that makes the fix (decision 3b)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Final, cast

from core.errors.retrieval.answer import Strength, Worth

AUTHOR: Final = "harvest"
AGENT: Final = "agent"
"""The author of a lesson that an agent recorded itself."""
_WORTHS: Final = ("general", "project", "slip", "none")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a harvest knows of a fix besides its text: kept as JSON in the `original` column of its draft.

    `links`: the session and message of each step and why it belongs to the fix. `attempts`, `messages`, `seconds`: what
    the failure cost until it was gone.
    """

    strength: Strength
    worth: Worth
    links: tuple[tuple[str, int, str], ...] = ()
    attempts: int = 0
    messages: int = 0
    seconds: float = 0.0

    def to_json(self) -> str:
        return json.dumps({"harvest": asdict(self)}, ensure_ascii=False)


def evidence_of(original: str | None) -> Evidence | None:
    """The evidence in the `original` column of a draft; None for a draft of an older casebook, or no harvested one."""
    try:
        found: object = json.loads(original or "null")
    except ValueError:
        return None
    held = cast("dict[str, object]", found).get("harvest") if isinstance(found, dict) else None
    if not isinstance(held, dict):
        return None
    known = cast("dict[str, Any]", held)
    try:
        links = tuple((str(session), int(message), str(why)) for session, message, why in known.get("links", ()))
        return Evidence(
            strength="strong" if known.get("strength") == "strong" else "weak",
            worth=known["worth"] if known.get("worth") in _WORTHS else "none",
            links=links,
            attempts=int(known.get("attempts", 0)),
            messages=int(known.get("messages", 0)),
            seconds=float(known.get("seconds", 0.0)),
        )
    except (TypeError, ValueError):
        return None


def strength_of(author: str, status: str, original: str | None) -> Strength:
    """How strong a fix is (decision 3b): a draft of a harvest or an agent is as strong as its evidence, weak without
    any; a fix that a person wrote or verified, or that was recorded or imported, counts as strong."""
    if author not in (AUTHOR, AGENT) or status != "draft":
        return "strong"
    evidence = evidence_of(original)
    return "weak" if evidence is None else evidence.strength


def weakness_of(author: str, status: str, original: str | None) -> str:
    """Why a fix is weak, in plain words; empty for a strong one."""
    if strength_of(author, status, original) == "strong":
        return ""
    evidence = evidence_of(original)
    if evidence is None:
        return "weak fix: harvested without evidence"
    if not evidence.links:
        return "weak fix: no step is linked to the error"
    return "weak fix: the check or a link to the error is not certain"


def worth_of(author: str, status: str, original: str | None) -> Worth | None:
    """What a harvest says a draft of its own is worth; None for every other fix, and where it says nothing."""
    evidence = evidence_of(original) if author == AUTHOR and status == "draft" else None
    return None if evidence is None else evidence.worth
