"""A fix that cites the library: the citation is in its text, so that it is saved, undone and moved with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.errors import Case, add_resolution, identify, observe, show_case
from core.flows.ingest.api import ingest
from core.flows.ingest.case_citations import cite_in_case, with_citations
from core.library.citations.citation import parse
from core.library.citations.store import SHOWN_QUOTE, citation_block, citations_of, cited_in
from core.store import Store, open_store, undo

NOTE = """# 밸브

## Opening

Turn the red handle first. The valve opens at noon, never before. Write it down.

## Closing

밸브는 자정에 닫힌다. Nobody may close it twice.
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "valve.md").write_text(NOTE, encoding="utf-8")
    with open_store(tmp_path / "one.db", write=True, create=True) as store:
        ingest(store, [tmp_path / "docs"])
        yield store


def case_with(store: Store, fix: str | None) -> Case:
    """A case, with this fix."""
    with store.transaction() as con:
        number = observe(
            con, identify("ValveError: valve 7 is shut"), session_id=None, message_idx=None, tool=None, project=None,
            ts="2026-03-01T09:00:00.000Z", raw="ValveError: valve 7 is shut",
        )  # fmt: skip
        if fix is not None:
            add_resolution(con, number, None, fix, status="verified", author="mina", ts="2026-03-02T09:00:00.000Z")
    case = show_case(store, number)
    assert case is not None
    return case


def read_again(store: Store, text: str) -> None:
    root = Path(str(store.path)).with_name("docs")
    (root / "valve.md").write_text(text, encoding="utf-8")
    ingest(store, [root])


def test_the_block_quotes_what_answers_and_is_found_again_in_a_text(store: Store) -> None:
    block = citation_block(store.con, "valve.md#L5", "when does the valve open?")
    assert block == "> The valve opens at noon, never before.\n> — valve.md#L3-L5 · 밸브 > Opening\n"
    (found,) = cited_in(f"Open it later.\n\n{block}\nThen wait.", "12")
    assert (found.uri, found.quote) == ("valve.md#L3-L5", "The valve opens at noon, never before.")
    assert (found.heading_path, found.item_id) == (("밸브", "Opening"), "12")
    with pytest.raises(Fault, match="no passage"):
        citation_block(store.con, "nowhere.md#L1")


def test_what_a_fix_cites_is_attached_moved_or_detached(store: Store) -> None:
    case = case_with(store, "Wait.\n\n" + citation_block(store.con, "valve.md#L5", "opens at noon"))
    (one,) = with_citations(store, case).citations
    assert (one.status, one.place, one.kept) == ("attached", "valve.md#L3-L5", None)
    read_again(store, "# 밸브\n\nA new first line.\n\n" + NOTE.removeprefix("# 밸브\n\n"))
    (one,) = with_citations(store, case).citations
    assert (one.status, one.uri, one.place) == ("moved", "valve.md#L3-L5", "valve.md#L5-L7")
    read_again(store, NOTE.replace("at noon", "at dusk"))
    (one,) = with_citations(store, case).citations
    assert one.status == "detached"


def test_a_citation_that_was_attached_goes_with_the_fix_and_is_undone(store: Store) -> None:
    case = case_with(store, "Wait.")
    kept = cite_in_case(store, case, "valve.md#L9", "mina")
    (one,) = with_citations(store, case).citations
    assert (one.kept, one.uri, one.status) == (kept.id, "valve.md#L7-L9", "attached")
    undo(store, "mina")
    assert with_citations(store, case).citations == ()
    assert citations_of(store, "resolution", str(case.resolutions[0].id)) == ()
    with pytest.raises(Fault, match="no fix"):
        cite_in_case(store, replace(case, resolutions=()), "valve.md#L9", "mina")


@pytest.mark.parametrize(
    "text",
    [
        "> quoted\n> — no place\n",
        "> — valve.md#L1\n",
        "> quoted\n\n> — valve.md#L1\n",
        "> quoted\n> — valve.md#L9-L2\n",
        "quoted\n> — valve.md#L1\n",
    ],
)
def test_what_only_looks_like_one_is_passed_over(text: str) -> None:
    assert cited_in(text) == ()


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_looked_through(text: str) -> None:
    for one in cited_in(f"{text}\n> a\n> — b#L1\n{text}"):
        assert parse(one.uri).path == one.workspace_path


def test_a_long_line_is_cut_at_a_blank(store: Store) -> None:
    read_again(store, "# Long\n\n" + "word " * 400)
    (found,) = cited_in(citation_block(store.con, "valve.md#L3", "word"))
    assert len(found.quote) <= SHOWN_QUOTE
    assert found.quote.endswith("word")


@pytest.mark.parametrize("name", ["[red]x[b].md", "a · b — c.md", "> — d.md", "한글 문서.md", "e (1), f.md"])
def test_whatever_a_file_is_called_its_citation_is_found_again(store: Store, name: str) -> None:
    root = Path(str(store.path)).with_name("docs")
    (root / name).write_text("# Head \x1b]52;c;eA==\x07 \u202e\n\nzebra \x9b31m [b]stripes[/]\n", encoding="utf-8")
    ingest(store, [root])
    block = citation_block(store.con, f"{name}#L3", "zebra")
    assert not {"\x1b", "\x07", "\x9b"} & set(block)
    (found,) = cited_in(f"before\n{block}after")
    assert found.workspace_path == name
    (one,) = with_citations(store, case_with(store, block)).citations
    assert one.status == "attached"
