"""A question is answered by prose before tests and change logs; a name or a word or two finds them as before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.flows.ingest.api import ingest
from core.library.search.api import SearchQuery, search
from core.library.search.hybrid import is_companion, why_hit
from core.store import Store, open_store

FILES = {
    "docs/guide.md": "# Guide\n\nA custom migration is an operation that a project writes by itself.\n",
    "tests/test_migration.py": 'def test_a_custom_migration():\n    """a custom migration operation of a project"""\n',
    "CHANGELOG.md": "# Changes\n\nA custom migration operation of a project no longer fails.\n",
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Store]:
    for name, text in FILES.items():
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).write_text(text, encoding="utf-8")
    with open_store(tmp_path / "casebook.db", create=True) as store:
        ingest(store, [tmp_path / "project"])
        yield store


def test_prose_comes_first_for_a_question_and_the_hit_says_why(library: Store) -> None:
    found = search(library, SearchQuery("how do I write a custom migration operation of my project"))
    assert found.hits[0].doc_path.endswith("guide.md")
    assert len(found.hits) == 3
    assert any(step.stage == "prose" for step in found.trace)
    behind = found.hits[1]
    assert behind.score == pytest.approx((behind.retrieval.lexical_score or 0) / 2)
    assert "counts half" in str(why_hit(behind).steps[-1].reason)
    assert all("half" not in str(step.reason) for step in why_hit(found.hits[0]).steps)


def test_words_alone_and_a_name_are_ranked_as_before(library: Store) -> None:
    for text in ("migration operation", "test_a_custom_migration"):
        both = [search(library, SearchQuery(text, mode)).hits for mode in ("hybrid", "lexical")]
        assert [hit.doc_path for hit in both[0]] == [hit.doc_path for hit in both[1]]
        assert [hit.score for hit in both[0]] == [hit.score for hit in both[1]]


@pytest.mark.parametrize(
    ("path", "companion"),
    [
        ("tests/a.py", True), ("pkg/test/a.go", True), ("a/test_x.py", True), ("a/x_test.go", True),
        ("web/x.spec.ts", True), ("CHANGELOG.md", True), ("docs/changes/1.0.rst", True), ("NEWS", True),
        ("docs/testing.md", False), ("docs/contest.md", False), ("latest/a.md", False),
        ("docs/history.of.art.md", False),
        ("attest_x.md", False), ("newsletter.md", False), ("src/changes.rs.md", False),
    ],
)  # fmt: skip
def test_what_is_a_test_or_a_change_log(path: str, companion: bool) -> None:
    assert is_companion(path) is companion


def test_a_last_word_that_stands_whole_is_not_taken_for_a_half_typed_one(library: Store) -> None:
    typed = [search(library, SearchQuery(text, prefix_last=True)) for text in ("a custom migration", "a custom migra")]
    assert [hit.chunk_id for hit in typed[0].hits] == [
        hit.chunk_id for hit in search(library, SearchQuery("a custom migration")).hits
    ]
    assert "migra" in typed[1].hits[0].words
    lexical = [next(step for step in one.trace if step.stage == "lexical") for one in typed]
    assert "*" not in str(lexical[0].fact("match"))
    assert "*" in str(lexical[1].fact("match"))
