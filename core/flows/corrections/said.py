"""What a person said against a call of a stored session: in the refusal itself, or directly after the result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, cast

import apsw

from core.flows.corrections.sentences import MOST
from core.flows.harvest.events import Ran
from core.flows.harvest.outcome import judge
from core.flows.harvest.session_events import object_of
from core.transcripts.records import Failure

_REFUSED: Final = "The user doesn't want to "
_SAID: Final = "the user said:"
_WITHIN: Final = 400
"""Code points of a refusal in which Claude Code tells what the person said; behind them stands what they said."""
_NOTE: Final = "\n\nNote: The user's next message may "
_ASKED: Final = "The user wants to clarify these questions."
"""How a refused question is told: none of it is the person's."""

_DECLINED: Final = """SELECT t.tool_use_id, t.name, t.input_json, t.failure, m.idx, m.text, m.ts, m.chain
 FROM tool_call t JOIN message m ON m.session_id = t.session_id AND m.idx = t.result_idx
 WHERE t.session_id = ?1 AND t.failure IN ('denied', 'interrupted') ORDER BY m.idx"""
_AFTER: Final = """SELECT t.tool_use_id, t.name, t.input_json, m.idx, m.text, m.ts FROM message m
 JOIN message b ON b.session_id = m.session_id AND b.idx = (SELECT max(idx) FROM message AS p
  WHERE p.session_id = m.session_id AND p.idx < m.idx AND p.idx >= m.idx - 20 AND p.meta = 0 AND p.chain = m.chain)
 JOIN tool_call t ON t.session_id = m.session_id AND t.result_idx = b.idx
 WHERE m.session_id = ?1 AND m.role = 'user' AND m.kind = 'text' AND m.meta = 0 AND m.chain = 'main'
 AND length(m.text) <= ?2 ORDER BY m.idx"""


class Reply(NamedTuple):
    """What a person said about a call: at `start` to `end` of message `idx`, in code points.

    `refusal`: it is the reason they gave as they declined the call.
    """

    tool_use_id: str
    tool: str
    input_json: str
    idx: int
    start: int
    end: int
    text: str
    ts: str
    refusal: bool


def replies_in(con: apsw.Connection, session_id: str) -> Iterator[Reply]:
    """What a person said about the calls of a session. In a subagent's session only refusals are a person's words."""
    for row in con.execute(_DECLINED, (session_id,)).fetchall():
        call, tool, given, failure, idx, text, ts, chain = cast(
            "tuple[str, str, str, Failure, int, str, str, str]", row
        )
        ran = Ran(session_id, idx, chain, tool, object_of(given), text, failure, ts=ts)
        place = said_in_refusal(text) if judge(ran, None).sign == "rejected" else None
        if place is not None:
            yield Reply(call, tool, given, idx, *place, text[place[0] : place[1]], ts, refusal=True)
    parent = con.execute("SELECT parent FROM session WHERE id = ?", (session_id,)).fetchone()
    if parent is None or parent[0] is not None:
        return
    for row in con.execute(_AFTER, (session_id, MOST)).fetchall():
        call, tool, given, idx, text, ts = cast("tuple[str, str, str, int, str, str]", row)
        yield Reply(call, tool, given, idx, 0, len(text), text, ts, refusal=False)


def said_in_refusal(text: str) -> tuple[int, int] | None:
    """Where a refusal holds the person's words. Only what the agent itself writes before them is relied on: the output
    of an interrupted command may say anything."""
    if not text.startswith(_REFUSED):
        return None
    at = text.find(_SAID, 0, _WITHIN)
    if at < 0:
        return None
    start, note = at + len(_SAID), text.find(_NOTE, at)
    said = text[start : note if note >= 0 else len(text)]
    bare = said.strip()
    if not bare or bare.startswith(_ASKED):
        return None
    start += len(said) - len(said.lstrip())
    return start, start + len(bare)
