"""Embedding runs over errors, rules and passages of the library, in this order; the state of the vectors they make."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import apsw

from core.base.config.settings import EmbeddingSettings
from core.base.fault import Fault
from core.base.reports import Progress
from core.embedding.index.backlog import waiting
from core.embedding.index.state import read_state, why_off
from core.embedding.index.stored import Place
from core.embedding.models.catalogue import Model
from core.embedding.models.models import Absent, LocalModel, current
from core.embedding.runtime.embedder import Document, Kind, LocalEmbedder, Source, Vector
from core.embedding.runtime.report import EmbedPart, EmbedReport
from core.embedding.runtime.worker import BATCH, Read, place_of, run, up_to_date
from core.errors.retrieval.embed_text import ErrorSource
from core.errors.retrieval.embed_text import place_of as place_of_errors
from core.library.search.hybrid import ChunkSource
from core.library.search.hybrid import place_of as place_of_passages
from core.store import Store, faults, jobs, open_store
from core.store.sql import number

if TYPE_CHECKING:
    from core.embedding.runtime.local import Parallel

EmbeddedKind = Literal["error", "rule", "chunk"]
KINDS: Final[tuple[EmbeddedKind, ...]] = ("error", "rule", "chunk")
"""Few and short before many and long: a case or a rule never waits for a library."""


def sources_of(kinds: Sequence[EmbeddedKind], model: Model) -> tuple[Source, ...]:
    """The texts of these kinds as `model` reads them. Raises Fault config_invalid for a wrong table of the user."""
    return tuple(_source(kind, model) for kind in kinds)


def _source(kind: EmbeddedKind, model: Model) -> Source:
    if kind == "error":
        return ErrorSource()
    if kind == "rule":
        from core.rules.format.store import source_for
        from core.rules.matching.tables import load_tables

        return source_for(load_tables(), english=model.languages == "en")

    return ChunkSource()


LOOKS_S = 1.0
"""Seconds between two looks whether something came that goes first."""

Tell = Callable[[Progress], None]


def embed_pending(
    db_path: Path,
    *,
    settings: EmbeddingSettings | None = None,
    threads: int = 1,
    batch: int = BATCH,
    kinds: Sequence[EmbeddedKind] = KINDS,
    progress: Tell | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> EmbedReport:
    """Embed whatever waits in the casebook at `db_path` (error-kb REQ-RA-005) and say what came of it.

    Errors first, then rules, then passages of the library, of the `kinds` that are wanted; what comes meanwhile and
    goes first is taken first. The model is the one the settings name, else the best on this machine; it is loaded only
    where there is something to embed. `threads`: the cores it uses, 0 for all; one, so that a workbench stays smooth.
    Blocks until it is done or `stop` says so: for a thread or a process of its own. Raises Fault: model_not_pulled,
    model_unreachable, not_indexed, db_readonly, config_invalid and what else `open_store` raises.
    """
    found = current(settings or EmbeddingSettings())
    if isinstance(found, Absent):
        raise Fault("model_not_pulled", found.reason, f"run: {found.remedy}")
    embedder = OnDemand(found, threads, stop)
    work = _Whole(sources_of(kinds, found.model), embedder, batch, progress, stop)
    with open_store(db_path) as store:
        if not any(work.is_due(store, source) for source in work.sources):
            return work.report()
    try:
        with open_store(db_path, write=True) as store, faults(db_path):
            work.all(store)
    finally:
        embedder.close()
    return work.report()


@dataclass(slots=True)
class _Whole:
    """One run over several kinds, each with a row in `jobs`; the model is loaded once for all of them."""

    sources: Sequence[Source]
    embedder: OnDemand
    batch: int
    progress: Tell | None
    stop: Callable[[], bool]
    made: list[EmbedReport] = field(default_factory=list[EmbedReport])
    done: int = 0
    left: dict[str, int] = field(default_factory=dict[str, int])

    def is_due(self, store: Store, source: Source) -> bool:
        """Whether there is anything to do; rules and passages need not even be there."""
        place = place_of(source, self.embedder)
        none = source.kind != "error" and read_state(store.con, source.kind) is None
        return waiting(store.con, source.kind) > 0 if none else not up_to_date(store, place)

    def all(self, store: Store) -> None:
        """Each kind in turn; from the beginning again where one gave way."""
        self._each(store)
        self.left = {one.kind: waiting(store.con, one.kind) for one in self.sources}

    def _each(self, store: Store) -> None:
        at = 0
        while at < len(self.sources):
            source, first = self.sources[at], _First(store, self.sources[:at])
            at += 1
            if not self.is_due(store, source):
                continue
            report = run(
                store, source, self.embedder, batch=self.batch, progress=self._on_progress(store, at), stop=self.stop,
                give_way=first.is_embedded, length=self.embedder.tokens, read=self._read_of(source),
            )  # fmt: skip
            self.made.append(report)
            self.done += report.embedded + report.reused + report.removed + len(report.failed)
            if report.canceled or report.busy:
                return
            if first.has_work:
                at = 0

    def _read_of(self, source: Source) -> Read | None:
        """How texts are read with their tokens, where searches rerank by them."""
        return self.embedder.read if source.kind == "chunk" and self.embedder.found.model.reranks else None

    def _on_progress(self, store: Store, later: int) -> Tell | None:
        tell, done = self.progress, self.done
        if tell is None:
            return None

        def report(step: Progress) -> None:
            behind = sum(waiting(store.con, one.kind) for one in self.sources[later:])
            left = step.total - step.done + behind
            eta = round(left / step.rate, 1) if step.rate else None
            tell(replace(step, done=done + step.done, total=done + step.done + left, eta_s=eta))

        return report

    def report(self) -> EmbedReport:
        """What was done; of a single kind its own report."""
        places = [place_of(source, self.embedder) for source in self.sources]
        if len(places) == 1:
            return self.made[0] if self.made else EmbedReport(places[0].kind, places[0].model, places[0].recipe)
        return joined(
            [self._of(place.kind, place.model, place.recipe) for place in places], busy=any(r.busy for r in self.made)
        )

    def _of(self, kind: str, model: str, recipe: str) -> EmbedReport:
        """What was done for a kind, in one run or in several."""
        runs = [one for one in self.made if one.kind == kind]
        return EmbedReport(
            kind, model, recipe,
            embedded=sum(one.embedded for one in runs),
            reused=sum(one.reused for one in runs),
            removed=sum(one.removed for one in runs),
            failed=tuple(failed for one in runs for failed in one.failed),
            waiting=self.left.get(kind, 0),
            canceled=any(one.canceled for one in runs),
            elapsed_s=sum(one.elapsed_s for one in runs),
            copied=sum(one.copied for one in runs),
        )  # fmt: skip


def joined(kinds: Sequence[EmbedReport], *, busy: bool = False) -> EmbedReport:
    """The reports of several kinds as one."""
    return EmbedReport(
        "all",
        kinds[0].model,
        "",
        embedded=sum(one.embedded for one in kinds),
        reused=sum(one.reused for one in kinds),
        removed=sum(one.removed for one in kinds),
        failed=tuple(failed for one in kinds for failed in one.failed),
        waiting=sum(one.waiting for one in kinds),
        canceled=any(one.canceled for one in kinds),
        busy=busy,
        elapsed_s=round(sum(one.elapsed_s for one in kinds), 3),
        parts=tuple(
            EmbedPart(
                one.kind, one.recipe, one.embedded, one.reused, one.removed, len(one.failed), one.waiting, one.copied
            )
            for one in kinds
        ),
        copied=sum(one.copied for one in kinds),
    )


@dataclass(slots=True)
class _First:
    """Looks now and then whether something came of the kinds that go first, beyond what they left over."""

    store: Store
    sources: Sequence[Source]
    has_work: bool = False
    looked: float = field(default_factory=time.monotonic)
    left: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.left = self._waiting()

    def is_embedded(self) -> bool:
        if not self.has_work and time.monotonic() - self.looked > LOOKS_S:
            self.looked = time.monotonic()
            self.has_work = any(count > self.left[kind] for kind, count in self._waiting().items())
        return self.has_work

    def _waiting(self) -> dict[str, int]:
        return {one.kind: waiting(self.store.con, one.kind) for one in self.sources}


@dataclass(slots=True)
class OnDemand:
    """An `Embedder` that loads its model when the first text comes."""

    found: LocalModel
    threads: int
    stop: Callable[[], bool] = lambda: False
    loaded: tuple[LocalEmbedder, Parallel] | None = None

    @property
    def id(self) -> str:
        return self.found.model.id

    @property
    def version(self) -> str:
        return self.found.model.version

    @property
    def recipe(self) -> str:
        return self.found.model.recipe

    @property
    def dim(self) -> int:
        return self.found.model.dim

    def embed(self, texts: Sequence[str], kind: Kind) -> list[tuple[Vector, ...]]:
        """See `Embedder`; the first call takes a second or more."""
        return self._opened()[1].embed(texts, kind)

    def read(self, texts: Sequence[str]) -> list[Document]:
        """See `LocalEmbedder`; the first call loads the model as well."""
        return self._opened()[1].read(texts)

    def tokens(self, text: str) -> int:
        """See `LocalEmbedder`; the first call loads the model as well."""
        return self._opened()[0].tokens(text)

    def _opened(self) -> tuple[LocalEmbedder, Parallel]:
        """The model, and the same on as many cores as wanted."""
        if self.loaded is None:
            from core.embedding.runtime.local import Parallel, load

            model = load(self.found, threads=1, stop=self.stop)
            if (model.id, model.version, model.recipe, model.dim) != (self.id, self.version, self.recipe, self.dim):
                model.close()
                raise Fault(
                    "model_unreachable", f"the model {self.id} was replaced in the meantime", "run the command again"
                )
            self.loaded = model, Parallel(model, self.threads or os.cpu_count() or 1)
        return self.loaded

    def close(self) -> None:
        if self.loaded is not None:
            self.loaded[1].close()
            self.loaded = None


_MADE = "SELECT count(*) FROM vector WHERE kind = ? AND model = ? AND recipe = ?"


@dataclass(frozen=True, slots=True)
class VectorFacts:
    """What is known without loading anything.

    `model` is the one in use, None where there is none: `reason` and `remedy` then say why and what mends it.
    `vectors` of it are kept, `waiting` cases have still to be embedded with it, `failed` ones could not be. `off`: why
    the tier is silent now. `other`: the model that made what is kept, where that is another one. `running`: the run of
    embedding that goes on, maybe in another process. `cases`: how many there are. `rules_waiting` and
    `passages_waiting` are embedded by the same run, after the cases; `passages` and `passage_vectors` as for the cases.
    """

    cases: int
    model: Model | None
    reason: str = ""
    remedy: str = ""
    vectors: int = 0
    waiting: int = 0
    failed: int = 0
    off: str = ""
    other: str = ""
    running: jobs.Job | None = None
    rules_waiting: int = 0
    passages_waiting: int = 0
    passages: int = 0
    passage_vectors: int = 0

    @property
    def due(self) -> int:
        """All that waits, of whatever kind."""
        return self.waiting + self.rules_waiting + self.passages_waiting


def vector_facts(store: Store, settings: EmbeddingSettings, *, count: bool = False) -> VectorFacts:
    """Look at the model in use and at the casebook; with `count` the kept vectors and the failures are counted too.

    Constant time without `count`. Raises Fault where the casebook cannot be read.
    """
    con, found = store.con, current(settings)
    with faults(store.path):
        cases = number(con, "SELECT count(*) FROM error_kb" if count else "SELECT EXISTS (SELECT 1 FROM error_kb)")
        running = jobs.running(store, "embed")
        if isinstance(found, Absent):
            return VectorFacts(cases, None, found.reason, found.remedy, running=running)
        place = place_of_errors(found.model)
        state = read_state(con, place.kind)
        other = "" if state is None or state.is_of(place.model, place.recipe, place.dim) else state.model
        left = waiting(con, place.kind)
        if other:
            left = max(left, number(con, "SELECT count(*) FROM error_kb"))
        names = (place.kind, place.model, place.recipe)
        passages = place_of_passages(found.model)
        passages_left, passages_of = _passages(con, passages)
        return VectorFacts(
            cases,
            found.model,
            vectors=_made(con, place) if count else 0,
            waiting=left,
            failed=number(con, "SELECT count(*) FROM embed_failure WHERE kind = 'error'") if count else 0,
            off=why_off(con, *names) or "",
            other=other or passages_of,
            running=running,
            rules_waiting=waiting(con, "rule"),
            passages_waiting=passages_left,
            passages=number(con, "SELECT count(*) FROM chunks") if count else 0,
            passage_vectors=_made(con, passages) if count else 0,
        )


def _made(con: apsw.Connection, place: Place) -> int:
    return number(con, _MADE, (place.kind, place.model, place.recipe))


def _passages(con: apsw.Connection, place: Place) -> tuple[int, str]:
    """How many passages wait, and the model that made what is kept of them, where that is another one."""
    state, left = read_state(con, place.kind), waiting(con, place.kind)
    if state is None or state.is_of(place.model, place.recipe, place.dim):
        return left, ""
    return max(left, number(con, "SELECT count(*) FROM chunks")), state.model
