"""What the library is asked about a case or a rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import identify, observe, show_case
from core.flows.ingest.case_citations import MOST, question_of_case, question_of_rule
from core.rules.format.rule import Rule
from core.store import open_store


@pytest.mark.parametrize(
    ("raw", "first", "lost"),
    [
        ("src/app.ts(14,7): error TS2304: Cannot find name 'fetchOrders'.", "TS2304", "error"),
        ("apsw.BusyError: database is locked", "BusyError", "is"),
        ("error[E0382]: borrow of moved value: `config`", "E0382", "error"),
        ("빌드 실패: 설정 파일을 찾을 수 없습니다 (config.toml)", "빌드", "실패"),
    ],
)
def test_names_and_codes_come_first_and_what_says_nothing_is_left_out(
    tmp_path: Path, raw: str, first: str, lost: str
) -> None:
    with open_store(tmp_path / "one.db", write=True, create=True) as store:
        with store.transaction() as con:
            number = observe(
                con, identify(raw), session_id=None, message_idx=None, tool=None, project=None,
                ts="2026-03-01T09:00:00.000Z", raw=raw,
            )  # fmt: skip
        case = show_case(store, number)
    assert case is not None
    words = question_of_case(case).split()
    assert words[0] == first
    assert lost not in words
    assert len(words) <= MOST


def test_a_rule_is_asked_by_its_title_and_problem() -> None:
    rule = Rule("ERR-001", "Never force push", problem="History of others is lost when `git push --force` is used.")
    assert question_of_rule(rule).split()[:2] == ["force", "push"]
    assert "History" in question_of_rule(rule)
    assert question_of_rule(Rule("ERR-002", "???")) == "???"
