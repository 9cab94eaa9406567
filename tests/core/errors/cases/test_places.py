"""Where a case matched, what was masked, and where it comes from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from core.errors import (
    masked_parts,
    matched_spans,
    messages_around,
    normalize_error,
    record_resolution,
    search,
)
from core.errors.cases.browse import browse
from core.errors.retrieval.answer import Hit, Query, Source
from core.flows.transcripts.api import import_transcripts
from core.samples import sample_paths
from core.store import open_store
from core.store.store import data_version


def lit(line: str, spans: tuple[tuple[int, int], ...]) -> list[str]:
    return [line[start:end] for start, end in spans]


def test_each_tier_lights_what_it_compared(tmp_path: Path) -> None:
    db = tmp_path / "casebook.db"
    record_resolution(db, "Cannot find module 'express' in the 데이터베이스연결 layer", "npm i")
    whole = search(db, "Cannot find module 'express' in the 데이터베이스연결 layer", count=False)
    assert whole.match is not None
    line = whole.match.key_line
    assert lit(line, matched_spans(whole.match, whole.query)) == [line]
    kind = search(db, "Cannot find module 'react' in the 데이터베이스연결 layer", count=False)
    assert kind.match is not None
    assert "express" not in lit(line, matched_spans(kind.match, kind.query))
    with open_store(db) as store:
        (hit,) = browse(store, "modul 연결")
    typed = Query("modul 연결", "", "", "")
    assert lit(line, matched_spans(hit, typed)) == ["modul", "연결"]


def test_a_prefix_lights_the_shared_beginning(tmp_path: Path) -> None:
    db = tmp_path / "casebook.db"
    record_resolution(db, "Failed to compile the stylesheet bundle for the production target", "reinstall sass")
    answer = search(db, "Failed to compile the stylesheet bundle for the production", count=False)
    assert answer.match is not None
    assert lit(answer.match.key_line, matched_spans(answer.match, answer.query)) == [answer.query.key_line]


@given(line=st.text(max_size=60), asked=st.text(max_size=60))
def test_lit_parts_lie_in_the_line_in_order_and_apart(line: str, asked: str) -> None:
    hit = replace(_ANY, key_line=line)
    for tier in ("fingerprint", "exact", "prefix", "text"):
        spans = matched_spans(replace(hit, tier=tier), Query(asked, asked, asked, asked))
        last = -1
        for start, end in spans:
            assert last < start < end <= len(line)
            last = end


def test_masked_parts_show_what_the_marks_stand_for() -> None:
    line = "Error at line 42 in /src/app.js: unexpected token 'x'"
    parts = masked_parts(line, normalize_error(line))
    assert [(line[part.start : part.end], part.mark) for part in parts] == [
        ("42", "<N>"),
        ("/src/app.js", "<PATH>"),
        ("'x'", "<STR>"),
    ]


@given(line=st.text(max_size=120))
def test_masked_parts_lie_in_the_line(line: str) -> None:
    last = 0
    for part in masked_parts(line, normalize_error(line)):
        assert last <= part.start < part.end <= len(line)
        last = part.end


def test_a_fix_leads_to_its_messages(tmp_path: Path) -> None:
    with open_store(tmp_path / "casebook.db", write=True, create=True) as store:
        import_transcripts(store, "auto", sample_paths())
        row = store.con.execute("SELECT session_id, message_ids FROM resolution LIMIT 1").fetchone()
        assert row is not None
        session = str(row[0])
        page = messages_around(store, session, 3, before=2, after=2)
        assert page is not None
        assert [message.index for message in page.messages] == [1, 2, 3, 4, 5]
        assert page.first == 0
        assert any(message.tool for message in page.messages)
        assert messages_around(store, "no such session", 0) is None


def test_another_writer_is_noticed(tmp_path: Path) -> None:
    db = tmp_path / "casebook.db"
    record_resolution(db, "boom", "calm")
    with open_store(db) as store:
        before = data_version(store)
        assert data_version(store) == before
        record_resolution(db, "boom", "calmer")
        assert data_version(store) != before


_ANY = Hit(1, "text", "low", 0.0, None, "", "", None, None, None, (), 0, None, Source(None), ())
