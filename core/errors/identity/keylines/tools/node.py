"""JavaScript and TypeScript: Node, Deno, Bun, tsc and the bundlers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, Found, Part, Tool, rule, whole
from core.errors.identity.keylines.lines import Page

_NAME = r"(?:[A-Za-z_$][\w$.]*)?(?:Error|Exception|Warning|Rejection|Failure)\b(?: \[[\w.]+\])?(?: \([^()\n]{1,80}\))?"
_THROWN = lazy_pattern(
    rf"(?:Uncaught(?: \(in promise\))? |Unhandled [\w ]{{1,40}}:? |"
    rf"error: (?:Uncaught )?(?:\(in promise\) )?|\[)?{_NAME}(?:: |:?\Z|: ?\Z)"
)
_FRAME = lazy_pattern(r"\s+at .*(?::\d+:\d+\)?|<anonymous>\)?|\(native(?: code)?\))(?: \{)?\Z", re.ASCII)
_CARET = lazy_pattern(r"\s*\^+\s*\Z")
_CAUSE = lazy_pattern(r"\s*\[(?:cause|errors)\]: (?:\[?)(?P<said>[A-Z].*)")
_COMMAND = lazy_pattern(r"(?:Error: |\[ERROR\] )?Command failed\b")
_REACH = 24


def _thrown(page: Page) -> Iterator[Found]:
    """An error with stack frames below, or what follows the caret under the source line of an uncaught one."""
    caret_seen = False
    for number, line in enumerate(page.lines):
        text = line.text
        if match := _CAUSE.match(text):
            yield Found(DETAIL, (Part(number, *match.span("said")),))
        elif _CARET.match(text) and _node_source(page, number):
            said = page.next_filled(number + 1, 3)
            if said is not None and not caret_seen and not page.lines[said].indent:
                yield whole(page, said, CAUSE + 1)
                caret_seen = True
        elif _THROWN.match(text) and _has_frames(page, number):
            command = _COMMAND.match(text)
            yield whole(page, number, REPORT - 1 if command else CAUSE)


def _has_frames(page: Page, number: int) -> bool:
    for at in range(number + 1, min(number + _REACH, len(page.lines))):
        text = page.text(at)
        if _FRAME.match(text):
            return True
        if _THROWN.match(text):
            return False
    return False


def _node_source(page: Page, number: int) -> bool:
    """Whether the caret on line `number` stands under source that Node printed: `file:line`, code, caret."""
    return any(
        re.match(r"(?:file://|node:|[/\\]|[A-Za-z]:[\\/]|\[eval\]|\S+\.[cm]?[jt]sx?).*:\d+\Z", page.text(at))
        for at in range(max(0, number - 4), number)
    )


_HEADLINE = lazy_pattern(
    r"ERROR in (?!.*\bTS\d+: ).*|Failed to compile\.?\Z|(?:[x✗✖] )?Build failed(?: in .*|:|\Z)|error during build:|"
    r"Module (?:build|parse) failed.*:\Z"
)
_PLACE = lazy_pattern(r"(?:\.{0,2}/|\w:\\|>|[\w@-]+/)[^\s:]*(?:[: ]\d+:\d+\S*.*)?\Z", re.ASCII)


def _bundled(page: Page) -> Iterator[Found]:
    """Below `ERROR in file`, `Failed to compile` and the like: the first line that is no place and no headline."""
    for number in page.having(("ERROR in ", "Failed to compile", "Build failed", "error during build", "Module ")):
        if not _HEADLINE.match(page.text(number).strip()):
            continue
        said = page.next_filled(number + 1, 3)
        while said is not None and _PLACE.match(page.text(said).strip()):
            said = page.next_filled(said + 1, 3)
        if said is not None and not _HEADLINE.match(page.text(said).strip()):
            yield whole(page, said, CAUSE)


TOOLS = (
    Tool(
        "tsc",
        rules=(
            rule("error TS", r"error TS\d+: .*", CAUSE + 2),
            rule("TS", r"TS\d{4,5}: .*", CAUSE + 1),
            rule("Type error: ", r"Type error: .*", CAUSE + 1),
            rule("TSError: ", r"TSError: .*", DETAIL),
        ),
    ),
    Tool("node", signs=("    at ", "   ^", "^\n", "[cause]: ", "\tat "), find=_thrown),
    Tool(
        "node",
        rules=(
            rule("FATAL ERROR: ", r"FATAL ERROR: .*", CAUSE),
            rule("UnhandledPromiseRejection", r"\(node:\d+\) UnhandledPromiseRejectionWarning: (?P<key>.*)", CAUSE),
            rule("Uncaught ", rf"Uncaught (?:\(in promise\) )?{_NAME}.*", CAUSE),
            rule(
                "error: ",
                r"error: (?:Uncaught|Module not found|Cannot find (?:module|package)|Relative import path|"
                r"Cannot resolve|Could not resolve).*",
                CAUSE,
            ),
            rule("node: ", r"(?:/\S*/)?node(?:\.exe)?: (?:bad option|--|\S+ is not allowed|invalid).*", REPORT),
            rule(
                "Command failed",
                r"(?:Error: |\[ERROR\] )?Command failed(?: with (?:exit code|ENOENT).*|: .*)?\Z",
                WRAPPER,
            ),
        ),
    ),
    Tool(
        "bundler",
        signs=("ERROR in ", "Failed to compile", "Build failed", "error during build", "Module "),
        find=_bundled,
    ),
    Tool(
        "bundler",
        rules=(
            rule("[ERROR] ", r"[✘X×] \[ERROR\] .*[^:]\Z", CAUSE),
            rule(
                "ERROR: ",
                r"ERROR: .*",
                CAUSE,
                located=(".ts", ".js", ".tsx", ".jsx", ".mjs", ".vue", ".svelte", ".css"),
            ),
            rule("[vite]", r"\[vite\][\w: -]*(?:[Ee]rror|[Ff]ailed).*", CAUSE),
            rule(
                ("Module not found: ", "Cannot find module "),
                r"(?:Module not found: |Cannot find module ).*",
                CAUSE - 1,
            ),
            rule("failed to resolve", r"\S+: Failed to resolve .*", CAUSE),
            rule("Failed to resolve", r"(?:@\w+/\w+: )?Failed to resolve .*", CAUSE),
            rule("Could not resolve ", r"(?:RollupError: |Error: )?Could not resolve .*", CAUSE - 1),
            rule("RollupError", r"RollupError: .*", CAUSE),
        ),
    ),
)
