"""Ingest: what is new, edited, moved, gone, twice there; what is left out and why; events and cancelling."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import apsw
import pytest

from core.base.fault import Fault
from core.flows.ingest import batches
from core.flows.ingest.api import IngestEvent, IngestOptions, ingest
from core.flows.system.parallel import Question, Second
from core.library.chunk import MD_V2, MD_V3, SECTION_V1, ChunkPolicy
from core.library.documents.read import chunks_of, corpus_revision, document_at, sources, tags_of
from core.library.documents.rows import Source
from core.library.ingest.prepare import Outcome, Prepared, Task, from_bytes, prepare, to_bytes
from core.library.ingest.readers import media_of
from core.library.ingest.walk import GitFacts
from core.library.ingest.write import Placed
from core.library.search.fts import IndexRow
from core.process.child import Reply
from core.store import Store, jobs, open_store
from tests.core.library.ingest.support import ALPHA, Put, counts, found, rows, state, whole


@pytest.fixture(autouse=True)
def _whole(library: Store) -> Iterator[None]:
    yield
    whole(library)


def test_what_is_new_is_found_and_says_where_it_stands(library: Store, notes: Path, put: Put) -> None:
    put("guide/alpha.md", "---\ntags: [pumps, 현장]\n---\n" + ALPHA)
    put("run.log", "booting\n\nERROR the valve is stuck\n")
    assert counts(ingest(library, [notes])) == {"new": 2}
    assert found(library, "valve") == {"run.log"}
    assert found(library, 'bigrams:"펌프"') == {"guide/alpha.md"}
    document = document_at(library.con, "guide/alpha.md")
    assert document is not None
    assert (document.title, document.lang, document.source_type) == ("Alpha", "ko", "markdown")
    assert tags_of(library.con, document.doc_id) == ("pumps", "현장")
    chunks = chunks_of(library.con, document.doc_id)
    lines = (notes / "guide/alpha.md").read_text().split("\n")
    assert [(one.heading_path, one.line_start, one.line_end) for one in chunks] == [
        (("Alpha",), 4, 6),
        (("Alpha", "Stop"), 8, 10),
    ]
    assert chunks[1].text.split("\n\n")[1] == lines[9]
    assert {event["kind"] for event in json.loads(document.provenance_json)["events"]} == {
        "discovered", "parsed", "chunked", "indexed",
    }  # fmt: skip


def test_a_removed_document_says_whether_its_file_is_gone_or_skipped(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    put("b.md", ALPHA + "b\n")
    put("deep/c.md", ALPHA + "c\n")
    ingest(library, [notes])
    (notes / "a.md").unlink()
    put(".gitignore", "deep/\n")
    report = ingest(library, options=IngestOptions(exclude=("b.md",)))
    assert {one.doc_path: one.error for one in report.items or () if one.kind == "removed"} == {
        "a.md": "the file no longer exists",
        "b.md": "casebook now skips the file (casebookignore)",
        "deep/c.md": "casebook now skips the file (gitignore)",
    }


def test_a_second_run_opens_no_unchanged_file(library: Store, notes: Path, put: Put) -> None:
    path = put("a.md", ALPHA)
    ingest(library, [notes])
    revision = corpus_revision(library.con)
    stat = path.stat()
    path.write_bytes(b"x" * stat.st_size)  # of the same size and time: whoever reads it sees another content
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert counts(ingest(library, [notes])) == {"unchanged": 1}
    assert corpus_revision(library.con) == revision
    assert counts(ingest(library, [notes], IngestOptions(rehash=True))) == {"updated": 1}


def test_a_file_that_was_only_touched_stays_as_it_is(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    ingest(library, [notes])
    before = state(library), corpus_revision(library.con)
    put("a.md", ALPHA, at=1_700_000_500)
    assert counts(ingest(library, [notes])) == {"unchanged": 1}
    assert (state(library), corpus_revision(library.con)) == before


def test_an_edit_rewrites_the_ids_and_keeps_the_rows_of_words_that_stay(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    ingest(library, [notes])
    before = document_at(library.con, "a.md")
    assert before is not None
    old = chunks_of(library.con, before.doc_id)
    library.con.execute("DELETE FROM backlog")
    put("a.md", ALPHA.replace("noon", "dawn"), at=1_700_000_500)
    assert counts(ingest(library, [notes])) == {"updated": 1}
    after = document_at(library.con, "a.md")
    assert after is not None
    new = chunks_of(library.con, after.doc_id)
    assert after.doc_version == 2
    assert after.doc_id != before.doc_id
    assert not {one.chunk_id for one in old} & {one.chunk_id for one in new}
    assert new[1].id == old[1].id
    assert new[0].id not in {one.id for one in old}
    assert rows(library, "SELECT item_id FROM backlog WHERE kind = 'chunk'") == [(new[0].id,)]
    assert (found(library, "noon"), found(library, "dawn")) == (set(), {"a.md"})


def test_passages_of_an_older_chunker_stay_until_they_are_asked_for_anew(library: Store, notes: Path, put: Put) -> None:
    put("a.md", "# Guide\n\n## Limits\n\nAt most 3 bar.\n")
    put("b.rst", "Guide\n=====\n\nStart it.\n")
    ingest(library, [notes], IngestOptions(chunker_version=MD_V2))
    before = state(library)
    assert counts(ingest(library, [notes])) == {"unchanged": 2}
    assert counts(ingest(library, [notes], IngestOptions(rehash=True))) == {"unchanged": 2}
    assert state(library) == before
    assert counts(ingest(library, [notes], IngestOptions(rechunk=True))) == {"updated": 2}
    assert rows(library, "SELECT DISTINCT chunker_version FROM chunks ORDER BY 1") == [(MD_V3,), (SECTION_V1,)]
    put("a.md", "# Guide\n\n## Limits\n\nAt most 4 bar.\n", at=1_700_000_500)
    assert counts(ingest(library, [notes])) == {"updated": 1, "unchanged": 1}


def test_a_new_title_is_found_though_no_passage_changed(library: Store, notes: Path, put: Put) -> None:
    put("a.md", "---\ntitle: Harbour\n---\n\nships wait\n")
    ingest(library, [notes])
    assert found(library, "harbour") == {"a.md"}
    put("a.md", "---\ntitle: Airport\n---\n\nships wait\n", at=1_700_000_500)
    ingest(library, [notes])
    assert (found(library, "harbour"), found(library, "airport")) == (set(), {"a.md"})


def test_a_moved_file_keeps_its_passages(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    ingest(library, [notes])
    ids = rows(library, "SELECT id FROM chunks ORDER BY position")
    (notes / "b").mkdir()
    (notes / "a.md").rename(notes / "b" / "c.md")
    report = ingest(library, [notes])
    assert counts(report) == {"moved": 1}
    assert document_at(library.con, "a.md") is None
    assert rows(library, "SELECT id FROM chunks ORDER BY position") == ids
    assert rows(library, "SELECT workspace_path, kind, note FROM provenance_events WHERE kind = 'moved'") == [
        ("b/c.md", "moved", "from a.md")
    ]


def test_twins_do_not_evict_each_other(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    put("b.md", ALPHA)
    assert counts(ingest(library, [notes])) == {"new": 2}
    assert len(rows(library, "SELECT * FROM assets")) == 1
    (notes / "a.md").unlink()
    assert counts(ingest(library, [notes])) == {"removed": 1, "unchanged": 1}
    assert found(library, "pump") == {"b.md"}
    assert rows(library, "SELECT workspace_path FROM assets") == [("b.md",)]


def test_what_is_gone_goes_with_its_index_and_its_vectors(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    put("b.md", "# Other\n\nstays\n")
    ingest(library, [notes])
    library.con.execute("INSERT INTO vector SELECT 'chunk', id, 'm', 'r', 's', 1, x'00000000' FROM chunks")
    (notes / "a.md").unlink()
    assert counts(ingest(library, [notes])) == {"removed": 1, "unchanged": 1}
    assert found(library, "pump") == set()
    assert rows(library, "SELECT item_id FROM vector EXCEPT SELECT id FROM chunks") == []


def test_a_folder_that_is_away_keeps_its_documents(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    ingest(library, [notes])
    notes.rename(notes.with_name("away"))
    report = ingest(library)
    assert counts(report) == {"errors": 1}
    assert found(library, "pump") == {"a.md"}
    notes.with_name("away").rename(notes)
    assert counts(ingest(library)) == {"unchanged": 1}


def test_a_setting_that_shapes_passages_reads_all_again(library: Store, notes: Path, put: Put) -> None:
    put("a.md", "# T\n\n" + "\n\n".join(f"paragraph {n} says something of note" for n in range(40)))
    ingest(library, [notes])
    before = len(rows(library, "SELECT 1 FROM chunks"))
    small = IngestOptions(target_tokens=40, overlap_tokens=10)
    assert counts(ingest(library, [notes], small)) == {"updated": 1}
    assert len(rows(library, "SELECT 1 FROM chunks")) > before
    assert counts(ingest(library, [notes], small)) == {"unchanged": 1}
    assert counts(
        ingest(library, [notes], IngestOptions(target_tokens=40, overlap_tokens=10, trust_level="generated"))
    ) == {"updated": 1}
    assert rows(library, "SELECT trust_level FROM documents") == [("generated",)]


def test_what_is_left_out_is_counted_with_examples(library: Store, notes: Path, put: Put) -> None:
    put(".gitignore", "*.tmp\nskipped/\n")
    put(".casebookignore", "private.md\n")
    put("a.md", ALPHA)
    put("x.tmp", "x")
    put("skipped/y.md", "y")
    put("private.md", "p")
    put("node_modules/z.md", "z")
    put("logo.png", b"\x89PNG")
    put("uv.lock", "lock")
    put("made.py", "# Code generated by a tool. DO NOT EDIT.\nx = 1\n")
    put("bin.txt", b"abc\0def")
    put("nothing.md", " \n")
    put("c#.md", "sharp")
    put("big.txt", b"x" * (1024 * 1024 + 1))
    report = ingest(library, [notes], IngestOptions(max_file_mb=1))
    assert counts(report) == {"new": 1, "skipped": 13}
    assert report.scanned == 14
    assert report.skipped_gitignore == 2
    assert (report.skipped_casebookignore, report.skipped_generated, report.skipped_size_exceeded) == (1, 2, 1)
    assert report.skipped_builtin_blacklist == 3
    assert report.skipped_by_extension == {"png": 1}
    assert report.skipped_other == {"bad_path": 1, "binary": 1, "empty": 1, "extension": 1}
    assert report.skip_examples["gitignore"] == ("skipped/", "x.tmp")
    lines = {item.doc_path: item.error or "" for item in report.items or ()}
    assert "#" in lines["c#.md"] and "rename" in lines["c#.md"]
    assert "1,048,577 bytes" in lines["big.txt"]


def test_a_document_that_is_none_any_more_goes(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    ingest(library, [notes])
    put("a.md", b"now\0binary", at=1_700_000_500)
    assert counts(ingest(library, [notes])) == {"removed": 1, "skipped": 1}


def test_a_file_that_goes_or_changes_its_kind_meanwhile_ends_nothing(library: Store, notes: Path, put: Put) -> None:
    for name in ("a.md", "b.md", "c.md"):
        put(name, f"# {name}\n\nwords of {name}\n")

    def meddle(event: IngestEvent) -> None:
        if event.kind == "asset_started" and event.path == "a.md":
            (notes / "a.md").unlink()
            (notes / "b.md").unlink()
            (notes / "b.md").mkdir()

    report = ingest(library, [notes], on_event=meddle)
    assert counts(report) == {"errors": 2, "new": 1}
    assert {item.doc_path: item.error for item in report.items or () if item.kind == "error"} == {
        "a.md": "the file was deleted before casebook read it",
        "b.md": "cannot be read: not a regular file",
    }


def test_events_come_in_their_order_and_end_once(library: Store, notes: Path, put: Put) -> None:
    for n in range(3):
        put(f"{n}.md", f"# {n}\n\nwords\n")
    heard: list[IngestEvent] = []
    ingest(library, [notes], on_event=heard.append)
    assert [event.kind for event in heard] == [
        "scan_started", "scan_completed", *("asset_started", "asset_finished") * 3, "completed",
    ]  # fmt: skip
    assert [event.idx for event in heard if event.kind == "asset_finished"] == [1, 2, 3]
    assert heard[-1].counts is not None and heard[-1].counts.new == 3


@pytest.mark.parametrize("stop_at", [0, 1, 2, 3])
def test_cancelled_it_ends_between_two_batches_and_goes_on_later(
    library: Store, notes: Path, put: Put, stop_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_FILES", 1)
    for n in range(4):
        put(f"{n}.md", f"# {n}\n\nwords of {n}\n")
    heard: list[IngestEvent] = []

    def stop() -> bool:
        return sum(event.kind == "asset_finished" for event in heard) >= stop_at

    report = ingest(library, [notes], on_event=heard.append, cancelled=stop)
    assert report.aborted
    assert [event.kind for event in heard if event.kind in ("completed", "aborted")] == ["aborted"]
    assert heard[-1].counts is not None and heard[-1].counts.new == stop_at
    assert counts(ingest(library, [notes])) == {"new": 4 - stop_at} | ({"unchanged": stop_at} if stop_at else {})
    assert [row[0] for row in rows(library, "SELECT outcome FROM ingest_runs ORDER BY rowid")] == [
        "aborted",
        "completed",
    ]


def test_cancelled_within_a_batch_it_writes_what_was_read(library: Store, notes: Path, put: Put) -> None:
    for n in range(4):
        put(f"{n}.md", f"# {n}\n\nwords of {n}\n")
    heard: list[IngestEvent] = []
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3  # after the walk: before the third file

    report = ingest(library, [notes], on_event=heard.append, cancelled=stop)
    finished = [event.path for event in heard if event.kind == "asset_finished"]
    assert report.aborted
    assert 0 < len(finished) < 4
    assert rows(library, "SELECT workspace_path FROM documents ORDER BY 1") == [(path,) for path in finished]
    assert counts(ingest(library, [notes])) == {"new": 4 - len(finished), "unchanged": len(finished)}


def test_a_document_of_another_process_is_the_same(notes: Path, put: Put) -> None:
    text = "---\ntags: [a]\nanswer: 42\n---\n" + ALPHA + "\n```py\nx = 1\n```\n\n- one\n- two\n"
    for name, content in (("a.md", text), ("b.py", "def f():\n    return 1\n"), ("Dockerfile", "FROM a AS b\nRUN c\n")):
        path, media = put(name, content), media_of(name)
        assert media is not None
        source = Source("notes", 0, str(notes), "", "primary", "")
        made = prepare(Task(str(path), name, name, media, source, ChunkPolicy(), GitFacts(), 1 << 20))
        assert isinstance(made, Prepared) and made.chunks
        data = to_bytes(made)
        assert data is not None
        assert from_bytes(data) == made


def test_a_second_process_reads_small_files_together_and_stores_the_same(
    library: Store, notes: Path, put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(60):
        put(f"{n:02}.md", f"# {n}\n\n{f'words of {n} ' * 100}\n")
    put("20-long.md", f"# Long\n\n{'many words. ' * 4_000}\n")
    put("30-empty.md", "")
    ingest(library, [notes])
    asked: list[tuple[Task, ...]] = []
    real = Second.ask

    def ask(second: Second, question: Question) -> Reply[Any]:
        asked.append(cast("tuple[Task, ...]", question[1][0]))
        return real(second, question)

    monkeypatch.setattr(batches, "WORTH_IT", 0)
    monkeypatch.setattr(Second, "ask", ask)
    with open_store(tmp_path / "second.db", write=True, create=True) as other:
        ingest(other, [notes])
        assert state(other) == state(library)
    sizes = [[(notes / task.relative).stat().st_size for task in tasks] for tasks in asked]
    assert max(map(len, sizes)) > 10, "one question for many small files"
    assert all(sum(some) <= 32 * 1024 for some in sizes if len(some) > 1), "a large file alone"


def test_a_file_is_stored_when_it_is_reported(library: Store, notes: Path, put: Put) -> None:
    for n in range(6):
        put(f"{n}.md", f"# {n}\n\nwords of {n}\n")

    def check(event: IngestEvent) -> None:
        if event.kind == "asset_finished":
            with open_store(library.path) as other:
                assert document_at(other.con, event.path or "") is not None

    assert counts(ingest(library, [notes], on_event=check)) == {"new": 6}


def test_files_are_read_outside_of_a_transaction(
    library: Store, notes: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(6):
        put(f"{n}.md", f"# {n}\n\nwords of {n}\n")
    locked: list[bool] = []
    real = batches.prepare

    def prepare(task: Task) -> Outcome:
        locked.append(library.con.in_transaction)
        return real(task)

    monkeypatch.setattr(batches, "prepare", prepare)
    monkeypatch.setattr(batches, "MOST_FILES", 2)
    ingest(library, [notes])
    assert locked == [False] * 6


def test_a_document_that_the_store_refuses_is_lost_alone(
    library: Store, notes: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("old.md", ALPHA)
    ingest(library, [notes])
    ids = rows(library, "SELECT id FROM chunks ORDER BY position")
    (notes / "old.md").rename(notes / "a.md")
    for name in ("b.md", "bad.md", "c.md"):
        put(name, f"# {name}\n\nwords of {name}\n")
    real = batches.put_document

    def refuse(con: apsw.Connection, placed: Placed, *rest: Any) -> list[tuple[int, IndexRow]]:
        indexed = real(con, placed, *rest)
        if placed.workspace_path == "bad.md":
            raise apsw.ConstraintError("not this one")
        return indexed

    monkeypatch.setattr(batches, "put_document", refuse)
    heard: list[IngestEvent] = []
    report = ingest(library, [notes], on_event=heard.append)
    assert counts(report) == {"new": 2, "moved": 1, "errors": 1}
    assert [(event.kind, event.path) for event in heard if event.path] == [
        (kind, path) for path in ("a.md", "b.md", "bad.md", "c.md") for kind in ("asset_started", "asset_finished")
    ]
    assert rows(library, "SELECT id FROM chunks JOIN documents USING (doc_id) WHERE workspace_path = 'a.md'") == ids
    monkeypatch.undo()
    assert counts(ingest(library, [notes])) == {"new": 1, "unchanged": 3}


def test_a_run_that_somebody_cancels_stops(
    library: Store, notes: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_FILES", 1)
    for n in range(3):
        put(f"{n}.md", f"# {n}\n\nwords\n")

    def cancel(event: IngestEvent) -> None:
        running = jobs.running(library, "ingest")
        if event.kind == "asset_finished" and running is not None:
            jobs.cancel(library, running.id)

    assert ingest(library, [notes], on_event=cancel).aborted
    assert jobs.recent(library)[0].status == "canceled"


def test_one_ingest_at_a_time(library: Store, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    assert jobs.begin(library, "ingest") is not None
    with pytest.raises(Fault, match="another ingest"):
        ingest(library, [notes])


def test_several_roots_keep_their_paths_apart(library: Store, tmp_path: Path, notes: Path, put: Put) -> None:
    put("a.md", ALPHA)
    put("wiki/a.md", "# inside\n\nfirst\n")
    other = tmp_path / "wiki"
    other.mkdir()
    (other / "a.md").write_text("# Wiki\n\nsecond\n")
    ingest(library, [notes, other])
    assert [one.source_id for one in sources(library.con)] == ["notes", "wiki-2"]
    assert found(library, "first OR second OR pump") == {"a.md", "wiki/a.md", "wiki-2/a.md"}
    (notes / "a.md").unlink()
    (other / "a.md").unlink()
    assert counts(ingest(library, [other])) == {"removed": 1}
    assert found(library, "pump") == {"a.md"}
    with pytest.raises(Fault, match="of the library overlap"):
        ingest(library, [notes / "wiki"])


@pytest.mark.parametrize("wrong", ["absent", "file.md", "a\0b"])
def test_what_is_no_folder_is_told(library: Store, notes: Path, put: Put, wrong: str) -> None:
    put("file.md", "x")
    with pytest.raises(Fault, match="not found"):
        ingest(library, [notes / wrong])
    with pytest.raises(Fault, match="no folder yet"):
        ingest(library)


def test_files_without_an_extension_are_not_opened_again(library: Store, notes: Path, put: Put) -> None:
    """The reader depends on the extension alone: one signature stands for all files of a kind."""
    put("INSTALL", "Install\n=======\n\nRun make.\n")
    put("notes", "run make\n")
    ingest(library, [notes])
    put("notes", "x" * 9)  # of the same size and time: whoever opens it sees another content
    assert counts(ingest(library, [notes])) == {"unchanged": 2}
