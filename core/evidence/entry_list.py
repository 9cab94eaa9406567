"""The entries in pages: what was claimed, at which stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, cast

from core.evidence.promotions import READY
from core.store import Store

_Row = tuple[str, str, str, str, Literal["candidate", "verified"], int, int]


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry in a list, with how many quotes it has and how many of them still stand in its way."""

    id: str
    session: str
    type: str
    title: str
    stage: Literal["candidate", "verified"]
    quotes: int
    blocking: int


@dataclass(frozen=True, slots=True)
class EntryPage:
    """One page of entries by id; `next` is the `after` of the page that follows."""

    SCHEMA: ClassVar[str] = "evidence_entries.v1"

    entries: tuple[EntryRow, ...]
    next: str | None


def list_entries(
    store: Store,
    *,
    session: str | None = None,
    stage: Literal["candidate", "verified"] | None = None,
    ready: bool = False,
    limit: int = 50,
    after: str = "",
) -> EntryPage:
    """One page of entries: of a session, at a stage, or only those that are ready to be promoted."""
    tests, values = ["e.id > ?", *([READY] if ready else [])], [after]
    for name, value in (("session_id", session), ("stage", stage)):
        if value is not None:
            tests.append(f"e.{name} = ?")
            values.append(value)
    rows = store.con.execute(
        "SELECT e.id, coalesce(e.session_id, ''), e.type, e.title, e.stage,"
        " (SELECT count(*) FROM evidence v WHERE v.entry_id = e.id),"
        " (SELECT count(*) FROM evidence v JOIN review r ON r.evidence_id = v.id"
        "  WHERE v.entry_id = e.id AND r.state NOT IN ('aligned', 'accepted'))"
        f" FROM entry e WHERE {' AND '.join(tests)} ORDER BY e.id LIMIT ?",
        (*values, limit + 1),
    ).fetchall()
    page = tuple(EntryRow(*cast("_Row", row)) for row in rows[:limit])
    return EntryPage(page, page[-1].id if len(rows) > limit else None)
