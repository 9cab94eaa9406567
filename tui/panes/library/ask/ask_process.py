"""Asking the library in a process of its own: the model of meaning and the checking take the interpreter for long.

Begun when a question may come, and kept for the next one; it ends with the screen that asks.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.base.fault import Fault
from core.library.search.fts import EVERYTHING, SearchFilters
from core.process.child import Child, ChildGoneError, Reply
from tui.panes.library.ask.answer_call import GRACE, LibraryQuestion, answer_library, get_ready
from tui.panes.library.ask.conversation import OURS, Talk, read_talk, read_talks
from tui.runtime.jobs import Job, Jobs

if TYPE_CHECKING:
    from core.base.config.settings import Settings
    from core.flows.ask.draft_file import TakenUp
    from core.library.ask.answer import AnswerEvent
    from core.library.ask.store import SessionRow
    from core.library.search.rows import Mode

LANE = "library-ask"
_ENDED = "the process that answers questions has ended"


class Answering:
    """The process and the questions put to it, one after another. For the interface's thread, but for its jobs."""

    def __init__(
        self, jobs: Jobs, database: Path, settings: Settings, mode: Mode = "hybrid", filters: SearchFilters = EVERYTHING
    ) -> None:
        """`mode` and `filters`: what of the library is asked, and how it is searched."""
        kept = {name: getattr(settings, name).as_dict() for name in ("embedding", "llm", "rag")}
        self._jobs = jobs
        self._given = database, json.dumps(kept)
        self._mode: Mode = mode
        self._filters = filters
        self._child: Child | None = None
        self._reply: Reply[AnswerEvent | None] | None = None
        self._turn = threading.Lock()
        self._number = self._stopped = 0

    @property
    def busy(self) -> bool:
        """Whether a question is being answered."""
        return self._jobs.busy(LANE)

    def warm(self) -> None:
        """Begin the process: a question comes soon."""

        def work(_job: Job[None]) -> None:
            with self._turn:
                if self._child is None:
                    self._started().call(get_ready, *self._given)

        self._jobs.run(LANE, work, lambda _none, _final: None, lambda _fault: None)

    def left(self, heard: Callable[[tuple[TakenUp, ...]], object]) -> None:
        """Keep what a killed process had of an answer; `heard` is told of those that were cut off in the workbench."""

        def work(_job: Job[tuple[TakenUp, ...]]) -> tuple[TakenUp, ...]:
            from core.flows.ask.draft_file import take_up

            found = take_up(self._given[0])
            return tuple(one for one in found if not one.whole and (one.session or "").startswith(OURS))

        def told(found: tuple[TakenUp, ...], _final: bool) -> None:
            heard(found)

        self._jobs.run(f"{LANE}-left", work, told, lambda _fault: None)

    def earlier(self, heard: Callable[[tuple[str, ...]], None]) -> None:
        """What was asked of this casebook before, the newest first."""

        def work(job: Job[tuple[str, ...]]) -> tuple[str, ...]:
            from core.library.ask.store import questions

            return questions(job.store().con)

        self._jobs.run(f"{LANE}-earlier", work, lambda found, _final: heard(found), lambda _fault: None)

    def talks(self, heard: Callable[[tuple[SessionRow, ...]], None], failed: Callable[[Fault], None]) -> None:
        """The conversations there are, the last one first."""
        self._jobs.run(f"{LANE}-talks", read_talks(), lambda found, _final: heard(found), failed)

    def talk(self, session: str, heard: Callable[[Talk], None], failed: Callable[[Fault], None]) -> None:
        """A conversation as it is kept."""
        self._jobs.run(f"{LANE}-talk", read_talk(session), lambda found, _final: heard(found), failed)

    def ask(
        self,
        question: str,
        session: str | None,
        heard: Callable[[AnswerEvent], object],
        failed: Callable[[Fault], object],
        *,
        in_steps: bool = False,
    ) -> None:
        """Ask, and call `heard` with everything that happens, or `failed`. `in_steps`: the question is taken apart."""
        self._number += 1
        number = self._number
        asked = LibraryQuestion(question, session, self._mode, self._filters, in_steps)

        def work(job: Job[Any]) -> AnswerEvent | None:
            with self._turn:
                child = self._started()
                self._reply = reply = child.call(answer_library, *self._given, asked)
                if self._stopped >= number:  # it was stopped before there was a process to tell
                    child.cancel(reply)
                try:
                    return reply.result(job.partial)
                except ChildGoneError:
                    self._child = None  # the next question begins another one
                    raise Fault("generic", _ENDED, "ask again") from None

        def done(event: AnswerEvent | None, _final: bool) -> None:
            if event is not None:
                heard(event)

        def told(fault: Fault) -> None:
            failed(fault)

        self._jobs.run(LANE, work, done, told)

    def stop(self) -> None:
        """Stop the answer that is on its way; what has come of it is kept. Returns at once."""
        child, reply, self._stopped = self._child, self._reply, self._number
        if child is not None and reply is not None:
            threading.Thread(target=child.cancel, args=(reply,), daemon=True).start()

    def end(self) -> None:
        """End the process; it keeps what has come of an answer first."""
        for lane in (LANE, f"{LANE}-talks", f"{LANE}-talk"):
            self._jobs.cancel(lane)
        if self._child is not None:
            self._child.stop()

    def _started(self) -> Child:
        if self._child is None or self._child.ended:
            child = Child(grace=GRACE)
            try:
                child.start()
            except OSError as error:
                raise Fault("generic", f"no process could be started ({error.strerror})") from error
            self._child = child
        return self._child
