"""Runtimes: Node, Deno, Bun and the bundlers; Ruby, PHP, Perl, Elixir, R, Julia, Lua, OCaml, Dart, LaTeX; and the JVM.

Of Java, Kotlin, Scala, Groovy and Clojure also the compilers, Maven, Gradle and sbt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, read_tools
from core.errors.identity.keylines.lines import KeyLineCandidate, Page, Part, joined, message, peel, whole

_NAME = r"(?:[A-Za-z_$][\w$.]*)?(?:Error|Exception|Warning|Rejection|Failure)\b(?: \[[\w.]+\])?(?: \([^()\n]{1,80}\))?"
_THROWN = lazy_pattern(
    rf"(?:Uncaught(?: \(in promise\))? |Unhandled [\w ]{{1,40}}:? |"
    rf"error: (?:Uncaught )?(?:\(in promise\) )?|\[)?{_NAME}(?:: |:?\Z|: ?\Z)"
)
_FRAME = lazy_pattern(r"\s+at .*(?::\d+:\d+\)?|<anonymous>\)?|\(native(?: code)?\))(?: \{)?\Z", re.ASCII)
_CARET = lazy_pattern(r"\s*\^+\s*\Z")
_CAUSE = lazy_pattern(r"\s*\[(?:cause|errors)\]: (?:\[?)(?P<said>[A-Z].*)")
_COMMAND = lazy_pattern(
    r"(?:Error: |\[ERROR\] )?(?:Command failed\b|(?:\w+ )?(?:[Bb]uild|[Tt]ransform) failed with \d+ errors?:?\Z)"
)
_REACH = 24


def _thrown(page: Page) -> Iterator[KeyLineCandidate]:
    """An error with stack frames below, or what follows the caret under the source line of an uncaught one."""
    caret_seen = False
    for number, line in enumerate(page.lines):
        text = line.text
        if match := _CAUSE.match(text):
            yield KeyLineCandidate(DETAIL, (Part(number, *match.span("said")),))
        elif _CARET.match(text) and _node_source(page, number):
            message_number = page.next_filled(number + 1, 3)
            if message_number is not None and not caret_seen and not page.lines[message_number].indent:
                yield whole(page, message_number, CAUSE + 1)
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
    """Return whether the caret on line `number` is below source that Node printed: `file:line`, code, caret."""
    return any(
        re.match(r"(?:file://|node:|[/\\]|[A-Za-z]:[\\/]|\[eval\]|\S+\.[cm]?[jt]sx?).*:\d+\Z", page.text(at))
        for at in range(max(0, number - 4), number)
    )


_HEADLINE = lazy_pattern(
    r"ERROR in (?!.*\bTS\d+: ).*|Failed to compile\.?\Z|(?:[x✗✖] )?Build failed(?: in .*|:|\Z)|error during build:|"
    r"Module (?:build|parse) failed.*:\Z"
)
_PLACE = lazy_pattern(r"(?:\.{0,2}/|\w:\\|>|[\w@-]+/)[^\s:]*(?:[: ]\d+:\d+\S*.*)?\Z", re.ASCII)


def _bundled(page: Page) -> Iterator[KeyLineCandidate]:
    """Below `ERROR in file`, `Failed to compile` and the like: the first line that is no place and no headline."""
    for number in page.having(("ERROR in ", "Failed to compile", "Build failed", "error during build", "Module ")):
        if not _HEADLINE.match(page.text(number).strip()):
            continue
        message_number = page.next_filled(number + 1, 3)
        while message_number is not None and _PLACE.match(page.text(message_number).strip()):
            message_number = page.next_filled(message_number + 1, 3)
        if message_number is not None and not _HEADLINE.match(page.text(message_number).strip()):
            yield whole(page, message_number, CAUSE)


NODE = read_tools("node", _thrown, _bundled, NAME=_NAME)


_CLASS_ALONE = lazy_pattern(r"\s*(?:\w+\\)*\w+(?:Error|Exception)\s*\Z", re.ASCII)
_OCAML = lazy_pattern(r'File "[^"]+", lines? [\d-]+, characters [\d-]+:')


def _ocaml(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield OCaml's `Error:`, which is below the source excerpt and may wrap."""
    for number in page.having(('File "',)):
        if _OCAML.match(page.text(number)):
            for at in range(number + 1, min(number + 12, len(page.lines))):
                if page.text(at).startswith("Error"):
                    yield whole(page, at, CAUSE)
                    break


def _named_above(page: Page) -> Iterator[KeyLineCandidate]:
    """Laravel, Poetry and other PHP and Python consoles: the class alone, a blank line, and the message."""
    for number in page.having(("Error", "Exception")):
        if not _CLASS_ALONE.match(page.text(number)) or page.text(number + 1):
            continue
        message_number = page.next_filled(number + 2, 2)
        if message_number is not None and abs(page.lines[message_number].indent - page.lines[number].indent) < 2:
            yield joined(page, (number, message_number), CAUSE)


def _elixir(page: Page) -> Iterator[KeyLineCandidate]:
    """Since 1.15 the compiler draws the source below the message."""
    for number in page.having(("error: ",)):
        drawn = any("└─ " in page.text(at) for at in range(number + 1, number + 10))
        if drawn and page.text(number).lstrip().startswith("error: "):
            yield whole(page, number, CAUSE)


_WAVES = lazy_pattern(r"\s*\|\s+~+\s*\Z")
_BOXED = lazy_pattern(r"\s*\|\s+(?P<said>\S.*)")


_POSITION = lazy_pattern(r".{1,300}?[:：] ?\d+ ?\S{0,16} ?[:：] ?\d+\s*\Z")
_MARKED = lazy_pattern(r"\+ (?:\s|\.\.\.)*~+")
_OF_COMMAND = lazy_pattern(r"\S+ ?: \S")
_LISTED = lazy_pattern(r"(?P<said>.*\bis not recognized as (?:a|the) name of a cmdlet.*\bprogram\.) .*")
_GLUED = lazy_pattern(r"(?P<said>.+\S)At (?:line|\S.{0,200}):\d+ char:\d+\Z")
_ANOTHER_PROGRAM = "NativeCommandError"
"""PowerShell 5 makes such a record of whatever a program writes to its error stream."""
_BLOCK = 60


def _powershell(page: Page) -> Iterator[KeyLineCandidate]:
    """PowerShell 5 writes a message, the position and the code; of code that it cannot read, the message last."""
    for number in page.having(("+ CategoryInfo",)):
        at = _record_message(page, number)
        if at is not None:
            start, end = message(page, at)[1:]
            cut = _LISTED.match(page.text(at), start, end) or _GLUED.match(page.text(at), start, end)
            span = cut.span("said") if cut else (start, end)
            foreign = _ANOTHER_PROGRAM in page.text(number + 1)
            yield KeyLineCandidate(DETAIL if foreign else CAUSE, (Part(at, *span),))


def _record_message(page: Page, number: int) -> int | None:
    """The line of the message in the record whose category is on line `number`."""
    top = number
    while top > max(0, number - _BLOCK) and page.text(top - 1).strip() and "+ FullyQuali" not in page.text(top - 1):
        top -= 1
    at = number - 1
    if at < top:
        return None
    if not page.text(at).startswith("+ "):
        marked = (line for line in range(top, at) if _MARKED.match(page.text(line)))
        return next(marked, at - 1) + 1
    for _ in range(2):  # what could not be started is told with a position of its own
        while at > top and page.text(at).startswith("+ "):
            at -= 1
        if at > top and _POSITION.match(page.text(at)):
            at -= 1
    near = range(at, max(top, at - 5) - 1, -1)
    return next((line for line in near if _OF_COMMAND.match(page.text(line))), at)


def _powershell_core(page: Page) -> Iterator[KeyLineCandidate]:
    """PowerShell 7 draws a box below `Line |`; the message is the row under the waves."""
    for number in page.having(("Line |",)):
        if page.text(number).strip() != "Line |":
            continue
        for at in range(number + 1, min(number + 12, len(page.lines) - 1)):
            match = _BOXED.match(page.text(at + 1)) if _WAVES.match(page.text(at)) else None
            if match:
                yield KeyLineCandidate(CAUSE, (Part(at + 1, *match.span("said")),))
                break


_R_CALL = lazy_pattern(r"Error in .{1,300} :\s*\Z")


def _r(page: Page) -> Iterator[KeyLineCandidate]:
    """R names the call that failed, and what was wrong on the next line where it is long."""
    for number in page.having(("Error in ",)):
        message_line = page.text(number + 1)
        if _R_CALL.match(page.text(number)) and message_line.startswith("  ") and message_line.strip():
            yield joined(page, (number, number + 1), CAUSE + 1)


def _haskell(page: Page) -> Iterator[KeyLineCandidate]:
    """The message of an exception, above its call stack."""
    for number in page.having(("CallStack (from HasCallStack):",)):
        if number and page.text(number - 1).strip():
            yield whole(page, number - 1, CAUSE)


_FLUTTER_LOG = lazy_pattern(
    r"(?P<log>(?:[A-Z]/)?flutter\b[^:]{0,20}: ?)?(?(log)\s*|\s*(?!flutter))(?P<said>\S.*)", re.ASCII
)


def _flutter(page: Page) -> Iterator[KeyLineCandidate]:
    """What was thrown, in Flutter's box: one or two lines below `The following … was thrown …:`."""
    for number in page.having(("The following ",)):
        text = page.text(number)
        if not text.endswith(":") or not (" was thrown" in text or " were thrown" in text):
            continue
        below = ((at, _FLUTTER_LOG.fullmatch(page.text(at))) for at in (number + 1, number + 2))
        parts = [Part(at, *match.span("said")) for at, match in takewhile(lambda one: one[1], below) if match]
        if parts:
            yield KeyLineCandidate(CAUSE, tuple(parts))


def _latex(page: Page) -> Iterator[KeyLineCandidate]:
    """`! message` above its source line (`l.5 \\foo`) or in the log of a TeX run; how the run ended comes last."""
    run = "TeX" in page.whole and "Transcript written on " in page.whole
    for number in page.having(("! ",)):
        text = page.text(number)
        if re.match(r"! (?:Emergency stop| ==> Fatal error)", text):
            yield whole(page, number, DETAIL)
        elif re.match(r"! \S", text) and (
            run or any(re.match(r"l\.\d+ ", page.text(at)) for at in range(number, number + 12))
        ):
            yield whole(page, number, CAUSE)


RUNTIMES = read_tools(
    "runtimes", _elixir, _ocaml, _haskell, _r, _flutter, _powershell, _powershell_core, _named_above, _latex
)


_CLASS = r"(?:[a-z_][\w$]*\.)+[\w$]*[A-Z][\w$]*"
_JAVA_THROWN = lazy_pattern(
    rf"(?:Exception in thread \"[^\"\n]*\" |Uncaught exception: |(?:[\w. ]+: )?)(?:{_CLASS})(?::| at |\Z)"
)
_JAVA_FRAME = lazy_pattern(
    r"\s*at [\w.$<>/@-]+\(|\s+at \S+\.(?:java|kt|groovy|scala):\d+|\s*\.\.\. \d+ (?:more|common frames)"
)
_CAUSED = lazy_pattern(r"\s*Caused by: (?P<said>.*)")
_INLINE_FRAME = lazy_pattern(r" at \S+\.(?:java|kt|groovy|scala):\d+\Z")
_SYMBOL = lazy_pattern(r"(?:\[ERROR\] )?\s*(?P<said>(?:symbol|기호|심볼): .*)")


def _thrown_in_java(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield the outermost exception of a stack trace, with its cause."""
    for number, line in enumerate(page.lines):
        text = line.text
        if match := _CAUSED.match(text):
            yield KeyLineCandidate(DETAIL, (Part(number, *match.span("said")),))
        elif (match := _JAVA_THROWN.match(text.lstrip())) and (_framed(page, number) or _INLINE_FRAME.search(text)):
            yield whole(page, number, CAUSE)


def _framed(page: Page, number: int) -> bool:
    return any(
        _JAVA_FRAME.match(page.text(at)) or _CAUSED.match(page.text(at))
        for at in range(number + 1, min(number + 12, len(page.lines)))
    )


def _symbols(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield `cannot find symbol` with its symbol, which is a few lines below."""
    for number in page.having(("cannot find symbol", "심볼을 찾을 수 없습니다", "기호를 찾을 수 없습니다")):
        start, end = peel(page.text(number))
        key = Part(number, start, end)
        below = ((at, _SYMBOL.match(page.text(at))) for at in range(number + 1, number + 5))
        named = (Part(at, *match.span("said")) for at, match in below if match)
        symbol = next(named, None)
        yield KeyLineCandidate(CAUSE, (key,) if symbol is None else (key, symbol))


def _clojure(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield the message below the place."""
    for number in page.having(("Syntax error ", "Execution error ")):
        if re.match(
            r"(?:Syntax|Execution) error .* at \(|Syntax error (?:compiling|reading|macroexpanding) at ",
            page.text(number),
        ):
            message_number = page.next_filled(number + 1, 2)
            yield whole(page, number, DETAIL)
            if message_number is not None:
                yield whole(page, message_number, CAUSE)


def _gradle(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield the innermost reason below `What went wrong`, with the task above it."""
    for number in page.having(("* What went wrong:",)):
        first = number + 1
        if not page.text(first):
            continue
        reason = first
        for at in range(first + 1, min(first + 12, len(page.lines))):
            text = page.text(at).lstrip()
            if text.startswith("* "):
                break
            if text.startswith("> "):
                reason = at
        hollow = re.search(
            r"Compilation (?:failed|error)|There were failing tests|See the (?:report|log)", page.text(reason)
        )
        if reason != first:
            yield whole(page, first, DETAIL)
            start = page.text(reason).find("> ") + 2
            yield KeyLineCandidate(WRAPPER if hollow else REPORT, (Part(reason, start, len(page.text(reason))),))
        else:
            yield whole(page, first, REPORT)


def _spring(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield the text below `Description:` in Spring Boot's report of a failed start."""
    for number in page.having(("Description:",)):
        if (message_number := page.next_filled(number + 1)) is not None:
            yield whole(page, message_number, CAUSE + 1)


JVM = read_tools("jvm", _spring, _symbols, _thrown_in_java, _clojure, _gradle)
