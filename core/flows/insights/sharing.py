"""What leaves casebook to be shown to others: texts without absolute paths, user names and secrets."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from core.base.lazy_pattern import lazy_pattern
from core.text import clean, redact

_PATH: Final = lazy_pattern(
    r"(?<![\w.~/\\<-])(?:(?:[A-Za-z]:|~\w{0,40}+)?[/\\](?=[\w.@~-])|[A-Za-z]:[/\\]{2}(?=\w)|\\\\(?=\w))"
    r"[^\s'\"`;|&()<>,:=]{0,1000}+"
)
"""A path from a root, a drive, a share or a home folder; a path below a project stays, and so does a URL."""
_FILE_URL: Final = lazy_pattern(r"\bfile:/{1,3}[^\s'\"`;|&()<>,]{0,1000}+")
_OWNER: Final = lazy_pattern(r"(?:/home/|/Users/|[/\\]Users[/\\]+|[-]home-|[-]Users-)([\w.]{2,40}+)")
"""The name in a home folder, also where an agent wrote the folder with hyphens."""
_ADDRESS: Final = lazy_pattern(r"(?<![\w.+-])[\w.+-]{1,64}+@[\w-]{1,63}+\.[A-Za-z][\w.-]{0,100}+")
_HOSTED: Final = "git@"
_EVERYBODY: Final = frozenset(("root", "user", "home", "runner", "ubuntu", "admin", "coder", "vscode", "node", "app"))
"""Accounts of machines and containers: names of nobody, and words of error messages."""
_LEAST: Final = 3


def owners_in(texts: Iterable[str]) -> frozenset[str]:
    """The user names that home folders in these texts show, and that of this computer's user."""
    found = {match[1] for text in texts for match in _OWNER.finditer(text)}
    found |= {os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME")}
    with contextlib.suppress(RuntimeError):  # a user without a home folder
        found.add(Path.home().name)
    return frozenset(name for name in found if len(name) >= _LEAST and name.lower() not in _EVERYBODY)


def shareable(text: str, owners: frozenset[str] = frozenset()) -> str:
    """One line of `text`, redacted, with `<path>`, `<user>` and `<email>` for what tells whose computer it is from."""
    line = " ".join(clean(redact(text)).split())
    line = _PATH.sub("<path>", _FILE_URL.sub("<path>", line))
    line = _ADDRESS.sub(lambda found: found[0] if found[0].startswith(_HOSTED) else "<email>", line)
    for name in sorted(owners, key=len, reverse=True):
        line = re.sub(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", "<user>", line, flags=re.IGNORECASE)
    return line
