"""A document opened at what is cited: the file, one that is another now, and what was kept of one that is gone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.flows.ingest.api import ingest
from core.library.citations.citation import parse
from core.library.documents import opened as opening
from core.library.documents.opened import (
    document_keys,
    documents_by_key,
    filter_values,
    library_size,
    line_count,
    open_document,
    within,
)
from core.library.search.api import SearchQuery, search
from core.library.search.fts import SearchFilters
from core.library.search.hybrid import why_hit
from core.store import Store

NOTE = "---\ntags: [port]\n---\n# Cranes\n\nfirst words\n\n## Rules\n\nsecond words\n"


@pytest.fixture
def cranes(library: Store, notes: Path, put: Callable[..., Path]) -> Path:
    path = put("port/cranes.md", NOTE)
    put("hi.py", "def hi():\n    return 1\n")
    ingest(library, [notes])
    return path


def test_the_lines_are_those_of_the_file_and_know_what_they_are(library: Store, cranes: Path) -> None:
    found = open_document(library.con, "port/cranes.md", parse("port/cranes.md#L8-L10"))
    assert found.state == "same"
    assert found.lines == tuple(NOTE.split("\n"))
    assert found.cited == (8, 10)
    assert [(block.kind, block.start) for block in found.blocks] == [
        ("heading", 4), ("paragraph", 6), ("heading", 8), ("paragraph", 10)
    ]  # fmt: skip
    assert found.file == cranes


def test_a_changed_file_is_shown_as_it_is_now_and_a_gone_one_as_it_was_kept(library: Store, cranes: Path) -> None:
    cranes.write_text("# Other\n\nwords\n", encoding="utf-8")
    found = open_document(library.con, "port/cranes.md")
    assert found.state == "changed"
    assert "changed" in found.notice
    assert [block.kind for block in found.blocks] == ["heading", "paragraph"]
    cranes.unlink()
    kept = open_document(library.con, "port/cranes.md", parse("port/cranes.md#L10"))
    assert kept.state == "passages"
    assert kept.cited is not None
    assert "second words" in kept.lines[kept.cited[0] - 1 : kept.cited[1]]
    with pytest.raises(Fault, match="no document"):
        open_document(library.con, "nowhere.md")


@pytest.mark.parametrize(
    ("lines", "cited", "told"),
    [
        ("L10", (10, 10), ""),
        ("L11", (10, 10), "line 11 not found: the file has 10 lines"),
        ("L9999", (10, 10), "line 9,999 not found: the file has 10 lines"),
        ("L8-L12", (8, 10), "line 12 not found: the file has 10 lines"),
    ],
)
def test_a_line_beyond_the_end_is_told_and_the_last_one_stands_for_it(
    library: Store, cranes: Path, lines: str, cited: tuple[int, int], told: str
) -> None:
    citation = parse(f"port/cranes.md#{lines}")
    found = within(open_document(library.con, "port/cranes.md", citation))
    assert (found.cited, found.notice) == (cited, told)
    assert within(found) == found
    cranes.write_text("only this\n", encoding="utf-8")
    found = within(open_document(library.con, "port/cranes.md", citation))
    assert found.cited == (1, 1)
    assert found.notice.startswith(f"line {int(lines.rpartition('L')[2]):,} not found: the file has 1 line; changed")


@pytest.mark.parametrize(
    ("data", "many"),
    [
        (b"", 1), (b"a", 1), (b"a\n", 1), (b"a\n\n", 2), (b"a\nb", 2), (b"a\r\nb\r\n", 2), (b"a\rb\r", 2),
        ("a\nb\n".encode("utf-16"), 2), (b"a\nb\rc\n", 2),
    ],
)  # fmt: skip
def test_lines_are_counted_as_an_editor_counts_them(data: bytes, many: int) -> None:
    assert line_count(data) == many


@pytest.mark.parametrize("line", [1, 500, 2_499, 2_500])
def test_of_a_large_file_the_lines_around_the_place_are_read(
    library: Store, notes: Path, put: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, line: int
) -> None:
    put("large.txt", "\n".join(f"줄 {number}" for number in range(1, 2_501)))
    ingest(library, [notes])
    monkeypatch.setattr(opening, "WHOLE", 4_000)
    monkeypatch.setattr(opening, "MOST_LINES", 100)
    monkeypatch.setattr(opening, "_STEP", 512)
    found = open_document(library.con, "large.txt", parse(f"large.txt#L{line}"))
    assert found.total == 2_500
    assert len(found.lines) <= 100
    assert found.first <= line <= found.last
    assert found.lines[line - found.first] == f"줄 {line}"
    assert all(text == f"줄 {number}" for number, text in enumerate(found.lines, found.first))


def test_documents_are_listed_read_last_first_and_filtered_by_what_there_is(
    library: Store, notes: Path, cranes: Path, put: Callable[..., Path]
) -> None:
    put("late.md", "# Late\n\ncame later\n")
    ingest(library, [notes])
    keys = document_keys(library.con)
    found = documents_by_key(library.con, keys)
    assert found[keys[0]].doc_path == "late.md"
    assert len(keys) == library_size(library.con).documents == 3
    port = document_keys(library.con, SearchFilters(tags_any=("port",)))
    assert [found[key].doc_path for key in port] == ["port/cranes.md"]
    values = {(one.kind, one.value): one.documents for one in filter_values(library.con)}
    assert values["tag", "port"] == 1
    assert values["path", "port/**"] == 1
    assert values["path", "*.md"] == 2
    assert values["code", "python"] == 1


def test_why_a_hit_stands_where_it_stands(library: Store, cranes: Path) -> None:
    hit = search(library, SearchQuery("second words zeppelin", "lexical")).hits[0]
    why = why_hit(hit)
    (words,) = why.steps
    assert words.fact("has") == "second, words"
    assert words.fact("lacks") == "zeppelin"
    assert words.reason == "rank 1 in the keyword list"
