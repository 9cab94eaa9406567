"""Whether the gate of `library ask` refuses what the library cannot answer, and lets the rest pass.

Labelled questions in `tests/data/ask` about this project's own documents and sources; no language model is asked. The
library is made once, embedded where there is a model, and kept in `bench/out/ask-gate.db` (delete it to make it anew).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from bench.library_corpus import OUT
from bench.table import Row
from core.embedding.models import Absent, current
from core.flows.library_ingest import IngestOptions, ingest
from core.flows.library_search import model_search
from core.flows.library_search_embed import embed_passages
from core.library.ask_gate import gate
from core.library.ask_question import read_question
from core.rules.compare import rate
from core.rules.tables import load_tables
from core.settings import EmbeddingSettings, RagSettings
from core.store import Store, open_store

if TYPE_CHECKING:
    from core.embedding.asking import VectorSearch

ROOT: Final = Path(__file__).resolve().parent.parent
SUITES: Final = ("tuned", "blind", "fresh")
KINDS: Final = ("away", "near", "korean", "paraphrase")
_UNANSWERABLE: Final = ("away", "near")
_BAR: Final = RagSettings().score_gate


@dataclass(frozen=True, slots=True)
class _Labelled:
    suite: str
    kind: str
    id: str
    question: str


def measure(*, quick: bool) -> list[Row]:
    """Prints every rate with its interval and each question that went wrong; nothing here is a matter of time."""
    database, embedded = _library(embed=not quick)
    labelled = list(_questions())
    glossary = load_tables().glossary
    with open_store(database) as store, model_search(EmbeddingSettings()) as vectors:
        for name, asked in (("with a model", vectors if embedded else None), ("by words alone", None)):
            if asked is None and name == "with a model":
                continue
            wrong = [one for one in labelled if not _right(store, one, asked, glossary)]
            _show(name, labelled, wrong)
    return []


def _right(store: Store, one: _Labelled, vectors: VectorSearch | None, glossary: Any) -> bool:
    found = gate(store.con, read_question(one.question, glossary), vectors, None, None, _BAR)
    return found.passed == (one.kind not in _UNANSWERABLE)


def _show(name: str, labelled: list[_Labelled], wrong: list[_Labelled]) -> None:
    print(f"\nask_gate, {name}: right of all, with the 95 % interval")
    for suite in (*SUITES, "all"):
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


def _questions() -> Iterator[_Labelled]:
    import yaml

    for suite in SUITES:
        top = cast("dict[str, Any]", yaml.safe_load((ROOT / f"tests/data/ask/{suite}.yaml").read_text("utf-8")))
        for row in top["questions"]:
            yield _Labelled(suite, row["kind"], row["id"], row["question"])


def _library(*, embed: bool) -> tuple[Path, bool]:
    """The library of the questions' corpus, and whether its passages have vectors."""
    given = os.environ.get("CASEBOOK_BENCH_LIBRARY")
    path = Path(given) if given else OUT / "ask-gate.db"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_store(path, write=True, create=True) as store:
            names = ("docs", "core", "cli", "README.md", "CONTRIBUTING.md")
            before = Path.cwd()
            os.chdir(ROOT)
            try:
                ingest(store, [Path()], IngestOptions(include=tuple(f"/{name}" for name in names)))
            finally:
                os.chdir(before)
    if not embed or isinstance(current(EmbeddingSettings()), Absent):
        return path, False
    if not given:
        print("embedding what has no vector yet; the first time takes minutes", file=sys.stderr)
        embed_passages(path, EmbeddingSettings())
    return path, True
