"""The matcher of rule files: reloads changed files, keeps vectors, explains matches.

Other programs may write the casebook. Each commit of another connection is noticed (`data_version`); only then the
stored vectors are read again.

Watched rule files: an edited rule is embedded at once, that rule alone (REQ-SEM-005)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from core.base.fault import Fault
from core.embedding.index.state import VectorState, read_state
from core.embedding.index.stored import Place, windows_of
from core.embedding.models.catalogue import Thresholds
from core.embedding.runtime.query_model import NoVectors, VectorSearch
from core.embedding.runtime.worker import place_of, run
from core.flows.rules.ban_match import BanSource, add_bans, matched_ban, only_bans
from core.rules.evaluation.clusters import Clusters, ToGroup
from core.rules.evaluation.compare import Comparison, compare
from core.rules.evaluation.compare import fit as fitted
from core.rules.evaluation.labels import Half, LabelledCall, of_half
from core.rules.format.book import Book, book_of
from core.rules.format.parse import joined, parse
from core.rules.format.rule import Rule, RuleFile, RuleList, Scope
from core.rules.format.store import (
    MAX_AGE_S,
    RuleSource,
    drop_removed,
    forget_freshness,
    invalidate_vectors,
    is_fresh,
    source_for,
    sync,
)
from core.rules.matching.api import SHOWN, RuleMatch, Semantic, match
from core.rules.matching.call import ToolCall
from core.rules.matching.semantic import (
    NoSemantic,
    StoredSemantic,
    StoredVectors,
    bars_of,
    matrix_of,
    read_vectors,
    stored_semantic,
    text_shas,
)
from core.rules.matching.tables import load_tables
from core.store import Store, faults, open_store
from core.store.store import data_version

if TYPE_CHECKING:
    from core.embedding.models.catalogue import Model
    from core.embedding.runtime.embedder import Embedder
    from core.embedding.runtime.report import EmbedReport


DEADLINE_S = 4.0
"""A match never keeps a tool waiting for 5 seconds (REQ-SEM-010); this leaves room for the rest."""
_BATCH = 16
"""Rules embedded at once before a match: however little time there is, something is done."""

Log = Callable[[str], None]


@dataclass(slots=True)
class CachedVectors:
    """The tier over the vectors of one book in one store. `in_memory`: they are held and compared here, else by the
    casebook's index."""

    in_memory: bool = True
    _made: StoredSemantic | None = None
    _version: int = 0
    _shas: tuple[str, ...] = field(default_factory=tuple[str, ...])

    def standing(self, store: Store, book: Book, place: Place) -> StoredSemantic | None:
        """The tier that was found before, as far as it holds now; None where something is to be embedded. Raises
        Fault."""
        made = self._made
        if made is None or made.book is not book or made.place != place or made.lack.waiting or made.lack.elsewhere:
            return None
        with faults(store.path):
            version = data_version(store)
            if version == self._version:
                return made
            state, kept = read_state(store.con, place.kind), read_vectors(store.con, place, book, self._shas)
            if _is_of(state, place) and (kept.lack.waiting or not _is_complete(state)):
                return None
            return self._keep(store, made, kept, version)

    def tier(
        self, store: Store, source: RuleSource, place: Place, book: Book, vectors: VectorSearch, *, busy: bool, why: str
    ) -> StoredSemantic:
        """The tier over what is there now. `busy`: another program was embedding; `why`: why nothing was embedded.
        Raises Fault."""
        with faults(store.path):
            version = data_version(store)
            made = self._made
            if made is None or made.book is not book or made.place != place:
                self._shas = text_shas(book, source)
                made = stored_semantic(
                    store.con, book, vectors, place, StoredVectors(), english=source.glossary is not None
                )
            kept, state = read_vectors(store.con, place, book, self._shas), read_state(store.con, place.kind)
            lack = kept.lack
            lack = replace(
                lack, why=why if lack.waiting else "", elsewhere=busy and bool(lack.waiting or not _is_complete(state))
            )
            return self._keep(store, made, replace(kept, lack=lack), version)

    def moved(self, store: Store, tier: StoredSemantic) -> bool:
        """Whether another program changed the rows while this tier answered. Raises Fault."""
        with faults(store.path):
            if tier is not self._made or data_version(store) == self._version:
                return False
            return read_vectors(store.con, tier.place, tier.book, self._shas).items != tier.items

    def _keep(self, store: Store, made: StoredSemantic, kept: StoredVectors, version: int) -> StoredSemantic:
        """Store these rows; the vector of a rule is the same in every place, while they are unchanged."""
        matrix = made.matrix
        if self.in_memory and (matrix is None or kept.items != made.items):
            matrix = matrix_of(store.con, made.place, kept.items)
        among = made.among if kept.items == made.items else frozenset(kept.items.values())
        self._made = replace(made, items=kept.items, among=among, lack=kept.lack, matrix=matrix)
        self._version = version
        return self._made


def _is_of(state: VectorState | None, place: Place) -> bool:
    """Return whether the casebook uses this model: a mere match does not change the stored model."""
    return state is None or state.is_of(place.model, place.recipe, place.dim)


def _is_complete(state: VectorState | None) -> bool:
    return state is not None and state.complete


@dataclass(slots=True)
class _Read:
    """A file as it was last read, and when."""

    file: RuleFile
    at: float


@dataclass(slots=True)
class RuleMatcher:
    """Matches calls against the rules of some files, again and again; follows the files and embeds what changed.

    `database` is made where it is missing and a model is there, since vectors are kept in it. `vectors` is where a
    query's vector comes from (`system.vectors.vector_search`), `embed` embeds what waits; without them keywords
    answer. Belongs to one thread; a context manager. `log` is told of every failed embedding (REQ-SEM-006).
    `in_memory`: vectors are held and compared here, by numpy; else the casebook's index compares them. While another
    program embeds, a match is answered with what there is, and its semantic step says so (`ELSEWHERE`). `bans`: whose
    forbidden code a match names too.
    """

    paths: Sequence[tuple[Path, Scope]]
    database: Path
    vectors: VectorSearch | None = None
    deadline_s: float = DEADLINE_S
    log: Log = lambda _: None
    clock: Callable[[], float] = time.time
    in_memory: bool = True
    bans: BanSource | None = None
    _read: dict[str, _Read] = field(default_factory=dict[str, _Read])
    _list: RuleList | None = None
    _book: Book | None = None
    _store: Store | None = None
    _standing: CachedVectors | None = None
    _logged: str = ""
    _opening: threading.Thread | None = None

    def __enter__(self) -> RuleMatcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the casebook and the model; may be called twice."""
        if self._store is not None:
            self._store.close()
            self._store = self._standing = None
        if self.vectors is not None:
            self.vectors.close()

    def rules(self) -> RuleList:
        """The rules as their files are now. Raises Fault where one cannot be read."""
        changed = self._list is None
        for path, scope in self.paths:
            known = self._read.get(str(path))
            if known is None or not self._holds(path, known):
                file = parse(path, scope=scope)
                changed = changed or known is None or known.file.sha256 != file.sha256
                self._read[str(path)] = _Read(file, self.clock())
        if changed or self._list is None:
            self._list = joined(self._read[str(path)].file for path, _ in self.paths)
            self._book = None
        return self._list

    def _holds(self, path: Path, known: _Read) -> bool:
        try:
            info = path.stat()
        except OSError:
            return False
        same = (info.st_size, info.st_mtime_ns) == (known.file.size, known.file.mtime_ns)
        return same and 0 <= self.clock() - known.at < MAX_AGE_S

    def book(self) -> Book:
        """The rules ready for matching. Raises Fault as `rules`, and config_invalid for a wrong table of the user."""
        found = self.rules()
        tables = load_tables()
        if self._book is None or self._book.tables is not tables:
            self._book = book_of(found.rules, tables)
        return self._book

    def match(
        self, call: ToolCall, *, limit: int = SHOWN, use_fallback: bool = True, wait_s: float | None = None
    ) -> RuleMatch:
        """The rules that apply to a call. Raises Fault only where the rules themselves cannot be read.

        `wait_s` is how long a first match may wait for the model and for rules to be embedded: a stream of calls is
        no tool that waits.
        """
        if not self.paths and self.bans is not None:
            return only_bans([matched_ban(one) for one in self.bans.broken(call.tool_name, call.tool_input)], limit)
        started = time.monotonic()
        self._begin_opening()
        book = self.book()
        left = self.deadline_s - (time.monotonic() - started) if wait_s is None else wait_s
        semantic = self._semantic(book, max(0.0, left))
        found = match(book, call, semantic, limit=limit, use_fallback=use_fallback)
        if self._moved(semantic):
            semantic = self._semantic(book, max(0.0, left - (time.monotonic() - started)))
            found = match(book, call, semantic, limit=limit, use_fallback=use_fallback)
        step = next(step for step in found.trace if step.stage == "semantic")
        found = found if self.bans is None else add_bans(found, self.bans, call, limit)
        self._log_once(step.reason if step.outcome in ("failed", "timeout") else "")
        return found

    def _log_once(self, why: str) -> None:
        """Why keywords alone matched: not again for each call that meets the same."""
        if why and why != self._logged:
            self.log(f"rules matched by keywords only: {why}")
        self._logged = why

    def refresh(self, *, all_of_them: bool = False, wait_s: float = 3600.0) -> EmbedReport | NoVectors:
        """Read the files again and embed what changed; `all_of_them`: every rule of theirs. What is kept of files that
        are gone goes. Raises Fault."""
        if self.vectors is None:
            return NoVectors("no model requested")
        model, until = self.vectors.model(), time.monotonic() + wait_s
        if isinstance(model, NoVectors):
            return model
        self._read.clear()
        book = self.book()
        store = self._opened()
        paths = [str(path) for path, _ in self.paths]
        drop_removed(store, paths)
        if all_of_them:
            invalidate_vectors(store, paths)
        forget_freshness(store, paths)
        self._sync(store)
        embedder = self._opened_model(self.vectors, until)
        if isinstance(embedder, NoVectors):
            return embedder
        return run(store, self._source(book, model), embedder, stop=lambda: time.monotonic() >= until)

    def clusters(self) -> Clusters:
        """The near-duplicates and groups of related rules, by meaning where every rule has a vector, else by words."""
        return self.to_group()()

    def to_group(self) -> ToGroup:
        """What `clusters` compares. Raises Fault as `rules`."""
        book = self.book()
        semantic = self._semantic(book, 600.0)
        bars = None if self.vectors is None else bars_of(self.vectors)
        if not isinstance(semantic, StoredSemantic) or not isinstance(bars, Thresholds):
            return ToGroup(book.rules, book.tables.glossary, {})
        found = {at: windows_of(semantic.con, semantic.place, item) for at, item in semantic.items.items()}
        return ToGroup(book.rules, book.tables.glossary, found, bars)

    def compare(
        self, calls: Sequence[LabelledCall], half: Half = "all", *, fit: bool = False, quiet: float | None = None
    ) -> Comparison:
        """Every way of matching on labelled calls (of one half), see `evaluation.compare`. Raises Fault as `rules`."""
        book = self.book()
        semantic = self._semantic(book, 600.0)
        kept = None if isinstance(semantic, NoSemantic) else semantic
        model = semantic.place.model if isinstance(semantic, StoredSemantic) else ""
        found = compare(book, of_half(calls, half), kept, half=half, model=model, quiet=quiet)
        if not fit:
            return found
        bars = fitted(book, of_half(calls, "tune"), kept)
        named = {"hybrid": bars.hybrid, "keyword": bars.keyword, "semantic": bars.semantic}
        return replace(found, fitted=named if kept is not None else {"keyword": bars.keyword})

    def _semantic(self, book: Book, wait_s: float) -> Semantic:
        if self.vectors is None:
            return NoSemantic("skipped", "no model requested")
        model = self.vectors.model()
        if isinstance(model, NoVectors):
            return NoSemantic(model.outcome, model.reason)
        try:
            return self._stored(book, model, self.vectors, time.monotonic() + wait_s)
        except Fault as fault:
            return NoSemantic("timeout" if fault.code == "timeout" else "failed", fault.message)

    def _stored(self, book: Book, model: Model, vectors: VectorSearch, until: float) -> Semantic:
        """Vectors of the casebook: rows brought up to date, what waits embedded within the time there is."""
        embedder = self._opened_model(vectors, until)
        if isinstance(embedder, NoVectors):
            return NoSemantic(embedder.outcome, embedder.reason)
        store = self._opened()
        source = self._source(book, model)
        place = place_of(source, embedder)
        if self._standing is None:
            self._standing = CachedVectors(self.in_memory)
        if (known := self._standing.standing(store, book, place)) is not None:
            return known
        busy, why = self._prepare(store, source, embedder, until)
        made = self._standing.tier(store, source, place, book, vectors, busy=busy, why=why)
        if made.items or not made.lack.waiting:
            return made
        late = made.lack.elsewhere or time.monotonic() >= until
        return NoSemantic("timeout" if late else "failed", made.lack.note, made.lack)

    def _moved(self, semantic: Semantic) -> bool:
        """Whether another program changed the rows that were just compared."""
        if not isinstance(semantic, StoredSemantic) or self._standing is None:
            return False
        with suppress(Fault):  # the match says what it was made of; the next one says what is wrong
            return self._standing.moved(self._opened(), semantic)
        return False

    def _opened_model(self, vectors: VectorSearch, until: float) -> Embedder | NoVectors:
        """Return the model if it is loaded in time; a loading one is ready for the next match."""
        opening = self._begin_opening()
        if opening is not None:
            opening.join(max(0.0, until - time.monotonic()))
            if opening.is_alive():
                return NoVectors("the model is still loading", "casebook rules refresh", "timeout")
        return vectors.embedder()

    def _begin_opening(self) -> threading.Thread | None:
        """Have the model load while the rules are read; None where no model was asked for."""
        if self._opening is None and self.vectors is not None and not isinstance(self.vectors.model(), NoVectors):
            self._opening = threading.Thread(target=self.vectors.embedder, daemon=True)
            self._opening.start()
        return self._opening

    def _prepare(self, store: Store, source: RuleSource, embedder: Embedder, until: float) -> tuple[bool, str]:
        """Rows and vectors up to date; whether another program embeds just now, and why else that was not done."""
        if store.readonly is not None:
            return False, f"changes cannot be embedded: {store.readonly}"
        try:
            self._sync(store)
            report = run(store, source, embedder, batch=_BATCH, stop=lambda: time.monotonic() >= until)
        except Fault as fault:
            self.log(f"rules could not be embedded: {fault.message}")
            return False, fault.message
        if report.failed:
            self.log(f"rules that could not be embedded: {len(report.failed)} ({report.failed[0].reason})")
        if not report.canceled:
            return report.busy, ""
        why = "timeout before all were embedded" if time.monotonic() >= until else "embedding was stopped"
        return report.busy, f"{why}. Run: casebook rules refresh"

    def _sync(self, store: Store) -> None:
        stale = [
            one.file
            for one in self._read.values()
            if not is_fresh(store.con, one.file.path, one.file.size, one.file.mtime_ns, self.clock())
        ]
        if stale:
            sync(store, stale, self.clock())

    def _source(self, book: Book, model: Model) -> RuleSource:
        return source_for(book.tables, english=model.languages == "en")

    def _opened(self) -> Store:
        if self._store is None:
            self._store = open_store(self.database, write=True, create=not self.database.exists(), timeout_ms=1_000)
        return self._store


def stored_tier(store: Store, book: Book, vectors: VectorSearch) -> StoredSemantic | None:
    """The tier for these rules as far as their vectors are kept; None without a model. Raises Fault.

    Belongs to the thread of `store`; whoever has `vectors` meanwhile must not use it.
    """
    model = vectors.model()
    embedder = vectors.embedder()
    if isinstance(model, NoVectors) or isinstance(embedder, NoVectors):
        return None
    english = model.languages == "en"
    source = source_for(book.tables, english=english)
    with faults(store.path):
        place = place_of(source, embedder)
        kept = read_vectors(store.con, place, book, text_shas(book, source))
    return stored_semantic(store.con, book, vectors, place, kept, english=english)


LOOK_MS = 300
"""Milliseconds between checks of `stop`, and of files without change notifications (network drives)."""
_SETTLE_MS = 60


@dataclass(frozen=True, slots=True)
class RuleEdit:
    """What an edit of rule files came to (`rule_edit.v1`): ids, how many rules were embedded, and why none could be.

    `fault` is set where a file cannot be read just now; the rules read before hold until it can.
    """

    SCHEMA: ClassVar[str] = "rule_edit.v1"

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    embedded: int = 0
    without: str = ""
    fault: str = ""


def watch_rules(
    matcher: RuleMatcher,
    tell: Callable[[RuleEdit], object],
    stop: Callable[[], bool],
    ready: Callable[[], object] = lambda: None,
) -> None:
    """Follow the matcher's files until `stop`; after each edit embed what changed, then `tell`. Belongs to one thread.

    `ready` is called once the files are watched. Raises Fault where the rules cannot be read at the start.
    """
    from watchfiles import watch

    before = matcher.rules()
    names = {str(place) for path, _ in matcher.paths for place in (path.absolute(), path.resolve())}
    folders = {Path(name).parent for name in names}
    failing = ""
    events = watch(
        *sorted(folder for folder in folders if folder.is_dir()),
        watch_filter=lambda _, name: name in names,
        debounce=_SETTLE_MS, step=20, rust_timeout=LOOK_MS, yield_on_timeout=True, raise_interrupt=False,
        recursive=False,
    )  # fmt: skip
    announced = emptied = False
    for _ in events:
        if not announced:
            announced = True
            ready()
        if stop():
            return
        try:
            now = matcher.rules()
            if before.rules and not now.rules and not emptied:
                emptied = True  # an editor that truncates the file before it writes: look again before believing it
                continue
            edit, before = (None, before) if now is before else _followed(matcher, before)
        except Fault as fault:
            if fault.message != failing:
                failing = fault.message
                tell(RuleEdit(fault=fault.message))
            continue
        failing, emptied = "", False
        if edit is not None and (edit.added or edit.edited or edit.removed):
            tell(edit)


def _followed(matcher: RuleMatcher, before: RuleList) -> tuple[RuleEdit, RuleList]:
    """What changed, embedded, and the rules as they were read for that."""
    embedded, without = _embedded(matcher)
    now = matcher.rules()
    return replace(difference(before, now), embedded=embedded, without=without), now


def difference(before: RuleList, now: RuleList) -> RuleEdit:
    """Which rules came, went, and say something else than before."""
    old, new = ({rule.key: rule for rule in one.rules} for one in (before, now))
    edited = [rule for key, rule in new.items() if key in old and old[key].content_hash != rule.content_hash]
    return RuleEdit(
        _ids([rule for key, rule in new.items() if key not in old]),
        _ids(edited),
        _ids([rule for key, rule in old.items() if key not in new]),
    )


def _ids(rules: list[Rule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.id for rule in rules))


def _embedded(matcher: RuleMatcher) -> tuple[int, str]:
    """How many rules were embedded, and why not all: keywords answer for those until then (REQ-SEM-006)."""
    try:
        report = matcher.refresh()
    except Fault as fault:
        matcher.log(f"rules could not be embedded: {fault.message}")
        return 0, fault.message
    if isinstance(report, NoVectors):
        return 0, report.reason
    if report.failed:
        matcher.log(f"rules that could not be embedded: {len(report.failed)} ({report.failed[0].reason})")
        return report.embedded, report.failed[0].reason
    return report.embedded, "another process is embedding" if report.busy else ""
