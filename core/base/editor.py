"""The person's own editor and pager, as command lines: no shell reads them."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

READ_ONLY: Final = {
    "vi": "-R", "vim": "-R", "nvim": "-R", "view": "-R", "nano": "-v", "micro": "-readonly true", "less": "",
}  # fmt: skip
"""Read-only options of editors: changes there would be lost."""

_BY_PLUS: Final = frozenset(
    ("vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "vis")
)
_BY_COLON: Final = {
    "hx": (), "helix": (), "subl": (), "zed": (), "code": ("--goto",), "codium": ("--goto",), "cursor": ("--goto",),
    "code-insiders": ("--goto",),
}  # fmt: skip


def pager_of(environ: Mapping[str, str]) -> tuple[list[str], str]:
    """The pager's words, or none and why: `$PAGER`, else `less` where there is one."""
    named = environ.get("PAGER", "").strip()
    if not named and (less := shutil.which("less", path=environ.get("PATH"))):
        return [less], ""
    return _words("PAGER", named, "No pager is set. Run: export PAGER=less")


_COMMON: Final = ("nano", "vim", "vi", "notepad")
"""The editors that are looked for where none is named: first the one that says how to leave it."""


def editor_of(environ: Mapping[str, str], *, to_read: bool = True) -> tuple[list[str], str]:
    """The editor's words, made to read only where it can, or none and why.

    It is `$VISUAL`, else `$EDITOR`, else a common one that is installed. Without `to_read` it may write.
    """
    name = "VISUAL" if environ.get("VISUAL", "").strip() else "EDITOR"
    named = environ.get(name, "").strip()
    installed = (one for one in _COMMON if not named and shutil.which(one, path=environ.get("PATH")))
    words, why = _words(name, named or next(installed, ""), "No editor is set. Run: export EDITOR=vim")
    if not words or not to_read:
        return words, why
    return words + shlex.split(READ_ONLY.get(Path(words[0]).name, "")), why


def at_line(words: list[str], path: Path, line: int) -> list[str]:
    """The command that opens a file at a line, for editors known to have one; others open it where they like."""
    name = Path(words[0]).name.removesuffix(".exe")
    if line > 1 and name in _BY_PLUS:
        return [*words, f"+{line}", str(path)]
    if line > 1 and name in _BY_COLON:
        return [*words, *_BY_COLON[name], f"{path}:{line}"]
    return [*words, str(path)]


def _words(name: str, value: str, unset: str) -> tuple[list[str], str]:
    """A command line as a list: quotes count, and nothing else of a shell does."""
    if not value:
        return [], unset
    try:
        words = shlex.split(value)
    except ValueError:
        words = []
    if not words:
        return [], f"${name} is not a valid command line: {value}"
    return words, ""
