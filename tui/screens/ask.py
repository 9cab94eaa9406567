"""Asking the library: the question, the answer as it comes, then checked sentence by sentence, with its sources."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from core.fault import Fault
from tui.actions import Situation, bindings
from tui.ask_actions import SOURCES_CHOSEN
from tui.panes.errors.trace_view import TraceView
from tui.panes.library.answering import OURS
from tui.panes.library.scope import Scope
from tui.panes.messages import PaneCopied
from tui.render.ask import draw_answer, draw_coming, draw_cut_off, draw_question, plain_answer, sources
from tui.render.library_title import draw_list_title
from tui.render.signs import Signs
from tui.render.states import Notice, draw_notice
from tui.sheets import sheet
from tui.widgets.bars import KeyFooter
from tui.widgets.question_box import QuestionBox
from tui.widgets.reading import Reading

if TYPE_CHECKING:
    from core.flows.ask_unfinished import TakenUp
    from core.library.ask_answer import Answer, AnswerEvent
    from tui.panes.library.answering import Answering

FRAME = 1 / 30
"""Seconds between two drawings of an answer that comes fast; its first word is drawn at once."""


@dataclass(slots=True)
class Asked:
    """One question, and how its answer stands."""

    question: str
    text: str = ""
    found: int | None = None
    hops: int = 0
    answer: Answer | None = None
    fault: Fault | None = None
    stopping: bool = False

    @property
    def open(self) -> bool:
        """Whether its answer is still on its way."""
        return self.answer is None and self.fault is None


class AskScreen(ModalScreen[str]):
    """Covers the pane; it is left with the citation that is to be opened, or with none. `scope`: what is asked."""

    CSS_PATH = sheet("ask")
    BINDINGS = bindings("ask", only=("app.help",))

    def __init__(self, answering: Answering, signs: Signs, question: str, scope: Scope | None = None) -> None:
        super().__init__()
        self._scope = scope or Scope()
        self._in_steps = False
        self._answering = answering
        self._signs = signs
        self._session = _new_session()
        self._turns: list[tuple[Asked, Static]] = []
        self._drawn_at = 0.0
        self._at_once = False
        self._due = False
        self.box = QuestionBox(question)
        self.told = Reading(id="ask-told")
        nothing = Notice("Nothing was asked yet", "This will say how the answer came about.")
        self.why = TraceView(signs, id="ask-trace", nothing=nothing)
        self._keys = KeyFooter(signs, self.situation())

    def compose(self) -> ComposeResult:
        """The box, the conversation, the trace, the keys."""
        with Container(id="ask") as frame:
            frame.border_title = self._titled()
            yield self.box
            yield self.told
            yield self.why
        yield self._keys

    def on_mount(self) -> None:
        """A question is about to be typed: what answers it gets ready."""
        self.why.display = False
        self.box.focus()
        self.box.select_all()  # what was searched is asked by Enter, and gives way to what is typed
        self._answering.warm()
        self._answering.left(self._left_over)
        self._answering.earlier(self._asked_before)

    def on_unmount(self) -> None:
        """Nobody waits for it any more; what came of an answer is kept."""
        self._answering.end()

    @property
    def last(self) -> Asked | None:
        """The question that was asked last."""
        return self._turns[-1][0] if self._turns else None

    def situation(self) -> Situation:
        """What is possible here."""
        answer = self._answered()
        sources = 0 if answer is None else len(answer.citations)
        return Situation("asking" if self.box.has_focus else "ask", answered=answer is not None, sources=sources)

    def on_descendant_focus(self) -> None:
        """Other keys hold in the box."""
        self._keys.situation = self.situation()

    def perform(self, action_id: str) -> bool:
        """Do an action of the registry; False for anything else."""
        acts: dict[str, Callable[[], object]] = {
            "ask.box": self.box.focus,
            "ask.stop": self._stop,
            "ask.back": lambda: self._leave(""),
            "why.back": self.told.focus,
            "ask.why": self._toggle_why,
            "ask.copy": self._copy,
            "ask.fresh": self._fresh,
            "ask.steps": self._toggle_steps,
        }
        for number in range(1, SOURCES_CHOSEN + 1):
            acts[f"ask.source_{number}"] = lambda number=number: self._open(number)
        if (act := acts.get(action_id)) is None:
            return False
        act()
        self._keys.situation = self.situation()
        return True

    def action_read(self) -> None:
        """From the box to the answer."""
        self.told.focus()

    # Asking ----------------------------------------------------------------------------------------------------------

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ask; one question at a time."""
        event.stop()
        question = event.value.strip()
        if not question:
            return
        if self.last is not None and self.last.open:
            told = self._signs.told("The answer before is still on its way; {ask.stop} stops it.")
            self.notify(told, markup=False, severity="warning")
            return
        self.box.asked(question)
        self._begin(Asked(question))
        self.told.focus()
        self._answering.ask(question, self._session, self._heard, self._failed, in_steps=self._in_steps)

    def _begin(self, turn: Asked) -> None:
        """Put a question below the others."""
        place = Static(classes="ask-turn")
        self._turns.append((turn, place))
        self.told.mount(place)
        self._draw()

    def _heard(self, event: AnswerEvent) -> None:
        """Something happened to the answer."""
        if (turn := self.last) is None or not turn.open:
            return
        if event.kind == "token":
            turn.text = "" if event.anew else turn.text
            first = not turn.text
            turn.text += event.text or ""
            self._draw_soon(at_once=first)
            self._at_once = self._at_once or first
            return
        if event.kind == "retrieval_done":
            turn.found = len(event.citations or ())
        elif event.kind == "hop":
            turn.hops += 1
        elif event.answer is not None:
            turn.answer = event.answer
            self.why.explain(event.answer.trace)
        self._draw()

    def _failed(self, fault: Fault) -> None:
        if (turn := self.last) is not None:
            turn.fault = fault
            self._draw()

    def _asked_before(self, questions: tuple[str, ...]) -> None:
        self.box.earlier = tuple(dict.fromkeys((*self.box.earlier, *questions)))

    def _left_over(self, found: tuple[TakenUp, ...]) -> None:
        """Begin with the answer that was cut off when the workbench was killed; the conversation goes on from there."""
        if not found or self._turns:
            return
        one = found[-1]
        self._session = one.session or self._session
        self._begin(Asked(one.question, one.answer, fault=Fault("generic", "The workbench ended in the middle of it.")))

    def _draw_soon(self, *, at_once: bool) -> None:
        """Draw what has come, but not more often than anybody sees."""
        wait = self._drawn_at + FRAME - time.monotonic()
        if at_once or wait <= 0:
            self._draw()
        elif not self._due:
            self._due = True
            self.set_timer(wait, self._draw)

    def on_idle(self) -> None:
        """The first word is laid out, scrolled to and drawn as it comes: not one and then two frames later.

        Textual draws by a timer alone; where it has no such method any more, the timer does it.
        """
        if self._at_once and (draw := getattr(self, "_on_timer_update", None)) is not None:
            draw()

    def _draw(self) -> None:
        """Draw the last turn."""
        self._due = self._at_once = False
        self._drawn_at = time.monotonic()
        if not self._turns or not self.is_attached:
            return
        turn, place = self._turns[-1]
        at_end = turn.open or self.told.max_scroll_y - self.told.scroll_y <= 1
        place.update(Content("\n").join([draw_question(turn.question), self._outcome(turn), Content("")]))
        if turn.open and at_end:
            self.told.scroll_end(animate=False)
        elif not turn.open:
            self.call_after_refresh(self.told.scroll_to_widget, place, animate=False, top=True)
        self._keys.situation = self.situation()

    def _outcome(self, turn: Asked) -> Content:
        if turn.fault is not None and turn.text:
            return draw_cut_off(turn.text, turn.fault.message, self._signs)
        if turn.fault is not None:
            hint = turn.fault.hint or "ask again"
            notice = Notice("There is no answer", turn.fault.message, ((hint, ""),), "$cb-bad")
            return draw_notice(notice, self._signs)
        if turn.answer is not None:
            return draw_answer(turn.answer, self._signs)
        return draw_coming(turn.text, turn.found, turn.hops, self._signs, stopping=turn.stopping)

    # What one can do -------------------------------------------------------------------------------------------------

    def _answered(self) -> Answer | None:
        return next((turn.answer for turn, _ in reversed(self._turns) if turn.answer is not None), None)

    def _stop(self) -> None:
        """The answer first, then the screen."""
        turn = self.last
        if turn is not None and turn.open and not turn.stopping:
            turn.stopping = True
            self._answering.stop()
            self._draw()
        else:
            self._leave("")

    def _leave(self, uri: str) -> None:
        if self.is_current:
            self.dismiss(uri)

    def _toggle_why(self) -> None:
        self.why.display = not self.why.display
        (self.why if self.why.display else self.told).focus()

    def _toggle_steps(self) -> None:
        self._in_steps = not self._in_steps
        self.query_one("#ask").border_title = self._titled()

    def _titled(self) -> Content:
        how = "in several steps" if self._in_steps else ""
        return draw_list_title("Ask the library", how, self._scope, self._signs)

    def _copy(self) -> None:
        done = next(
            ((turn.question, turn.answer) for turn, _ in reversed(self._turns) if turn.answer is not None), None
        )
        if done is not None and done[1] is not None:
            self.app.post_message(PaneCopied("answer", plain_answer(done[0], done[1])))

    def _fresh(self) -> None:
        """Forget the conversation; its answers stay in the casebook."""
        if self.last is not None and self.last.open:
            return
        self._session = _new_session()
        self._turns.clear()
        self.told.remove_children()
        self.why.explain(())
        self.box.focus()

    def _open(self, number: int) -> None:
        answer = self._answered()
        source = sources(answer).get(number) if answer is not None else None
        if source is not None:
            self._leave(source.citation.uri)


def _new_session() -> str:
    return OURS + secrets.token_hex(6)
