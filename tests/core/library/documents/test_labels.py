"""The labelled questions name existing places: in the frozen pages (`tests/data/house`) and in the code of today."""

from __future__ import annotations

import shutil
from pathlib import Path

from core.flows.ingest.api import IngestOptions, ingest
from core.library.evaluation import evaluate, read_suite
from core.store import Store

ROOT = Path(__file__).parents[4]
DATA = ROOT / "tests" / "data" / "library"


def test_each_label_is_where_it_says(library: Store, tmp_path: Path) -> None:
    """A renamed function that a question is about needs a new label in `tests/data/library`."""
    suites = [read_suite(DATA / f"{name}.yaml") for name in ("house", "unseen")]
    named = sorted({f"/{one.doc}" for suite in suites for golden in suite.queries for one in golden.expect})
    house = shutil.copytree(ROOT / "tests" / "data" / "house", tmp_path / "house")
    for name in named:
        source, target = ROOT / name[1:], house / name[1:]
        if source.exists() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    ingest(library, [house], IngestOptions(include=tuple(named)))
    assert [evaluate(library, suite, []).unanswerable for suite in suites] == [(), ()]
