"""C, C++, linkers, MSVC, C#, Go, Swift, Zig, Haskell, OCaml and other compilers."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.lazy_pattern import lazy_pattern
from core.errors.identity.keylines.entry import (
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
from core.errors.identity.keylines.lines import Page
from core.errors.identity.keylines.peel import peel

_GHC = lazy_pattern(r"(?:error|오류):(?: \[(?:GHC-\d+|-W[\w, =-]+)\])*\s*\Z")
_GO_PLACED = lazy_pattern(r"\s*(?:(?:vet|go|\w+): )?\S+\.go:\d+:\d+:(?: |\Z)")
_GO_PACKAGE = lazy_pattern(r"# [\w.-]+(?:/[\w.~-]+)+(?: \[[^\]]+\])?\Z")
_GO_EMPTY = lazy_pattern(
    r"\s*(?:\Z|too many errors\Z|[A-Z]+\d+\(related information\)|: # |could not import \S+ \(-: # )"
)


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


def _go_lines(page: Page) -> Iterator[Found]:
    """Go's compilers and linters name line and column; `file.go:12:` alone is a log, or a line that a search shows."""
    for number in page.having((".go:",)):
        text = page.text(number)
        if not (match := _GO_PLACED.match(text)) or _GO_EMPTY.match(text, match.end()):
            continue
        weight = DETAIL if text.startswith("other declaration of", match.end()) else CAUSE
        yield Found(weight, (Part(number, match.end(), len(text.rstrip())),))


def _go_setup(page: Page) -> Iterator[Found]:
    """What stands below the name of a package without a place in a file: it could not even be read."""
    for number in page.having(("# ",)):
        said = page.text(number + 1)
        if _GO_PACKAGE.match(page.text(number)) and ": " in said and not _GO_PLACED.match(said):
            yield whole(page, number + 1, REPORT)


def _go_imports(page: Page) -> Iterator[Found]:
    """`go: a imports`, `b imports`, and below them the package that cannot be had."""
    for number in page.having((" imports\n",)):
        if page.text(number - 1).endswith(" imports"):
            continue
        at = number
        while page.text(at).endswith(" imports"):
            at += 1
        if page.text(at).strip() and ": " in page.text(at):
            yield whole(page, at, REPORT + 2)


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
            rule("ld: ", r"ld: (?!symbol|warning)(?:.*\bnot found\b|cannot find).*", REPORT),
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
    Tool("go", signs=(".go:",), find=_go_lines),
    Tool("go", signs=(" imports\n",), find=_go_imports),
    Tool("go", signs=("FAIL\t",), find=_go_setup),
    Tool(
        "go",
        rules=(
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
                r"(?:go: (?!downloading|finding|extracting|added|upgraded|found|removed|"
                r"creating|to add|\S+ imports\Z)|go build .*: |build .*: cannot load ).*",
                REPORT + 1,
            ),
            rule("pattern ", r"pattern \S+: .*", REPORT + 1),
            rule("no packages", r"(?:no packages to test|package \S+: no Go files.*)", REPORT - 1),
            rule("WARNING: DATA RACE", r"WARNING: DATA RACE", CAUSE),
            rule("[setup failed]", r"FAIL\s.*\[setup failed\]", WRAPPER),
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
