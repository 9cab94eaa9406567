"""The batch worker: embeds whatever waits, a batch a transaction, and can be stopped or killed at any moment.

Source: error-kb REQ-RA-005 (generateErrorEmbeddings). Embedding happens outside of transactions: other writers wait for
the writing of one batch at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

import apsw

from core.base.fault import Fault
from core.base.reports import Progress
from core.embedding.index import backlog, maintenance, stored
from core.embedding.index.backlog import Failure
from core.embedding.index.state import VectorState, read_state, write_state
from core.embedding.index.stored import Made, Place, sha_of
from core.embedding.index.token_bits import put_tokens
from core.embedding.index.vectors import unusable
from core.embedding.runtime.embedder import Document, Embedder, Source
from core.embedding.runtime.loading import LoadStoppedError
from core.embedding.runtime.report import EmbedReport, FailedText
from core.store import Store, jobs

BATCH = 50
"""Texts written in one transaction (REQ-RA-005)."""
WINDOW = 1_000
"""Texts that are sorted by length together, so that a batch holds texts of one length."""
JOB = "embed"
_SIGN_S = 10.0  # seconds after which a run that embeds long texts shows that it lives
_REPORTED = 1_000  # failures named in the report


class _StopRun(Exception):
    """The run was asked to stop, or taken over by another process."""


class _GaveWay(Exception):
    """Something that goes first has come."""


def place_of(source: Source, embedder: Embedder) -> Place:
    """Where the vectors that `embedder` makes of `source` belong."""
    recipe = f"{source.recipe}+{embedder.recipe}"
    return Place(source.kind, f"{embedder.id}@{embedder.version}", recipe, embedder.dim)


def up_to_date(store: Store, place: Place) -> bool:
    """Whether nothing waits: one look, however much is kept."""
    state = read_state(store.con, place.kind)
    if state is None or not state.is_of(place.model, place.recipe, place.dim) or not state.complete:
        return False
    return backlog.waiting(store.con, place.kind) == 0


def run(
    store: Store,
    source: Source,
    embedder: Embedder,
    *,
    batch: int = BATCH,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
    give_way: Callable[[], bool] = lambda: False,
    length: Callable[[str], int] = len,
    read: Read | None = None,
) -> EmbedReport:
    """Embed what waits (REQ-RA-005), in batches of up to `batch`; one run a database at a time.

    `length`: how much of a text there is to read for the model; a batch holds texts that are alike in it. `read`: how
    the embedder reads a text with its tokens, where their signs are kept too.

    With another model or recipe than before everything is embedded anew; the old vectors stay until that is done.
    `stop` is asked between slices of a batch; what was written stays, and the next run goes on from there. `give_way`
    is asked there too: the run then ends well, with `waiting` left. Raises Fault where the model or the store fails;
    texts that fail are reported and do not end the run.
    """
    place = place_of(source, embedder)
    if up_to_date(store, place):
        return EmbedReport(place.kind, place.model, place.recipe)
    left = backlog.waiting(store.con, place.kind)
    job = jobs.begin(store, JOB, total=left)
    if job is None:
        return EmbedReport(place.kind, place.model, place.recipe, waiting=left, busy=True)
    work = _Run(store, source, embedder, place, job, max(1, batch), progress, stop, give_way, length, read)
    canceled = False
    try:
        with suppress(_GaveWay):
            work.all()
        jobs.finish(store, job, work.outcome())
    except (_StopRun, LoadStoppedError):
        jobs.cancel(store, job.id)
        canceled = True
    except KeyboardInterrupt:
        with suppress(Fault):
            jobs.cancel(store, job.id)
        raise
    except BaseException as error:
        with suppress(Fault):  # what ended the run matters, not that it could not be noted
            jobs.fail(store, job, error.message if isinstance(error, Fault) else str(error) or type(error).__name__)
        raise
    return work.report(canceled=canceled)


@dataclass(slots=True)
class _Run:
    """One run: what it was given, and its counts."""

    store: Store
    source: Source
    embedder: Embedder
    place: Place
    job: jobs.Job
    batch: int
    on_progress: Callable[[Progress], None] | None
    stop: Callable[[], bool]
    give_way: Callable[[], bool]
    length: Callable[[str], int]
    read: Read | None
    started: float = field(default_factory=time.monotonic)
    sign: float = field(default_factory=time.monotonic)
    embedded: int = 0
    reused: int = 0
    copied: int = 0
    removed: int = 0
    failed: list[FailedText] = field(default_factory=list[FailedText])
    failures: int = 0

    def all(self) -> None:
        """Everything that waits, then what a change of the model leaves behind."""
        self._take_up()
        while self._walk():
            pass
        state = read_state(self.store.con, self.place.kind)
        if state is not None and not state.complete:
            maintenance.drop_others(self.store, self.place)
            with self.store.transaction() as con:
                write_state(con, self.place.kind, VectorState(self.place.model, self.place.recipe, self.place.dim))
        if self.embedded + self.copied + self.removed and maintenance.worth_tidying(self.store.con, self.place):
            maintenance.rebuild_bits(self.store, self.place)

    def outcome(self) -> str:
        """The outcome in a few words, for the list of runs."""
        counts = ((self.embedded, "embedded"), (self.copied, "copied"), (self.reused - self.copied, "kept"))
        more = ((self.removed, "removed"), (self.failures, "failed"))
        words = [f"{count} {what}" for count, what in (*counts, *more) if count]
        return ", ".join(words) or "nothing to do"

    def report(self, *, canceled: bool) -> EmbedReport:
        """What was done."""
        place = self.place
        return EmbedReport(
            place.kind,
            place.model,
            place.recipe,
            embedded=self.embedded,
            reused=self.reused,
            copied=self.copied,
            removed=self.removed,
            failed=tuple(self.failed),
            waiting=backlog.waiting(self.store.con, place.kind),
            canceled=canceled,
            elapsed_s=round(time.monotonic() - self.started, 3),
        )

    def _take_up(self) -> None:
        """Take up the model: where it is another one than before, everything has to wait, and nothing is searched."""
        place = self.place
        with self.store.transaction() as con:
            state = read_state(con, place.kind)
            fresh = VectorState(place.model, place.recipe, place.dim)
            if state is None and not stored.has_vectors(con, place.kind):
                write_state(con, place.kind, fresh)
            elif state is None or not state.is_of(place.model, place.recipe, place.dim):
                maintenance.empty(con, place)
                backlog.enqueue_all(con, self.source, fresh._replace(complete=False))

    def _walk(self) -> bool:
        """One walk over the backlog: whether anything was in it. What came in behind us is for the next walk."""
        con, kind = self.store.con, self.place.kind
        after, found = 0, False
        while True:
            self._between()
            state = read_state(con, kind)
            walking = state is not None and state.after is not None  # all ids are put there, window by window
            ids = backlog.next_waiting(con, kind, after, WINDOW, state.after if state and walking else None)
            if ids:
                found, after = True, ids[-1]
                self._do_window(ids)
            elif state is not None and walking:
                found = True
                with self.store.transaction():
                    backlog.enqueue_more(con, self.source, state, WINDOW)
            else:
                return found

    def _do_window(self, ids: Sequence[int]) -> None:
        """Settle at once what needs no model, then embed each text once, short ones first, and then its twins."""
        looked = look(self.store.con, self.source, self.place, ids)
        for part in self._parts([one for one in looked if one.fate != "new"]):
            self._write(part, {})
        once, twins, known = equal_texts(self.store.con, self.place, looked)
        self._copy([one for one in twins if one.sha in known], known)
        behind = [one for one in twins if one.sha not in known]
        shas = {one.sha for one in behind}
        for part in self._parts(sorted(once, key=lambda one: self.length(one.text))):
            tried = attempt(self.embedder, [one.text for one in part], self._between, self.read)
            self._between()
            outcomes = {one.sha: outcome for one, outcome in zip(part, tried, strict=True)}
            self._write(part, outcomes)
            known |= {sha: outcome for sha, outcome in outcomes.items() if sha in shas}
        self._copy(behind, known)

    def _copy(self, twins: list[Text], known: Mapping[str, Outcome]) -> None:
        for part in self._parts(twins):
            self._between()
            self._write(part, known)

    def _parts(self, texts: list[Text]) -> list[list[Text]]:
        return [texts[at : at + self.batch] for at in range(0, len(texts), self.batch)]

    def _write(self, texts: Sequence[Text], tried: Mapping[str, Outcome]) -> None:
        """One batch, and the count of the run, in one transaction."""
        with self.store.transaction() as con:
            done = write(con, self.source, self.place, texts, tried)
            step = self._counted(done)
            pace = "" if step.eta_s is None else f"{step.rate:.0f} per second, {step.eta_s:.0f} s left"
            if not jobs.progress(self.store, self.job, step.done, step.total, pace):
                raise _StopRun
        self.embedded += done.embedded
        self.reused += done.reused
        self.copied += done.copied
        self.removed += done.removed
        self.failures += len(done.failed)
        self.failed += [FailedText(one.item_id, one.reason, self.place.kind) for one in done.failed][
            : _REPORTED - len(self.failed)
        ]
        self.sign = time.monotonic()
        if self.on_progress is not None:
            self.on_progress(step)

    def _counted(self, done: BatchResult) -> Progress:
        """How far the run is once `done` is written; its rate is that of the texts the model was given."""
        given = self.embedded + self.failures + done.embedded + len(done.failed)
        count = given + self.reused + self.removed + done.reused + done.removed
        left = backlog.waiting(self.store.con, self.place.kind)
        took = time.monotonic() - self.started
        rate = given / took if took > 0 else 0.0
        return Progress(JOB, count, count + left, round(rate, 1), round(left / rate, 1) if rate else None)

    def _between(self) -> None:
        """Between two slices: stop if asked to, and show other processes that the run lives."""
        if self.stop():
            raise _StopRun
        if self.give_way():
            raise _GaveWay
        if time.monotonic() - self.sign > _SIGN_S:
            if not jobs.heartbeat(self.store, self.job):
                raise _StopRun
            self.sign = time.monotonic()


SLICE = 6_000
"""Characters, padding included, given to the model at once: between two slices a run can stop, after some 0.2 s."""

Outcome = Document | str
"""One text as the model read it, or in plain words why it has no vectors."""
Read = Callable[[Sequence[str]], list[Document]]
"""Raises as `Embedder.embed`."""


def attempt(
    embedder: Embedder, texts: Sequence[str], between: Callable[[], None], read: Read | None = None
) -> list[Outcome]:
    """The outcome of each text, in order. `between` is called before each slice and may raise to stop.

    `read`: how the embedder reads texts; None: without tokens. Raises Fault where the model itself fails, whatever
    the text: that is no reason to give up on the texts.
    """

    def without_tokens(some: Sequence[str]) -> list[Document]:
        return [Document(windows) for windows in embedder.embed(some, "document")]

    out: list[Outcome] = []
    for part in _slices(texts):
        between()
        out += _embed(embedder, part, read or without_tokens)
    return out


def _slices(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start, longest = 0, 0
    for at, text in enumerate(texts):
        longest = max(longest, len(text))
        if at > start and longest * (at + 1 - start) > SLICE:
            yield texts[start:at]
            start, longest = at, len(text)
    if start < len(texts):
        yield texts[start:]


def _embed(embedder: Embedder, texts: Sequence[str], read: Read) -> list[Outcome]:
    try:
        found = read(texts)
        if len(found) != len(texts):
            raise ValueError(f"the model returned {len(found)} results for {len(texts)} texts")
    except Fault as fault:
        if fault.code != "invalid_input":
            raise
        if len(texts) == 1:
            return [fault.message]
    except Exception as error:  # noqa: BLE001  a tokenizer or a runtime may raise anything at all
        if len(texts) == 1:
            _require_working(embedder, error)
            return [str(error) or type(error).__name__]
    else:
        return [_checked(one, embedder.dim) for one in found]
    half = len(texts) // 2
    return [*_embed(embedder, texts[:half], read), *_embed(embedder, texts[half:], read)]


def _checked(made: Document, dim: int) -> Outcome:
    if not made.windows:
        return "the model returned no vector"
    reason = next((why for vector in made.windows if (why := unusable(vector, dim))), None)
    return made if reason is None else f"the model returned an invalid vector: {reason}"


def _require_working(embedder: Embedder, error: Exception) -> None:
    """Tell a bad text from a broken model, which would otherwise mark every text as bad."""
    try:
        embedder.embed(["error"], "document")
    except Fault:
        raise
    except Exception as again:  # noqa: BLE001
        raise Fault(
            "model_unreachable",
            f"the model {embedder.id} fails on every text ({again})",
            "for other models, run: casebook models list",
        ) from error


Fate = Literal["gone", "kept", "failed", "blank", "new", "twin"]
"""`gone`: its row is; `kept`: its vector still holds; `failed`: it failed before; `new`: the model has to read it;
`twin`: what became of an equal text becomes of it."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that waited, the hash of it, and what is to be done with it."""

    item_id: int
    text: str
    sha: str
    fate: Fate


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What writing a batch did, in items; `copied` of those `reused` took the vectors of an equal text."""

    embedded: int = 0
    reused: int = 0
    copied: int = 0
    removed: int = 0
    failed: tuple[Failure, ...] = ()


def look(con: apsw.Connection, source: Source, place: Place, ids: Sequence[int]) -> list[Text]:
    """What there is to do with each of these items."""
    texts = source.texts(con, ids)
    have = stored.present(con, place, ids)
    failed = backlog.read_failures(con, place.kind, place.model, place.recipe, ids)
    return [_look(item, texts.get(item), have.get(item), failed.get(item)) for item in ids]


def equal_texts(
    con: apsw.Connection, place: Place, looked: Sequence[Text]
) -> tuple[list[Text], list[Text], dict[str, Outcome]]:
    """The `new` ones parted: each text once, its twins, and the vectors that are there already by hash of the text."""
    new = [one for one in looked if one.fate == "new"]
    found = stored.of_texts(con, place, {one.sha for one in new})
    known: dict[str, Outcome] = {sha: Document(windows) for sha, windows in found.items()}
    first = {one.sha: one.item_id for one in reversed(new) if one.sha not in known}
    once = [one for one in new if first.get(one.sha) == one.item_id]
    return once, [replace(one, fate="twin") for one in new if first.get(one.sha) != one.item_id], known


def _look(item_id: int, text: str | None, have: str | None, failed: str | None) -> Text:
    if text is None:
        return Text(item_id, "", "", "gone")
    sha = sha_of(text)
    fate: Fate = "kept" if have == sha else "failed" if failed == sha else "new" if text.strip() else "blank"
    return Text(item_id, text, sha, fate)


def write(
    con: apsw.Connection, source: Source, place: Place, texts: Sequence[Text], tried: Mapping[str, Outcome]
) -> BatchResult:
    """Write what became of a batch, inside the caller's transaction.

    `tried` holds, by the text's hash, the outcome of each `new` text and each `twin`.
    """
    now = source.texts(con, [one.item_id for one in texts])
    same = [one for one in texts if (sha_of(now[one.item_id]) if one.item_id in now else "") == one.sha]
    lost = [one.item_id for one in same if one.fate == "gone"]
    kept = [one for one in same if one.fate == "kept"]
    made, failures, tokens = list[Made](), list[Failure](), dict[str, bytes]()
    for one in same:
        outcome = "the text contains no words" if one.fate == "blank" else tried.get(one.sha)
        if one.fate in ("new", "twin") and isinstance(outcome, Document):
            made.append(Made(one.item_id, one.sha, outcome.windows))
            if outcome.tokens:
                tokens[one.sha] = outcome.tokens
        elif one.fate in ("new", "twin", "blank"):
            failures.append(Failure(one.item_id, one.sha, str(outcome)))
    stored.forget(con, place.kind, [*lost, *(one.item_id for one in failures)])
    stored.put(con, place, made)
    put_tokens(con, place, tokens)
    con.executemany(
        "DELETE FROM embed_failure WHERE kind = ? AND item_id = ?", ((place.kind, one.item_id) for one in made)
    )
    for failure in failures:
        backlog.note_failure(con, place.kind, place.model, place.recipe, failure)
    again = [Made(one.item_id, one.sha, stored.windows_of(con, place, one.item_id)) for one in kept]
    stored.put_searchable(con, place, [one for one in again if not stored.is_searchable(con, place, one.item_id)])
    backlog.settle(con, place.kind, [one.item_id for one in same])
    had = {one.item_id for one in same if one.fate == "twin"}
    copied = sum(one.item_id in had for one in made)
    return BatchResult(len(made) - copied, len(kept) + copied, copied, len(lost), tuple(failures))
