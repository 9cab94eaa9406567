"""What tools and libraries put before every message of theirs: it makes strangers of one tool look alike."""

from __future__ import annotations

import re
from typing import Final

from core.base.lazy_pattern import lazy_pattern

_MOST: Final = 8
_LEVEL = (
    r"(?:fatal|error|err|failed|failure|warning|warn|critical|exception|panic|emerg|alert|crit|hint|오류|에러|경고|"
    r"치명적 오류)"
)
_CODE = r"(?: ?(?:[A-Z]{1,8}-?[0-9]{2,6}|[0-9]{3,5}(?: \([0-9A-Z]{5}\))?)|\[[A-Z]{1,8}[0-9]{2,6}\])?"
_PROGRAMS = (
    r"(?:psql|pg_dump|pg_restore|createdb|mysql|mysqldump|sqlite3|redis-cli|mongo(?:sh)?|docker(?:-compose)?|podman|"
    r"nginx|g?make(?:\[\d+\])?|ninja|curl|wget|git|ssh|scp|rsync|go|cargo|rustc|pip3?|npm|yarn|pnpm|npx|node|gyp|deno|bun|"
    r"remote|-?bash|zsh|sh|dash|fish|env|sudo|(?:\S{0,40}/)?(?:ld|gcc|g\+\+|cc1|cc1plus|clang|clang\+\+|collect2)|"
    r"LINK|javac?|kotlinc?|mvn|gradle|helm|kubectl|terraform|ansible|python3?|ruby|perl|php|tsc|cat|cp|mv|rm|ls|mkdir|"
    r"rmdir|touch|chmod|chown|tar|unzip|install\.sh)"
)
# Types that say only that something went wrong; any other type says what.
_VAGUE = (
    r"(?:Runtime|Operational|Programming|Database|Client|HTTP|Internal|System|OS|IO|Axios|MongoServer|Integrity|"
    r"Response|Sqlite|Wrapped|Generic|Unhandled|Base|Standard|Fatal|Data)?(?:Error|Exception|Warning)"
)
_WRAPPER = lazy_pattern(
    r"\s*(?:"
    rf"{_PROGRAMS}: ?(?:\(\d+\)|\*\*\*)?"
    r"|npm (?:ERR!|error|warn)(?: code(?= [A-Z]))?|gyp ERR!|ERR!"
    rf"|\[?{_LEVEL}\]?{_CODE}(?::|!|(?<=\]))(?=\s|\Z)"
    rf"|\((?:{_LEVEL})\)"
    rf"|{_VAGUE}(?: \[\w+\])?:(?=\s)"
    r"|\[(?:Errno|WinError) -?\d+\]|\[(?:plugin[^\]]{0,40}|[!x✖✗])\]|\d+#\d+:|×|✘"
    r"|(?:ERROR|FATAL|FAIL|CRITICAL|E|W)(?=\s)(?!\s+[a-z]+ (?:at|in) )|[EW]:"
    r"|Error response from daemon:|CMake Error(?: at [^\s:]{1,200}(?::\d+)?(?: \(\w+\))?)?:"
    r"|Uncaught(?: \(in promise\))?|Unhandled (?:promise )?rejection:?|Caused by:|Traceback:?"
    r"|(?:panic: )?runtime error:|panic:|thread '[^']{0,200}' panicked at (?:[^\s:]{1,200}:\d+:\d+:|(?='))"
    r"|Warning\s+\w+\s+kubelet|\*{3}|!"
    r")\s*",
    re.IGNORECASE,
)
_DOTTED = lazy_pattern(r"(?<!\w)\w++(?>(?:\.\w++)+)")
_TYPE = lazy_pattern(r"[A-Z]\w*(?:Error|Exception|Warning|Failure|Fault|Timeout)\Z")
_NAME = lazy_pattern("[A-Za-z_]")
_CALL = lazy_pattern(r"An error occurred \((\w{1,80})\) when calling the \w{1,80} operation[^:]{0,60}:?")
_RPC = lazy_pattern(r"\brpc error: code = (\w{1,40}) desc =")


def _without_namespace(match: re.Match[str]) -> str:
    """A dotted name without what stands before the last type in it: `java.io.IOException` is `IOException`."""
    parts = match[0].split(".")
    last = next((at for at in range(len(parts) - 1, 0, -1) if _TYPE.match(parts[at])), 0)
    first = next((at for at in range(last) if _NAME.match(parts[at])), last)
    return ".".join((*parts[:first], *parts[last:]))


def without_wrappers(text: str) -> str:
    """The message itself: without levels, program names, vague types and namespaces; the last word is never cut.

    What a wrapper says of its own stays: `An error occurred (NoSuchBucket) when calling …` becomes `NoSuchBucket`.
    """
    if " error" in text:
        text = _RPC.sub(r"\1", _CALL.sub(r"\1", text))
    text = _DOTTED.sub(_without_namespace, text)
    at = 0
    for _ in range(_MOST):
        match = _WRAPPER.match(text, at)
        if not match or not at < match.end() < len(text):
            break
        at = match.end()
    return text[at:]
