"""The import's own process: what it says, how it stops, what becomes of it when somebody dies."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core.base.fault import Fault
from core.errors import count_cases
from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.report import Progress
from core.samples import sample_paths
from core.store import jobs, open_store
from tests.tui.services import import_children
from tests.tui.services.import_children import GO_ON
from tui.services import tasks
from tui.services.tasks import import_task

ROOT = Path(__file__).parents[3]


def child(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(tasks, "run_import", getattr(import_children, name))


def counts(path: Path) -> tuple[int, ...]:
    with open_store(path) as store:
        stored = [store.con.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("message", "tool_call")]
        return (count_cases(store), *(int(row[0]) for row in stored if row))


def at_once(path: Path, paths: list[Path]) -> tuple[int, ...]:
    """What an import without any of this stores."""
    with open_store(path, write=True, create=True) as store:
        import_transcripts(store, "auto", paths)
    return counts(path)


def test_it_reports_what_an_import_here_reports(tmp_path: Path) -> None:
    told: list[Progress] = []
    report = import_task(tmp_path / "one.db", sample_paths()).run(told.append)
    with open_store(tmp_path / "two.db", write=True, create=True) as store:
        assert report == import_transcripts(store, "auto", sample_paths())
    assert told
    assert told[-1].done == told[-1].total
    assert counts(tmp_path / "one.db") == counts(tmp_path / "two.db")


def test_one_that_is_stopped_keeps_what_it_has_and_the_next_completes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.db"
    with monkeypatch.context() as patch:
        child(patch, "slow")
        run = import_task(path, sample_paths())
        report = run.run(lambda _progress: run.stop())
    assert report.canceled
    assert report.messages > 0
    again = import_task(path, sample_paths()).run(lambda _progress: None)
    assert not again.canceled
    assert counts(path) == at_once(tmp_path / "two.db", sample_paths())


def test_one_that_was_stopped_before_it_began_reads_nothing(tmp_path: Path) -> None:
    run = import_task(tmp_path / "one.db", sample_paths())
    run.stop()
    assert run.run(lambda _progress: None).canceled


def test_its_fault_arrives_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Fault, match=r"file or folder .* not found"):
        import_task(tmp_path / "one.db", [tmp_path / "nowhere \udcff [b]"]).run(lambda _progress: None)
    child(monkeypatch, "raising")
    with pytest.raises(Fault, match="a fault of its own") as caught:
        import_task(tmp_path / "one.db", sample_paths()).run(lambda _progress: None)
    assert caught.value.code == "generic"
    assert "in broken" in str(caught.value.__cause__), "the log gets where it came from"


def test_one_that_is_killed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "killed")
    with pytest.raises(Fault, match="was interrupted"):
        import_task(tmp_path / "one.db", sample_paths()).run(lambda _progress: None)


def test_without_a_process_it_is_done_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    report = import_task(tmp_path / "one.db", sample_paths()).run(lambda _progress: None)
    assert report.messages > 0
    assert not report.canceled


def test_modules_of_the_folder_one_stands_in_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("apsw", "orjson", "core", "tui"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('loaded from here')")
    monkeypatch.chdir(tmp_path)
    assert import_task(tmp_path / "one.db", sample_paths()).run(lambda _progress: None).messages > 0


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of Unix")
def test_one_whose_workbench_is_killed_stops_and_leaves_whole_batches(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    code = (
        "import sys; from pathlib import Path; from core.samples import sample_paths\n"
        "from tests.tui.services import import_children; from tui.services import tasks\n"
        "tasks.run_import = import_children.slow\n"
        "tasks.import_task(Path(sys.argv[1]), sample_paths()).run(lambda _: print('told', flush=True))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert parent.stdout.readline() == "told\n"
    with open_store(path) as store:
        running = jobs.running(store, "import")
    assert running is not None
    assert running.pid not in (None, parent.pid)
    parent.kill()
    parent.communicate()
    with open_store(path) as store:
        end = time.monotonic() + 120
        while jobs.running(store, "import") is not None:
            assert time.monotonic() < end, "it goes on though nobody is there"
            time.sleep(0.02)
        assert [job.status for job in jobs.recent(store, kind="import")] == ["canceled"]
    import_task(path, sample_paths()).run(lambda _progress: None)
    assert counts(path) == at_once(tmp_path / "two.db", sample_paths())


def test_stopping_does_not_wait_for_one_that_does_not_listen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child(monkeypatch, "deaf")
    run, ended = import_task(tmp_path / "one.db", sample_paths()), threading.Event()

    def work() -> None:
        with pytest.raises(Fault):
            run.run(lambda _progress: None)
        ended.set()

    threading.Thread(target=work, daemon=True).start()
    end = time.monotonic() + 120
    while not (tmp_path / "deaf").exists():
        assert time.monotonic() < end, "it never began"
        time.sleep(0.01)
    run.stop()
    assert not ended.is_set(), "it is still there, and nobody was held up"
    (tmp_path / GO_ON).touch()
    assert ended.wait(120)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_quitting_on_a_real_terminal_in_the_middle_of_an_import_loses_nothing(tmp_path: Path) -> None:
    from bench.transcripts.generated import write_transcript
    from bench.tui.terminal import Terminal

    path, agents = tmp_path / "one.db", tmp_path / "claude"
    (agents / "projects" / "shop").mkdir(parents=True)
    transcript = write_transcript(agents / "projects" / "shop" / "long.jsonl", 12_000_000)
    code = "import sys; from pathlib import Path; from tui.shell.app import run; sys.exit(run(Path(sys.argv[1])))"
    env = {"CLAUDE_CONFIG_DIR": str(agents), "CODEX_HOME": str(tmp_path / "none"), "XDG_STATE_HOME": str(tmp_path)}
    with Terminal((sys.executable, "-c", code, str(path)), env=env) as terminal:
        terminal.until(rb"Claude Code,")
        terminal.send(b"i")
        terminal.until(rb"\d%")  # of the bytes of its first batches
        terminal.send(b"q")
        terminal.until(rb"\x1b\[\?1049l")
        terminal.ended()
        assert terminal.process.returncode == 0
    with open_store(path) as store:
        end = time.monotonic() + 120
        while jobs.running(store, "import") is not None:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert store.con.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    import_task(path, [transcript]).run(lambda _progress: None)
    assert counts(path) == at_once(tmp_path / "two.db", [transcript])
