"""`casebook errors`: what it answers, as text and as JSON that satisfies its schema."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.base.managed_block import write_block
from core.errors import observe, record_resolution
from core.errors.cases.record import Name
from core.errors.identity.fingerprint import identify
from core.store import open_store
from tests.flows.harvest.chat import LOOKUP
from tests.flows.harvest.test_session import Transcript

Run = Callable[..., Any]
BOOM = "TypeError: Cannot read properties of undefined (reading 'price')"


@pytest.fixture
def filled(run: Run) -> Run:
    """A casebook with one fix."""
    args = ("--resolved-by", "Edit", "--tool-sequence", '["Read", "Edit"]')
    assert (
        run("errors", "record", "--error", BOOM, "--resolution", "장바구니가 비었는지 먼저 확인한다", *args).code == 0
    )
    return run


@pytest.mark.parametrize(
    ("since", "code"),
    [
        ("2026-03-01", 0),
        ("20260301", 0),
        ("20260302", 1),
        ("2026-W09", 0),
        ("2026-W10", 1),
        ("2026-03-01 09:00", 0),
        ("2026-03-01 11:00", 1),
        ("2026-03-01T11:00+09:00", 0),
        ("0001-01-01T00:00+10:00", 2),
        ("yesterday", 2),
    ],
)
def test_each_form_of_a_date_means_that_date(run: Run, tmp_path: Path, since: str, code: int) -> None:
    name = identify(BOOM)
    with open_store(tmp_path / "dated.db", write=True, create=True) as store, store.transaction() as con:
        observe(
            con, Name(name.key_line, name.normalized, name.fingerprint, name.tool), session_id=None, message_idx=None,
            tool=None, project=None, ts="2026-03-01T10:00:00.000Z", raw=BOOM,
        )  # fmt: skip
    found = run("errors", "list", "--since", since, "--db", str(tmp_path / "dated.db"))
    assert found.code == code
    assert code < 2 or "--since is not a date or time" in found.said


def test_normalize_names_the_error(run: Run) -> None:
    found = run("errors", "normalize", "--json", f"    at x (/app/a.js:3)\n{BOOM}\n").json()
    assert found["key_line"] == BOOM
    assert found["normalized"]
    assert found["fingerprint"]
    plain = run("errors", "normalize", BOOM)
    assert plain.code == 0
    assert f"key line     {BOOM}" in plain.text


def test_a_fix_is_recorded_and_found(filled: Run) -> None:
    found = filled("errors", "search", BOOM, "--json")
    assert found.code == 0
    match = found.json()["match"]
    assert match["tier"] == "fingerprint"
    assert match["resolution"] == "장바구니가 비었는지 먼저 확인한다"
    assert match["tool_sequence"] == ["Read", "Edit"]
    assert match["resolved_by"] == "Edit"
    plain = filled("errors", "search", stdin=BOOM.encode())
    assert plain.code == 0
    assert "장바구니가 비었는지 먼저 확인한다" in plain.text
    assert "why" in plain.text
    assert "Search trace" not in plain.text
    assert "Search trace" in filled("errors", "search", BOOM, "--verbose").text


def test_a_look_up_counts_once_unless_told_not_to(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def uses(*args: str) -> int:
        return filled("errors", "search", BOOM, "--json", *args).json()["match"]["use_count"]

    assert uses() == 2
    assert uses("--no-count") == 2
    assert uses("--no-count", "--tiers", "all") == 2
    monkeypatch.setenv("CASEBOOK_SEARCH_COUNT", "false")
    assert uses() == 2
    monkeypatch.delenv("CASEBOOK_SEARCH_COUNT")
    assert uses() == 3


def test_a_look_up_that_counts_is_kept_with_the_session_that_asked(filled: Run, home: Path) -> None:
    for args in ((), ("--no-count",), ("--session", "s7")):
        assert filled("errors", "search", BOOM, *args).code == 0
    with open_store(home / ".local" / "share" / "casebook" / "casebook.db") as store:
        rows = store.con.execute("SELECT via, session_id, repository <> '' FROM answer_outcome").fetchall()
    assert rows == [("search", None, 1), ("search", "s7", 1)]


def test_an_unknown_error_exits_1_and_a_missing_casebook_is_not_made(run: Run, home: Path) -> None:
    found = run("errors", "search", BOOM)
    assert found.code == 1
    assert "No known fix" in found.text
    assert run("errors", "search", BOOM, "--json").json()["match"] is None
    assert not (home / ".local").exists()


def test_a_known_error_without_a_fix_comes_before_the_fix_of_another(filled: Run, home: Path) -> None:
    daemon = "Error response from daemon: could not "
    itself = f"{daemon}create, the container name is already in use now"
    with open_store(home / ".local" / "share" / "casebook" / "casebook.db", write=True) as store:
        record_resolution(store, f"{daemon}reach network frontend declared as external, but missing", "create it")
        name = identify(itself)
        with store.transaction() as con:
            known = observe(
                con, Name(name.key_line, name.normalized, name.fingerprint, name.tool), session_id=None,
                message_idx=None, tool="Bash", project="shop", ts="2026-03-01T10:00:00.000Z", raw=itself,
            )  # fmt: skip
    found = filled("errors", "search", itself)
    assert found.code == 1
    head, _, rest = found.text.partition("Rejected candidates:")
    assert head.startswith(f"Known error, but it has no fix yet.\n  case         {known}, fingerprint tier\n")
    assert "No known fix" not in head
    assert rest.count("  case ") == 1, "the known error itself is not repeated"
    assert "different error, low confidence" in " ".join(rest.split())
    answer = filled("errors", "search", itself, "--json").json()
    assert answer["match"] is None
    assert [one["tier"] for one in answer["candidates"]] == ["fingerprint", "prefix"]
    assert "unfixed" not in answer, "what can be derived is no part of the contract"


def test_an_error_that_only_shares_its_words_is_named_but_answers_nothing(filled: Run) -> None:
    part = " ".join(BOOM.split()[1:])
    found = filled("errors", "search", part, "--no-count")
    assert found.code == 1
    assert "contains every word" in found.text
    assert "casebook errors show 1" in found.text


def test_record_makes_the_casebook_private(filled: Run, home: Path) -> None:
    database = home / ".local" / "share" / "casebook" / "casebook.db"
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    assert stat.S_IMODE(database.parent.stat().st_mode) == 0o700
    again = filled(
        "errors", "record", "--error", "-", "--resolution", "Another way", "--json", stdin=BOOM.encode()
    ).json()
    assert again["use_count"] == 2


def test_list_show_and_pages(filled: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        filled("errors", "record", "--error", f"Error: thing {chr(97 + number) * 5} broke", "--resolution", "x")
    page = filled("errors", "list", "--json", "--limit", "3").json()
    assert len(page["cases"]) == 3
    rest = filled("errors", "list", "--json", "--limit", "3", "--after", page["next"]).json()
    assert len(rest["cases"]) == 1
    assert rest["next"] is None
    assert len({case["id"] for case in page["cases"] + rest["cases"]}) == 4
    case_id = str(rest["cases"][0]["id"])
    case = filled("errors", "show", case_id, "--json").json()
    assert case["resolutions"][0]["current"] is True
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        plain = filled("errors", "show", case_id)
    assert "current" in plain.text
    assert all(len(line) <= 80 for line in plain.text.split("\n"))
    listed = filled("errors", "list", "--limit", "2")
    assert "--after" in listed.text
    assert listed.text.count("\n") == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "1 path could not be read and was skipped:\n  {}: it contains no cases\n"),
     ("{bad\n", "1 line could not be read and was skipped:\n  {}:1: not JSON\n")],
)  # fmt: skip
def test_a_file_that_holds_no_case_was_not_taken_over(filled: Run, tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text)
    nothing = filled("errors", "import", str(file))
    assert nothing.code == 1
    assert nothing.text == f"Read 0 files: nothing new.\n{told.format(file)}"
    file.write_text(text + '{"error": "Error: boom"}')
    for errors in (1, 0):  # that some lines are no cases, or all are known, is no reason to say so
        again = filled("errors", "import", str(file), "--json")
        assert (again.code, again.json()["files"], again.json()["errors"]) == (0, 1, errors)


def test_a_block_for_agents_says_why_it_cannot_be_imported(filled: Run, tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    write_block(file, "fixes", "Known errors and their fixes")
    nothing = filled("errors", "import", str(file))
    assert nothing.code == 1
    assert "its block of fixes is only for agents (to import fixes, export them to another .md file)" in nothing.text


def test_what_is_not_there_exits_1(filled: Run) -> None:
    for number in ("99", "-1", str(10**30)):
        found = filled("errors", "show", "--json", "--", number)
        assert (found.code, found.out) == (1, b"")
        assert found.fault()["code"] == "not_indexed"
    assert filled("errors", "list", "--tool", "nope").code == 1
    assert filled("errors", "list", "--tool", "nope", "--json").json()["cases"] == []


def test_a_number_beyond_sqlite_is_only_not_there(filled: Run) -> None:
    for line in (
        "undo --change", "undo --list --before", "rules reject", "rules accept --file x.md",
        "errors history 1 --before", "errors verify 1 --fix", "errors lesson 1 --fix",
    ):  # fmt: skip
        done = filled(*line.split(), str(10**30), "--json")
        assert done.code in (0, 1, 2)
        assert b"OverflowError" not in done.err, line


def test_cases_go_out_and_come_in_again(filled: Run, tmp_path: Path) -> None:
    file, other = tmp_path / "cases.jsonl", str(tmp_path / "other.db")
    assert filled("errors", "export", "-o", str(file)).out == b""
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert filled("errors", "export", "-o", str(file), "--json").fault()["code"] == "invalid_input"
    report = filled("errors", "export", "-o", str(file), "--force", "--json").json()
    assert report == {
        "schema_version": "export_report.v1", "path": str(file), "count": 1, "size": file.stat().st_size,
    }  # fmt: skip
    assert filled("errors", "export").out == file.read_bytes()
    page = file.with_suffix(".md")
    filled("errors", "export", "-o", str(page))
    assert page.read_bytes() == filled("errors", "export", "--format", "markdown").out, "the extension names the format"
    report = filled("errors", "import", str(file), "--db", other, "--json").json()
    assert (report["errors"], report["resolutions"]) == (1, 1)
    again = filled("errors", "import", str(file), "--db", other, "--json").json()
    assert (again["errors"], again["resolutions"]) == (0, 0)
    assert filled("errors", "search", BOOM, "--db", other, "--json").json()["match"]["resolution"]
    for form in ("csv", "markdown"):
        assert BOOM in filled("errors", "export", "--format", form).text


def test_some_of_the_cases_go_out_and_their_number_is_told(filled: Run, tmp_path: Path) -> None:
    filled("errors", "record", "--error", "Error: none of these", "--resolution", "x")
    file = tmp_path / "some.jsonl"
    assert f"wrote {file}, 2 cases, " in filled("errors", "export", "-o", str(file)).said
    filled("errors", "verify", "1")
    done = filled("errors", "export", "--status", "verified", "-o", str(file), "--force")
    assert f"wrote {file}, 1 case, " in done.said
    assert done.out == b""
    assert filled("errors", "export", "--status", "verified").out == file.read_bytes()
    assert filled("errors", "export", "--tag", "nope").out == b""
    both = filled("errors", "export", "--fixes", "--tool", "tsc", "--json")
    assert (both.code, both.fault()["hint"]) == (2, "omit the filter or --fixes")


def test_the_title_of_a_change_marks_where_it_was_cut(run: Run) -> None:
    error = "Error: the very long name of " + "a module " * 40 + "was not found"
    run("errors", "record", "--error", error, "--resolution", "name it shorter")
    (change,) = run("undo", "--list", "--json").json()["changes"]
    assert change["title"] == f"record a fix for: {error[:199]}…"


def test_a_secret_reaches_no_output_and_no_file(run: Run, home: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    done = run("errors", "record", "--error", f"Error: bad credentials {secret}", "--resolution", f"use {secret}")
    assert done.said == "2 secrets masked.\n"
    assert run("errors", "edit", "1", "--resolution", f"take {secret}").said == "1 secret masked.\n"
    assert run("errors", "edit", "1", "--resolution", "take none").said == ""
    run("errors", "export", "-o", str(home / "out.jsonl"))
    shown = run("errors", "show", "1").text + run("errors", "list").text + run("errors", "export").text
    assert secret not in shown
    assert not any(secret.encode() in p.read_bytes() for p in home.rglob("*") if p.is_file())


def test_jsonl_answers_every_line_in_order(filled: Run) -> None:
    lines = [
        json.dumps({"text": BOOM}),
        "not json",
        "",
        json.dumps({"text": "Error: 처음 보는 오류"}, ensure_ascii=False),
        '{"text": 3}',
        "[1]",
        "[" * 100_000,
        json.dumps({"text": "  "}),
        '{"text": "Error: \\ud800 \\u0000"}',
        "9" * 5000,
        json.dumps({"text": BOOM}),
    ]
    kinds = ["search", "error", "error", "search", "error", "error", "error", "error", "search", "error", "search"]
    found = filled("errors", "search", "--jsonl", stdin="\n".join(lines).encode())
    assert found.code == 2
    assert found.err == b""
    answers = [json.loads(line) for line in found.text.splitlines()]
    assert [a["schema_version"] for a in answers] == [
        {"search": "error_search.v1", "error": "error.v1"}[k] for k in kinds
    ]
    assert [a["details"]["line"] for a in answers if "details" in a] == [2, 3, 5, 6, 7, 8, 10]
    assert answers[0]["match"]["use_count"] + 1 == answers[-1]["match"]["use_count"]
    fine = filled("errors", "normalize", "--jsonl", stdin=b'\xef\xbb\xbf{"text": "Error: \xff"}\r\n')
    assert fine.code == 0
    assert json.loads(fine.out)["key_line"] == "Error: \ufffd"
    assert filled("errors", "search", "--jsonl").code == 0


def test_jsonl_survives_a_line_that_is_too_long(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from cli import stream

    monkeypatch.setattr(stream, "MAX_LINE", 100)
    monkeypatch.setattr(stream.capped_lines, "__defaults__", (100,))
    long = json.dumps({"text": "Error: " + "x" * 5_000_000})
    found = run(
        "errors", "normalize", "--jsonl", stdin=f'{{"text": "E: a"}}\n{long}\n{{"text": "E: b"}}\n{long}'.encode()
    )
    kinds = [json.loads(line)["schema_version"] for line in found.text.splitlines()]
    assert kinds == ["error_id.v1", "error.v1", "error_id.v1", "error.v1"]


def test_jsonl_tells_a_fault_of_the_casebook_on_every_line(run: Run, tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    db.write_bytes(b"nonsense" * 1000)
    found = run("errors", "search", "--jsonl", "--db", str(db), stdin=b'{"text": "a b c"}\n' * 3)
    assert found.code == 2
    assert [json.loads(line)["code"] for line in found.text.splitlines()] == ["db_damaged"] * 3


def test_hostile_texts_act_on_nothing(run: Run, nasty: str, json_safe: Callable[[str], str]) -> None:
    query = nasty.replace("\0", "") or "x"
    recorded = run("errors", "record", "--error", nasty, "--resolution", nasty, "--resolved-by", nasty, "--json")
    assert recorded.code == 0
    recorded.json()
    for args in (
        ("errors", "normalize", nasty), ("errors", "search", nasty, "--verbose"), ("errors", "show", "1"),
        ("errors", "list"), ("errors", "list", "--project", query), ("errors", "export", "--format", "markdown"),
        ("errors", "export", "--format", "csv"), ("errors", "export"),
    ):  # fmt: skip
        found = run(*args)
        assert found.code in (0, 1), args
        shown = found.text + found.said
        assert not [c for c in shown if (c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f"], args
        assert not [c for c in shown if c in "\u202e\u2066\u200b\ufeff"], args
    found = run("errors", "search", nasty, "--json")
    assert found.code == 0
    assert found.json()["match"]["id"] == 1
    stream = run("errors", "search", "--jsonl", stdin=(json.dumps({"text": nasty}) + "\n").encode() * 2)
    assert stream.code == 0
    assert [json.loads(line)["match"]["id"] for line in stream.text.splitlines()] == [1, 1]
    assert json.loads(stream.text.splitlines()[0])["query"]["raw"] == json_safe(nasty)


def test_without_a_casebook_a_search_says_how_to_begin(run: Run, home: Path) -> None:
    done = run("errors", "search", "Error: anything at all")
    assert (done.code, done.text.splitlines()[-1]) == (1, "No casebook found. Run: casebook import auto")
    assert "tried" not in done.text
    assert list(home.rglob("casebook.db")) == []


def test_another_name_is_told_in_every_form(run: Run) -> None:
    text = 'ERROR: column "{}" of relation "billing_account" already exists'
    run("errors", "record", "--error", text.format("vat_id"), "--resolution", "migrate billing 0042 --fake")
    found = run("errors", "search", text.format("iban"), "--no-count")
    assert found.code == 0
    assert "names differ: vat_id / iban (low confidence" in " ".join(found.text.split())
    match = run("errors", "search", text.format("iban"), "--no-count", "--json").json()["match"]
    assert (match["confidence"], match["other_names"]) == ("low", [{"known": "vat_id", "searched": "iban"}])
    assert "names differ: vat_id / iban" in match["why"]


@pytest.fixture
def harvested(run: Run, tmp_path: Path) -> Run:
    """A casebook with one harvested fix."""
    chat = Transcript(tmp_path / "in").bash("python app.py", LOOKUP, 1).edit().bash("python app.py", "fine")
    assert run("import", "claude-code", str(chat.save())).code == 0
    return run


def test_a_lesson_is_shown_as_a_card(harvested: Run) -> None:
    found = harvested("errors", "lesson", "1", "--json").json()
    assert found["schema_version"] == "lesson.v1"
    assert (found["check"], found["not"], found["told"]) == ("python app.py", [], 0)
    plain = harvested("errors", "lesson", "1").text
    assert "when         KeyError: 'currency'" in plain and "check        python app.py" in plain
    assert "check        python app.py" in harvested("errors", "show", "1").text
    assert harvested("errors", "show", "1", "--json").json()["resolutions"][0]["lesson"]["check"] == "python app.py"


def test_a_long_output_is_shown_around_its_key_line(run: Run, tmp_path: Path) -> None:
    red = LOOKUP.replace("KeyError", "\x1b[31mKeyError\x1b[0m")
    output = "\n".join([*(f"ok {n}" for n in range(40)), red, *(f"end {n}" for n in range(40))])
    chat = Transcript(tmp_path / "in").bash("python app.py", output, 1).edit().bash("python app.py", "fine")
    assert run("import", "claude-code", str(chat.save())).code == 0
    shown = run("errors", "show", "1").text
    seen, _, _ = shown.partition("  output  ")[2].partition("\n\nFix ")
    assert "lines before, --verbose shows all" in seen and "KeyError: 'currency'" in seen and "ok 2\n" not in seen
    assert seen.count("\n") < 15 and seen.endswith("… (--verbose shows all)")
    assert shown.count("**Change**") == 0, "the card says it"
    assert "**Change**" in run("errors", "show", "1", "--verbose").text


def test_a_lesson_is_confirmed_for_every_project_and_that_is_undone(harvested: Run) -> None:
    def scope() -> str:
        return str(harvested("errors", "lesson", "1", "--json").json()["scope"])

    before = scope()
    done = harvested("errors", "lesson", "1", "--general")
    assert done.code == 0 and "Lesson valid in every project: case 1." in done.text
    assert scope() == "general"
    assert harvested("undo").code == 0 and scope() == before


def test_a_case_without_a_lesson_says_so(filled: Run) -> None:
    done = filled("errors", "lesson", "1")
    assert done.code == 1 and "case 1 has no lesson in fix 1" in done.said
    assert filled("errors", "lesson", "77").code == 1


def test_an_answer_is_a_card_and_names_the_command_for_the_whole_fix(harvested: Run) -> None:
    line = harvested("errors", "list", "--json").json()["cases"][0]["key_line"]
    found = harvested("errors", "search", line, "--no-count").text
    assert "\n  do           " in found and "\n  check        python app.py" in found
    assert "\n  full fix     casebook errors show 1\n" in found and "\n  fix  " not in found
    whole = harvested("errors", "search", line, "--no-count", "--verbose").text
    assert "\n  fix  " in whole and "full fix" not in whole
