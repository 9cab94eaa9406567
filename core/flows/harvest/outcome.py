"""What a tool result says of its command: passed, failed (and with which errors), or nothing either way."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from core.errors.fingerprint import fingerprint_line
from core.errors.identify import identify
from core.errors.identity import KeyLine
from core.errors.normalize import normalize_line
from core.flows.harvest import programs
from core.flows.harvest.changes import DELEGATES, WRITERS
from core.flows.harvest.command import Command
from core.flows.harvest.events import Ran
from core.flows.harvest.signatures import ERROR, FAILED, PASSED, blanked, only_lines_of, shortened
from core.transcripts.commands import OWN_TOOLS, SHELL_TOOLS

Verdict = Literal["passed", "failed", "filtered", "alive", "running", "silent"]
"""`filtered`: it showed nothing of what it was searched for; `alive`: not over, and nothing wrong so far; `running`:
not over; `silent`: says nothing either way."""

KEYS_KEPT: Final = 20
"""Errors taken from one output."""

_AGENT_TOOLS: Final = OWN_TOOLS | WRITERS | DELEGATES
_LOOKING_TOOLS: Final = frozenset(
    [
        "Read",
        "NotebookRead",
        "Grep",
        "Glob",
        "LS",
        "LSP",
        "WebFetch",
        "WebSearch",
        "TodoWrite",
        "TodoRead",
        "Skill",
        "ToolSearch",
        "AskUserQuestion",
        "wait",
        "EnterPlanMode",
        "ExitPlanMode",
        "SlashCommand",
        "ListMcpResourcesTool",
        "ReadMcpResourceTool",
        "update_plan",
        "view_image",
        "read_file",
        "list_dir",
        "grep_files",
        "web_search",
        "write_stdin",
    ]
)
_ANY_CODE: Final = frozenset(
    ("pg_isready", "systemctl is-active", "systemctl is-enabled", "systemctl is-failed", "lsof", "nc")
)
_STOPPED: Final = frozenset((124, 130, 137, 143))
"""Exit codes of what was stopped from outside: by `timeout`, Ctrl-C, a kill."""
_EXIT = re.compile(r"\s*(?:Error: )?Exit code (\d{1,3})\b")
_TIMED_OUT = re.compile(r"\s*(?:Error: )?(?:Exit code \d+\s+)?(?:command timed out|\(timeout\b)", re.IGNORECASE)
_CUT = re.compile(
    r"<persisted-output>|\[\d[\d,]* (?:lines?|characters?|chars|tokens) truncated\]|…\d+ (?:tokens|chars|lines) trunc"
    r"|\[\.\.\. omitted \d+ of|Output too large \(",
    re.IGNORECASE,
)


class Named(NamedTuple):
    """One error in an output, with the names it is kept under."""

    key: KeyLine
    normalized: str
    fingerprint: str


class Outcome(NamedTuple):
    """What a result says. `errors` are those it names; `whole` is False where an error may only not be shown."""

    verdict: Verdict
    errors: tuple[Named, ...] = ()
    whole: bool = True


SILENT: Final = Outcome("silent")


def judge(ran: Ran, command: Command | None) -> Outcome:
    """Judge a result of a shell command or, where `command` is None, of another tool; denials say nothing."""
    if ran.failure not in ("none", "error"):
        return SILENT
    if command is None:
        return _judge_tool(ran)
    if any(part.program in WRITERS for part in command.members):
        return SILENT  # a patch that does not apply is no error of the project
    body, code = blanked(ran.text), _exit_code(ran)
    if command.masked and code == 0 and command.status is not None:
        printed = list(command.status.finditer(body))
        if printed:
            body, code = _without(body, printed), int(printed[-1][1])
            if code == 0:
                return Outcome("passed")
    if code != 0:
        return _failed(ran, command, body, code)
    if not command.masked or command.reads_only:
        return Outcome("passed")
    return _masked(command, body)


def judge_running(ran: Ran) -> Outcome:
    """What a look at a command that still runs says: alive, if it printed something and nothing is wrong with it."""
    body = blanked(ran.text)
    healthy = body.strip() and not ERROR.search(shortened(body))
    return Outcome("alive") if healthy else Outcome("running")


def _exit_code(ran: Ran) -> int:
    if ran.exit_code is not None:
        return ran.exit_code
    if ran.failure == "none":
        return 0
    found = _EXIT.match(ran.text[:80])
    return int(found[1]) if found else -1


def _without(body: str, found: list[re.Match[str]]) -> str:
    start, end = found[-1].span()
    return body[:start] + " " * (end - start) + body[end:]


def _failed(ran: Ran, command: Command, body: str, code: int) -> Outcome:
    if _says_no(command, body, code):
        filtered = command.members and not command.reads_only and not body.strip()
        return Outcome("filtered") if filtered else SILENT
    if command.reads_only:
        body = only_lines_of(body, {part.program for part in command.parts if part.program})
    shown = command.view != "hidden" or bool(body.strip())
    stopped = code in _STOPPED or _TIMED_OUT.match(ran.text[:200])
    if stopped and not ERROR.search(shortened(body)):
        return Outcome("failed", (), whole=False)
    errors = named_errors(body) if shown else ()
    return Outcome("failed", errors, whole=bool(errors) and not _is_cut(ran) and command.view != "part")


def _says_no(command: Command, body: str, code: int) -> bool:
    """Whether exit code 1 is only the answer of a search or a test, not a failure."""
    last = command.last
    if last is None or not last.named(programs.ANSWERS) or (code != 1 and not last.named(_ANY_CODE)):
        return False
    if last.words[:2] == ("git", "diff") and not {"--quiet", "--exit-code", "--check"} & set(last.words):
        return False
    if only_lines_of(body, {last.program}).strip() and last.program not in ("diff", "cmp", "which", "where"):
        return False
    return command.reads_only or not ERROR.search(shortened(body))


def _masked(command: Command, body: str) -> Outcome:
    """A command whose exit code says nothing: what its output looks like decides."""
    if command.view == "hidden":
        return SILENT
    probe = shortened(body)
    fails, passes, named = FAILED.search(probe), PASSED.search(probe), ERROR.search(probe)
    if not fails and (passes or not named):
        return Outcome("filtered") if command.view == "part" and not passes else Outcome("passed")
    errors = _recognised(named_errors(body)) if named else ()
    return Outcome("failed", errors, whole=bool(errors) and command.view != "part")


def _judge_tool(ran: Ran) -> Outcome:
    """A tool that runs no shell: a project error only where its failure reads like one."""
    if ran.tool in _AGENT_TOOLS or ran.tool in _LOOKING_TOOLS or ran.tool in SHELL_TOOLS:
        return SILENT
    if ran.failure == "none":
        return Outcome("passed")
    body = blanked(ran.text)
    if not ERROR.search(shortened(body)):
        return SILENT
    errors = _recognised(named_errors(body))
    return Outcome("failed", errors, whole=bool(errors) and not _is_cut(ran))


def _is_cut(ran: Ran) -> bool:
    return bool(ran.facts.get("preview")) or _CUT.search(ran.text) is not None


def _recognised(errors: tuple[Named, ...]) -> tuple[Named, ...]:
    """The errors that a known tool gave, where there are any."""
    return tuple(error for error in errors if error.key.tool != "unknown") or errors


def named_errors(body: str) -> tuple[Named, ...]:
    """The errors an output names, each once, the first first. Causes and echoes (secondary lines) are no errors."""
    if not body.strip():
        return ()
    found = identify(body)
    errors: dict[str, Named] = {}
    texts: list[str] = []
    for at, key in enumerate(key for key in found.key_lines if key.role == "primary"):
        if not key.text.strip() or any(_echo(key.text, said) for said in texts):
            continue
        texts.append(key.text)
        own = at == 0 and key.text == found.key_line
        print_ = found.fingerprint if own else fingerprint_line(key.text)
        if print_ not in errors:
            errors[print_] = Named(key, found.normalized if own else normalize_line(key.text), print_)
        if len(errors) == KEYS_KEPT:
            break
    return tuple(error for error in errors.values() if not error.key.text.endswith(":")) or tuple(errors.values())


def _echo(text: str, said: str) -> bool:
    """Whether one line only says the other again: without its exception's name, or with a note in brackets."""
    shorter, longer = sorted((text, said), key=len)
    return longer == shorter or longer.endswith(f" {shorter}") or longer.startswith(f"{shorter} [")
