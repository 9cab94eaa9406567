"""An import makes entries of explained fixes and aligns what it touched; the demonstration shows both kinds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.align import ExtractedEntry, ExtractedQuote
from core.evidence import add_entries, list_quotes, show_quote
from core.flows.system.demo import fill_demo
from core.flows.system.evidence import align_due
from core.flows.transcripts.api import import_transcripts
from core.samples import DEMO_SESSION, sample_paths
from core.store import Store, jobs, open_store
from tests.core.evidence.evidence_support import everything, states

SAMPLE = f"claude-code/-home-mina-work-orders-api/{DEMO_SESSION}.jsonl"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A sample transcript that may be written to."""
    path = tmp_path / f"{DEMO_SESSION}.jsonl"
    shutil.copy(sample_paths()[0].parent / SAMPLE, path)
    return path


def bring(store: Store, transcript: Path) -> None:
    """Import it and align what is due, as everybody does who imports."""
    import_transcripts(store, "auto", [transcript])
    align_due(store)


def text_of(store: Store, index: int) -> str:
    row = store.con.execute("SELECT text FROM message WHERE idx = ?", (index,)).fetchone()
    return str(row[0]) if row else ""


def test_explained_fixes_become_entries_that_are_aligned_once(tmp_path: Path, transcript: Path) -> None:
    with open_store(tmp_path / "a.db", create=True) as store:
        bring(store, transcript)
        quotes = list_quotes(store).quotes
        assert quotes
        assert {(row.type, row.state, row.method) for row in quotes} == {("fix", "aligned", "exact")}
        for row in quotes:
            assert row.quote in text_of(store, row.message_index)
        before = everything(store)
        bring(store, transcript)
        assert everything(store) == before
        assert len(jobs.recent(store, kind="align")) == 1


def test_a_transcript_that_grows_brings_a_quote_its_place(tmp_path: Path, transcript: Path) -> None:
    whole = transcript.read_bytes()
    lines = whole.split(b"\n")
    transcript.write_bytes(b"\n".join(lines[: len(lines) // 2]) + b"\n")
    with open_store(tmp_path / "a.db", create=True) as store:
        bring(store, transcript)
        with open_store(tmp_path / "whole.db", create=True) as other:
            full = tmp_path / "whole" / transcript.name
            full.parent.mkdir()
            full.write_bytes(whole)
            import_transcripts(other, "auto", [full])
            last = other.con.execute(
                "SELECT idx, text FROM message WHERE role = 'assistant' AND kind = 'text' ORDER BY idx DESC LIMIT 1"
            ).fetchone()
        assert last is not None
        late = ExtractedEntry("late", "fact", "said at the end", (ExtractedQuote(last[0], str(last[1])[:120]),))
        made = add_entries(store, DEMO_SESSION, [late]).added
        bring(store, transcript)  # nothing new, but a quote waits
        (quote_id,) = (at for at, row in ((one.id, one) for one in list_quotes(store).quotes) if row.entry_id in made)
        assert states(store)[quote_id] == "failed"
        transcript.write_bytes(whole)
        bring(store, transcript)
        assert states(store)[quote_id] == "aligned"


def test_the_demonstration_has_an_aligned_and_a_flagged_quote(tmp_path: Path) -> None:
    fill_demo(tmp_path / "demo.db")
    with open_store(tmp_path / "demo.db") as store:
        mine = [row for row in list_quotes(store, limit=500).quotes if row.type in ("decision", "fact")]
        assert [row.state for row in mine] == ["aligned", "flagged"]
        flagged = show_quote(store, mine[1].id)
        assert flagged is not None
        assert flagged.found is not None
        assert [one.kind for one in flagged.found.concerns] == ["negation"]
        assert flagged.found.trace
        assert flagged.promotion.promotionBlocked
