"""What was asked and answered, one below the other: drawn as it comes, at the place where one reads."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.panes.library.ask.conversation import Asked, Talk
from tui.render.common.empty_states import Notice, draw_notice
from tui.render.common.glyphs import Signs
from tui.render.library.ask import (
    CITED,
    WIDTH,
    draw_answer,
    draw_coming,
    draw_cut_off,
    draw_kept,
    draw_left_out,
    draw_question,
)
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from collections.abc import Iterable

FRAME = 1 / 30
"""Seconds between two drawings of an answer that comes fast; its first word is drawn at once."""


class Conversation(Reading):
    """The turns of a talk. A click on a source is told."""

    class Clicked(Message):
        """A source was clicked."""

        def __init__(self, uri: str) -> None:
            super().__init__()
            self.uri = uri

    def __init__(self, signs: Signs, talk: Talk, drawn: Callable[[], object]) -> None:
        """`drawn`: called when something else is shown, and other actions may be possible."""
        super().__init__(id="ask-told")
        self._signs = signs
        self._told_drawn = drawn
        self._places: list[Static] = []
        self._drawn_at = 0.0
        self._due = False
        self._cells = 0
        self.at_once = False
        """Whether the first word of an answer waits to be drawn."""
        self.talk = talk

    def on_mount(self) -> None:
        """As it was left."""
        self.show(self.talk)

    def on_resize(self) -> None:
        """Tables are set for a width."""
        cells = self.scrollable_content_region.width
        if cells != self._cells:
            self._cells = cells
            for turn, place in zip(self.talk.turns, self._places, strict=True):
                if turn.answer is not None:
                    place.update(self._turn(turn))

    def show(self, talk: Talk) -> None:
        """Another conversation, or the same as it was left."""
        self.talk = talk
        self._places = [Static(self._turn(turn), classes="ask-turn") for turn in talk.turns]
        before: Iterable[Static] = (Static(draw_left_out(talk.left_out, self._signs)),) if talk.left_out else ()
        self.remove_children()
        self.mount(*before, *self._places)
        self.call_after_refresh(self._to_place)

    def _to_place(self) -> None:
        if self.talk.scrolled is not None:
            self.scroll_to(y=self.talk.scrolled, animate=False, force=True)
        elif self._places:
            self.scroll_to_widget(self._places[-1], animate=False, top=True, force=True)

    def begin(self, turn: Asked) -> None:
        """Put a question below the others."""
        place = Static(classes="ask-turn")
        self.talk.turns.append(turn)
        self._places.append(place)
        self.mount(place)
        self.draw()

    def came(self, text: str) -> None:
        """More of the last answer's words: drawn, but not more often than anybody sees."""
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
        self._told_drawn()

    def _turn(self, turn: Asked) -> Content:
        return Content("\n").join([draw_question(turn.question), self._outcome(turn), Content("")])

    def _outcome(self, turn: Asked) -> Content:
        if turn.fault is not None and turn.text:
            return draw_cut_off(turn.text, turn.fault.message, self._signs)
        if turn.fault is not None:
            hint = turn.fault.hint or "ask again"
            notice = Notice("There is no answer", turn.fault.message, ((hint, ""),), "$cb-bad")
            return draw_notice(notice, self._signs)
        if turn.answer is not None:
            return draw_answer(turn.answer, self._signs, self._cells or WIDTH)
        if turn.kept is not None:
            return draw_kept(turn.kept, self._signs)
        return draw_coming(turn.text, turn.found, turn.hops, self._signs, stopping=turn.stopping)

    def on_click(self, event: events.Click) -> None:
        """A source that is clicked is to be opened; nothing else here acts."""
        if isinstance(uri := event.style.meta.get(CITED), str):
            event.stop()
            self.post_message(self.Clicked(uri))
