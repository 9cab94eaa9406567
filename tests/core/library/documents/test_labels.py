"""The labelled questions name places that still stand in this project."""

from __future__ import annotations

from pathlib import Path

from core.flows.ingest.api import IngestOptions, ingest
from core.library.evaluation import evaluate, read_suite
from core.store import Store

ROOT = Path(__file__).parents[4]
DATA = ROOT / "tests" / "data" / "library"


def test_each_label_stands_where_it_says(library: Store) -> None:
    """Who renames a section or a function that a question is about corrects the label in `tests/data/library`."""
    suites = [read_suite(DATA / f"{name}.yaml") for name in ("house", "unseen")]
    named = sorted({f"/{one.doc}" for suite in suites for golden in suite.queries for one in golden.expect})
    ingest(library, [ROOT], IngestOptions(include=tuple(named)))
    assert [evaluate(library, suite, []).unanswerable for suite in suites] == [(), ()]
