"""The guard on pairs of sentences: what means the same is accepted, what means something else is not.

The held-out pairs were written after the guard was tuned on the first, the last ones after it was tuned on both: when
first measured, 16, 10 and 5 % of the contradictions were accepted, and 93, 95 and 100 % of what says the same. The new
ones were all written, by kinds of change, before anything was tuned on half of them (`new_fit`): the other half, with
kinds that this half lacks, was measured once with 9 % accepted, and 96 % of what says the same. The second ones came
after that: 10 % accepted, 90 % of what says the same, when first measured. "Unseen" are the pairs
whose changed words stand in none of the lists of words: there only a sense of kinds of change can help.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.align import AlignSettings, Session, align_quote
from core.align.guard import compare
from core.align.guard.tokens import tokens_of
from core.align.guard.typos import word_list
from core.align.guard.word_classes import HARMLESS, KIND_OF, OPPOSITES, negations

WORDS = Path(__file__).parents[4] / "core/align/guard/words"
DATA = Path(__file__).parents[3] / "data" / "align"
LISTED = frozenset(KIND_OF) | HARMLESS | {word for pair in OPPOSITES for word in pair}


def pairs(name: str) -> list[tuple[str, str, str]]:
    lines = (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [tuple(_plain(cell) for cell in line.split("\t")) for line in lines]  # pyright: ignore[reportReturnType]


def _plain(cell: str) -> str:
    return cell.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\0", "\\")


def accepted(source: str, quote: str) -> bool:
    """Whether a quote is accepted with nothing to look at, where the source stands among other text."""
    text = f"Notes of the meeting follow here.\n\n{source}\n\n다음 회의에서 다시 이야기한다. Nothing else was said."
    session = Session([text, "A second message that says hello."])
    return align_quote(session, 0, quote, AlignSettings()).status == "aligned"


def unseen(source: str, quote: str) -> bool:
    changed = {token.canon for token in tokens_of(source)} ^ {token.canon for token in tokens_of(quote)}
    return not changed & LISTED and len(negations(source)) == len(negations(quote))


def share(cases: list[tuple[str, str, str]]) -> float:
    return sum(accepted(source, quote) for _, source, quote in cases) / len(cases)


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("contradictions", 0.01),
        ("contradictions_held_out", 0.02),
        ("contradictions_last", 0.05),
        ("contradictions_new_fit", 0.01),
        ("contradictions_new", 0.02),
        ("contradictions_second", 0.01),
    ],
)
def test_a_changed_meaning_is_not_accepted(name: str, most: float) -> None:
    cases = pairs(name)
    assert share(cases) <= most
    assert share([case for case in cases if unseen(*case[1:])]) <= 2 * most


@pytest.mark.parametrize(
    "name", ["benign", "benign_held_out", "benign_last", "benign_new_fit", "benign_new", "benign_second"]
)
def test_what_says_the_same_is_accepted(name: str) -> None:
    cases = pairs(name)
    assert share(cases) >= 0.97
    assert share([case for case in cases if case[0] == "typo"]) >= 0.98


def test_there_are_enough_pairs_of_enough_kinds_in_both_languages() -> None:
    cases = pairs("contradictions")
    assert len({kind for kind, _, _ in cases}) >= 15
    for name in ("contradictions", "benign"):
        assert len(pairs(name)) >= 120
        assert sum(any("가" <= letter <= "힣" for letter in source) for _, source, _ in pairs(name)) >= 35


@pytest.mark.parametrize(
    ("source", "quote", "kind"),
    [
        (
            "The loop ends when size > limit in the reader.",
            "The loop ends when size < limit in the reader.",
            "operator",
        ),
        ("Each probe waits for 20 ms before it answers.", "Each probe waits for 30 ms before it answers.", "number"),
        ("Owners must rotate the credentials each month.", "Owners may rotate the credentials each month.", "modality"),
        (
            "The leak of memory is probably caused by the image decoder of the viewer.",
            "The leak of memory is caused by the image decoder of the viewer.",
            "modality",
        ),
        ("The door stays locked unless the guard is there.", "The door stays locked if the guard is there.", "logic"),
        ("모든 복제본이 점검 중에도 요청에 응답한다.", "일부 복제본이 점검 중에도 요청에 응답한다.", "quantity"),
        ("쓰기 요청만 주 노드로 보내서 처리한다.", "쓰기 요청도 주 노드로 보내서 처리한다.", "word"),
        ("Farms pay less tax that are small.", "Farms pay less tax.", "cut off"),
        ("발표는 김서연 팀장이 회의에서 맡았다.", "발표는 김서현 팀장이 회의에서 맡았다.", "name"),
    ],
)
def test_the_reason_names_the_kind_of_change(source: str, quote: str, kind: str) -> None:
    found = align_quote(Session([source]), 0, quote, AlignSettings())
    assert found.status == "flagged"
    assert kind in {concern.kind for concern in found.concerns}


@pytest.mark.parametrize(
    ("source", "quote", "kind"),
    [
        ("Some of the nodes were down.", "The nodes were down.", "cut off"),
        ("According to the vendor, the disk is fast.", "The disk is fast.", "cut out of a report"),
        ("점검 중에는 요청을 대기열에 넣는다.", "요청을 대기열에 넣는다.", "cut out of a condition"),
        (
            "The bench moved from eslint to another one in May.",
            "The bench moved from tslint to another one in May.",
            "word",
        ),
        ("Copy the tree with `cp -r` before the upgrade.", "Copy the tree with `cp -R` before the upgrade.", "option"),
        ("The link was capped at 20 megabits for them.", "The link was capped at 20 megabytes for them.", "word"),
        ("The clerk reopened the ticket after lunch.", "The clerk opened the ticket after lunch.", "word"),
    ],
)
def test_kinds_that_no_list_of_words_holds(source: str, quote: str, kind: str) -> None:
    found = align_quote(Session([f"Notes. {source} End."]), 0, quote, AlignSettings())
    assert found.status == "flagged"
    assert kind in {concern.kind for concern in found.concerns}


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("In fact, the disk is fast and quiet.", "The disk is fast and quiet."),
        ("We tried it twice: the disk is fast.", "The disk is fast."),
        ("it says that the disk of the node is fast", "Disk Of The Node Is Fast"),
    ],
)
def test_a_whole_clause_may_stand_alone(source: str, quote: str) -> None:
    assert align_quote(Session([f"Notes. {source} End."]), 0, quote, AlignSettings()).status == "aligned"


def test_the_lists_of_words_are_sorted_and_name_nothing_twice() -> None:
    for path in sorted(WORDS.glob("*.txt")):
        blocks = path.read_text(encoding="utf-8").split("# ")[1:]
        words = [block.split("\n", 1)[1].split() for block in blocks]
        assert all(block == sorted(block) for block in words), path.name
        said = [word for block in words for word in block]
        assert len(said) == len(set(said)), path.name
        assert word_list(path.stem) == frozenset(said)


def test_strict_flags_any_other_word_and_off_flags_nothing() -> None:
    session = Session(["The sweeper simply removes the stale leases of the pool."])
    quote = "The sweeper removes the stale leases of the pool."
    said = {level: align_quote(session, 0, quote, AlignSettings(guard=level)).status for level in ("strict", "normal")}
    assert said == {"strict": "flagged", "normal": "aligned"}
    wrong = "The sweeper simply removes the fresh leases of the pool."
    assert align_quote(session, 0, wrong, AlignSettings(guard="off")).status == "aligned"


def test_a_contraction_that_is_left_out_is_named_once() -> None:
    found = compare("The database is up.", "The database is up. I'll see", lambda _: False).concerns
    assert ("left out", "I'll see") in [(one.kind, one.source) for one in found]
