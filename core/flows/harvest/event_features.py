"""What each event says by itself, whatever stands before it: all that the fold needs of it, and no more.

Most of a harvest's work is here, and none of it needs another event: a second process may do it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from core.flows.harvest.changes import Change, change_of
from core.flows.harvest.command import Command, command_of, parse_command
from core.flows.harvest.events import Event, Ran, Said
from core.flows.harvest.fixes.clues import Clue, clues_of
from core.flows.harvest.outcome import Outcome, judge, judge_running
from core.flows.harvest.resolve import slim_change
from core.flows.harvest.verdicts.slips import slip_of
from core.transcripts.commands import LOOKS_AT_RUNNING, OWN_TOOLS

_SAID_LENGTH: Final = 8_000
_MENTIONS: Final = 200_000
_LOOKS: Final = OWN_TOOLS | LOOKS_AT_RUNNING
_STARTED_WITHIN: Final = 20_000
_STARTED = re.compile(
    r"\A.{0,200}running in (?:the )?background with ID:? (\w+)"
    r"|^(?:Process running with session ID|Script running with cell ID) (\d+)[ \t]*$",
    re.MULTILINE,
)
_FILE = re.compile(r"(?<![\w.\-])[\w.\-]+\.[A-Za-z]{1,5}\b")  # a run without an end is read once, not from each letter


class Result(NamedTuple):
    """A tool's result, judged: the call without its text and input, save where it is a `look` at a background task.

    `command` is what ran (in a `shell`, or else what counts as one, where the result says anything); `change` what it
    changed, where it succeeded; `mentions` the file names in a failing output. `begun`: the background task that it
    only started, which is then judged by the looks at it. `clues` are what the output says of each of its errors;
    `escalated`: it ran outside the agent's sandbox. `call_idx`: the message of the call that began it, where `ran` is a
    look at what that started. `slip`: what a slip of the agent is counted by.
    """

    ran: Ran
    look: bool
    shell: bool
    command: Command | None
    outcome: Outcome
    change: Change | None
    mentions: frozenset[str]
    begun: str | None
    clues: tuple[Clue, ...] = ()
    escalated: bool = False
    call_idx: int | None = None
    slip: str = ""


Seen = Said | Result


def seen(event: Event) -> Seen:
    """An event with what it says by itself."""
    if isinstance(event, Said):
        return event if len(event.text) <= _SAID_LENGTH else event._replace(text=event.text[:_SAID_LENGTH])
    return result_of(event)


def result_of(ran: Ran) -> Result:
    """A tool's result, judged by its own words."""
    command = command_of(ran.tool, ran.tool_input)
    look, begun = ran.tool in _LOOKS, _begun(ran)
    outcome = _outcome_of_start(ran, command) if begun else judge(ran, command)
    mentions = frozenset(_FILE.findall(ran.text[:_MENTIONS])) if outcome.errors else frozenset[str]()
    change = slim_change(change_of(ran.tool, ran.tool_input, command, ran.facts))
    shell = command is not None
    if command is None and outcome.verdict in ("passed", "failed"):
        command = named_command(ran)
    kept = ran if look else ran._replace(text="") if begun else ran._replace(text="", tool_input={}, facts={})
    clues = clues_in(ran.text, outcome)
    escalated, slip = is_escalated(ran.tool_input), slip_of(ran, command if shell else None, outcome)
    return Result(kept, look, shell, command, outcome, change, mentions, begun, clues, escalated, slip=slip)


def clues_in(text: str, outcome: Outcome) -> tuple[Clue, ...]:
    """What an output says of each of the errors that were found in it."""
    return clues_of(text, [(error.key.start, error.key.end, error.key.text) for error in outcome.errors])


def is_escalated(tool_input: Mapping[str, object]) -> bool:
    """Whether a call asks to run outside the sandbox."""
    return (
        tool_input.get("sandbox_permissions") == "require_escalated"
        or tool_input.get("with_escalated_permissions") is True
        or tool_input.get("dangerouslyDisableSandbox") is True
    )


def _outcome_of_start(ran: Ran, command: Command | None) -> Outcome:
    """What a call says that only began its command: nothing yet, save where it failed in the end as it begins here."""
    outcome = judge_running(ran)._replace(verdict="running")
    return judge(ran, command) if outcome.errors and ran.exit_code else outcome


def _begun(ran: Ran) -> str | None:
    """The background task that a call started and did not wait for."""
    if ran.tool in _LOOKS or ran.failure not in ("none", "error"):
        return None
    task = ran.facts.get("background")
    # Codex adds the exit code of the whole run to the call that began it; the text is of the moment it was begun.
    head = ran.text[: _STARTED_WITHIN if ran.text.startswith("Command:") else 600]
    told = None if task else head.partition("\nOutput:")[0]
    found = _STARTED.search(told) if told and " ID" in told else None
    return str(task) if task else (found[1] or found[2]) if found else None


def named_command(ran: Ran) -> Command:
    """What a tool that runs no shell counts as: a command of its name."""
    given = (f"{key}={value}" for key, value in sorted(ran.tool_input.items()) if isinstance(value, str | int))
    return parse_command(f"{ran.tool} {' '.join(given)[:500]}")
