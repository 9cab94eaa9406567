"""The batch worker: embeds whatever waits, a batch a transaction, and can be stopped or killed at any moment.

Source: error-kb REQ-RA-005 (generateErrorEmbeddings). Embedding happens outside of transactions: other writers wait for
the writing of one batch at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from core.base.fault import Fault
from core.base.reports import Progress
from core.embedding.index import backlog, maintenance, stored
from core.embedding.index.state import VectorState, read_state, write_state
from core.embedding.index.stored import Place
from core.embedding.runtime import batch
from core.embedding.runtime.batch import BatchResult, Outcome, Text, attempt
from core.embedding.runtime.embedder import Embedder, Source
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
) -> EmbedReport:
    """Embed what waits (REQ-RA-005), in batches of up to `batch`; one run a database at a time.

    `length`: how much of a text there is to read for the model; a batch holds texts that are alike in it.

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
    work = _Run(store, source, embedder, place, job, max(1, batch), progress, stop, give_way, length)
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
        looked = batch.look(self.store.con, self.source, self.place, ids)
        for part in self._parts([one for one in looked if one.fate != "new"]):
            self._write(part, {})
        once, twins, known = batch.equal_texts(self.store.con, self.place, looked)
        self._copy([one for one in twins if one.sha in known], known)
        behind = [one for one in twins if one.sha not in known]
        asked = {one.sha for one in behind}
        for part in self._parts(sorted(once, key=lambda one: self.length(one.text))):
            tried = attempt(self.embedder, [one.text for one in part], self._between)
            self._between()
            outcomes = {one.sha: outcome for one, outcome in zip(part, tried, strict=True)}
            self._write(part, outcomes)
            known |= {sha: outcome for sha, outcome in outcomes.items() if sha in asked}
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
            done = batch.write(con, self.source, self.place, texts, tried)
            step = self._counted(done)
            pace = "" if step.eta_s is None else f"{step.rate:.0f} a second, {step.eta_s:.0f} s left"
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
