"""The search over a library that was really ingested: what is found, where it is cited, in which order."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.base.wire import to_wire
from core.flows.ingest.api import ingest
from core.flows.ingest.search import (
    EMPTY,
    embed_passages,
    model_search,
    opened_search,
    query_of,
    search_bulk,
    search_library,
)
from core.library.citations.citation import LineCitation
from core.library.search import fts as filters
from core.library.search.api import SearchQuery, json_bytes, search
from core.library.search.fts import SearchFilters, path_fits
from core.library.search.hybrid import why_hit
from core.library.search.inspect import ChunkInspection, DocInspection, inspect, list_documents
from core.samples import sample_notes
from core.store import Store, open_store

EXTRA = {
    "deep/er/nfd.md": "# 노트\n\n" + unicodedata.normalize("NFD", "결제모듈을 교체했다") + "\n",
    " odd name [1].md": "# Odd\n\nokapi stands here\n",
    "log.txt": "ERROR 2031 shipment rejected\nnext line\n",
    "twin-a.md": "# Twin\n\nthe very same zebra words\n",
    "twin-b.md": "# Twin\n\nthe very same zebra words\n",
    "tool.py": "def frobnicate(path):\n    return path.read_text()\n",
    "hostile.md": "# \x1b]52;c;eA==\x07 [red]x\n\n\u202e zebra \x00 AND OR NOT\n",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("library")
    root = folder / "notes"
    for path in sorted(sample_notes().iterdir()):
        if path.suffix == ".md":
            (root / path.name).parent.mkdir(parents=True, exist_ok=True)
            (root / path.name).write_bytes(path.read_bytes())
    for name, text in EXTRA.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    with open_store(folder / "c.db", write=True, create=True) as opened:
        ingest(opened, [root])
        yield opened


def paths(store: Store, text: str, **filters: object) -> list[str]:
    found = search(store, SearchQuery(text, "lexical", filters=SearchFilters(**filters)))  # pyright: ignore[reportArgumentType]
    return [hit.doc_path for hit in found.hits]


def test_a_hit_cites_the_lines_it_quotes(store: Store) -> None:
    for query in ("too many connections", "환율표가 비었는지", "safe to repeat", "frobnicate", "shipment rejected"):
        hit = search(store, SearchQuery(query, "lexical")).hits[0]
        cited = hit.citation
        where = cited.uri.partition("#L")[2].split("-L")
        lines = (sample_root(store) / hit.doc_path).read_text(encoding="utf-8").split("\n")
        quoted = "\n".join(lines[int(where[0]) - 1 : int(where[-1])])
        for start, end in hit.matched:
            assert hit.snippet[start:end].casefold() in quoted.casefold()
        assert hit.matched


def sample_root(store: Store) -> Path:
    return Path(str(store.con.execute("SELECT root FROM sources").fetchall()[0][0]))


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("환율", "checkout-postmortem.md"),
        ("연결", "database-care.md"),
        ("결제모듈", "deep/er/nfd.md"),
        ("모듈", "deep/er/nfd.md"),
        ("jittered RETRIES", "http-client.md"),
        ("tagging a tag", "release-checklist.md"),
        ("ERROR 2031", "log.txt"),
        ("okapi", " odd name [1].md"),
        ("NODE_EXTRA_CA_CERTS", "http-client.md"),
    ],
)
def test_words_are_found_in_both_languages_and_inside_longer_ones(store: Store, query: str, first: str) -> None:
    assert paths(store, query)[0] == first


@pytest.mark.parametrize(
    "query", ['"', "a AND (", "NEAR(x y)", "heading_path : x", "* ^ -", "\x00", "' OR 1=1 --", "%"]
)
def test_syntax_is_no_syntax(store: Store, query: str) -> None:
    search(store, SearchQuery(query, "lexical"))


def test_equal_scores_are_ordered_by_path_and_every_run_alike(store: Store) -> None:
    first = search(store, SearchQuery("zebra", "lexical"))
    twins = [hit for hit in first.hits if hit.doc_path.startswith("twin")]
    assert [hit.doc_path for hit in twins] == ["twin-a.md", "twin-b.md"]
    assert twins[0].score == twins[1].score
    assert search(store, SearchQuery("zebra", "lexical")).hits == first.hits


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({"tags_any": ("payments", "none")}, {"checkout-postmortem.md"}),
        ({"lang": "ko", "path_glob": "*.md"}, {"checkout-postmortem.md", "database-care.md", "tests-that-hold.md"}),
        ({"path_glob": "deep/**"}, {"deep/er/nfd.md"}),
        ({"path_glob": "*/nfd.md", "until": "2001-01-01"}, "path"),
        ({"code_lang": "python"}, {"tool.py"}),
        ({"doc": "log.txt"}, {"log.txt"}),
        ({"trust_min": "primary", "doc": "log.txt"}, {"log.txt"}),
        ({"source": "nowhere"}, "source"),
        ({"until": "2001-01-01"}, set()),
        ({"repo": "nobody"}, "repository"),
    ],
)
def test_filters_are_part_of_the_query(store: Store, filters: dict[str, object], wanted: set[str] | str) -> None:
    """Where no document can pass one of them (a text in `wanted`), it is named."""
    asked = "결제 데이터베이스 테스트 노트 frobnicate path shipment retry"
    query = SearchQuery(asked, "lexical", 50, SearchFilters(**filters))  # pyright: ignore[reportArgumentType]
    if isinstance(wanted, str):
        with pytest.raises(Fault, match=wanted):
            search(store, query)
        return
    found = search(store, query)
    got = {hit.doc_path for hit in found.hits}
    if "lang" in filters:
        assert wanted <= got <= wanted | {"deep/er/nfd.md"}
    else:
        assert got == wanted
    assert found.trace[0].stage == "filters"
    if not wanted:
        assert found.hint


def test_a_filter_is_never_applied_to_the_answer_alone(store: Store) -> None:
    """One hit a page: the filtered document comes although dozens of others rank before it."""
    found = search(store, SearchQuery("결제 zebra the words", "lexical", 1, SearchFilters(path_glob="log.txt")))
    assert [hit.doc_path for hit in found.hits] in ([], ["log.txt"])
    assert search(store, SearchQuery("the next line", "lexical", 1, SearchFilters(doc="log.txt"))).hits


def test_pages_join_into_the_whole(store: Store) -> None:
    whole = [hit.chunk_id for hit in search(store, SearchQuery("결제 데이터베이스 테스트 release", "lexical", 20)).hits]
    pages: list[str] = []
    cursor = None
    while True:
        page = search(store, SearchQuery("결제 데이터베이스 테스트 release", "lexical", 3, cursor=cursor))
        pages += [hit.chunk_id for hit in page.hits]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert pages[: len(whole)] == whole
    assert len(set(pages)) == len(pages)


def test_a_cursor_is_of_its_question_and_of_its_library(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    for name in "abc":
        (root / f"{name}.md").write_text(f"# {name}\n\nquagga {name}\n")
    with open_store(tmp_path / "c.db", write=True, create=True) as own:
        ingest(own, [root])
        cursor = search(own, SearchQuery("quagga", "lexical", 1)).next_cursor
        assert cursor
        with pytest.raises(Fault, match="another query"):
            search(own, SearchQuery("zebra", "lexical", 1, cursor=cursor))
        with pytest.raises(Fault, match="invalid cursor"):
            search(own, SearchQuery("quagga", "lexical", 1, cursor="!!"))
        (root / "d.md").write_text("# d\n\nquagga d\n")
        ingest(own, [root])
        with pytest.raises(Fault) as caught:
            search(own, SearchQuery("quagga", "lexical", 1, cursor=cursor))
    assert caught.value.details["reason"] == "stale_cursor"


def test_the_budget_leaves_hits_out_and_says_so(store: Store) -> None:
    asked = SearchQuery("결제 데이터베이스 테스트", "lexical")
    whole = search(store, asked)
    for tokens in (1_000, 2_000, 3_000):
        found = search(store, replace(asked, max_tokens=tokens))
        assert 1 <= len(found.hits) < len(whole.hits)
        assert found.truncated
        assert json_bytes(found) <= 3 * tokens
        more = replace(whole, hits=whole.hits[: len(found.hits) + 1], next_cursor=found.next_cursor)
        assert json_bytes(more) > 3 * tokens, "there was room for another one"
        rest = search(store, replace(asked, cursor=found.next_cursor))
        assert rest.hits[0].chunk_id == whole.hits[len(found.hits)].chunk_id
    tight = search(store, replace(asked, max_tokens=1))
    assert len(tight.hits) == 1, "one hit there is always"


@pytest.mark.parametrize(
    "query",
    [SearchQuery("  \n"), SearchQuery("x", k=0), SearchQuery("x", k=999), SearchQuery("x", snippet_chars=3),
     SearchQuery("x", filters=SearchFilters(since="yesterday"))],
)  # fmt: skip
def test_what_asks_for_nothing_is_refused(store: Store, query: SearchQuery) -> None:
    with pytest.raises(Fault) as caught:
        search(store, query)
    assert caught.value.code == "invalid_input"


def test_an_empty_library_and_none_at_all_say_so(tmp_path: Path) -> None:
    assert search_library(tmp_path / "no.db", SearchQuery("x"), None).hint == EMPTY
    with opened_search(tmp_path / "no.db", None) as answer:
        found = search_bulk(answer, [SearchQuery("x"), SearchQuery(" ")])
    assert [one.response and one.response.hint for one in found.results] == [EMPTY, None]
    assert not (tmp_path / "no.db").exists()
    with open_store(tmp_path / "c.db", write=True, create=True) as empty:
        assert "empty" in (search(empty, SearchQuery("x")).hint or "")


def test_bulk_keeps_a_fault_with_its_query(store: Store) -> None:
    like = SearchQuery("", "lexical", 2)
    given = [
        query_of({"query": "zebra"}, like),
        query_of({"query": " "}, like),
        query_of({"query": "환율", "k": 1}, like),
    ]
    found = search_bulk(lambda one: search(store, one), [*given, Fault("invalid_input", "no JSON"), *([like] * 100)])
    assert [bool(one.response) for one in found.results[:4]] == [True, False, True, False]
    assert found.summary.total == 104
    assert "more than 100" in (found.results[-1].error or pytest.fail("no fault")).message
    for wrong in ({}, {"query": "x", "k": "3"}, {"query": "x", "mode": "fuzzy"}, {"query": "x", "tags_any": "a"}):
        with pytest.raises(Fault):
            query_of(wrong, like)


def test_explained_the_trace_holds_the_list(store: Store) -> None:
    found = search(store, SearchQuery("환율", "hybrid", explain=True))
    step = next(step for step in found.trace if step.stage == "lexical")
    assert [one.reason for one in step.steps] == [hit.citation.uri for hit in found.hits]
    assert found.mode == "lexical"
    assert "Keyword search only" in (found.hint or "")


def test_a_citation_leads_back_to_its_passage(store: Store) -> None:
    hit = search(store, SearchQuery("멱등 키", "lexical")).hits[0]
    cited = inspect(store.con, hit.citation.uri)
    assert isinstance(cited, ChunkInspection)
    assert cited.chunk_id == hit.chunk_id
    assert isinstance(cited.citation, LineCitation)
    whole = inspect(store.con, hit.doc_path)
    assert isinstance(whole, DocInspection)
    assert hit.chunk_id in [one.chunk_id for one in whole.chunks]
    json.dumps(to_wire(whole))
    with pytest.raises(Fault):
        inspect(store.con, "nowhere.md#L3")


def test_documents_are_listed_page_by_page(store: Store) -> None:
    first = list_documents(store.con, limit=4)
    second = list_documents(store.con, limit=100, after=first.next)
    names = [one.doc_path for one in (*first.documents, *second.documents)]
    assert names == sorted(names)
    assert len(names) == first.total == second.total
    assert list_documents(store.con, SearchFilters(tags_any=("release",))).total == 1


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [("*.md", "a/b/c.md", True), ("a/*.md", "a/b/c.md", False), ("a/**/*.md", "a/c.md", True),
     ("a/?.md", "a/c.md", True), ("a/[x].md", "a/[x].md", True), ("A.md", "a.md", False), ("**", "a/b", True)],
)  # fmt: skip
def test_globs(glob: str, path: str, fits: bool) -> None:
    assert path_fits(glob)(path) == fits


@given(st.text("a/*?b", max_size=9), st.text("ab/", max_size=12))
def test_a_glob_of_many_stars_fits_what_its_pattern_would(glob: str, path: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filters, "_STARS", 99)
        by_pattern = path_fits(glob)(path)
        patch.setattr(filters, "_STARS", -1)
        assert path_fits(glob)(path) == by_pattern


@pytest.mark.parametrize("glob", ["*a" * 30 + "b", "**/" * 30 + "b", "**a" * 30 + "b", "a*/" * 30 + "*?b"])
def test_no_glob_takes_for_ever(glob: str) -> None:
    assert not path_fits(glob)("a" * 200)
    assert not path_fits(glob)("a/" * 200)
    assert path_fits(glob)(glob.replace("*", "").replace("?", "a"))


def test_meaning_is_searched_once_passages_are_embedded(
    store: Store, minilm_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "casebook"
    cache.mkdir()
    minilm_folder.parent.mkdir(parents=True, exist_ok=True)
    (cache / "models").symlink_to(minilm_folder.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    settings = EmbeddingSettings(model="all-MiniLM-L6-v2", service=False)
    report = embed_passages(store.path, settings)
    assert report.embedded + report.copied == store.con.execute("SELECT count(*) FROM chunks").fetchall()[0][0]
    with open_store(store.path) as reading, model_search(settings) as vectors:
        both = search(reading, SearchQuery("avoid a thundering herd with exponential backoff", explain=True), vectors)
        assert both.mode == "hybrid"
        assert both.hits[0].citation.uri.startswith("http-client.md#")
        assert both.hits[0].retrieval.vector_rank is not None
        assert {hit.score_kind for hit in both.hits} == {"rrf"}
        assert all(0 < hit.score <= 1 for hit in both.hits)
        only = SearchFilters(path_glob="release*")
        near = search(reading, SearchQuery("put the former version back", "vector", filters=only), vectors)
        assert {hit.doc_path for hit in near.hits} == {"release-checklist.md"}
        korean = search(reading, SearchQuery("결제 장애의 원인"), vectors)
        assert korean.mode == "lexical"
        assert "Korean" in (korean.hint or "")
    for name in "uvwxyz":
        (sample_root(store) / f"new-{name}.md").write_text(f"# New\n\nretries of {name}\n", encoding="utf-8")
    ingest(store, [sample_root(store)])
    with open_store(store.path) as reading, model_search(settings) as vectors:
        early = search(reading, SearchQuery("avoid a thundering herd with exponential backoff"), vectors)
        assert (early.mode, early.hits[0].citation.uri) == ("hybrid", both.hits[0].citation.uri)
        assert early.hits[0].retrieval.vector_rank is not None
        assert early.hint == "Passages without an embedding, found by keywords only: 6. Run: casebook library embed"
        assert both.hint is None
        found = search(reading, SearchQuery("retries of u"), vectors)
        waits = found.hits[0]
        assert (waits.doc_path, waits.retrieval.vector_rank, waits.score) == ("new-u.md", None, 1.0)
        assert "passages are embedded" in str(why_hit(waits, found.trace).steps[-1].reason)
        assert search(reading, SearchQuery("avoid a thundering herd", "vector"), vectors).hits
