"""What each event says by itself, whatever stands before it: all that the fold needs of it, and no more.

Most of a harvest's work is here, and none of it needs another event: a second process may do it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from core.flows.harvest.changes import Change, change_of
from core.flows.harvest.command import Command, command_of, parse_command
from core.flows.harvest.events import Event, Ran, Said
from core.flows.harvest.outcome import Outcome, judge
from core.flows.harvest.settle import slim_change
from core.transcripts.commands import OWN_TOOLS

_SAID_LENGTH: Final = 8_000
_MENTIONS: Final = 200_000
_LOOKS: Final = OWN_TOOLS | {"write_stdin"}
_STARTED = re.compile(r"running in (?:the )?background with ID:? (\w+)|Process running with session ID (\d+)")
_FILE = re.compile(r"(?<![\w.\-])[\w.\-]+\.[A-Za-z]{1,5}\b")  # a run without an end is read once, not from each letter


class Result(NamedTuple):
    """A tool's result, judged: the call without its text and input, save where it is a `look` at a background task.

    `command` is what ran (in a `shell`, or else what counts as one, where the result says anything); `change` what it
    changed, where it succeeded; `mentions` the file names in a failing output. `begun`: the background task that it
    only started, which is then judged by the looks at it.
    """

    ran: Ran
    look: bool
    shell: bool
    command: Command | None
    outcome: Outcome
    change: Change | None
    mentions: frozenset[str]
    begun: str | None


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
    outcome = Outcome("running") if begun else judge(ran, command)
    mentions = frozenset(_FILE.findall(ran.text[:_MENTIONS])) if outcome.errors else frozenset[str]()
    change = slim_change(change_of(ran.tool, ran.tool_input, command, ran.facts))
    shell = command is not None
    if command is None and outcome.verdict in ("passed", "failed"):
        command = named_command(ran)
    kept = ran if look else ran._replace(text="") if begun else ran._replace(text="", tool_input={}, facts={})
    return Result(kept, look, shell, command, outcome, change, mentions, begun)


def _begun(ran: Ran) -> str | None:
    """The background task that a call started and did not wait for."""
    if ran.exit_code is not None or ran.tool in _LOOKS:
        return None
    task = ran.facts.get("background")
    found = None if task or ran.failure != "none" else _STARTED.search(ran.text[:600])
    return str(task) if task else (found[1] or found[2]) if found else None


def named_command(ran: Ran) -> Command:
    """What a tool that runs no shell counts as: a command of its name."""
    given = (f"{key}={value}" for key, value in sorted(ran.tool_input.items()) if isinstance(value, str | int))
    return parse_command(f"{ran.tool} {' '.join(given)[:500]}")
