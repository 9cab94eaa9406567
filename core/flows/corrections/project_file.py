"""Whether a rule file lies in the project that a draft rule comes from."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import apsw

from core.base.fault import Fault
from core.flows.transcripts.projects import git_folder
from core.transcripts.repository import unified


def refuse_outside(con: apsw.Connection, file: Path, session_id: str) -> None:
    """Raise Fault invalid_input for a file outside the session's project: a clone or worktree of its repository, or
    its folder. A link that leads out of the project is outside."""
    row = con.execute("SELECT repository, remote, project FROM session WHERE id = ?", (session_id,)).fetchone()
    repository, remote, project = cast("tuple[str, str, str]", row) if row else ("", "", "")
    try:
        real = file.resolve()
        inside = bool(project) and Path(project).is_absolute() and real.is_relative_to(Path(project).resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise Fault("invalid_input", f"{file} cannot be followed: {error}", "name the file itself") from error
    if inside or _names(real.parent) & {repository, remote} - {""}:
        return
    told = f"{file} is outside the project {repository or project or 'of the draft'}"
    raise Fault("invalid_input", told, "name a rule file in a clone or worktree of this project")


def _names(folder: Path) -> set[str]:
    """What the repository of a folder may be recorded as: its remote, its folder, or, of a folder that was not on this
    machine, the name alone."""
    found = git_folder(str(folder))
    if found is None:
        return set()
    root = unified(found.root)
    return {found.remote, root, (found.remote or root).rpartition("/")[2]}
