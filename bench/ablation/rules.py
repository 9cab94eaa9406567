"""What each table, pattern and factor of rule matching is worth on labelled calls it was not made from.

Each part is left out alone. Printed is the change of every figure with its 95 % interval, from a paired bootstrap over
the calls. Sets: 13 to 18, and the open halves of the bullets of real rule files. Keywords alone, and both tiers where
a model is at hand.
"""

from __future__ import annotations

import bisect
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from bench.table import Row
from core.base.config.settings import EmbeddingSettings
from core.embedding.models.models import Absent, LocalModel, current
from core.embedding.runtime.local import load
from core.embedding.runtime.query_model import ModelAtHand, VectorSearch
from core.rules.evaluation.compare import ranked
from core.rules.evaluation.labels import LabelledCall, read_labelled
from core.rules.format import snippets
from core.rules.format.book import Book, book_of
from core.rules.format.parse import parse
from core.rules.format.rule import Rule
from core.rules.format.store import source_for
from core.rules.matching import api, call, keyword, score
from core.rules.matching.semantic import RememberedSemantic
from core.rules.matching.tables import Tables, shipped_tables

DATA: Final = Path(__file__).parent.parent / "tests" / "data" / "rules"
NUMBERED: Final = ("thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth")
BULLETS: Final = ("nineteenth", "twentieth")
_ROUNDS: Final = 200
_CUTOFF: Final = score.CUTOFF
_NEVER: Final = re.compile(r"(?!)")
_BULLET: Final = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*\S)")

Change = tuple[Any, str, object]
"""A module, the name of a part in it, and what stands in for the part."""
PARTS: Final[Mapping[str, Sequence[Change]]] = {
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


class _Vectors(VectorSearch):
    """Vectors of queries, each computed once."""

    known: dict[str, Any]

    def embed(self, text: str) -> Any:
        """The vector of a query."""
        if text not in self.known:
            self.known[text] = super().embed(text)
        return self.known[text]


def measure(*, quick: bool) -> list[Row]:
    """Print the table of ablations. There is no budget."""
    found = current(EmbeddingSettings())
    models = [None] if quick or isinstance(found, Absent) else [None, found]
    for name, sets in (("sets 13 to 18", NUMBERED), ("bullets, open halves", BULLETS)):
        for model in models:
            _print_table(f"{name}, {'keywords' if model is None else model.model.id}", sets, model)
    return []


def _print_table(title: str, sets: Sequence[str], model: LocalModel | None) -> None:
    vectors = None
    if model is not None:
        vectors = _Vectors(lambda: ModelAtHand(model.model, lambda: load(model, threads=1)))
        vectors.known = {}
    calls = [(name, *_read(name)) for name in sets]
    documents: dict[str, Any] = {}
    tables = shipped_tables()
    shipped = list(_outcomes(calls, tables, vectors, documents))
    whole = _figures(shipped)
    print(f"\n{title}: " + "  ".join(f"{name} {value:.3f}" for name, value in whole.items()), flush=True)
    for part, changes in PARTS.items():
        with ExitStack() as stack:
            for change in changes:
                stack.enter_context(patch.object(*change))
            less = list(_outcomes(calls, _without(tables, part), vectors, documents))
        cells = (
            f"{name} {value - whole[name]:+.3f} [{low:+.3f}, {high:+.3f}]"
            for (name, value), (low, high) in zip(_figures(less).items(), _intervals(shipped, less), strict=True)
        )
        print(f"  {part:<30}" + "  ".join(cells), flush=True)


def _without(tables: Tables, part: str) -> Tables:
    if part == "patterns":
        return replace(tables, error_patterns=())
    if part == "glossary":
        return replace(tables, glossary={})
    return tables


def _read(name: str) -> tuple[Sequence[Rule], Sequence[LabelledCall]]:
    """The rules and calls of a set. Of a file of bullets each is a rule that has a solution only."""
    if name in NUMBERED:
        return parse(DATA / f"{name}.md").rules, read_labelled(DATA / f"{name}.jsonl")
    lines = (DATA / "bullets" / f"{name}.md").read_text("utf-8").split("\n")
    found = [(at, match[1]) for at, line in enumerate(lines, 1) if (match := _BULLET.match(line))]
    rules = [Rule(f"B-{at:03d}", "", solution=text, line=at) for at, text in found]
    path = DATA / "bullets" / f"{name}_open.jsonl"
    by_text = {rule.solution: rule.id for rule in rules}
    wanted = [json.loads(line)["expected"] for line in path.read_text("utf-8").splitlines() if line]
    calls = [
        replace(one, expected=tuple(by_text.get(text, text) for text in texts))
        for one, texts in zip(read_labelled(path), wanted, strict=True)
    ]
    return rules, calls


def _outcomes(
    sets: Sequence[tuple[str, Sequence[Rule], Sequence[LabelledCall]]],
    tables: Tables,
    vectors: VectorSearch | None,
    documents: dict[str, Any],
) -> Iterator[Outcome]:
    for _, rules, calls in sets:
        book = book_of(rules, tables)
        semantic = None if vectors is None else _semantic(book, vectors, documents)
        yield from (_outcome(one, ranked(book, one, semantic)["hybrid"]) for one in calls if not one.undecided)


def _semantic(book: Book, vectors: VectorSearch, documents: dict[str, Any]) -> RememberedSemantic:
    """The semantic tier of a book; `documents` holds the vectors that are known, by text."""
    found = current(EmbeddingSettings())
    assert isinstance(found, LocalModel)
    english = found.model.languages == "en"
    source = source_for(book.tables, english=english)
    texts = tuple(source.text(rule) for rule in book.rules)
    if missing := [text for text in dict.fromkeys(texts) if text not in documents]:
        documents.update(zip(missing, load(found, threads=1).embed(missing, "document"), strict=True))
    return RememberedSemantic(vectors, english, texts, book, {text: documents[text] for text in texts})


def _outcome(one: LabelledCall, ranking: Sequence[tuple[str, float]]) -> Outcome:
    top = ranking[0][1] if ranking else 0.0
    right = max((value for name, value in ranking if name in one.expected), default=0.0)
    first = bool(ranking) and ranking[0][0] in one.expected
    shown = {name for name, _ in ranking[:5]}
    recall = len(shown.intersection(one.expected)) / max(1, len(set(one.expected)))
    return Outcome(bool(one.expected), top, right, float(first and top >= _CUTOFF), float(first), recall)


def _figures(found: Sequence[Outcome]) -> dict[str, float]:
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


def _intervals(one: Sequence[Outcome], other: Sequence[Outcome]) -> list[tuple[float, float]]:
    """The 95 % interval of each figure's difference, from samples of the same calls."""
    draw = random.Random(1)
    asked = [at for at, found in enumerate(one) if found.applies]
    silent = [at for at, found in enumerate(one) if not found.applies]
    differences: list[list[float]] = []
    for _ in range(_ROUNDS):
        places = draw.choices(asked, k=len(asked)) + draw.choices(silent, k=len(silent))
        before, after = (_figures([some[at] for at in places]) for some in (one, other))
        differences.append([after[name] - before[name] for name in before])
    least, most = int(_ROUNDS * 0.025), int(_ROUNDS * 0.975) - 1
    return [(sorted(values)[least], sorted(values)[most]) for values in zip(*differences, strict=True)]
