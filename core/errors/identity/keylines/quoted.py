"""Lines that print somebody else's text: hits of a search, hunks of a diff, numbered source. They name no failure."""

from __future__ import annotations

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.keylines.lines import Page

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
    if _may_hold_hits(whole):
        found.update(number for number, line in enumerate(page.lines) if _is_hit(line.text))
    if "@@ -" in whole:
        _add_hunks(page, found)
    _add_numbered(page, found)
    return frozenset(found)


def _may_hold_hits(whole: str) -> bool:
    return ":" in whole or "-" in whole


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
