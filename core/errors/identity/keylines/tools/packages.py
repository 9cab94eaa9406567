"""Package managers: npm, yarn, pnpm, pip, uv, poetry, conda, apt, brew and kin."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.base.lazy import lazy_pattern
from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, rule, tool
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


TOOLS = (
    tool("npm", signs=("npm error", "npm ERR!"), find=_npm),
    tool(
        "node-gyp",
        rule(
            "gyp ERR! ",
            r"gyp ERR! (?!stack|cwd|System|command|node|not ok|configure error|build error|verb|UNCAUGHT)\S.*",
            DETAIL,
        ),
        rule("gyp ERR! stack Error", r"gyp ERR! stack (?P<key>Error: .*)", REPORT),
    ),
    tool(
        "yarn",
        rule(
            "error ",
            r"error (?:Command failed with exit code \d+\.?|An unexpected error occurred: \"[^\"]*exit.*)\Z",
            WRAPPER,
        ),
        rule(
            "error ",
            r"error (?:Couldn't|An unexpected error|Command \"|Package|Your lockfile|The engine|No |"
            r"Found incompatible|Can't|Missing|Incorrect|Outdated|Received|\S+@\S+: ).*",
            REPORT,
        ),
        rule(
            "YN0",
            r"(?:➤ )?YN\d{4}: (?:[│┌└] )?.*(?:[Ee]rror|can't|couldn't|not found|"
            r"doesn't|failed|required|incompatible|isn't).*",
            REPORT,
        ),
        rule("Usage Error: ", r"Usage Error: .*", REPORT),
        rule("Internal Error: ", r"Internal Error: .*", REPORT),
    ),
    tool(
        "pnpm",
        rule("ERR_PNPM_RECURSIVE_", r"ERR_PNPM_RECURSIVE_(?:RUN|EXEC)_FIRST_FAIL\b(?!.* not found\Z).*", DETAIL),
        rule("ERR_PNPM_", r"(?!.*_FIRST_FAIL\b(?!.* not found\Z))\[?ERR_PNPM_\w+\]? .*", REPORT),
        rule("ELIFECYCLE", r"ELIFECYCLE .*", WRAPPER),
    ),
    tool(
        "pip",
        rule(
            "ERROR: Could not find a version",
            r"ERROR: Could not find a version that satisfies the requirement .*",
            REPORT + 1,
        ),
        rule(
            "ERROR: ",
            r"ERROR: (?:Failed to build installable wheels|Failed building wheel|ResolutionImpossible|"
            r"Failed to build|Command errored out|Could not build wheels|subprocess-exited).*",
            WRAPPER + 2,
        ),
        rule(
            "ERROR: ",
            r"ERROR: (?:No matching distribution|Cannot install|Could not|Cannot|THESE PACKAGES|"
            r"Invalid requirement|Package|Ignored the|Directory|HTTP error|Exception|pip's|Double requirement|"
            r"Hash mismatch|\S+ has requirement|.*is not a (?:valid|supported)|Requested|Can not|Error|Links).*",
            REPORT,
        ),
        rule(
            "error: ",
            r"error: (?:subprocess-exited-with-error|metadata-generation-failed|"
            r"legacy-install-failure|failed-wheel-build).*",
            WRAPPER + 1,
        ),
        rule(
            "error: ",
            r"error: (?:externally-managed-environment|invalid command|command '|"
            r"can't|could not create|uninstall-no-record).*",
            REPORT,
        ),
    ),
    tool("uv", signs=("× ", "╰─", "└─", "├─", "╭─"), find=_explained),
    tool(
        "uv",
        rule(
            "error: ",
            r"error: (?:Failed to|No solution|No interpreter|Distribution|The (?:lockfile|current|requested)|"
            r"Package|Request failed|Project|Querying|Couldn't|Could not|Unable to|No `|"
            r"No virtual|Because|Requirements|HTTP status).*",
            REPORT,
        ),
        rule("Caused by: ", r"Caused by: .*", DETAIL),
    ),
    tool(
        "poetry",
        rule("version solving failed", r"(?:Because|So, because|And because|Thus) .*version solving failed.*", CAUSE),
        rule("Poetry could not", r"Poetry could not .*", REPORT),
        rule("pyproject.toml changed", r"pyproject\.toml changed .*", REPORT),
    ),
    tool("conda", signs=("PackagesNotFoundError", "LibMambaUnsatisfiableError", "ResolvePackageNotFound"), find=_conda),
    tool(
        "conda",
        rule(
            ("Conda", "EnvironmentLocationNotFound", "SpecsConfigurationConflictError"),
            r"(?:Conda\w*Error|EnvironmentLocationNotFound|EnvironmentNameNotFound|"
            r"SpecsConfigurationConflictError|UnsatisfiableError)\b.*",
            CAUSE,
        ),
    ),
    tool(
        "apt",
        rule("E: ", r"E: .*", REPORT),
        rule("dpkg: ", r"dpkg: (?:error|dependency problems).*", REPORT + 1),
        rule("Sub-process ", r"E: Sub-process .*", WRAPPER),
        rule("has no installation candidate", r"E: Package .*", REPORT + 1),
    ),
    tool("apk", signs=("unable to select packages",), find=_apk),
    tool(
        "brew",
        rule("No available formula", r"(?:Error|Warning): No available formula.*", REPORT),
        rule(
            "Error: ",
            r"Error: (?:No such keg|Cannot install|Your Command Line Tools|The following directories|"
            r"Failure while executing|\S+: (?:undefined method|no bottle)).*",
            REPORT,
        ),
    ),
    tool(
        "dnf",
        rule(
            ("Unable to find a match", "Cannot find a package", "Failed to download metadata"),
            r"(?:Error: )?.*(?:Unable to find a match|Failed to download metadata).*",
            REPORT,
        ),
        rule("No match for argument", r"No match for argument: .*", DETAIL),
    ),
    tool(
        "pacman",
        rule(
            "error: ",
            r"error: (?:target not found|failed to (?:commit|prepare|synchronize|"
            r"retrieve)|could not open file /var/lib/pacman).*",
            REPORT,
        ),
    ),
    tool("go-mod", rule("verifying ", r"verifying \S+: .*", REPORT)),
    tool(
        "cocoapods",
        rule("[!] ", r"\[!\] (?!.*\bsee the log above).*", REPORT),
        rule("[!] ", r"\[!\] .*\bsee the log above.*", WRAPPER),
    ),
)
