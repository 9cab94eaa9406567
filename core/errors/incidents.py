"""Incidents: what the queue orders cases by (worth, sessions, cost, the item it is part of), and slips that came back.

Derived from the verdicts. A case that is always second in its incidents is part of the item of the first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, cast

import apsw

_WORTHS: Final = ("general", "project", "slip", "none")
"""The best first; the place of a worth is its rank."""
SLIP: Final = "slip"
"""Marks the error that a repeated slip is, in the place of a tool: worth a line in its project.
It is not shown: the tool of such a case is the one that the agent used."""
FILE_SLIPS: Final = ("no such file: ", "is a directory: ", "not a directory: ")
"""How the key line of a repeated slip begins that names a file: it tells where the file is, or that there is none.
Another only tells that a call fails, which is nothing to decide: it has no item."""
_FIRST: Final = 0
"""What stands for the case itself where an incident names it first: less than the id of any other case."""

# Each incident of a case once: its first result represents it. The cross joins keep the order: the planner would pair
# each verdict of a session with all others of it.
_SHARES: Final = """SELECT case_id, count(DISTINCT session_id), round(sum(seconds), 3), min(rank), min(leader) FROM (
 SELECT f.case_id, r.session_id, r.seconds, min({rank}) AS rank,
  min(iif(f.tool = 'slip' OR l.case_id IS NULL OR l.case_id = f.case_id, 0, l.case_id)) AS leader
 FROM {source}
 CROSS JOIN result_verdict v ON v.session_id = o.session_id AND v.message_idx = o.message_idx
 CROSS JOIN result_verdict r ON r.session_id = v.session_id AND r.message_idx = coalesce(v.repeats, v.message_idx)
 LEFT JOIN fingerprint l ON l.fingerprint = json_extract(r.fingerprints, '$[0]')
 WHERE {which} GROUP BY f.case_id, r.session_id, r.message_idx
) GROUP BY case_id"""
_TELLS: Final = " OR ".join(f"substr(f.key_line, 1, {len(begin)}) = '{begin}'" for begin in FILE_SLIPS)
_RANK: Final = (
    f"CASE iif(f.tool = 'slip', iif({_TELLS}, 'project', 'slip'), v.worth)"
    " WHEN 'general' THEN 0 WHEN 'project' THEN 1 WHEN 'slip' THEN 2 ELSE 3 END"
)
_OF_SESSIONS: Final = _SHARES.format(
    rank=_RANK,
    source="occurrence o JOIN fingerprint f ON f.fingerprint = o.fingerprint",
    which="o.session_id IN (SELECT value FROM json_each(?))",
)
_OF_CASES: Final = _SHARES.format(
    rank=_RANK,
    source="fingerprint f JOIN occurrence o ON o.fingerprint = f.fingerprint",
    which="f.case_id IN (SELECT value FROM json_each(?))",
)


class Share(NamedTuple):
    """What some sessions add to a case: how many met it, their seconds, the best worth, whose item it is part of."""

    sessions: int
    seconds: float
    rank: int
    leader: int


def shares_of(con: apsw.Connection, sessions: Sequence[str]) -> dict[int, Share]:
    """What these sessions add to each case that they met, as far as they are judged."""
    rows = con.execute(_OF_SESSIONS, (json.dumps(list(sessions)),)).fetchall()
    return {row[0]: Share(*row[1:]) for row in cast("list[tuple[int, int, float, int, int]]", rows)}


def move_shares(con: apsw.Connection, before: Mapping[int, Share], after: Mapping[int, Share]) -> None:
    """Bring the cases up to date that some sessions met `before` and `after` these were judged again.

    Costs what those sessions met, however often the cases were seen elsewhere. Within the caller's transaction.
    """
    for case_id in sorted(before.keys() | after.keys()):
        old, new = before.get(case_id), after.get(case_id)
        if old == new:
            continue
        held = _read_share(con, case_id)
        lost = new is None or (
            old is not None
            and ((old.rank == held.rank and new.rank > old.rank) or (old.leader == held.leader < new.leader))
        )
        if lost or held.sessions == 0 or new is None:
            refresh_queue(con, case_id)
            continue
        sessions = held.sessions + new.sessions - (old.sessions if old is not None else 0)
        seconds = round(held.seconds + new.seconds - (old.seconds if old is not None else 0.0), 3)
        _keep(con, case_id, Share(sessions, seconds, min(held.rank, new.rank), min(held.leader, new.leader)))


def refresh_queue(con: apsw.Connection, *cases: int) -> None:
    """Recompute the order of cases in the queue from all their incidents."""
    rows = con.execute(_OF_CASES, (json.dumps(cases),)).fetchall()
    shares = {row[0]: Share(*row[1:]) for row in cast("list[tuple[int, int, float, int, int]]", rows)}
    for case_id, share in shares.items():
        _keep(con, case_id, share)
    con.execute(
        "UPDATE case_state SET worth = '', sessions = 0, seconds = 0, queue_case = NULL"
        " WHERE case_id IN (SELECT value FROM json_each(?)) AND (worth, sessions, queue_case) IS NOT ('', 0, NULL)",
        (json.dumps([case_id for case_id in cases if case_id not in shares]),),
    )


def refresh_followers(con: apsw.Connection, *cases: int) -> None:
    """Recompute the items of the cases that were part of these cases' items."""
    rows = con.execute(
        "SELECT case_id FROM case_state WHERE queue_case IN (SELECT value FROM json_each(?)) AND case_id <> queue_case",
        (json.dumps(cases),),
    ).fetchall()
    if rows:
        refresh_queue(con, *(case_id for (case_id,) in cast("list[tuple[int]]", rows)))


def _read_share(con: apsw.Connection, case_id: int) -> Share:
    row = con.execute(
        "SELECT sessions, seconds, worth, queue_case FROM case_state WHERE case_id = ?", (case_id,)
    ).fetchone()
    sessions, seconds, worth, leader = cast("tuple[int, float, str, int | None]", row or (0, 0.0, "", None))
    rank = _WORTHS.index(worth) if worth in _WORTHS else len(_WORTHS)
    return Share(sessions, seconds, rank, _FIRST if leader is None else leader)


def _keep(con: apsw.Connection, case_id: int, share: Share) -> None:
    con.execute(
        "UPDATE case_state SET worth = ?, sessions = ?, seconds = ?, queue_case = ? WHERE case_id = ?",
        (_WORTHS[share.rank], share.sessions, share.seconds, share.leader or None, case_id),
    )
