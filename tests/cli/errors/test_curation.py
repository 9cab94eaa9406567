"""Deciding from the shell: each act as JSON and as text, the exit codes, undo and redo, and hostile texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.format.layout import width

Run = Callable[..., Any]

ERRORS = ("error TS2304: Cannot find name 'alpha'.", "error TS2304: Cannot find name 'beta'.", "fatal: bad object here")


@pytest.fixture
def filled(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("LOGNAME", "김")
    for error in ERRORS:
        assert run("errors", "record", "--error", error, "--resolution", f"first idea for {error}").code == 0
    return run


def answer(run: Run, error: str) -> tuple[str, str] | None:
    match = run("errors", "search", error, "--json", "--no-count").json()["match"]
    return None if match is None else (match["resolution"], match["status"])


def test_the_queue_is_worked_off(filled: Run) -> None:
    page = filled("errors", "triage", "--json").json()
    assert (page["left"], [row["id"] for row in page["cases"]]) == (2, [1, 2])
    done = filled("errors", "verify", "1", "2", "--json")
    assert (done.code, done.json()["cases"]) == (0, [1, 2])
    assert filled("errors", "triage").code == 1
    assert "Nothing to triage" in filled("errors", "triage").text
    again = filled("errors", "verify", "1", "--json")
    assert (again.code, again.json()["unchanged"], again.json()["change"]) == (1, [1], None)
    assert filled("undo").code == 0
    assert "2 undecided" in filled("errors", "triage").text


def test_a_status_is_called_alike_wherever_it_is_given_or_shown(
    filled: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"error": "Error: nobody fixed this 한글한글한글한글한글한글한글"}))
    assert filled("errors", "import", str(tmp_path / "x.jsonl")).code == 0
    assert filled("errors", "verify", "1").code == filled("errors", "reject", "2").code == 0
    for status, case in (("unresolved", 3), ("verified", 1), ("rejected", 2)):
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", "80")
            _, row = filled("errors", "list", "--status", status).text.splitlines()
        assert row.split()[:2] == [str(case), status]
        assert width(row) <= 80
    assert filled("errors", "triage").text.splitlines()[1].split()[:2] == ["3", "unresolved"]
    assert "1 unresolved" in filled("schema").text


def test_a_case_without_changes_is_no_case_that_is_not_there(filled: Run, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"error": "Error: nobody fixed this"}))
    assert filled("errors", "import", str(tmp_path / "x.jsonl")).code == 0
    same = filled("errors", "history", "3")
    assert (same.code, same.text) == (1, "No changes yet.\n")
    for number in ("99", str(10**30)):
        lost = filled("errors", "history", number, "--json")
        assert (lost.code, lost.out, lost.fault()["code"]) == (1, b"", "not_indexed")
    assert filled("errors", "history", "1").code == 0


def test_edit_keeps_what_is_not_named(filled: Run) -> None:
    args = ("--resolution", "declare it", "--tag", "ts", "--tag", "이름", "--tool-sequence", '["Read", "Edit"]')
    assert filled("errors", "edit", "2", *args, "--source", "a:b:3,4", "--verify").code == 0
    assert answer(filled, ERRORS[2]) == ("declare it", "verified")
    assert filled("errors", "edit", "2", "--resolved-by", "Edit", "--json").json()["resolutions"] == [5]
    fix = filled("errors", "show", "2", "--json").json()["resolutions"][0]
    assert (fix["text"], fix["tags"], fix["resolved_by"]) == ("declare it", ["ts", "이름"], "Edit")
    assert (fix["source"], fix["author"], fix["status"]) == ({"session": "a:b", "messages": [3, 4]}, "김", "draft")
    shown = filled("errors", "show", "2").text
    assert "tags         ts, 이름" in shown
    assert len(filled("errors", "list", "--tag", "이름", "--json").json()["cases"]) == 1
    assert filled("errors", "list", "--tag", "nope").code == 1
    assert "replaced by fix 5" in shown
    assert filled("errors", "edit", "2").code == 2
    assert filled("errors", "edit", "2", "--source", "x").code == 2


def test_a_tag_for_several_cases_leaves_the_text_of_each(filled: Run) -> None:
    texts = [answer(filled, ERRORS[at]) for at in (1, 2)]
    assert filled("errors", "edit", "1", "2", "--tag", "net").code == 0
    assert [answer(filled, ERRORS[at]) for at in (1, 2)] == texts
    assert len(filled("errors", "list", "--tag", "net", "--json").json()["cases"]) == 2
    assert filled("errors", "verify", "1", "2", "--tag", "checked").code == 0
    assert [answer(filled, ERRORS[at]) for at in (1, 2)] == [(text[0], "verified") for text in texts if text]
    assert len(filled("errors", "list", "--tag", "checked", "--json").json()["cases"]) == 2


def test_reject_and_noise_are_listed_and_answer_nothing(filled: Run) -> None:
    assert filled("errors", "reject", "2", "--reason", "wrong").code == 0
    assert filled("errors", "noise", "1", "--reason", "not ours").code == 0
    assert answer(filled, ERRORS[2]) is None
    assert answer(filled, ERRORS[0]) is None
    for status, case in (("rejected", 2), ("noise", 1)):
        assert [row["id"] for row in filled("errors", "list", "--status", status, "--json").json()["cases"]] == [case]
        assert filled("errors", "list", "--status", status).code == 0
    assert "wrong" in filled("errors", "show", "2").text
    for error, why in ((ERRORS[0], "it is marked as noise"), (ERRORS[2], "its fixes were rejected or replaced")):
        found = filled("errors", "search", error, "--json", "--no-count").json()
        assert found["candidates"][0]["reason"] == f"known error, but {why}"
    assert filled("errors", "export", "--format", "markdown").text.count("No current fix.") == 2
    assert filled("errors", "noise", "1", "--off").code == 0
    assert answer(filled, ERRORS[0]) is not None


def test_of_a_case_of_several_errors_each_fix_says_which_it_is_for(filled: Run) -> None:
    both = filled("errors", "show", "1", "--json").json()
    lines = {one["fingerprint"]: one["key_line"] for one in both["fingerprints"]}
    shown = filled("errors", "show", "1").text
    for fix in both["resolutions"]:
        told = shown.partition(f"Fix {fix['id']},")[2]
        assert told.split("\n")[1].split() == ["for", *lines[fix["fingerprint"]].split()]
    assert "\n  for " not in filled("errors", "show", "2").text, "where there is one error, it is that one"
    assert filled("errors", "edit", "1", "--resolution", "for all of it", "--whole-case").code == 0
    assert "all errors of the case" in filled("errors", "show", "1").text


def fixes(run: Run, case_id: int) -> dict[str, int]:
    """The number of each fix of a case, by the error it is for."""
    found = run("errors", "show", str(case_id), "--json").json()["resolutions"]
    return {("alpha" if "alpha" in (one["fingerprint"] or "") else "beta"): one["id"] for one in found}


@pytest.mark.parametrize("act", ["verify", "reject"])
def test_which_of_several_fixes_it_was_is_said_in_one_line_with_the_flag_for_the_other(filled: Run, act: str) -> None:
    both = filled("errors", "show", "1", "--json").json()
    assert len(both["fingerprints"]) == len(both["resolutions"]) == 2
    number = fixes(filled, 1)
    assert answer(filled, ERRORS[0]) == (f"first idea for {ERRORS[0]}", "draft"), "what was searched is not the newest"
    told = f"In case 1, this is fix {number['beta']}. Fix {number['alpha']} is for a different error."
    done = filled("errors", act, "1")
    lines = done.text.split("\n")
    assert lines[lines.index(told) + 1] == f"To select that fix, add --fix, for example --fix {number['alpha']}."
    assert all(width(line) <= 80 for line in done.text.split("\n"))
    assert filled("errors", act, "2").text.count("In case") == 0, "a case with one fix needs no such line"
    assert "In case" not in filled("errors", act, "1", "--fix", str(number["alpha"])).text
    assert filled("undo").code == 0


def test_what_was_verified_before_says_which_fix_that_is(filled: Run) -> None:
    number = fixes(filled, 1)
    assert filled("errors", "verify", "1").code == 0
    again = filled("errors", "verify", "1", "--json")
    assert again.json()["beside"] == [{"case_id": 1, "fix": number["beta"], "others": [number["alpha"]]}]
    assert f"this is fix {number['beta']}. Fix {number['alpha']} is for" in filled("errors", "verify", "1").text
    assert filled("errors", "verify", "1", "2").text.count("In case 1") == 1


@pytest.mark.parametrize(("act", "status"), [("verify", "verified"), ("reject", "rejected")])
def test_one_error_of_a_case_is_decided_on_by_its_fingerprint(filled: Run, act: str, status: str) -> None:
    (alpha,) = (
        one["fingerprint"]
        for one in filled("errors", "show", "1", "--json").json()["fingerprints"]
        if "alpha" in one["fingerprint"]
    )
    done = filled("errors", act, "1", "--fingerprint", alpha)
    assert (done.code, "In case" in done.text) == (0, False)
    states = {one["text"]: one["status"] for one in filled("errors", "show", "1", "--json").json()["resolutions"]}
    assert states == {f"first idea for {ERRORS[0]}": status, f"first idea for {ERRORS[1]}": "draft"}
    for wrong in (("errors", act), ("errors", "edit")):
        refused = filled(*wrong, "1", *(("--resolution", "x") if "edit" in wrong else ()), "--fingerprint", "no such")
        assert (refused.code, b"no error with the fingerprint" in refused.err) == (2, True)
    assert filled("errors", act, "99", "--fingerprint", alpha).code == 1


def test_split_asks_whose_a_fix_for_both_sides_is(filled: Run) -> None:
    assert filled("errors", "merge", "2", "1").code == 0
    assert filled("errors", "edit", "2", "--resolution", "for both", "--whole-case").code == 0
    shown = filled("errors", "show", "2", "--json").json()
    beta = next(one["fingerprint"] for one in shown["fingerprints"] if "beta" in one["fingerprint"])
    fix = str(next(one["id"] for one in shown["resolutions"] if one["text"] == "for both"))
    refused = filled("errors", "split", "2", "--fingerprint", beta)
    assert refused.code == 2
    assert f"--keep-fix {fix}" in refused.said
    assert f"--take-fix {fix}" in refused.said
    made = filled("errors", "split", "2", "--fingerprint", beta, "--take-fix", fix, "--json").json()["made"]
    assert filled("errors", "show", str(made), "--json").json()["resolution"] == "for both"
    assert filled("errors", "show", "2", "--json").json()["resolution"] != "for both"


def test_merge_split_and_history(filled: Run) -> None:
    assert filled("errors", "merge", "2", "1").code == 0
    gone = filled("errors", "verify", "1")
    assert gone.code == 1
    assert "merged into case 2" in gone.said
    shown = filled("errors", "show", "1")
    assert (shown.code, "merged into case 2" in shown.said) == (1, True)
    marks = [one["fingerprint"] for one in filled("errors", "show", "2", "--json").json()["fingerprints"]]
    beta = next(mark for mark in marks if "beta" in mark)
    parted = filled("errors", "split", "2", "--fingerprint", beta, "--resolution", "import it", "--json").json()
    assert (parted["made"], answer(filled, ERRORS[1])) == (3, ("import it", "verified"))
    told = filled("errors", "history", "2", "--json").json()["changes"]
    assert [one["title"].partition(":")[0] for one in told[:2]] == ["split off", "merge 1 case into"]
    assert told[0]["actor"] == "김"
    assert "case 1 merged into case 2" in filled("errors", "history", "2").text
    assert filled("errors", "history", "99").code == 1
    assert filled("errors", "merge", "2", "2").code == 2


def test_a_merge_says_plainly_what_was_not_the_same(filled: Run) -> None:
    done = filled("errors", "merge", "2", "1")
    assert (done.code, done.said) == (0, "")
    assert done.text.splitlines()[:5] == [
        "Merged into case 2.",
        f"Case 1 differs: {ERRORS[0]}",
        "  tool the error is from tsc, not from git",
        "  key  the errors have no words in common",
        "  fix  the fixes differ",
    ]
    assert "is now the current fix" in done.text.splitlines()[5]
    assert all(width(line) <= 80 for line in done.text.splitlines())
    assert filled("undo").code == 0
    (other,) = filled("errors", "merge", "1", "2", "--json").json()["differed"]
    assert (other["case_id"], [one["what"] for one in other["differences"]]) == (2, ["tool", "key", "fix"])
    assert filled("undo").code == 0
    assert filled("errors", "verify", "1", "--json").json()["differed"] == []


def test_someone_faster_is_never_written_over(filled: Run) -> None:
    filled("errors", "record", "--error", ERRORS[2], "--resolution", "theirs")
    done = filled("errors", "edit", "2", "--resolution", "mine", "--expect", "3", "--json")
    assert done.code == 1
    (conflict,) = done.json()["conflicts"]
    assert (conflict["mine"]["text"], conflict["theirs"]["text"]) == ("mine", "theirs")
    assert "theirs" in filled("errors", "verify", "2", "--expect", "3").text
    assert filled("errors", "verify", "2", "--expect", "4").code == 0


def test_undo_redo_and_the_list(filled: Run) -> None:
    filled("errors", "verify", "1")
    filled("errors", "edit", "1", "--resolution", "second idea")
    before = filled("errors", "export").out
    assert filled("undo", "2", "--json").json()["undone"][0]["title"].startswith("write a fix of")
    assert filled("undo", "--redo").code == 0
    assert filled("undo", "--redo").code == 0
    assert filled("errors", "export").out == before
    late = filled("undo", "--redo")
    assert (late.code, late.said) == (1, "casebook: nothing to redo\n")
    filled("undo")
    filled("errors", "verify", "2")
    late = filled("undo", "--redo")
    assert late.code == 1
    assert "nothing to redo: change " in late.said
    assert "is newer than the last undo" in late.said
    filled("undo", "2")
    page = filled("undo", "--list", "--json", "--limit", "2").json()
    assert len(page["changes"]) == 2
    older = filled("undo", "--list", "--before", str(page["next"])).text
    assert "record a fix for" in older
    assert filled("undo", "--change", "1").code == 1  # later changes rest on it
    assert filled("undo", "0").code == 2
    all_of_it = filled("undo", "50")
    assert all_of_it.code == 1
    assert "Stopped: nothing to undo" in all_of_it.text
    assert filled("errors", "list").code == 1


def test_without_a_casebook_there_is_nothing_to_decide(run: Run) -> None:
    for args in (("errors", "verify", "1"), ("undo",), ("errors", "triage")):
        done = run(*args, "--json")
        assert done.code == 2
        assert done.fault()["code"] == "not_indexed"


def test_texts_that_break_programs_do_no_harm(filled: Run, nasty: str, json_safe: Callable[[str], str]) -> None:
    filled(
        "errors",
        "edit",
        "1",
        "--resolution",
        "-",
        "--tag",
        "t\x1b[31m",
        "--verify",
        stdin=nasty.encode("utf-8", "replace"),
    )
    filled("errors", "reject", "2", "--reason", nasty.replace("\0", ""))
    shown = (("errors", "show", "1"), ("errors", "history", "2"), ("undo", "--list"), ("undo", "2"), ("undo", "--redo"))
    for args in shown:
        done = filled(*args)
        assert done.code in (0, 1)
        assert not {byte for byte in done.out + done.err if byte < 32 or byte == 127} - {9, 10}
        assert "\u202e" not in done.text


def test_fixes_leave_and_come_back(filled: Run, tmp_path: Path) -> None:
    filled("errors", "verify", "1", "2")
    first = filled("errors", "export", "--fixes").out
    assert {json.loads(line)["schema_version"] for line in first.splitlines()} == {"fix.v1"}
    for form, name in (("jsonl", "a.jsonl"), ("csv", "a.csv"), ("markdown", "fixes.md")):
        out, db = tmp_path / name, str(tmp_path / f"{form}.db")
        assert filled("errors", "export", "--fixes", "--format", form, "-o", str(out)).code == 0
        assert filled("errors", "import", str(out), "--db", db).code == 0
        assert filled("errors", "export", "--fixes", "--db", db).out == first


MINE = "\ufeff# Mine\r\n\r\n- a rule\r\n"


def exported(filled: Run, path: Path, *more: str) -> Any:
    return filled("errors", "export", "--fixes", "--format", "markdown", "-o", str(path), *more)


@pytest.mark.parametrize("more", [(), ("--force",)])
def test_fixes_go_into_a_block_of_a_file_that_is_the_user_s(filled: Run, tmp_path: Path, more: tuple[str, ...]) -> None:
    filled("errors", "verify", "1", "2")
    for name in ("AGENTS.md", "notes.md"):
        path, text = tmp_path / name, ""
        path.write_bytes(MINE.encode())
        for _ in range(2):
            assert exported(filled, path, *more).code == 0
            text = path.read_bytes().decode()
            assert text.startswith(MINE)
            assert (text.count("casebook:start fixes"), text.count("casebook:fix ")) == (1, 0)
        edited = text.replace("Written by", "Edited by")
        path.write_bytes(f"{edited}more of mine\r\n".encode())
        done = exported(filled, path, *more)
        assert done.code == (0 if more else 2)
        assert more or f"{name}:5: the casebook block was edited by hand" in done.said
        assert path.read_bytes().decode() == (text if more else edited) + "more of mine\r\n"


def test_a_new_file_for_agents_has_only_what_an_agent_reads(filled: Run, tmp_path: Path) -> None:
    filled("errors", "verify", "1", "2")
    assert exported(filled, tmp_path / "AGENTS.md", "--json").json()["count"] == 2
    text = (tmp_path / "AGENTS.md").read_text()
    assert text.startswith("<!-- casebook:start fixes sha=")
    assert f"### `{ERRORS[2]}`\n\n> first idea for {ERRORS[2]}\n" in text
    assert len(text) < 700


def test_no_export_takes_the_place_of_a_text_that_casebook_did_not_write(filled: Run, tmp_path: Path) -> None:
    filled("errors", "verify", "1", "2")
    path = tmp_path / "README.md"
    path.write_text("# Mine\n")
    for form in (("--format", "markdown"), ("--format", "jsonl"), ("--format", "csv", "--fixes")):
        done = filled("errors", "export", *form, "-o", str(path), "--force")
        assert (done.code, "contains text that casebook did not write" in done.said) == (2, True)
    assert path.read_text() == "# Mine\n"
    for form in (("--format", "markdown"), ("--format", "markdown", "--fixes")):
        own = tmp_path / f"own{len(form)}.md"
        assert filled("errors", "export", *form, "-o", str(own)).code == 0
        assert filled("errors", "export", *form, "-o", str(own)).code == 2
        assert filled("errors", "export", *form, "-o", str(own), "--force").code == 0
        assert "casebook:start" not in own.read_text()
    own.write_text(own.read_text() + "\nmy own line\n")
    assert exported(filled, own, "--force").code == 0
    assert "\nmy own line\n" in own.read_text()
