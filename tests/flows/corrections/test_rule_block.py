"""Accepted rules in a file that belongs to the user."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.base.fault import Fault
from core.flows.corrections.drafts import next_rule_id, put_in, rule_markdown, rules_in, take_out
from core.rules.format.parse import parse

CALL = json.dumps({"id": "1", "tool": "Bash", "input": {"command": "git push"}})


def rule(rule_id: str, said: str = "Never push to main", call: str = CALL) -> str:
    return rule_markdown(rule_id, said, call, "2026-09-01T10:00:00Z")


@pytest.mark.parametrize("before", ["", "# Notes\n\nMine.\n", "# Notes\r\n\r\nMine.\r\n", "\ufeff# Notes\n", "\ufeff"])
def test_in_and_out_again(tmp_path: Path, before: str) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(before.encode())
    one, two = rule("ERR-001"), rule("ERR-002", "Always run tests")
    put_in(path, one)
    put_in(path, one)
    assert next_rule_id(path) == "ERR-002"
    put_in(path, two)
    assert rules_in(path) == [one, two]
    assert [(found.id, found.solution) for found in parse(path).rules] == [
        ("ERR-001", "Never push to main"), ("ERR-002", "Always run tests"),
    ]  # fmt: skip
    assert [flaw.message for flaw in parse(path).flaws if flaw.cost != "missing"] == []
    take_out(path, one)
    assert rules_in(path) == [two]
    take_out(path, two)
    take_out(path, two)
    assert path.read_bytes() == before.encode()


@given(st.lists(st.sampled_from(["a", "# Notes", " ", "\n", "\r\n", "\r"]), max_size=8).map("".join))
def test_an_undo_gives_back_every_byte(before: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "CLAUDE.md"
        path.write_bytes(before.encode())
        put_in(path, rule("ERR-001"))
        take_out(path, rule("ERR-001"))
        assert path.read_bytes() == before.encode()


def test_a_file_that_was_made_for_a_rule_goes_with_it(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    put_in(path, rule("ERR-001"))
    take_out(path, rule("ERR-001"))
    assert not path.exists()


def test_a_block_that_was_edited_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    put_in(path, rule("ERR-001"))
    edited = path.read_text().replace("Never push", "Rarely push")
    path.write_text(edited)
    with pytest.raises(Fault, match=r"CLAUDE\.md:1: the casebook block was edited by hand"):
        take_out(path, rule("ERR-001"))
    with pytest.raises(Fault, match="edited by hand"):
        put_in(path, rule("ERR-002"))
    assert path.read_text() == edited


def test_a_block_without_rules_takes_the_next_one_and_goes_with_an_undo(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("mine\n")
    put_in(path, rule("ERR-001"))
    emptied = path.read_text().replace(f"{rule('ERR-001')}\n", "")
    path.write_text(emptied)
    put_in(path, rule("ERR-001"))
    assert rules_in(path) == [rule("ERR-001")]
    path.write_text(emptied)
    take_out(path, rule("ERR-001"))
    assert path.read_text() == "mine\n"


def test_a_rule_that_was_deleted_by_hand_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    put_in(path, rule("ERR-001"))
    path.write_text("mine\n<!-- casebook:start rules sha=0123456789ab -->\n<!-- casebook:end -->\n")
    take_out(path, rule("ERR-001"))
    path.unlink()
    take_out(path, rule("ERR-001"))


HOSTILE = st.lists(st.sampled_from([
    "<!--", "-->", "<!-- casebook:end -->", "\n### ERR-009: x", "\n", "```", "~~~", "\u202e", "\x1b[31m", "\0", "</b>",
    "<pre>", "**Solution**:", "a", " ", "`", "#", "\u2028", "/root/secret", "always", "é",
]), max_size=12).map("".join)  # fmt: skip


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(HOSTILE, HOSTILE)
def test_hostile_words_make_one_rule_and_no_structure(tmp_path: Path, said: str, command: str) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Mine\n")
    call = json.dumps({"tool": "Bash", "input": {"command": command}})
    put_in(path, rule("ERR-001", said, call))
    put_in(path, rule("ERR-002"))
    assert [found.id for found in parse(path).rules] == ["ERR-001", "ERR-002"]
    assert parse(path).rules[1].solution == "Never push to main"
    assert "\x1b" not in path.read_text()
    take_out(path, rule("ERR-002"))
    take_out(path, rule("ERR-001", said, call))
    assert path.read_text() == "# Mine\n"
