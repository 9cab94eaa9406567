"""The outcome of a tool result: passed, failed (with its errors), or undecided; failures on other machines included."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from core.errors.identity.keylines.select import BROKEN_PIPE
from core.flows.harvest import programs
from core.flows.harvest.answers import (
    EXPECTED,
    NOT_INSTALLED,
    NOT_THERE,
    asks_presence,
    ends_in_look,
    is_cut_short,
    is_expected_failure,
    is_interrupted,
    is_none_found,
    is_silent,
    without_named_patterns,
    without_startup,
    without_unentered,
)
from core.flows.harvest.changes import DELEGATES, WRITERS
from core.flows.harvest.command import NOWHERE, Command, Part
from core.flows.harvest.complaints import (
    NOT_STARTED,
    ON_THIS_MACHINE,
    broken_answers,
    complaints,
    first_error,
    only_lines_of,
    own_complaints,
    powershell_records,
    unanswered,
)
from core.flows.harvest.elsewhere import errors_elsewhere
from core.flows.harvest.events import Ran, ResultVerdict
from core.flows.harvest.signatures import (
    ABSENT,
    COMPLAINT,
    ERROR,
    FAILED,
    LAST_COMPLAINT,
    LINE,
    NOTHING_TO_DO,
    OWN_SCRIPT,
    PASSED,
    SHORT,
    Named,
    blanked,
    first_complaint,
    is_trailer,
    named_errors,
    named_line,
    recognised,
    shortened,
)
from core.text import clean
from core.transcripts.commands import LOOKING_TOOLS, LOOKS_AT_RUNNING, OWN_TOOLS, SHELL_TOOLS, is_served_shell

Verdict = Literal["passed", "failed", "filtered", "alive", "running", "silent"]
"""`filtered`: it showed nothing of what it was searched for; `alive`: not over, or stopped by hand, and nothing
wrong so far; `running`: not over; `silent`: says nothing either way."""

GUESSED: Final = "A requested file does not exist."
"""The reason of an answer that the agent did not expect: it guessed the name."""

_AGENT_TOOLS: Final = OWN_TOOLS | WRITERS | DELEGATES
_PRINTERS: Final = frozenset(("echo", "printf", "print"))
_STOPPED: Final = frozenset((124, 130, 137, 141, 143))
"""Exit codes of what was stopped from outside: by `timeout`, Ctrl-C, a kill, a reader that had enough."""
_CHANGES: Final = 2
"""The exit code of a plan with changes (`terraform plan -detailed-exitcode`)."""
_STOPPED_EARLY: Final = "The command was stopped, and its output has no failure."
_EXIT = re.compile(r"\s*(?:Error: )?Exit code (\d{1,3})\b")
_TIMED_OUT = re.compile(r"\s*(?:Error: )?(?:Exit code \d+\s+)?(?:command timed out|\(timeout\b)", re.IGNORECASE)
_SIBLING = re.compile(r"\s*(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call)")
_TELLS_END = re.compile(r"\.session_id\b|\bexit_code\b|\bstringify\(")
"""A script that prints whether its command still runs."""
_INVALID_PARAMS = re.compile(r"\s*(?:Error: )?MCP error -32602\b")
"""JSON-RPC's code for arguments that a tool does not take."""
_OWN_SCRIPT_FAILED = re.compile(r"\s*(?:Script failed\n[^\n]*\n(?:Output:\s*)?)?Script error:")
"""How Codex reports an exception of the script in which it calls its tools."""
_JOB_FAILED = re.compile(r"^\[\d+\] ?[+-]? +(?:Exit|exit) [1-9][^\n]*", re.MULTILINE)
"""What a shell says when a command that it left in the background has failed."""
_LISTED = re.compile(r"\bfor \w+ in [^;\n]*(?:\$\(|`)|\bread\b|\bxargs\b")
"""A command that takes the names of files from what it lists."""
_LISTER = re.compile(r"(?:ls|find|fd|git|fatal)\b")
_REFUSED = re.compile(
    r"\b(?:HTTP|status(?: code)?|API error):? [45]\d\d\b|^Error executing tool \S+: |^\w+ failed: [A-Z]\w+Error: "
    r"|^Streamable HTTP error: |\bnet::ERR_[A-Z_]{4,}|^browserType\.launch: ",
    re.IGNORECASE,
)
"""What a service answered that a tool asked, or why its browser could not start: no error of the tool."""
_MODEL_REFUSED = re.compile(r"\s*API Error: [45]\d\d\b")
"""All that is left of an agent that another one started, where the service of its model refused."""
_CUT_OFF = re.compile(
    r"\s*(?:Error: )?(?:Unable to verify if domain \S+ is safe to fetch|Claude Code is unable to fetch from"
    r"|Request failed with status code (?:3\d\d|40[13]|429|5\d\d)|getaddrinfo E|socket hang up|connect E[A-Z]{4,}"
    r"|E(?:ACCES|PERM|ROFS|NOSPC|MFILE)\b|E[A-Z]{4,}: [^\n]{0,80}\b(?:posix_)?spawn\b|Ripgrep search timed out)"
)
"""Why an agent's own look at files or pages failed that is no mistake of the agent: the network, the machine, time."""
_OF_SSH: Final = 255
_SSH = re.compile(r"\b(?:ssh|scp|sftp|rsync)\b")
"""With this exit code ssh says that it did not get through to the other machine."""
_CUT = re.compile(
    r"<persisted-output>|\[\d[\d,]* (?:lines?|characters?|chars|tokens) truncated\]|…\d+ (?:tokens|chars|lines) trunc"
    r"|\[\.\.\. omitted \d+ of|Output too large \(",
    re.IGNORECASE,
)


class Outcome(NamedTuple):
    """What a result says. `errors` are those it names; `whole` is False where an error may only not be shown.

    `sign` is the verdict of a result with a sign of failure, None where there is no such sign; `reason` says why in one
    sentence. `elsewhere`: the command only showed what failed on another machine.
    """

    verdict: Verdict
    errors: tuple[Named, ...] = ()
    whole: bool = True
    sign: ResultVerdict | None = None
    reason: str = ""
    elsewhere: bool = False


SILENT: Final = Outcome("silent")


def judge(ran: Ran, command: Command | None) -> Outcome:
    """Judge a result of a shell command or, where `command` is None, of another tool; denials say nothing."""
    if ran.failure == "denied":
        return _sign("rejected", "The call was declined before it ran.")
    if ran.failure == "interrupted":
        return _sign("rejected", "You interrupted the call.")
    if ran.failure == "tool_use_error":
        if _SIBLING.match(ran.text[:200]):
            return _sign("noise", "The call was canceled because another call in the same message failed.")
        return _sign("agent_tool", f"The agent misused its own tool {ran.tool}.")
    if ran.failure == "error" and _INVALID_PARAMS.match(ran.text[:80]):
        return _sign("agent_tool", f"The agent called {ran.tool} with invalid arguments.")
    if ran.failure == "error" and _OWN_SCRIPT_FAILED.match(ran.text[:200]):
        return _sign("agent_tool", "The agent's own script failed, or its sandbox refused to run it.")
    if command is None:
        looks = ran.tool in LOOKS_AT_RUNNING or ("script" in ran.facts and ran.exit_code is not None)
        return _judge_look(ran) if looks else _judge_tool(ran)
    if any(part.program in WRITERS for part in command.members) and not NOT_STARTED.search(ran.text):
        # A patch that does not apply is no error of the project.
        return _sign("agent_tool", "The patch did not apply.") if ran.failure == "error" else SILENT
    return _judge_run(ran, command)


def _judge_run(ran: Ran, command: Command) -> Outcome:
    """A run of a shell command. What it was run to see is an answer, however it looks."""
    whole = without_unentered(command, without_startup(blanked(ran.text)))
    body = without_named_patterns(command, whole)
    outcome = _outcome_of_run(ran, command, body)
    if outcome.sign != "incident":
        if body != whole and outcome.verdict == "failed":
            return _sign("answer", NOT_THERE)
        silent = outcome.sign == "noise" and outcome.verdict == "failed" and not is_cut_short(command, body)
        return _sign("answer", NOT_INSTALLED) if silent and asks_presence(command) else outcome
    if body != whole and is_silent(body):
        return _sign("answer", NOT_THERE)
    if asks_presence(command):
        return _sign("answer", NOT_INSTALLED)
    if is_expected_failure(ran, body):
        return _sign("answer", EXPECTED)
    return outcome


def _outcome_of_run(ran: Ran, command: Command, body: str) -> Outcome:
    code = _exit_code(ran)
    if command.masked and code == 0 and command.status is not None:
        printed = list(command.status.finditer(body))
        if printed:
            body, code = _without(body, printed), int(printed[-1][1])
            if code == 0:
                return Outcome("passed")
    if code == 0 and command.reads_only and ran.exit_code is None and "script" in ran.facts and _gave_up(command, body):
        return _failed(ran, command, body, 1, inferred=True)
    if code != 0:
        return _failed(ran, command, body, code)
    if elsewhere := errors_elsewhere(command, body):
        shown = _failing(elsewhere, "The exit code is 0, but the output shows a failure on another machine", False)
        return shown._replace(elsewhere=True)
    if (command.masked or "script" in ran.facts or is_served_shell(ran.tool)) and not command.reads_only:
        return _masked(command, body)
    return (
        _partly(command, body) or _own_script_died(command, body) or _client_refused(command, body) or Outcome("passed")
    )


def judge_running(ran: Ran) -> Outcome:
    """What a look at a command that still runs says: alive, if it printed something and nothing is wrong with it."""
    body = without_startup(blanked(ran.text))
    if not body.strip():
        return Outcome("running")
    probe = shortened(body)
    if not ERROR.search(probe) and not FAILED.search(probe):
        return Outcome("alive")
    errors = recognised(named_errors(body))
    if not errors:
        return Outcome("running")
    return Outcome("running", errors, sign="incident", reason="The command still runs, and its output names a failure.")


def script_ended(look: Ran, origin: Ran) -> bool | None:
    """True where a look shows the end of a script of Codex and of the command in it, whose exit code it does not tell;
    None where the command may still run: the script does not say, and its output names no end."""
    if not look.text.startswith("Script completed") or look.facts.get("background"):
        return None
    script = look.tool_input.get("input") or origin.tool_input.get("input", "")  # a wait continues the script
    if _TELLS_END.search(str(script)):
        return True
    probe = shortened(blanked(look.text))
    return True if PASSED.search(probe) or FAILED.search(probe) or ERROR.search(probe) else None


def _judge_look(ran: Ran) -> Outcome:
    """A look at a command whose start is not known: its exit code, or else its output, says what became of it."""
    if ran.exit_code:
        body = blanked(ran.text)
        if is_interrupted(body) and not ERROR.search(shortened(body)):
            return _sign("noise", _STOPPED_EARLY)
        errors = named_errors(body) or first_complaint(body)
        return _failing(errors, f"A command failed with exit code {ran.exit_code}", whole=False)
    if ran.failure != "none":
        return _sign("agent_tool", f"The agent's own tool {ran.tool} refused the call.")
    outcome = judge_running(ran)
    return outcome._replace(reason="A command's output names a failure.") if outcome.errors else outcome


def _sign(sign: ResultVerdict, reason: str) -> Outcome:
    return SILENT._replace(sign=sign, reason=reason)


def _exit_code(ran: Ran) -> int:
    if ran.exit_code is not None:
        return ran.exit_code
    if ran.failure == "none":
        return 0
    found = _EXIT.match(ran.text[:80])
    return int(found[1]) if found else -1


def _gave_up(command: Command, body: str) -> bool:
    """Whether a look of a script of Codex, which tells no exit code, ends with a complaint of its own program, or one
    is all that it says. Of what is not there, or listens to no port of this machine, a list of commands asks."""
    shown = body.strip()
    first, last = shown[: shown.find("\n") + 1 or None].strip(), shown[shown.rfind("\n") + 1 :]
    complaint = first if last is first or not COMPLAINT.search(last[:LINE]) else last
    if not COMPLAINT.search(complaint[:LINE]) or (complaint is not last and shown.count("\n") >= SHORT):
        return False
    chained = len(command.parts) > 1 and all(part.simple.after in ("&&", "|") for part in command.parts[:-1])
    if not chained and (
        ON_THIS_MACHINE.search(complaint) or (ABSENT.search(complaint) and not _is_guess(command, complaint))
    ):
        return False
    quotes = any(part.named(programs.PRINTERS) for part in command.members)
    names = {part.program for part in command.parts}
    return bool(only_lines_of(complaint[:LINE], names, command.text).strip()) and not (
        quotes and complaint.startswith("error")
    )


def _without(body: str, found: list[re.Match[str]]) -> str:
    start, end = found[-1].span()
    return body[:start] + " " * (end - start) + body[end:]


def _failed(ran: Ran, command: Command, body: str, code: int, *, inferred: bool = False) -> Outcome:
    """A run whose exit code is not 0, as the tool reported it or `inferred` from the output."""
    if not inferred and _is_negative_answer(command, body, code):
        filtered = command.members and not command.reads_only and not body.strip()
        answer = _sign("answer", f"For this command, exit code {code} is a negative answer.")
        return answer._replace(verdict="filtered") if filtered else answer
    if NOTHING_TO_DO.search(body) and "cherry-pick is now empty" not in body and not ERROR.search(shortened(body)):
        return _sign("answer", "The command had nothing to do.")
    behind = _behind_heading(command, body)
    stopped = code in _STOPPED or _TIMED_OUT.match(ran.text[:200])
    remote = code == _OF_SSH and _SSH.search(command.text) is not None
    if is_none_found(command, body, code) or (code > 0 and ends_in_look(command, body)):
        return _sign("answer", NOT_THERE)
    if command.reads_only and not remote:
        spoken = _speaks(command, body) or NOT_STARTED.search(body) is not None
        own = body if spoken else only_lines_of(body, {part.program for part in command.parts}, command.text)
        ended = code > 0 or (ran.exit_code is None and bool(own.strip()))
        guessed = (_is_guess(command, own) or _is_path_guess(command, body)) and not _is_pattern(command, body)
        if ended and not stopped and not NOT_STARTED.search(body) and guessed:
            return _sign("answer", GUESSED)
        own = own if own.strip() else powershell_records(body, command.text)
        body = own if code > 0 and any(part.named(programs.PRINTERS) for part in command.members) else body
    shown = command.view != "hidden" or bool(body.strip())
    if is_interrupted(body) and not ERROR.search(shortened(body)):
        return Outcome("alive", sign="noise", reason=_STOPPED_EARLY)
    if stopped and not ERROR.search(shortened(body)) and not own_complaints(body, _programs(command)):
        return Outcome("failed", (), whole=False, sign="noise", reason=_STOPPED_EARLY)
    errors = (named_errors(body) or first_complaint(body) or first_complaint(behind)) if shown else ()
    whole = bool(errors) and not _is_cut(ran) and command.view != "part"
    return _failing(errors, f"The command failed with exit code {code}" if code > 0 else "The command failed", whole)


def _behind_heading(command: Command, body: str) -> str:
    """The output of the last part of a chain (`echo HEADING && gh pr view 5`), blanked before it, or an empty string.

    The heading was printed, so the part behind it is the one that failed.
    """
    if len(command.parts) < 2 or command.parts[-2].program not in ("echo", "printf"):
        return ""
    heading = " ".join(command.parts[-2].words[1:]).strip()
    lines = body.split("\n")
    at = next((at for at in range(len(lines) - 1, -1, -1) if heading and lines[at].strip() == heading), None)
    return "" if at is None else "\n".join((*(" " * len(line) for line in lines[: at + 1]), *lines[at + 1 :]))


def _failing(errors: tuple[Named, ...], what: str, whole: bool) -> Outcome:
    """A failed run: an incident where its output names the failure, else noise."""
    if errors:
        return Outcome("failed", errors, whole, "incident", f"{what}, and its output names the failure.")
    return Outcome("failed", (), whole=False, sign="noise", reason=f"{what}, and its output gives no cause.")


def _speaks(command: Command, body: str) -> bool:
    """Whether the output of a failed look is that of the program that failed, not of what it looked at."""
    last = command.last
    if last is None or not last.named(programs.SPEAKERS | programs.INTERPRETERS):
        return False
    alone = len(command.members) == 1 and last in command.members
    return alone or (last.named(programs.INTERPRETERS) and ERROR.search(shortened(body)) is not None)


def _is_guess(command: Command, own: str) -> bool:
    """Whether a look at files only found one of them missing, or found nothing and said nothing."""
    if not all(part.named(programs.FILE_READERS) for part in command.members):
        return False
    listed = _LISTED.search(command.text) is not None
    written = {target for part in command.parts for target in part.simple.targets} - NOWHERE
    for line in own.split("\n"):
        if not line.strip():
            continue
        absent = ABSENT.search(line)
        if absent is None or any(target in line for target in written):
            return False
        if listed and not _LISTER.match(line) and not _is_typed(line[: absent.start()], command):
            return False
    return True


_RECORD_ID: Final = re.compile(r"\+ FullyQualifiedErrorId : (\w+)")


def _is_path_guess(command: Command, body: str) -> bool:
    """Whether all that PowerShell complains of, in any language, are paths that are not there, in a look at files."""
    ids = set(_RECORD_ID.findall(body))
    return bool(ids) and ids <= _NO_PATH and all(part.named(programs.FILE_READERS) for part in command.members)


def _is_pattern(command: Command, body: str) -> bool:
    """Whether PowerShell took the brackets of a path (`app\\[id]\\page.tsx`) for a pattern, which matched nothing."""
    return _PATTERN.search(command.text) is not None and "FullyQualifiedErrorId : ItemNotFound" in body


_PATTERN: Final = re.compile(r"^(?!.*-LiteralPath).*[\\/]\[{1,2}[\w.-]+\]", re.DOTALL | re.IGNORECASE)


_NO_PATH: Final = frozenset(("PathNotFound", "ItemNotFound"))


def _is_typed(complaint: str, command: Command) -> bool:
    """Whether a complaint about a file names it as the command does: what a command listed itself is no guess."""
    return complaint.rstrip(" :'\"‘’`").rpartition("/")[2].lstrip(" '\"‘`") in command.text


def _asks_log(part: Part) -> bool:
    """Whether a part asks for the log of a run: that there is none yet is a refusal, not an answer."""
    return part.words[:3] == ("gh", "run", "view") and any(word.startswith("--log") for word in part.words)


def _programs(command: Command) -> set[str]:
    """The programs of a command whose own complaints count; ssh where it runs the others elsewhere."""
    through = {"ssh"} if _SSH.search(command.text) else set[str]()
    return {part.program for part in command.parts if part.kind != "setup"} - _PRINTERS | through


def _is_negative_answer(command: Command, body: str, code: int) -> bool:
    """Whether exit code 1 is only the answer of a search or a test, not a failure."""
    last = command.last
    if is_cut_short(command, body) or powershell_records(body, command.text):
        return False
    if code == _CHANGES and any("-detailed-exitcode" in word for part in command.parts for word in part.words):
        return True
    if command.status is not None:  # the code that the command printed is of the part before
        last = next((part for part in reversed(command.parts) if part.kind != "setup"), last)
    if (
        last is None
        or _asks_log(last)
        or not last.named(programs.ANSWERS)
        or (code != 1 and not last.named(programs.ANY_CODE))
    ):
        return False
    if only_lines_of(body, {last.program}).strip() and last.program not in ("diff", "cmp", "id", "which", "where"):
        return False
    if not command.reads_only:
        return not ERROR.search(shortened(body))
    return not (last.program in _ASKERS and _own_errors(command, body))


_ASKERS: Final = frozenset(("gh", "npm"))
"""Clients whose exit code 1 is an answer, unless they say under their name that they got none from their service."""


def _partly(command: Command, body: str) -> Outcome | None:
    """A run with exit code 0 in which a part could not run, as the shell or a client of a service says."""
    complaint = (
        complaints(body, command.text)
        or own_complaints(body, _programs(command))
        or powershell_records(body, command.text)
        or unanswered(body, command)
        or first_error(body, command)
        or broken_answers(body, command)
    )
    if not complaint:
        return None
    errors = named_errors(complaint) or first_complaint(complaint)
    whole = bool(errors) and command.view == "whole"
    return _failing(errors, "The exit code is 0, but part of the command could not run", whole)


def _own_script_died(command: Command, body: str) -> Outcome | None:
    """A look whose own Python (`gh api … | python3 -c "…" | head`) ended with an exception, unless it was a question.

    `python -c "import pandas" && echo yes || echo no` asks.
    """
    scripts = any(part.program == "python" and ("-c" in part.words or part.simple.fed) for part in command.parts)
    is_question = any(part.simple.after == "||" for part in command.parts)
    if is_question or not scripts or not OWN_SCRIPT.search(body):
        return None
    errors = tuple(error for error in named_errors(body) if error.key.tool == "python")
    return _failing(errors, "The exit code is 0, but the command's own script failed", True) if errors else None


def _client_refused(command: Command, body: str) -> Outcome | None:
    """A client of a service that shows only how it says that this refused: behind a pipe, or one that ends with exit
    code 0 (`redis-cli`)."""
    others = programs.ANSWERS if command.masked else programs.INTERPRETERS | programs.CHECKS
    if body.strip().count("\n") >= SHORT or (command.reads_only and not command.masked):
        return None
    if any(part.named(others) for part in command.members):
        return None
    errors = _own_errors(command, body)
    return _failing(errors, _HIDDEN, command.view != "part") if errors else None


def _masked(command: Command, body: str) -> Outcome:
    """A command whose exit code says nothing: what its output looks like decides."""
    partly = _partly(command, body)
    if partly is not None and command.view == "hidden":
        return partly
    if _JOB_FAILED.search(body):
        errors = named_errors(_JOB_FAILED.sub("", body)) or first_complaint(body)
        return _failing(errors, "The shell reports that the command in the background failed", False)
    if command.view == "hidden":
        return SILENT
    probe = shortened(body)
    fails, passes, named = FAILED.search(probe), PASSED.search(probe), ERROR.search(probe)
    last = body.rstrip().rpartition("\n")
    ending = "" if fails or passes or named else clean(last[2]).lstrip()[:LINE]
    gave_up = LAST_COMPLAINT.match(ending) and not (ABSENT.search(ending) and ending.startswith(_looking(command)))
    crashed = passes and named and OWN_SCRIPT.search(probe)
    if not fails and not gave_up and not crashed and (passes or not named):
        if partly is not None:
            return partly
        if not passes and (errors := _check_refused(command, body)):
            return _failing(
                errors,
                "The check printed only an error message, and a pipe or command list hid its exit code",
                whole=True,
            )
        if not passes and (errors := _own_errors(command, body)):
            return _failing(errors, _HIDDEN, command.view != "part")
        return Outcome("filtered") if command.view == "part" and not passes else Outcome("passed")
    errors = recognised(named_errors(body)) if named or fails else ()
    if not named:  # a count alone: only what a recogniser knows is believed
        errors = tuple(error for error in errors if error.key.tool != "unknown")
    if errors and all(BROKEN_PIPE.match(error.key.text) for error in errors):
        return Outcome("filtered", sign="noise", reason="The reader of a pipe ended first.")
    errors = errors or (
        (named_line(len(last[0] + last[1]), last[2][:LINE]),) if gave_up else _line_of(body, named, probe)
    )
    whole = bool(errors) and command.view != "part"
    return _failing(errors, _HIDDEN, whole)


_HIDDEN: Final = "The exit code is hidden by a pipe or a list, but the output shows that it failed"


def _own_errors(command: Command, body: str) -> tuple[Named, ...]:
    """The errors in a form that is known of a program of the command: `! Undefined control sequence.` of pdflatex."""
    if any(part.named(programs.PRINTERS) for part in command.members):
        return ()
    if len(body) > _SMALL and COMPLAINT.search(body) is None:  # which costs less than to look for key lines
        return ()
    names = {part.program for part in command.members}
    return tuple(error for error in named_errors(body) if any(_is_of(error.key.tool, name) for name in names))


def _is_of(tool: str, program: str) -> bool:
    """Whether a tool of the registry is this program: `latex` is pdflatex, `sqlite` is sqlite3."""
    shorter, longer = sorted((tool, program.casefold()), key=len)
    return shorter == longer or (len(shorter) >= _NAME_LENGTH and shorter in longer)


_NAME_LENGTH: Final = 3
_SMALL: Final = 2_000


def _check_refused(command: Command, body: str) -> tuple[Named, ...]:
    """What a compiler or linter said that gave up before it looked at anything: a few lines, the first a complaint."""
    checks = [part for part in command.members if part.named(programs.CHECKS - programs.SCRIPT_RUNNERS)]
    if not checks or command.view == "part":
        return ()
    lines = [line for line in body.split("\n") if line.strip()]
    if not 0 < len(lines) <= SHORT or not COMPLAINT.search(clean(lines[0][:LINE])):
        return ()
    return first_complaint(body)


def _looking(command: Command) -> tuple[str, ...]:
    """How the programs of a command that look at files begin a complaint."""
    return tuple(f"{part.program}: " for part in command.parts if part.named(programs.FILE_READERS))


def _line_of(body: str, named: re.Match[str] | None, probe: str) -> tuple[Named, ...]:
    """The line in which a sign of an error was found, where no recogniser knows it."""
    if named is None:
        return ()
    start, end = probe.rfind("\n", 0, named.end()) + 1, probe.find("\n", named.end())
    wanted = probe[start : end if end != -1 else None]
    at = 0
    for line in body.split("\n"):
        if wanted.strip() and wanted in clean(line) and not is_trailer(line):
            return (named_line(at, line[:LINE]),)
        at += len(line) + 1
    return ()


def _judge_tool(ran: Ran) -> Outcome:
    """A tool that runs no shell: a project error only where its failure reads like one."""
    own = ran.tool in _AGENT_TOOLS or ran.tool in LOOKING_TOOLS or ran.tool in SHELL_TOOLS
    body = blanked(ran.text) if ran.failure != "none" or ran.tool in DELEGATES else ""
    if ran.failure == "none":
        if body and _MODEL_REFUSED.match(body):
            return _failing(first_complaint(body), f"The service of the model refused {ran.tool}", whole=True)
        return SILENT if own else Outcome("passed")
    if own and _CUT_OFF.match(body[:LINE]):
        return _failing(first_complaint(body), f"The tool {ran.tool} failed", whole=True)
    if own or not (ERROR.search(shortened(body)) or _REFUSED.search(body[:LINE])):
        return _sign("agent_tool", f"The agent's own tool {ran.tool} refused the call.")
    errors = recognised(named_errors(body)) or first_complaint(body)
    return _failing(errors, f"The tool {ran.tool} failed", bool(errors) and not _is_cut(ran))


def _is_cut(ran: Ran) -> bool:
    return bool(ran.facts.get("preview")) or _CUT.search(ran.text) is not None
