"""A run of the import: its progress, stopping it, what a stopped one leaves, and two at once."""

from __future__ import annotations

import os
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import pytest

from core.flows.transcripts import api, files
from core.flows.transcripts import rows as import_rows
from core.flows.transcripts.api import Progress, import_transcripts
from core.store import jobs, open_store
from tests.core.transcripts.builders import Claude
from tests.flows.harvest.chat import LOOKUP, NONE
from tests.flows.harvest.test_session import Transcript
from tests.flows.transcripts.support import Harvests, count_harvests, rows, run, stored, texts


@pytest.fixture(autouse=True)
def harvests(monkeypatch: pytest.MonkeyPatch) -> Harvests:
    monkeypatch.setattr(files, "BATCH_LINES", 2)
    return count_harvests(monkeypatch)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "db" / "casebook.db"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sessions of ten messages each."""
    for name in ("one", "two"):
        log = Claude(session=f"session-{name}", prefix=name)
        for n in range(10):
            log.user(f"{name} {n}")
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{name}.jsonl").write_bytes(log.bytes())
    return tmp_path / "in"


def test_progress_goes_from_bytes_read_to_sessions_harvested(
    db: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.flows.transcripts.report._INTERVAL_S", 0.0)
    monkeypatch.setattr("core.flows.transcripts.report._ESTIMATE_AFTER_S", 0.0)
    seen: list[Progress] = []
    run(db, folder, on_progress=seen.append)
    total = sum(path.stat().st_size for path in folder.iterdir())
    reading = [one for one in seen if one.kind == "import"]
    assert [one.done for one in reading] == sorted(one.done for one in reading)
    assert {one.total for one in reading} == {total} and reading[-1].done == total
    assert {Path(one.file).name for one in reading if one.file} == {"one.jsonl", "two.jsonl"}
    assert all(one.rate > 0 and one.eta_s is not None for one in reading if one.done)
    assert (seen[-1].kind, seen[-1].done, seen[-1].total) == ("harvest", 2, 2)


def test_the_first_seconds_give_no_estimate(db: Path, folder: Path) -> None:
    seen: list[Progress] = []
    run(db, folder, on_progress=seen.append)
    assert {one.eta_s for one in seen} == {None}


def test_progress_is_told_about_ten_times_a_second(db: Path, folder: Path) -> None:
    seen: list[Progress] = []
    run(db, folder, on_progress=seen.append)
    assert 2 <= len(seen) <= 6


def test_a_stopped_import_leaves_whole_batches_and_the_next_one_goes_on(
    db: Path, folder: Path, harvests: Harvests
) -> None:
    asked = iter([False, False, False, True])
    report = run(db, folder, cancelled=lambda: next(asked, True))
    assert report.canceled and 0 < report.messages < 20 and report.messages % 2 == 0
    assert len(texts(db)) == report.messages and harvests.asked == []
    with open_store(db) as store:
        assert jobs.recent(store)[0].status == "canceled"
    rest = run(db, folder)
    assert not rest.canceled and rest.messages == 20 - report.messages
    assert sorted(harvests.asked) == ["session-one", "session-two"]
    once = db.with_name("once.db")
    run(once, folder)
    assert stored(db) == stored(once)


def test_a_harvest_that_a_killed_run_owes_is_done_by_the_next(db: Path, folder: Path, harvests: Harvests) -> None:
    harvests.fail = True
    with pytest.raises(KeyboardInterrupt):
        run(db, folder)
    assert len(texts(db)) == 20 and len(rows(db, "meta")) >= 2
    harvests.fail = False
    report = run(db, folder)
    assert (report.messages, report.errors) == (0, 2)
    assert sorted(harvests.asked) == ["session-one", "session-two"]
    assert not [key for key, _ in rows(db, "meta") if key.startswith("harvest:")]


def test_two_imports_of_the_same_files_at_once_store_each_message_once(
    db: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, busy = import_rows.rows_of, [False]

    def interrupted(*how):
        found = real(*how)
        if not busy[0]:
            busy[0] = True
            run(db, folder)  # the other process, between our reading and our writing
        return found

    monkeypatch.setattr(import_rows, "rows_of", interrupted)
    report = run(db, folder)
    monkeypatch.undo()
    assert report.messages == 0 and len(texts(db)) == len(set(texts(db))) == 20


def test_a_run_is_a_job_that_can_be_canceled_from_elsewhere(db: Path, folder: Path) -> None:
    def cancel_it(progress: Progress) -> None:
        with open_store(db, write=True) as other:
            for job in jobs.recent(other):
                jobs.cancel(other, job.id)

    report = run(db, folder, on_progress=cancel_it)
    assert report.canceled and report.messages < 20
    assert not run(db, folder).canceled and len(texts(db)) == 20
    with open_store(db) as store:
        assert [(job.kind, job.status) for job in jobs.recent(store)] == [
            ("import", "succeeded"),
            ("import", "canceled"),
        ]


def test_a_harvest_that_lasts_longer_than_the_lease_renews_it(db: Path, folder: Path) -> None:
    held: list[bool] = []

    def expire() -> bool:
        with open_store(db, write=True) as other, other.transaction() as con:
            held.append(jobs.running(other, "import") is not None)
            con.execute("UPDATE jobs SET lease = 0")
        return False

    run(db, folder, cancelled=expire)
    assert held[-2:] == [True, True]


def test_the_real_harvest_runs_behind_the_import(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    log = Claude()
    log.call("t1", "Bash", {"command": "python ledger.py"})
    log.fails("t1", "Traceback (most recent call last):\n  File \"ledger.py\", line 3, in <module>\nKeyError: 'vat'")
    log.call("t2", "Edit", {"file_path": "ledger.py", "old_string": "vat", "new_string": "tax"})
    log.result("t2", "The file ledger.py has been updated.", beside={"filePath": "ledger.py"})
    log.call("t3", "Bash", {"command": "python ledger.py"})
    log.works("t3", "total: 12")
    path = tmp_path / "a.jsonl"
    path.write_bytes(log.bytes())
    with open_store(db, create=True) as store:
        report = import_transcripts(store, "auto", [path])
        again = import_transcripts(store, "auto", [path])
    assert (report.errors, report.resolutions) == (1, 1)
    assert (again.messages, again.errors, again.resolutions) == (0, 0, 0)


def test_cases_are_there_before_the_last_file_is_read(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # the real harvest
    monkeypatch.setattr("core.flows.transcripts.report._INTERVAL_S", 0.0)
    chats = [Transcript(tmp_path, f"{number:08}-0000-4000-8000-000000000001") for number in range(3)]
    for chat in chats:
        chat.bash("python app.py", LOOKUP, 1).edit().bash("python app.py", "fine").bash("git commit", NONE, 1)
    paths = [chat.save() for chat in chats]
    for at, path in enumerate(reversed(paths)):
        os.utime(path, (at, at))
    facts = {
        "cases": "SELECT f.fingerprint, s.status, s.worth, s.sessions, s.seconds, s.seen, s.queued, s.repository"
        " FROM fingerprint f JOIN case_state s USING (case_id)",
        "verdicts": "SELECT session_id, message_idx, verdict, worth, seconds FROM result_verdict",
        "fixes": "SELECT fingerprint, text, status, session_id FROM resolution",
    }

    def all_of(path: Path) -> dict[str, set[tuple[Any, ...]]]:
        with open_store(path) as store:
            return {name: set(store.con.execute(sql)) for name, sql in facts.items()}

    run(tmp_path / "whole.db", *paths)
    monkeypatch.setattr(api, "BATCH", 1)
    seen: list[tuple[int, int]] = []

    def look() -> bool:
        with open_store(db) as store:
            counts = store.con.execute("SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM error_kb)")
            seen.append(cast("tuple[int, int]", counts.fetchone()))
        return False

    progress: list[str] = []
    run(db, *paths, cancelled=look, on_progress=lambda told: progress.append(told.kind))
    assert (1, 2) in seen, "the cases of the first file, while the others are not read"
    assert seen[-1] == (3, 2)
    kinds = [kind for kind, _ in groupby(progress)]
    assert kinds == ["import", "harvest"] * 3, "the bytes of each file, then its harvest, which may take longer"
    assert all_of(db) == all_of(tmp_path / "whole.db")
    with open_store(db) as store:
        order = [session for (session,) in store.con.execute("SELECT session_id FROM resolution ORDER BY id")]
    assert order == sorted(order, reverse=True), "the oldest file first"
