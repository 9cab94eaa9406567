"""What a person has learned of the workbench, and what it remembers between two starts."""

from __future__ import annotations

from tests.contracts.goldens import assert_golden


def test_the_actions_with_their_ids_keys_and_titles() -> None:
    assert_golden("actions.jsonl")


def test_the_state_file() -> None:
    assert_golden("state.json")
