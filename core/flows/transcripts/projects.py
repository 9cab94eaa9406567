"""The repository that each session and case belongs to.

It is found again when sessions were added or changed: a few rows a session, a few small files a folder. Never done
while a person types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import apsw

from core.errors.cases.derived import refresh_repository
from core.flows.transcripts.git_folders import git_folder
from core.store import Store, faults, open_store
from core.text import redact
from core.transcripts.repository import GitFolder, Place, accepted_names, projects_of, short_names

_DUE = "projects"
"""Key in `meta` while there is something to work out; written with the rows of the sessions."""

_PLACES = "SELECT id, project, remote, started, parent FROM session"
_FOLDERS = "SELECT DISTINCT project FROM session WHERE project <> ''"


def mark_due(con: apsw.Connection) -> None:
    """Note that the projects are to be worked out. Within the caller's transaction."""
    con.execute("INSERT OR IGNORE INTO meta(key, value) VALUES (?, 'due')", (_DUE,))


def assign_projects(store: Store) -> bool:
    """Work out the repository of every session and case, if it is due; whether it was. Raises Fault of the store."""
    if not _is_due(store):
        return False
    with faults(store.path):
        folders = [cast("str", row[0]) for row in store.con.execute(_FOLDERS).fetchall()]
    looked = {folder: found for folder in folders if (found := git_folder(folder))}  # disks are slow: no lock is held
    with store.transaction() as con:
        if {cast("str", row[0]) for row in con.execute(_FOLDERS)} <= {*folders}:  # else another import came meanwhile
            con.execute("DELETE FROM meta WHERE key = ?", (_DUE,))
        places = [Place(*cast("tuple[str, str, str, str, str | None]", row)) for row in con.execute(_PLACES)]
        found = projects_of(places, _on_disk(con, looked))
        _move(con, found, _name(con, places, found))
    return True


def assign_overdue(path: Path) -> None:
    """Work out the projects of a casebook that an older version made, if it can be written. Not while a person types.

    Raises Fault of the store.
    """
    with open_store(path) as reading:
        if reading.readonly is not None or not _is_due(reading):
            return
    with open_store(path, write=True) as store:
        assign_projects(store)


def _is_due(store: Store) -> bool:
    with faults(store.path):
        return store.con.execute("SELECT 1 FROM meta WHERE key = ?", (_DUE,)).fetchone() is not None


def _on_disk(con: apsw.Connection, looked: Mapping[str, GitFolder]) -> dict[str, GitFolder]:
    """What is known of folders: as they are now, else as they were when sessions of them were imported."""
    rows = [(folder, redact(one.remote), redact(one.root)) for folder, one in looked.items()]
    con.executemany("INSERT OR REPLACE INTO project_folder(folder, remote, root) VALUES (?, ?, ?)", rows)
    known = con.execute("SELECT folder, remote, root FROM project_folder").fetchall()
    return {folder: GitFolder(remote, root) for folder, remote, root in cast("list[tuple[str, str, str]]", known)}


def _name(con: apsw.Connection, places: list[Place], found: Mapping[str, str]) -> set[str]:
    """Write down what the repositories are called, and return the names that are new or mean another one.

    A folder is a name of what its sessions belong to.
    """
    every = {one for one in found.values() if one}
    shown = short_names(every)
    names = {(name, one) for name, meant in accepted_names(every).items() for one in meant}
    names |= {(place.folder, found[place.session]) for place in places if place.folder and found[place.session]}
    names |= {(shown[one], one) for one in every}
    old = {*con.execute("SELECT name, repository FROM project_name")}
    con.execute("DELETE FROM project_name")
    con.executemany(
        "INSERT INTO project_name(name, repository, shown) VALUES (?, ?, ?)",
        [(name, one, name == shown[one]) for name, one in sorted(names)],
    )
    return {cast("str", name) for name, _ in old ^ names}


def _move(con: apsw.Connection, found: Mapping[str, str], names: set[str]) -> None:
    """Give each session its repository, and then the cases that were seen in those that changed, or in a folder of
    `names` by a hook."""
    old = dict(cast("list[tuple[str, str]]", con.execute("SELECT id, repository FROM session").fetchall()))
    moved = [session for session, one in found.items() if old[session] != one]
    con.executemany("UPDATE session SET repository = ? WHERE id = ?", [(found[session], session) for session in moved])
    seen = con.execute(
        "SELECT DISTINCT case_id FROM occurrence JOIN fingerprint USING (fingerprint)"
        " WHERE session_id IN (SELECT value FROM json_each(?))"
        " UNION SELECT case_id FROM case_state WHERE project IN (SELECT value FROM json_each(?))",
        (json.dumps(moved), json.dumps(sorted(names))),
    ).fetchall()
    refresh_repository(con, [cast("int", row[0]) for row in seen])
