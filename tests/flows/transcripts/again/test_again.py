"""Harvesting again: drafts are replaced, decisions stay, one undo takes it all back."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from core.base.fault import Fault
from core.errors import Filters, list_cases, show_case
from core.errors.cases.browse import facets
from core.errors.cases.derived import NO_LONGER_HARVESTED, refresh_case
from core.errors.curation.decisions import verify
from core.errors.curation.merging import merge
from core.errors.curation.transaction import look
from core.flows.system.evidence import align_due
from core.flows.system.history import bring_back, take_back
from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.reharvest import JOB, harvest_again
from core.flows.transcripts.report import ImportAgain
from core.store import Store, jobs, open_store, store_checks
from tests.casebook_versions import unpack, versions
from tests.contracts.old_casebook import PACKED
from tests.flows.harvest.chat import LOOKUP
from tests.flows.harvest.test_session import Transcript
from tests.flows.transcripts.again.support import DECIDED, decisions, old_casebook, rows


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("old") / "casebook.db"
    old_casebook(path)
    with open_store(path, write=True) as store:
        store.con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.read_bytes()


@pytest.fixture
def store(packed: bytes, tmp_path: Path):
    path = tmp_path / "casebook.db"
    path.write_bytes(packed)
    with open_store(path, write=True) as opened:
        yield opened


def again(store: Store, **how: Any) -> ImportAgain:
    return harvest_again(store, actor="kim", **how)


def test_every_decision_is_there_afterwards(store: Store) -> None:
    assert store.con.execute("SELECT count(*) FROM journal").fetchone() == (DECIDED,)
    before = decisions(store)
    report = again(store)
    assert report.applied and decisions(store) == before
    assert report.kept >= 30
    assert [check for check in store_checks(store.path) if not check.ok] == []


def test_untouched_drafts_say_what_the_harvest_of_now_says(store: Store) -> None:
    vague = "SELECT count(*) FROM resolution WHERE author = 'harvest' AND status = 'draft' AND text LIKE 'changed %'"
    assert store.con.execute(vague).fetchone() != (0,)
    report = again(store)
    kept = " AND replaced_by IS NULL AND case_id NOT IN (SELECT case_id FROM noise UNION SELECT into_id FROM merged)"
    left = {row[0] for row in store.con.execute(vague.replace("count(*)", "case_id") + kept)}
    regrouped = store.con.execute("SELECT item FROM journal_subject JOIN journal ON id = journal_id"
                                  " WHERE kind = 'error_kb' AND title LIKE 'split off%'").fetchall()  # fmt: skip
    cited = store.con.execute(
        "SELECT case_id FROM resolution WHERE CAST(id AS TEXT) IN (SELECT item_id FROM citation)"
    ).fetchall()
    assert left <= {row[0] for row in (*regrouped, *cited)}
    assert report.drafts.replaced > 30 and report.drafts.removed > 0


def test_a_case_left_with_nothing_disappears_and_one_with_a_decision_is_marked(store: Store) -> None:
    lines = "SELECT case_id FROM fingerprint WHERE key_line LIKE 'Summary of%'"
    before = {row[0] for row in store.con.execute(lines)}
    report = again(store)
    stay = {row[0] for row in store.con.execute(lines)}
    assert len(before - stay) == report.cases_removed == len(report.gone) > 0
    assert not stay - before and stay
    alone = [one for one in stay if (case := show_case(store, one)) is not None and not case.harvested]
    assert len(alone) == report.no_longer_harvested > 5
    listed = list_cases(store, Filters(tag=NO_LONGER_HARVESTED), limit=500).cases
    assert {row.id for row in listed} == set(alone) and not any(row.harvested for row in listed)
    assert {facet.value: facet.cases for facet in facets(store, Filters()).tags}[NO_LONGER_HARVESTED] == len(alone)


def test_nothing_is_counted_twice(store: Store) -> None:
    store.con.execute("UPDATE error_kb SET use_count = id")
    lost = "SELECT count(*) FROM occurrence JOIN fingerprint USING (fingerprint) WHERE key_line NOT LIKE 'Summary of%'"
    before = store.con.execute(lost).fetchone()
    again(store)
    assert store.con.execute(lost).fetchone() == before
    assert store.con.execute("SELECT count(*) FROM error_kb WHERE use_count <> id").fetchone() == (0,)
    wrong = (
        "SELECT count(*) FROM case_state s WHERE seen <>"
        " (SELECT count(*) FROM occurrence JOIN fingerprint f USING (fingerprint) WHERE f.case_id = s.case_id)"
    )
    assert store.con.execute(wrong).fetchone() == (0,)


def test_one_undo_gives_every_table_back_and_redo_brings_it_again(store: Store) -> None:
    before = rows(store)
    report = again(store)
    after = rows(store)
    assert [table for table in before if before[table] != after[table]]
    assert take_back(store, "kim").undid.id == report.change
    assert rows(store) == before
    bring_back(store, "kim")
    assert rows(store) == after


def test_quotes_aligned_since_do_not_stand_in_the_way_of_the_undo(store: Store) -> None:
    store.con.execute("DELETE FROM alignment; DELETE FROM evidence; DELETE FROM entry WHERE id LIKE 'fix_%'")
    before = rows(store)
    again(store)
    align_due(store)
    take_back(store, "kim")
    assert rows(store) == before


def test_again_a_second_time_changes_nothing(store: Store) -> None:
    again(store)
    report = again(store)
    assert report.changes_nothing and not report.applied and report.change is None


def test_a_dry_run_and_a_no_write_nothing(store: Store) -> None:
    before, asked = rows(store), list[ImportAgain]()
    shown = again(store, dry_run=True)
    assert not again(store, agreed=lambda report: bool(asked.append(report))).applied
    assert asked == [shown] and shown.drafts.replaced
    assert rows(store) == before
    assert store.con.execute("SELECT count(*) FROM journal").fetchone() == (DECIDED,)
    assert not list(store.path.parent.glob("casebook.db.*"))


def test_what_is_shown_is_what_happens(store: Store) -> None:
    shown = again(store, dry_run=True)
    done = again(store)
    assert (done.before, done.after, done.drafts) == (shown.before, shown.after, shown.drafts)
    left = rows(store, ("error_kb", "fingerprint", "occurrence"))
    assert [len(found) for found in left.values()] == [done.after.cases, done.after.errors, done.after.occurrences]


def test_the_backup_is_the_casebook_of_before(store: Store) -> None:
    before = rows(store)
    report = again(store)
    assert report.backup is not None and Path(report.backup).stat().st_mode & 0o777 == 0o600
    with open_store(Path(report.backup)) as old:
        assert rows(old) == before


def test_only_the_sessions_of_a_path(store: Store) -> None:
    row = store.con.execute("SELECT path FROM source_file WHERE session_id LIKE '00000003-%'").fetchone()
    assert row is not None
    report = again(store, paths=[Path(str(row[0]))])
    assert report.sessions == 1 and 0 < report.drafts.replaced < 10
    with pytest.raises(Fault, match="nothing was imported from"):
        again(store, paths=[store.path.parent / "elsewhere"])


def test_a_decision_made_meanwhile_stands(store: Store) -> None:
    """Somebody verifies a draft between the plan and its application: it is made again from the casebook as it is."""
    sql = "SELECT case_id FROM resolution WHERE author = 'harvest' AND status = 'draft' ORDER BY id DESC LIMIT 1"
    row = store.con.execute(sql).fetchone()
    assert row is not None
    case_id, asked = int(str(row[0])), 0

    def agreed(report: ImportAgain) -> bool:
        nonlocal asked
        asked += 1
        with open_store(store.path, write=True) as other:
            verify(other, "lee", [look(other.con, case_id)])
        return True

    assert again(store, agreed=agreed).applied and asked == 1
    case = show_case(store, case_id)
    assert case is not None and case.status == "verified"


def test_an_import_meanwhile_loses_nothing(store: Store, tmp_path: Path) -> None:
    def agreed(report: ImportAgain) -> bool:
        chat = Transcript(tmp_path / "more", "99999999-0000-4000-8000-000000000001").bash("python app.py", LOOKUP, 1)
        with open_store(store.path, write=True) as other:
            import_transcripts(other, "auto", [chat.edit().bash("python app.py", "fine").save()])
        return True

    assert again(store, agreed=agreed).applied
    seen = "SELECT count(*) FROM occurrence WHERE session_id LIKE '99999999-%'"
    assert store.con.execute(seen).fetchone() == (1,)
    assert again(store, dry_run=True).changes_nothing


def test_look_ups_meanwhile_stay_counted(store: Store) -> None:
    def agreed(report: ImportAgain) -> bool:
        with open_store(store.path, write=True) as other:
            other.con.execute("UPDATE error_kb SET use_count = use_count + 1, last_used = '2026-11-01'")
        return True

    assert again(store, agreed=agreed).applied
    assert store.con.execute("SELECT count(*) FROM error_kb WHERE use_count <> 1").fetchone() == (0,)


def test_an_error_that_is_seen_again_is_no_longer_marked(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "more", "99999999-0000-4000-8000-000000000001").bash("python app.py", LOOKUP, 1)
    path = chat.edit().bash("python app.py", "fine").save()
    import_transcripts(store, "auto", [path])
    marks = "SELECT count(*) FROM fingerprint WHERE missed IS NOT NULL"
    store.con.execute("UPDATE fingerprint SET missed = '2026-01-01' WHERE key_line = ?", ("KeyError: 'currency'",))
    chat.bash("python app.py", LOOKUP, 1).save()
    assert store.con.execute(marks).fetchone() == (1,)
    import_transcripts(store, "auto", [path])
    assert store.con.execute(marks).fetchone() == (0,)


def test_a_merge_takes_the_marks_along(store: Store) -> None:
    again(store)
    marked = [row.id for row in list_cases(store, Filters(tag=NO_LONGER_HARVESTED), limit=500).cases]
    into = next(row.id for row in list_cases(store).cases if row.id not in marked)
    merge(store, "kim", look(store.con, into), [look(store.con, marked[0])])
    case = show_case(store, into)
    assert case is not None and case.harvested


def test_it_is_a_job_and_runs_once_at_a_time(store: Store) -> None:
    held = jobs.begin(store, JOB)
    assert held is not None
    with pytest.raises(Fault, match="running"):
        again(store)
    jobs.cancel(store, held.id)
    again(store)
    job = jobs.recent(store, kind=JOB)[0]
    assert (job.status, job.done, job.total) == ("succeeded", 19, 19)


def test_a_cancelled_run_goes_on_where_it_was(store: Store) -> None:
    left = iter([False] * 6 + [True] * 1000)
    before = rows(store)
    assert again(store, cancelled=lambda: next(left)).canceled
    assert rows(store) == before and jobs.recent(store, kind=JOB)[0].status == "canceled"
    with open_store(store.path.with_name("casebook.db.again") / "after.db") as copy:
        done = copy.con.execute("SELECT count(*) FROM again_session WHERE done").fetchone()
    assert done is not None and 0 < int(str(done[0])) < 19
    assert again(store).applied


_KEPT = ("message", "tool_call", "error_kb", "fingerprint", "occurrence", "resolution")


def _one_session(path: Path) -> Path:
    chat = Transcript(path.parent / "in").bash("python app.py", LOOKUP, 1).edit("a.py").bash("python app.py", "fine")
    file = chat.save()
    with open_store(path, write=True, create=True) as store:
        import_transcripts(store, "auto", [file])
    return file


@pytest.mark.parametrize("where", ["1", "idx > 2", "idx = 1"], ids=["gone", "cut", "gap"])
def test_messages_that_are_missing_are_read_from_the_file(tmp_path: Path, where: str) -> None:
    path = tmp_path / "casebook.db"
    _one_session(path)
    with open_store(path, write=True) as store:
        whole = rows(store, _KEPT)
        store.con.execute(f"DELETE FROM message WHERE {where}")
        store.con.execute("UPDATE resolution SET text = 'vague', original = NULL")
        without = rows(store, _KEPT)
        assert again(store, dry_run=True).drafts.replaced == 1 and rows(store, _KEPT) == without
        assert again(store).applied
        assert rows(store, ("message", "tool_call")) == {name: whole[name] for name in ("message", "tool_call")}
        texts = "SELECT text, lesson FROM resolution"
        assert store.con.execute(texts).fetchone() != ("vague", None)
        take_back(store, "kim")
        assert store.con.execute(texts).fetchone()[0] == "vague"  # type: ignore[index]
        assert [check for check in store_checks(store.path) if not check.ok] == []


def test_messages_that_are_gone_with_their_file_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "casebook.db"
    file = _one_session(path)
    with open_store(path, write=True) as store:
        store.con.execute("DELETE FROM message")
        before = rows(store, _KEPT)
        file.write_text("{}\n")  # nothing of the session is in it any more
        assert not again(store).applied and rows(store, _KEPT) == before
        file.unlink()
        assert not again(store).applied and rows(store, _KEPT) == before


@pytest.mark.parametrize("version", sorted(versions()))
def test_a_casebook_of_every_version(tmp_path: Path, version: int) -> None:
    path = unpack(version, tmp_path / "casebook.db")
    with open_store(path, write=True) as store:
        before, told = rows(store), decisions(store)
        report = again(store)
        assert decisions(store) == told
        if report.applied:
            take_back(store, "kim")
        assert rows(store) == before


def test_a_casebook_of_the_first_program(tmp_path: Path) -> None:
    path = tmp_path / "casebook.db"
    path.write_bytes(gzip.decompress(PACKED.read_bytes()))
    with open_store(path, write=True) as store:
        with store.transaction() as con:  # an older program counted some of what is derived in another way
            for (case_id,) in con.execute("SELECT id FROM error_kb").fetchall():
                refresh_case(con, int(str(case_id)))
        before, told = rows(store), decisions(store)
        assert again(store).applied and decisions(store) == told
        take_back(store, "kim")
        assert rows(store) == before
