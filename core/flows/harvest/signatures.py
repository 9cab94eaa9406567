"""Signatures of failure and success in outputs whose exit code does not decide, and the errors that an output names.

Patterns are searched for only in lines with a word that every match of them has. Most lines have none of these words,
and searching for a word is a hundred times faster than for a pattern of thirty branches. A test takes each pattern
apart and requires a word in every branch, and no more lines than it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from core.base.lazy import lazy_pattern
from core.errors.identity.fingerprint import fingerprint_line, identify, normalize_line
from core.errors.identity.keylines.generic import is_cap
from core.errors.identity.keylines.select import KeyLine
from core.flows.harvest.command import Command
from core.text import clean
from core.text.cleaning import without_spelled_colours


class Prefiltered(NamedTuple):
    """`pattern`, and the words one of which every match holds; `rare` matches within every match that has none.

    A match begins in the line of its word, and spans at most so many `lines`. So only those are searched. Of a pattern
    in `halves` the first half matches at the beginning of a line alone, the second one only in a line with a word of
    `inside`.
    """

    pattern: re.Pattern[str]
    words: tuple[str, ...]
    rare: re.Pattern[str] | None = None
    lines: int = 1
    halves: tuple[re.Pattern[str], re.Pattern[str]] | None = None
    inside: tuple[str, ...] = ()

    def search(self, text: str) -> re.Match[str] | None:
        """As the pattern's own."""
        return next(self.finditer(text), None)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As the pattern's own."""
        at = 0
        for start in sorted(self._starts(text)):
            end = stop = _line_end(text, start)
            for _ in range(1, self.lines):
                stop = _line_end(text, stop + 1)
            at, pattern = max(at, start), self.pattern
            if self.halves is not None:
                opening, pattern = self.halves
                if at == start and (found := opening.match(text, start, stop)) is not None:
                    yield found
                    at = found.end()
                if not any(text.find(word, start, end) >= 0 for word in self.inside):
                    continue
            while at <= end and (found := pattern.search(text, at, stop)) and found.start() <= end:
                yield found
                at = found.end()

    def _starts(self, text: str) -> set[int]:
        """Where the lines begin that hold a word."""
        starts = set[int]()
        for word in self.words:
            at = text.find(word)
            while at >= 0:
                starts.add(text.rfind("\n", 0, at) + 1)
                at = text.find(word, _line_end(text, at))
        if self.rare is not None:
            starts.update(text.rfind("\n", 0, found.start()) + 1 for found in self.rare.finditer(text))
        return starts


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


_PROBED = 32_768
"""Code points looked at on each end of an output."""

_ERROR_AT_START: Final = (
    r"^error [A-Z]{2,9}\d{3,5}: \S|^Error:[ \t]*\n[ \t]+0: \S"
    r"|^[ \t]*(?:[+|] )?(?:Exception Group )?Traceback \(most recent call last\)"
    r"|^[ \t]*(?:npm|pnpm|yarn) (?:error|ERR!) |^(?:[│|][ \t]{1,8})?(?:fatal|error|오류|에러): \S|^E {3,}\S"
    r"|^(?:FAILED|ERROR) \S+(?:::|\.py)|^ *--- FAIL: |^panic: |^\S[^:\n]*:\d+(?::\d+)?: (?:[Ff]atal )?(?:error|오류)\b"
    r"|^\S+\.go:\d+(?::\d+)?: \S|^\S+:\d+:\d+: [A-Z]+\d{3,4} |^Exception in thread |^make(?:\[\d+\])?: \*\*\* "
    r"|^CMake Error\b|^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: \S"
    r"|^(?:Uncaught )?Error(?: \[\w+\])?: \S|^(?:psql:[^\n]{0,200}: )?(?:ERROR|FATAL): +\S"
    r"|^Error response from daemon|^ERROR: failed to (?:solve|build)"
    r"|^(?:\S*/)?(?:ba|z|da|k)?sh: [^\n]*(?:not found|No such file|Permission denied|없)|^[ \t]*(?:×|✗|✖|●|❯)? ?FAIL\b"
    r"|^[ \t]*× |^[ \t]+\d+:\d+[ \t]+error[ \t]|^[ \t]*error [•-] \S|^error\[[a-z][\w-]{2,60}\]: \S"
    r"|^\S+:\d+(?::\d+)? error [A-Z]{1,6}\d{2,4}\b|^BUILD FAILED|^FAILURE: Build failed"
    r"|^(?:\d\d:\d\d:\d\d )?\[ERROR\] |^mise ERROR (?!Version|Run with)\S|^✘ Test [^\n]{1,300} recorded an issue\b"
    r"|^Segmentation fault|^curl: \(\d+\)|^(?:[^\n]{0,200}: \d+ |[^\n:]{0,80}: )?Killed\b|^[│╷╵ ]*Error: \S"
    r"|^Error from server\b|^An error occurred \(\w+\) when calling|^The connection to the server "
    r"|^(?:error during build|Module not found|rake aborted!|Failed to compile)\b|^[ \t]*✘ \[ERROR\]"
    r"|^dependency failed to start|^container \S+ (?:exited \([1-9]|is unhealthy)|^level=(?:error|fatal)\b"
    r"|^CONFLICT \(|^ ! \[(?:remote )?rejected\]|^E: \S|^[a-z][\w.+-]{1,30}: (?:fatal )?error: \S"
)
_ERROR_INSIDE: Final = (
    r"\berror\[E\d{4}\]|\berror (?:TS|CS|FS|BC|NU|MSB)\d{3,5}\b|\): error [A-Za-z]{2,9}\d{3,5}: \S"
    r"|\berror: could not compile|\bERR_PNPM_[A-Z_]+|\bpanicked at |\bundefined reference to |: command not found$"
    r"|\bcore dumped\b|\bout of memory\b|is not recognized as (?:an internal|the name of)"
)
_ERROR_INSIDE_WORDS: Final = (
    "error[E", "error TS", "error CS", "error FS", "error BC", "error NU", "error MSB", "): error ", "error: could not",
    "ERR_PNPM_", "panicked at ", "undefined reference to ", ": command not found", "core dumped", "out of memory",
    "is not recognized as ",
)  # fmt: skip
_ERROR_WORDS: Final = (
    "rror", "FAIL", ".go:", "RROR", "xception", "fatal", "FATAL", "오류", "에러", "Traceback", "ERR!", "ERR_PNPM_",
    "E   ", "panic: ", "panicked at ", "undefined reference to ", ": *** ", "sh: ", ": command not found", "× ",
    "Segmentation fault", "core dumped", "curl: (", "out of memory", "Killed", "The connection to the server ",
    "Module not found", "rake aborted!", "Failed to compile", "dependency failed to start", "container ",
    "level=", "CONFLICT (", "rejected]", "E: ", "is not recognized as ", " recorded an issue",
)  # fmt: skip
ERROR: Final = Prefiltered(
    lazy_pattern(f"{_ERROR_AT_START}|{_ERROR_INSIDE}", re.MULTILINE),  # both halves say the same
    _ERROR_WORDS,
    re.compile(r":\d+: [A-Z]+\d{3}"),
    lines=2,
    halves=(lazy_pattern(_ERROR_AT_START, re.MULTILINE), lazy_pattern(_ERROR_INSIDE, re.MULTILINE)),
    inside=_ERROR_INSIDE_WORDS,
)
"""A line that names an error: strong enough to believe against an exit code of 0."""

_FAILED: Final = re.compile(
    r"(?<![\d.])[1-9]\d{0,5} (?:tests? )?(?:failed|failing|failures?)\b|\bTests? +[1-9]\d* failed"
    r"|\bFound [1-9]\d* (?:errors?|diagnostics?)\b(?! \(\d+ fixed, 0 remaining)"
    r"|[✖✗] [1-9]\d* problems? \([1-9]|\bfailures: [1-9]|\bFailures?: [1-9]|\bErrors?: [1-9]"
    r"|\btest result: FAILED|^FAIL\t|\bBUILD FAILED\b|실패 [1-9]|[1-9]\d{0,8}개 실패"
    r"|^FAILED \((?:failures|errors|unexpected successes)=[1-9]|^[ \t]*[1-9]\d{0,5} Error\(s\)"
    r"|\*\* [A-Z]+ FAILED \*\*|^Build FAILED|\b[1-9]\d{0,5} errors? in \d|^[ \t]*[1-9]\d{0,5} fail$|^[#ℹ] fail [1-9]"
    r"|^[1-9]\d{0,5} files? would be reformatted|\bCode style issues (?:found )?in \S|\bFailed: +[1-9]"
    r"|^(?:\[[^\]\n]{1,40}\] )?[1-9]\d{0,5} issues?(?::| found)|^(?:\[[^\]\n]{1,40}\] )?ERROR task failed"
    r"|^g?make(?:\[\d+\])?: \*\*\* [^\n]*Error \d|\bELIFECYCLE\b[^\n]{0,40}\bfailed"
    r"|^Failed to compile\b|^error: script \"[^\"\n]{1,80}\" exited with code [1-9]"
    r"|^✘ Test run with [^\n]{1,80} failed"
    r"|^Aborted with [1-9]\d{0,5} warnings|^-- Configuring incomplete, errors occurred"
    r"|\b(?:[Aa]borted|[Cc]ompleted|[Ee]nded|[Ff]ailed|[Ff]inished|[Ss]topped) with [1-9]\d{0,5} (?:error|failure)s?\b",
    re.MULTILINE,
)
FAILED: Final = Prefiltered(
    _FAILED,
    ("fail", "Fail", "FAIL", "error", "Error", "Aborted", " problem", "실패", " reformatted", " issue", " diagnostic"),
)
"""A summary that counts failures."""

_SHELL: Final = (
    r"(?:\(eval\)|-?(?:[\w./~-]{0,200}/)?(?:ba|z|da|k|a|fi)?sh(?:\[\d+\])?)(?::\w{1,40})?:(?: line)? ?(?:\d+:)? ?"
)
SHELL_PREFIX: Final = re.compile(_SHELL)
_SHELL_COMPLAINT: Final = re.compile(
    rf"^{_SHELL}(?:command not found: (?P<zsh>[^\n]+)|(?P<bash>[^:\n]+): (?:command )?not found"
    r"|no matches found: (?P<glob>[^\n]+)|(?P<missing>\S+) not found$|no such file or directory: (?P<path>[^\n]+)"
    r"|permission denied: (?P<denied>[^\n]*)|(?P<syntax>parse error|syntax error|unmatched|bad substitution|bad pattern"
    r"|read-?only variable|bad math expression|ambiguous redirect|event not found)[^\n]*)",
    re.MULTILINE,
)
_SHELL_WORDS: Final = (
    "not found", "no matches found: ", "no such file or directory: ", "permission denied: ", "parse error",
    "syntax error", "unmatched", "bad substitution", "bad pattern", "only variable", "bad math expression",
    "ambiguous redirect",
)  # fmt: skip
SHELL_COMPLAINT: Final = Prefiltered(_SHELL_COMPLAINT, _SHELL_WORDS)
"""A complaint of the shell that ran the command: zsh, bash, dash and their like, each in its own order of words."""

COMPLAINT_HINTS: Final = (
    "not found", "no matches found", "HTTP 4", "HTTP 5", "(status 4", "(status 5", " for url: ", "o such ",
    "permission denied: ", "parse error", "syntax error", "unmatched", "bad substitution", "daemon",
    "error connecting to ", "jq: ", " 429", "nknown ", "failed to parse jq", "GraphQL: ", "bad pattern",
    "only variable: ", "bad math expression", "ambiguous redirect", "Failed to spawn: ", ": No module named ",
    "Missing script: ", "determine executable to run", "gh auth login", "nrecogni", "llegal ", "nexpected ", "nvalid ",
    "not defined: -", " for flag -",
)  # fmt: skip
"""Words without which no output holds a complaint below or above; looked for first, which is fast."""

_CLIENT_COMPLAINT: Final = re.compile(
    r"^(?:gh|glab|hub): [^\n]*\(HTTP [45]\d\d\)|^[^\n{]{1,300} \((?:HTTP|status) [45]\d\d\)$|^HTTP [45]\d\d: \S"
    r"|^[^\n{]{0,200}\b[45]\d\d (?:Client|Server) Error: [^\n]{1,80} for url: \S"
    r"|^[^\n{]{0,120}\b(?:HTTP(?:/\d\.\d)? |status (?:code )?|error:? )429\b|\b429 Too Many Requests"
    r"|^[^\n]{0,200}\bGraphQL: \S|^error connecting to \S+\.\w"
    r"|^Unknown JSON field: |^failed to parse jq expression|^jq: (?:parse )?error(?: |:)"
    r"|^parse error: [^\n]{1,200} at line \d+, column \d+$"
    r"|^(?:Error response from daemon|Cannot connect to the Docker daemon|error during connect)\b"
    r"|^OCI runtime \w+ failed: "
    r"|^error: (?:Failed to spawn|no such command): |^\S{0,200}python[\d.]{0,6}(?:\.exe)?: No module named "
    r"|^npm (?:error|ERR!) (?:Missing script: |could not determine executable to run)"
    r"|^[^\n]{0,200}\bTo (?:tell gh|get started with GitHub CLI|authenticate)\b[^\n]{0,120}\bgh auth login\b",
    re.MULTILINE,
)
_CLIENT_WORDS: Final = (
    "(HTTP ", "(status ", "HTTP 4", "HTTP 5", " for url: ", "429",
    "GraphQL: ", "error connecting to ", "Unknown JSON field: ", "failed to parse jq ", "jq: ", "parse error: ",
    "Error response from daemon", "Cannot connect to the Docker daemon", "error during connect", "OCI runtime ",
    "Failed to spawn: ", "no such command: ", ": No module named ", "Missing script: ",
    "could not determine executable", "gh auth login",
)  # fmt: skip
CLIENT_COMPLAINT: Final = Prefiltered(_CLIENT_COMPLAINT, _CLIENT_WORDS)
"""What clients of a service (a forge, a container daemon) say when it refused; `jq` of what it was given; runners of
other programs where there is no such program."""

_REFUSED_WORD: Final = re.compile(
    r"^(?:[\w./-]{1,60}: |Invalid usage: ){0,3}(?:"
    r"(?:[Uu]nknown|[Uu]nrecogni[sz]ed|[Ii]llegal|[Ii]nvalid|[Uu]nexpected|[Nn]o such)(?: shorthand| command[- ]line)?"
    r" (?:flag|option|argument|switch|(?:sub-?)?command)s?(?: --)?:? ?[\"'`‘]?(?P<word>-{0,2}\w[\w-]*)"
    r"|flag provided but not defined: (?P<flag>-\S+)|invalid value \"[^\"\n]{0,200}\" for flag (?P<value>-[\w-]+): )",
    re.MULTILINE,
)
"""What programs say of an option or a subcommand that they do not take: the parsers of Go (flag, cobra), Rust (clap),
Python (argparse, click), git and libc."""
_REFUSED_WORDS: Final = (
    "nknown ", "nrecogni", "llegal ", "nvalid ", "nexpected ", "o such ", "not defined: -", " for flag -",
)  # fmt: skip
REFUSED_WORD: Final = Prefiltered(_REFUSED_WORD, _REFUSED_WORDS)

LAST_COMPLAINT: Final = re.compile(
    r"(?:[\w./-]{1,60}: )?(?:error|fatal|failed to|cannot|can't|could not|couldn't|unable to|unknown (?:command|flag"
    r"|option|argument)|invalid (?:argument|option|value)|permission denied|no such)\b",
    re.IGNORECASE,
)
"""How the last line of a run that gave up begins."""

COMPLAINT: Final = re.compile(
    r"\b(?:errors?|fatal|failed|failure|cannot|can't|could ?n[o']t|unable|unknown|invalid|illegal|unexpected"
    r"|unsupported|not found|no such"
    r"|no (?!(?:issue|error|problem|change|difference|warning|vulnerabilit)\w* )\w+(?: \w+){0,2} found"
    r"|not (?:permitted|allowed|supported|recognized|a )|denied|refused|rejected|forbidden"
    r"|missing|required|must|timed out|timeout|unbound|no (?:matches|route to|space left)|unreachable|reset by"
    r"|does not|doesn't|already exists|(?:is|are) ignored|exceeded|too many|conflict|locked|aborted|panic"
    r"|would be reformatted)\b|오류|실패|없",
    re.IGNORECASE,
)
"""A word of complaint: with a failed exit code, the first line with one names the failure where nothing else does."""

OWN_SCRIPT: Final = re.compile(r"^  File \"<(?:stdin|string)>\", line \d+", re.MULTILINE)
"""A traceback through a script that the command itself fed to Python: no later success takes it back."""

PLACE: Final = re.compile(
    r"(?<![ \t])[ \t]*+(?:(?:error|warning|info)\b[^\n]{0,300}?[ (])?[\w./\\-]{1,200}\.[A-Za-z]{1,6}:\d+(?::\d+)?\b",
    re.IGNORECASE,
)
"""A line that begins with a place in a file, after its severity if it has one."""

_PLACED = re.compile(r"(?<=\w)\.[A-Za-z]{1,6}:\d{1,9}(?::\d{1,9})?\)?[ \t]*\Z")
"""A line that ends with one."""

_TRAILER = re.compile(
    r"(?:FAIL(?:ED)?|ERROR|Error|exit status \d+|exit code:? \d+|Command failed|PASS)$|FAIL\t|ok\s|[=*-]{3}"
    r"|(?:\[[^\]]{1,40}\] )?\d+ issues?:?$|make: \*\*\* |--- (?:FAIL|PASS|SKIP): |=== (?:RUN|PAUSE|CONT|NAME) "
    r"|Usage:|hint: |# \S|Determining projects to restore|Time Elapsed \d|Build FAILED\.?$"
    r"|\d+ (?:Warning|Error)\(s\)$"
)
_TRAILING: Final = ("ERROR task failed", "ELIFECYCLE", "exited with code", "exited with error", "Lifecycle script `")
_TRAILER_LENGTH: Final = 200


def is_trailer(line: str) -> bool:
    """Whether a line only closes or heads a failed run and names nothing."""
    stripped = line[:_TRAILER_LENGTH].strip()
    return _TRAILER.match(stripped) is not None or any(words in stripped for words in _TRAILING) or is_cap(stripped)


ABSENT: Final = re.compile(
    r"no such file or directory|does not exist|is a directory|not a directory|exists on disk, but not in"
    r"|cannot find (?:the )?path|\(os error [23]\)|찾을 수 없|그런 파일",
    re.IGNORECASE,
)
"""What a program that shows files says of one that is not there: the answer to a guess."""

NONE_FOUND: Final = re.compile(
    r"(?<!\s)\s*+(?:(?:gh: )?\w[\w -]{0,40} not found(?: \(HTTP 404\))?|gh: (?:[\w -]{1,40} )?not \w+ \(HTTP 404\)"
    r"|(?:error: )?no [\w -]{2,40} found\b[^\n]{0,200}"
    r"|fatal: your current branch '[^'\n]{1,200}' does not have any commits yet"
    r")\.?\s*",
    re.IGNORECASE,
)
"""All that a look-up of something by its name says where there is none: `release not found`."""

NOTHING_TO_DO: Final = re.compile(
    r"^(?:nothing to commit|nothing added to commit|no changes added to commit"
    r"|no checks reported|Everything up-to-date)",
    re.MULTILINE,
)
"""A refusal because there is nothing to do: a normal answer."""

PASSED: Final = re.compile(
    r"\b\d+ (?:tests? )?(?:passed|passing)\b|^[ \t]*[1-9]\d{0,5} pass$|\btest result: ok\b|\bBUILD SUCCESS"
    r"|\b0 (?:errors|failed|failures|problems)\b|^OK(?: \(|$)|^ok[ \t]+\S+|^PASS\b|\bcompiled successfully\b|✓ built in"
    r"|\bno issues found\b|^All checks passed|^Success: no issues|^Finished `?\w+`? |모두 통과",
    re.MULTILINE | re.IGNORECASE,
)
"""A summary that counts none."""

_TAGGED: Final = ("<status>", "<retrieval_status>", "<shell_id>", "<task_id>", "<persisted-output>")
_TAGS = re.compile(
    r"<(status|exit_code|retrieval_status|task_id|task_type|timestamp|shell_id|command)>[^<\n]*</\1>"
    r"|</?(?:stdout|stderr|output|persisted-output)>"
    r"|Output too large \([^)\n]*\)\.[^\n]*|^Full output saved to: [^\n]*|^Preview \(first [^)\n]*\):",
    re.MULTILINE,
)
_CODEX: Final = ("Command:", "Chunk ID:", "Wall time:", "Process exited ", "Process running ", "Exit code:", "Script ")
_CODEX_HEADER = 20_000
_NOT_NEWLINE = re.compile(r"[^\n]+")
_NOTES = re.compile(r"\A\s*(?:Error: )?Exit code \d+[ \t]*$|\.\.\. *\[[^\]\n]{0,80}truncated\][^\n]*", re.MULTILINE)


_HEAD: Final = 80
_SANDBOX = re.compile(
    r"\s*failed in sandbox(?:(?P<bare>:[ \t]*(?=\n|\Z))"
    r"| \w+ with execution error: [^,\n]{1,80}, exit code: \d+, stdout: .*?, stderr: )",
    re.DOTALL,
)
"""What older versions of Codex write before the output of a command that failed in their sandbox."""


def blanked(text: str) -> str:
    """`text` with what the agent's harness wrote around an output blanked, code point for code point."""
    if text[:200].lstrip().startswith(_TAGGED):
        text = _TAGS.sub(_blank, text)
    elif text.startswith(_CODEX):
        head, mark, rest = text.partition("\nOutput:")
        if mark and len(head) <= _CODEX_HEADER:
            text = _NOT_NEWLINE.sub(_blank, head + mark) + rest
    found = _SANDBOX.match(text) if "failed in sandbox" in text[:_HEAD] else None
    if found is not None and (found["bare"] or text[found.end() :].strip()):
        text = _NOT_NEWLINE.sub(_blank, found[0]) + text[found.end() :]
    return _NOTES.sub(_blank, text) if "Exit code" in text[:40] or "truncated]" in text else text


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def shortened(text: str) -> str:
    """Both ends of a long output, cleaned, for a look at its signatures."""
    probe = text if len(text) <= 2 * _PROBED else f"{text[:_PROBED]}\n{text[-_PROBED:]}"
    return clean(without_spelled_colours(probe))


KEYS_KEPT: Final = 20
"""Errors taken from one output."""

SHORT: Final = 3
"""Lines of an output that is short enough for its first line to name the failure."""
_FALLBACK: Final = 400
"""Lines looked through, at each end, for one that names a failure which no recogniser knows."""
LINE: Final = 1_000
_NAMELESS = re.compile(r"(?:FAIL(?:ED)?|ERROR|Error|exit status \d+|.{0,60}ERROR task failed|Command: .*)\s*")
"""Lines that a recogniser may take for the name of a failure and that name nothing."""


class Named(NamedTuple):
    """One error in an output, with the names it is kept under."""

    key: KeyLine
    normalized: str
    fingerprint: str


def recognised(errors: tuple[Named, ...]) -> tuple[Named, ...]:
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
        if not key.text.strip() or _NAMELESS.fullmatch(key.text) or any(_echo(key.text, text) for text in texts):
            continue
        texts.append(key.text)
        own = at == 0 and key.text == found.key_line
        print_ = found.fingerprint if own else fingerprint_line(key.text)
        if print_ not in errors:
            errors[print_] = Named(key, found.normalized if own else normalize_line(key.text), print_)
        if len(errors) == KEYS_KEPT:
            break
    return tuple(error for error in errors.values() if not error.key.text.endswith(":")) or tuple(errors.values())


_GOOD: Final = re.compile(r"\s*(?:[✓✔√☑✅]|\[(?:ok|pass(?:ed)?|done)\]|(?:[A-Za-z]:)?[\\/]\S*\Z)", re.IGNORECASE)
"""A step that went well, or a path alone: no line to name a failure by."""


def first_complaint(body: str) -> tuple[Named, ...]:
    """The line that names a failure which no recogniser knows: the first with a word of complaint, or the first of an
    output of a few lines. Empty where nothing does."""
    lines: list[tuple[int, str]] = []
    start = good = 0
    for line in body.split("\n"):
        if line.strip() and not is_trailer(line):
            if _GOOD.match(clean(line[:LINE])):
                good += 1
            else:
                lines.append((start, line[:LINE]))
        start += len(line) + 1
    near = lines if len(lines) <= 2 * _FALLBACK else [*lines[:_FALLBACK], *lines[-_FALLBACK:]]
    complaints = [one for one in near if COMPLAINT.search(clean(one[1]))]
    found = next(
        (one for one in complaints if LAST_COMPLAINT.match(clean(one[1]).lstrip())),
        complaints[0] if complaints else None,
    )
    found = found or next((one for one in near if PLACE.match(clean(one[1]))), None)
    found = found or next((one for one in near if _PLACED.search(one[1])), None)
    if found is None and lines and len(lines) + good <= SHORT:
        found = lines[0]
    named = None if found is None else named_line(*found)
    return (named,) if named is not None and named.normalized and named.fingerprint else ()


def named_line(start: int, line: str) -> Named:
    """A line at `start` of an output as the name of its failure, without what the shell put before it."""
    shell = SHELL_PREFIX.match(line)
    begin = len(line) - len(line.lstrip()) if shell is None else shell.end()
    raw = line[begin:].rstrip()
    text = clean(without_spelled_colours(raw)).strip()
    key = KeyLine(text, start + begin, start + begin + len(raw), "unknown", "primary")
    return Named(key, normalize_line(text), fingerprint_line(text))


def _echo(text: str, other: str) -> bool:
    """Whether one line only says the other again: without its exception's name, or with a note in brackets."""
    shorter, longer = sorted((text, other), key=len)
    return longer == shorter or longer.endswith(f" {shorter}") or longer.startswith(f"{shorter} [")


def with_program(key: KeyLine, command: Command) -> KeyLine:
    """A key line that no rule knows, with the program as its tool: the one that it begins with, or the only one."""
    if key.tool != "unknown":
        return key
    starters = [part.program for part in command.parts if part.program and key.text.startswith(f"{part.program}: ")]
    programs = [part.program for part in command.members if part.program]
    return replace(key, tool=(starters or programs)[0]) if starters or len(programs) == 1 else key
