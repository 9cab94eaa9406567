"""make, CMake, ninja, Meson, Bazel, autotools, task runners, CI."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.errors.identity.keylines.entry import CAUSE, DETAIL, REPORT, WRAPPER, Found, Tool, joined, rule, whole
from core.errors.identity.keylines.lines import Page


def _cmake(page: Page) -> Iterator[Found]:
    """`CMake Error at file:line (command):` and the first line of what follows."""
    for number in page.having(("CMake Error",)):
        text = page.text(number).lstrip()
        if not text.startswith("CMake Error"):
            continue
        said = page.next_filled(number + 1, 3) if text.endswith(":") else None
        yield joined(page, (number,) if said is None else (number, said), CAUSE)


def _bazel(page: Page) -> Iterator[Found]:
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
"""Exit codes that say why: not executable, not found, ended by a signal (141: its reader went away) that nobody sent
to stop it."""

TOOLS = (
    Tool("cmake", signs=("CMake Error",), find=_cmake),
    Tool(
        "cmake",
        rules=(
            rule("-- Configuring incomplete", r"-- Configuring incomplete.*", WRAPPER - 5),
            rule("CMake Warning", r"CMake Warning.*", DETAIL - 9),
        ),
    ),
    Tool(
        "make",
        rules=(
            rule("***", rf"{_MAKE} (?!{_TELLING}\Z).+", WRAPPER),
            rule("***", rf"{_MAKE} {_TELLING}", DETAIL),
            rule("***", r"(?:(?:g?make(?:\[\d+\])?|mingw32-make): )?\*\*\* .*(?:Stop|멈춤)\.", REPORT),
            rule("make: ", r"(?:g?make(?:\[\d+\])?): (?!\*\*\*|Entering|Leaving|Nothing|\[|warning).*", REPORT - 1),
        ),
    ),
    Tool(
        "ninja",
        rules=(
            rule("ninja: ", r"ninja: (?:fatal|error): .*", REPORT),
            rule("ninja: build stopped", r"ninja: build stopped.*", WRAPPER),
            rule("FAILED: ", r"FAILED: (?:\[code=\d+\] )?\S+", WRAPPER - 1),
        ),
    ),
    Tool("meson", rules=(rule("ERROR: ", r"ERROR: .*", CAUSE, located="meson.build"),)),
    Tool("bazel", signs=("ERROR: ",), find=_bazel),
    Tool(
        "bazel",
        rules=(
            rule("ERROR: Build did NOT complete", r"ERROR: Build did NOT .*", WRAPPER),
            rule("FAILED: Build did NOT", r"FAILED: Build .*", WRAPPER),
        ),
    ),
    Tool("configure", rules=(rule("configure: error: ", r"configure: error: .*", REPORT),)),
    Tool("scons", rules=(rule("scons: ***", r"scons: \*\*\* .*", REPORT),)),
    Tool(
        "just",
        rules=(
            rule("error: ", r"error: (?:[Rr]ecipe `.*` (?:failed|could not)).*", WRAPPER),
            rule("error: Justfile does not contain", r"error: Justfile .*", REPORT),
        ),
    ),
    Tool(
        "mise",
        rules=(
            rule("ERROR task failed", r"(?:\[[^\]]+\] |mise )?ERROR task failed", WRAPPER),
            rule(
                "mise ERROR ",
                r"mise ERROR (?!Run with|Version:|Failed to install|task failed|.*exited with non-zero).*",
                REPORT,
            ),
        ),
    ),
    Tool("task", rules=(rule("task: ", r"task: (?:Failed to run|Task \").*", WRAPPER),)),
    Tool(
        "ci",
        rules=(
            rule(
                "Process completed with exit code", r"(?:Error: )?Process completed with exit code \d+\.?", WRAPPER - 2
            ),
            rule("ERROR: Job failed", r"ERROR: Job failed.*", WRAPPER - 2),
            rule("exited with code", r"The command \".*\" exited with \d+\.", WRAPPER - 2),
        ),
    ),
    Tool(
        "turbo",
        rules=(
            rule(
                "command (",
                r"(?:\S+: )?(?:ERROR: )?command (?:finished with error: command )?\(.*\) .*exited \(\d+\)",
                WRAPPER,
            ),
            rule("run failed: ", r".*run failed: .*", REPORT - 6),
        ),
    ),
    Tool(
        "xcode",
        rules=(
            rule("BUILD FAILED", r"\*\* (?:BUILD|TEST|ARCHIVE|CLEAN) FAILED \*\*", WRAPPER),
            rule("xcodebuild: error: ", r"xcodebuild: error: .*", REPORT),
        ),
    ),
)
