"""Parts of the evidence gate on questions that it was not fitted on: seven projects and two invented handbooks."""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Final

from bench.ablation.parts import DATA, SOURCES, Figures, KeptVectors, Parts, show_change, show_whole, without
from bench.library.ask_gate import Suite, foreign_suites, library, own_suite
from bench.sources import fetch
from core.base.config.settings import EmbeddingSettings, RagSettings
from core.library.ask import features, gate, question
from core.library.ask.features import Signals
from core.rules.matching.tables import load_tables
from core.store import open_store

PROJECTS: Final = ("paperless", "calibre", "openssh", "djangogirls-ko", "borg", "gotosocial", "tts-handbook")
FOREIGN: Final = ("gate_fifth.jsonl.gz", "gate_sixth.jsonl.gz")
INVENTED: Final = ("museum", "tools")
_BAR: Final = RagSettings().score_gate
_NEVER: Final = re.compile(r"(?!)")


def _signal(name: str) -> Parts:
    """Leave one signal out: its weights are zero."""
    weights = ("_READ_WEIGHTS", "_WORD_WEIGHTS")
    zero = {one: Signals(**{**_values(getattr(features, one)), name: 0.0}) for one in weights}
    return {f"signal: {name}": tuple((features, one, zero[one]) for one in weights)}


def _values(signals: Signals) -> dict[str, float]:
    return {one.name: getattr(signals, one.name) for one in fields(Signals)}


_READ, _WORDS, _FOREIGN = features._JOINED
PARTS: Final[Parts] = {
    **{name: part for one in fields(Signals) for name, part in _signal(one.name).items()},
    "joined: words of all": ((features, "_JOINED", (_READ, 0.0, _FOREIGN)),),
    "joined: another language": ((features, "_JOINED", (_READ, _WORDS, 0.0)),),
    "reading: word in other words": ((features, "_UNLIKE", 0.999), (features, "_ALIKE", 1.0)),
    "reading: passages, 8 to 3": ((gate, "_KEPT", 3),),
    "reading: sentences, 4 to 1": ((features, "_SENTENCES", 1),),
    "question: asking words": ((question, "_ASKING", frozenset()),),
    "question: endings": ((question, "_ENDING", _NEVER),),
    "glossary": (),
    "rare words weigh more": ((gate, "_passage_count", lambda *_: 1),),
}


@dataclass(frozen=True, slots=True)
class Decided:
    """One question: answerable, near or far, the evidence, and whether the gate passed it."""

    kind: str
    score: float
    passed: bool


def show(models: Sequence[str | None]) -> None:
    """Print a table for the keywords and for each model."""
    fetch(DATA / "library" / "questions" / "sources.tsv", SOURCES, PROJECTS)
    suites = [one for name in FOREIGN for one in foreign_suites(DATA / "library" / "questions" / name, SOURCES)]
    suites += [own_suite(DATA / "ask" / f"{name}.yaml") for name in INVENTED]
    for model in models:
        vectors = None if model is None else KeptVectors(model)
        whole = list(_decisions(suites, model, vectors))
        show_whole(f"gate, {model or 'keywords'}", _figures(whole))
        for part, changes in PARTS.items():
            with without(changes):
                less = list(_decisions(suites, model, vectors, glossary=part != "glossary"))
            show_change(part, whole, less, _figures, lambda one: one.kind)


def _decisions(
    suites: Sequence[Suite], model: str | None, vectors: KeptVectors | None, *, glossary: bool = True
) -> Iterator[Decided]:
    known = load_tables().glossary if glossary else {}
    for suite in suites:
        database, _ = library(suite, embed=model is not None, settings=EmbeddingSettings(model=model or ""))
        with open_store(database) as store:
            for one in suite.questions:
                read = question.read_question(one.question, known)
                found = gate.gate(store.con, read, vectors, None, None, _BAR, known)
                yield Decided(one.kind, found.score, found.passed)


def _figures(found: Sequence[Decided]) -> Figures:
    """`answerable`: the share of those questions that passes; `near` and `far`: that is refused; `area`: how often an
    answerable question has more evidence than a near one."""
    near = [one for one in found if one.kind == "near"]
    far = [one for one in found if one.kind == "away"]
    answerable = [one for one in found if one.kind not in ("near", "away")]
    scores = sorted(one.score for one in near)
    won = math.fsum(
        bisect.bisect_left(scores, one.score) + bisect.bisect_right(scores, one.score) for one in answerable
    )
    return {
        "answerable": sum(one.passed for one in answerable) / max(1, len(answerable)),
        "near": sum(not one.passed for one in near) / max(1, len(near)),
        "far": sum(not one.passed for one in far) / max(1, len(far)),
        "area": won / max(1, 2 * len(answerable) * len(near)),
    }
