"""The language of a document: what is written down, what a filter lets pass, and which values are refused."""

from __future__ import annotations

import pytest

from core.base.fault import Fault
from core.flows.ingest.api import ingest
from core.library.documents.opened import filter_values
from core.library.search.fts import SearchFilters, documents_passing
from core.library.search.inspect import list_documents
from core.store import Store
from tests.core.library.ingest.support import Put, counts, rows

ENGLISH = "# Pump\n\nThe pump starts at noon and stops when the valve closes.\n"
KOREAN = "# 펌프\n\n펌프는 정오에 시작하고 밸브가 닫히면 멈춘다.\n"
MIXED = "# Pump manual\n\nThe pump starts at noon and stops when the valve closes again. 펌프는 정오에 시작한다\n"


@pytest.fixture
def filled(library: Store, put: Put) -> Store:
    """One document of each kind."""
    put("en.md", ENGLISH)
    put("ko.md", KOREAN)
    put("both.md", MIXED)
    put("said.md", f"---\nlang: ko-KR\n---\n{ENGLISH}")
    put("under.md", f"---\nlanguage: en_GB\n---\n{KOREAN}")
    put("french.md", f"---\nlang: fr\n---\n{ENGLISH}")
    put("greek.md", "# Α\n\nη αντλία ξεκινά το μεσημέρι\n")
    notes = put("x.md", ENGLISH).parent
    ingest(library, [notes])
    return library


def paths(store: Store, lang: str) -> list[object]:
    found = documents_passing(store.con, SearchFilters(lang=lang))
    assert found is not None
    named = {str(row[0]): row[1] for row in rows(store, "SELECT doc_id, workspace_path FROM documents")}
    return [named[one] for one in found]


def test_the_language_is_written_down(filled: Store) -> None:
    found = {row[0]: row[1] for row in rows(filled, "SELECT workspace_path, lang FROM documents")}
    assert found == {
        "en.md": "en", "ko.md": "ko", "both.md": "mixed", "said.md": "ko-kr", "under.md": "en_gb", "french.md": "fr",
        "greek.md": "und", "x.md": "en",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lang", "passing"),
    [
        ("ko", ["both.md", "ko.md", "said.md"]),
        ("ko-KR", ["both.md", "ko.md", "said.md"]),
        ("KO", ["both.md", "ko.md", "said.md"]),
        ("en", ["both.md", "en.md", "under.md", "x.md"]),
        ("mixed", ["both.md"]),
        ("fr", ["french.md"]),
        ("und", ["greek.md"]),
    ],
)
def test_the_primary_subtag_counts_and_ko_and_en_include_mixed(filled: Store, lang: str, passing: list[str]) -> None:
    assert paths(filled, lang) == passing


def test_the_filter_menu_counts_what_each_language_lets_pass(filled: Store) -> None:
    counted = {one.value: one.documents for one in filter_values(filled.con) if one.kind == "lang"}
    assert counted == {one: len(paths(filled, one)) for one in ("ko", "en", "mixed", "fr", "und")}


@pytest.mark.parametrize(
    ("filters", "told", "choice"),
    [
        (SearchFilters(lang="xx"), "unknown language: xx", "ko, en, mixed, und, fr"),
        (SearchFilters(source_type="code"), "unknown type: code", "markdown, note, paper, reference, inbox"),
        (SearchFilters(media="movie"), "unknown medium: movie", "markdown, text, code, pdf, manifest"),
    ],
)
def test_a_value_that_no_document_can_have_is_refused_with_the_choices(
    filled: Store, filters: SearchFilters, told: str, choice: str
) -> None:
    with pytest.raises(Fault) as fault:
        documents_passing(filled.con, filters)
    assert (fault.value.code, fault.value.message) == ("invalid_input", told)
    assert choice in fault.value.hint
    with pytest.raises(Fault):
        list_documents(filled.con, filters)


def test_documents_of_an_earlier_version_get_their_language_at_the_next_ingest(filled: Store, put: Put) -> None:
    filled.con.execute("UPDATE documents SET lang = 'und', signature = 'before' WHERE workspace_path = 'both.md'")
    report = ingest(filled)
    assert counts(report) == {"updated": 1, "unchanged": 7}
    assert paths(filled, "mixed") == ["both.md"]
