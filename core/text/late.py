"""Regular expressions compiled when first used, so that importing what may never be needed costs nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any


class Late:
    """A regular expression that is compiled at its first use; afterwards as fast as a compiled one."""

    __slots__ = ("_source", "findall", "finditer", "match", "search", "sub")

    match: Callable[..., re.Match[str] | None]
    search: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    findall: Callable[..., list[Any]]
    sub: Callable[..., str]

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        """Reached only while the methods of the compiled expression are not yet in place."""
        if name not in self.__slots__ or name == "_source":
            raise AttributeError(name)
        pattern = re.compile(self._source)
        self.match, self.search = pattern.match, pattern.search
        self.finditer, self.findall = pattern.finditer, pattern.findall
        self.sub = pattern.sub
        return getattr(self, name)
