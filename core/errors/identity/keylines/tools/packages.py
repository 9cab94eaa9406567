"""Package managers: npm, yarn, pnpm, pip, uv, poetry, conda, apt, brew and kin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, read_tools
from core.errors.identity.keylines.lines import KeyLineCandidate, Page, Part, message, whole

_NPM = lazy_pattern(r"npm (?:error|ERR!) ?(?P<said>.*)")
_NPM_FIELD = lazy_pattern(
    r"\s*\Z|\s*(?:code|errno|syscall|path|dest|signal|file|cwd|workspace|location|command|"
    r"network(?= This is a problem)|type|stack at|stack) |A complete log|\s*(?:To see a list|Did you mean|"
    r"This is probably|not ok|Exit status|command failed|in workspace|at location|node_modules|"
    r"For a full report|Fix the|this command with|to accept|Note that|"
    r"This is related|Conflicting|Found:|While resolving|Could not resolve dependency|peer )|\s{2,}|    at "
)
_NPM_HOLLOW = lazy_pattern(
    r"(?:Lifecycle script|Exit status|Failed at the|weird error|command |"
    r"code ELIFECYCLE|\S[^\s@]*+@\S++ \S+: `|.* failed with (?:error|exit))"
)
_REASON = lazy_pattern(r"\s*(?:╰─▶|╰─>|└──|├─▶|├──|╭─(?!\[)) ?")
_RULED = lazy_pattern(r"\s*(?:× |✖ |x )(?!\d+/\d+ )(?P<said>\S.*)")


def _npm(page: Page) -> Iterator[KeyLineCandidate]:
    """The first `npm error` line that is not a field; a lifecycle line only wraps the script's output."""
    first = True
    for number in page.having(("npm error", "npm ERR!")):
        text = page.text(number)
        if not (match := _NPM.match(text)):
            continue
        message_text = match["said"]
        if _NPM_HOLLOW.match(message_text):
            yield whole(page, number, WRAPPER)
        elif not _NPM_FIELD.match(message_text):
            yield whole(page, number, REPORT if first else DETAIL)
            first = False
        elif message_text.startswith("code "):
            yield whole(page, number, WRAPPER - 1)


def _explained(page: Page) -> Iterator[KeyLineCandidate]:
    """uv: the headline, and the reason that hangs below it over several lines."""
    for number in page.having(("× ", "error: ")):
        text = page.text(number)
        match = _RULED.match(text)
        if not match and not re.match(r"error: .+", text):
            continue
        below = page.text(number + 1)
        if not (reason := _REASON.match(below)):
            if match and not re.search(r"\d problems?", text):
                yield KeyLineCandidate(REPORT, (Part(number, *match.span("said")), *_wrapped(page, number + 1)))
            continue
        parts = [
            Part(number, *(match.span("said") if match else (0, len(text)))),
            Part(number + 1, reason.end(), len(below)),
        ]
        if "lines of output" in below:
            yield KeyLineCandidate(DETAIL, tuple(parts[:1]))
            continue
        depth = reason.end()
        at = number + 2
        while (
            at < number + 8
            and page.lines[at : at + 1]
            and page.lines[at].indent >= depth
            and page.text(at).strip()[:1].isalnum()
        ):
            parts.append(message(page, at))
            at += 1
        yield KeyLineCandidate(REPORT, tuple(parts))


def _wrapped(page: Page, number: int) -> tuple[Part, ...]:
    """The rest of a headline that was broken over lines, up to the drawing of the source."""
    for at in range(number, number + 4):
        if page.text(at).lstrip().startswith("╭─["):
            return tuple(message(page, more) for more in range(number, at) if page.text(more).strip())
    return ()


def _conda(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield the package in the list below the headline."""
    for number in page.having(("PackagesNotFoundError: ", "LibMambaUnsatisfiableError: ", "ResolvePackageNotFound:")):
        item = next(
            (
                at
                for at in range(number + 1, min(number + 5, len(page.lines)))
                if page.text(at).lstrip().startswith("- ")
            ),
            None,
        )
        parts = (message(page, number),) if item is None else (message(page, number), message(page, item))
        yield KeyLineCandidate(CAUSE, parts)


def _apk(page: Page) -> Iterator[KeyLineCandidate]:
    for number in page.having(("unable to select packages",)):
        parts = (
            (message(page, number), message(page, number + 1))
            if page.text(number + 1).strip()
            else (message(page, number),)
        )
        yield KeyLineCandidate(REPORT, parts)


TOOLS = read_tools("packages", _npm, _explained, _conda, _apk)
