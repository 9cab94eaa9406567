"""Columns of a case's rows: their JSON, the fix that answers, the repository."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, cast

import apsw

from core.errors.fixes.ranking import answer_order


def parse_names(text: str | None) -> tuple[str, ...]:
    """The names in a `tool_sequence` or `tags` column; one that is no JSON array of names gives none."""
    if not text:
        return ()
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(str(item) for item in cast("list[object]", value)) if isinstance(value, list) else ()


def message_numbers(text: str) -> tuple[int, ...]:
    """The message indexes in a `message_ids` column."""
    try:
        value: object = json.loads(text)
    except ValueError:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, int))


CURRENT_FIRST = answer_order()
OWN_FIRST = answer_order(own=True)
ANSWERS = (
    "status <> 'rejected' AND trim(text) <> '' AND replaced_by IS NULL"
    " AND NOT EXISTS (SELECT 1 FROM noise WHERE noise.case_id = resolution.case_id)"
)


def current_resolution(con: apsw.Connection, case_id: int) -> int | None:
    """The id of the resolution that answers for the case."""
    row = con.execute(
        f"SELECT id FROM resolution WHERE case_id = ? AND {ANSWERS} ORDER BY {CURRENT_FIRST} LIMIT 1", (case_id,)
    ).fetchone()
    return None if row is None else cast("int", row[0])


def mirror_current(con: apsw.Connection, case_id: int) -> None:
    """Let `error_kb` show the resolution that now answers for the case, NULL if none does, and keep the case's status.

    A row without any resolution (written by the seed's own programs) is left as it is.
    """
    told = con.execute(
        "SELECT count(*), coalesce(sum(status = 'rejected'), 0), EXISTS (SELECT 1 FROM noise WHERE case_id = ?1)"
        " FROM resolution WHERE case_id = ?1",
        (case_id,),
    ).fetchone()
    rows, rejected, noise = cast("tuple[int, int, int]", told or (0, 0, 0))
    status = "rejected" if rejected else "unresolved"
    if rows:
        current = con.execute(
            f"SELECT text, resolved_by, tool_sequence, status FROM resolution WHERE case_id = ? AND {ANSWERS}"
            f" ORDER BY {CURRENT_FIRST} LIMIT 1",
            (case_id,),
        ).fetchone()
        text, resolved_by, sequence, status = current or (None, None, None, status)
        con.execute(
            "UPDATE error_kb SET resolution = ?1, resolved_by = ?2, tool_sequence = ?3 WHERE id = ?4"
            " AND (resolution IS NOT ?1 OR resolved_by IS NOT ?2 OR tool_sequence IS NOT ?3)",
            (text, resolved_by, sequence, case_id),
        )
    else:
        row = con.execute("SELECT resolution FROM error_kb WHERE id = ?", (case_id,)).fetchone()
        status = "draft" if row is not None and str(row[0] or "").strip() else "unresolved"
    con.execute("UPDATE case_state SET status = ? WHERE case_id = ?", ("noise" if noise else status, case_id))


PROJECT: Final = "iif(s.repository = '', s.project, s.repository)"
"""The project of `case_state s`: its repository; the folder as recorded until that is known."""

IN_PROJECT: Final = f"{PROJECT} IN (SELECT ? UNION ALL SELECT repository FROM project_name WHERE name = ?)"
"""Whether `case_state s` is of the project of a name, given twice: a folder, or a repository's name, long or short."""

REPOSITORY_OF_PLACE: Final = (
    "coalesce((SELECT nullif(repository, '') FROM session WHERE id = {session}),"
    " (SELECT repository FROM project_name WHERE name = {folder} ORDER BY repository LIMIT 1), '')"
)
"""The repository of what was seen in a session and a folder; the session may not be imported yet."""

REPOSITORY_OF_CASE: Final = (
    f"coalesce((SELECT {REPOSITORY_OF_PLACE.format(session='o.session_id', folder='o.project')}"
    " FROM fingerprint f JOIN occurrence o USING (fingerprint)"
    " WHERE f.case_id = case_state.case_id AND o.project <> '' ORDER BY o.ts DESC, o.id DESC LIMIT 1), '')"
)
"""The repository that a case was seen in last, as a subquery of an update of `case_state`."""


SHOWN_OF_CASE: Final = "coalesce((SELECT name FROM project_name WHERE repository = s.repository AND shown = 1), '')"
"""The short name of the repository of `case_state s`; '' where none is known."""


def repository_of_folder(con: apsw.Connection, folder: str) -> str:
    """The repository that a folder is known to be of; of one that no import has met, the folder itself."""
    row = con.execute(
        "SELECT repository FROM project_name WHERE name = ? ORDER BY repository LIMIT 1", (folder,)
    ).fetchone()
    return folder if row is None else cast("str", row[0])


def refresh_repository(con: apsw.Connection, cases: Iterable[int]) -> None:
    """Bring the repository of these cases up to date. Within the caller's transaction."""
    con.executemany(
        f"UPDATE case_state SET repository = {REPOSITORY_OF_CASE} WHERE case_id = ?", [(case,) for case in cases]
    )


def project_names(con: apsw.Connection) -> dict[str, str]:
    """Each repository with the short name it is shown by."""
    rows = con.execute("SELECT repository, name FROM project_name WHERE shown = 1").fetchall()
    return dict(cast("list[tuple[str, str]]", rows))


def meant_by(con: apsw.Connection, name: str) -> frozenset[str]:
    """The projects that a name means, itself among them: what `IN_PROJECT` compares with."""
    rows = con.execute("SELECT repository FROM project_name WHERE name = ?", (name,)).fetchall()
    return frozenset({name, *(cast("str", row[0]) for row in rows)})
