"""Java, Kotlin, Scala, Groovy, Clojure: compilers, the runtime, Maven, Gradle, sbt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import (
    CAUSE,
    DETAIL,
    REPORT,
    WRAPPER,
    KeyLineCandidate,
    Part,
    rule,
    tool,
    whole,
)
from core.errors.identity.keylines.lines import Page, peel

_CLASS = r"(?:[a-z_][\w$]*\.)+[\w$]*[A-Z][\w$]*"
_THROWN = lazy_pattern(
    rf"(?:Exception in thread \"[^\"\n]*\" |Uncaught exception: |(?:[\w. ]+: )?)(?:{_CLASS})(?::| at |\Z)"
)
_FRAME = lazy_pattern(
    r"\s*at [\w.$<>/@-]+\(|\s+at \S+\.(?:java|kt|groovy|scala):\d+|\s*\.\.\. \d+ (?:more|common frames)"
)
_CAUSED = lazy_pattern(r"\s*Caused by: (?P<said>.*)")
_INLINE_FRAME = lazy_pattern(r" at \S+\.(?:java|kt|groovy|scala):\d+\Z")
_SYMBOL = lazy_pattern(r"(?:\[ERROR\] )?\s*(?P<said>(?:symbol|기호|심볼): .*)")


def _thrown(page: Page) -> Iterator[KeyLineCandidate]:
    """Yield the outermost exception of a stack trace, with its cause."""
    for number, line in enumerate(page.lines):
        text = line.text
        if match := _CAUSED.match(text):
            yield KeyLineCandidate(DETAIL, (Part(number, *match.span("said")),))
        elif (match := _THROWN.match(text.lstrip())) and (_framed(page, number) or _INLINE_FRAME.search(text)):
            yield whole(page, number, CAUSE)


def _framed(page: Page, number: int) -> bool:
    return any(
        _FRAME.match(page.text(at)) or _CAUSED.match(page.text(at))
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
            said = page.next_filled(number + 1, 2)
            yield whole(page, number, DETAIL)
            if said is not None:
                yield whole(page, said, CAUSE)


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
        if (said := page.next_filled(number + 1)) is not None:
            yield whole(page, said, CAUSE + 1)


TOOLS = (
    tool("spring", signs=("APPLICATION FAILED TO START",), find=_spring),
    tool("javac", signs=("cannot find symbol", "찾을 수 없습니다"), find=_symbols),
    tool("javac", rule(("error: ", "오류: "), r"(?:error|오류): .*", CAUSE, located=".java")),
    tool("java", signs=("\tat ", " at ", "Caused by: "), find=_thrown),
    tool(
        "java",
        rule("Exception in thread ", r"Exception in thread \".*", CAUSE),
        rule(
            "Error: ",
            r"Error: (?:Could not find or load main class|Unable to (?:access|initialize)|"
            r"Main method not found|Could not create the Java|A JNI error|LinkageError).*",
            REPORT,
        ),
        rule(("오류: ",), r"오류: (?:기본|주|.*클래스).*", REPORT),
        rule("SIG", r"#\s+(?P<key>SIG[A-Z]+ \(0x\w+\) at .*)", CAUSE),
        rule(
            ("Exception", "Error"),
            r"(?:java|javax|jakarta|org|com|net|io|kotlin|scala|"
            r"android)\.(?:[\w$]+\.)*[\w$]*[A-Z][\w$]*(?:Exception|Error)(?:: .*|\Z)",
            REPORT,
        ),
        rule("OutOfMemoryError", r"(?:.*: )?java\.lang\.OutOfMemoryError.*", CAUSE),
        rule("Unrecognized ", r"Unrecognized (?:VM )?option.*", REPORT),
    ),
    tool(
        "kotlin",
        rule("e: ", r"(?:e: )?\S.*", CAUSE, located=(".kt:", ".kts:", ".kt: (", ".kts: (")),
        rule("error: ", r"error: .*", CAUSE, located=(".kt:", ".kts:")),
        rule("e: ", r"e: .*", REPORT),
    ),
    tool(
        "scala",
        rule("[error] ", r"\S.*", CAUSE, located=".scala"),
        rule("-- [E", r"-- \[E\d+\] .*?Error: .*", CAUSE),
    ),
    tool("clojure", signs=("Syntax error ", "Execution error "), find=_clojure),
    tool("gradle", signs=("* What went wrong:",), find=_gradle),
    tool(
        "gradle",
        rule("FAILURE: ", r"FAILURE: Build failed with an exception.*", WRAPPER - 5),
        rule("BUILD FAILED", r"BUILD FAILED.*", WRAPPER - 6),
    ),
    tool(
        "maven",
        rule(
            "Failed to execute goal ",
            r"(?:\[ERROR\] )?Failed to execute goal .*(?:Compilation failure|"
            r"There are test failures|MojoFailure).*",
            WRAPPER,
        ),
        rule("Failed to execute goal ", r"(?:\[ERROR\] )?Failed to execute goal .*", REPORT),
        rule(
            "[ERROR] ",
            r"\[ERROR\] (?:The goal|Unknown|Could not|Non-resolvable|Malformed|No plugin|'\S+'|Plugin|"
            r"Unresolveable|Some problems|The build could not|No goals|"
            r"Child module|Failure to|Unable|The requested|Invalid).*",
            REPORT,
        ),
        rule("[ERROR] ", r"\[ERROR\] +\w[\w.$]*\.\w+:\d+ .*", CAUSE),
        rule("[ERROR] ", r"[^\[\s].*", CAUSE, located=(".java:[", ".kt:[", ".kt: (")),
    ),
)
