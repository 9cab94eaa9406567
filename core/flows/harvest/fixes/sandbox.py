"""Whether a failure came in the agent's sandbox, and in which, as the transcript says it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, cast

import apsw

from core.base.lazy_pattern import lazy_pattern
from core.errors.lessons import NO_SANDBOX
from core.flows.harvest.event_features import is_escalated
from core.flows.harvest.events import HarvestedError
from core.flows.harvest.fixes.correction import OUTSIDE

_ON: Final = "on"
"""A sandbox of which nothing more is known."""
_HEADS: Final = ("<permissions instructions>", "<environment_context>")
"""How the messages begin in which Codex says what its sandbox allows; each holds until the next one."""
_READ: Final = 20_000
_MODE = lazy_pattern(r"(?:`sandbox_mode` is `|<sandbox_mode>)(read-only|workspace-write|danger-full-access)")
_CLOSED = lazy_pattern(r"Network access is restricted|<network_access>restricted")
_VIOLATIONS: Final = "<sandbox_violations>"
"""What Claude Code adds to the output of a command that its sandbox stopped."""
_POLICIES: Final = (
    "SELECT idx, substr(text, 1, ?2) FROM message WHERE session_id = ?1 AND role IN ('system', 'user')"
    f" AND (substr(text, 1, {len(_HEADS[0])}) = '{_HEADS[0]}' OR substr(text, 1, {len(_HEADS[1])}) = '{_HEADS[1]}')"
    " AND meta = 1 ORDER BY idx"
)
_FAILED: Final = (
    "SELECT t.input_json, instr(m.text, ?3) FROM message m LEFT JOIN tool_call t"
    " ON t.session_id = m.session_id AND t.tool_use_id = m.tool_use_id WHERE m.session_id = ?1 AND m.idx = ?2"
)


class Sandboxes:
    """The sandboxes of the sessions of one harvest, each session read once."""

    def __init__(self, con: apsw.Connection) -> None:
        self._con = con
        self._policies: dict[str, list[tuple[int, str]]] = {}

    def of(self, error: HarvestedError) -> str:
        """The sandbox in which the error was seen first: its mode, `on`, `off`; empty where nothing is said."""
        row = self._con.execute(_FAILED, (error.session_id, error.message_idx, _VIOLATIONS)).fetchone()
        given, stopped = cast("tuple[str | None, int]", row or (None, 0))
        if given is not None and is_escalated(_object(given)):
            return NO_SANDBOX
        said = self._said(error.session_id, error.message_idx)
        passed_outside = any(link.why == OUTSIDE.why for link in error.links)
        return said or (_ON if stopped or passed_outside else "")

    def _said(self, session: str, before: int) -> str:
        if session not in self._policies:
            rows = cast("list[tuple[int, str]]", self._con.execute(_POLICIES, (session, _READ)).fetchall())
            told = ((idx, policy_in(text)) for idx, text in rows)
            self._policies[session] = [one for one in told if one[1]]
        return next((policy for idx, policy in reversed(self._policies[session]) if idx < before), "")


def policy_in(text: str) -> str:
    """What a message of Codex says of its sandbox: its mode, and whether the network is closed; empty where nothing."""
    mode = _MODE.search(text)
    if mode is None:
        return ""
    if mode[1] == "danger-full-access":
        return NO_SANDBOX
    return f"{mode[1]}, no network" if _CLOSED.search(text) else mode[1]


def _object(text: str) -> Mapping[str, object]:
    found: object = json.loads(text)
    return cast("Mapping[str, object]", found) if isinstance(found, dict) else {}
