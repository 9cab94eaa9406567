"""The harvest of a stored session: its errors and fixes into the casebook."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

import apsw

from core.errors.cases import Name, observe
from core.errors.derived import refresh_case
from core.errors.drafts import Draft, add_drafts
from core.flows.harvest.aside import Aside
from core.flows.harvest.events import HarvestedError
from core.flows.harvest.explained import Explanation, add_explanations, heard
from core.flows.harvest.fold import fold
from core.flows.harvest.stored import seen_in
from core.flows.second import Second
from core.store import Store, now

_SESSIONS_BACK = 50
_AROUND: Final = 2_000
"""Code points of the output kept on each side of the key line, as the raw error of a new case."""


@dataclass(frozen=True, slots=True)
class HarvestReport:
    """What a harvest added: errors met and fixes drafted that were not there before."""

    errors: int
    resolutions: int


def harvest_session(store: Store, session_id: str, second: Second | None = None) -> HarvestReport:
    """Harvest a session, after the ones it continues, in one transaction. Harvesting it again adds nothing.

    Where a `second` process runs it looks through large sessions. A draft of an earlier harvest that the session, as it
    went on, proved wrong is taken back, unless a person has looked at it. Raises Fault of the store.
    """
    with store.transaction() as con:
        sessions = _with_continued(con, session_id)
        project, started = _project(con, session_id)
        order = {name: at for at, name in enumerate(sessions)}
        met = (
            error if error.ts else error._replace(ts=started or now())
            for error in fold(seen_in(store, sessions, second), project)
        )
        found, stale = Aside(con, met, order), set[int]()
        cases = [_observe(con, error, project, stale) for error in found]
        _take_back(con, sessions, found)
        said: list[Explanation] = []
        fixed = ((error, case_id) for error, (case_id, _) in zip(found, cases, strict=True) if error.resolved)
        fixes = add_drafts(con, (_draft(case_id, heard(error, said)) for error, case_id in fixed), stale)
        add_explanations(store, said)
    return HarvestReport(sum(new for _, new in cases), fixes)


def _with_continued(con: apsw.Connection, session_id: str) -> list[str]:
    """The session and those it continues, the oldest first."""
    chain = [session_id]
    while len(chain) < _SESSIONS_BACK:
        row = con.execute("SELECT continues FROM session WHERE id = ?", (chain[0],)).fetchone()
        if row is None or row[0] is None or row[0] in chain:
            break
        chain.insert(0, cast("str", row[0]))
    return chain


def _project(con: apsw.Connection, session_id: str) -> tuple[str, str]:
    """Where the session worked, and when it began."""
    row = con.execute("SELECT project, started FROM session WHERE id = ?", (session_id,)).fetchone()
    return ("", "") if row is None else cast("tuple[str, str]", row)


def _observe(con: apsw.Connection, error: HarvestedError, project: str, stale: set[int]) -> tuple[int, bool]:
    """Note that the error was met; its case (`stale` if it must be indexed), and whether this was not known before."""
    place = (error.session_id, error.message_idx, error.fingerprint)
    known = con.execute(
        "SELECT 1 FROM occurrence WHERE session_id = ? AND message_idx = ? AND fingerprint = ?", place
    ).fetchone()
    start, end = error.span
    row = con.execute(
        "SELECT substr(text, ?, ?) FROM message WHERE session_id = ? AND idx = ?",
        (max(1, start + 1 - _AROUND), end - start + 2 * _AROUND, error.session_id, error.message_idx),
    ).fetchone()
    case_id = observe(
        con,
        Name(error.key.text, error.normalized, error.fingerprint, error.key.tool),
        session_id=error.session_id,
        message_idx=error.message_idx,
        tool=error.tool,
        project=project,
        ts=error.ts,
        raw=None if row is None else cast("str", row[0]),
        start=start,
        end=end,
        stale=stale,
    )
    return case_id, known is None


def _draft(case_id: int, error: HarvestedError) -> Draft:
    return Draft(
        case_id=case_id,
        fingerprint=error.fingerprint,
        text=error.resolution_text or "",
        resolved_by=error.resolved_by,
        tool_sequence=error.tool_sequence,
        session_id=error.verified_session,
        message_ids=error.message_ids,
        ts=error.verified_ts or error.ts,
    )


def _take_back(con: apsw.Connection, sessions: Sequence[str], found: Iterable[HarvestedError]) -> None:
    """Remove the drafts that an earlier harvest of these sessions made and this one no longer supports."""
    drafts = con.execute(
        "SELECT id, case_id, session_id, fingerprint, message_ids FROM resolution"
        " WHERE author = 'harvest' AND status = 'draft' AND session_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(sessions)),),
    ).fetchall()
    if not drafts:
        return
    held = {(error.verified_session, error.fingerprint, json.dumps(list(error.message_ids))) for error in found}
    for draft_id, case_id, session, fingerprint, message_ids in cast("list[tuple[int, int, str, str, str]]", drafts):
        if (session, fingerprint, message_ids) not in held:
            # The row of the case shows the draft; what was recorded there by other hands stays.
            con.execute(
                "UPDATE error_kb SET resolution = NULL, resolved_by = NULL, tool_sequence = NULL"
                " WHERE id = ? AND resolution = (SELECT text FROM resolution WHERE id = ?)",
                (case_id, draft_id),
            )
            con.execute("DELETE FROM resolution WHERE id = ?", (draft_id,))
            refresh_case(con, case_id)
