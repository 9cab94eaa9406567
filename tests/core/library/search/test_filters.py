"""Filters that no document can pass are refused with the values there are; languages of manifests and configuration."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.flows.ingest.api import ingest
from core.library.documents.opened import filter_values
from core.library.ingest.readers import code_lang_of
from core.library.search.api import EMPTY, NONE_PASSES, SearchQuery, search
from core.library.search.fts import SearchFilters
from core.library.search.inspect import ChunkInspection, DocInspection, inspect, list_documents
from core.store import Store
from tests.core.library.ingest.support import Put, rows

MANIFESTS = Path(__file__).parents[3] / "data" / "library" / "manifests"
PUMP = "---\ntags: [pumps]\n---\n# Pump\n\nThe pump starts at noon and stops when the valve closes.\n"


@pytest.fixture
def filled(library: Store, put: Put) -> Store:
    put("docs/pump.md", PUMP)
    put("src/pump.py", "def start():\n    return 'the pump starts'\n")
    put("Cargo.toml", "[package]\nname = 'pump'\n")
    put("settings.ini", "[pump]\nstarts = noon\n")
    put("data/pump.json", '{"pump": "starts"}\n')
    put("k8s/pump.yaml", (MANIFESTS / "plant.yaml").read_text())
    put("ci.yml", "pump:\n  starts: noon\n")
    put("Makefile", "pump:\n\techo starts\n")
    notes = put("Dockerfile", (MANIFESTS / "Dockerfile").read_text()).parent
    ingest(library, [notes])
    return library


LANGS = {
    "docs/pump.md": None, "src/pump.py": "python", "Cargo.toml": "toml", "settings.ini": "ini",
    "data/pump.json": "json", "k8s/pump.yaml": "kubernetes", "ci.yml": "yaml", "Makefile": "makefile",
    "Dockerfile": "dockerfile",
}  # fmt: skip


def langs(store: Store) -> dict[object, object]:
    return {row[0]: row[1] for row in rows(store, "SELECT workspace_path, code_lang FROM documents")}


def passing(store: Store, **filters: str) -> list[str]:
    return [one.doc_path for one in list_documents(store.con, SearchFilters(**filters)).documents]  # type: ignore[arg-type]


def test_manifests_and_configuration_have_a_language(filled: Store) -> None:
    assert langs(filled) == LANGS
    assert passing(filled, code_lang="toml") == ["Cargo.toml"]
    assert passing(filled, code_lang="kubernetes") == ["k8s/pump.yaml"]
    assert passing(filled, code_lang="YAML") == ["ci.yml", "k8s/pump.yaml"]
    hits = search(filled, SearchQuery("pump", "lexical", filters=SearchFilters(code_lang="toml"))).hits
    assert [one.code_lang for one in hits] == ["toml"]


def test_the_menu_counts_what_each_language_lets_pass(filled: Store) -> None:
    counted = {one.value: one.documents for one in filter_values(filled.con) if one.kind == "code"}
    assert counted == {name: len(passing(filled, code_lang=name)) for name in counted}
    assert counted["yaml"] == 2


@pytest.mark.parametrize(
    ("name", "lang"),
    [
        ("go.mod", "go-mod"), ("pom.xml", "xml"), ("build.gradle", "groovy"), ("build.gradle.kts", "kotlin"),
        ("setup.cfg", "ini"), ("Dockerfile.prod", "dockerfile"), ("rules.mk", "makefile"), ("CMakeLists.txt", "cmake"),
        ("notes.txt", None), ("toml", None), (".editorconfig", "ini"),
    ],
)  # fmt: skip
def test_the_language_is_told_by_the_name(name: str, lang: str | None) -> None:
    assert code_lang_of(name) == lang


def test_prose_whose_name_begins_like_a_manifest_has_no_language(library: Store, put: Put) -> None:
    ingest(library, [put("Dockerfile.md", "# How we build\n\nin stages\n").parent])
    assert langs(library) == {"Dockerfile.md": None}


def test_documents_of_an_earlier_version_get_their_language_without_being_read(filled: Store) -> None:
    filled.con.execute("UPDATE documents SET code_lang = NULL WHERE media_type <> 'code'")
    filled.con.execute("DELETE FROM kv WHERE key = 'code_langs'")
    ids = rows(filled, "SELECT chunk_id FROM chunks ORDER BY id")
    report = ingest(filled)
    assert (report.unchanged, report.updated) == (len(LANGS), 0)
    assert langs(filled) == LANGS
    assert rows(filled, "SELECT chunk_id FROM chunks ORDER BY id") == ids


@pytest.mark.parametrize(
    ("filters", "told", "named"),
    [
        (SearchFilters(code_lang="cobol"), "no document has the code language cobol", "dockerfile, ini, json"),
        (SearchFilters(repo="ghost"), "no document has the repository ghost", "omit the filter"),
        (SearchFilters(source="ghost"), "no document has the source ghost", "use one of: notes"),
        (SearchFilters(tags_any=("ghost", "ghoul")), "no document has the tag ghost, ghoul", "use one of: pumps"),
        (SearchFilters(doc="ghost.md"), "no document named ghost.md", "casebook library list"),
        (SearchFilters(path_glob="doc/**"), "no document's path matches doc/**", "docs/**"),
        (SearchFilters(path_glob="*.rst"), "no document's path matches *.rst", "*.md"),
        (SearchFilters(code_lang="cobol", media="code"), "no document has the code language cobol", "python"),
    ],
)  # fmt: skip
def test_a_filter_that_nothing_can_pass_is_refused_with_what_there_is(
    filled: Store, filters: SearchFilters, told: str, named: str
) -> None:
    for ask in (lambda: search(filled, SearchQuery("pump", "lexical", filters=filters)),
                lambda: list_documents(filled.con, filters)):  # fmt: skip
        with pytest.raises(Fault) as fault:
            ask()
        assert (fault.value.code, fault.value.message) == ("invalid_input", told)
        assert named in fault.value.hint


def test_filters_that_pass_one_by_one_and_an_empty_library_find_nothing(filled: Store, tmp_path: Path) -> None:
    both = SearchFilters(code_lang="toml", path_glob="docs/**")
    assert search(filled, SearchQuery("pump", "lexical", filters=both)).hint == NONE_PASSES
    assert list_documents(filled.con, both).total == 0
    for none in (SearchFilters(since="2999-01-01"), SearchFilters(lang="ko"), SearchFilters(media="pdf")):
        assert search(filled, SearchQuery("pump", "lexical", filters=none)).hint == NONE_PASSES
    from core.store import open_store

    with open_store(tmp_path / "empty.db", create=True) as store:
        found = search(store, SearchQuery("pump", "lexical", filters=SearchFilters(code_lang="cobol")))
    assert found.hint == EMPTY


def test_names_are_found_however_their_letters_are_composed(library: Store, notes: Path, put: Put) -> None:
    """macOS and some editors write Korean and accents decomposed."""

    def decomposed(text: str) -> str:
        return unicodedata.normalize("NFD", text)

    put(decomposed("안내/펌프.md"), decomposed("---\ntags: [현장, café]\n---\n# 펌프\n\n밤에 멈춘다\n"))
    put(".git/config", decomposed('[remote "origin"]\n\turl = https://example.org/저장소.git\n'))
    ingest(library, [notes])
    for filters in ({"tags_any": ("현장",)}, {"tags_any": (decomposed("café"),)}, {"repo": "저장소"}):
        found = list_documents(library.con, SearchFilters(**filters)).documents  # type: ignore[arg-type]
        assert [one.doc_path for one in found] == ["안내/펌프.md"]
    named = inspect(library.con, decomposed("안내/펌프.md"))
    assert isinstance(named, DocInspection)
    assert isinstance(inspect(library.con, decomposed("안내/펌프.md#L4")), ChunkInspection)
