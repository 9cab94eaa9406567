"""A tool's result as it happens: is it an error of the project, is it known, and has it been fixed?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import apsw

from core.base.fault import Fault
from core.embedding.runtime.query_model import VectorSearch
from core.errors.cases.record import Name, find_case, observe
from core.errors.cases.resolutions import Draft, add_drafts
from core.errors.fixes import write_telling
from core.errors.retrieval.answer import SearchAnswer
from core.errors.retrieval.api import add_use, search
from core.flows.harvest.command import command_of
from core.flows.harvest.events import HarvestedError, Ran
from core.flows.harvest.outcome import Outcome, judge
from core.flows.harvest.session_events import Result, result_of
from core.flows.hook import open_errors
from core.flows.hook.first import RETRIED
from core.flows.hook.payload import Payload
from core.flows.hook.reply import HookAnswer, choose
from core.flows.outcomes import Due, due_in, write_due
from core.flows.practice.answer import with_practice
from core.flows.team.ask_server import take_received, with_team
from core.flows.team.fresh import take_changed_quietly
from core.store import Store, faults, now, open_store
from core.text import redact

REMEMBERED_NS = 86_400 * 10**9
"""How long the casebook remembers which events it has, in nanoseconds."""
_EVENT = "hook_event:"
WAIT_MS = 1_000
"""How long a hook waits for the lock of another writer; the agent waits with it."""


@dataclass(frozen=True, slots=True)
class Live:
    """What came of one result: the answer to its error, if it is told one, how many errors it opened and
    closed, and why nothing was recorded ("": it was). `pending`: it can be recorded later."""

    answer: SearchAnswer | None = None
    errors: int = 0
    fixed: int = 0
    fault: str = ""
    pending: bool = False


def follow(
    payload: Payload,
    database: Path,
    vectors: VectorSearch | None = None,
    event: str = "",
    *,
    hold_back: float = 0.0,
    team: bool = False,
) -> Live:
    """Look up, record and close what a tool's result says. Raises Fault where the store does not open at all.

    `vectors` is asked only where no text tier knows the error. `event` names it: it is recorded once, whoever tries.
    `hold_back` is the share of known fixes that are not told, to compare with.

    What the lessons file of its repository has new is taken over first. `team`: the server of the team is asked too
    where nothing here answers; that waits, so only a process that can remember a silent server asks.

    A result that says nothing of an error opens no file that is not there and writes to none that follows no error.
    """
    text, outcome, failed = _judged(payload)
    if not failed and (payload.failure not in ("none", "error") or not database.exists()):
        return Live()
    with open_store(database, write=True, create=failed, timeout_ms=WAIT_MS) as store, faults(database):
        if not failed and not open_errors.is_followed(store.con, payload.session_id):
            return Live()
        unread = take_changed_quietly(store, payload.cwd) if failed else ""
        ts = now()
        due = due_in(store.con, payload.session_id, lambda: _results(store.con, payload, text, ts))
        found = _find(store, text, vectors, payload.cwd, team=team) if failed else None
        known = with_practice(store, found, payload.cwd) if found is not None else None
        hook_answer = choose(store.con, payload, known, hold_back, due)
        try:
            store.require_write()
            with faults(database):
                fixed = _write(store, payload, text, outcome, ts, event, hook_answer, due, failed=failed)
        except Fault as fault:  # the agent gets its answer all the same
            why = "" if fault.code in ("db_readonly", "db_newer") else fault.message
            return Live(hook_answer.answer, fault=why, pending=fault.code in RETRIED)
    return Live(hook_answer.answer, len(outcome.errors) if failed else 0, fixed, unread)


_UNKNOWN_FOLDER: Final = "/"
"""Where an error is looked up whose payload names no folder: lessons of a repository must not answer outside of it, and
a search without a folder takes those of every repository."""


def _find(store: Store, text: str, vectors: VectorSearch | None, folder: str, *, team: bool) -> SearchAnswer:
    def look(store: Store) -> SearchAnswer:
        project = folder or _UNKNOWN_FOLDER
        return search(store, text, count=False, vectors=vectors, project=project, received=take_received)

    return with_team(store, look(store), look, project=folder) if team else look(store)


def look_up(payload: Payload, database: Path) -> SearchAnswer | None:
    """What is known of a result's error, by its words alone; None where it is none. Nothing is written or counted."""
    text, _, failed = _judged(payload)
    if not failed or not database.exists():
        return None
    with open_store(database) as store, faults(database):
        found = search(store, text, count=False, project=payload.cwd or _UNKNOWN_FOLDER)
        return choose(store.con, payload, with_practice(store, found, payload.cwd), 0.0).answer


def follow_late(payload: Payload, database: Path, ts: str, event: str = "") -> None:
    """Record and close a result of the time `ts` that a hook could not; there is no answer any more.

    Nothing is recorded where the `event` was recorded already, or the transcript of the session has told it since.
    Raises Fault where nothing can be.
    """
    text, outcome, failed = _judged(payload)
    if not failed and (payload.failure not in ("none", "error") or not database.exists()):
        return
    with open_store(database, write=True, create=failed, timeout_ms=WAIT_MS) as store, faults(database):
        store.require_write()
        row = store.con.execute(
            "SELECT 1 FROM message WHERE session_id = ? AND ts >= ? LIMIT 1", (payload.session_id, ts)
        ).fetchone()
        if row is None and (failed or open_errors.is_followed(store.con, payload.session_id)):
            due = due_in(store.con, payload.session_id, lambda: _results(store.con, payload, text, ts))
            _write(store, payload, text, outcome, ts, event, HookAnswer(), due, failed=failed)


def _judged(payload: Payload) -> tuple[str, Outcome, bool]:
    """What the tool said without its secrets, what that says of the run, and whether it is an error of the project."""
    text = redact(payload.text)
    command = command_of(payload.tool, payload.tool_input)
    facts = {"script": True} if "script" in payload.facts else {}
    ran = Ran(
        payload.session_id, 0, payload.chain, payload.tool, payload.tool_input, text, payload.failure,
        payload.exit_code, facts=facts,
    )  # fmt: skip
    outcome = judge(ran, command)
    return text, outcome, outcome.verdict == "failed" and bool(outcome.errors)


def _write(
    store: Store,
    payload: Payload,
    text: str,
    outcome: Outcome,
    ts: str,
    event: str,
    hook_answer: HookAnswer,
    due: Sequence[Due],
    *,
    failed: bool,
) -> int:
    """Record the result, the fix that was told, and what it shows fixed, in one transaction; nothing where the `event`
    is known."""
    with store.transaction() as con:
        if event and not _is_new(con, event):
            return 0
        if failed:
            _observe(con, payload, text, outcome, ts)
        if payload.session_id:
            open_errors.append(con, payload, text, ts, failed=failed)
            write_due(con, due, ts)
        if hook_answer.telling is not None:
            write_telling(con, hook_answer.telling, ts)
        if hook_answer.answer is not None and hook_answer.answer.match is not None:
            add_use(con, hook_answer.answer.match.id, ts)
        return _close(con, payload) if payload.session_id else 0


def _results(con: apsw.Connection, payload: Payload, text: str, ts: str) -> list[Result]:
    """The results of the session that are kept, and this one behind them."""
    ran = Ran(
        payload.session_id, 0, payload.chain, payload.tool, payload.tool_input, text, payload.failure,
        payload.exit_code, ts, payload.facts,
    )  # fmt: skip
    return [result_of(one) for one in (*open_errors.events_of(con, payload.session_id), ran)]


def _is_new(con: apsw.Connection, event: str) -> bool:
    """Whether the event was not recorded before; from now on it was. Events older than a day are forgotten."""
    oldest = f"{_EVENT}{time.time_ns() - REMEMBERED_NS:020d}"
    con.execute("DELETE FROM meta WHERE key >= ? AND key < ?", (_EVENT, oldest))
    con.execute("INSERT OR IGNORE INTO meta(key, value) VALUES (?, '')", (_EVENT + event,))
    return con.changes() > 0


def _observe(con: apsw.Connection, payload: Payload, text: str, outcome: Outcome, ts: str) -> None:
    for error in outcome.errors:
        observe(
            con,
            Name(error.key.text, error.normalized, error.fingerprint, error.key.tool),
            session_id=payload.session_id or None,
            message_idx=None,
            tool=payload.tool,
            project=payload.cwd,
            ts=ts,
            raw=text,
            start=error.key.start,
            end=error.key.end,
        )


def _close(con: apsw.Connection, payload: Payload) -> int:
    """Draft the fixes that the session's events now prove, and forget the events once no error is open."""
    from core.flows.harvest.reducer import harvest
    from core.flows.harvest.session import evidence_of_fix

    settled = list(harvest(open_errors.events_of(con, payload.session_id), payload.cwd, running=True))
    drafts = [
        Draft(
            case,
            error.fingerprint,
            _fix_text(error),
            error.resolved_by,
            error.tool_sequence,
            payload.session_id,
            (),
            error.verified_ts or error.ts,
            evidence_of_fix(error),
            error.lesson,
        )
        for error in settled
        if error.resolved and (case := find_case(con, error.normalized, error.fingerprint)) is not None
    ]
    fixed = add_drafts(con, drafts, set())
    if not any(not error.resolved and not error.transient for error in settled):
        open_errors.forget(con, payload.session_id)
    return fixed


def _fix_text(error: HarvestedError) -> str:
    """Return the fix in words, without a message number: a hook's data is in no transcript yet."""
    return (error.resolution_text or "").replace(f" (message {error.verified_idx})", "")
