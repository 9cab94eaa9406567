"""A file that says otherwise today than when it was read: the answer that cites it says so, and nothing raises."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.config.settings import LlmSettings
from core.flows.ask.api import AskOptions, ask
from core.flows.ingest.api import ingest
from core.library.ask.answer import Answer
from core.library.ask.store import with_files
from core.llm.factory import language_model
from core.store import Store, open_store
from tests.core.llm.llm_server import Reply, Server, llm_server

NOTE = "# Backup\n\n## Keeping\n\nThe backup is kept for thirty days.\n"
SAYS = "The backup is kept for thirty days [1]."
LONG_AGO = time.time() - 3600


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A library of one note, which was written long before it was read."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "backup.md").write_text(NOTE, encoding="utf-8")
    os.utime(tmp_path / "notes" / "backup.md", (LONG_AGO, LONG_AGO))
    with open_store(tmp_path / "c.db", create=True) as store:
        ingest(store, [tmp_path / "notes"])
        yield store


@pytest.fixture
def server() -> Iterator[Server]:
    with llm_server([Reply((SAYS,))] * 3) as server:
        yield server


def asked(store: Store, server: Server) -> Answer:
    model = language_model(LlmSettings(endpoint=server.endpoint, model="tiny"))
    return ask(store, "How long is the backup kept?", AskOptions(), model, None)


def rewritten(note: Path) -> None:
    note.write_text(NOTE.replace("thirty", "ninety"), encoding="utf-8")


def of_the_same_size(note: Path) -> None:
    note.write_text(NOTE.replace("thirty", "forty "), encoding="utf-8")
    os.utime(note, (LONG_AGO + 1, LONG_AGO + 1))


def a_pipe(note: Path) -> None:
    note.unlink()
    os.mkfifo(note)


def a_folder(note: Path) -> None:
    note.unlink()
    note.mkdir()


def a_loop(note: Path) -> None:
    note.unlink()
    note.symlink_to(note)


def without_its_folder(note: Path) -> None:
    note.unlink()
    note.parent.rmdir()
    note.parent.write_text("a file")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (rewritten, "changed"),
        (of_the_same_size, "changed"),
        (Path.unlink, "gone"),
        (a_pipe, "gone"),
        (a_folder, "gone"),
        (without_its_folder, "gone"),
        (a_loop, None),
        (Path.touch, None),
    ],
)
def test_an_answer_tells_what_became_of_the_file_it_cites(
    store: Store, server: Server, tmp_path: Path, change: Callable[[Path], object], told: str | None
) -> None:
    assert [one.since_read for one in asked(store, server).citations] == [None]
    change(tmp_path / "notes" / "backup.md")
    answer = asked(store, server)
    assert answer.grounded, "the passage says so"
    assert [one.since_read for one in answer.citations] == [told]
    assert [one.marker for one in answer.outdated] == ([] if told is None else ["[1]"])
    assert not answer.citations[0].citation.stale, "that tells how long ago it was read"


def test_an_old_answer_tells_that_its_file_was_read_again_since(store: Store, server: Server, tmp_path: Path) -> None:
    answer = asked(store, server)
    rewritten(tmp_path / "notes" / "backup.md")
    ingest(store, [tmp_path / "notes"])
    assert [one.since_read for one in with_files(store.con, [answer])[0].citations] == ["changed"]
    assert asked(store, server).citations[0].since_read is None


def test_what_no_library_has_is_gone_and_hostile_paths_raise_nothing(store: Store, server: Server) -> None:
    answer = asked(store, server)
    (cited,) = answer.citations
    for path in ("nowhere.md", "../../etc/passwd", "a\x1b[2J.md", "가\u202e.md", "x" * 5_000):
        moved = replace(cited, citation=replace(cited.citation, path=path))
        (found,) = with_files(store.con, [replace(answer, citations=(moved,))])
        assert found.citations[0].since_read == "gone"
