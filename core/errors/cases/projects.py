"""The project of a case: the repository it was seen in last, and the name that this is shown by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, cast

import apsw

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
