"""A telling that no hook could settle is settled by the import of its session, and hangs on its fix from then on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.errors import identify, record_resolution, search
from core.errors.curation.merging import merge
from core.errors.curation.transaction import look, person
from core.flows.system.history import take_back
from core.flows.transcripts.api import import_transcripts
from core.store import Store, open_store
from tests.flows.harvest.chat import LOOKUP
from tests.flows.harvest.test_session import Transcript


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "casebook.db", create=True) as opened:
        yield opened


def told(store: Store, session: str, ts: str = "2026-09-01T10:00:01.500Z") -> None:
    record_resolution(store, LOOKUP, "Run `pip install currency`.")
    assert search(store, LOOKUP, session=session).match is not None
    store.con.execute("UPDATE answer_outcome SET told_at = ?", (ts,))


def outcomes(store: Store) -> Sequence[tuple[object, ...]]:
    return store.con.execute("SELECT via, outcome, performed FROM answer_outcome ORDER BY id").fetchall()


def test_a_search_of_a_session_is_settled_by_its_import(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1)
    told(store, chat.session)
    chat.bash("pip install currency", "Successfully installed").bash("python app.py", "fine")
    import_transcripts(store, "auto", [chat.save()])
    assert outcomes(store) == [("search", "helped", 1)]


def test_a_session_that_goes_on_is_looked_at_again(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1)
    told(store, chat.session)
    import_transcripts(store, "auto", [chat.save()])
    assert outcomes(store) == [("search", "ignored", 0)]
    chat.bash("pip install currency", "Successfully installed").bash("python app.py", LOOKUP, 1)
    import_transcripts(store, "auto", [chat.save()])
    assert outcomes(store) == [("search", "failed_again", 1)]


def test_what_is_asked_outside_a_session_stays_open_and_no_count_is_no_row(store: Store) -> None:
    told(store, "")
    search(store, LOOKUP, count=False)
    assert outcomes(store) == [("search", "open", 0)]
    assert store.con.execute("SELECT fingerprint FROM answer_outcome").fetchone() == (identify(LOOKUP).fingerprint,)


def test_a_merge_and_its_undo_leave_a_row_with_its_fix(store: Store) -> None:
    told(store, "s")
    fix = store.con.execute("SELECT resolution_id FROM answer_outcome").fetchone()
    record_resolution(store, "Error: Cannot find module 'leftpad'", "npm install leftpad")
    (other,) = store.con.execute("SELECT max(case_id) FROM resolution").fetchone() or (0,)
    (case,) = store.con.execute("SELECT case_id FROM resolution WHERE id = ?", fix).fetchone() or (0,)
    merge(store, person(), look(store.con, other), [look(store.con, case)])
    joined = store.con.execute(
        "SELECT r.case_id, r.text FROM answer_outcome o JOIN resolution r ON r.id = o.resolution_id"
    ).fetchall()
    assert joined == [(other, "Run `pip install currency`.")]
    take_back(store, person())
    assert store.con.execute("SELECT resolution_id FROM answer_outcome").fetchone() == fix
