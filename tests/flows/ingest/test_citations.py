"""A citation follows its words through edits, and lets go of them where they say something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.flows.ingest.api import ingest
from core.library.citations.store import Anchored, StoredCitation, anchored, citations_of, cite
from core.library.search.api import SearchQuery, search
from core.store import Store, open_store, undo

NOTE = """# Care

## Backups

Backups are kept for thirty days and tested once a quarter.

## Locks

A migration never takes a lock for longer than two seconds. 긴 트랜잭션은 나누어 실행한다.
"""


@dataclass(frozen=True, slots=True)
class Desk:
    """A library of one note and the citation of its passage about locks."""

    store: Store
    root: Path
    kept: StoredCitation

    def edited(self, change: Callable[[str], str], name: str = "care.md") -> Anchored:
        text = (self.root / "care.md").read_text(encoding="utf-8")
        (self.root / "care.md").unlink()
        if text := change(text):
            (self.root / name).write_text(text, encoding="utf-8")
        ingest(self.store, [self.root])
        return anchored(self.store.con, self.kept)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "care.md").write_text(NOTE, encoding="utf-8")
    (root / "other.md").write_text("# Other\n\nNothing to see here.\n", encoding="utf-8")
    with open_store(tmp_path / "c.db", write=True, create=True) as store:
        ingest(store, [root])
        hit = search(store, SearchQuery("migration lock", "lexical")).hits[0]
        yield Desk(store, root, cite(store, "resolution", "7", hit.citation.uri, "me"))


def test_it_quotes_the_passage_without_its_heading(desk: Desk) -> None:
    assert desk.kept.quote.startswith("A migration never takes")
    assert desk.kept.heading_path[-1] == "Locks"
    assert cite(desk.store, "resolution", "7", desk.kept.uri, "me") == desk.kept
    assert citations_of(desk.store, "resolution", "7") == (desk.kept,)
    assert anchored(desk.store.con, desk.kept).status == "attached"


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        (lambda text: text.replace("## Backups", "A new line.\n\n## Backups"), "moved", "at a different location"),
        (lambda text: text + "\nAnd one more sentence below.\n", "attached", "at the same location"),
        (lambda text: text.replace("## Locks", "## Locking"), "attached", "at the same location"),
        (lambda text: text.replace("never takes", "takes"), "detached", "the cited text changed"),
        (lambda text: text.replace("two seconds", "ten seconds"), "detached", "the cited text changed"),
        (lambda text: text.partition("## Locks")[0], "detached", "no longer in the document"),
        (lambda text: "", "detached", "no longer in the library"),
    ],
)  # fmt: skip
def test_it_follows_its_words(desk: Desk, change: Callable[[str], str], status: str, said: str) -> None:
    found = desk.edited(change)
    assert found.status == status
    assert said in found.reason
    if status == "moved":
        assert found.citation is not None
        assert found.citation.uri != desk.kept.uri
    if said == "the cited text changed":
        assert found.changed


def test_it_follows_a_file_that_was_renamed(desk: Desk) -> None:
    found = (
        desk.edited(lambda text: text, "guide/care-and-feeding.md") if (desk.root / "guide").mkdir() is None else None
    )
    assert found is not None
    assert found.status == "moved"
    assert found.citation is not None
    assert found.citation.path == "guide/care-and-feeding.md"


def test_of_equal_places_the_one_with_its_heading_is_taken(desk: Desk) -> None:
    twin = "\n## Also\n\n" + desk.kept.quote + "\n"
    found = desk.edited(lambda text: text.replace("## Backups", twin.strip() + "\n\n## Backups"))
    assert found.status == "moved"
    assert found.citation is not None
    text = (desk.root / "care.md").read_text(encoding="utf-8")
    line = int(found.citation.uri.partition("#L")[2].partition("-")[0])
    assert text.split("\n")[line - 1] == "## Locks"


def test_citing_can_be_undone_and_refuses_what_is_not_there(desk: Desk) -> None:
    undo(desk.store, "me")
    assert citations_of(desk.store, "resolution", "7") == ()
    with pytest.raises(Fault):
        cite(desk.store, "note", "1", "care.md#L900", "me")
    with pytest.raises(Fault):
        cite(desk.store, "note", "1", desk.kept.uri, "me", quote="words nobody wrote")
