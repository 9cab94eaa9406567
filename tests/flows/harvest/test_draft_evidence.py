"""What a stored draft keeps besides its text: strength, worth, the reason of each step, and the cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors.fixes import Evidence, evidence_of, strength_of
from core.flows.harvest.session import harvest_session
from core.flows.transcripts.api import import_transcripts
from core.store import Store, open_store
from tests.flows.harvest.chat import LOOKUP, VITEST
from tests.flows.harvest.test_session import Transcript


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        yield opened


def originals(store: Store) -> list[str]:
    return [str(text) for (text,) in store.con.execute("SELECT original FROM resolution ORDER BY id")]


def test_a_draft_keeps_its_links_strength_worth_and_cost(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("npm test", VITEST, 1).edit("docs.md").edit("src/sum.ts")
    import_transcripts(store, "auto", [chat.bash("npm test", "4 passed").save()])
    evidence = evidence_of(originals(store)[0])
    reason = "the change is in sum.ts, which the failing test covers"
    assert evidence == Evidence("weak", "slip", ((chat.session, 5, reason),), 1, 6, 6.0)


def test_a_draft_of_an_older_casebook_is_renewed(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit().bash("python app.py", "fine")
    import_transcripts(store, "auto", [chat.save()])
    before = store.con.execute("SELECT id, text, original FROM resolution").fetchall()
    store.con.execute("UPDATE resolution SET text = 'edited 5 files', original = NULL")
    harvest_session(store, chat.session)
    assert store.con.execute("SELECT id, text, original FROM resolution").fetchall() == before
    assert store.con.execute("SELECT resolution FROM error_kb").fetchone() == (before[0][1],)


def test_a_verified_fix_is_not_written_over(store: Store, tmp_path: Path) -> None:
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit().bash("python app.py", "fine")
    import_transcripts(store, "auto", [chat.save()])
    store.con.execute("UPDATE resolution SET text = 'mine', status = 'verified'")
    harvest_session(store, chat.session)
    assert store.con.execute("SELECT text, status FROM resolution").fetchall() == [("mine", "verified")]


@pytest.mark.parametrize(
    ("author", "status", "original", "strength"),
    [
        ("harvest", "draft", None, "weak"),
        ("harvest", "draft", "{not json", "weak"),
        ("harvest", "draft", json.dumps({"harvest": {"strength": "strong", "links": 7}}), "weak"),
        ("harvest", "draft", Evidence("strong", "general").to_json(), "strong"),
        ("harvest", "verified", None, "strong"),
        ("ana", "draft", None, "strong"),
    ],
)
def test_how_strong_a_stored_fix_is(author: str, status: str, original: str | None, strength: str) -> None:
    assert strength_of(author, status, original) == strength
