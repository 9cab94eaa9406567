"""The first texts of a process are scanned for the signs they hold alone: what is found is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.text.secrets import scan
from core.text.secrets.scan import secret_spans

DATA = Path(__file__).parents[2] / "data"
TEXTS = [
    json.loads(line)["text"]
    for name in ("secrets.jsonl", "lookalikes.jsonl")
    for line in (DATA / name).read_text(encoding="utf-8").splitlines()
]


@pytest.fixture
def fresh() -> None:
    """As in a process that has scanned nothing yet."""
    scan._scans_made.clear()
    scan._whole.cache_clear()


def test_the_first_texts_and_later_ones_are_masked_alike(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "_FEW", 0)
    whole = [secret_spans(text) for text in TEXTS]
    assert sum(map(bool, whole)) > 50
    monkeypatch.setattr(scan, "_FEW", 10_000)
    assert [secret_spans(text) for text in TEXTS] == whole
    assert len(scan._scans_made) > 10


def test_who_has_many_texts_compiles_the_scan_once(fresh: None) -> None:
    for text in TEXTS:
        secret_spans(text)
    assert len(scan._scans_made) <= scan._FEW + 1
