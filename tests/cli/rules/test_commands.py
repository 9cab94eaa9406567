"""`casebook rules` as a person and a script meet it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from cli.main import main
from core.rules.format.store import count_use
from core.store import open_store

DATA = Path(__file__).parents[2] / "data" / "rules"
RULES = str(DATA / "memory.md")
PUSH = '{"command": "git push -f origin main"}'


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "casebook.db")


def test_a_match_is_rule_match_v1_and_exits_0(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(
        ["rules", "match", "--rules", RULES, "--tool", "Bash", "--input", PUSH, "--no-model", "--db", db, "--json"]
    )
    told = json.loads(capsys.readouterr().out)
    assert code == 0
    assert told["schema_version"] == "rule_match.v1"
    assert told["rules"][0]["id"] == "ERR-004"
    assert told["rules"][0]["solution"].startswith("use `--force-with-lease`")
    assert told["fallback_used"] is True
    assert len(told["similarity_scores"]) == len(told["rules"])
    assert {"why", "match_type", "relevance_score", "similarity", "keyword_score"} <= told["rules"][0].keys()


def test_silence_exits_1(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = '{"command": "ls -la"}'
    assert main(["rules", "match", "--rules", RULES, "--tool", "Bash", "--input", given, "--no-model", "--db", db]) == 1
    assert "No rule applies." in capsys.readouterr().out


def test_a_bad_line_stays_on_its_line(
    db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f'{{"tool_name": "Bash", "tool_input": {PUSH}}}', "{oops", '{"tool_name": "Bash"}']
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    assert main(["rules", "match", "--rules", RULES, "--jsonl", "--no-model", "--db", db]) == 2
    told = [json.loads(line)["schema_version"] for line in capsys.readouterr().out.splitlines()]
    assert told == ["rule_match.v1", "error.v1", "rule_match.v1"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--tool", "Bash", "--input", "{"], "not JSON"),
        (["--tool", "Bash", "--input", "[]"], "not a JSON object"),
        (["--tool", "Bash", "--input", f'{{"n": {"1" * 5000}}}'], "it contains a number with too many digits"),
        (["--tool", "Bash", "--input", "[" * 100_000], "nested too deeply"),
        (["--input", "{}"], "no tool"),
        (["--tool", "Bash", "--input", "{}", "--limit", "0"], "--limit"),
        (["--tool", "Bash", "--input", "{}", "--project", "/nowhere/at/all"], "/nowhere/at/all is not a folder"),
        (["--tool", "Bash", "--input", "{}", "--project", __file__], "is not a folder"),
    ],
)
def test_bad_input_is_one_line_and_exits_2(
    more: list[str], said: str, db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rules", "match", "--rules", RULES, "--db", db, *more]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_check_and_doctor_tell_what_is_wrong_with_the_own_tables(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    own = tmp_path / "casebook" / "rules.toml"
    own.parent.mkdir()
    with open_store(Path(db), create=True):
        pass

    def told(text: str, *command: str) -> tuple[int, str, str]:
        own.write_text(text, encoding="utf-8")
        code = main([*command, "--db", db])
        said = capsys.readouterr()
        return code, " ".join(said.out.split()), said.err

    check = ("rules", "check", "--rules", RULES)
    assert told("", *check)[0] == 0
    code, out, err = told("[error_patterns.a]\nmatch = 'x'\nrules = ['ERR-999']\n", *check)
    assert (code, "no problems" in out) == (0, True)
    assert f"{own}:3: no rule ERR-999 in these files" in err
    code, out, _ = told("[error_pattern]\n", *check)
    assert (code, f"{own}:1: unknown table error_pattern" in out, "no problems" in out) == (1, True, False)
    code, out, _ = told("\n[error_patterns\n", *check)
    assert (code, f"{own}:2: " in out, "no problems" in out) == (1, True, False)
    code, out, _ = told("\n[error_patterns\n", "doctor")
    assert (code, "FAIL rule_tables" in out, "move it to another folder" in out) == (3, True, True)
    code, out, _ = told("[error_pattern]\n", "doctor")
    assert ("ok rule_tables" in out, "did you mean error_patterns?" in out) == (True, True)
    own.unlink()
    main(["doctor", "--db", db])
    assert "rule_tables" not in capsys.readouterr().out


def test_labelled_calls_may_come_through_a_pipe_and_rules_that_are_not_there_are_told(
    db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        f'{{"tool_name": "Bash", "tool_input": {PUSH}, "expected": {expected}}}'
        for expected in ('["ERR-004"]', '["ERR-999", "err-998"]', '["ERR-998", "err-4"]', "[]")
    ]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    assert main(["rules", "compare", "--rules", RULES, "--calls", "-", "--no-model", "--db", db]) == 0
    told = capsys.readouterr()
    assert "calls: 4" in told.out
    assert "unknown rules: ERR-999 (1), ERR-998 (2)" in told.err


def test_one_rule_is_told_as_one(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    labels = ("Problem", "Root Cause", "Solution", "Prevention")
    one = tmp_path / "one.md"
    one.write_text("### ERR-001: t\n" + "".join(f"**{name}**: some words\n" for name in labels), encoding="utf-8")
    assert main(["rules", "check", "--rules", str(one), str(one), "--db", db]) == 0
    assert capsys.readouterr().out == "One rule, no problems.\n"
    assert main(["rules", "clusters", "--rules", str(one), "--no-model", "--db", db]) == 1
    assert capsys.readouterr().out.startswith("The only rule has no similar rule")


def test_an_own_pattern_without_end_is_told_in_one_line(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.rules.matching.tables.PATIENCE", 0.2)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "casebook").mkdir()
    (tmp_path / "casebook" / "rules.toml").write_text("[error_patterns.endless]\nmatch = '(a+)+$'\n", encoding="utf-8")
    given = json.dumps({"command": f"{json.loads(PUSH)['command']} {'a' * 60}b"})
    assert main(["rules", "match", "--rules", RULES, "--tool", "Bash", "--input", given, "--no-model", "--db", db]) == 0
    told = capsys.readouterr()
    assert "ERR-004" in told.out
    assert "timeout of pattern endless" in told.err and told.err.count("\n") == 1


def test_check_names_file_and_line(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.md"
    bad.write_text("### ERR-001: \x1b[31mred\n**Problem**: something long enough\n", encoding="utf-8")
    assert main(["rules", "check", "--rules", str(bad), "--db", db]) == 1
    told = capsys.readouterr().out
    assert f"{bad}:1: ERR-001 has no Solution" in told
    assert "\x1b" not in told
    assert main(["rules", "check", "--rules", RULES, "--db", db]) == 0


def test_check_tells_what_costs_most_first(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.md"
    rule = "**Problem**: long enough\n**Solution**: long enough\n"
    bad.write_text(f"### ERR-001: a\n{rule}### ERR-1: b\n{rule}- **Prevetnion**: care\n", encoding="utf-8")
    assert main(["rules", "check", "--rules", str(bad), "--db", db]) == 1
    lines = [int(line.split(":")[1]) for line in capsys.readouterr().out.splitlines()]
    assert lines == [4, 7, 4, 1, 1], "lost, odd, and at the end the hints, one line a kind"
    main(["rules", "check", "--rules", str(bad), "--db", db, "--json"])
    flaws = json.loads(capsys.readouterr().out)["flaws"]
    assert [one["cost"] for one in flaws] == ["lost"] * 2 + ["odd"] + ["missing"] * 4


def test_hints_are_folded_and_are_no_problem(tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "memory.md"
    text = "**Problem**: long enough\n**Root Cause**: long enough\n**Solution**: long enough\n"
    file.write_text("".join(f"### ERR-00{at}: rule {at}\n{text}" for at in range(1, 8)), encoding="utf-8")
    assert main(["rules", "check", "--rules", str(file), "--db", db]) == 0
    told = "7 rules have no Prevention: ERR-001, ERR-002, ERR-003, ERR-004, ERR-005, …"
    assert capsys.readouterr().out == f"{file}:1: {told}\n"
    assert main(["rules", "check", "--rules", str(file), "--db", db, "--verbose"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 7
    assert main(["rules", "list", "--rules", str(file), "--db", db]) == 0
    assert "7 hints: casebook rules check" in capsys.readouterr().out
    file.write_text(file.read_text("utf-8") + "### ERR-1: odd\n" + text, encoding="utf-8")
    assert main(["rules", "check", "--rules", str(file), "--db", db]) == 1


def test_a_rule_with_an_id_in_an_instruction_file_is_listed_beside_its_forbidden_code(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / ".git").mkdir()
    (tmp_path / "CLAUDE.md").write_text("- Never use `npm`.\n\n### ERR-001: a\n**Solution**: b\n", encoding="utf-8")
    assert main(["rules", "list", "--db", db]) == 0
    listed = capsys.readouterr().out
    assert "ERR-001" in listed
    assert "CLAUDE.md:1 Never use `npm`" in listed


def test_a_file_without_a_rule_and_a_share_that_is_none_are_told(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.md"
    empty.write_text("", encoding="utf-8")
    assert main(["rules", "list", "--rules", str(empty), "--db", db]) == 1
    told = capsys.readouterr().out
    assert "No rules in these files" in told
    assert "forbids code in backticks: Never use `cargo test`." in told
    assert main(["rules", "compare", "--rules", RULES, "--calls", str(empty), "--quiet", "80", "--db", db]) == 2
    assert "'80' is not a number greater than 0 and at most 1" in capsys.readouterr().err


def test_without_any_file_the_fault_names_those_that_were_looked_for(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    assert main(["rules", "list", "--db", db]) == 2
    told = capsys.readouterr().err
    assert "memory.md of this project" in told
    assert "CLAUDE.md, AGENTS.md, GEMINI.md" in told


def test_rules_about_forbidden_code_are_listed_and_counted(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "CLAUDE.md"
    file.write_text("- Never run `git push --force`.\n- Use pnpm.\n", encoding="utf-8")
    assert main(["rules", "list", "--rules", str(file), "--db", db]) == 0
    assert capsys.readouterr().out == "CLAUDE.md:1 Never run `git push --force`  (forbidden code)\n"
    assert main(["rules", "check", "--rules", str(file), "--db", db]) == 0
    assert capsys.readouterr().out == "One rule, no problems.\n"


def test_the_list_says_in_json_too_how_often_a_rule_was_shown(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    with open_store(Path(db), write=True, create=True) as store:
        count_use(store, [(str(Path(RULES).absolute()), "ERR-004")] * 2, "shown")
    assert main(["rules", "list", "--rules", RULES, "--db", db, "--json"]) == 0
    (count,) = json.loads(capsys.readouterr().out)["usage"]
    assert (count["rule_id"], count["shown"], count["helped"]) == ("ERR-004", 2, 0)


def test_list_clusters_and_compare_answer_without_a_model(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "list", "--rules", RULES, "--db", db, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["rules"]) == 30
    assert main(["rules", "clusters", "--rules", RULES, "--no-model", "--db", db, "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["by"] == "words"
    calls = str(DATA / "calls.jsonl")
    command = ["rules", "compare", "--rules", RULES, "--calls", calls, "--half", "report", "--no-model", "--json"]
    assert main([*command, "--db", db]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["systems"]] == ["bm25", "keyword", "hybrid"]
    assert main([*command[:-1], "--verbose", "--db", db]) == 0
    told = capsys.readouterr().out
    assert "hybrid and bm25: " in told
    assert "  - bm25     ERR-" in told, "each call on which the ways differ, with what each shows"
    assert "  + keyword  silence\n  + hybrid   silence" in told


def test_without_rules_those_of_the_settings_and_the_project_are_read(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    project = tmp_path / "work"
    (project / ".claude").mkdir(parents=True)
    monkeypatch.chdir(project)
    assert main(["rules", "list", "--db", db]) == 2
    told = capsys.readouterr().err
    assert str(tmp_path / ".claude" / "memory.md") in told
    assert ".claude/memory.md of this project" in told
    assert "--rules" in told
    (project / ".claude" / "memory.md").write_text("### ERR-007: Ours\n**Problem**: of the project\n", encoding="utf-8")
    (tmp_path / "mine.md").write_text("### ERR-008: Mine\n**Problem**: of my own\n", encoding="utf-8")
    monkeypatch.setenv("CASEBOOK_RULES_FILES", "~/mine.md")
    assert main(["rules", "list", "--db", db]) == 0
    told = capsys.readouterr().out
    assert told.index("ERR-008") < told.index("ERR-007")


def test_a_file_of_the_settings_that_is_faulty_costs_what_is_in_it(
    tmp_path: Path, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("CASEBOOK_RULES_FILES", RULES)
    bad = tmp_path / "work" / ".claude" / "memory.md"
    bad.parent.mkdir(parents=True)
    with bad.open("wb") as file:
        file.truncate((16 << 20) + 1)
    monkeypatch.chdir(tmp_path / "work")
    asked = ["--tool", "Bash", "--input", PUSH, "--no-model", "--db", db]
    assert main(["rules", "match", *asked]) == 0
    said = capsys.readouterr()
    assert "ERR-004" in said.out
    assert said.err == f"casebook: skipped: {bad} is larger than 16 MiB\n"
    assert main(["rules", "match", *asked, "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["trace"]
    assert [step["reason"] for step in steps if step["stage"] == "files"] == [f"{bad} is larger than 16 MiB; skipped"]
    assert main(["rules", "check", "--db", db]) == 1
    assert f"{bad}: is larger than 16 MiB\n" in capsys.readouterr().out
    assert main(["rules", "match", "--rules", RULES, str(bad), *asked]) == 2, "one that is named must be read"
    monkeypatch.setenv("CASEBOOK_RULES_FILES", str(tmp_path / "none.md"))
    assert main(["rules", "match", *asked]) == 2, "there is no other"


def test_an_input_may_begin_with_a_byte_order_mark(
    db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PUSH.encode("utf-8-sig"))))
    assert main(["rules", "match", "--rules", RULES, "--tool", "Bash", "--input", "-", "--no-model", "--db", db]) == 0
    assert "ERR-004" in capsys.readouterr().out


def test_what_is_wrong_with_a_file_as_a_whole_has_no_line(
    db: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "m.md").write_bytes("### ERR-001: a\n".encode("utf-16-le"))
    assert main(["rules", "check", "--rules", str(tmp_path / "m.md"), "--db", db]) == 1
    assert f"{tmp_path / 'm.md'}: this is not UTF-8" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="rights are others there")
def test_a_rule_file_that_everyone_can_write_is_named_by_check_and_doctor(
    home: Path, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own, project = home / ".claude" / "memory.md", home / "shop"
    text = "**Problem**: long enough\n**Root Cause**: long enough\n**Solution**: long enough\n**Prevention**: care it\n"
    for at, path in enumerate((own, project / ".claude" / "memory.md"), 1):
        path.parent.mkdir(parents=True)
        path.write_text(f"### ERR-00{at}: rule {at}\n{text}", encoding="utf-8")
    monkeypatch.chdir(project)
    assert main(["rules", "check", "--db", db]) == 0
    path.chmod(0o666)  # pyright: ignore[reportPossiblyUnboundVariable]
    capsys.readouterr()
    assert main(["rules", "check", "--db", db]) == 1
    told = capsys.readouterr().out
    assert str(path) in told  # pyright: ignore[reportPossiblyUnboundVariable]
    assert "everyone can write to the file" in told
    assert "rules.trust" in told
    main(["doctor", "--db", db])
    assert "everyone can write to the file" in " ".join(capsys.readouterr().out.split())
    monkeypatch.setenv("CASEBOOK_RULES_TRUST", str(project))
    assert main(["rules", "check", "--db", db]) == 0


def test_a_match_names_forbidden_code_where_there_is_no_rule(
    db: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    project = tmp_path / "shop"
    project.mkdir()
    (project / "AGENTS.md").write_text("Never use `npm`. Use `pnpm`.\n", encoding="utf-8")
    given = ["rules", "match", "--tool", "Bash", "--project", str(project), "--db", db]
    assert main([*given, "--input", '{"command": "npm ci"}']) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("AGENTS.md:1: Never use `npm`")
    assert "Use `pnpm`." in printed
    assert "Keywords only" not in printed
    assert main([*given, "--input", '{"command": "pnpm ci"}']) == 1
    named = ["rules", "match", "--rules", str(project / "AGENTS.md"), "--tool", "Bash", "--no-model", "--db", db]
    assert main([*named, "--input", '{"command": "npm ci"}']) == 0
