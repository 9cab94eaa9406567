"""One hook event from its bytes to its reply. Nothing here raises: a hook must never block an agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from core.base.fault import Fault
from core.flows.hook.first import RETRIED, settle
from core.flows.hook.payload import Payload, read_payload
from core.transcripts.commands import shell_command

if TYPE_CHECKING:
    from core.base.config.settings import RuleSettings
    from core.rules.matching.api import RuleMatch

RULES_OFF = "off"

_MASKS = ("|", ";", "&", "\n")
"""Without one of these a shell command that ended well has hidden no failure."""


@dataclass(frozen=True, slots=True)
class Handled:
    """What came of an event: the object to print (None: nothing); `fault` says for the log what went wrong.

    `kept`: it could not be written down now, and waits for the next hook or import; `rules`: how many rule files were
    read, at least 1 where a command was known to fail.
    `once_written`: to be called after the reply was written to the agent, never before; returns what went wrong.
    """

    reply: dict[str, object] | None = None
    event: str = ""
    fault: str = ""
    errors: int = 0
    fixed: int = 0
    kept: bool = False
    rules: int = 0
    once_written: Callable[[], str] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Side processes of an event: the import of a finished session, the model for a new one.

    `model` and `service` are the settings of that name: which model, and whether its service is asked for vectors;
    `rules` those of rules (`read_rules`); `hold_back`: the share of known fixes that are not told, to compare with;
    `team`: whether the server of a team may be asked.
    """

    ended: Callable[[Payload], None]
    began: Callable[[Payload], None]
    model: str = ""
    service: bool = True
    rules: str = ""
    hold_back: float = 0.0
    team: bool = False


def handle(data: bytes, database: Path, around: Surroundings, *, taken: bool = False, event: str = "") -> Handled:
    """Answer one payload. Unknown events pass in silence; a payload that is none is named in `fault`.

    `taken`: a host has it, and gave no answer: it is answered by words alone, and nothing is written a second time.
    `event`: the file that it was written to first (`first.keep_first`), settled at the end unless it was `taken`.
    """
    handled = _handled(data, database, around, event, taken=taken)
    if event and not taken:
        settle(event, pending=handled.kept)
    return handled


def _handled(data: bytes, database: Path, around: Surroundings, event: str, *, taken: bool) -> Handled:
    payload = read_payload(data)
    if payload is None:
        return Handled()
    if isinstance(payload, str):
        return Handled(fault=f"the payload was rejected: {payload}")
    try:
        if payload.event == "SessionStart":
            around.began(payload)
        elif payload.event == "SessionEnd":
            around.ended(payload)
        elif payload.event == "Stop":
            return _stopping(payload, database, taken=taken)
        elif payload.event == "PreToolUse":
            return _before(payload, database, around, taken=taken)
        elif taken:
            return _look_up(payload, database)
        elif _may_matter(payload, database):
            return _result(payload, data, database, around, event)
    except Fault as fault:
        return Handled(event=payload.event, fault=fault.message, kept=fault.code in RETRIED)
    except Exception as error:  # noqa: BLE001 whatever it is, the agent goes on and the log says it
        return Handled(event=payload.event, fault=f"{type(error).__name__}: {error}", kept=True)  # tried once more
    return Handled(event=payload.event)


def _may_matter(payload: Payload, database: Path) -> bool:
    """Whether a result may be an error, hide one, or bear on one that is open. Cheap: most results do none of it."""
    if payload.failure == "error" or "script" in payload.facts:
        return True
    if payload.failure != "none" or not database.exists():
        return payload.failure == "none" and _may_hide(payload)
    return _may_hide(payload) or _followed(payload, database)


def _may_hide(payload: Payload) -> bool:
    command = shell_command(payload.tool, payload.tool_input)
    return command is not None and any(sign in command.strip() for sign in _MASKS)


def _followed(payload: Payload, database: Path) -> bool:
    from core.flows.hook.open_errors import is_followed
    from core.store import faults, open_store

    with open_store(database) as store, faults(database):
        return is_followed(store.con, payload.session_id)


def _result(payload: Payload, data: bytes, database: Path, around: Surroundings, event: str) -> Handled:
    from core.base.config.settings import EmbeddingSettings
    from core.flows.hook.post_tool_use import follow
    from core.flows.hook.reply import reply_to
    from core.flows.hook.spool import spooled
    from core.flows.system.vectors import vector_search

    settings = EmbeddingSettings(model=around.model, service=around.service)
    with spooled(payload, data, database, event) as hold, vector_search(settings, "service") as vectors:
        live = follow(payload, database, vectors, hold.id, hold_back=around.hold_back, team=around.team)
        hold.pending = live.pending
    reply = reply_to(payload.event, live.answer)
    return Handled(reply, payload.event, live.fault, live.errors, live.fixed, live.pending)


def _stopping(payload: Payload, database: Path, *, taken: bool) -> Handled:
    """What an agent is asked before it stops. Where a host has the event, that asks."""
    from core.flows.hook.session_end import ask_for_lesson

    return Handled(None if taken else ask_for_lesson(payload, database), payload.event)


def _look_up(payload: Payload, database: Path) -> Handled:
    from core.flows.hook.post_tool_use import look_up
    from core.flows.hook.reply import reply_to

    return Handled(reply_to(payload.event, look_up(payload, database)), payload.event)


def _before(payload: Payload, database: Path, around: Surroundings, *, taken: bool) -> Handled:
    """Return the rules that apply to a call, and earlier failures of such a command. A host does both."""
    handled = _rules_before(payload, database, around, taken=taken)
    try:
        return handled if taken else _warned(handled, payload, database, around.hold_back)
    except Fault as fault:  # what the rules say is told all the same
        return replace(handled, fault="; ".join(filter(None, (handled.fault, fault.message))))


def _warned(handled: Handled, payload: Payload, database: Path, hold_back: float) -> Handled:
    """What the rules say, and that a command like this one failed; where that is held back, it is only recorded."""
    if not _names_known_program(database, payload):
        return handled
    from core.flows.practice.before_run import failure_before, record_shown_before_run

    found = failure_before(database, payload.tool, payload.tool_input, payload.cwd, payload.session_id)
    if found is None:
        return handled
    from core.errors.fixes import is_withheld
    from core.flows.practice.before_run import failure_context

    failure, repository = found
    if is_withheld(payload.session_id, failure.resolution_id, hold_back):
        fault = record_shown_before_run(database, failure, payload.session_id, repository, withheld=True)
        return replace(handled, fault="; ".join(filter(None, (handled.fault, fault))))
    context, before = failure_context(failure), handled.once_written
    if handled.reply is not None:
        context = f"{cast('Any', handled.reply)['hookSpecificOutput']['additionalContext']}\n\n{context}"
    reply: dict[str, object] = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": context}}

    def count() -> str:
        faults = (
            "" if before is None else before(),
            record_shown_before_run(database, failure, payload.session_id, repository),
        )
        return "; ".join(filter(None, faults))

    return replace(handled, reply=reply, once_written=count, rules=max(1, handled.rules))


def _names_known_program(database: Path, payload: Payload) -> bool:
    """Whether a shell command names, anywhere, a program that failed before. Raises Fault of the store.

    Every call asks this, so little is loaded."""
    text = shell_command(payload.tool, payload.tool_input)
    if not text or not database.exists():
        return False
    from core.store import faults, open_store

    with open_store(database) as store, faults(database):
        known = store.con.execute("SELECT DISTINCT program FROM before_run")
        return any(program in text for (program,) in known)


def _rules_before(payload: Payload, database: Path, around: Surroundings, *, taken: bool) -> Handled:
    """The rules and bans that a call meets. Where there is no file of them, next to nothing is loaded to find out."""
    from core.flows.rules.files import ban_places, no_files, rule_files

    rules = read_rules(around.rules)
    folder = Path(payload.cwd) if Path(payload.cwd).is_absolute() else None
    files = rule_files(rules, folder) if rules is not None else ()
    odd = no_files(rules, folder) if rules is not None else ()
    edited = payload.tool_input.get("file_path", "")
    bans = ban_places(rules, folder, edited if isinstance(edited, str) else "") if rules is not None else ()
    if rules is None or not (files or bans):
        return Handled(event=payload.event, fault="; ".join(odd))
    from core.base.config.settings import EmbeddingSettings
    from core.flows.rules.ban_match import BanSource

    broken = BanSource(rules, folder).broken(payload.tool, payload.tool_input) if bans else ()
    if not (files or broken):
        return Handled(event=payload.event, fault="; ".join(odd), rules=len(bans))
    from core.flows.hook.pre_tool_use import advise, count_shown, embed_soon, rules_reply

    settings = EmbeddingSettings(model=around.model, service=around.service and not taken)
    advice = advise(payload, files, folder, database, settings, rules.hook_most, broken)
    reply, fault = (rules_reply(advice.found) if advice.found.rules else None), ""
    try:
        if advice.waiting and not taken:
            embed_soon(files, database, settings)
    except (Fault, OSError) as error:  # the agent gets its answer all the same
        fault = error.message if isinstance(error, Fault) else str(error)
    warnings = (fault or _missed(advice.found), *advice.unread, *odd)
    count = None if reply is None or taken else lambda: count_shown(advice, database, payload.session_id)
    many = len(files) + len(bans)
    return Handled(reply, payload.event, "; ".join(filter(None, warnings)), rules=many, once_written=count)


def _missed(found: RuleMatch) -> str:
    """Why meaning was not compared, where it should have been (REQ-SEM-006); empty where nothing failed."""
    step = next((step for step in found.trace if step.stage == "semantic"), None)
    failed = step is not None and step.outcome in ("failed", "timeout")
    return f"rules matched by keywords only: {step.reason}" if step is not None and failed else ""


def read_rules(line: str) -> RuleSettings | None:
    """The settings of rules as a hook hands them to its host, in one line: neither loads what reads settings.

    Empty: the defaults; `RULES_OFF`: none, because rules are not wanted."""
    from core.base.config.settings import RuleSettings

    if line == RULES_OFF:
        return None
    if not line:
        return RuleSettings()
    most, files, project_files, trust = (*line.split("\n", 3), "", "", "")[:4]
    most, _, without = most.partition(" ")
    number = int(most) if most.isdigit() else RuleSettings().hook_most
    return RuleSettings(files, project_files, hook=True, hook_most=number, bans=not without, trust=trust)
