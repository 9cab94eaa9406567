"""A stored session's rows as events of a harvest, each with the features that it has without any other event.

Most of a harvest's work is here. None of it needs another event, so a second process may do it.
A slip's key (the same wrong name, guessed in one session after the other) is one of the features."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, cast

import apsw
import orjson

from core.base.lazy import lazy_pattern
from core.errors.identity.fingerprint import mask_counts
from core.errors.incidents import FILE_SLIPS
from core.flows.harvest.changes import DELEGATED, DELEGATES, Change, change_of
from core.flows.harvest.command import Command, command_of, parse_command
from core.flows.harvest.events import Event, Ran, Statement
from core.flows.harvest.fixes.clues import Clue, clues_of
from core.flows.harvest.outcome import GUESSED, Outcome, judge, judge_running
from core.flows.harvest.resolve import slim_change
from core.flows.harvest.signatures import ABSENT
from core.flows.system.parallel import Question, Second, shared
from core.process.worker import Call
from core.store import Store, open_store
from core.text import clean
from core.transcripts.commands import LOOKS_AT_RUNNING, OWN_TOOLS, SHELL_TOOLS
from core.transcripts.records import Failure

LIMIT: Final = 200
"""Code points of a key."""
NO_FILE: Final = FILE_SLIPS[0]
"""How the key of a file begins that was looked for and is not there, whatever looked for it."""

_READ: Final = 4_000
_DESCRIBED: Final = 160
"""Code points of what an agent calls a command."""
_TAG: Final = "<tool_use_error>"
_FILES: Final = ("file_path", "notebook_path", "path")
_QUOTES: Final = " :'\"‘’`"
_PLACED: Final = ("is a directory", "not a directory")
_WORD: Final = lazy_pattern(r"[\w./\\@-]{2,200}")
_QUOTED: Final = lazy_pattern(r"'([^'\"`\n]{2,100})'|\"([^'\"`\n]{2,100})\"|`([^'\"`\n]{2,100})`")
_MARKED: Final = lazy_pattern(r"\w[/\\_.]\w|[a-z][A-Z]")
"""Signs within a word that make it a path or an identifier, not a word of a sentence."""


def slip_of(ran: Ran, command: Command | None, outcome: Outcome) -> str:
    """The key of a call that the agent's own tool refused, or of a look at a file that is not there; else ''.

    The first line of the message, its counts masked and the wrong name kept. A missing file has one key, whatever
    looked for it.
    """
    if outcome.sign != "agent_tool" and outcome.reason != GUESSED:
        return ""
    lines = [line.strip() for line in ran.text[:_READ].removeprefix(_TAG).split("\n") if line.strip()]
    for line in lines:
        absent = ABSENT.search(line)
        if absent is None:
            continue
        file = _named_by(line[: absent.start()]) if command is not None else _requested_file(ran)
        if file:
            what = absent[0].lower()
            return f"{what if what in _PLACED else NO_FILE.rstrip(': ')}: {file}"[:LIMIT]
    if outcome.sign != "agent_tool" or not lines:
        return ""
    reason = clean(lines[0].partition("</")[0])
    return f"{ran.tool}: {mask_counts(reason)}"[:LIMIT]


def names_in(message: str) -> tuple[str, ...]:
    """The paths, the identifiers and what is quoted in a message."""
    words = (match[0].strip("./\\@-") for match in _WORD.finditer(message))
    quoted = (next(filter(None, match.groups()), "").strip() for match in _QUOTED.finditer(message))
    found = (*(word for word in words if _MARKED.search(word)), *quoted)
    return tuple(dict.fromkeys(name for name in found if name))


def slip_in(key: str, project: str) -> str:
    """The key as seen from `project`: its files relative to that folder."""
    root = project.rstrip("/\\")
    if root:
        key = key.replace(f"{root}/", "").replace(f"{root}\\", "")
    return key.replace(": ./", ": ")


def _named_by(complaint: str) -> str:
    """The file that a program names before it says that there is none: `sed: a.go`, `ls: cannot access 'a.go'`."""
    return complaint.rstrip(_QUOTES).rpartition(": ")[2].rpartition(" ")[2].strip(_QUOTES)


def _requested_file(ran: Ran) -> str:
    """The file that a tool was called with."""
    return next((name for key in _FILES if isinstance(name := ran.tool_input.get(key), str) and name), "")


_STATEMENT_LENGTH: Final = 8_000
_MENTIONS: Final = 200_000
_SAYING: Final = frozenset(("echo", "printf", "Write-Output", "Write-Host"))
_LOOKS: Final = OWN_TOOLS | LOOKS_AT_RUNNING
_STARTED_WITHIN: Final = 20_000
_STARTED = re.compile(
    r"\A.{0,200}running in (?:the )?background with ID:? (\w+)"
    r"|^(?:Process running with session ID|Script running with cell ID) (\d+)[ \t]*$",
    re.MULTILINE,
)
_ESCALATES = re.compile(
    r"\bsandbox_permissions[\"']?\s*:\s*[\"']require_escalated\b|\bwith_escalated_permissions[\"']?\s*:\s*true\b"
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


Seen = Statement | Result


def observe(event: Event) -> Seen:
    """An event with what it says by itself."""
    if isinstance(event, Statement):
        return event if len(event.text) <= _STATEMENT_LENGTH else event._replace(text=event.text[:_STATEMENT_LENGTH])
    return result_of(event)


def result_of(ran: Ran) -> Result:
    """A tool's result, judged by its own words."""
    command = command_of(ran.tool, ran.tool_input)
    look, begun = ran.tool in _LOOKS, _begun(ran)
    outcome = _outcome_of_start(ran, command) if begun else judge(ran, command)
    if (
        command is not None
        and command.parts
        and outcome.verdict in ("passed", "filtered")
        and _fell_back(command, ran.text)
    ):
        outcome = outcome._replace(verdict="failed", whole=False)
    mentions = frozenset(_FILE.findall(ran.text[:_MENTIONS])) if outcome.errors else frozenset[str]()
    change = slim_change(change_of(ran.tool, ran.tool_input, command, ran.facts))
    shell = command is not None
    if command is None and outcome.verdict in ("passed", "failed"):
        command = named_command(ran)
    kept = ran
    if not look:
        given: Mapping[str, object] = ran.tool_input if begun else _described(ran)
        facts: Mapping[str, object] = ran.facts if begun else {}
        session, idx, chain, tool, _, _, failure, code, ts, _, called = ran  # built at once: twice as fast as a change
        kept = Ran(session, idx, chain, tool, given, "", failure, code, ts, facts, called)
    clues = clues_in(ran.text, outcome)
    escalated, slip = is_escalated(ran.tool_input), slip_of(ran, command if shell else None, outcome)
    return Result(kept, look, shell, command, outcome, change, mentions, begun, clues, escalated, slip=slip)


def _fell_back(command: Command, text: str) -> bool:
    """Whether what a command tried failed, so that it ended with its own words for it (`a || b && c || echo none`)."""
    *tried, last = command.parts
    if last.program not in _SAYING or not tried or tried[-1].simple.after != "||":
        return False
    if any(part.simple.after not in ("||", "&&") for part in tried):
        return False
    fallback = " ".join(last.words[1:]).strip()
    return bool(fallback) and text.rstrip().rpartition("\n")[2].strip() == fallback


def clues_in(text: str, outcome: Outcome) -> tuple[Clue, ...]:
    """What an output says of each of the errors that were found in it."""
    return clues_of(text, [(error.key.start, error.key.end, error.key.text) for error in outcome.errors])


def _described(ran: Ran) -> Mapping[str, object]:
    """Of what a tool was given, only the line in which the agent says what its command does."""
    description = ran.tool_input.get("description")
    return {"description": description[:_DESCRIBED]} if isinstance(description, str) else {}


def is_escalated(tool_input: Mapping[str, object]) -> bool:
    """Whether a call asks to run outside the sandbox, by itself or in the script in which it calls its tools."""
    script = tool_input.get("input")
    return (
        tool_input.get("sandbox_permissions") == "require_escalated"
        or tool_input.get("with_escalated_permissions") is True
        or tool_input.get("dangerouslyDisableSandbox") is True
        or (isinstance(script, str) and "escalated" in script and _ESCALATES.search(script) is not None)
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
    notice = None if task else head.partition("\nOutput:")[0]
    found = _STARTED.search(notice) if notice and " ID" in notice else None
    return str(task) if task else (found[1] or found[2]) if found else None


def named_command(ran: Ran) -> Command:
    """What a tool that runs no shell counts as: a command of its name."""
    given = (f"{key}={value}" for key, value in sorted(ran.tool_input.items()) if isinstance(value, str | int))
    return parse_command(f"{ran.tool} {' '.join(given)[:500]}")


_PIECE: Final = 2_000
"""Messages of a session that are looked at together; one of more is shared with the second process, if that runs."""

# Texts of tools that neither run a command nor failed are not fetched: they say nothing of errors.
_ROWS = """SELECT m.ts, m.idx, m.chain, m.role, t.name, t.input_json, t.failure, t.exit_code, t.facts_json, t.call_idx,
 iif(t.name IS NULL OR t.failure IN ('error', 'tool_use_error') OR t.name GLOB 'mcp__*'
  OR t.name IN (SELECT value FROM json_each(?2)), m.text, '')
 FROM message m LEFT JOIN tool_call t INDEXED BY tool_call_result
 ON t.session_id = m.session_id AND t.result_idx = m.idx
 WHERE m.session_id = ?1 AND m.idx >= ?3 AND m.idx < ?4
 AND (t.name IS NOT NULL OR (m.kind = 'text' AND m.meta = 0 AND m.role IN ('user', 'assistant')))
 ORDER BY m.idx"""
_READ_TOOLS = json.dumps(sorted(SHELL_TOOLS | OWN_TOOLS | LOOKS_AT_RUNNING))


def read_history(store: Store, sessions: Sequence[str], second: Second | None) -> Iterator[Seen]:
    """The events of stored sessions as one history, by time, each session's own in message order."""
    if len(sessions) > 1:
        for _, event in heapq.merge(*(_by_time(store.con, session) for session in sessions), key=_time):
            yield observe(event)
        return
    (session,) = sessions
    pieces = _pieces(store.con, session)
    if second is None or not second.running or len(pieces) < 2:
        yield from (observe(event) for piece in pieces for event in _events(store.con, session, piece))
        return

    def elsewhere(piece: range) -> Question:
        return _read_in_child, (store.path, session, piece)

    def here(piece: range) -> list[Seen]:
        return [observe(event) for event in _events(store.con, session, piece)]

    for _, some in shared(second, pieces, elsewhere, here):
        yield from some


def _read_in_child(_call: Call, path: Path, session: str, piece: range) -> list[Seen]:
    """In the second process, which sees what was committed: all that a harvest reads."""
    with open_store(path) as store:
        return [observe(event) for event in _events(store.con, session, piece)]


def _pieces(con: apsw.Connection, session: str) -> list[range]:
    """The message numbers of a session in pieces."""
    return [range(start, start + _PIECE) for start in range(0, count_of(con, session), _PIECE)]


def count_of(con: apsw.Connection, session: str) -> int:
    """How many messages a session has."""
    row = con.execute("SELECT max(idx) + 1 FROM message WHERE session_id = ?", (session,)).fetchone()
    return cast("int", row[0]) if row and row[0] else 0


def _by_time(con: apsw.Connection, session: str) -> Iterator[tuple[str, Event]]:
    """Yield events with the latest time of their session so far."""
    latest = ""
    for piece in _pieces(con, session):
        for event in _events(con, session, piece):
            latest = max(latest, event.ts)
            yield latest, event


def _time(event: tuple[str, Event]) -> str:
    return event[0]


def _events(con: apsw.Connection, session: str, piece: range) -> Iterator[Event]:
    for row in con.execute(_ROWS, (session, _READ_TOOLS, piece.start, piece.stop)):
        ts, idx, chain, role, tool, given, failure, exit_code, facts, called, text = cast(
            "tuple[str, int, str, str, str | None, str, Failure, int | None, str, int | None, str]", row
        )
        if tool is None:
            yield Statement(session, idx, chain, role, text, ts)
        else:
            known = object_of(facts)
            if tool in DELEGATES and isinstance(known.get("agent"), str):
                known = {**known, **_delegated(con, f"{session}/{known['agent']}")}
            yield Ran(session, idx, chain, tool, object_of(given), text, failure, exit_code, ts, known, called)


def _delegated(con: apsw.Connection, session: str) -> dict[str, object]:
    """What a subagent's session changed, as the fact of the call that started it; empty where it is not known."""
    if con.execute("SELECT 1 FROM session WHERE id = ?", (session,)).fetchone() is None:
        return {}
    calls = con.execute(
        "SELECT name, input_json FROM tool_call WHERE session_id = ? AND failed = 0 AND result_idx IS NOT NULL"
        " ORDER BY result_idx LIMIT 500",
        (session,),
    ).fetchall()
    given = ((str(name), object_of(str(text))) for name, text in calls)
    changes = [change_of(name, inputs, command_of(name, inputs), {}) for name, inputs in given]
    made = [change for change in changes if change is not None]
    return {DELEGATED: Change(tuple(dict.fromkeys(file for change in made for file in change.files))) if made else None}


def object_of(text: str) -> Mapping[str, object]:
    """The JSON object in a text; an empty one where there is none."""
    try:
        value: object = orjson.loads(text)
    except ValueError:  # what orjson does not take (huge numbers, lone surrogates) the standard library may
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
