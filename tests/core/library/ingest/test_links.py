"""Links out of an ingested folder: not followed, named, allowed by an option; what came by one earlier is taken out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.flows.ingest.api import ingest
from core.flows.ingest.single import ingest_stdin
from core.library.documents.opened import open_document
from core.library.documents.rows import Source
from core.library.ingest.options import IngestOptions
from core.library.ingest.prepare import Refusal, Task, prepare
from core.library.ingest.report import last_run
from core.library.ingest.walk import LINK_OUT, GitFacts, WalkOptions, walk
from core.store import Store
from tests.core.library.ingest.support import ALPHA, Put, counts, found, rows, whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
SECRET = "# Secret\n\nThe zebra password is elsewhere.\n"


@pytest.fixture(autouse=True)
def _whole(library: Store) -> Iterator[None]:
    yield
    whole(library)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the root, whose name begins like it."""
    folder = tmp_path / "notes-of-others"
    folder.mkdir()
    (folder / "far.md").write_text(SECRET)
    (folder / "deep").mkdir()
    (folder / "deep" / "more.md").write_text(SECRET + "more\n")
    return folder


def paths(library: Store) -> list[object]:
    return [row[0] for row in rows(library, "SELECT workspace_path FROM documents ORDER BY 1")]


def link_all(notes: Path, outside: Path) -> None:
    """One link of each kind: absolute, relative by `..`, a chain, a folder, a folder in a folder."""
    (notes / "absolute.md").symlink_to(outside / "far.md")
    (notes / "relative.md").symlink_to(Path("..") / outside.name / "far.md")
    (notes / "chain.md").symlink_to(notes / "hop.md")
    (notes / "hop.md").symlink_to(outside / "far.md")
    (notes / "folder").symlink_to(outside)
    (notes / "sub").mkdir()
    (notes / "sub" / "deep").symlink_to(Path("..") / ".." / outside.name / "deep")


LINKS = ["absolute.md", "chain.md", "folder", "hop.md", "relative.md", "sub/deep"]


def test_a_link_out_of_the_folder_is_left_out_and_named(library: Store, notes: Path, outside: Path, put: Put) -> None:
    put("a.md", ALPHA)
    link_all(notes, outside)
    report = ingest(library, [notes])
    assert counts(report) == {"new": 1, "skipped": 6}
    assert report.skipped_other == {LINK_OUT: 6}
    assert sorted(one.doc_path for one in report.items or () if one.kind == "skipped") == LINKS
    assert list(report.skip_examples[LINK_OUT]) == LINKS[:5]
    assert paths(library) == ["a.md"]
    assert found(library, "zebra") == set()


def test_follow_links_allows_it_and_the_next_run_without_takes_it_out_and_names_it(
    library: Store, notes: Path, outside: Path, put: Put
) -> None:
    put("a.md", ALPHA)
    (notes / "folder").symlink_to(outside)
    (notes / "gone.md").write_text("# Gone\n\nsoon\n")
    ingest(library, [notes], IngestOptions(follow_links=True))
    assert paths(library) == ["a.md", "folder/deep/more.md", "folder/far.md", "gone.md"]
    (notes / "gone.md").unlink()
    report = ingest(library)
    assert counts(report) == {"removed": 3, "skipped": 1, "unchanged": 1}
    assert (report.removed_links, report.removed_link_examples) == (2, ("folder/deep/more.md", "folder/far.md"))
    why = {one.doc_path: one.error for one in report.items or () if one.kind == "removed"}
    assert why["folder/far.md"] == "reached by a link that points outside the folder"
    assert why["gone.md"] == "the file no longer exists"
    assert found(library, "zebra") == set()
    kept = last_run(library.con)
    assert kept is not None
    assert kept[0].removed_link_examples == report.removed_link_examples
    assert ingest(library).removed_links == 0


def test_links_within_the_folder_stay_as_they_are_and_the_root_may_be_one(
    library: Store, tmp_path: Path, notes: Path, put: Put
) -> None:
    put("z/real.md", ALPHA)
    put("hidden/inner.md", SECRET)
    put(".gitignore", "hidden/\n")
    (notes / "a-link.md").symlink_to(notes / "hidden" / "inner.md")
    (notes / "loop").symlink_to(notes)
    (notes / "self").symlink_to(notes / "self")
    root = tmp_path / "root-link"
    root.symlink_to(notes)
    report = ingest(library, [root])
    assert paths(library) == ["a-link.md", "z/real.md"]
    assert LINK_OUT not in report.skipped_other


def test_a_link_out_that_is_ignored_anyway_is_counted_as_that(notes: Path, outside: Path, put: Put) -> None:
    put(".gitignore", "result\n")
    (notes / "result").symlink_to(outside)
    (notes / "nowhere.md").symlink_to(outside / "absent.md")
    left = {one.relative: one.reason for one in walk(notes, WalkOptions()).left}
    assert left == {".gitignore": "builtin_blacklist", "result": "gitignore", "nowhere.md": "link"}


def test_a_file_that_becomes_a_link_between_the_walk_and_its_reading_is_not_read(notes: Path, outside: Path) -> None:
    (notes / "sub").mkdir()
    (notes / "sub" / "far.md").write_text("# Mine\n\nmine\n")
    source = Source("n", 0, str(notes), "", "primary", "")
    task = Task(
        str(notes / "sub" / "far.md"), "sub/far.md", "sub/far.md", "markdown", source,
        IngestOptions().policy, GitFacts(), 1 << 20, within=str(notes),
    )  # fmt: skip
    assert not isinstance(prepare(task), Refusal)
    (notes / "sub" / "far.md").unlink()
    (notes / "sub" / "far.md").symlink_to(outside / "far.md")
    assert prepare(task) == Refusal(LINK_OUT)
    (notes / "sub" / "far.md").unlink()
    (notes / "sub").rmdir()
    (notes / "sub").symlink_to(outside)  # the folder above it
    assert prepare(task) == Refusal(LINK_OUT)
    assert not isinstance(prepare(replace(task, within="")), Refusal)


def test_a_document_whose_file_became_a_link_out_shows_what_was_kept(
    library: Store, notes: Path, outside: Path, put: Put
) -> None:
    path = put("a.md", ALPHA)
    ingest(library, [notes])
    path.unlink()
    path.symlink_to(outside / "far.md")
    shown = open_document(library.con, "a.md")
    assert "a link that points outside its folder" in shown.notice
    assert "zebra" not in "\n".join(shown.lines)
    report = ingest(library)
    assert (report.removed, report.removed_link_examples) == (1, ("a.md",))


def test_a_single_text_is_not_kept_through_a_link_out(library: Store, notes: Path, outside: Path, put: Put) -> None:
    put("a.md", ALPHA)
    ingest(library, [notes])
    (notes / "_external").symlink_to(outside)
    with pytest.raises(Fault) as fault:
        ingest_stdin(library, b"# One\n\nword\n")
    assert "is a link that points outside" in fault.value.message
    assert paths(library) == ["a.md"]
    assert sorted(one.name for one in outside.iterdir()) == ["deep", "far.md"], "nothing is written there either"
