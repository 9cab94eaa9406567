"""A single file and standard input: kept once, found like the rest, refused where there is no text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.flows.ingest.api import ingest
from core.flows.ingest.single import ingest_file, ingest_stdin
from core.store import Store
from tests.core.library.ingest.support import ALPHA, Put, counts, found, rows, whole


@pytest.fixture(autouse=True)
def _whole(library: Store) -> Iterator[None]:
    yield
    whole(library)


def test_a_single_file_is_kept_once_and_survives_the_next_walk(
    library: Store, tmp_path: Path, notes: Path, put: Put
) -> None:
    put("a.md", ALPHA)
    ingest(library, [notes])
    loose = tmp_path / "loose.txt"
    loose.write_text("a crash at the quay\n")
    assert counts(ingest_file(library, loose)) == {"new": 1}
    assert counts(ingest_file(library, loose)) == {"unchanged": 1}
    (path,) = found(library, "quay")
    assert path.startswith("_external/") and path.endswith(".txt") and len(path) == len("_external/.txt") + 12
    assert counts(ingest_stdin(library, b"# Pasted\n\nfrom a pipe\n")) == {"new": 1}
    assert len(rows(library, "SELECT 1 FROM documents")) == 3
    report = ingest(library)
    assert (report.new, report.removed) == (0, 0)
    assert counts(ingest_file(library, notes / "a.md")) == {"unchanged": 1}
    (notes / path).unlink()
    assert ingest(library).removed == 1


@pytest.mark.parametrize(("data", "extension"), [(b"", "md"), (b"a\0b", "md"), (b"x", "pdf")])
def test_what_is_no_text_is_refused(library: Store, notes: Path, put: Put, data: bytes, extension: str) -> None:
    ingest(library, [notes])
    with pytest.raises(Fault):
        ingest_stdin(library, data, extension)
    assert not (notes / "_external").exists()
