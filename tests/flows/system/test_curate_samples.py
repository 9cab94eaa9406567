"""An hour of curation over harvested drafts, in a moment: decide all, merge some, take it all back, leave no trace."""

from __future__ import annotations

from pathlib import Path

from core.errors.curation.decisions import apply_also, edit, mark_noise, reject, verify
from core.errors.curation.merging import merge
from core.errors.curation.splitting import split
from core.errors.curation.transaction import Curated, Written, look, person
from core.errors.curation.triage import count_waiting, triage_queue
from core.errors.exchange.case_export import export_cases, export_fixes
from core.flows.system.history import take_back
from core.flows.transcripts.api import import_transcripts
from core.samples import sample_paths
from core.store import Store, open_store, store_checks


def exports(store: Store) -> list[str]:
    told = ["".join(export_cases(store, form)) for form in ("jsonl", "csv", "markdown")]
    return [*told, *("".join(export_fixes(store, form)) for form in ("jsonl", "csv", "markdown"))]


def waits(store: Store) -> set[int]:
    """The cases that are in the queue, as items or under one."""
    page = triage_queue(store, limit=1_000)
    return {row.id for row in (*page.cases, *page.findings)}


def test_every_draft_is_decided_and_all_of_it_taken_back(tmp_path: Path) -> None:
    db = tmp_path / "casebook.db"
    me, acts = person({"USER": "mina"}), list[Curated]()
    with open_store(db, create=True) as store:
        import_transcripts(store, "auto", sample_paths())
        before, left = exports(store), count_waiting(store)
        items = left
        assert left > 15
        row = triage_queue(store, limit=1).cases[0]
        at = 0
        while True:
            seen, waited = [look(store.con, row.id)], waits(store)
            apply_also(store.con, row.id)
            match at % 5:
                case 0 | 1:
                    done = verify(store, me, seen) if row.status == "draft" else mark_noise(store, me, seen)
                case 2:
                    done = edit(store, me, seen, Written("이렇게 고친다", tags=("확인",)), status="verified")
                case 3:
                    done = mark_noise(store, me, seen, "not ours")
                case _:
                    done = reject(store, me, seen, "wrong", all_of_it=True)
                    if not done.cases:
                        done = mark_noise(store, me, seen)
            acts.append(done)
            assert (done.cases, count_waiting(store)) == ((row.id,), left - 1)
            assert waited - waits(store) <= {row.id, *done.parts}
            left, at = left - 1, at + 1
            if not (following := triage_queue(store, limit=1).cases):
                break
            row = following[0]
        ids = [number for (number,) in store.con.execute("SELECT id FROM error_kb ORDER BY id").fetchall()]
        for one, other in zip(ids[0:12:2], ids[1:12:2], strict=True):
            acts.append(merge(store, me, look(store.con, one), [look(store.con, other)]))
        marks = store.con.execute(
            "SELECT case_id, min(fingerprint) FROM fingerprint GROUP BY case_id HAVING count(*) > 1"
        ).fetchall()
        for case_id, mark in marks:
            acts.append(split(store, me, look(store.con, int(str(case_id))), [str(mark)]))
        assert all(done.change is not None and not done.conflicts for done in acts)
        assert exports(store) != before
    for done in reversed(acts[20:]):
        with open_store(db, write=True) as store:  # a new start each time: the history is in the file
            assert take_back(store, me).undid.id == done.change
    with open_store(db, write=True) as store:
        report = import_transcripts(store, "auto", sample_paths())  # reading again in the midst of it adds nothing
        assert (report.errors, report.resolutions) == (0, 0)
        for done in reversed(acts[:20]):
            assert take_back(store, me, by=me).undid.id == done.change
        assert exports(store) == before
        assert count_waiting(store) == items
    assert all(check.ok for check in store_checks(db) if check.name == "counts_match")
