"""The harvest of a stored session: its rows as events, its errors and fixes into the casebook."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

import apsw
import orjson

from core.errors.cases import Name, observe
from core.errors.derived import refresh_case
from core.errors.drafts import Draft, add_drafts
from core.flows.harvest.aside import Aside
from core.flows.harvest.changes import DELEGATED, DELEGATES, Change, change_of
from core.flows.harvest.command import command_of
from core.flows.harvest.events import Event, HarvestedError, Ran, Said
from core.flows.harvest.fold import harvest
from core.store import Store, now
from core.transcripts.commands import OWN_TOOLS, SHELL_TOOLS
from core.transcripts.records import Failure

_SESSIONS_BACK = 50
_AROUND: Final = 2_000
"""Code points of the output kept on each side of the key line, as the raw error of a new case."""

# Texts of tools that neither run a command nor failed are not fetched: they say nothing of errors.
_ROWS = """SELECT m.ts, m.idx, m.chain, m.role, t.name, t.input_json, t.failure, t.exit_code, t.facts_json,
 iif(t.name IS NULL OR t.failure = 'error' OR t.name IN (SELECT value FROM json_each(?2)), m.text, '')
 FROM message m LEFT JOIN tool_call t INDEXED BY tool_call_result
 ON t.session_id = m.session_id AND t.result_idx = m.idx
 WHERE m.session_id = ?1
 AND (t.name IS NOT NULL OR (m.kind = 'text' AND m.meta = 0 AND m.role IN ('user', 'assistant')))
 ORDER BY m.idx"""
_READ_TOOLS = json.dumps(sorted(SHELL_TOOLS | OWN_TOOLS | {"write_stdin"}))


@dataclass(frozen=True, slots=True)
class HarvestReport:
    """What a harvest added: errors met and fixes drafted that were not there before."""

    errors: int
    resolutions: int


def harvest_session(store: Store, session_id: str) -> HarvestReport:
    """Harvest a session, after the ones it continues, in one transaction. Harvesting it again adds nothing.

    A draft of an earlier harvest that the session, as it went on, proved wrong is taken back, unless a person has
    looked at it. Raises Fault of the store.
    """
    with store.transaction() as con:
        sessions = _with_continued(con, session_id)
        project, started = _project(con, session_id)
        order = {name: at for at, name in enumerate(sessions)}
        met = (
            error if error.ts else replace(error, ts=started or now())
            for error in harvest(session_events(con, sessions), project)
        )
        found, stale = Aside(con, met, order), set[int]()
        cases = [_observe(con, error, project, stale) for error in found]
        _take_back(con, sessions, found)
        drafts = (_draft(case_id, error) for error, (case_id, _) in zip(found, cases, strict=True) if error.resolved)
        fixes = add_drafts(con, drafts, stale)
    return HarvestReport(sum(new for _, new in cases), fixes)


def session_events(con: apsw.Connection, sessions: Sequence[str]) -> Iterator[Event]:
    """The events of sessions as one history, by time, each session's own in message order."""
    streams = [_rows(con, session) for session in sessions]
    merged = heapq.merge(*streams, key=lambda pair: pair[0]) if len(streams) > 1 else streams[0]
    return (event for _, event in merged)


def _rows(con: apsw.Connection, session: str) -> Iterator[tuple[str, Event]]:
    latest = ""
    for row in con.execute(_ROWS, (session, _READ_TOOLS)):
        ts, idx, chain, role, tool, given, failure, exit_code, facts, text = cast(
            "tuple[str, int, str, str, str | None, str, Failure, int | None, str, str]", row
        )
        latest = max(latest, ts)
        if tool is None:
            yield latest, Said(session, idx, chain, role, text, ts)
        else:
            known = _object(facts)
            if tool in DELEGATES and isinstance(known.get("agent"), str):
                known = {**known, **_delegated(con, f"{session}/{known['agent']}")}
            yield latest, Ran(session, idx, chain, tool, _object(given), text, failure, exit_code, ts, known)


def _delegated(con: apsw.Connection, session: str) -> dict[str, object]:
    """What a subagent's session changed, as the fact of the call that started it; empty where it is not known."""
    if con.execute("SELECT 1 FROM session WHERE id = ?", (session,)).fetchone() is None:
        return {}
    calls = con.execute(
        "SELECT name, input_json FROM tool_call WHERE session_id = ? AND failed = 0 AND result_idx IS NOT NULL"
        " ORDER BY result_idx LIMIT 500",
        (session,),
    ).fetchall()
    given = ((str(name), _object(str(text))) for name, text in calls)
    changes = [change_of(name, inputs, command_of(name, inputs), {}) for name, inputs in given]
    made = [change for change in changes if change is not None]
    return {DELEGATED: Change(tuple(dict.fromkeys(file for change in made for file in change.files))) if made else None}


def _object(text: str) -> Mapping[str, object]:
    try:
        value: object = orjson.loads(text)
    except ValueError:  # what orjson does not take (huge numbers, lone surrogates) the standard library may
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


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
