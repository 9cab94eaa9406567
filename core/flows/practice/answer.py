"""An answer to an error with the practice: how this repository handles such errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import apsw

from core.base.fault import Fault
from core.errors.identity.fingerprint import identify
from core.errors.practice import Practice, practice_of
from core.errors.retrieval.answer import SearchAnswer
from core.store import Store, faults, open_store


def with_practice(target: Store | Path, answer: SearchAnswer, folder: str = "") -> SearchAnswer:
    """The answer with the practice of the repository that `folder` lies in, else of the one where the case was seen.

    The practice is no match and changes none. Never raises: a fault of the store leaves the answer as it is.
    """
    try:
        if isinstance(target, Store):
            with faults(target.path):
                return replace(answer, practice=_practice(target.con, answer, folder))
        if not target.exists():
            return answer
        with open_store(target) as store, faults(target):
            return replace(answer, practice=_practice(store.con, answer, folder))
    except Fault:
        return answer


def brief(answer: SearchAnswer) -> SearchAnswer:
    """Return the answer with the practice in one line, as for agents."""
    return answer if answer.practice is None else replace(answer, practice=replace(answer.practice, approaches=()))


def here() -> str:
    """The folder that this process runs in; '' where it is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def repository_at(con: apsw.Connection, folder: str) -> str:
    """The repository of a folder: by the sessions that worked in it, else by its git files; '' where unknown."""
    if not folder:
        return ""
    row = con.execute("SELECT repository FROM project_name WHERE name = ? ORDER BY repository", (folder,)).fetchone()
    if row is not None:
        return cast("str", row[0])
    from core.flows.transcripts.git_folders import git_folder

    found = git_folder(folder)
    return "" if found is None else found.remote or found.root


def _practice(con: apsw.Connection, answer: SearchAnswer, folder: str) -> Practice | None:
    if con.execute("SELECT 1 FROM practice_finding LIMIT 1").fetchone() is None:
        return None

    found = identify(answer.query.raw)
    row = None
    if answer.match is not None:
        row = con.execute("SELECT repository FROM case_state WHERE case_id = ?", (answer.match.id,)).fetchone()
    return practice_of(
        con, found, answer.query.raw, repository_at(con, folder), "" if row is None else cast("str", row[0])
    )
