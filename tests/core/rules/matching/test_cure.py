"""Some of a rule's cure in a call says that it may not apply, not that another rule does."""

from __future__ import annotations

from core.rules.format.book import book_of
from core.rules.format.rule import Rule
from core.rules.matching.api import match
from core.rules.matching.call import ToolCall

PORT = Rule(
    "ERR-001", "Serial port opened under a fixed name", problem="the flashing script hung all night",
    solution="`serial.Serial(port, 115200, timeout=2)` with a port from `by_id`",
)  # fmt: skip
FIXTURE = Rule("ERR-002", "Fixture leaks a board", problem="`board_fixture` opened the port twice", solution="close it")
CALL = ToolCall(
    "Write", {"content": "serial port of the board, flashing script: serial.Serial('/dev/ttyACM1', 115200)"}
)
EVERYTHING = 0.0


def test_the_rule_that_leads_in_words_stays_before_those_behind_it() -> None:
    alone = match(book_of([PORT]), CALL, cutoff=EVERYTHING).rules[0]
    other = match(book_of([FIXTURE]), CALL, cutoff=EVERYTHING).rules[0]
    both = match(book_of([PORT, FIXTURE]), CALL, cutoff=EVERYTHING).rules
    assert alone.relevance_score < other.relevance_score, "the call has some of its cure"
    assert [one.id for one in both] == ["ERR-001", "ERR-002"]
    assert any("it would otherwise be the best" in why for why in both[0].why)


def test_what_leads_brings_nothing_above_the_line_that_was_not_there() -> None:
    book = book_of([PORT, FIXTURE])
    best = max(one.relevance_score for one in match(book, CALL, cutoff=EVERYTHING).rules)
    assert match(book, CALL, cutoff=best + 0.01).rules == ()


def test_a_rule_whose_whole_cure_is_there_leads_nothing() -> None:
    done = ToolCall("Write", {"content": "board_fixture: serial.Serial(port, 115200, timeout=2) flashing script by_id"})
    assert match(book_of([PORT, FIXTURE]), done, cutoff=EVERYTHING).rules[0].id == "ERR-002"
