"""C, C++, linkers, MSVC, C#, Go, Swift, Zig, Haskell, OCaml and other compilers."""

from __future__ import annotations

from collections.abc import Iterator

from core.errors.keylines.entry import (
    CAUSE,
    DETAIL,
    REPORT,
    TEST,
    WRAPPER,
    Found,
    Part,
    Tool,
    joined,
    message,
    rule,
    whole,
)
from core.errors.keylines.lines import Page
from core.errors.keylines.peel import peel
from core.lazy_pattern import lazy_pattern

_GHC = lazy_pattern(r"(?:error|오류):(?: \[(?:GHC-\d+|-W[\w, =-]+)\])*\s*\Z")
_GO_TEST = lazy_pattern(r"\s*--- FAIL: (?P<name>\S+)")
_GO_SAID = lazy_pattern(r"\s+\w[\w./-]*_test\.go:\d+: ?")
_TESTIFY = lazy_pattern(r"\s*Error:\s+(?P<said>\S.*)")


def _undefined_symbols(page: Page) -> Iterator[Found]:
    """Apple's linker names the symbol on the next line."""
    for number in page.having(("Undefined symbols for architecture",)):
        yield joined(page, (number, number + 1) if page.text(number + 1) else (number,), CAUSE)


def _ghc(page: Page) -> Iterator[Found]:
    """GHC puts the message below the location."""
    for number in page.having((": error:",)):
        start, end = peel(page.text(number))
        said = page.next_filled(number + 1, 2)
        if said is not None and start and _GHC.match(page.text(number), start, end):
            lead = page.text(said).lstrip()
            shift = 2 if lead.startswith("• ") else 0
            part = message(page, said)
            yield Found(CAUSE + 1, (Part(number, start, end), Part(said, part.start + shift, part.end)))


def _go_tests(page: Page) -> Iterator[Found]:
    """What a failed Go test said; its name when it said nothing."""
    weight = TEST
    for number, line in enumerate(page.lines):
        if match := _GO_SAID.match(line.text):
            if line.text[match.end() :].strip():
                yield Found(weight, (Part(number, match.end(), len(line.text)),))
                weight = TEST - 1
            else:
                yield from _testify(page, number)
        elif match := _GO_TEST.match(line.text):
            yield whole(page, number, DETAIL)


def _testify(page: Page, number: int) -> Iterator[Found]:
    for at in range(number + 1, min(number + 8, len(page.lines))):
        if match := _TESTIFY.match(page.text(at)):
            parts = [Part(at, *match.span("said"))]
            if match["said"].endswith(":"):
                parts += [message(page, more) for more in range(at + 1, at + 3) if page.text(more).strip()]
            yield Found(TEST, tuple(parts))
            return


def _terminated(page: Page) -> Iterator[Found]:
    """`terminate called` and its `what():` belong together."""
    for number in page.having(("terminate called after throwing", "libc++abi: terminating")):
        what = page.text(number + 1).lstrip().startswith("what():")
        yield joined(page, (number, number + 1) if what else (number,), CAUSE)


TOOLS = (
    Tool("ghc", signs=(": error:",), find=_ghc),
    Tool(
        "ld",
        rules=(
            rule(
                ("undefined reference to ", "multiple definition of ", "undefined symbol: "),
                r"(?:.*?: )?(?P<key>(?:more )?(?:undefined reference to|multiple definition of|undefined symbol:) .*)",
                CAUSE,
            ),
            rule(
                "ld",
                r"(?:\S*/)?(?:ld|lld|mold|gold|ld\.\w+)(?:-link)?(?:\.exe)?: (?:error: |fatal: )?(?:cannot |"
                r"library |framework |unknown |can't |relocation |symbol\(s\) not|invalid |"
                r"skipping incompatible|unrecognized |undefined |duplicate |file ).*",
                REPORT,
            ),
            rule("collect2: ", r"collect2: (?:fatal )?error: .*", WRAPPER),
            rule("linker command failed", r".*linker command failed.*", WRAPPER),
            rule("symbol(s) not found", r"ld: symbol\(s\) not found.*", WRAPPER + 1),
        ),
    ),
    Tool("ld", signs=("Undefined symbols for architecture",), find=_undefined_symbols),
    Tool("nuget", rules=(rule("NU1", r"(?:\S+ : )?(?P<key>error NU\d{4}: .*)", CAUSE),)),
    Tool(
        "msvc",
        rules=(
            rule(
                ("error ", "오류 "),
                r"(?:(?:LINK|CSC|VBC|MSBUILD|CVTRES|\S+\.(?:obj|lib|"
                r"exe)) : )?(?P<key>(?:fatal )?(?:error|오류) [A-Z]{1,8}\d{2,6} ?: .*)",
                CAUSE,
            ),
        ),
    ),
    Tool(
        "dotnet",
        rules=(
            rule("Unhandled exception", r"Unhandled [Ee]xception\. .*", CAUSE),
            rule("error ", r"error(?: [A-Z]{2,8}\d{3,5})?: .*", CAUSE, located=(".cs", ".fs", ".vb", ".csproj")),
            rule("Could not execute because", r"Could not execute because .*", REPORT),
            rule("A compatible .NET SDK", r"A compatible \.NET SDK was not found.*", REPORT),
        ),
    ),
    Tool("go-test", signs=("_test.go:", "--- FAIL: "), find=_go_tests),
    Tool(
        "go",
        rules=(
            rule(".go:", r"(?!goroutine|exit|\+0x|found symbolic link)\S.*", CAUSE, located=".go"),
            rule("panic: ", r"panic: .*", CAUSE + 1),
            rule(
                "fatal error: ",
                r"fatal error: (?:all goroutines|concurrent map|stack overflow|"
                r"out of memory|unexpected signal|runtime).*",
                CAUSE,
            ),
            rule("runtime error: ", r"runtime error: .*", CAUSE - 1),
            rule(
                ("go: ", "go build ", "build "),
                r"(?:go: (?!downloading|finding|extracting|added|upgraded|found|"
                r"creating)|go build .*: |build .*: cannot load ).*",
                REPORT + 1,
            ),
            rule("WARNING: DATA RACE", r"WARNING: DATA RACE", CAUSE),
            rule("[setup failed]", r"FAIL\s.*\[setup failed\]", WRAPPER),
            rule("FAIL\t", r"FAIL\t.*", WRAPPER - 2),
        ),
    ),
    Tool(
        "sanitizer",
        rules=(
            rule("Sanitizer", r"==\d+==ERROR: (?P<key>\w+Sanitizer: .*)", CAUSE + 1),
            rule("runtime error: ", r"runtime error: .*", CAUSE, located=""),
            rule("SUMMARY: ", r"SUMMARY: \w+Sanitizer: .*", DETAIL),
            rule("WARNING: ThreadSanitizer", r"WARNING: ThreadSanitizer: .*", CAUSE),
            rule(
                ("Invalid read", "Invalid write", "uninitialised"),
                r"==\d+== (?P<key>(?:Invalid (?:read|write|free)|Conditional jump|Use of uninitialised).*)",
                CAUSE,
            ),
        ),
    ),
    Tool("c++", signs=("terminate called", "libc++abi"), find=_terminated),
    Tool(
        "c",
        rules=(
            rule(
                "Assertion ", r"(?:\S+: )?(?:\S+:\d+: )?(?:.{1,200}?: )?(?P<key>Assertion [`'‘(].* failed\.?.*)", CAUSE
            ),
            rule(
                ("stack smashing", "double free", "corrupt", "invalid pointer", "free()", "malloc"),
                r"(?:\*\*\* .+ \*\*\*: terminated|(?:double free|free\(\)|malloc\(\)|"
                r"munmap_chunk\(\)|corrupted|realloc\(\)).*)",
                CAUSE,
            ),
            rule("error while loading shared libraries", r".*error while loading shared libraries: .*", CAUSE),
            rule("symbol lookup error", r".*symbol lookup error: .*", CAUSE),
            rule("*** Terminating app", r"\*\*\* Terminating app .*", CAUSE),
            rule("dyld", r"dyld(?:\[\d+\])?: .*", CAUSE),
        ),
    ),
    Tool("protoc", rules=(rule(".proto:", r"\S.*", CAUSE, located=".proto"),)),
    Tool(
        "swift",
        rules=(
            rule("Fatal error: ", r"(?:Swift/\S+: )?Fatal error: .*", CAUSE),
            rule("XCT", r"error: -\[.*", TEST, located=".swift"),
            rule("error: ", r"error: .*", CAUSE, located=".swift"),
            rule(
                "error: ",
                r"error: (?:no such module|emit-module|unable to find utility|xcodebuild|"
                r"package|manifest|the package|could not build).*",
                REPORT,
            ),
        ),
    ),
    Tool(
        "gcc",
        rules=(
            rule(
                ("error: ", "오류: "),
                r"(?:fatal |internal compiler )?(?:error|오류): .*",
                CAUSE,
                located=(
                    ".c:",
                    ".cc:",
                    ".cpp:",
                    ".cxx:",
                    ".h:",
                    ".hpp:",
                    ".hh:",
                    ".m:",
                    ".mm:",
                    ".cu:",
                    ".cu(",
                    ".inl:",
                    ".f90:",
                ),
            ),
            rule(
                "error: ",
                r"(?:cc1(?:plus|obj)?|gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?|clang-\d+|\S*/?(?:gcc|g\+\+|"
                r"clang)(?:-\d+)?|as|nvcc|ar): (?:fatal |internal compiler )?error: .*",
                CAUSE,
            ),
            rule("nvcc fatal", r"nvcc fatal\s*: .*", CAUSE),
            rule("Error: ", r"Error: .*", CAUSE, located=(".s", ".S", ".asm")),
            rule("Assembler messages", r".*Assembler messages:", WRAPPER),
        ),
    ),
)
