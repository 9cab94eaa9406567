"""What to say before a command is run: one like it failed, and another one passed in its place.

A row of `before_run` answers only while its fix is strong or verified, and where the environment lacked something, only
in a repository that met the lack in several sessions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, cast

import apsw

from core.errors.cases.columns import project_names
from core.errors.fixes.evidence import strength_of
from core.errors.practice.practice import KnownFailure
from core.errors.practice.read import LEAST, practice_about

VIA: Final = "before_run"
"""What `answer_outcome.via` is of what was told before a run."""
_REPOSITORY: Final = "iif(s.repository = '', s.project, s.repository)"
_SELECT: Final = f"""SELECT b.program, b.key, b.worth, b.lack_tool, b.lack_name, b.failed, b.said, b.passed,
 b.fingerprint, r.id, r.author, r.status, r.original, {_REPOSITORY}, b.session_id
 FROM before_run AS b JOIN session AS s ON s.id = b.session_id
 JOIN resolution AS r ON r.session_id = b.fix_session AND r.fingerprint = b.fingerprint
 AND r.message_ids = b.message_ids AND r.author = 'harvest'
 WHERE r.status <> 'rejected' AND r.replaced_by IS NULL"""
_WANTED: Final = " AND b.program IN (SELECT value FROM json_each(?)) ORDER BY r.status = 'verified' DESC, r.ts DESC"


def find_failure(
    con: apsw.Connection, keys: Iterable[tuple[str, str]], repository: str, session: str
) -> KnownFailure | None:
    """What to say before a command with these programs and keys, if anything; each is said once in a session.

    Raises apsw errors.
    """
    asked = set(keys)
    found = con.execute(_SELECT + _WANTED, (json.dumps(sorted({program for program, _ in asked})),)).fetchall()
    for one in _known(con, found, repository):
        if (one.program, one.key) in asked and not _was_told(con, one.resolution_id, session):
            return one
    return None


def every_failure(con: apsw.Connection, repositories: frozenset[str] | None = None) -> tuple[KnownFailure, ...]:
    """What would be said in the repository that it comes from; of all repositories, or of these. Raises apsw errors."""
    rows = con.execute(f"{_SELECT} ORDER BY b.program, b.key, r.status = 'verified' DESC, r.ts DESC").fetchall()
    found: dict[tuple[str, str, str], KnownFailure] = {}
    for name in sorted({cast("str", row[13]) for row in rows}):
        if repositories is None or name in repositories:
            for one in _known(con, [row for row in rows if row[13] == name], name):
                found.setdefault((one.repository, one.program, one.key), one)
    return tuple(found.values())


def _known(con: apsw.Connection, rows: Iterable[tuple[object, ...]], repository: str) -> Iterator[KnownFailure]:
    """Those of the rows that may be told in a repository."""
    every, names = list(rows), project_names(con)
    met: dict[tuple[str, str], set[str]] = {}
    for row in every:
        met.setdefault((cast("str", row[0]), cast("str", row[1])), set()).add(cast("str", row[14]))
    for row in every:
        program, key, worth, lack_tool, lack_name, failed, said, passed = cast("tuple[str, ...]", row[:8])
        fingerprint, fix, author, status, original, place = cast(
            "tuple[str, int, str, str, str | None, str]", row[8:14]
        )
        if strength_of(author, status, original) != "strong" and status != "verified":
            continue
        if place != repository and (lack_tool or worth != "general"):
            continue
        if lack_tool and not _is_met_again(con, lack_tool, lack_name, repository):
            continue
        yield KnownFailure(
            program, key, failed, said, passed, status, fix, fingerprint, names.get(place, place), place,
            len(met[program, key]),
        )  # fmt: skip


def _is_met_again(con: apsw.Connection, tool: str, name: str, repository: str) -> bool:
    return any(
        one.repository == repository and one.sessions >= LEAST for one in practice_about(con, "lack", tool, name)
    )


def _was_told(con: apsw.Connection, resolution: int, session: str) -> bool:
    row = con.execute(
        "SELECT 1 FROM answer_outcome WHERE session_id = ? AND resolution_id = ? AND via = ?",
        (session, resolution, VIA),
    ).fetchone()
    return row is not None


def keep_told(
    con: apsw.Connection, told: KnownFailure, session: str, repository: str, ts: str, *, withheld: bool = False
) -> None:
    """Note that it was told, or held back, in a session, once. Within the caller's transaction."""
    if not _was_told(con, told.resolution_id, session):
        con.execute(
            "INSERT INTO answer_outcome(resolution_id, fingerprint, via, session_id, repository, told_at, withheld)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (told.resolution_id, told.fingerprint, VIA, session, repository, ts, withheld),
        )


class ToldBefore(NamedTuple):
    """How often something was told before a run or held back, and how often the failure then did not come."""

    told: int = 0
    avoided: int = 0
    withheld: int = 0
    avoided_withheld: int = 0


def count_told(con: apsw.Connection, repositories: frozenset[str] | None = None) -> ToldBefore:
    """What was told before a run in all repositories, or in these. Raises apsw errors."""
    of_these = json.dumps(None if repositories is None else sorted(repositories))
    row = con.execute(
        "SELECT count(*) FILTER (WHERE NOT withheld), count(*) FILTER (WHERE NOT withheld AND outcome = 'helped'),"
        " count(*) FILTER (WHERE withheld), count(*) FILTER (WHERE withheld AND outcome = 'helped')"
        " FROM answer_outcome WHERE via = ?1"
        " AND (?2 = 'null' OR repository IN (SELECT value FROM json_each(?2)))",
        (VIA, of_these),
    ).fetchone()
    return ToldBefore(*cast("tuple[int, int, int, int]", row))
