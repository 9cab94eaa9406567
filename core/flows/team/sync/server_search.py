"""Ask a team's server for what this casebook does not hold: after the local search, and only where that has no answer.

What may answer here is imported as a round with the server would do it, so that every rule for answers applies to it.
The rest is shown as candidates. A server that is slow, silent or gone costs at most `WAIT_S`, once in `QUIET_S` and
then ever less often, for all processes together.
"""

from __future__ import annotations

import os
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Final, NamedTuple

from core.base.fault import Fault
from core.base.trace import Step, Stopwatch, facts
from core.embedding.index.vectors import unpack
from core.embedding.runtime.query_model import NoVectors
from core.errors.cases.derived import repository_of_folder
from core.errors.identity.fingerprint import fingerprint, identify, normalize_error
from core.errors.retrieval.answer import Hit, Place, SearchAnswer, Source
from core.errors.retrieval.api import OTHER_LINES
from core.errors.retrieval.embed_text import embed_text, place_of
from core.errors.retrieval.tiers import ELSEWHERE
from core.flows.team.export import named_errors
from core.flows.team.sync.mark import QUIET_S, is_quiet, note_contact
from core.flows.team.sync.received import take_waiting
from core.flows.team.sync.replica import Decision, Waiting, learn
from core.store import Store
from core.team.lessons_file import Record, join, line_of, parse_line
from core.team.postgres.cases import Found, Meaning, Question, embedder_of, find, mark_of
from core.team.postgres.server import connected, faults
from core.team.privacy import redacted
from core.text import clean, redact

if TYPE_CHECKING:
    from core.embedding.runtime.query_model import VectorSearch
    from core.errors.identity.fingerprint import Identity
    from core.flows.team.ask_server import TeamServer
    from core.team.postgres.server import Session

WAIT_S: Final = 0.3
"""Seconds that a search waits for the server."""
_IDLE_S: Final = 60.0
_SHOWN: Final = 5
_UNMEASURED: Final = 0.5
"""The least cosine of a similar error, of a model that was never measured."""
_SILENT: Final = "the server did not respond recently"
_HELD: Final = "the server of your team knows this error"


class ServerSearch:
    """A connection to a team's server on a thread of its own, for one question at a time. It closes when idle."""

    def __init__(self, address: str, team: str) -> None:
        self._address, self._team = address, team
        self._lock = threading.Lock()
        self._questions: queue.SimpleQueue[tuple[Question, Future[list[Found]]]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._con: Session | None = None
        self._busy = False
        self._quiet_until = 0.0

    def ask(self, question: Question, wait_s: float = WAIT_S) -> list[Found] | str:
        """What the server finds, or why it is not known. Never waits longer than `wait_s`."""
        with self._lock:
            if self._busy or time.monotonic() < self._quiet_until:
                return _SILENT
            self._busy = True
            answer: Future[list[Found]] = Future()
            self._questions.put((question, answer))
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="team-search", daemon=True)
                self._thread.start()
        try:
            return answer.result(wait_s)
        except TimeoutError:
            self._cut()
            return f"no answer within {wait_s * 1e3:.0f} ms"
        except Fault as fault:
            return fault.message

    def _cut(self) -> None:
        """End the exchange that takes too long: its thread meets a closed connection. One that connects has a timeout
        of its own, and one that gets through after all ends the quiet. (Imports nothing: its thread may be at that.)"""
        self._quiet_until = time.monotonic() + QUIET_S
        con = self._con
        if con is not None:
            with suppress(Exception), socket.socket(fileno=os.dup(con.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        with ExitStack() as stack:
            while True:
                try:
                    question, answer = self._questions.get(timeout=_IDLE_S)
                except queue.Empty:
                    with self._lock:
                        if self._questions.empty():
                            self._thread = self._con = None
                            return
                    continue
                try:
                    found: list[Found] | Exception = self._find(question, stack)
                    self._quiet_until = 0.0
                except Exception as error:  # noqa: BLE001 whatever it is, it is the answer of this question
                    found = error if isinstance(error, Fault) else Fault("io_error", f"{type(error).__name__}: {error}")
                    self._quiet_until, self._con = time.monotonic() + QUIET_S, None
                    with suppress(Exception):
                        stack.close()
                with self._lock:
                    self._busy = False
                if isinstance(found, Exception):
                    answer.set_exception(found)
                else:
                    answer.set_result(found)

    def _find(self, question: Question, stack: ExitStack) -> list[Found]:
        if self._con is None:
            con = stack.enter_context(connected(self._address))
            con.execute("SELECT set_config('statement_timeout', %s, false)", (str(int(WAIT_S * 1e3)),))
            self._con = con
        with faults(self._address, self._team):
            return find(self._con, self._team, question)


server_search = lru_cache(maxsize=4)(ServerSearch)
"""The search of a server that this process keeps."""


def add_server_hits(
    store: Store,
    server: TeamServer,
    answer: SearchAnswer,
    search: Callable[[Store], SearchAnswer],
    project: str,
    vectors: VectorSearch | None,
) -> SearchAnswer:
    """The answer with what the server knows. Raises Fault and apsw errors of the store."""
    watch = Stopwatch()
    found: list[Found] | str = _SILENT
    if not is_quiet(store.path):
        meaning = None if vectors is None else _meaning(answer, vectors)
        words = answer.query.key_line if any(step.stage == "words" for step in answer.trace) else ""
        found = server_search(*server).ask(Question(tuple(_marks(identify(answer.query.raw))), words, meaning))
        if found != _SILENT:
            note_contact(store.path, answered=not isinstance(found, str))
    if isinstance(found, str):
        outcome = "timeout" if found.startswith("no answer within") else "skipped"
        return _with_step(answer, Step("team", outcome, found, elapsed_ms=watch.ms()))
    new = [one for one in map(read_lesson, _not_held(store, found)) if one is not None]
    where = repository_of_folder(store.con, project) if project else ""
    writable = store.write and store.readonly is None
    mine = [one for one in new if writable and one.found.how == "mark" and one.holds_in(where)]
    if mine:
        _take_over(store, mine)
        answer = replace(search(store), practice=answer.practice)
        new = [one for one in new if one not in mine]
    step = Step(
        "team", "hit" if mine else "miss", _reason(len(mine), len(new)), facts(found=len(found)), elapsed_ms=watch.ms()
    )
    shown = tuple(one.hit(where) for one in new[:_SHOWN])
    return _with_step(replace(answer, candidates=(*answer.candidates, *shown)), step)


def _reason(taken: int, more: int) -> str:
    if taken:
        return f"{_HELD}: {taken} lesson{'' if taken == 1 else 's'} imported"
    return (
        f"{more} lessons of the team may help, but none matches this error"
        if more
        else "the server of your team has no match either"
    )


def _with_step(answer: SearchAnswer, step: Step) -> SearchAnswer:
    return replace(answer, trace=(*answer.trace, step))


def _marks(found: Identity) -> Iterator[str]:
    """The marks of the errors of an output, the first one's first."""
    others = [one.text for one in found.key_lines if one.text != found.key_line][:OTHER_LINES]
    named = [(found.fingerprint, found.normalized), *((fingerprint(one), normalize_error(one)) for one in others)]
    for mark, key in named:
        yield from (mark_of(mark), mark_of(f"key {key}"))


def _meaning(answer: SearchAnswer, vectors: VectorSearch) -> Meaning | None:
    """The vector of the error, where the vectors here were asked too: then the model is at hand."""
    ran = any(step.stage == "vector" and step.outcome in ("hit", "miss", "rejected") for step in answer.trace)
    model, text = vectors.model(), embed_text(answer.query.key_line)
    if not ran or isinstance(model, NoVectors) or not text.strip():
        return None
    vector = vectors.embed(text)
    if isinstance(vector, NoVectors):
        return None
    least = _UNMEASURED if model.thresholds is None else model.thresholds.similar
    return Meaning(embedder_of(place_of(model)), unpack(vector), least)


class FoundLesson(NamedTuple):
    """A lesson that only the server holds, its versions joined."""

    found: Found
    record: Record

    def holds_in(self, where: str) -> bool:
        """Whether it may answer in a repository; in an unknown one every lesson does."""
        values = self.record.values()
        everywhere = values.get("scope") == "general" and isinstance(values.get("do"), dict)
        return not where or self.found.project == where or everywhere

    def hit(self, where: str, why: str = _HELD) -> Hit:
        """The lesson as a candidate: never an answer, and without its fix where that is for another repository."""
        values, here = self.record.values(), self.holds_in(where)
        line, found = _first_error(values), self.found
        reason = f"lesson {found.lesson} of {_plain(found.project)}: {why}"
        near = found.how == "meaning"
        return Hit(
            0, "vector" if near else "text", "low", max(0.0, round(found.score, 3)) if near else 0.0, None,
            _plain(values.get("key")) or line, line, _plain(values.get("text")) or None if here else None,
            "verified", None, (), 0, None, Source(None), (reason,), accepted=False,
            reason=reason if here else f"{reason}. {ELSEWHERE[:1].upper()}{ELSEWHERE[1:]}",
            place=None if near else Place("error", "every"), origin="team",
        )  # fmt: skip


def _first_error(values: dict[str, object]) -> str:
    return next((_plain(one.get("line")) for one in named_errors(values)), "") or _plain(values.get("error"))


def _plain(value: object) -> str:
    return clean(redact(value)) if isinstance(value, str) else ""


def _not_held(store: Store, found: Iterable[Found]) -> Iterator[Found]:
    for one in (one._replace(project=redact(one.project)) for one in found):
        held = "SELECT 1 FROM team_lesson WHERE repository = ? AND lesson = ?"
        if store.con.execute(held, (one.project, one.lesson)).fetchone() is None:
            yield one


def read_lesson(found: Found) -> FoundLesson | None:
    """Join the versions of a lesson; None where there is none that can be read, or it is withdrawn or rejected."""
    read = [parse_line(line.encode("utf-8", "surrogatepass")) for line in found.lines]
    records = [redacted(one[1]) for one in read if not isinstance(one, str) and one[0] == found.lesson]
    if not records or (joined := reduce(join, records)).is_withdrawn or joined.is_rejected:
        return None
    return FoundLesson(found, joined)


def _take_over(store: Store, lessons: Sequence[FoundLesson]) -> None:
    """Hold these lessons from now on, as after a round with the server: later rounds change and withdraw them."""
    for project in dict.fromkeys(one.found.project for one in lessons):
        records = {one.found.lesson: one.record for one in lessons if one.found.project == project}
        with store.transaction() as con:
            learn(con, (Decision(project, lesson, record, "team") for lesson, record in records.items()))
        lines = {lesson: line_of(lesson, record) for lesson, record in records.items()}
        take_waiting(store, Waiting(project, "team", lines), {})
