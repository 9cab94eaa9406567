"""One hook event from its bytes to its reply. Nothing here raises: a hook must never stand in an agent's way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.fault import Fault
from core.flows.hook.payload import Payload, read_payload

_MASKS = ("|", ";", "&", "\n")
"""Without one of these a shell command that ended well has hidden no failure."""


@dataclass(frozen=True, slots=True)
class Handled:
    """What came of an event: the object to print (None: nothing); `fault` says for the log what went wrong.

    `kept`: it could not be written down now, and waits for the next hook or import.
    """

    reply: dict[str, object] | None = None
    event: str = ""
    fault: str = ""
    met: int = 0
    fixed: int = 0
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an event may start beside itself: the reading of a session that has ended, the model for one that begins.

    `model` and `service` are the settings of that name: which model, and whether its service is asked for vectors.
    """

    ended: Callable[[Payload], None]
    began: Callable[[Payload], None]
    model: str = ""
    service: bool = True


def handle(data: bytes, database: Path, around: Surroundings) -> Handled:
    """Answer one payload. Unknown events pass in silence; a payload that is none is named in `fault`."""
    payload = read_payload(data)
    if payload is None:
        return Handled()
    if isinstance(payload, str):
        return Handled(fault=f"the payload was not taken: {payload}")
    try:
        if payload.event == "SessionStart":
            around.began(payload)
        elif payload.event == "SessionEnd":
            around.ended(payload)
        elif payload.event != "PreToolUse" and _says_something(payload, database):
            return _result(payload, data, database, around)
    except Fault as fault:
        kept = fault.code == "db_locked" and _kept(data, database)
        return Handled(event=payload.event, fault=fault.message, kept=kept)
    except Exception as error:  # noqa: BLE001 whatever it is, the agent goes on and the log says it
        return Handled(event=payload.event, fault=f"{type(error).__name__}: {error}")
    return Handled(event=payload.event)


def _says_something(payload: Payload, database: Path) -> bool:
    """Whether a result may be an error, hide one, or bear on one that is open. Cheap: most results do none of it."""
    if payload.failure == "error":
        return True
    if payload.failure != "none" or not database.exists():
        return payload.failure == "none" and _may_hide(payload)
    return _may_hide(payload) or _followed(payload, database)


def _may_hide(payload: Payload) -> bool:
    from core.transcripts.commands import shell_command

    command = shell_command(payload.tool, payload.tool_input)
    return command is not None and any(sign in command.strip() for sign in _MASKS)


def _followed(payload: Payload, database: Path) -> bool:
    from core.flows.hook.ledger import is_followed
    from core.store import faults, open_store

    with open_store(database) as store, faults(database):
        return is_followed(store.con, payload.session_id)


def _kept(data: bytes, database: Path) -> bool:
    from core.flows.hook.spool import put

    return put(data, database)


def _result(payload: Payload, data: bytes, database: Path, around: Surroundings) -> Handled:
    from core.flows.hook.live import follow
    from core.flows.hook.reply import reply_to
    from core.flows.vectors import vector_search
    from core.settings import EmbeddingSettings

    settings = EmbeddingSettings(model=around.model, service=around.service)
    with vector_search(settings, "service") as vectors:
        live = follow(payload, database, vectors)
    match = None if live.answer is None else live.answer.match
    reply = None if match is None or not match.resolution else reply_to(payload.event, match)
    return Handled(reply, payload.event, live.fault, live.met, live.fixed, live.locked and _kept(data, database))
