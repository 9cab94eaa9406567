"""Following changes: what is written while it watches is found without being asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.flows.ingest.api import IngestOptions, IngestReport, ingest, watch_library
from core.store import Store, open_store

Put = Callable[..., Path]


def test_an_edit_is_read_while_it_watches(library: Store, notes: Path, put: Put) -> None:
    put("a.md", "# A\n\nfirst words\n")
    ingest(library, [notes])
    put("b.md", "# B\n\nwritten before it looked\n")
    watched, told, over = threading.Event(), threading.Event(), threading.Event()
    reports: list[IngestReport] = []

    def tell(report: IngestReport) -> None:
        reports.append(report)
        told.set()

    def follow() -> None:
        with open_store(library.path, write=True) as store:
            watch_library(store, IngestOptions(), tell, over.is_set, watched.set)

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        assert watched.wait(120)
        assert told.wait(120)
        assert [one.new for one in reports] == [1]
        told.clear()
        put("../later.md", "# A\n\nsecond words\n", at=1_700_000_900).replace(notes / "a.md")  # whole, at once
        assert told.wait(120)
        assert reports[-1].updated == 1
    finally:
        over.set()
        thread.join(30)
    assert not thread.is_alive()


def test_without_a_folder_there_is_nothing_to_watch(library: Store, notes: Path) -> None:
    with pytest.raises(Fault, match="no folder"):
        watch_library(library, IngestOptions(), lambda _: None, lambda: True)


def test_a_library_below_a_folder_of_build_results_is_watched(library: Store, tmp_path: Path) -> None:
    root = tmp_path / "build" / "docs"
    root.mkdir(parents=True)
    ingest(library, [root])
    watched, read, over = threading.Event(), threading.Event(), threading.Event()

    def follow() -> None:
        with open_store(library.path, write=True) as store:
            watch_library(store, IngestOptions(), lambda _: read.set(), over.is_set, started)

    def started() -> None:
        (root / "b.md").write_text("# B\n\nwords\n", encoding="utf-8")
        watched.set()

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        assert watched.wait(120)
        assert read.wait(120)
        read.clear()
        (root / "c.md").write_text("# C\n\nwords\n", encoding="utf-8")
        assert read.wait(60)
    finally:
        over.set()
        thread.join(30)
