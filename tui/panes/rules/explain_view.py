"""Why the chosen rule is shown or not, on the right: all there is to say, to be scrolled through."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from tui.actions.registry import bindings
from tui.render.common.glyphs import Signs
from tui.render.rules.explanation import draw_silence, draw_why
from tui.render.rules.rows import Ranked, Reasons, key_of
from tui.widgets.scroll_text import Reading

if TYPE_CHECKING:
    from core.rules.calls.paging import StoredCall
    from core.rules.matching.answer import MatchedRule


class WhyView(Reading):
    """Shows one rule of a match, or the match as a whole."""

    BINDINGS = bindings("case")

    def __init__(self, signs: Signs, clock: Callable[[], datetime]) -> None:
        super().__init__(id="rules-why")
        self._signs = signs
        self._clock = clock
        self._words = Static()
        self._about: object = None

    def compose(self) -> ComposeResult:
        """One text."""
        yield self._words

    def on_mount(self) -> None:
        """Named from the start."""
        self.border_title = Content("Why")

    def show(
        self,
        ranked: Ranked | None,
        matched: MatchedRule | None,
        reasons: Reasons | None,
        source: StoredCall | None,
    ) -> None:
        """Show this rule; None: the match as a whole. Another rule or call begins at the top."""
        about = None if ranked is None else (id(ranked.call), _name(matched))
        if about != self._about:
            self.scroll_home(animate=False)
        self._about = about
        if ranked is None:
            self.border_title = Content("Why")
            self._words.update(Content(""))
        elif matched is None:
            self.border_title = Content("The cut-off")
            self._words.update(draw_silence(ranked, self._signs, source))
        else:
            shown = any(key_of(one) == key_of(matched) for one in ranked.match.rules)
            self.border_title = Content("Why it is shown" if shown else "Why it is not shown")
            self._words.update(draw_why(ranked, matched, reasons, self._signs, self._clock(), source))


def _name(matched: MatchedRule | None) -> tuple[str, str] | None:
    return None if matched is None else (matched.path, matched.id)
