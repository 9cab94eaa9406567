"""Verified fixes out and in again: every form brings back all of it, whatever stands in the texts."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import Source, record_resolution, show_case
from core.errors.curation.decisions import edit, mark_noise, reject, verify
from core.errors.curation.merging import merge
from core.errors.curation.splitting import shared_fixes, split
from core.errors.curation.transaction import Written, look
from core.errors.exchange.case_export import Format, export_cases, export_fixes
from core.errors.exchange.case_import import import_cases
from core.errors.identity.fingerprint import identify
from core.store import open_store
from tests.casebooks import new_casebook

SUFFIX: dict[Format, str] = {"jsonl": ".jsonl", "csv": ".csv", "markdown": ".md"}
ERRORS = ("error TS2304: Cannot find name 'alpha'.", "error TS2304: Cannot find name 'beta'.", "오류: 포트가 없습니다")
HOSTILE = (
    "=HYPERLINK(\"x\")", "json:1", "a\r\nb\rc", "\x1b]52;c;aGk=\x07", "<!-- casebook:end -->", "--> <!--",
    "`a` ``b``",     "# h\n\n```\n<!-- casebook:fix {} -->\n```", "\n\nlead and trail\n\n", "NUL \x00 \u202e \ufeff",
    "그렇게, \"하세요\"",
    "\\u001b", " ", "-1", "@x", "\t",
)  # fmt: skip
texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40))
fixes = st.lists(
    st.tuples(
        st.integers(0, 2),
        texts.filter(lambda text: bool(text.strip())),
        st.none() | texts,
        st.lists(texts, max_size=3),
        st.lists(texts, max_size=3),
        st.none() | st.tuples(texts, st.lists(st.integers(0, 9), max_size=2)),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=fixes, apart=st.booleans())
def test_all_of_a_fix_comes_back_in_every_form(drawn: list[tuple], apart: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with new_casebook(folder / "one.db") as store:
            for error in ERRORS:
                record_resolution(store, error, "a draft")
            for at, text, by, tools, tags, source, own in drawn:
                mark = identify(ERRORS[at]).fingerprint
                case = store.con.execute("SELECT case_id FROM fingerprint WHERE fingerprint = ?", (mark,)).fetchone()
                place = Source(None) if source is None else Source(source[0], tuple(source[1]))
                written = Written(text, by, tuple(tools), tuple(tags), place)
                seen = look(store.con, int(str(case[0] if case else 0)), mark if own else None)
                edit(store, "김", [seen], written, status="verified", whole_case=not own)
            if apart:
                leaving = [identify(ERRORS[0]).fingerprint]
                keep = [fix.id for fix in shared_fixes(store, 1, leaving)]
                split(store, "김", look(store.con, 1), leaving, keep=keep)
            else:
                merge(store, "김", look(store.con, 1), [look(store.con, 2)])
            out: dict[Format, str] = {form: "".join(export_fixes(store, form)) for form in SUFFIX}
        for form, suffix in SUFFIX.items():
            if form != "markdown":
                assert not {char for char in out[form] if ord(char) < 32} - {"\n", "\t"}
            path = folder / f"fixes{suffix}"
            path.write_text(out[form], encoding="utf-8", newline="")
            with new_casebook(folder / f"{form}.db") as store:
                report = import_cases(store, path)
                assert not report.skipped
                assert report.resolutions == out["jsonl"].count("\n")
                assert "".join(export_fixes(store, "jsonl")) == out["jsonl"]
                assert "".join(export_fixes(store, form)) == out[form]
                again = import_cases(store, path)
                assert (again.errors, again.resolutions) == (0, 0)


def test_only_what_may_answer_leaves(tmp_path: Path) -> None:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        for error in (*ERRORS, "fatal: not a tree here"):
            record_resolution(store, error, f"fix of {error}")
        verify(store, "kim", [look(store.con, 1), look(store.con, 2), look(store.con, 3)])
        reject(store, "kim", [look(store.con, 2)], "no")
        mark_noise(store, "kim", [look(store.con, 3)])
        told = [json.loads(line) for line in export_fixes(store)]
    assert [fix["status"] for fix in told] == ["verified"]
    assert told[0]["schema_version"] == "fix.v1"


def test_a_text_changed_by_hand_comes_back_as_a_draft(tmp_path: Path) -> None:
    with open_store(tmp_path / "one.db", create=True) as store:
        record_resolution(store, ERRORS[0], "first words", status="verified", tool_sequence=["Edit"])
        page = "".join(export_fixes(store, "markdown"))
    path = tmp_path / "CLAUDE.md"
    path.write_text("# My rules\n\nBe kind.\r\n" + page.replace("first words", "better words") + "\nThe end.\n")
    with open_store(tmp_path / "one.db", write=True) as store:
        assert import_cases(store, path).resolutions == 1
        case = show_case(store, 1)
    assert case is not None
    assert [(one.text, one.status, one.tool_sequence) for one in case.resolutions] == [
        ("better words", "draft", ("Edit",)),
        ("first words", "verified", ("Edit",)),
    ]


def test_a_block_that_is_broken_is_skipped_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_text("<!-- casebook:fix {no -->\n<!-- casebook:end -->\n\n<!-- casebook:fix {} -->\ntext, and no end\n")
    table = tmp_path / "fixes.csv"
    table.write_text('error,resolution,keys,use_count\nboom at dawn,sleep in,,nan?\nboom,"a\nb",,1\n')
    with open_store(tmp_path / "casebook.db", create=True) as store:
        assert [one.line for one in import_cases(store, path).skipped] == [1, 4]
        report = import_cases(store, table)
        assert ([one.line for one in report.skipped], report.resolutions) == ([2], 1)


def test_a_table_holds_no_formula(tmp_path: Path) -> None:
    with open_store(tmp_path / "casebook.db", create=True) as store:
        record_resolution(store, ERRORS[0], "=cmd|' /C calc'!A0", status="verified", resolved_by="@me")
        table = "".join(export_fixes(store, "csv"))
    (row,) = csv.DictReader(io.StringIO(table))
    assert row["resolution"] == "json:\"=cmd|' /C calc'!A0\""
    assert not [cell for cell in row.values() if cell.startswith(("=", "+", "-", "@"))]


def test_cases_whole_keep_their_history_tags_links_and_marks(tmp_path: Path) -> None:
    with open_store(tmp_path / "one.db", create=True) as store:
        for error in ERRORS:
            record_resolution(store, error, "a draft")
        written = Written("the fix", "me", ("Edit",), ("t",), Source("s1", (3, 4)))
        edit(store, "kim", [look(store.con, 1)], written, status="verified")
        reject(store, "kim", [look(store.con, 2)], "no good")
        mark_noise(store, "kim", [look(store.con, 2)], "not ours")
        lines = "".join(export_cases(store))
        first = [show_case(store, at) for at in (1, 2)]
    path = tmp_path / "cases.jsonl"
    path.write_text(lines, encoding="utf-8")
    with open_store(tmp_path / "two.db", create=True) as store:
        import_cases(store, path)
        second = [show_case(store, at) for at in (1, 2)]
    for one, other in zip(first, second, strict=True):
        assert one is not None
        assert other is not None
        assert (other.status, other.resolution, other.keys) == (one.status, one.resolution, one.keys)
        told, kept = (
            [
                (fix.text, fix.status, fix.tags, fix.source, fix.reason, fix.current, fix.replaced_by is None)
                for fix in case.resolutions
            ]
            for case in (one, other)
        )
        assert told == kept
