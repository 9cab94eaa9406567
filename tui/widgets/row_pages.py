"""Rows that are read page by page: some pages are kept, those that were looked at longest ago are read again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class RowPages(Generic[T]):
    """Pages of `size` rows, at most `most` of them."""

    def __init__(self, size: int, most: int) -> None:
        self._size, self._most = size, most
        self._pages: OrderedDict[int, tuple[T, ...]] = OrderedDict()

    def get(self, index: int) -> T | None:
        """The row at `index`, None while it is not there."""
        number, at = divmod(index, self._size)
        page = self._pages.get(number, ())
        if at >= len(page):
            return None
        self._pages.move_to_end(number)
        return page[at]

    def put(self, first: int, rows: tuple[T, ...]) -> None:
        """Take in the page that begins with row `first`."""
        number = first // self._size
        self._pages[number] = rows
        self._pages.move_to_end(number)
        while len(self._pages) > self._most:
            self._pages.popitem(last=False)

    def lacking(self, first: int, last: int) -> tuple[int, ...]:
        """The numbers of the pages that rows `first` to `last` lack."""
        if last < first:
            return ()
        return tuple(at for at in range(first // self._size, last // self._size + 1) if at not in self._pages)

    def rows(self) -> Iterator[tuple[int, T]]:
        """Every row that is there, with its index."""
        for number, page in self._pages.items():
            yield from enumerate(page, number * self._size)
