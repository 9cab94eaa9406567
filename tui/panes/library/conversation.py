"""A conversation with the library: its turns, how they are shown, and the process that answers.

The model of meaning and the checking take the interpreter for long, so they run in a process of their own. It begins
when a question may come, is kept for the next one, and ends with the screen that asks.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from core.base.fault import Fault
from core.library.search.fts import EVERYTHING, SearchFilters
from core.process.child import Child, ChildExitedError, Reply
from tui.render.answer import (
    CITED,
    WIDTH,
    draw_answer,
    draw_coming,
    draw_cut_off,
    draw_hidden_turns,
    draw_question,
    draw_stored_turn,
    draw_unanswered,
)
from tui.render.common.empty_states import Notice, draw_notice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import fault_text
from tui.runtime.jobs import Job, Jobs, job_work
from tui.services.tasks import ANSWER_GRACE, LibraryQuestion, answer_library, get_ready
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.base.config.settings import Settings
    from core.flows.ask.draft_file import RecoveredAnswer
    from core.library.ask.answer import Answer, AnswerCitation, AnswerEvent
    from core.library.ask.store import SessionRow, TurnRow
    from core.library.search.rows import Mode


OURS = "workbench-"
"""What the names of the workbench's own conversations begin with."""
LEFT = "Canceled when you left the screen."


def new_session() -> str:
    """The name of a conversation of the workbench's own, unlike any other."""
    return OURS + secrets.token_hex(6)


@dataclass(slots=True)
class Turn:
    """One question with its answer. `found`: the passages for the LLM; `stored`: the stored text of an old one with
    unreadable checks."""

    question: str
    text: str = ""
    found: tuple[AnswerCitation, ...] | None = None
    hops: int = 0
    answer: Answer | None = None
    fault: Fault | None = None
    stopping: bool = False
    stored: TurnRow | None = None

    @property
    def open(self) -> bool:
        """Whether its answer is still on its way."""
        return self.answer is None and self.fault is None and self.stored is None

    @property
    def cited(self) -> tuple[AnswerCitation, ...]:
        """The passages shown below it: its sources, or what was found for an LLM that did not answer."""
        if self.answer is not None:
            return self.answer.citations
        return (self.found or ()) if self.fault is not None and not self.text else ()


@dataclass(slots=True)
class Talk:
    """`typed`: the text of the box; `offered`: its initial text. `scrolled`: the scroll position of the answers, `None`
    for the last one; `reading`: whether the user was in them and returns to them from a source. `left_out`: turns not
    shown."""

    session: str = field(default_factory=new_session)
    turns: list[Turn] = field(default_factory=list[Turn])
    typed: str = ""
    offered: str = ""
    scrolled: float | None = None
    reading: bool = False
    in_steps: bool = False
    left_out: int = 0

    @property
    def last(self) -> Turn | None:
        """The last question."""
        return self.turns[-1] if self.turns else None

    @property
    def cited(self) -> tuple[AnswerCitation, ...]:
        """The passages that the number keys open: of the last answer, or of the last question if no LLM answered it."""
        if self.last is not None and self.last.cited:
            return self.last.cited
        return () if self.answer is None else self.answer.citations

    @property
    def answered(self) -> Turn | None:
        """The last question whose answer has come."""
        return next((turn for turn in reversed(self.turns) if turn.answer is not None), None)

    @property
    def answer(self) -> Answer | None:
        """The last one that has come."""
        return None if self.answered is None else self.answered.answer

    def in_box(self, searched: str) -> str:
        """What the box is to hold now: what is half typed, else what was searched since."""
        if (self.typed and self.typed != self.offered) or searched == self.offered:
            return self.typed
        self.offered = searched
        return searched

    def abandon(self) -> None:
        """Drop a running answer."""
        if (turn := self.last) is not None and turn.open:
            turn.fault = Fault("generic", LEFT)

    def restart(self) -> None:
        """Start a new conversation."""
        self.become(Talk())

    def become(self, other: Talk) -> None:
        """Resume that conversation; the typed text stays."""
        self.session, self.turns, self.left_out, self.scrolled = other.session, other.turns, other.left_out, None


MAX_TURNS = 40
"""Turns of an old conversation that are shown, its last ones."""


@job_work
def read_talks(job: Job[Any]) -> tuple[SessionRow, ...]:
    """The conversations, the last one first."""
    from core.library.ask.store import list_sessions

    return list_sessions(job.store().con).sessions


@job_work
def read_talk(job: Job[Any], session: str) -> Talk:
    """One of them: every answer with its checks, where they can be read."""
    from core.library.ask.store import answers_of, show_session, with_files

    con = job.store().con
    turns = show_session(con, session).turns
    stored = answers_of(con, session)
    answers = dict(zip(stored, with_files(con, tuple(stored.values())), strict=True))
    visible = [
        Turn(one.question, one.answer, answer=answers.get(one.turn_index), stored=one) for one in turns[-MAX_TURNS:]
    ]
    return Talk(session, visible, left_out=max(0, len(turns) - MAX_TURNS))


FRAME = 1 / 30
"""Seconds between two drawings of an answer that comes fast; its first word is drawn at once."""


class Conversation(Reading):
    """The turns of a talk. Posts clicks on a source."""

    @dataclass
    class Clicked(Message):
        """A source was clicked."""

        uri: str

    def __init__(self, signs: Signs, talk: Talk, drawn: Callable[[], object], nothing: Notice) -> None:
        """`drawn`: called when something else is shown, and other actions may be possible. `nothing`: what is shown
        before the first question."""
        super().__init__(id="ask-told")
        self._signs = signs
        self._empty = nothing
        self._on_drawn = drawn
        self._places: list[Static] = []
        self._drawn_at = 0.0
        self._due = False
        self._cells = 0
        self.at_once = False
        """Whether the first word of an answer waits to be drawn."""
        self.talk = talk

    def on_mount(self) -> None:
        self.show(self.talk)

    def on_resize(self) -> None:
        cells = self.scrollable_content_region.width
        if cells != self._cells:
            self._cells = cells
            for turn, place in zip(self.talk.turns, self._places, strict=True):
                if turn.answer is not None:
                    place.update(self._turn(turn))

    def show(self, talk: Talk) -> None:
        """Another conversation, or the same as it was left."""
        self.talk = talk
        self._places = [
            Static(self._turn(turn), classes="ask-turn -later" if at else "ask-turn")
            for at, turn in enumerate(talk.turns)
        ]
        before: Iterable[Static] = (Static(draw_hidden_turns(talk.left_out, self._signs)),) if talk.left_out else ()
        self.remove_children()
        self.mount(*before, *self._places)
        if not self._places:
            self.mount(Static(draw_notice(self._empty, self._signs), classes="ask-empty"))
        self.call_after_refresh(self._to_place)

    def _to_place(self) -> None:
        if self.talk.scrolled is not None:
            self.scroll_to(y=self.talk.scrolled, animate=False, force=True)
        elif self._places:
            self.scroll_to_widget(self._places[-1], animate=False, top=True, force=True)

    def begin(self, turn: Turn) -> None:
        """Put a question below the others."""
        place = Static(classes="ask-turn -later" if self._places else "ask-turn")
        self.query(".ask-empty").remove()
        self.talk.turns.append(turn)
        self._places.append(place)
        self.mount(place)
        self.draw()

    def append_text(self, text: str) -> None:
        """Add words to the last answer, drawn at most once a frame."""
        if (turn := self.talk.last) is None:
            return
        first = not turn.text
        turn.text += text
        wait = self._drawn_at + FRAME - time.monotonic()
        if first or wait <= 0:
            self.draw()
        elif not self._due:
            self._due = True
            self.set_timer(wait, self.draw)
        self.at_once = self.at_once or first

    def draw(self) -> None:
        """Draw the last turn."""
        self._due = self.at_once = False
        self._drawn_at = time.monotonic()
        if (turn := self.talk.last) is None or not self._places or not self.is_attached:
            return
        place = self._places[-1]
        at_end = turn.open or self.max_scroll_y - self.scroll_y <= 1
        place.update(self._turn(turn))
        if turn.open and at_end:
            self.scroll_end(animate=False)
        elif not turn.open:
            self.call_after_refresh(self.scroll_to_widget, place, animate=False, top=True)
        self._on_drawn()

    def _turn(self, turn: Turn) -> Content:
        return Content("\n").join([draw_question(turn.question), self._outcome(turn), Content("")])

    def _outcome(self, turn: Turn) -> Content:
        if turn.fault is not None and turn.text:
            return draw_cut_off(turn.text, turn.fault.message, self._signs)
        if turn.fault is not None:
            details = fault_text(turn.fault) + ("" if turn.fault.hint else " Ask again.")
            notice = Notice("No answer", details, (), "$cb-bad")
            return draw_unanswered(draw_notice(notice, self._signs), turn.cited, self._signs, self._cells)
        if turn.answer is not None:
            return draw_answer(turn.answer, self._signs, self._cells or WIDTH)
        if turn.stored is not None:
            return draw_stored_turn(turn.stored, self._signs)
        found = None if turn.found is None else len(turn.found)
        return draw_coming(turn.text, found, turn.hops, self._signs, stopping=turn.stopping)

    def on_click(self, event: events.Click) -> None:
        """A source that is clicked is to be opened; nothing else here acts."""
        if isinstance(uri := event.style.meta.get(CITED), str):
            event.stop()
            self.post_message(self.Clicked(uri))


LANE = "library-ask"
_ENDED = "the answer process exited"


class Answering:
    """The process and the questions put to it, one after another. For the interface's thread, but for its jobs."""

    def __init__(
        self, jobs: Jobs, database: Path, settings: Settings, mode: Mode = "hybrid", filters: SearchFilters = EVERYTHING
    ) -> None:
        """`mode` and `filters`: how the library is searched, and which documents."""
        sections = {name: getattr(settings, name).as_dict() for name in ("embedding", "llm", "rag")}
        self._jobs = jobs
        self._given = database, json.dumps(sections)
        self.llm = settings.llm
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

    def recover(self, on_found: Callable[[tuple[RecoveredAnswer, ...]], object]) -> None:
        """Store a killed process's answer; `on_found` gets those that were cut off in the workbench."""

        def work(_job: Job[tuple[RecoveredAnswer, ...]]) -> tuple[RecoveredAnswer, ...]:
            from core.flows.ask.draft_file import take_up

            found = take_up(self._given[0])
            return tuple(one for one in found if not one.whole and (one.session or "").startswith(OURS))

        self._jobs.run(f"{LANE}-left", work, lambda found, _final: on_found(found), lambda _fault: None)

    def earlier(self, on_found: Callable[[tuple[str, ...]], None]) -> None:
        """Read the earlier questions, the newest first."""

        def work(job: Job[tuple[str, ...]]) -> tuple[str, ...]:
            from core.library.ask.store import questions

            return questions(job.store().con)

        self._jobs.run(f"{LANE}-earlier", work, lambda found, _final: on_found(found), lambda _fault: None)

    def talks(self, on_found: Callable[[tuple[SessionRow, ...]], None], failed: Callable[[Fault], None]) -> None:
        """The conversations there are, the last one first."""
        self._jobs.run(f"{LANE}-talks", read_talks(), lambda found, _final: on_found(found), failed)

    def talk(self, session: str, on_found: Callable[[Talk], None], failed: Callable[[Fault], None]) -> None:
        """A conversation as it is kept."""
        self._jobs.run(f"{LANE}-talk", read_talk(session), lambda found, _final: on_found(found), failed)

    def ask(
        self,
        question: str,
        session: str | None,
        on_answer_event: Callable[[AnswerEvent], object],
        failed: Callable[[Fault], object],
        *,
        in_steps: bool = False,
    ) -> None:
        """Ask, and call `on_answer_event` with every event, or `failed`. `in_steps`: split the question."""
        self._number += 1
        number = self._number
        library_question = LibraryQuestion(question, session, self._mode, self._filters, in_steps)

        def work(job: Job[Any]) -> AnswerEvent | None:
            with self._turn:
                child = self._started()
                self._reply = reply = child.call(answer_library, *self._given, library_question)
                if self._stopped >= number:  # it was stopped before the process had started
                    child.cancel(reply)
                try:
                    return reply.result(job.partial)
                except ChildExitedError:
                    self._child = None  # the next question begins another one
                    raise Fault("generic", _ENDED, "ask again") from None

        def on_event(event: AnswerEvent | None, _final: bool) -> None:
            if event is not None:
                on_answer_event(event)

        self._jobs.run(LANE, work, on_event, failed)

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
            child = Child(grace=ANSWER_GRACE)
            try:
                child.start()
            except OSError as error:
                raise Fault("generic", f"cannot start the answer process ({error.strerror})") from error
            self._child = child
        return self._child
