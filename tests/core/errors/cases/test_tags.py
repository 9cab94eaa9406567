"""Tags find their cases: by words, by filter, and in every form that goes out and comes back."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import Filters, count_cases, list_cases, show_case
from core.errors.cases.browse import browse, facets
from core.errors.cases.resolutions import answering
from core.errors.curation.decisions import Saved, edit, rename_tag
from core.errors.curation.history import whole_history
from core.errors.curation.transaction import SeenVersion, Written
from core.errors.exchange.case_export import export_cases, export_fixes
from core.errors.exchange.case_import import import_cases
from core.store import Store, open_store, undo
from tests.tui.support import CASES, put

KOREAN = "디스크"
DECOMPOSED = unicodedata.normalize("NFD", KOREAN)


def tag(store: Store, case_id: int, *tags: str, fix: str = "Install it.", status: Saved = "verified") -> None:
    """Write a fix with tags, as a person does."""
    current = answering(store.con, case_id)
    edit(store, "mina", [SeenVersion(case_id, current.id if current else None)], Written(fix, tags=tags), status=status)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Three cases, the first of which has a fix with two tags, the Korean one typed in parts."""
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        for raw, tool, fix, status, seen, last in CASES[:3]:
            put(store, raw, tool, fix, status, seen, last)
        tag(store, 1, "disk", DECOMPOSED)
        yield store


def test_a_tag_finds_its_case_by_words_in_whole_and_half(store: Store) -> None:
    for asked in ("disk", "di", KOREAN, "디스", DECOMPOSED):
        assert [hit.id for hit in browse(store, asked)] == [1], asked


@pytest.mark.parametrize("name", ["disk", KOREAN, DECOMPOSED])
def test_a_tag_lists_its_cases(store: Store, name: str) -> None:
    assert [case.id for case in list_cases(store, Filters(tag=name)).cases] == [1]
    assert count_cases(store, Filters(tag=name)) == 1
    assert browse(store, "error", filters=Filters(tag=name, status="draft")) == ()


def test_a_tag_of_a_fix_that_was_replaced_is_gone(store: Store) -> None:
    tag(store, 1, "yaml")
    assert count_cases(store, Filters(tag="disk")) == 0
    assert [facet.value for facet in facets(store, Filters()).tags] == ["yaml"]


def test_tags_are_counted_as_the_other_filters_are(store: Store) -> None:
    tag(store, 2, KOREAN, status="draft")
    found = facets(store, Filters())
    assert [(facet.value, facet.cases) for facet in found.tags] == [(KOREAN, 2), ("disk", 1)]
    assert [facet.value for facet in facets(store, Filters(status="draft")).tags] == [KOREAN]
    tagged = facets(store, Filters(tag="disk"))
    assert [(facet.value, facet.cases) for facet in tagged.tools] == [("python", 1)]
    assert len(tagged.tags) == 2, "another tag can be picked instead"


@pytest.mark.parametrize(("form", "suffix"), [("jsonl", "jsonl"), ("csv", "csv")])
def test_tags_go_out_with_every_case_and_come_back(store: Store, tmp_path: Path, form: str, suffix: str) -> None:
    file = tmp_path / f"cases.{suffix}"
    file.write_text("".join(export_cases(store, form)), encoding="utf-8")  # pyright: ignore[reportArgumentType]
    with open_store(tmp_path / "other.db", write=True, create=True) as other:
        import_cases(other, file)
        case = show_case(other, list_cases(other, Filters(tag=KOREAN)).cases[0].id)
    assert case is not None
    assert next(one.tags for one in case.resolutions if one.current) == ("disk", KOREAN)


def test_the_markdown_of_cases_names_the_tags(store: Store) -> None:
    assert f"tags `disk`, `{KOREAN}`" in "".join(export_cases(store, "markdown"))


@pytest.mark.parametrize(("form", "suffix"), [("jsonl", "jsonl"), ("csv", "csv"), ("markdown", "md")])
def test_tags_of_verified_fixes_come_back(store: Store, tmp_path: Path, form: str, suffix: str) -> None:
    file = tmp_path / f"fixes.{suffix}"
    file.write_text("".join(export_fixes(store, form)), encoding="utf-8")  # pyright: ignore[reportArgumentType]
    with open_store(tmp_path / "other.db", write=True, create=True) as other:
        import_cases(other, file)
        assert count_cases(other, Filters(tag=KOREAN)) == 1


def test_a_filter_by_tag_ignores_capitals_and_counts_both_spellings_once(store: Store) -> None:
    tag(store, 2, "Disk")
    tag(store, 3, "disk", "DISK")
    assert count_cases(store, Filters(tag="dISk")) == 3
    assert [(one.value, one.cases) for one in facets(store, Filters()).tags] == [("disk", 3), (KOREAN, 1)]


def test_a_tag_is_renamed_in_every_fix_as_one_change_that_can_be_undone(store: Store) -> None:
    tag(store, 2, "Disk", "network")
    done = rename_tag(store, "mina", "DISK", " network ")
    assert done.cases == (1, 2)
    assert count_cases(store, Filters(tag="disk")) == 0
    assert [(one.value, one.cases) for one in facets(store, Filters()).tags] == [("network", 2), (KOREAN, 1)]
    assert sorted(hit.id for hit in browse(store, "network")) == [1, 2]
    (newest,) = whole_history(store, 1).changes
    assert any(line.endswith("tags network") for line in newest.what)
    undo(store, "mina")
    assert count_cases(store, Filters(tag="disk")) == 2
    with pytest.raises(Fault, match="no fix has the tag netwrok") as refused:
        rename_tag(store, "mina", "netwrok", "other")
    assert refused.value.hint == f"pass one of the tags in use: network, disk, {KOREAN}", "the most similar first"
    with pytest.raises(Fault, match="the new tag is empty"):
        rename_tag(store, "mina", "disk", "  ")
