"""Whether the gate of `library ask` refuses what the library cannot answer, and lets the rest pass.

Labelled questions in `tests/data/ask`. Each set names its corpus: this project's pages (the frozen copy in
`tests/data/house`) and sources, or a folder next to the set. No language model is asked. A corpus becomes a library
once a model, embedded where there is one, and is kept in `bench/out` (delete `ask-gate*.db` to build it again).

- `CASEBOOK_ASK_SETS=FILE:…` measures other sets. The corpus of a YAML set is in the same folder, or in the folder
  `CASEBOOK_ASK_CORPORA` under the name of the set. A JSONL set (`tests/data/library/questions/gate_*`) names folders of
  `CASEBOOK_ASK_CORPORA`.
- `CASEBOOK_ASK_MODEL` is the id of the embedding model.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from bench.library.corpus import OUT
from bench.table import Row
from core.base.config.settings import EmbeddingSettings, RagSettings
from core.embedding.models.models import Absent, current
from core.flows.ingest.api import IngestOptions, ingest
from core.flows.ingest.search import embed_passages, model_search
from core.library.ask.gate import gate
from core.library.ask.question import read_question
from core.rules.evaluation.compare import rate
from core.rules.matching.tables import load_tables
from core.store import Store, open_store

if TYPE_CHECKING:
    from core.embedding.runtime.query_model import VectorSearch

ROOT: Final = Path(__file__).resolve().parents[2]
SUITES: Final = ("tuned", "blind", "fresh", "wiki", "last", "club", "museum", "tools")
KINDS: Final = ("away", "near", "korean", "paraphrase")
MODEL: Final = EmbeddingSettings(model=os.environ.get("CASEBOOK_ASK_MODEL", ""))
_UNANSWERABLE: Final = ("away", "near")
_BAR: Final = RagSettings().score_gate
_OWN: Final = ("docs", "core", "cli", "README.md", "CONTRIBUTING.md")


@dataclass(frozen=True, slots=True)
class Labelled:
    suite: str
    kind: str
    id: str
    question: str


@dataclass(frozen=True, slots=True)
class Suite:
    """A set of questions: its name, where its corpus lies, and what of that folder belongs to it."""

    name: str
    root: Path
    corpus: tuple[str, ...]
    questions: tuple[Labelled, ...]


def measure(*, quick: bool) -> list[Row]:
    """Prints every rate with its interval and each question that went wrong; nothing here is a matter of time."""
    asked = list(suites())
    glossary = load_tables().glossary
    for name in ("by words alone",) if quick else ("with a model", "by words alone"):
        wrong: list[Labelled] = []
        for suite in asked:
            wrong += _wrong(suite, glossary, model=name == "with a model")
        _show(name, asked, wrong)
    return []


def _wrong(suite: Suite, glossary: Mapping[str, str], *, model: bool) -> list[Labelled]:
    database, embedded = library(suite, embed=model)
    if model and not embedded:
        print("there is no model: by words alone", file=sys.stderr)
    with open_store(database) as store, model_search(MODEL) as vectors:
        return [one for one in suite.questions if not _right(store, one, vectors if model else None, glossary)]


def _right(store: Store, one: Labelled, vectors: VectorSearch | None, glossary: Mapping[str, str]) -> bool:
    found = gate(store.con, read_question(one.question, glossary), vectors, None, None, _BAR, glossary)
    return found.passed == (one.kind not in _UNANSWERABLE)


def _show(name: str, asked: list[Suite], wrong: list[Labelled]) -> None:
    print(f"\nask_gate, {name}: right of all, with the 95 % interval")
    labelled = [one for suite in asked for one in suite.questions]
    for suite in (*(one.name for one in asked), "all"):
        cells: list[str] = []
        for kind in (*KINDS, "refused", "passed"):
            ours = [one for one in labelled if suite in (one.suite, "all") and _of(one.kind, kind)]
            right = len(ours) - sum(one in wrong for one in ours)
            found = rate(right, len(ours))
            cells.append(f"{kind} {right}/{len(ours)} [{found.low:.2f}, {found.high:.2f}]")
        print(f"  {suite:6} " + "  ".join(cells))
    for one in wrong:
        print(f"    {'passed' if one.kind in _UNANSWERABLE else 'refused'}: {one.suite} {one.id}: {one.question}")


def _of(kind: str, column: str) -> bool:
    if column in KINDS:
        return kind == column
    return (kind in _UNANSWERABLE) == (column == "refused")


def suites() -> Iterator[Suite]:
    corpora = os.environ.get("CASEBOOK_ASK_CORPORA")
    given = [Path(one) for one in os.environ.get("CASEBOOK_ASK_SETS", "").split(os.pathsep) if one]
    for name in () if given else SUITES:
        suite = own_suite(ROOT / f"tests/data/ask/{name}.yaml", ROOT)
        yield replace(suite, root=_house()) if suite.corpus == _OWN else suite
    for path in given:
        if ".jsonl" in path.suffixes:
            yield from foreign_suites(path, Path(corpora or path.parent))
        else:
            yield own_suite(path, Path(corpora) / path.stem if corpora else path.parent)


def foreign_suites(path: Path, corpora: Path) -> Iterator[Suite]:
    """One suite a corpus; `answerable` counts as `paraphrase`, `far` as `away`."""
    lines = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).splitlines()
    rows = [cast("dict[str, str]", json.loads(line)) for line in lines]
    kinds = {"answerable": "paraphrase", "far": "away", "near": "near"}
    for corpus in dict.fromkeys(row["corpus"] for row in rows):
        name = f"{path.name.partition('.')[0]}-{corpus}"
        found = [row for row in rows if row["corpus"] == corpus]
        labelled = (Labelled(name, kinds[row["kind"]], str(at), row["question"]) for at, row in enumerate(found, 1))
        yield Suite(name, corpora / corpus, (".",), tuple(labelled))


def _house() -> Path:
    """A folder with the frozen pages and the sources of today, copied once."""
    house = OUT / "house"
    if not house.exists():
        shutil.copytree(ROOT / "tests/data/house", house)
        for name in ("core", "cli"):
            shutil.copytree(ROOT / name, house / name, ignore=shutil.ignore_patterns("__pycache__"))
    return house


def own_suite(path: Path, root: Path = ROOT) -> Suite:
    """The questions of a YAML file; its corpus is in the folder `root`."""
    import yaml

    top = cast("dict[str, Any]", yaml.safe_load(path.read_text("utf-8")))
    questions = tuple(Labelled(path.stem, row["kind"], row["id"], row["question"]) for row in top["questions"])
    return Suite(path.stem, root, tuple(top["corpus"]), questions)


def library(suite: Suite, *, embed: bool, settings: EmbeddingSettings = MODEL) -> tuple[Path, bool]:
    """The library of a set's corpus, and whether its passages have vectors. Sets with one corpus share it."""
    own = suite.corpus == _OWN
    given = os.environ.get("CASEBOOK_BENCH_LIBRARY") if own else None
    corpus = "house" if own else suite.root.name if suite.corpus == (".",) else suite.name
    path = Path(given) if given else OUT / f"ask-gate-{corpus}{settings.model and '-'}{settings.model}.db"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        include = () if suite.corpus == (".",) else tuple(f"/{name}" for name in suite.corpus)
        before = Path.cwd()
        with open_store(path, write=True, create=True) as store:
            os.chdir(suite.root)
            try:
                ingest(store, [Path()], IngestOptions(include=include))
            finally:
                os.chdir(before)
    if not embed or isinstance(current(settings), Absent):
        return path, False
    if not given:
        print("embedding what has no vector yet; the first time takes minutes", file=sys.stderr)
        embed_passages(path, settings)
    return path, True
