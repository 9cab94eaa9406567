"""A casebook of the program of before: opened, shown, exported, its last changes taken back and brought again."""

from __future__ import annotations

import json
from pathlib import Path

from tests.contracts.goldens import assert_golden, surroundings
from tests.contracts.old_casebook import PACKED, exports, opened


def test_what_the_program_of_now_makes_of_it() -> None:
    assert_golden("old_casebook.txt")


def test_changes_that_are_taken_back_and_brought_again_leave_the_same_exports(tmp_path: Path) -> None:
    with surroundings(tmp_path):
        book = opened(tmp_path)
        before = exports(book)
        book.must("undo", "2")
        assert exports(book) != before
        book.must("undo", "--redo")
        book.must("undo", "--redo")
        assert exports(book) == before
        wrong = [check["name"] for check in json.loads(book("doctor", "--json").out)["checks"] if not check["ok"]]
        assert wrong == ["embedding_model"]  # none is on this machine


def test_it_is_small() -> None:
    assert PACKED.stat().st_size < 300_000
