"""All entries, in the order they are asked: of two that say as much about a line, the earlier names the tool."""

from __future__ import annotations

from typing import Final

from core.errors.identity.keylines.entry import Tool
from core.errors.identity.keylines.tools import (
    builders,
    clouds,
    compilers,
    containers,
    databases,
    go_tests,
    jvm,
    linters,
    logs,
    node,
    packages,
    pytest,
    python,
    runners,
    runtimes,
    rust,
    shell,
    versioning,
)

TOOLS: Final[tuple[Tool, ...]] = (
    *pytest.TOOLS,
    *go_tests.TOOLS,
    *runners.TOOLS,
    *python.TOOLS,
    *rust.TOOLS,
    *node.TOOLS,
    *jvm.TOOLS,
    *compilers.TOOLS,
    *runtimes.TOOLS,
    *linters.TOOLS,
    *databases.TOOLS,
    *packages.TOOLS,
    *containers.TOOLS,
    *clouds.TOOLS,
    *versioning.TOOLS,
    *builders.TOOLS,
    *shell.TOOLS,
    *logs.TOOLS,
)
"""The registry. A new tool is one entry in one of these tables and one line in the corpus of the tests."""
