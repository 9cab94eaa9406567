"""What a call says of itself, and what of a rule counts less: code that is missing, and words of the cure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.rules.format.book import book_of
from core.rules.format.rule import Rule
from core.rules.format.snippets import FULL, rule_code
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall, call_text, is_declared_read_only
from core.rules.matching.score import context_of
from core.rules.matching.terms import ENGLISH, shares

OPEN = 0.0


@pytest.mark.parametrize(
    "given_",
    [
        {"command": "gh release view v3 && flyctl status"},
        {"command": "pg_tool migrate --dry-run"},
        {"command": "mytool report", "description": "적용될 볼륨 목록 확인. "},
        {"command": "mytool report", "description": "ボリュームの確認"},
        {"description": "Survey", "prompt": "Collect all timers in this repository. Do not change anything."},
        {"description": "타이머 정리", "prompt": "타이머를 모두 모아 줘. 파일은 수정하지 말 것."},
    ],
)
def test_a_call_that_says_it_only_looks(given_: Mapping[str, Any]) -> None:
    call = call_text(ToolCall("Bash" if "command" in given_ else "Task", given_))
    assert call.looks
    assert "the call describes itself as read-only: x 0.30" in context_of(call, frozenset()).reasons


@pytest.mark.parametrize(
    "given_",
    [
        {"command": "gh release delete v3"},
        {"command": "gh release view v3 && gh release delete v3"},
        {"command": "flyctl status > state.txt"},
        {"command": "mytool apply", "description": "확인 없이 적용"},
    ],
)
def test_a_call_that_does_something(given_: Mapping[str, Any]) -> None:
    assert not call_text(ToolCall("Bash", given_)).looks


@pytest.mark.parametrize(
    "command", ["find . -name '*.bak' -delete", "find . -name '*.bak' | xargs rm", "cat a | sed -i s/x/y/ b"]
)
def test_what_is_done_to_what_was_found_is_no_looking(command: str) -> None:
    assert call_text(ToolCall("Bash", {"command": command})).act == "do"


@pytest.mark.parametrize(
    ("command", "act"),
    [
        ("ssh-keygen -lf ~/.ssh/id_ed25519.pub", "look"),
        ("ssh-keygen -t ed25519 -f ~/.ssh/id_new", "do"),
        ("sysctl -n vm.swappiness && uname -r", "look"),
        ("sysctl -w vm.swappiness=10", "do"),
        ("git check-ignore -v .env config/account.json", "look"),
        ("hdiutil verify tools.dmg; diskutil verifyVolume /Volumes/Builds", "look"),
        ("diskutil eraseDisk APFS Builds disk4", "do"),
        ("tar -tzf backup.tgz | head -20", "look"),
        ("tar -xzf backup.tgz", "do"),
        ("crontab -l", "look"),
        ("crontab -r", "do"),
        ("lsof -i :3000; ss -ltnp", "look"),
    ],
)
def test_programs_that_look_by_what_they_are_told(command: str, act: str) -> None:
    assert call_text(ToolCall("Bash", {"command": command})).act == act


def test_japanese_words_with_kana_meet_english_ones() -> None:
    found = shares("設定の読み込みに失敗", {"設定": "config", "読み込み": "load", "失敗": "failure"})
    assert {"config", "load", "failur"} <= found.keys()
    assert not {"の", "みに", "みに失"} & found.keys(), "particles are no words"


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(("description", "prompt", "command")), st.text() | st.integers() | st.none()))
def test_any_input_is_read(given_: dict[str, Any]) -> None:
    command = given_.get("command")
    assert is_declared_read_only(given_, command if isinstance(command, str) else None) in (True, False)


RULE = Rule("ERR-001", "Rows fetched one by one", problem="`fetch_row(id)` in a loop over ids is slow")


def test_code_that_is_missing_takes_some_away_and_says_so() -> None:
    shown = rule_code(RULE)
    call = call_text(ToolCall("Write", {"file_path": "a.txt.in", "content": "one by one"}))
    factors = [context_of(call, frozenset(), shown, code) for code in (0.0, FULL / 4, FULL / 2, FULL)]
    assert factors[0].factor < factors[1].factor < factors[2].factor == factors[3].factor == 1
    assert any("code snippets" in reason for reason in factors[0].reasons)
    assert not factors[3].reasons


def test_a_word_of_the_cure_alone_counts_half() -> None:
    mistake = Rule("ERR-001", "Slow", problem="the parquet is rewritten")
    cure = Rule("ERR-002", "Slow", problem="it takes ages", solution="the parquet is rewritten")
    only = Rule("ERR-003", "Slow", solution="the parquet is rewritten")
    book = book_of([mistake, cure, only])
    found = match(book, ToolCall("Bash", {"command": "rewrite parquet"}), None, cutoff=OPEN)
    assert found.rules[0].id == "ERR-001"
    assert found.rules[-1].id == "ERR-002", "a rule that has nothing but its solution is found by it"


def test_meanings_of_one_word_share_what_it_says() -> None:
    one = shares("환불", {"환불": "refund"})
    two = shares("환불", {"환불": "refund repay"})
    assert one["refund"] == ENGLISH
    assert two["refund"] == two["repay"] == pytest.approx(ENGLISH / 2**0.5)
