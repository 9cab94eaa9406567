"""The fixes of a case that may answer, best first."""

from __future__ import annotations

from typing import NamedTuple, cast

import apsw

from core.errors.cases.columns import ANSWERS, message_numbers, parse_names
from core.errors.fixes.evidence import strength_of, weakness_of, worth_of
from core.errors.fixes.ranking import answer_order
from core.errors.retrieval.answer import Source, Status, Strength, Worth


class AnsweringFix(NamedTuple):
    """A fix that may answer: `key_line` and `mark` (fingerprint) are of the error it is for, None for a whole case."""

    text: str
    status: Status
    resolved_by: str | None
    tools: tuple[str, ...]
    source: Source
    key_line: str | None
    mark: str | None = None
    id: int | None = None
    strength: Strength = "strong"
    weakness: str = ""
    worth: Worth | None = None
    lesson: str | None = None


_FixRow = tuple[
    str, Status, str | None, str | None, str | None, str, str | None, str | None, int, str, str | None,
    str | None,
]  # fmt: skip


def answering_fixes(
    con: apsw.Connection, case_id: int, fingerprint: str | None, repository: str = ""
) -> list[AnsweringFix]:
    """The answering resolutions of a case, best first: for one fingerprint, its own and the whole case's.

    With the `repository` where the error was met, its fixes go before those of others.
    """
    only, values = "", (case_id,)
    if fingerprint is not None:
        only, values = " AND (fingerprint = ? OR fingerprint IS NULL)", (case_id, fingerprint)
    order = answer_order(own=fingerprint is not None, repository=bool(repository))
    values += (repository,) if repository else ()
    rows = con.execute(
        "SELECT text, status, resolved_by, tool_sequence, session_id, message_ids,"
        " (SELECT key_line FROM fingerprint f WHERE f.fingerprint = r.fingerprint), fingerprint, id, author, original,"
        " lesson"
        f" FROM (SELECT * FROM resolution WHERE case_id = ? AND {ANSWERS}{only} ORDER BY {order} LIMIT 20) r",
        values,
    ).fetchall()
    return [_fix(row) for row in cast("list[_FixRow]", rows)]


def _fix(row: _FixRow) -> AnsweringFix:
    held = (row[9], row[1], row[10])
    return AnsweringFix(
        row[0], row[1], row[2], parse_names(row[3]), Source(row[4], message_numbers(row[5])), row[6], row[7], row[8],
        strength_of(*held), weakness_of(*held), worth_of(*held), row[11],
    )  # fmt: skip
