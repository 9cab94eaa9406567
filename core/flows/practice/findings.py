"""What a harvest leaves for practice: its findings with a rule, what the environment lacked, commands to warn of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final, cast

import apsw

from core.errors.identity.codes import Rule, rule_of
from core.errors.identity.lack import Lack, lack_of
from core.errors.practice import Finding, Warned, replace_rows
from core.flows.harvest.command import Command, parse_command
from core.flows.harvest.events import HarvestedError
from core.flows.harvest.fixes.correction import OUTSIDE
from core.flows.practice.approach import Approach, approach_of
from core.flows.practice.before_run import settle_told
from core.flows.practice.trap import quoted_pattern, trap_of

_CONTEXT: Final = 2_000
_SHOWN: Final = 200
_BY_A_PERSON: Final = "a person dealt with it"


def write_practice(con: apsw.Connection, harvest: str, found: Iterable[HarvestedError]) -> None:
    """Replace what an earlier harvest of this session left by what these errors say. Within the caller's transaction.

    `found` is read twice.
    """
    findings = [one for error in found for one in findings_of(con, error)]
    replace_rows(con, harvest, findings, [one for error in found for one in warned_of(error)])
    settle_told(con, harvest)


def findings_of(con: apsw.Connection, error: HarvestedError) -> Iterator[Finding]:
    """The finding of a rule or a lack that an error is, if it is one; a rule's only once it was fixed."""
    rule = rule_of(error.key.text, error.key.tool, _context(con, error) if error.key.tool == "rustc" else "")
    if rule is not None and error.resolved and (approach := _approach(rule, error)) is not None:
        yield _finding(error, "rule", rule.checker, rule.name, approach)
    lack = _lack(error)
    if lack is not None:
        yield _finding(error, "lack", lack.kind, lack.name, _instead(error, lack))


def warned_of(error: HarvestedError) -> Iterator[Warned]:
    """What to say before the failing command is run again, where another command passed in its place."""
    if not error.resolved or error.instead is None or error.worth not in ("general", "project"):
        return
    failed, passed = (parse_command(text) for text in error.instead)
    lack = _lack(error)
    for program, key in dict.fromkeys(trap_of(failed, passed, error.key.text, lack)):
        yield Warned(
            program=program,
            key=key,
            session_id=error.session_id,
            message_idx=error.message_idx,
            fingerprint=error.fingerprint,
            fix_session=error.verified_session or "",
            message_ids=json.dumps(list(error.message_ids)),
            worth=error.worth,
            lack_tool=lack.kind if lack is not None else "",
            lack_name=lack.name if lack is not None else "",
            failed=_of(failed, program),
            said=error.key.text[:_SHOWN],
            passed=quoted_pattern(error.key.text, passed.text) or _same_program(failed.text, passed.text),
        )


def _lack(error: HarvestedError) -> Lack | None:
    """What the environment lacked; no program whose name came out of a quoted text of the command."""
    lack = lack_of(error.key.text)
    if lack is None or lack.kind != "program" or lack.name not in error.command:
        return lack
    return lack if any(part.program == lack.name for part in parse_command(error.command).parts) else None


def _approach(rule: Rule, error: HarvestedError) -> Approach | None:
    commands = error.commands if error.instead is None else (*error.commands, error.instead[1])
    told = any(link.why.startswith(_BY_A_PERSON) for link in error.links)
    return approach_of(rule, error.hints, commands, changed=bool(error.files_changed), told=told)


def _instead(error: HarvestedError, lack: Lack) -> Approach:
    """What passed where something was lacking: the command linked to it."""
    if not error.resolved:
        return Approach("open")
    if any(link.why == OUTSIDE.why for link in error.links):
        return Approach("worked instead", "the same command outside the sandbox")
    command = error.instead[1] if error.instead is not None else next(iter(error.commands), "")
    shown = quoted_pattern(error.key.text, command) if lack.kind == "glob" else _same_program(error.command, command)
    return Approach("worked instead", shown) if shown else Approach("open")


def _same_program(failed: str, passed: str) -> str:
    """The part of the command that passed which runs a program of the one that failed, else all of it."""
    programs = {part.program for part in parse_command(failed).members}
    again = next((part for part in parse_command(passed).members if part.program in programs), None)
    return _flat(passed if again is None else again.shape)


def _finding(error: HarvestedError, kind: str, tool: str, name: str, approach: Approach) -> Finding:
    return Finding(
        session_id=error.session_id,
        message_idx=error.message_idx,
        fingerprint=error.fingerprint,
        kind=kind,
        tool=tool,
        name=name,
        how=approach.how,
        shown=approach.shown,
        names=json.dumps(list(approach.names), ensure_ascii=False),
        fix_session=error.verified_session if error.resolved else None,
        message_ids=json.dumps(list(error.message_ids)),
        ts=error.ts,
    )


def _of(command: Command, program: str) -> str:
    """The part of a command that runs a program."""
    return _flat(next((part.shape for part in command.parts if part.program == program), command.text))


def _context(con: apsw.Connection, error: HarvestedError) -> str:
    row = con.execute(
        "SELECT substr(text, ?, ?) FROM message WHERE session_id = ? AND idx = ?",
        (error.key.end + 1, _CONTEXT, error.session_id, error.message_idx),
    ).fetchone()
    return "" if row is None else cast("str", row[0])


def _flat(command: str) -> str:
    flat = " ".join(command.split())
    return flat if len(flat) <= _SHOWN else f"{flat[: _SHOWN - 1]}…"
