"""Parts of rule matching on sets 13 to 18, the open halves of the bullets, and everyday calls of four repositories."""

from __future__ import annotations

import bisect
import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bench.ablation.parts import DATA, SOURCES, Figures, KeptVectors, Parts, show_change, show_whole, without
from bench.sources import fetch
from core.rules.evaluation.compare import ranked
from core.rules.evaluation.labels import LabelledCall, parse_labelled_call, read_labelled
from core.rules.format import snippets
from core.rules.format.book import Book, book_of
from core.rules.format.parse import parse
from core.rules.format.rule import Rule
from core.rules.format.store import source_for
from core.rules.matching import api, call, keyword, score
from core.rules.matching.call import read_call
from core.rules.matching.semantic import RememberedSemantic
from core.rules.matching.tables import Tables, shipped_tables

RULES: Final = DATA / "rules"
NUMBERED: Final = ("thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth")
BULLETS: Final = ("nineteenth", "twentieth")
_CUTOFF: Final = score.CUTOFF
_NEVER: Final = re.compile(r"(?!)")
_BULLET: Final = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*\S)")

PARTS: Final[Parts] = {
    "patterns": (),
    "glossary": (),
    "factor: call only looks": ((score, "_LOOK", 1.0),),
    "factor: text for people": ((score, "_PROSE", 1.0),),
    "factor: says that it looks": ((score, "_SAYS_IT_LOOKS", 1.0), (score, "_LOOKS_AT_IT", 1.0)),
    "factor: no code of the rule": ((score, "_NO_CODE", 0.0),),
    "factor: cure in the call": ((score, "cured", lambda *_: None),),
    "factor: language": ((score, "_OTHER_LANGUAGE", 1.0),),
    "factor: behind others": ((score, "_FEWER_WORDS", 0.0), (score, "_FARTHER", 0.0)),
    "factor: title of a companion": ((score, "titled", lambda *_: None),),
    "order: leader first": ((score, "_leader_first", lambda scored: scored),),
    "code: of the mistake": ((api, "with_code", lambda found, _: found),),
    "code: advised against": ((snippets, "divided", lambda text: (text, ())),),
    "terms: half for a cure": ((keyword, "_OF_CURE", 1.0),),
    "terms: cap of one": ((keyword, "_ONE_TERM", 1e9),),
    "list: reading commands": ((call, "_READING", {}), (call, "_LISTING", {})),
    "list: words that show": ((call, "_SUBCOMMANDS", frozenset()),),
    "list: endings that ask": ((call, "_ENDS", _NEVER),),
    "list: nothing may change": ((call, "_NOTHING", _NEVER),),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One call: whether rules apply, and the figures of its ranking."""

    applies: bool
    top: float
    right: float
    hit: float
    first: float
    recall: float


Set = tuple[Sequence[Rule], Sequence[LabelledCall]]
"""The rules of a file and the calls that are labelled with them."""


def show(models: Sequence[str | None]) -> None:
    """Print a table for each group of sets, and for keywords and each model."""
    groups = {
        "sets 13 to 18": [_numbered(name) for name in NUMBERED],
        "bullets, open halves": [_open_half(name) for name in BULLETS],
        "everyday calls": list(_everyday()),
    }
    for model in models:
        vectors = None if model is None else KeptVectors(model)
        for title, sets in groups.items():
            _show_table(f"{title}, {model or 'keywords'}", sets, vectors)


def _show_table(title: str, sets: Sequence[Set], vectors: KeptVectors | None) -> None:
    tables = shipped_tables()
    shipped = list(_outcomes(sets, tables, vectors))
    show_whole(title, _figures(shipped))
    for part, changes in PARTS.items():
        with without(changes):
            less = list(_outcomes(sets, _without(tables, part), vectors))
        show_change(part, shipped, less, _figures, lambda one: one.applies)


def _without(tables: Tables, part: str) -> Tables:
    if part == "patterns":
        return replace(tables, error_patterns=())
    if part == "glossary":
        return replace(tables, glossary={})
    return tables


def _numbered(name: str) -> Set:
    return parse(RULES / f"{name}.md").rules, read_labelled(RULES / f"{name}.jsonl")


def _open_half(name: str) -> Set:
    path = RULES / "bullets" / f"{name}_open.jsonl"
    wanted = [json.loads(line)["expected"] for line in path.read_text("utf-8").splitlines() if line]
    rules = _bullets(RULES / "bullets" / f"{name}.md")
    by_text = {rule.solution: rule.id for rule in rules}
    calls = [
        replace(one, expected=tuple(by_text.get(text, text) for text in texts))
        for one, texts in zip(read_labelled(path), wanted, strict=True)
    ]
    return rules, calls


def _everyday() -> Iterator[Set]:
    folder = RULES / "everyday"
    fetch(folder / "sources.tsv", SOURCES)
    lines = gzip.decompress((folder / "calls.jsonl.gz").read_bytes()).splitlines()
    rows = [json.loads(line) for line in lines]
    for repository, file in dict.fromkeys((row["repository"], row["file"]) for row in rows):
        found = [row for row in rows if row["repository"] == repository]
        labels = [tuple(f"B-{one['line']:03d}" for one in row["expected"]) for row in found]
        calls = [
            replace(parse_labelled_call(read_call(row), {}), expected=expected)
            for row, expected in zip(found, labels, strict=True)
        ]
        yield _bullets(SOURCES / repository.rpartition("/")[2] / file), calls


def _bullets(path: Path) -> Sequence[Rule]:
    """Each bullet of a file as a rule that has a solution only."""
    lines = path.read_text("utf-8").split("\n")
    found = [(at, match[1]) for at, line in enumerate(lines, 1) if (match := _BULLET.match(line))]
    return [Rule(f"B-{at:03d}", "", solution=text, line=at) for at, text in found]


def _outcomes(sets: Sequence[Set], tables: Tables, vectors: KeptVectors | None) -> Iterator[Outcome]:
    for rules, calls in sets:
        book = book_of(rules, tables)
        semantic = None if vectors is None else _semantic(book, vectors)
        yield from (_outcome(one, ranked(book, one, semantic)["hybrid"]) for one in calls if not one.undecided)


def _semantic(book: Book, vectors: KeptVectors) -> RememberedSemantic:
    """The semantic tier of a book."""
    source = source_for(book.tables, english=vectors.english)
    texts = tuple(source.text(rule) for rule in book.rules)
    return RememberedSemantic(vectors, vectors.english, texts, book, vectors.documents(texts))


def _outcome(one: LabelledCall, ranking: Sequence[tuple[str, float]]) -> Outcome:
    top = ranking[0][1] if ranking else 0.0
    right = max((value for name, value in ranking if name in one.expected), default=0.0)
    first = bool(ranking) and ranking[0][0] in one.expected
    shown = {name for name, _ in ranking[:5]}
    recall = len(shown.intersection(one.expected)) / max(1, len(set(one.expected)))
    return Outcome(bool(one.expected), top, right, float(first and top >= _CUTOFF), float(first), recall)


def _figures(found: Sequence[Outcome]) -> Figures:
    """The figures. `auc`: how often the right rule scores above the first of a call that no rule applies to; `area`:
    the same, and the right rule is first."""
    asked, silent = [one for one in found if one.applies], [one for one in found if not one.applies]
    tops = sorted(one.top for one in silent)

    def mean(values: Sequence[float]) -> float:
        return sum(values) / max(1, len(values))

    def above(values: Sequence[float]) -> float:
        won = (bisect.bisect_left(tops, one) + bisect.bisect_right(tops, one) for one in values)
        return sum(won) / max(1, 2 * len(values) * len(tops))

    return {
        "hit@1": mean([one.hit for one in asked]),
        "quiet": mean([float(one.top < _CUTOFF) for one in silent]),
        "first": mean([one.first for one in asked]),
        "recall@5": mean([one.recall for one in asked]),
        "auc": above([one.right for one in asked]),
        "area": above([one.top if one.first else -1.0 for one in asked]),
    }
