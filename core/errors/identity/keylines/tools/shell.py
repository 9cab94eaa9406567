"""Shells and the programs they start: coreutils, option parsers, git, hg, svn, ssh; structured logs, error bodies."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import DETAIL, REPORT, read_tools, rule, tool
from core.errors.identity.keylines.lines import KeyLineCandidate, Page, Part

# What the C library and the shells say in English and Korean.
_REASON = (
    "No such file or directory|Permission denied|Is a directory|"
    "Not a directory|File exists|command not found|not found|"
    "cannot execute|No space left on device|Read-only file system|Device or resource busy|Operation not permitted|"
    "Connection refused|Connection timed out|Name or service not known|Temporary failure in name resolution|"
    "Exec format error|Argument list too long|Invalid argument|Too many open files|Directory not empty|Broken pipe|"
    "unbound variable|bad interpreter|ambiguous redirect|syntax error|unexpected end of file|unexpected EOF|"
    "No such process|Resource temporarily unavailable|Input/output error|Text file busy|cannot stat|missing operand|"
    "invalid option|unrecognized option|unknown option|illegal option|"
    "parameter not set|bad substitution|event not found|"
    "그런 파일이나 디렉[터토]리가 없습니다|허가 거부|명령어를 찾을 수 없음|명령을 찾을 수 없습니다|"
    "찾을 수 없음|실행할 수 없음|"
    "디렉[터토]리입니다|디렉[터토]리가 아닙니다|파일이 있습니다|파일이 존재합니다|장치에 남은 공간이 없음|문법 오류|"
    "바인딩 해제한 변수|잘못된 (?:옵션|인수|인자)|연결이 거부|연결 거부|할 수 없(?:습니다|음)|"
    "읽기 전용 파일 시스템|프로세스가 없습니다"
)
_NAMES = (
    "cp mv rm ls cat chmod chown ln mkdir rmdir touch find head tail sort cut tr wc du df dd date stat env xargs tee "
    "install kill mount umount tar grep egrep fgrep sed awk gawk mawk diff cmp patch file sudo su which timeout sleep "
    "zip unzip gzip gunzip xz jq nohup ps less seq basename dirname readlink realpath mktemp nice chroot crontab"
)
_PROGRAMS = _NAMES.split()
_HOLLOW = (
    r".*(?:exit(?:ed)?(?: with)? (?:code|status)|exited with|non-zero|"
    r"did not complete)|.{0,80}\b(?:failed|errors?|occurred)\W*\Z"
)

SHELLS = read_tools(
    "shells",
    REASON=_REASON,
    REASONS='" "'.join(reason for reason in _REASON.split("|") if "(" not in reason and "[" not in reason),
    PROGRAMS="|".join(_PROGRAMS),
    CALLED=': " "'.join(_PROGRAMS),
    HOLLOW=_HOLLOW,
)


VERSIONING = read_tools("versioning")


_SAYING = "message|error_description|errorMessage|msg|detail|error|title|reason|err"
_FIELD = lazy_pattern(rf'"(?:{_SAYING})"\s*:\s*"(?P<said>(?:[^"\\]|\\.){{3,4000}})"')
_REASON_FIELD = lazy_pattern(r'"(?:error|err)"\s*:\s*"(?P<said>(?:[^"\\]|\\.){3,4000})"')
_LEVEL = lazy_pattern(r'"(?:level|severity|lvl|levelname|log\.level)"\s*:\s*"?(?P<level>[A-Za-z]+|\d+)')
_FIELDS = tuple(f'"{name}"' for name in _SAYING.split("|"))
_BAD = frozenset(["error", "fatal", "critical", "panic", "crit", "err", "severe", "emerg", "alert", "50", "60"])


def _json(page: Page) -> Iterator[KeyLineCandidate]:
    """The message in a JSON log line of a bad level, or in a JSON error body."""
    for number in page.having(_FIELDS):
        text = page.text(number)
        if text.lstrip()[:1] not in ("{", '"', "}"):
            continue
        level = _LEVEL.search(text)
        if level and level["level"].lower() not in _BAD:
            continue
        if match := (level and _REASON_FIELD.search(text)) or _FIELD.search(text):
            yield KeyLineCandidate(REPORT - 5 if level else DETAIL + 5, (Part(number, *match.span("said")),))


_LOGRUS = ("ERRO[", "FATA[", "PANI[")
"""Levels of logrus for a terminal, before the seconds since the start."""

LOGS = (
    tool(
        "logfmt",
        rule(("level=", "lvl="), r".*\b(?:level|lvl)=(?:error|fatal|panic|crit|ERROR|FATAL)\b.*", REPORT - 5),
    ),
    tool("html", rule(("<title>", "<h1>"), r".*?<(?:title|h1)>(?P<key>[^<>]{3,300})</", DETAIL + 1)),
    tool("json", signs=_FIELDS, find=_json),
    tool(
        "log",
        rule(
            ("ERROR", "FATAL", "CRITICAL", "SEVERE", "PANIC", "[error]", "[fatal]", "ERR "),
            r"\[?(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|error|fatal|ERR)\]?(?:[:\s|-]|\[)\s*"
            r"(?!.*(?:non-zero|exited with|exit (?:code|status)))\S.*",
            REPORT - 6,
        ),
        rule(_LOGRUS, r".+", REPORT - 6, located=_LOGRUS),
        rule(
            (" ERROR ", "[ERROR]", " FATAL ", "[FATAL]"),
            r"\[[\w .:/@-]{1,80}\] (?:\[?(?:ERROR|FATAL|CRITICAL)\]?) .*",
            REPORT - 6,
        ),
    ),
)
