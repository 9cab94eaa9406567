"""The verdicts of sessions as rows: written by a harvest, read for a session's margin."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

import apsw

from core.flows.harvest.verdicts.incidents import Judgement

_INSERT: Final = """INSERT OR IGNORE INTO result_verdict(session_id, message_idx, tool_use_id, verdict, reason, worth,
 ts, program, repeats, attempts, messages, seconds, solved_idx, solved_session, fingerprints, slip)
 SELECT ?1, ?2, tool_use_id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15
 FROM tool_call INDEXED BY tool_call_result WHERE session_id = ?1 AND result_idx = ?2"""


def write_verdicts(con: apsw.Connection, sessions: Sequence[str], judgements: Iterable[Judgement]) -> None:
    """Replace the verdicts of these sessions. Within the caller's transaction."""
    con.execute(
        "DELETE FROM result_verdict WHERE session_id IN (SELECT value FROM json_each(?))", (json.dumps(list(sessions)),)
    )
    con.executemany(_INSERT, map(_row, judgements))


def _row(one: Judgement) -> tuple[str | int | float | None, ...]:
    """What an incident cost stands with its first result alone, so that a sum counts it once."""
    counted = one.repeats is None
    return (
        one.place.session_id, one.place.idx, one.verdict, one.reason, one.worth, one.place.ts, one.program, one.repeats,
        one.cost.attempts if counted else 0, one.cost.messages if counted else 0, one.cost.seconds if counted else 0.0,
        None if one.solved is None else one.solved.idx, None if one.solved is None else one.solved.session_id,
        json.dumps(list(one.fingerprints), ensure_ascii=False), one.slip,
    )  # fmt: skip
