"""Compilers and builders: C, C++, C#, Go, Swift, Rust and others; linkers; make, CMake, ninja, Bazel, CI."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, TEST, WRAPPER, read_tools
from core.errors.identity.keylines.lines import KeyLineCandidate, Page, Part, joined, message, peel, whole

_GHC = lazy_pattern(r"(?:error|오류):(?: \[(?:GHC-\d+|-W[\w, =-]+)\])*\s*\Z")
_GO_PLACED = lazy_pattern(r"\s*(?:(?:vet|go|\w+): )?\S+\.go:\d+:\d+:(?: |\Z)")
_GO_PACKAGE = lazy_pattern(r"# [\w.-]+(?:/[\w.~-]+)+(?: \[[^\]]+\])?\Z")
_GO_EMPTY = lazy_pattern(
    r"\s*(?:\Z|too many errors(?: \(|\Z)|[A-Z]+\d+\(related information\)|: # |could not import \S+ \(-: # )"
)


def _undefined_symbols(page: Page) -> Iterator[KeyLineCandidate]:
    """Apple's linker names the symbol on the next line."""
    for number in page.having(("Undefined symbols for architecture",)):
        yield joined(page, (number, number + 1) if page.text(number + 1) else (number,), CAUSE)


def _ghc(page: Page) -> Iterator[KeyLineCandidate]:
    """GHC puts the message below the location."""
    for number in page.having((": error:",)):
        start, end = peel(page.text(number))
        message_number = page.next_filled(number + 1, 2)
        if message_number is not None and start and _GHC.match(page.text(number), start, end):
            lead = page.text(message_number).lstrip()
            shift = 2 if lead.startswith("• ") else 0
            part = message(page, message_number)
            yield KeyLineCandidate(
                CAUSE + 1, (Part(number, start, end), Part(message_number, part.start + shift, part.end))
            )


def _go_lines(page: Page) -> Iterator[KeyLineCandidate]:
    """Go's compilers and linters name line and column; `file.go:12:` alone is a log, or a line that a search shows."""
    for number in page.having((".go:",)):
        text = page.text(number)
        if not (match := _GO_PLACED.match(text)) or _GO_EMPTY.match(text, match.end()):
            continue
        weight = DETAIL if text.startswith("other declaration of", match.end()) else CAUSE
        yield KeyLineCandidate(weight, (Part(number, match.end(), len(text.rstrip())),))


def _go_setup(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield the lines below a package name without a file position: the package could not be read."""
    for number in page.having(("# ",)):
        message_line = page.text(number + 1)
        if _GO_PACKAGE.match(page.text(number)) and ": " in message_line and not _GO_PLACED.match(message_line):
            yield whole(page, number + 1, REPORT)


def _go_imports(page: Page) -> Iterator[KeyLineCandidate]:
    """`go: a imports`, `b imports`, and below them the package that cannot be had."""
    for number in page.having((" imports\n",)):
        if page.text(number - 1).endswith(" imports"):
            continue
        at = number
        while page.text(at).endswith(" imports"):
            at += 1
        if page.text(at).strip() and ": " in page.text(at):
            yield whole(page, at, REPORT + 2)


def _terminated(page: Page) -> Iterator[KeyLineCandidate]:
    """`terminate called` and its `what():` belong together."""
    for number in page.having(("terminate called after throwing", "libc++abi: terminating")):
        what = page.text(number + 1).lstrip().startswith("what():")
        yield joined(page, (number, number + 1) if what else (number,), CAUSE)


COMPILERS = read_tools("compilers", _ghc, _undefined_symbols, _go_lines, _go_imports, _go_setup, _terminated)


_PANICKED = lazy_pattern(r"(?:.*\bthread '[^']{0,200}'(?: \(\d+\))? )?panicked at (?P<at>.+)", re.ASCII)
_BARE = lazy_pattern(r"assertion `[^`]{1,200}` failed\Z")
_CRASH = lazy_pattern(r"\s*Message: +(?P<said>\S.*)")
_CAUSE = lazy_pattern(r"\s*(?P<number>\d{1,2}): (?=\S)", re.ASCII)
_OS_ERROR = lazy_pattern(r"[^():]{1,80} \(os error \d+\)\Z", re.ASCII)
_OLD = lazy_pattern(r"'(?P<said>.*)', \S+:\d+:\d+\Z", re.ASCII)


def _panics(page: Page) -> Iterator[KeyLineCandidate]:
    """The message of a panic: on the next line since 1.73, between quotes before."""
    weight = TEST - 1
    for number in page.having(("panicked at ",)):
        text = page.text(number)
        if not (match := _PANICKED.match(text)):
            continue
        if old := _OLD.match(text, match.start("at")):
            yield KeyLineCandidate(weight, (Part(number, *old.span("said")),))
        elif match["at"] == "'" and (message_number := page.next_filled(number + 1)) is not None:
            yield whole(page, message_number, weight)
        elif match["at"].endswith(":") and (message_number := page.next_filled(number + 1)) is not None:
            aftermath = "panic in a function that cannot unwind" in page.text(message_number)
            yield whole(page, message_number, DETAIL if aftermath else weight)
            if _BARE.match(page.text(message_number).strip()):
                # That two values differ says little; the line above says in which test, and where.
                yield KeyLineCandidate(
                    weight - 1, (Part(number, max(text.find("thread '"), 0), len(text.rstrip(":"))),)
                )
        else:
            yield KeyLineCandidate(weight, (Part(number, match.start("at"), len(text)),))
        weight = TEST - 2


def _crashes(page: Page) -> Iterator[KeyLineCandidate]:
    """eyre's own report of a panic: `Message:` below its headline."""
    for number in page.having(("The application panicked (crashed).",)):
        message_number = page.next_filled(number + 1, 3)
        match = _CRASH.match(page.text(message_number)) if message_number is not None else None
        if message_number is not None and match:
            yield KeyLineCandidate(TEST - 1, (Part(message_number, *match.span("said")),))


def _reports(page: Page) -> Iterator[KeyLineCandidate]:
    """eyre numbers what an error came from below a bare `Error:`; the last one says why."""
    for number in page.having(("Error:\n",)):
        if page.text(number).strip() != "Error:":
            continue
        causes: list[int] = []
        for at in range(number + 1, min(number + 40, len(page.lines))):
            match = _CAUSE.match(page.text(at))
            if match and int(match["number"]) == len(causes):
                causes.append(at)
            elif not page.text(at).strip():
                break
        parts = [Part(at, match.end(), len(page.text(at))) for at in causes if (match := _CAUSE.match(page.text(at)))]
        for part in parts[:-1]:
            yield KeyLineCandidate(REPORT + 1, (part,))
        if parts:
            # What the system says alone does not say of which file: that is what the cause above it is for.
            of_system = _OS_ERROR.match(page.text(parts[-1].number), parts[-1].start)
            yield KeyLineCandidate(REPORT + 2, tuple(parts[-2:] if of_system else parts[-1:]))


def _diagnostics(page: Page) -> Iterator[KeyLineCandidate]:
    """`error: …` with an arrow below is the compiler's; alone it is cargo's."""
    for number in page.having(("error: ",)):
        text = page.text(number)
        if text.startswith("error: ") and page.text(number + 1).lstrip().startswith("--> "):
            yield whole(page, number, CAUSE)


RUST = read_tools("rust", _crashes, _reports, _panics, _diagnostics)


def _cmake(page: Page) -> Iterator[KeyLineCandidate]:
    """`CMake Error at file:line (command):` and the first line of what follows."""
    for number in page.having(("CMake Error",)):
        text = page.text(number).lstrip()
        if not text.startswith("CMake Error"):
            continue
        message_number = page.next_filled(number + 1, 3) if text.endswith(":") else None
        yield joined(page, (number,) if message_number is None else (number, message_number), CAUSE)


def _bazel(page: Page) -> Iterator[KeyLineCandidate]:
    for number in page.having(("ERROR: ",)):
        text = page.text(number)
        if re.match(
            r"ERROR: (?:\S+/)?BUILD(?:\.bazel)?:\d+:\d+: |ERROR: (?:no such (?:target|package)|"
            r"Analysis of|error loading|Skipping|While parsing|The project)",
            text,
        ):
            hollow = re.search(r"\(Exit \d+\)", text)
            yield whole(page, number, WRAPPER + 1 if hollow else REPORT)


_MAKE = r"(?:g?make(?:\[\d+\])?|mingw32-make): \*\*\* \[.*\]"
_TELLING = r"Error 1(?:2[67]|3[1-9]|4[0-24-9])"
"""Exit codes with a meaning: not executable, not found, ended by a signal (141: its reader went away) other than a stop
request."""

BUILDERS = read_tools("builders", _cmake, _bazel, TELLING=_TELLING, MAKE=_MAKE)
