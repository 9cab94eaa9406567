"""The message in a line: without indentation, gutter, `file:line:col:` and trailing lists."""

from __future__ import annotations

import re
from typing import Final

from core.base.lazy_pattern import lazy_pattern

LONGEST: Final = 8192
"""Code points of a line that any pattern sees."""

_PATH = (
    r"(?:file:///?[^\s:'\"<>|]+|<(?:stdin|string|input|anonymous|unknown|eval|"
    r"inline|command[ -]line)>|\(eval(?: at [^()\s]*)?\)|-e|-"
    r"|(?:[A-Za-z]:)?[\\/.][^:'\"()<>|*?\n]{0,400}?\.[A-Za-z]\w{0,9}"
    r"|(?:[A-Za-z]:)?(?P<token>[^\s:()'\"<>|,;`]+))"
)
_POSITION = (
    r"(?::\d+(?:[:.]\d+)?(?:-\d+(?:[:.]\d+)?)?|\(\d+(?:[,:.-] ?\d+){0,3}\)|"
    r":\[\d+,\d+\]|: ?\(\d+, ?\d+\)|:\(\.\w+[\w.+-]*\+0x[0-9a-f]+\))"
)
_IN = r"(?::in [`'‘][^'’\n]{1,200}['’])?"
_LEAD = r"(?:psql:|(?:vet|lua|luajit|ruby|rubocop|[ew]): (?=\S*[./\\:]))?"
_LOCATION = lazy_pattern(rf"{_LEAD}{_PATH}{_POSITION}{_IN}(?: - |:\s+|:(?=\D)|\s+(?=\S))", re.ASCII)
_TAGGED = lazy_pattern(r"(?:\[(?:ERROR|error|err)\]|[>|*•-]|Error:(?=\s\S+ - ))\s+", re.ASCII)
_PATHLIKE = lazy_pattern(
    r"[/\\]|\.(?:[chmsvdrRl]|[a-z]{1,2}|[ch](?:pp|xx|\+\+)|[a-z]{3}x?|java|jsx|tsx|"
    r"json|yaml|toml|html|scss|less|swift|scala|dart|lisp|"
    r"groovy|gradle|kts|proto|cmake|build|tfvars|ipynb|vue|svelte|astro|mdx|rst|txt|conf|bash|fish|coffee|erl|exs|hs|"
    r"ino|sol|zig|nim|cljs?|fsx?|vbs|ps1|psm1|mjs|cjs|mts|cts|xml|hbs|pug|lua|mod|csproj|nix|graphql)\Z|"
    r"^(?:GNU)?[Mm]akefile|^Dockerfile|^Rakefile|^Gemfile|^Jenkinsfile|^Justfile|^BUILD|^Podfile|^Vagrantfile",
    re.ASCII,
)
_DIGIT = lazy_pattern(r"[0-9]")
_HOST = lazy_pattern(r"\.(?:com|org|net|io|dev|app|local|co|kr|ai|cloud|internal|lan|me|gov|edu)\Z")
_GUTTER = lazy_pattern(r"E {2,}(?=\S)|\d+:\d+ +(?:(?:error|warning) +(?=\S)|(?=(?:Error|Warning): ))", re.ASCII)
_LINKED = lazy_pattern(
    r".{1,600}?:\s(?=(?:more )?(?:undefined reference to|multiple definition of|undefined symbol:) ?[`'‘\w])"
)
_PANIC = lazy_pattern(r"thread '[^']{0,200}'(?: \(\d+\))? panicked at '(?P<said>.+)', [^\s']+:\d+:\d+\Z", re.ASCII)
_TRAILING = lazy_pattern(r"\(from versions: [^()]*\)\Z")


def peel(text: str) -> tuple[int, int]:
    """Where the message of a line begins and ends; (start, start) when the line is blank.

    Stable: the message of a message is itself.
    """
    head = text[:LONGEST]
    end = len(head.rstrip())
    start = len(head) - len(head.lstrip())
    if start >= end:
        return start, start
    if head[end - 1] == ")":
        end = len(_trimmed(head[:end]).rstrip()) or end
    for _ in range(6):
        after = _step(head, start, end)
        if after is None:
            break
        start = after
    if (panic := _PANIC.match(head, start, end)) and panic["said"].strip():
        start = panic.start("said")
        end = panic.end("said")
    return start, end


def location(text: str, start: int) -> str:
    """What stands before a message that begins at `start`, if that is a place in a file; else empty."""
    before = text[:start].strip()
    return before if _DIGIT.search(before) else ""


def _step(head: str, start: int, end: int) -> int | None:
    """The start after one more prefix, or None."""
    after = _location(head, start, end)
    if after is None and (match := _GUTTER.match(head, start, end)):
        after = match.end()
    if after is None and head[start] in "[>|*•-E" and (match := _TAGGED.match(head, start, end)):
        after = _location(head, match.end(), end)
    if after is None and ("undefined " in head or "multiple definition" in head):
        match = _LINKED.match(head, start, end)
        after = match.end() if match else None
    return after if after is not None and after < end else None


def _location(head: str, start: int, end: int) -> int | None:
    match = _LOCATION.match(head, start, end)
    if not match or match.end() >= end:
        return None
    token = match["token"]
    if token is not None and (not _PATHLIKE.search(token) or ("/" not in token and _HOST.search(token))):
        return None
    return match.end()


def _trimmed(head: str) -> str:
    match = _TRAILING.search(head, max(0, len(head) - 4000))
    return head[: match.start()] if match else head
