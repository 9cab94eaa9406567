"""Regular expressions compiled when they are first used: a start costs what it uses, not what there is."""

from __future__ import annotations

import re
from typing import cast

_MEMBERS = (
    "search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split",
    "pattern", "flags", "groups", "groupindex",
)  # fmt: skip


class _Lazy:
    """Stands for a pattern until it is asked for anything; from then on its methods are the pattern's own."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        if name not in _MEMBERS:
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for member in _MEMBERS:
            setattr(self, member, getattr(compiled, member))
        return getattr(compiled, name)


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled at its first use. A wrong `source` is found out then, so every one needs a test."""
    return cast("re.Pattern[str]", _Lazy(source, flags))
