"""Verified fixes as casebook's block in a file that agents read: only what helps the agent, no data for machines."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from core.base.managed_block import read_text
from core.errors.exchange.case_markdown import code
from core.errors.exchange.fix_markdown import is_export
from core.errors.exchange.fixes import PortableFix
from core.text import visible

KIND = "fixes"
AGENT_FILES = frozenset(("AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"))
_HEAD = """\
## Known errors and their fixes

Written by casebook. A person verified each fix. `casebook errors search "the error"` finds more."""


def is_for_agents(path: Path) -> bool:
    """Whether the fixes go into a block of this Markdown file: agents read it, or it holds text of the user.

    A file that is missing, empty or an export as a whole is written whole, except where agents read it. Raises Fault if
    it cannot be read.
    """
    if path.suffix.lower() not in (".md", ".markdown", ".mdc", ".mdx"):
        return False
    if not path.is_file():
        return path.name in AGENT_FILES or path.parent.parts[-2:] == (".claude", "rules")
    text = read_text(path)
    return bool(text.strip("\ufeff \t\r\n")) and not is_export(text)


def block_body(fixes: Iterable[PortableFix]) -> str:
    """The block's lines: for each fix what it is for and, quoted, what it says. The home folder is `~`."""
    home = os.path.join(os.path.expanduser("~"), "")  # noqa: PTH111, PTH118  text, not a path
    parts = [_HEAD, *(_fix(fix) for fix in fixes)]
    return "\n\n".join(parts).replace(home, "~" + os.sep)


def _fix(fix: PortableFix) -> str:
    line = next((one.key_line for one in fix.fingerprints if one.fingerprint == fix.fingerprint), None)
    if line is None:
        line = fix.fingerprints[0].key_line if fix.fingerprints else fix.error_normalized
    # Quoted, an open code fence or comment ends with the fix.
    quoted = (f"> {one}".rstrip() for one in visible(fix.resolution).strip("\n").split("\n"))
    return f"### {code(visible(line))}\n\n" + "\n".join(quoted)
