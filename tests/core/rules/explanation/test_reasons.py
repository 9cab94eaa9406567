"""Why a rule is shown or not, what moved, what is labelled: the reads and writes behind the Rules pane."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.fault import Fault
from core.base.trace import Step
from core.rules.evaluation.compare import case_results, compare, silent_from
from core.rules.evaluation.labels import (
    Label,
    LabelConflict,
    LabelledCall,
    label_file,
    label_of,
    put_label,
    read_labelled,
    read_labels,
)
from core.rules.explanation import explain, highlight, why_not
from core.rules.format.book import Book, book_of
from core.rules.format.parse import parse_text
from core.rules.matching.api import Similarities, match
from core.rules.matching.call import ToolCall
from core.rules.ranking_diff import describe_move, moved

RULES = """\
### ERR-001: Force push over a shared branch
**Problem**: `git push --force` to main removed the commits of colleagues
**Root Cause**: history was rewritten by a rebase
**Solution**: use `--force-with-lease` on a branch of your own, revert on a shared one
**Prevention**: protect the branch on the server

### ERR-002: 시험 자료에 실제 고객 정보
**Problem**: 시험 자료에 고객의 이름과 전화번호가 그대로 들어갔다
**Root Cause**: 운영 데이터베이스를 복사했다
**Solution**: 시험 자료는 가짜 값으로 만든다
**Prevention**: 복사하기 전에 가린다

### ERR-003: Retry without a pause
**Problem**: a failing request is repeated at once, so the server is flooded
**Root Cause**: a loop without backoff
**Solution**: wait longer after each attempt, with jitter
**Prevention**: use the shared client
"""
PUSH = ToolCall("Bash", {"command": "git push --force origin main", "description": "Overwrite the branch"})


@pytest.fixture(scope="module")
def book() -> Book:
    return book_of(parse_text(RULES, "memory.md").rules)


def test_both_texts_are_lit_where_they_share_a_word(book: Book) -> None:
    found = match(book, PUSH)
    assert found.rules[0].id == "ERR-001"
    told_in_full = explain(book, PUSH, found.rules[0])
    assert told_in_full is not None
    command = next(one for one in told_in_full.call if one.name == "command")
    assert {command.text[start:end] for start, end in command.spans} >= {"git", "push", "--force"}
    problem = next(one for one in told_in_full.texts if one.name == "problem")
    assert {problem.text[start:end] for start, end in problem.spans} >= {"git", "push", "--force", "main"}


@given(st.text(max_size=60), st.sets(st.sampled_from(["push", "branch", "고객", "forc"])))
def test_lit_places_are_in_order_and_within_the_text(text: str, terms: set[str]) -> None:
    found = highlight("x", f"{text} push branch", terms, {})
    at = 0
    for start, end in found.spans:
        assert at <= start < end <= len(found.text)
        at = end


def test_enough_words_of_the_rule_would_have_shown_it(book: Book) -> None:
    call = ToolCall("Bash", {"command": "curl https://example.com/status"})
    found = why_not(book, call, None, 2)
    assert not found.shown
    assert found.enough
    assert found.needs[0].what == "keyword"
    said = " ".join((*found.enough, "https://example.com"))
    assert "ERR-003" in [one.id for one in match(book, ToolCall("Task", {"prompt": said})).rules]


@dataclass(frozen=True)
class Known:
    """A semantic tier of known numbers."""

    scores: Mapping[int, float]

    def similar(self, text: str, also: frozenset[int]) -> Similarities:
        return Similarities(self.scores, Step("semantic", "hit", "known"))


def _shows(book: Book, scores: Mapping[int, float], at: int) -> bool:
    return book.rules[at].id in [one.id for one in match(book, PUSH, Known(scores)).rules]


@pytest.mark.parametrize("others", [{0: 0.45, 1: 0.1}, {0: 0.55, 1: 0.1}, {0: 0.2, 1: 0.3}])
def test_the_similarity_that_is_said_to_be_needed_is_the_least_that_does(book: Book, others: dict[int, float]) -> None:
    """What the change does to the other rules is counted in: they fall behind, the line and the fusion may turn."""
    found = why_not(book, PUSH, Known({**others, 2: 0.05}), 2)
    need = next(one for one in found.needs if one.what == "similarity")
    assert need.needed is not None
    assert _shows(book, {**others, 2: need.needed}, 2)
    assert not _shows(book, {**others, 2: need.needed - 0.01}, 2)


def test_where_no_part_alone_would_do_all_of_them_are_named(book: Book) -> None:
    found = why_not(book, ToolCall("Read", {"file_path": "/x/y.bin"}), None, 0)
    assert [(one.what, one.needed is None) for one in found.needs] == [
        ("keyword", True),
        ("context", True),
        ("together", False),
    ]
    assert found.needs[1].reason == "without the factor 0.18, the score would be 0.00, below the cut-off"
    assert (
        found.needs[2].reason == "with a keyword score of 0.33 in a call that matches the rule, the rule would be shown"
    )


def test_a_rule_that_shares_nothing_has_its_reason_too(book: Book) -> None:
    found = why_not(book, ToolCall("Read", {"file_path": "/x/y.bin"}), None, 1)
    assert found.rank == 0
    assert "no shared words" in found.matched.why[0]
    assert {one.word for one in found.lacking} & {"시험", "자료에", "고객"}


def test_a_rule_that_is_shown_needs_nothing(book: Book) -> None:
    found = why_not(book, PUSH, None, 0)
    assert (found.shown, found.rank, found.needs) == (True, 1, ())


def test_what_moved_says_who_crossed_the_cutoff(book: Book) -> None:
    before = match(book, PUSH)
    text = RULES.replace("### ERR-001: Force push over a shared branch", "\n\n### ERR-001: Nothing of the kind")
    text = text.replace("`git push --force` to main removed the commits of colleagues", "letters fell off the sign")
    text = text.replace("use `--force-with-lease` on a branch of your own, revert on a shared one", "screw them on")
    after = match(book_of(parse_text(text, "memory.md").rules), PUSH)
    first = moved(before, after)[0]
    assert (first.kind, first.id) == ("hidden", "ERR-001")
    assert "fell below the cut-off" in describe_move(first)
    assert moved(after, before)[0].kind == "shown"
    assert moved(before, before) == ()


def test_lines_that_shift_move_nothing(book: Book) -> None:
    assert moved(match(book, PUSH), match(book_of(parse_text("\n\n\n" + RULES, "memory.md").rules), PUSH)) == ()


def test_a_label_is_a_case_for_compare_and_is_taken_back_by_saying_it_again(tmp_path: Path) -> None:
    path = label_file(tmp_path / "case.db")
    put_label(path, PUSH, "ERR-001", "right")
    put_label(path, PUSH, "ERR-003", "wrong")
    assert label_of(path, PUSH) == Label(("ERR-001",), ("ERR-003",))
    assert [(one.expected, one.unwanted) for one in read_labelled(path)] == [(("ERR-001",), ("ERR-003",))]
    assert put_label(path, PUSH, "ERR-001", "right") == Label((), ("ERR-003",))
    (only,) = read_labelled(path)
    assert (only.silent, only.hard, only.unwanted) == (False, False, ("ERR-003",)), "of the others nothing is said"
    assert put_label(path, PUSH, "ERR-003", "wrong") is None
    assert read_labels(path) == ()


def test_silence_can_be_right_and_what_is_wrong_then_missing_applies(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    assert put_label(path, PUSH, None, "right") == Label(silence=True)
    assert put_label(path, PUSH, "ERR-002", "wrong") == Label((), ("ERR-002",), True) == label_of(path, PUSH)
    assert read_labelled(path)[0].hard, "a rule came up, and none applies"
    assert put_label(path, PUSH, None, "right") == Label((), ("ERR-002",)) == label_of(path, PUSH), "taken back"
    assert not read_labelled(path)[0].silent
    assert put_label(path, PUSH, "ERR-002", "missing") == Label(("ERR-002",))
    assert len(read_labelled(path)) == 1
    with pytest.raises(Fault):
        put_label(path, PUSH, None, "wrong")


def test_labels_keep_lines_nobody_can_read_and_no_secret(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('not json\n{"tool_name": "X", "expected": ["ERR-009"], "mine": 1}\n[1]\n', encoding="utf-8")
    secret = "ghp_" + "a1B2" * 9
    put_label(path, ToolCall("Bash", {"command": f"push {secret} \ud800 [/x]"}), "ERR-001", "right")
    put_label(path, ToolCall("X"), "ERR-001", "missing")
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[0] == "not json"
    assert json.loads(lines[1]) == {
        "tool_name": "X", "tool_input": {}, "mine": 1, "expected": ["ERR-009", "ERR-001"], "not": [], "hard": False,
        "silence": False,
    }  # fmt: skip
    assert lines[2] == "[1]"
    assert secret not in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o077 == 0


def test_each_case_is_judged(book: Book) -> None:
    cases = (
        LabelledCall(PUSH, ("ERR-001",)),
        LabelledCall(PUSH, ("ERR-003",)),
        LabelledCall(PUSH, ()),
        LabelledCall(ToolCall("Read", {"file_path": "/x"}), ("ERR-002",)),
        LabelledCall(ToolCall("Read", {"file_path": "/x"}), ()),
    )
    found = case_results(cases, lambda call: match(book, call))
    first = match(book, PUSH).rules[0].id
    both = LabelledCall(PUSH, (first,), unwanted=(match(book, PUSH).rules[-1].id,))
    assert [one.result for one in case_results((both,), lambda call: match(book, call))] == ["beside"]
    assert sorted(one.result for one in found) == ["loud", "missed", "right", "right", "wrong"]
    assert [one.result for one in found][-2:] == ["right", "right"], "what is not right comes first"


def test_a_call_that_is_only_said_to_be_wrong_counts_for_wrong_shown_and_for_nothing_else(
    book: Book, tmp_path: Path
) -> None:
    first = match(book, PUSH).rules[0].id
    path, alone = tmp_path / "labels.jsonl", tmp_path / "alone.jsonl"
    put_label(path, ToolCall("Bash", {"command": "git push -f origin main"}), first, "right")
    put_label(path, ToolCall("Bash", {"command": "ls -la"}), None, "right")
    before = compare(book, read_labelled(path), None).systems
    put_label(path, PUSH, first, "wrong")
    put_label(alone, PUSH, first, "wrong")
    calls = tuple(call for call, _ in read_labels(path))
    assert calls == read_labelled(path), "the workbench and the command line read the same"
    systems = compare(book, calls, None).systems
    assert [(one.hit_at_1, one.recall_at_5, one.quiet) for one in systems] == [
        (one.hit_at_1, one.recall_at_5, one.quiet) for one in before
    ]
    assert [(one.unwanted.value, one.unwanted.of) for one in systems] == [(1.0, 1)] * len(systems)
    found = compare(book, read_labelled(alone), None)
    assert [(one.hit_at_1.of, one.recall_at_5.of, one.quiet.of) for one in found.systems] == [(0, 0, 0)] * len(systems)
    assert found.differences == ()
    assert [one.result for one in case_results(read_labelled(alone), lambda call: match(book, call))] == ["unwanted"]
    other = LabelledCall(PUSH, (), unwanted=("ERR-999",))
    assert [one.result for one in case_results((other,), lambda call: match(book, call))] == ["gone"]
    assert silent_from((other,), [[("ERR-001", 0.9)]], 1.0) == 0.0, "nobody said that it should be silent"


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ('{"tool_name": "X", "expected": [], "not": ["ERR-001"], "hard": true}', Label((), ("ERR-001",))),
        ('{"tool_name": "X", "expected": [], "not": [], "hard": false}', Label(silence=True)),
        ('{"tool_name": "X", "expected": []}', Label(silence=True)),
        ('{"tool_name": "X", "expected": ["ERR-001"], "not": 3}', Label(("ERR-001",))),
        ('{"tool_name": "X", "expected": [], "not": ["ERR-001"], "silence": true}', Label((), ("ERR-001",), True)),
    ],
)
def test_labels_of_old_files_are_read(tmp_path: Path, line: str, label: Label) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    ((call, found),) = read_labels(path)
    assert found == label
    assert (call.expected, call.unwanted, call.silent) == (label.applies, label.not_these, label.silence)
    assert (call,) == read_labelled(path)


def test_what_was_said_otherwise_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    put_label(path, PUSH, "ERR-003", "wrong", seen=None)
    with pytest.raises(LabelConflict) as found:
        put_label(path, PUSH, "ERR-003", "wrong", seen=None)
    assert found.value.label == label_of(path, PUSH) == Label((), ("ERR-003",))
    silence = put_label(path, PUSH, None, "right", seen=found.value.label)
    assert silence is not None and silence.silence
    assert put_label(path, PUSH, "ERR-001", "right", seen=silence) == Label(("ERR-001",), ("ERR-003",))


def test_of_several_rules_that_apply_each_counts(book: Book) -> None:
    first = match(book, PUSH).rules[0].id
    assert "ERR-003" not in {one.id for one in match(book, PUSH).rules}
    calls = (LabelledCall(PUSH, (first, "ERR-003")), LabelledCall(PUSH, (first,)))
    part, whole = case_results(calls, lambda call: match(book, call))
    assert (part.result, part.missed) == ("part", ("ERR-003",))
    assert (whole.result, whole.missed) == ("right", ())
    words = next(one for one in compare(book, calls, None).systems if one.name == "keyword")
    assert (words.hit_at_1.value, words.recall_at_5.value) == (1.0, 0.75)
    plain = compare(book, calls[:1], None)
    assert all("keyword" not in one.right for one in plain.differences), "what is missed is not right"
