"""How outputs look that failed or passed, for commands whose exit code does not tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from core.text import clean

_PROBED = 32_768
"""Code points looked at on each end of an output."""

ERROR: Final = re.compile(
    r"\berror\[E\d{4}\]|\berror (?:TS|CS|FS|BC|NU|MSB)\d{3,5}\b|\berror: could not compile"
    r"|^[ \t]*(?:[+|] )?(?:Exception Group )?Traceback \(most recent call last\)"
    r"|^[ \t]*(?:npm|pnpm|yarn) (?:error|ERR!) |\bERR_PNPM_[A-Z_]+"
    r"|^(?:fatal|error|오류|에러): \S"
    r"|^E {3,}\S|^(?:FAILED|ERROR) \S+(?:::|\.py)|^ *--- FAIL: |^panic: |\bpanicked at "
    r"|^\S[^:\n]*:\d+(?::\d+)?: (?:fatal )?(?:error|오류)\b|^\S+\.go:\d+(?::\d+)?: \S|^\S+:\d+:\d+: [A-Z]+\d{3,4} "
    r"|\bundefined reference to |^Exception in thread |^make(?:\[\d+\])?: \*\*\* |^CMake Error\b"
    r"|^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception)(?: \[\w+\])?: \S|^(?:Uncaught )?Error: \S"
    r"|^(?:psql:[^\n]{0,200}: )?(?:ERROR|FATAL): +\S|^Error response from daemon|^ERROR: failed to (?:solve|build)"
    r"|^(?:\S*/)?(?:ba|z|da|k)?sh: [^\n]*(?:not found|No such file|Permission denied|없)|: command not found$"
    r"|^[ \t]*(?:×|✗|✖|●|❯)? ?FAIL\b|^[ \t]*× |^[ \t]+\d+:\d+[ \t]+error[ \t]"
    r"|^BUILD FAILED|^FAILURE: Build failed|^\[ERROR\] |^Segmentation fault|\bcore dumped\b|^curl: \(\d+\)"
    r"|\bout of memory\b|^(?:[^\n]{0,200}: \d+ |[^\n:]{0,80}: )?Killed\b"
    r"|^CONFLICT \(|^ ! \[(?:remote )?rejected\]|^E: \S|is not recognized as (?:an internal|the name of)",
    re.MULTILINE,
)
"""A line that names an error: strong enough to believe against an exit code of 0."""

FAILED: Final = re.compile(
    r"(?<![\d.])[1-9]\d{0,5} (?:tests? )?(?:failed|failing|failures?)\b|\bTests? +[1-9]\d* failed"
    r"|\bFound [1-9]\d* errors?\b|[✖✗] [1-9]\d* problems? \([1-9]|\bfailures: [1-9]|\bFailures?: [1-9]|\bErrors?: [1-9]"
    r"|\btest result: FAILED|^FAIL\t|\bBUILD FAILED\b|실패 [1-9]|[1-9]\d{0,8}개 실패",
    re.MULTILINE,
)
"""A summary that counts failures."""

PASSED: Final = re.compile(
    r"\b\d+ (?:tests? )?(?:passed|passing)\b|\btest result: ok\b|\bBUILD SUCCESS"
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
_NOTES = re.compile(r"\A\s*(?:Error: )?Exit code \d+[ \t]*$|\.\.\. *\[[^\]\n]{0,80}truncated\][^\n]*", re.MULTILINE)


def blanked(text: str) -> str:
    """`text` with what the agent's harness wrote around an output blanked, code point for code point."""
    if text[:200].lstrip().startswith(_TAGGED):
        text = _TAGS.sub(_blank, text)
    return _NOTES.sub(_blank, text) if "Exit code" in text[:40] or "truncated]" in text else text


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def shortened(text: str) -> str:
    """Both ends of a long output, cleaned, for a look at its signatures."""
    return clean(text if len(text) <= 2 * _PROBED else f"{text[:_PROBED]}\n{text[-_PROBED:]}")


def only_lines_of(body: str, programs: Iterable[str]) -> str:
    """`body` with every line blanked that none of `programs` wrote as its own complaint (`grep: x: No such file`)."""
    names = "|".join(sorted({re.escape(name) for name in programs} | {"fatal", "error"}))
    own = re.compile(rf"(?:[\w/.\-]+: )?(?:(?:line )?\d+: )?(?:\S*/)?(?:{names}) ?: ?\S")
    return "\n".join(line if own.match(line) else " " * len(line) for line in body.split("\n"))
