"""Rows and their count are of one moment, whatever is decided between the two queries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import Filters
from core.errors.curation.decisions import verify
from core.errors.curation.transaction import look
from core.evidence import reject
from core.store import open_store
from tests.tui.panes.evidence.support import one_of_each
from tui.panes.errors.queue import read_queue
from tui.panes.evidence.queries import QuoteFilter, read_list
from tui.runtime.jobs import Job, Lane


def done(path: Path, work: Callable[[Job[Any]], Any]) -> Any:
    """What a job reads."""
    values: list[Any] = []
    lane = Lane("test", path, lambda report: values.append(report.fault or report.value), keep=False)
    Job(lane, 1, work, lambda _value, _final: None, lambda _fault: None, 0.0).run()
    return values[0]


def test_a_quote_decided_meanwhile_is_neither_missed_nor_counted_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.evidence.review import queue

    path, count = one_of_each(tmp_path / "review.db"), queue.count_quotes

    def later(*given: Any) -> Any:
        with open_store(path, write=True) as store:
            reject(store, "ben", 2, "no")
        return count(*given)

    monkeypatch.setattr(queue, "count_quotes", later)
    read = done(path, read_list(QuoteFilter(), 50))
    assert ([row.id for row in read.rows], read.counts.left) == ([2, 3, 4, 5], 4)


def test_a_case_decided_meanwhile_is_neither_missed_nor_counted_twice(
    casebook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.errors.curation import triage

    count = triage.count_waiting

    def later(*given: Any) -> Any:
        with open_store(casebook, write=True) as store:
            verify(store, "ben", [look(store.con, 2)])
        return count(*given)

    monkeypatch.setattr(triage, "count_waiting", later)
    read = done(casebook, read_queue(Filters(), 50))
    assert (len(read.rows), read.left) == (3, 3)
