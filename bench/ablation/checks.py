"""Parts of the checks of an answer on public pairs of sentences, the first as source and the second as answer.

ConjNLI, NaN-NLI and XNLI in Korean (`tests/data/library/questions/pairs.tsv`). A check earns its place if it tells
pairs that contradict from pairs that follow.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.ablation.parts import DATA, SOURCES, Figures, Parts, show_change, show_whole, without
from bench.sources import fetch
from core.library.ask import negation, verdict
from core.library.search.rows import Passage

FILES: Final = {
    "ConjNLI/data/NLI/conj_dev.tsv": 0, "ConjNLI/data/NLI/adversarial_train_15k.tsv": 700, "nan-nli/data/nan.csv": 0,
    "KorNLUDatasets/KorNLI/xnli.dev.ko.tsv": 500, "KorNLUDatasets/KorNLI/xnli.test.ko.tsv": 500,
}  # fmt: skip
"""How many pairs are drawn of each file; 0: all."""
LABELS: Final = ("contradiction", "neutral", "entailment")
_NEVER: Final = re.compile(r"(?!)")
PARTS: Final[Parts] = {
    "denials": ((verdict, "denials", lambda *_, **__: ()),),
    "denials: no more than": ((negation, "_measured", lambda *_: False),),
    "denials: only, nobody but": ((negation, "_BUT", _NEVER), (negation, "_ONLY", _NEVER)),
    "denials: opposite words": ((negation, "_opposite", lambda *_: False),),
    "denials: harmless phrases": ((negation, "_HARMLESS", _NEVER),),
    "denials: irregular verbs": ((negation, "_UNLIKE", {}),),
    "denials: verb ends the scope": ((negation, "_VERB", _NEVER),),
    "words of the nearest place": ((verdict, "near_concerns", lambda *_: ()),),
    "numbers of no source": ((verdict, "strange_figures", lambda *_: ()),),
    "numbers: clock": ((verdict, "_CLOCK", _NEVER),),
    "numbers: thousand, million": ((verdict, "_GROUPED", _NEVER),),
    "numbers: other words": ((verdict, "_ALSO", {}),),
    "units, days, currencies": ((verdict, "other_measure", lambda *_: False),),
    "names": ((verdict, "other_name", lambda *_: False),),
    "joined pieces": ((verdict, "_joins", lambda *_: False),),
    "words in quotation marks": ((verdict, "_QUOTED", _NEVER),),
    "verbs that say no more": ((verdict, "_LIGHT", frozenset()),),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """A pair with its label: whether the answer contradicts its source, and whether the source carries it."""

    label: str
    contradicts: bool
    holds: bool


def show() -> None:
    """Print the table."""
    fetch(DATA / "library" / "questions" / "pairs.tsv", SOURCES)
    pairs = [pair for name, most in FILES.items() for pair in _drawn(SOURCES / name, most)]
    whole = list(_checked(pairs))
    show_whole(f"checks of an answer, {len(pairs)} pairs", _figures(whole))
    for part, changes in PARTS.items():
        with without(((negation, "NOTHING", negation.NOTHING), *changes)):
            less = list(_checked(pairs))
        show_change(part, whole, less, _figures, lambda one: one.label)


def _drawn(path: Path, most: int) -> Sequence[tuple[str, str, str]]:
    delimiter, quoting = (",", csv.QUOTE_MINIMAL) if path.suffix == ".csv" else ("\t", csv.QUOTE_NONE)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [row[:3] for row in csv.reader(file, delimiter=delimiter, quoting=quoting)]
    pairs = [(one, other, label) for one, other, label in rows if label in LABELS and one.strip() and other.strip()]
    return random.Random(5).sample(pairs, most) if most else pairs


def _checked(pairs: Sequence[tuple[str, str, str]]) -> Iterator[Checked]:
    for source, answer, label in pairs:
        found = verdict.claims(f"{answer} [1]", (_passage(source),))
        yield Checked(label, any(map(verdict.contradicts, found)), any(map(verdict.holds, found)))


def _passage(text: str) -> Passage:
    span = '[{"kind":"line","start":1,"end":9}]'
    return Passage(1, "c", "d", text, "[]", "", span, "v", 1, 9, "n.md", "", "2026-01-01T00:00:00Z", None, None)


def _figures(found: Sequence[Checked]) -> Figures:
    """The share of the pairs of each label that is said to contradict, and that the source is said to carry."""
    figures: dict[str, float] = {}
    for label in LABELS:
        ours = [one for one in found if one.label == label]
        figures[f"{label}: contradicts"] = sum(one.contradicts for one in ours) / max(1, len(ours))
        figures[f"{label}: holds"] = sum(one.holds for one in ours) / max(1, len(ours))
    return figures
