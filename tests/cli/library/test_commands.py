"""`casebook library` as a person and a script meet it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.samples import sample_notes
from tests.schemas import check_schema

Run = Callable[..., Any]


@pytest.fixture
def filled(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line on a library of the sample notes and one hostile file, without a model."""
    monkeypatch.setenv("CASEBOOK_EMBEDDING_MODEL", "all-mpnet-base-v2")
    root = tmp_path / "notes"
    root.mkdir()
    for path in sample_notes().glob("*.md"):
        (root / path.name).write_bytes(path.read_bytes())
    (root / "nasty.md").write_text("# \x1b]52;c;eA==\x07 head\n\nzebra \u202e [red]x[/] \x9b31m\n", encoding="utf-8")
    assert run("library", "ingest", str(root)).code == 0
    return run


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_out_of_the_folder_is_named_and_followed_on_demand(run: Run, tmp_path: Path) -> None:
    outside, notes = tmp_path / "outside", tmp_path / "linked"
    outside.mkdir()
    notes.mkdir()
    (outside / "far.md").write_text("# Far\n\nzebra\n", encoding="utf-8")
    (notes / "a.md").write_text("# A\n\nhere\n", encoding="utf-8")
    (notes / "out").symlink_to(outside)
    assert "skipped, link out of the folder: out" in run("library", "ingest", str(notes)).text
    assert "2 files" in run("library", "ingest", "--follow-links").text
    assert run("library", "search", "zebra").code == 0
    assert "removed (links that point outside the folder): 1 (out/far.md)" in run("library", "ingest").text
    assert run("library", "search", "zebra").code == 1


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="no such files here")
def test_a_link_to_what_the_system_shows_as_a_file_is_not_followed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nhere\n", encoding="utf-8")
    (tmp_path / "cpu.md").symlink_to("/proc/cpuinfo")
    said = run("library", "ingest", "--follow-links", str(tmp_path)).text
    assert "skipped, link: cpu.md" in said


def test_ingest_reports_and_a_second_one_changes_nothing(run: Run, tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    (root / "a.md").write_text("# A\n\nwords\n")
    first = run("library", "ingest", str(root), "--json")
    assert first.code == 0
    assert first.json()["new"] == 1
    events = [json.loads(line) for line in first.said.splitlines()]
    assert [one["kind"] for one in events][-1] == "completed"
    for one in events:
        check_schema(one, "ingest_progress.v1")
    again = run("library", "ingest", "--json", "--summary-only").json()
    assert (again["new"], again["unchanged"], again["items"]) == (0, 1, None)
    assert "1 file " in run("library", "ingest").text
    refused = run("library", "ingest", str(tmp_path / "none"))
    assert refused.code == 2
    assert refused.said.count("\n") == 1


def test_a_search_is_dense_cited_and_one_object_with_json(filled: Run) -> None:
    plain = filled("library", "search", "환율표가 비어", "--explain")
    assert plain.code == 0
    head, label, *_ = plain.text.split("\n")
    assert head.startswith("1. 0.")
    assert "checkout-postmortem.md#L" in head
    assert label in ("조치", "원인", "무슨 일이 있었나")
    assert "└ lexical (bm25) rank 1 score " in plain.text
    assert "casebook library embed" in plain.text or "models" in plain.text
    found = filled("library", "search", "환율표가 비어", "--json").json()
    assert found["schema_version"] == "search_response.v1"
    hit = found["hits"][0]
    check_schema(hit, "search_hit.v1")
    check_schema(hit["citation"], "citation.v1")
    assert (hit["score_kind"], hit["retrieval"]["method"], hit["embedding_model"]) == ("bm25", "lexical", None)
    start, end = hit["matched"][0]
    assert hit["snippet"][start:end] in ("환율표", "환율표가", "비어")


def test_the_two_lines_shown_hold_the_lit_words(filled: Run, tmp_path: Path) -> None:
    root = tmp_path / "notes"
    (root / "long.txt").write_text("\n".join(f"row {n} of the ledger" for n in range(12)) + "\nquokka at last\n")
    assert filled("library", "ingest").code == 0
    lines = filled("library", "search", "quokka", "--mode", "lexical").text.split("\n")
    assert lines[0].startswith("1. ")
    assert any("quokka" in line for line in lines[1:4])


def test_what_is_hostile_is_shown_inert(filled: Run) -> None:
    told = filled("library", "search", "zebra", "--explain").text
    assert "nasty.md#L" in told
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(told)


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("qqqqzzzz",), 1, "No results"),
        (("x", "--tag", "nobody"), 2, "no document has the tag nobody"),
        (("x", "--since", "2999-01-01"), 1, "No document matches the filters."),
        (("  ",), 2, "the query is empty"),
        (("x", "-k", "0"), 2, "not 0"),
        (("x", "--cursor", "junk"), 2, "cursor"),
        (("x", "--since", "soon"), 2, "is not a date"),
        (("x", "--mode", "vector"), 2, "no semantic search"),
        (('NEAR("a b"', "--mode", "lexical"), 1, "No results"),
    ],
)
def test_each_odd_search_gets_a_clear_line(filled: Run, args: tuple[str, ...], code: int, said: str) -> None:
    found = filled("library", "search", *args)
    assert found.code == code
    assert said in found.text + found.said
    if code == 2:
        assert found.said.count("\n") == 1


def test_half_a_character_breaks_nothing(filled: Run, nasty: str) -> None:
    half = "\udc80" + nasty.replace("\0", "")
    assert filled("library", "search", f"x{half}", "--mode", "lexical").code in (0, 1)
    for option in ("--tag", "--lang", "--doc", "--path", "--repo", "--source", "--code-lang"):
        found = filled("library", "search", "zebra", option, half, "--mode", "lexical")
        assert found.code == 2, "no document has it"
        assert b"\x1b" not in found.out + found.err
    for args in (("list", "--after", half), ("inspect", half), ("inspect", f"{half}#L1")):
        found = filled("library", *args)
        assert found.code in (0, 1, 2)
        assert b"\x1b" not in found.out + found.err


def test_without_a_casebook_nothing_is_found_and_none_is_made(run: Run, home: Path) -> None:
    found = run("library", "search", "x", "--mode", "lexical")
    assert found.code == 1
    assert "casebook library ingest" in found.text
    assert not list(home.rglob("*.db"))


def test_many_queries_each_with_its_own_fault(filled: Run) -> None:
    lines = b'{"query": "zebra", "k": 1}\n{oops\n{"query": "", "mode": "lexical"}\n{"query": "retry", "lang": "en"}\n'
    streamed = filled("library", "search", "--jsonl", "--mode", "lexical", stdin=lines)
    assert streamed.code == 2
    kinds = [json.loads(line)["schema_version"] for line in streamed.out.splitlines()]
    assert kinds == ["search_response.v1", "error.v1", "error.v1", "search_response.v1"]
    bulk = filled("library", "search", "--bulk", "--mode", "lexical", stdin=lines)
    found = bulk.json()
    assert found["summary"] == {"total": 4, "succeeded": 2, "failed": 2}
    assert [bool(one["error"]) for one in found["results"]] == [False, True, True, False]
    many = filled("library", "search", "--jsonl", "--mode", "lexical", stdin=b'{"query": "zebra"}\n' * 102)
    assert [json.loads(line)["schema_version"] for line in many.out.splitlines()][99:] == [
        "search_response.v1", "error.v1", "error.v1",
    ]  # fmt: skip


def test_list_inspect_and_index(filled: Run) -> None:
    page = filled("library", "list", "--json", "--limit", "2").json()
    assert page["total"] == 6
    rest = filled("library", "list", "--json", "--after", page["next"]).json()
    assert len(rest["documents"]) == 4
    passages = sum(one["chunk_count"] for one in (*page["documents"], *rest["documents"]))
    assert filled("library", "list", "--tag", "nobody").code == 2
    assert "matches the filters" in filled("library", "list", "--since", "2999-01-01").text
    assert "No more documents after 6." in filled("library", "list", "--after", "zz").text
    doc = filled("library", "inspect", "http-client.md", "--json").json()
    assert doc["schema_version"] == "doc_inspection.v1"
    uri = doc["chunks"][1]["citation"]["uri"]
    assert filled("library", "inspect", uri, "--json").json()["chunk_id"] == doc["chunks"][1]["chunk_id"]
    for act in ("inspect", "open"):
        lost = filled("library", act, "nothing.md", "--json")
        assert (lost.code, lost.out, lost.fault()["code"]) == (1, b"", "not_indexed")
    before = filled("library", "search", "timeout", "--json", "--mode", "lexical").json()["hits"]
    assert filled("library", "index", "--rebuild-fts", "--json").json()["passages"] == passages
    assert filled("library", "search", "timeout", "--json", "--mode", "lexical").json()["hits"] == before


def test_reset_removes_one_folder_and_keeps_the_others(filled: Run, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "zebra.md").write_text("# Quokka\n\nA quokka sleeps near the gate.\n", encoding="utf-8")
    assert filled("library", "ingest", str(other)).code == 0
    assert filled("library", "reset", "--folder", str(other)).code == 2  # nobody can be asked
    wrong = filled("library", "reset", "--folder", str(tmp_path), "--yes", "--json")
    assert (wrong.code, wrong.fault()["code"]) == (2, "invalid_input")
    assert str(other) in str(wrong.fault()["hint"])
    before = filled("library", "list", "--json").json()["total"]
    done = filled("library", "reset", "--folder", str(other), "--yes", "--json").json()
    assert (done["scope"], done["documents"], done["sources"]) == ("folder", 1, 1)
    assert filled("library", "list", "--json").json()["total"] == before - 1
    assert filled("library", "search", "quokka", "--mode", "lexical").code == 1
    assert (other / "zebra.md").exists()
    first = filled("library", "reset", "--folder", str(tmp_path / "notes"), "--yes")
    assert first.code == 0
    assert filled("library", "ingest", str(other)).code == 0
    assert filled("library", "search", "quokka", "--mode", "lexical").code == 0


def test_reset_asks_and_leaves_the_files(filled: Run, tmp_path: Path) -> None:
    assert filled("library", "reset", "--data-only").code == 2  # nobody can be asked
    assert filled("library", "reset").code == 2
    assert filled("library", "list", "--json").json()["total"] == 6
    (tmp_path / "notes" / "nasty.md").unlink()
    assert filled("library", "reset", "--orphans-only", "--yes").code == 0
    assert filled("library", "list", "--json").json()["total"] == 5
    done = filled("library", "reset", "--data-only", "--yes", "--json")
    assert done.code == 0
    assert done.json()["schema_version"] == "reset_report.v1"
    assert filled("library", "list").code == 1
    assert len(list((tmp_path / "notes").glob("*.md"))) == 5


SUITE = """\
suite: small
corpus: [notes]
queries:
  - id: a
    query: safe to repeat
    expect: [{doc: http-client.md, section: Retries}]
    must_contain: [GET]
  - {id: b, query: 잠금, kind: short, expect: [{doc: database-care.md, section: 잠금}], forbidden: [zebra]}
  - {id: c, query: nobody says this, expect: [{doc: gone.md, quote: "x"}]}
"""


def test_an_evaluation_measures_keeps_and_compares(filled: Run, tmp_path: Path) -> None:
    suite = tmp_path / "small.yaml"
    suite.write_text(SUITE, encoding="utf-8")
    first = filled("library", "eval", str(suite), "--mode", "lexical", "--keep", "--json")
    assert first.code == 1
    found = first.json()
    assert found["unanswerable"] == ["c"]
    rows = {one["name"]: one for one in found["systems"]}
    assert rows["lexical"]["hit_at_1"] == pytest.approx(2 / 3, abs=1e-3)
    assert (rows["lexical"]["must_contain"], rows["lexical"]["forbidden"]) == (1.0, 1.0)
    assert found["pairings"][0]["than"] == "plain OR"
    again = filled("library", "eval", str(suite), "--mode", "lexical", "--compare", "--json").json()
    assert (again["compared_with"], again["moved"]) == (found["run_id"], [])
    told = filled("library", "eval", str(suite), "--mode", "lexical").text
    assert "lexical - plain OR, paired: +" in told
    suite.write_text("queries: [{query: x, expct: []}]", encoding="utf-8")
    said = filled("library", "eval", str(suite)).said
    assert "unknown key: expct" in said
    assert "expect: [{doc: PATH, section: HEADING}]" in said, "an installed copy has no page to look it up in"


def test_the_house_suite_is_sixty_questions_in_two_languages() -> None:
    from core.library.evaluation import read_suite

    suite = read_suite(Path(__file__).parents[2] / "data" / "library" / "house.yaml")
    assert len(suite.queries) == 60
    assert {"identifier", "question", "paraphrase", "short", "cross"} == {one.kind for one in suite.queries}
    assert sum(one.lang == "ko" for one in suite.queries) >= 18
    assert all(one.expect for one in suite.queries)


def test_a_language_or_a_type_that_no_document_can_have_is_refused_with_the_choices(filled: Run) -> None:
    unknown = filled("library", "search", "retry", "--lang", "xx")
    assert unknown.code == 2
    assert b"unknown language: xx" in unknown.err
    assert b"ko, en, mixed" in unknown.err
    assert filled("library", "list", "--type", "code").code == 2
    assert filled("library", "list", "--lang", "mixed").code in (0, 1), "a language that no document has is no error"


def test_the_settings_say_how_many_hits_a_page_has_and_how_long_they_are(
    filled: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hits(*args: str) -> list[Any]:
        return filled("library", "search", "the", "--mode", "lexical", "--json", *args).json()["hits"]

    usual = hits()
    assert len(usual) > 2
    assert max(len(hit["snippet"]) for hit in usual) > 60
    monkeypatch.setenv("CASEBOOK_SEARCH_DEFAULT_K", "2")
    monkeypatch.setenv("CASEBOOK_SEARCH_SNIPPET_CHARS", "50")
    assert len(hits()) == 2
    assert max(len(hit["snippet"]) for hit in hits()) <= 60
    assert len(hits("-k", "1")) == 1
    assert max(len(hit["snippet"]) for hit in hits("--snippet-chars", "220")) > 60
