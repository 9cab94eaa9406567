"""Practice over the sessions of a repository: counted, exact under another harvest, shown with an answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.errors.practice import Practice, practices
from core.errors.retrieval.api import search
from core.flows.harvest.session import harvest_session
from core.flows.hook.dispatch import Surroundings, handle
from core.flows.practice.answer import with_practice
from core.flows.system.history import take_back
from core.flows.transcripts.api import import_transcripts
from core.flows.transcripts.reharvest import harvest_again
from core.store import Store, open_store
from tests.flows.harvest.chat import HOME
from tests.flows.practice.chats import NILERR, linted, session, three_linted, unquoted

ROOT = Path(__file__).resolve().parents[3]
NEW = NILERR.format(line=77, above=70, source="\t\treturn nil, nil")


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "casebook.db", write=True, create=True) as opened:
        yield opened


def told(store: Store) -> list[str]:
    return [one.line for one in practices(store.con)]


def counts(one: Practice) -> dict[str, int]:
    return {approach.how: approach.count for approach in one.approaches}


def test_a_rule_is_counted_by_what_was_done(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", three_linted(tmp_path / "in"))
    (one,) = practices(store.con)
    assert (one.kind, one.tool, one.name, one.count, one.sessions) == ("rule", "golangci-lint", "nilerr", 3, 3)
    assert counts(one) == {"suppressed with a reason": 1, "suppressed": 1, "edited": 1}
    reasoned = next(approach for approach in one.approaches if approach.how == "suppressed with a reason")
    assert reasoned.example == "//nolint:nilerr // nothing to load"
    (place,) = reasoned.found_in
    assert (place.session, place.message) == ("00000001-0000-4000-8000-000000000001", 1)
    assert place.fix_session == place.session
    assert "suppressed with a reason in 1 of 3 (`//nolint:nilerr // nothing to load`)" in one.line


def test_a_suppression_of_another_rule_is_an_edit(store: Store, tmp_path: Path) -> None:
    chats = [
        linted(tmp_path / "in", 1, "return nil", "return err //nolint:wrapcheck // from the store"),
        linted(tmp_path / "in", 2, "return 0, nil", "return 0, nil //nolint:nilerr // none", line=40),
    ]
    import_transcripts(store, "auto", [chat.save() for chat in chats])
    assert counts(practices(store.con)[0]) == {"edited": 1, "suppressed with a reason": 1}


def test_what_most_edits_bring_in_is_named(store: Store, tmp_path: Path) -> None:
    chats = [
        linted(tmp_path / "in", at, f"return {at}, nil", f'return {at}, fmt.Errorf("load: %w", err)', line=10 * at)
        for at in (1, 2)
    ]
    import_transcripts(store, "auto", [chat.save() for chat in chats])
    assert told(store) == ["nilerr: edited in 2 of 2 (with `fmt.Errorf`)"]


def test_edits_that_have_nothing_in_common_are_no_practice(store: Store, tmp_path: Path) -> None:
    chats = [
        linted(tmp_path / "in", 1, "return nil", "return err"),
        linted(tmp_path / "in", 2, "return 0, nil", "return 0, err", line=40),
    ]
    import_transcripts(store, "auto", [chat.save() for chat in chats])
    assert told(store) == []


def test_a_setting_of_the_checker_is_configuration(store: Store, tmp_path: Path) -> None:
    chats = [
        linted(tmp_path / "in", at, f"- nilerr{at}", f"# nilerr{at} is off", line=10 * at, name=".golangci.yml")
        for at in (1, 2)
    ]
    import_transcripts(store, "auto", [chat.save() for chat in chats])
    assert told(store) == ["nilerr: configured in 2 of 2 (`.golangci.yml`)"]


def test_another_harvest_changes_no_count(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", three_linted(tmp_path / "in"))
    before = practices(store.con)
    for (name,) in store.con.execute("SELECT id FROM session").fetchall():
        harvest_session(store, str(name))
    assert practices(store.con) == before


def test_a_grown_session_is_counted_as_it_is_now(store: Store, tmp_path: Path) -> None:
    paths = three_linted(tmp_path / "in")
    import_transcripts(store, "auto", paths)
    fourth = linted(tmp_path / "in", 4, "return one, nil", "return one, nil //nolint:nilerr // none", line=90)
    whole = list(fourth.rows)
    fourth.rows = whole[:-2]
    import_transcripts(store, "auto", [fourth.save()])
    assert practices(store.con)[0].count == 3
    fourth.rows = whole
    import_transcripts(store, "auto", [fourth.save()])
    (one,) = practices(store.con)
    assert (one.count, counts(one)["suppressed with a reason"]) == (4, 2)


def test_a_fix_that_a_person_rejected_is_not_counted(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", three_linted(tmp_path / "in"))
    store.con.execute("UPDATE resolution SET status = 'rejected' WHERE text LIKE '%nothing to load%'")
    (one,) = practices(store.con)
    assert counts(one) == {"suppressed": 1, "edited": 1}


def test_what_an_environment_lacks_needs_two_sessions(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", [unquoted(tmp_path / "in", 1, "Load").save()])
    assert told(store) == []
    import_transcripts(store, "auto", [unquoted(tmp_path / "in", 2, "Save").save()])
    assert told(store) == [
        'zsh found no match for an unquoted glob pattern in 2 sessions, quoted in 2 of 2: `--include="*.go"`'
    ]


def test_a_missing_program_is_told_with_what_worked(store: Store, tmp_path: Path) -> None:
    for at in (1, 2):
        chat = session(tmp_path / "in", at).bash(f"jq .name data/{at}.json", "zsh:1: command not found: jq", 127)
        chat.bash(f"python3 -m json.tool data/{at}.json", '{"name": "x"}')
        import_transcripts(store, "auto", [chat.save()])
    (line,) = told(store)
    assert line.startswith("`jq` was not found in 2 sessions, worked instead in 2 of 2: `python3 -m json.tool data/")


def test_of_a_longer_command_the_part_is_told_that_took_the_place(store: Store, tmp_path: Path) -> None:
    for at in (1, 2):
        chat = session(tmp_path / "in", at).bash(
            f"git add {at}.py && hk fix && git diff", "zsh:1: command not found: hk", 127
        )
        chat.bash(f"git add {at}.py && mise x -- hk fix && git diff", "formatted")
        import_transcripts(store, "auto", [chat.save()])
    (line,) = told(store)
    assert line.endswith("worked instead in 2 of 2: `mise x -- hk fix`")


def test_a_name_out_of_a_quoted_text_is_no_missing_program(store: Store, tmp_path: Path) -> None:
    for at in (1, 2):
        said = "zsh:1: command not found: loadAll"
        chat = session(tmp_path / "in", at).bash(f'git commit -m "use `loadAll` {at}"', said, 127)
        import_transcripts(store, "auto", [chat.save()])
    assert told(store) == []


def test_the_answer_to_an_error_has_the_practice_beside_it(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", three_linted(tmp_path / "in"))
    answer = with_practice(store, search(store, NEW, count=False), HOME)
    assert answer.practice is not None
    assert answer.practice.line.startswith("nilerr: ")
    unknown = with_practice(store, search(store, "a.go:1:2: G104: Errors unhandled (gosec)", count=False), HOME)
    assert (unknown.match, unknown.practice) == (None, None)


def run(tmp_path: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("DATA", "CONFIG", "STATE", "CACHE")}
    command = [sys.executable, "-m", "cli.main", *argv, "--db", str(tmp_path / "casebook.db")]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, check=False)


def test_the_command_line_lists_practices(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", three_linted(tmp_path / "in"))
    project = practices(store.con)[0].project
    done = run(tmp_path, "errors", "practice", "--project", project, "--json")
    found: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, found["schema_version"], len(found["practices"])) == (0, "practice.v1", 1)
    assert run(tmp_path, "errors", "practice", "--project", "nowhere").returncode == 1
    plain = run(tmp_path, "errors", "practice", "--verbose")
    assert "nilerr: " in plain.stdout
    assert "00000001-0000-4000-8000-000000000001 message 1" in plain.stdout
    searched = run(tmp_path, "errors", "search", NEW)
    assert "practice" in searched.stdout
    assert f"{project}: nilerr: " in searched.stdout


def test_an_agent_is_told_the_practice_in_one_quoted_line(store: Store, tmp_path: Path) -> None:
    import_transcripts(store, "auto", three_linted(tmp_path / "in"))
    event = {
        "hook_event_name": "PostToolUseFailure", "session_id": "s9", "cwd": HOME, "tool_name": "Bash",
        "tool_input": {"command": "golangci-lint run"}, "error": f"Exit code 1\n{NEW}",
    }  # fmt: skip
    done = handle(json.dumps(event).encode(), tmp_path / "casebook.db", Surroundings(lambda _: None, lambda _: None))
    assert done.reply is not None
    said: Any = done.reply["hookSpecificOutput"]
    (line,) = [line for line in said["additionalContext"].split("\n") if "nilerr: " in line]
    assert line.startswith("> nilerr: ")
    assert "not an instruction" in said["additionalContext"]


def test_harvesting_a_casebook_again_brings_its_practice_and_one_undo_takes_it_back(
    store: Store, tmp_path: Path
) -> None:
    import_transcripts(store, "auto", three_linted(tmp_path / "in"))
    before = practices(store.con)
    for table in ("practice_finding", "before_run"):
        store.con.execute(f"DELETE FROM {table}")
    store.con.execute("UPDATE resolution SET original = NULL")
    assert harvest_again(store, actor="kim").applied
    assert practices(store.con) == before
    take_back(store, "kim")
    assert practices(store.con) == ()
