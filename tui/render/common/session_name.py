"""A session as a person knows it: the day it began, its project; a short id behind tells it from others of that day."""

from __future__ import annotations

import re

from rich.cells import cell_len

from tui.render.common.relative_time import stamp
from tui.render.common.untrusted import cut, inline

SHORT = 8
"""Characters of a long id where a person reads it; all of them stand where it is copied, and in the detail."""
_LONG = 20
_FOLDER = re.compile(r"[/\\~]|[A-Za-z]:[/\\]")


def short_id(session: str) -> str:
    """The beginning of a session's id and of its agent's, or a short id whole; inert."""
    if len(session) > _LONG:
        session = "/".join(part[:SHORT] for part in session.split("/", 1))
    return inline(session, _LONG)


def session_name(session: str, started: str, project: str, cells: int = 60) -> str:
    """`2026-10-12 weather 01946826` in at most `cells` cells: of a long project as much as there is room for.

    `project` is a repository's short name, or a folder of which the last part is shown.
    """
    name, day = short_id(session), stamp(started)[:10]
    room = cells - sum(cell_len(part) + 1 for part in (day, name) if part)
    if room < 1:
        return cut(name, cells)
    if _FOLDER.match(project):
        project = project.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return " ".join(part for part in (day, inline(project, room), name) if part)
