"""Asking the library: the question, the answer checked sentence by sentence; the earlier conversations."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

from core.base.fault import Fault
from tui.actions.action import Acts, Performs, Situation
from tui.actions.registry import bindings
from tui.panes.library.actions import SOURCES_CHOSEN, AskNow
from tui.panes.library.conversation import Answering, Conversation, Talk, Turn
from tui.panes.library.filters import Scope
from tui.render.answer import draw_ask_notice, draw_talk, plain_answer, sources
from tui.render.common.empty_states import Notice
from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import fault_text, inline
from tui.render.hits import draw_list_title
from tui.runtime.messages import PaneCopied
from tui.widgets.dialogs import RowPicker
from tui.widgets.inputs import QuestionBox
from tui.widgets.row_list import FixedRows, RowList
from tui.widgets.scroll_text import TraceView
from tui.widgets.workbench import KeyFooter, sheet

if TYPE_CHECKING:
    from core.flows.ask.draft_file import RecoveredAnswer
    from core.library.ask.answer import AnswerEvent
    from core.library.ask.store import SessionRow


class PickTalk(RowPicker[str]):
    """Ends with the name of a conversation, or with None."""

    CSS_PATH = sheet("ask")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "move(10)", "Page down", priority=True),
        Binding("pageup", "move(-10)", "Page up", priority=True),
    ]

    def __init__(self, answering: Answering, signs: Signs, now: datetime) -> None:
        box = Input(placeholder="Search by question or name", select_on_focus=False)
        rows = RowList(self._paint, id="talks-rows")
        super().__init__("talks", "Earlier conversations", "enter opens, esc closes", box, rows)
        self._answering = answering
        self._signs = signs
        self._now = now
        self._all: tuple[SessionRow, ...] = ()

    def on_mount(self) -> None:
        super().on_mount()
        self._answering.talks(self._on_talks, self._failed)

    def _on_talks(self, found: tuple[SessionRow, ...]) -> None:
        self._all = found
        self._show()

    def _failed(self, fault: Fault) -> None:
        if fault.code == "not_indexed":  # there is no casebook yet
            self._show()
        else:
            self.tell(inline(fault.message, 200))

    def _show(self) -> None:
        words = self._box.value.casefold().split()
        found = [one for one in self._all if all(word in f"{one.title} {one.session_id}".casefold() for word in words)]
        self.rows.show(FixedRows(tuple(found)))
        if not found:
            self.tell("no matches · esc closes" if self._all else "no conversations yet · esc closes")
        else:
            self.tell(f"{len(found):,} · enter opens, esc closes")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._all:
            self._show()

    def pick(self) -> None:
        row = cast("SessionRow | None", self.rows.rows.get(self.rows.chosen))
        if row is not None and self.is_current:
            self.dismiss(row.session_id)

    def _paint(self, row: Hashable | None, width: int, _chosen: bool) -> Content:
        return Content("") if row is None else draw_talk(cast("SessionRow", row), width, self._signs, self._now)


_TRACE_FROM: Final = 160
"""Cells from which the trace has its own column from the start."""


class AskScreen(Performs, ModalScreen[str]):
    """Covers the pane; it is left with the citation that is to be opened, or with none.

    `question`: what was searched. `scope`: the searched documents. `talk`: the conversation to continue.
    """

    CSS_PATH = sheet("ask")
    BINDINGS = bindings("ask")

    def __init__(
        self,
        answering: Answering,
        signs: Signs,
        question: str,
        scope: Scope | None = None,
        talk: Talk | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__()
        self._scope = scope or Scope()
        self._answering = answering
        self._signs = signs
        self._clock = clock
        self.talk = talk or Talk()
        self.box = QuestionBox(self.talk.in_box(question))
        self.conversation = Conversation(signs, self.talk, self._changed, draw_ask_notice(answering.llm))
        nothing = Notice("No trace yet", "After a question, this panel explains how the answer was found.")
        self.why = TraceView(signs, id="ask-trace", nothing=nothing)
        self.why.border_title = Content(" Trace ")
        self._keys = KeyFooter(signs, self.situation())

    def compose(self) -> ComposeResult:
        with Container(id="ask") as frame:
            frame.border_title = self._titled()
            yield self.box
            with Container(id="ask-body"):
                yield self.conversation
                yield self.why
        yield self._keys

    def on_mount(self) -> None:
        """A question is about to be typed: what answers it gets ready."""
        self.why.display = self.app.size.width >= _TRACE_FROM
        if self.talk.answer is not None:
            self.why.explain(self.talk.answer.trace)
        (self.conversation if self.talk.reading else self.box).focus()
        if self.box.value == self.talk.offered:
            self.box.select_all()  # Enter asks the searched text; typing replaces it
        self._answering.warm()
        self._answering.recover(self._on_recovered)
        self._answering.earlier(self._set_history)

    def on_unmount(self) -> None:
        """Drop pending reads; an answer so far is stored."""
        self._answering.end()

    @property
    def last(self) -> Turn | None:
        """The last question."""
        return self.talk.last

    def situation(self) -> Situation:
        answered, sources = self.talk.answer is not None, len(self.talk.cited)
        return AskNow("asking" if self.box.has_focus else "ask", answered=answered, sources=sources)

    def on_descendant_focus(self) -> None:
        self._changed()

    def _changed(self) -> None:
        """Other actions are possible now."""
        self._keys.situation = self.situation()

    def actions(self) -> Acts:
        numbers = range(1, SOURCES_CHOSEN + 1)
        return {f"ask.source_{number}": lambda number=number: self._open(number) for number in numbers} | {
            "ask.box": self.box.focus,
            "ask.stop": self._stop,
            "ask.back": lambda: self._leave(""),
            "why.back": self.conversation.focus,
            "ask.why": self._toggle_why,
            "ask.copy": self._copy,
            "ask.fresh": self._fresh,
            "ask.steps": self._toggle_steps,
            "ask.talks": self.pick,
        }

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        done = super().perform(action_id)
        self._changed()
        return done

    def action_read(self) -> None:
        """From the box to the answer."""
        self.conversation.focus()

    # Asking ----------------------------------------------------------------------------------------------------------

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ask; one question at a time."""
        event.stop()
        question = event.value.strip()
        if not question or self._busy():
            return
        self.box.submit(question)
        self.conversation.begin(Turn(question))
        self.why.explain((), Notice("Searching", "The trace is shown with the answer."))
        self.conversation.focus()
        talk = self.talk
        self._answering.ask(question, talk.session, self._on_answer_event, self._failed, in_steps=talk.in_steps)

    def _busy(self) -> bool:
        """Return whether an answer is running, and report it."""
        if self.last is None or not self.last.open:
            return False
        message = self._signs.fill_keys("The last answer is still running. {ask.stop} stops it.")
        self.notify(message, markup=False, severity="warning")
        return True

    def _on_answer_event(self, event: AnswerEvent) -> None:
        """Something happened to the answer."""
        if (turn := self.last) is None or not turn.open:
            return
        if event.kind == "token":
            turn.text = "" if event.anew else turn.text
            self.conversation.append_text(event.text or "")
            return
        if event.kind == "retrieval_done":
            turn.found = event.citations or ()
        elif event.kind == "hop":
            turn.hops += 1
        elif event.answer is not None:
            turn.answer = event.answer
            self.why.explain(event.answer.trace)
        self.conversation.draw()

    def _failed(self, fault: Fault) -> None:
        if (turn := self.last) is not None:
            turn.fault = fault
            self.conversation.draw()
            self.why.explain((), Notice("No trace", "The question was not answered."))

    def _set_history(self, questions: tuple[str, ...]) -> None:
        self.box.earlier = tuple(dict.fromkeys((*self.box.earlier, *questions)))

    def _on_recovered(self, found: tuple[RecoveredAnswer, ...]) -> None:
        """Show the answer that was cut off when the workbench was killed; the conversation continues from there."""
        if not found or self.talk.turns:
            return
        one = found[-1]
        self.talk.session = one.session or self.talk.session
        self.conversation.begin(
            Turn(one.question, one.answer, fault=Fault("generic", "casebook quit before the answer was complete."))
        )

    def on_idle(self) -> None:
        """The first word is laid out, scrolled to and drawn as it comes: not one and then two frames later.

        Textual draws by a timer alone; where it has no such method any more, the timer does it.
        """
        if self.conversation.at_once and (draw := getattr(self, "_on_timer_update", None)) is not None:
            draw()

    # What one can do -------------------------------------------------------------------------------------------------

    def _stop(self) -> None:
        """The answer first, then the screen."""
        turn = self.last
        if turn is not None and turn.open and not turn.stopping:
            turn.stopping = True
            self._answering.stop()
            self.conversation.draw()
        else:
            self._leave("")

    def _leave(self, uri: str) -> None:
        if self.is_current:
            self._note()
            self.dismiss(uri)

    def _note(self) -> None:
        """Save the state of the conversation for the next time."""
        talk = self.talk
        talk.typed, talk.reading = self.box.value, not self.box.has_focus
        talk.scrolled = self.conversation.scroll_y
        talk.abandon()

    def _toggle_why(self) -> None:
        self.why.display = not self.why.display
        (self.why if self.why.display else self.conversation).focus()

    def _toggle_steps(self) -> None:
        self.talk.in_steps = not self.talk.in_steps
        self.query_one("#ask").border_title = self._titled()

    def _titled(self) -> Content:
        how = "in several steps" if self.talk.in_steps else ""
        return draw_list_title("Ask the library", how, self._scope.mode, self._scope.picked, self._signs)

    def _copy(self) -> None:
        if (done := self.talk.answered) is not None and done.answer is not None:
            self.app.post_message(PaneCopied("answer", plain_answer(done.question, done.answer)))

    def _fresh(self) -> None:
        """A new conversation; the answers of this one stay in the casebook."""
        if self.last is None or not self.last.open:
            self.talk.restart()
            self._show()
            self.box.focus()

    def pick(self) -> None:
        if self._busy():
            return

        def picked(session: str | None) -> None:
            if session is not None:
                self._answering.talk(session, self._go_on, self._unread)

        self.app.push_screen(PickTalk(self._answering, self._signs, self._clock()), picked)

    def _go_on(self, talk: Talk) -> None:
        """Resume an earlier conversation; the typed text stays."""
        if self.last is None or not self.last.open:
            self.talk.become(talk)
            self._show()
            self.conversation.focus()

    def _unread(self, fault: Fault) -> None:
        self.notify(fault_text(fault), markup=False, severity="error")

    def _show(self) -> None:
        """Another conversation is shown."""
        self.conversation.show(self.talk)
        self.why.explain(() if self.talk.answer is None else self.talk.answer.trace)
        self._changed()

    def on_conversation_clicked(self, event: Conversation.Clicked) -> None:
        event.stop()
        if not self._busy():
            self._leave(event.uri)

    def _open(self, number: int) -> None:
        source = sources(self.talk.cited).get(number)
        if source is not None and not self._busy():
            self._leave(source.citation.uri)
