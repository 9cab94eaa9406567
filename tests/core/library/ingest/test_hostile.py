"""Files that cannot be read, names that are odd, texts that are huge: each is told, and nothing else is lost."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.wire import dumps
from core.flows.ingest.api import IngestEvent, IngestOptions, ingest
from core.library.citations.citation import parse
from core.library.ingest.report import last_run
from core.library.search.api import SearchQuery, search
from core.library.search.inspect import ChunkInspection, inspect
from core.store import Store
from tests.core.library.ingest.support import ALPHA, Put, counts, found, whole


def errors(library: Store, notes: Path, meddle: Callable[[], object]) -> dict[str, str | None]:
    """What the ingest says of the files it could not read, if this happens between the walk and the reading."""

    def hear(event: IngestEvent) -> None:
        if event.kind == "scan_completed":
            meddle()

    report = ingest(library, [notes], on_event=hear)
    whole(library)
    return {item.doc_path: item.error for item in report.items or () if item.kind == "error"}


@pytest.mark.skipif(sys.platform == "win32", reason="no such files there")
@pytest.mark.parametrize(
    ("become", "said"),
    [
        (os.mkfifo, "cannot be read: not a regular file"),
        (lambda path: path.mkdir(), "cannot be read: not a regular file"),
        (lambda path: path.symlink_to(path), "cannot be read: "),  # leads to itself: no one may open it, nor root
    ],
    ids=["pipe", "folder", "loop"],
)
def test_what_cannot_be_opened_is_told_and_keeps_what_was_known(
    library: Store, notes: Path, put: Put, become: Callable[[Path], object], said: str
) -> None:
    put("a.md", ALPHA)
    put("b.md", "# Beta\n\nvalves\n")
    ingest(library, [notes])
    path = put("a.md", ALPHA + "\nmore\n", at=1_700_000_900)

    def meddle() -> None:
        path.unlink()
        become(path)

    told = errors(library, notes, meddle)
    assert list(told) == ["a.md"]
    assert (told["a.md"] or "").startswith(said) and "\n" not in (told["a.md"] or "")
    assert found(library, "pump") == {"a.md"}  # what was known of it stays until it can be read, or is gone
    assert found(library, "valves") == {"b.md"}
    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    put("a.md", ALPHA + "\nmore\n", at=1_700_001_900)
    assert counts(ingest(library, [notes])) == {"updated": 1, "unchanged": 1}
    assert found(library, "more") == {"a.md"}


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nobody forbids root anything")
def test_a_file_that_nobody_may_read_is_told(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA).chmod(0)
    put("b.md", "# Beta\n\nvalves\n")
    assert errors(library, notes, lambda: None) == {"a.md": "cannot be read: Permission denied"}


def test_a_file_that_goes_in_the_middle_goes_with_what_was_known(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    put("b.md", "# Beta\n\nvalves\n")
    ingest(library, [notes])
    path = put("a.md", ALPHA + "\nmore\n", at=1_700_000_900)
    assert errors(library, notes, path.unlink) == {"a.md": "the file was deleted before casebook read it"}
    assert found(library, "pump OR valves") == {"b.md"}


ODD = (
    "with blank.md", " edge .md", "what?.md", "50%25 off.md", "a&b=c;d.md", "L12-L34.md", "p=3.md", "'quoted\".md",
    "[x](y).md", "한글 이름.md", "café.md", "-rf.md", "~.md", "$HOME.md", "a:b.md", "deep/..md",
)  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="it knows no such names")
def test_a_citation_leads_back_to_any_name(library: Store, notes: Path, put: Put) -> None:
    names = [*ODD, unicodedata.normalize("NFD", "분해된 이름.md"), "line\nbreak.md", "\x1b]52;c;eA==\x07.md"]
    for number, name in enumerate(names):
        put(name, f"# Title\n\nword{number} stands here\n")
    assert counts(ingest(library, [notes])) == {"new": len(names)}
    for number, name in enumerate(names):
        (hit,) = search(library, SearchQuery(f"word{number}", "lexical")).hits
        assert hit.doc_path == unicodedata.normalize("NFC", name)
        assert parse(hit.citation.uri) == parse(f"{hit.doc_path}#L1-L3")
        shown = inspect(library.con, hit.citation.uri)
        assert isinstance(shown, ChunkInspection) and shown.doc_path == hit.doc_path
    whole(library)


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes only there")
def test_names_that_cannot_be_cited_are_told_one_by_one(library: Store, notes: Path, put: Put) -> None:
    put("with#sign.md", "a")
    (notes / "bad\udcff.md").write_text("b")
    (notes / "what\udcff.\udcfe").write_text("c")
    (notes / "in\udcff").mkdir()
    (notes / "in\udcff" / "a.md").write_text("d")
    put("good.md", ALPHA)
    report = ingest(library, [notes])
    assert counts(report) == {"new": 1, "skipped": 4}
    said = {item.doc_path: item.error or "" for item in report.items or () if item.kind == "skipped"}
    assert "#" in said["with#sign.md"] and "rename" in said["with#sign.md"]
    for path in ("bad\ufffd.md", "in\ufffd/a.md"):
        assert "UTF-8" in said[path] and "rename" in said[path]
    dumps(report)
    assert last_run(library.con) is not None


def test_a_text_without_an_end_of_line_is_found_to_its_last_word(library: Store, notes: Path, put: Put) -> None:
    put("long.md", "pump " * 400_000 + "finishword")
    put("long.txt", "\x00" * 3 + "zero")  # binary
    put("marks.md", "[" * 20_000 + "*" * 20_000 + "`" * 20_001 + " markword")
    assert counts(ingest(library, [notes])) == {"new": 2, "skipped": 1}
    assert found(library, "finishword") == {"long.md"}
    assert found(library, "markword") == {"marks.md"}


def test_larger_than_the_limit_is_left_out_and_says_how_large(library: Store, notes: Path, put: Put) -> None:
    put("big.md", "pump\n" * 300_000)
    put("small.md", ALPHA)
    report = ingest(library, [notes], IngestOptions(max_file_mb=1))
    assert counts(report) == {"new": 1, "skipped": 1}
    (said,) = [item.error for item in report.items or () if item.kind == "skipped"]
    assert said == "size exceeded: 1,500,000 bytes (limit: 1,048,576)"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems end elsewhere")
def test_a_folder_that_cannot_be_read_is_told_and_the_rest_is_read(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    put("z.md", "# Omega\n\nvalves\n")
    name, handle = "d" * 250, os.open(notes, os.O_RDONLY)
    for _ in range(18):  # a path longer than the system takes: forbidden to everybody
        os.mkdir(name, dir_fd=handle)
        inner = os.open(name, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)
    report = ingest(library, [notes])
    assert counts(report) == {"new": 2, "errors": 1}
    (said,) = [item.error for item in report.items or () if item.kind == "error"]
    assert said is not None and "the folder cannot be read" in said and "its documents stay" in said
    assert found(library, "pump OR valves") == {"a.md", "z.md"}
