"""Texts that scroll, blocks under a heading, a trace that folds, and border titles updated without a full redraw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from core.base.trace import Step
from tui.actions.action import Acts, Performs
from tui.actions.registry import bindings
from tui.render.common.empty_states import Notice, draw_notice, no_trace
from tui.render.common.glyphs import Signs
from tui.render.common.lines import hanging
from tui.render.common.trace import Path, Twig, draw_twig, folded_at_first, took, tree


class Reading(Performs, VerticalScroll, inherit_bindings=False):
    """Something to read. Its focus is shown by its border; it scrolls without animation."""

    BINDINGS = bindings("scroll")

    def actions(self) -> Acts:
        page = max(1, self.size.height - 2)
        return {
            "scroll.down": lambda: self.scroll_relative(y=1, animate=False),
            "scroll.up": lambda: self.scroll_relative(y=-1, animate=False),
            "scroll.page_down": lambda: self.scroll_relative(y=page, animate=False),
            "scroll.page_up": lambda: self.scroll_relative(y=-page, animate=False),
            "scroll.first": lambda: self.scroll_home(animate=False),
            "scroll.last": lambda: self.scroll_end(animate=False),
        }


class Block(Static):
    """A text under its own heading; hidden while it has nothing to say."""

    def __init__(self, name: str, heading: str = "") -> None:
        super().__init__(id=name, classes="block")
        self._draw: Callable[[int], Content] | None = None
        self._head: Callable[[int], Content] | None = None
        self._width = 0
        self.display = False
        if heading:
            self.border_title = Content(f" {heading} ")

    def set_content(self, content: Content) -> None:
        """Show this, or hide the block if it is empty."""
        self._draw = None
        self._put(content)

    def set_wrapped(self, draw: Callable[[int], Content]) -> None:
        """Show what `draw` gives for the width in cells (0: not known yet), drawn again when the width changes."""
        self._draw, self._width = draw, self.content_size.width
        self._put(draw(self._width))

    def set_heading(self, draw: Callable[[int], Content]) -> None:
        """Head it with what `draw` gives for the cells of its heading (0: not known yet)."""
        self._head = draw
        self._put_heading()

    def _put_heading(self) -> None:
        if self._head is not None:
            self.border_title = self._head(max(0, self.size.width - 2))

    def on_resize(self) -> None:
        self._put_heading()
        if self._draw is not None and self._width != self.content_size.width:
            self._width = self.content_size.width
            self._put(self._draw(self._width))

    def _put(self, content: Content) -> None:
        self.display = bool(content.plain)
        self.update(content)


class HangingText(Static):
    """A text whose long lines wrap with a hanging indent, at any width."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._whole = Content("")

    def put(self, content: Content) -> None:
        """Show this."""
        self._whole = content
        self._draw_lines()

    def on_resize(self) -> None:
        self._draw_lines()

    def _draw_lines(self) -> None:
        drawn = hanging(self._whole, self.content_size.width)
        if drawn != self.content:
            self.update(drawn)


def set_border(widget: Widget, title: Content, subtitle: Content) -> None:
    """Say this on the border, one line each, and draw the lines that change.

    By hand, and with what Textual keeps privately: its own setter draws all that the border encloses.
    """
    width, height = widget.outer_size
    left, top = -widget.gutter.left, -widget.gutter.top
    for name, text, at in (("_border_title", title, top), ("_border_subtitle", subtitle, top + height - 1)):
        line = text.expand_tabs(4).split()[0]
        if getattr(widget, name) != line:
            setattr(widget, name, line)
            widget.refresh(Region(left, at, width, 1))


_LATER = 4
"""Equal steps from which on two traces are of one search, the second of which knows more."""


class StepLine(Static):
    """One step; a click chooses it, and folds it or unfolds it."""

    @dataclass
    class Clicked(Message):
        """This step was clicked."""

        path: Path

    def __init__(self) -> None:
        super().__init__(classes="step")
        self.twig: Twig | None = None
        self.took = 0.0  # no part of a step's equality

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if self.twig is not None:
            self.post_message(self.Clicked(self.twig.path))


class TraceView(Reading):
    """Shows the steps of the last search. One of them is the chosen one; Enter folds it."""

    BINDINGS = bindings("why")

    def __init__(self, signs: Signs, *, id: str = "why", nothing: Notice | None = None) -> None:
        """`nothing`: what is said where nothing was searched."""
        super().__init__(id=id)
        self._signs = signs
        self._nothing = nothing or no_trace()
        self._notice = Static()
        self._lines: list[StepLine] = []
        self._steps: tuple[Step, ...] = ()
        self._folded: set[Path] = set()
        self._twigs: tuple[Twig, ...] = ()
        self._chosen = 0
        self._undrawn = False
        self._room = 0
        self.border_title = Content("Trace")

    def compose(self) -> ComposeResult:
        yield self._notice

    def on_mount(self) -> None:
        self.explain(())

    def explain(self, steps: Sequence[Step], nothing: Notice | None = None) -> None:
        """Show these steps; existing ones keep their fold state, and the position stays while a search continues.

        `nothing`: the notice where there are none."""
        if not steps:
            self._notice.update(draw_notice(nothing or self._nothing, self._signs))
        self._notice.display = not steps
        self.border_subtitle = Content(took(steps))
        if tuple(steps) != self._steps:
            same = _same(self._steps, steps)
            folded = {path for path in self._folded if path[0] < same}
            self._folded = folded | {path for path in folded_at_first(steps) if path[0] >= same}
            if same < _LATER or self._chosen >= len(self._twigs) or self._twigs[self._chosen].path[0] >= same:
                self._chosen = 0
                self.scroll_home(animate=False)
        self._steps = tuple(steps)
        self._draw()

    def actions(self) -> Acts:
        """From step to step, or fold one; with no step there is only to scroll."""
        if not self._twigs:
            return {**super().actions(), "why.fold": lambda: None}
        return {
            **super().actions(),
            "why.fold": lambda: self._fold(self._twigs[self._chosen].path),
            "scroll.down": lambda: self._choose(self._chosen + 1),
            "scroll.up": lambda: self._choose(self._chosen - 1),
            "scroll.first": lambda: self._choose(0),
            "scroll.last": lambda: self._choose(len(self._twigs) - 1),
        }

    def on_step_line_clicked(self, event: StepLine.Clicked) -> None:
        event.stop()
        self._chosen = next((at for at, twig in enumerate(self._twigs) if twig.path == event.path), 0)
        self._fold(event.path)

    def on_show(self) -> None:
        """Show the trace that was set while hidden."""
        if self._undrawn:
            self._draw()

    def on_resize(self) -> None:
        if self._room != self.content_region.width - 1:
            self._room = self.content_region.width - 1  # the scrollbar may come
            for line in self._lines:
                line.twig = None
            self._draw()

    def on_focus(self) -> None:
        """The chosen step is marked only while its keys work."""
        self._draw()

    def on_blur(self) -> None:
        self._draw()

    def _choose(self, at: int) -> None:
        self._chosen = min(max(0, at), len(self._twigs) - 1)
        self._draw()
        self.scroll_to_widget(self._lines[self._chosen], animate=False)

    def _fold(self, path: Path) -> None:
        self._folded ^= {path}
        self._draw()
        self.call_after_refresh(self._reveal)

    def _reveal(self) -> None:
        if self._chosen < len(self._twigs):
            self.scroll_to_widget(self._lines[self._chosen], animate=False)

    def _draw(self) -> None:
        """Put the steps on the lines there are; new lines are made only where there are too few."""
        self._twigs = tree(self._steps, self._signs, self._folded)
        self._chosen = min(self._chosen, max(0, len(self._twigs) - 1))
        self._undrawn = not self.display
        if self._undrawn:  # each changed line causes a layout of the screen
            return
        lacking = len(self._twigs) - len(self._lines)
        if lacking > 0 and self.is_mounted:
            fresh = [StepLine() for _ in range(lacking)]
            self._lines += fresh
            self.mount(*fresh)
        for at, line in enumerate(self._lines):
            twig = self._twigs[at] if at < len(self._twigs) else None
            line.display = twig is not None
            chosen = at == self._chosen and self.has_focus
            lasted = 0.0 if twig is None else twig.step.elapsed_ms
            if twig is not None and (line.twig, line.took, line.has_class("-chosen")) != (twig, lasted, chosen):
                line.update(draw_twig(twig, self._signs, chosen=chosen, width=max(0, self._room)))
            line.took = lasted
            line.set_class(chosen, "-chosen")
            line.twig = twig


def _same(before: Sequence[Step], now: Sequence[Step]) -> int:
    """How many steps at the beginning are equal."""
    return next(
        (at for at, (one, other) in enumerate(zip(before, now, strict=False)) if one != other),
        min(len(before), len(now)),
    )
