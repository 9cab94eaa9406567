"""Languages of a text, a file name or a command.

`#` means one thing in `.sv` and another in `.sh`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from core.base.lazy import by_word, text_tables

_TABLES: Final = text_tables(__file__)
_BY_SUFFIX: Final = by_word(_TABLES["SUFFIXES"])
_BY_NAME: Final = by_word(_TABLES["NAMES"])
_TEXT_FILES: Final = {"requirements": "python", "constraints": "python", "cmakelists": "cpp", "robots": "data"}
"""Files that end in `.txt` and are no text for people."""
_KIN: Final = (
    frozenset(("javascript", "typescript", "html", "css")),
    frozenset(("c", "cpp")),
    frozenset(("verilog", "vhdl")),
    frozenset(("java", "kotlin")),
    frozenset(("shell", "docker", "data")),
    frozenset(("terraform", "data")),
)
_UNNAMED: Final = ("", "prose", "data")
_WORD = re.compile(r"(?:(?<=\s)|^|(?<=[`\"'(/]))\*?\.([A-Za-z][A-Za-z0-9]{0,9})\b|([A-Za-z가-힣][\w.+#]*)")
_FILE = re.compile(r"[\w\-*]\.([A-Za-z][A-Za-z0-9]{0,9})\b")
TITLES: Final = {
    "verilog": "SystemVerilog", "cpp": "C++", "csharp": "C#", "javascript": "JavaScript", "sql": "SQL", "html": "HTML",
    "typescript": "TypeScript", "css": "CSS", "data": "settings", "prose": "document",
}  # fmt: skip
"""What a language is called where that is more than its name with a capital."""


def of_path(path: str) -> str:
    """The language of a file by its name, '' where that says nothing."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    if name.startswith(("dockerfile", "containerfile")):
        return "docker"
    if name in ("makefile", ".bashrc", ".zshrc", ".profile"):
        return "shell"
    if name.endswith(".txt"):
        return next((language for start, language in _TEXT_FILES.items() if name.startswith(start)), "prose")
    return _BY_SUFFIX.get(name.rpartition(".")[2] if "." in name else "", "")


def named_in(text: str) -> frozenset[str]:
    """The languages that a text names: by their names, their tools, or endings of files. Prose and data are none."""
    found = {
        _BY_SUFFIX.get(suffix.lower(), "") if suffix else _of_name(word.lower()) for suffix, word in _WORD.findall(text)
    }
    found |= {_BY_SUFFIX.get(suffix.lower(), "") for suffix in _FILE.findall(text)}
    return frozenset(found.difference(_UNNAMED))


def _of_name(low: str) -> str:
    return _BY_NAME.get(low, "") or ("cpp" if low.startswith("c++") else "csharp" if low == "c#" else "")


def agree(ours: Iterable[str], theirs: Iterable[str]) -> bool | None:
    """Whether two sets of languages have one in common or near; None where one of them says nothing."""
    one, other = frozenset(ours), frozenset(theirs)
    if not one or not other:
        return None
    return bool(one & other) or any(one & kin and other & kin for kin in _KIN)
