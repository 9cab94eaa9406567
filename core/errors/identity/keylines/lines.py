"""The lines of an output with their positions in the raw text, the message in each, and lines that only quote a text.

A message is a line without indentation, gutter, `file:line:col:` and trailing lists. Hits of a search, hunks of a diff
and numbered source are quoted: they name no failure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from core.base.lazy import lazy_pattern
from core.text import OffsetMap


class Chunk(NamedTuple):
    """A stretch of the raw text that was cleaned as one: where it begins, and the map of its cleaned characters."""

    base: int
    offsets: OffsetMap

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Half-open code-point span of the raw text."""
        first, last = self.offsets.original_span(start, end)
        return self.base + first, self.base + last


class Line(NamedTuple):
    """One line without its envelope prefix and trailing blanks; indentation stays. `at` is its place in the chunk."""

    text: str
    at: int
    chunk: Chunk

    @property
    def indent(self) -> int:
        """How many blanks it starts with."""
        return len(self.text) - len(self.text.lstrip())

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Half-open code-point span of `text[start:end]` in the raw text."""
        return self.chunk.span(self.at + start, self.at + end)


class Page(NamedTuple):
    """All lines of an output, joined once more for fast search."""

    lines: tuple[Line, ...]
    whole: str
    starts: tuple[int, ...]

    def having(self, needles: Sequence[str]) -> Iterator[int]:
        """The numbers of the lines that contain one of `needles`, ascending for each needle."""
        whole, starts = self.whole, (*self.starts, len(self.whole) + 1)
        for needle in needles:
            position = whole.find(needle)
            while position >= 0:
                number = bisect_right(starts, position)
                yield number - 1
                position = whole.find(needle, starts[number])

    def text(self, number: int) -> str:
        """The text of line `number`, empty outside the page."""
        return self.lines[number].text if 0 <= number < len(self.lines) else ""

    def next_filled(self, number: int, reach: int = 4) -> int | None:
        """The number of the first line from `number` on, at most `reach` lines ahead, that is not blank."""
        for candidate in range(number, min(number + reach, len(self.lines))):
            if self.lines[candidate].text.strip():
                return candidate
        return None


def page(lines: Sequence[Line]) -> Page:
    starts = accumulate((len(line.text) + 1 for line in lines[:-1]), initial=0) if lines else ()
    return Page(tuple(lines), "\n".join(line.text for line in lines), tuple(starts))


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
_GUTTER = lazy_pattern(
    r"E {2,}(?=\S)|(?:ERRO|FATA|PANI)\[\d{4,9}\] +(?=\S)"
    r"|\d+:\d+ +(?:(?:error|warning) +(?=\S)|(?=(?:Error|Warning): ))",
    re.ASCII,
)
_LINKED = lazy_pattern(
    r".{1,600}?:\s(?=(?:more )?(?:undefined reference to|multiple definition of|undefined symbol:) ?[`'‘\w])"
)
_PANIC = lazy_pattern(r"thread '[^']{0,200}'(?: \(\d+\))? panicked at '(?P<said>.+)', [^\s']+:\d+:\d+\Z", re.ASCII)
_TRAILING = lazy_pattern(
    r"(?:\(from versions: [^()]*\)|[ ]\[recovered(?:, repanicked)?\]"
    r"|[ ]\[[^\[\]]{1,400}\.(?:\w{2,3}proj|slnx?)(?:::TargetFramework=[^\[\]]{1,40})?\])\Z"
)
"""What a tool adds behind a message: the versions it looked through, what became of the panic, MSBuild's project."""


def peel(text: str) -> tuple[int, int]:
    """Where the message of a line begins and ends; (start, start) when the line is blank.

    Stable: the message of a message is itself.
    """
    head = text[:LONGEST]
    end = len(head.rstrip())
    start = len(head) - len(head.lstrip())
    if start >= end:
        return start, start
    if head[end - 1] in ")]":
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
    """Return the text before a message that begins at `start`, if it is a place in a file; else empty."""
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


# `file:12:` or `file-12-` with the line as it stands in the file; a tool's own message has a blank after the colon.
_HIT = lazy_pattern(
    r"^[^\s:(\[<\"'][^\s:\"'<>|]{0,300}\.[A-Za-z]\w{0,9}(?:-\d{1,7}-|:(?:[ ]{2,}|\t)\S|"
    r":\d{1,7}:(?!in [`']|\d+[:,.\s-]|\d+\Z)(?:[^\s:\d]|\d(?!\d*:)|[ ]{2}|\t))",
)
_CUT = lazy_pattern(r".*…\d+ (?:chars|characters|tokens|lines) truncated…")
_MESSAGE = lazy_pattern(
    r"\S+?:\d+:(?:(?:fatal )?(?:error|warning|note)\b|[A-Z]{1,4}\d{3,4}\b)",
)
_NUMBERED = lazy_pattern(r"^ *\d{1,6}(?:→|\t|[:-](?!\d|[ ]\S))")
_HUNK = lazy_pattern(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_CHANGED = lazy_pattern(r"[+-](?!\s*\d+(?:\.\d+)?%)|[ ]|\\ No newline|\Z")
_DIFF_HEAD = lazy_pattern(r"diff --git |index [0-9a-f]{6,}\.\.|--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null)")
_FEWEST_NUMBERED = 3


def quoted_lines(page: Page) -> frozenset[int]:
    """The numbers of the lines of a page that show text of files."""
    found: set[int] = set()
    whole = page.whole
    if ":" in whole or "-" in whole:
        found.update(number for number, line in enumerate(page.lines) if _is_hit(line.text))
    if "@@ -" in whole:
        _add_hunks(page, found)
    _add_numbered(page, found)
    return frozenset(found)


def _is_hit(text: str) -> bool:
    if "truncated…" in text and _CUT.match(text):
        return True
    return _HIT.match(text) is not None and _MESSAGE.match(text) is None


def _add_hunks(page: Page, found: set[int]) -> None:
    """The changed lines of each hunk, and their context."""
    inside = False
    for number, line in enumerate(page.lines):
        if _HUNK.match(line.text):
            inside = True
        elif _DIFF_HEAD.match(line.text):
            inside = False
        elif inside and not _CHANGED.match(line.text):
            inside = False
            continue
        else:
            if inside:
                found.add(number)
            continue
        found.add(number)


def _add_numbered(page: Page, found: set[int]) -> None:
    """Runs of lines that count up, as `cat -n`, `nl`, `grep -n` and readers of files print them."""
    run: list[int] = []
    last = -1
    for number, line in enumerate(page.lines):
        head = line.text[:12].lstrip()
        match = _NUMBERED.match(line.text) if head[:1].isdigit() else None
        value = int(match[0].strip().rstrip("→:-\t")) if match else -1
        if match and (not run or value > last):
            run.append(number)
        else:
            if len(run) >= _FEWEST_NUMBERED:
                found.update(run)
            run = [number] if match else []
        last = value
    if len(run) >= _FEWEST_NUMBERED:
        found.update(run)


class Part(NamedTuple):
    """`start`..`end` of line `number`: what a key line is made of."""

    number: int
    start: int
    end: int


class KeyLineCandidate(NamedTuple):
    """A key line: its parts in order (nearly always one), and how much it says."""

    weight: int
    parts: tuple[Part, ...]


def whole(page: Page, number: int, weight: int) -> KeyLineCandidate:
    """The message of line `number` as a key line."""
    return KeyLineCandidate(weight, (message(page, number),))


def joined(page: Page, numbers: Iterable[int], weight: int) -> KeyLineCandidate:
    """The messages of several lines as one key line."""
    return KeyLineCandidate(weight, tuple(message(page, number) for number in numbers))


def message(page: Page, number: int) -> Part:
    """The message of line `number`: without indentation, location and envelope suffix."""
    start, end = peel(page.text(number))
    return Part(number, start, end)
