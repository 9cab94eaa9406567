"""The ingest's own process: what it says, how it stops, what becomes of it when somebody dies."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.base.config.settings import ChunkingSettings
from core.base.fault import Fault
from core.base.installation import remedy
from core.library.ingest.report import IngestPace, last_run, worth_a_look
from core.library.search.korean import lacking
from core.store import jobs, open_store
from tests.tui.services import ingest_children
from tui.services import tasks
from tui.services.tasks import ingest_task

ROOT = Path(__file__).parents[3]
CHUNKING = ChunkingSettings()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Three documents, one that is no text, and one that cannot be cited."""
    folder = tmp_path / "docs 문서"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"# 밸브 {number}\n\n밸브는 정오에 열린다.\n", encoding="utf-8")
    (folder / "photo.png").write_bytes(b"\x89PNG")
    (folder / "a#b.md").write_text("# no place to cite\n")
    return folder


def child(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(tasks, "run_ingest", getattr(ingest_children, name))


def passages(path: Path) -> list[tuple[object, ...]]:
    with open_store(path) as store:
        return store.con.execute("SELECT chunk_id, text FROM chunks ORDER BY chunk_id").fetchall()


def test_it_reports_what_was_read_and_what_was_left_out(tmp_path: Path, docs: Path) -> None:
    told: list[IngestPace] = []
    report = ingest_task(tmp_path / "one.db", [docs], CHUNKING).run(told.append)
    assert (report.new, report.errors, report.aborted) == (3, 0, False)
    left = {path for paths in report.skip_examples.values() for path in paths}
    assert left == {"photo.png", "a#b.md"}
    assert told[-1].phase == "completed"
    assert told[-1].counts["new"] == 3
    with open_store(tmp_path / "one.db") as store:
        assert [job.status for job in jobs.recent(store, kind="ingest")] == ["succeeded"]


def test_it_knows_what_the_settings_ask_for_and_is_not_installed(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.library.search.korean.installed", lambda: "")
    run = ingest_task(tmp_path / "one.db", [docs], CHUNKING, "morphemes")
    assert run.run(lambda _pace: None).new == 3
    assert remedy("ko") in lacking("morphemes")


def test_no_folder_means_those_that_are_known(tmp_path: Path, docs: Path) -> None:
    path = tmp_path / "one.db"
    with pytest.raises(Fault, match="no folder yet"):
        ingest_task(path, [], CHUNKING).run(lambda _pace: None)
    ingest_task(path, [docs], CHUNKING).run(lambda _pace: None)
    (docs / "0.md").unlink()
    again = ingest_task(path, [], CHUNKING).run(lambda _pace: None)
    assert (again.unchanged, again.removed) == (2, 1)


def test_one_that_is_stopped_keeps_what_it_has_and_the_next_completes_it(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.db"
    with monkeypatch.context() as patch:
        child(patch, "slow")
        run = ingest_task(path, [docs], CHUNKING)
        report = run.run(lambda pace: run.stop() if pace.done else None)
    assert report.aborted
    assert report.new == 1
    again = ingest_task(path, [docs], CHUNKING).run(lambda _pace: None)
    assert (again.new, again.unchanged) == (2, 1)
    ingest_task(tmp_path / "two.db", [docs], CHUNKING).run(lambda _pace: None)
    assert passages(path) == passages(tmp_path / "two.db"), "as if nobody had stopped it"


def test_its_fault_arrives_as_it_is_and_a_death_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Fault, match=r"folder .* not found"):
        ingest_task(tmp_path / "one.db", [tmp_path / "nowhere \udcff [b]"], CHUNKING).run(lambda _pace: None)
    child(monkeypatch, "killed")
    with pytest.raises(Fault, match="was interrupted"):
        ingest_task(tmp_path / "one.db", [tmp_path], CHUNKING).run(lambda _pace: None)


def test_without_a_process_it_is_done_here(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert ingest_task(tmp_path / "one.db", [docs], CHUNKING).run(lambda _pace: None).new == 3


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of Unix")
def test_one_whose_workbench_is_killed_ends_and_the_next_completes_it(tmp_path: Path, docs: Path) -> None:
    path = tmp_path / "one.db"
    code = (
        "import sys; from pathlib import Path; from core.base.config.settings import ChunkingSettings\n"
        "from tests.tui.services import ingest_children; from tui.services import tasks\n"
        "tasks.run_ingest = ingest_children.slow\n"
        "tell = lambda pace: pace.done and print('told', flush=True)\n"
        "tasks.ingest_task(Path(sys.argv[1]), [Path(sys.argv[2])], ChunkingSettings()).run(tell)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(path), str(docs)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == "told\n"
    parent.kill()
    parent.communicate()
    with open_store(path) as store:
        end = time.monotonic() + 120
        while jobs.running(store, "ingest") is not None:
            assert time.monotonic() < end, "it goes on though nobody is there"
            time.sleep(0.02)
        assert [job.status for job in jobs.recent(store, kind="ingest")] == ["canceled"]
    again = ingest_task(path, [docs], CHUNKING).run(lambda _pace: None)
    assert (again.new, again.unchanged) == (2, 1)
    ingest_task(tmp_path / "two.db", [docs], CHUNKING).run(lambda _pace: None)
    assert passages(path) == passages(tmp_path / "two.db")


def test_the_last_run_is_remembered_with_what_is_worth_a_look(tmp_path: Path, docs: Path) -> None:
    path = tmp_path / "one.db"
    with open_store(path, write=True, create=True) as store:
        assert last_run(store.con) is None
    report = ingest_task(path, [docs], CHUNKING).run(lambda _pace: None)
    with open_store(path) as store:
        kept = last_run(store.con)
    assert kept is not None
    assert worth_a_look(kept[0]) == report
    assert [item.kind for item in report.items or ()] == ["skipped", "skipped"]
