"""Rows of the library's list: documents read page by page as they are looked at, or the hits of a search."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.panes.library.queries import Page
from tui.widgets.row_list import RowPages

if TYPE_CHECKING:
    from core.library.search.hit import SearchHit
    from core.library.search.inspect import DocSummary

PAGE = 100
KEPT = 40
"""Pages kept in memory."""


LEAST = 0.005
"""The fused score below which a hit shows 0.00: neither list has it among its own."""


def listed(hits: tuple[SearchHit, ...]) -> tuple[SearchHit, ...]:
    """The hits without the tail that a fusion only fills up with; all of them where there is nothing else."""
    worth = tuple(hit for hit in hits if hit.score_kind != "rrf" or hit.score >= LEAST)
    return worth or hits


@dataclass(frozen=True, slots=True)
class HitRows:
    """Hits, which are all there."""

    hits: tuple[SearchHit, ...] = ()

    @property
    def total(self) -> int:
        """How many."""
        return len(self.hits)

    def get(self, index: int) -> SearchHit | None:
        """The hit at `index`."""
        return self.hits[index] if 0 <= index < len(self.hits) else None

    def index_of(self, chunk_id: str | None) -> int | None:
        """Where the passage stands, None where it does not."""
        return next((at for at, hit in enumerate(self.hits) if hit.chunk_id == chunk_id), None)


class DocRows:
    """Documents by number over the keys of all; what the list before had read stands until it is read anew."""

    def __init__(self, keys: array[int] | None = None, before: DocRows | None = None) -> None:
        self.keys = array("q") if keys is None else keys
        self._pages = RowPages["DocSummary | None"](PAGE, KEPT)
        self._old = {} if before is None else before.read()

    @property
    def total(self) -> int:
        """How many documents."""
        return len(self.keys)

    def get(self, index: int) -> DocSummary | None:
        """The row, or None while it is not read."""
        if (row := self._pages.get(index)) is not None:
            return row
        return self._old.get(self.keys[index]) if 0 <= index < self.total else None

    def read(self) -> dict[int, DocSummary]:
        """The documents that were read, by their keys."""
        return {self.keys[at]: row for at, row in self._pages.rows() if row is not None} or self._old

    def put(self, page: Page) -> None:
        """Take in a page."""
        self._pages.put(page.first, page.rows)

    def lacking(self, first: int, last: int) -> int | None:
        """The first page among these rows that is not read."""
        return next(iter(self._pages.lacking(max(0, first), min(last, self.total - 1))), None)
