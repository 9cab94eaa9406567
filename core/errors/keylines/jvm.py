"""Java, Kotlin, Scala, Groovy, Clojure: compilers, the runtime, Maven, Gradle, sbt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, Found, Part, Tool, joined, rule, whole
from core.errors.keylines.lines import Page
from core.errors.keylines.peel import peel

_CLASS = r"(?:[a-z_][\w$]*\.)+[\w$]*[A-Z][\w$]*"
_THROWN = re.compile(rf"(?:Exception in thread \"[^\"\n]*\" |Uncaught exception: |(?:[\w. ]+: )?)(?:{_CLASS})(?::| at |\Z)")
_FRAME = re.compile(r"\s*at [\w.$<>/@-]+\(|\s+at \S+\.(?:java|kt|groovy|scala):\d+|\s*\.\.\. \d+ (?:more|common frames)")
_CAUSED = re.compile(r"\s*Caused by: (?P<said>.*)")
_INLINE_FRAME = re.compile(r" at \S+\.(?:java|kt|groovy|scala):\d+\Z")
_SYMBOL = re.compile(r"(?:\[ERROR\] )?\s*symbol: ")


def _thrown(page: Page) -> Iterator[Found]:
    """The outermost exception of a stack trace; what caused it beside it."""
    for number, line in enumerate(page.lines):
        text = line.text
        if match := _CAUSED.match(text):
            yield Found(DETAIL, (Part(number, *match.span("said")),))
        elif (match := _THROWN.match(text.lstrip())) and (_framed(page, number) or _INLINE_FRAME.search(text)):
            yield whole(page, number, CAUSE)


def _framed(page: Page, number: int) -> bool:
    return any(_FRAME.match(page.text(at)) or _CAUSED.match(page.text(at)) for at in range(number + 1, min(number + 12, len(page.lines))))


def _symbols(page: Page) -> Iterator[Found]:
    """`cannot find symbol` says nothing without the symbol, which stands a few lines below."""
    for number in page.having(("cannot find symbol", "심볼을 찾을 수 없습니다", "기호를 찾을 수 없습니다")):
        start, end = peel(page.text(number))
        symbol = next((at for at in range(number + 1, min(number + 5, len(page.lines))) if _SYMBOL.match(page.text(at))), None)
        key = Part(number, start, end)
        if symbol is None:
            yield Found(CAUSE, (key,))
        else:
            text = page.text(symbol)
            at = text.find("symbol:")
            yield Found(CAUSE + 1, (key, Part(symbol, at, len(text))))


def _gradle(page: Page) -> Iterator[Found]:
    """The innermost reason below `What went wrong`, the task above it beside it."""
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
        hollow = re.search(r"Compilation (?:failed|error)|There were failing tests|See the (?:report|log)", page.text(reason))
        if reason != first:
            yield whole(page, first, DETAIL)
            start = page.text(reason).find("> ") + 2
            yield Found(WRAPPER if hollow else REPORT, (Part(reason, start, len(page.text(reason))),))
        else:
            yield whole(page, first, REPORT)


TOOLS = (
    Tool("javac", signs=("cannot find symbol", "찾을 수 없습니다"), find=_symbols),
    Tool(
        "javac",
        rules=(rule(("error: ", "오류: "), r"(?:error|오류): .*", CAUSE, located=True),),
    ),
    Tool("java", signs=("\tat ", " at ", "Caused by: "), find=_thrown),
    Tool(
        "java",
        rules=(
            rule("Exception in thread ", r"Exception in thread .*", CAUSE),
            rule("Error: ", r"Error: (?:Could not find or load main class|Unable to (?:access|initialize)|Main method not found|Could not create the Java|A JNI error|LinkageError).*", REPORT),
            rule(("오류: ",), r"오류: (?:기본|주|.*클래스).*", REPORT),
            rule("SIG", r"#\s+(?P<key>SIG[A-Z]+ \(0x\w+\) at .*)", CAUSE),
            rule("OutOfMemoryError", r"(?:.*: )?java\.lang\.OutOfMemoryError.*", CAUSE),
            rule("Unrecognized ", r"Unrecognized (?:VM )?option.*", REPORT),
        ),
    ),
    Tool("kotlin", rules=(rule("e: ", r"e: (?:\S+: \(\d+, \d+\): )?(?P<key>.*)", CAUSE), rule("unresolved", r"unresolved (?:reference|identifier).*", CAUSE, located=True))),
    Tool(
        "scala",
        rules=(
            rule("[error] ", r"\[error\] (?!\s|\(|Total|one error|two errors|\d+ errors?|stack trace|Nonzero)(?P<key>\S.*)", REPORT),
            rule("-- [E", r"-- \[E\d+\] .*?Error: .*", CAUSE),
        ),
    ),
    Tool("clojure", rules=(rule("Syntax error ", r"Syntax error (?:compiling|reading|macroexpanding).*", CAUSE), rule("Execution error", r"Execution error .*", CAUSE))),
    Tool("gradle", signs=("* What went wrong:",), find=_gradle),
    Tool("gradle", rules=(rule("FAILURE: ", r"FAILURE: Build failed with an exception.*", WRAPPER - 5), rule("BUILD FAILED", r"BUILD FAILED.*", WRAPPER - 6))),
    Tool(
        "maven",
        rules=(
            rule("Failed to execute goal ", r"(?:\[ERROR\] )?Failed to execute goal .*(?:Compilation failure|There are test failures|MojoFailure).*", WRAPPER),
            rule("Failed to execute goal ", r"(?:\[ERROR\] )?Failed to execute goal .*", REPORT),
            rule("[ERROR] ", r"\[ERROR\] (?:The goal|Unknown|Could not|Non-resolvable|Malformed|No plugin|'\S+'|Plugin|Unresolveable|Some problems|The build could not|No goals|Child module|Failure to|Unable|The requested|Invalid).*", REPORT),
            rule("[ERROR] ", r"\[ERROR\] +\w[\w.$]*\.\w+:\d+ .*", CAUSE),
            rule("[ERROR] ", r"(?P<key>[^\[\s].*)", CAUSE, located=True),
        ),
    ),
)  # fmt: skip
