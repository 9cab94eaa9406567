"""What the workbench looks like: its themes and how one is chosen, NO_COLOR, plain ASCII, whole letters."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter, Monochrome
from textual.scrollbar import ScrollBar, ScrollBarRender

from tui.shell.themes import DARK, own_themes, tokens, user_themes
from tui.terminal.display import WholeLetters


class PlainScrollBar(ScrollBarRender):
    """A scroll bar of blanks: its colours show it, without blocks of a part of a cell."""

    VERTICAL_BARS = [" "] * 8
    HORIZONTAL_BARS = [" "] * 8


class PlainCuts(LineFilter):
    """A heading that Textual cuts ends in a sign of its own; in a frame of plain ASCII it is `~`."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The line as it is, unless it is such a heading."""
        if not any("…" in segment.text for segment in segments):
            return segments
        if not _CUT_HEADING.fullmatch("".join(segment.text for segment in segments).strip()):
            return segments
        last = max(at for at, segment in enumerate(segments) if "…" in segment.text)
        head, _, tail = segments[last].text.rpartition("…")
        return [*segments[:last], Segment(f"{head}~{tail}", segments[last].style), *segments[last + 1 :]]


class CursorReversed(LineFilter):
    """Without colours, or with the terminal's own, what has the background of the cursor is reversed and has no colour:
    none of them can be read on every other. What has the colour of its own ground loses it, too.

    A sheet cannot say so: of the text styles of a list's rows Textual draws all but `reverse`."""

    def __init__(self, app: Look) -> None:
        super().__init__()
        self._app = app

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The line as it is, unless the cursor is in it."""
        if not self._app.reverses:
            return segments
        cursor = Color.parse(self._app.theme_variables["cb-cursor"]).rich_color
        return [Segment(text, _seen(style, cursor), control) for text, style, control in segments]


def _seen(style: Style | None, cursor: RichColor) -> Style | None:
    if style is None or style.bgcolor is None:
        return style
    if style.bgcolor == cursor:
        return style.without_color + _REVERSED
    return style + _NO_COLOUR if style.bgcolor == style.color else style


_REVERSED = Style(reverse=True)
_NO_COLOUR = Style(color="default")
_CUT_HEADING = re.compile(r"\+-* .*… -*\+|-+ .*…-+", re.DOTALL)


def colours_forbidden() -> bool:
    """Whether the user wants no colours at all (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR"))


class Look(WholeLetters, inherit_bindings=False):
    """An app with casebook's themes. `troubles` says what is wrong with the user's own.

    `reverses`: whether the cursor is drawn by reversing, not by a colour."""

    reverses = False

    def __init__(self, *, theme: str, themes: Path | None, ascii_only: bool) -> None:
        # With the terminal's colours on, NO_COLOR takes all of them away; else Textual makes them grey.
        super().__init__(ansi_color=True if colours_forbidden() else None)
        if not colours_forbidden():  # set, but to nothing: that forbids none, and yet Textual makes them grey
            self.no_color = False
            self._filters = [one for one in self._filters if not isinstance(one, Monochrome)]
        self._filters.insert(0, CursorReversed(self))
        if ascii_only:
            self._filters.append(PlainCuts())
        for own in own_themes():
            self.register_theme(own)
        self._themes = themes
        self.theme_troubles: tuple[str, ...] = ()
        self.set_class(ascii_only, "-ascii")
        ScrollBar.renderer = PlainScrollBar if ascii_only else ScrollBarRender  # Textual has no other door to it
        if theme and theme not in self.available_themes:
            self._read_themes()
            if theme not in self.available_themes:
                self.theme_troubles += (f"There is no theme {theme}; this is {DARK}.",)
        self.theme = theme if theme in self.available_themes else DARK

    def get_css_variables(self) -> dict[str, str]:
        """The theme's variables, and the tokens that our sheets and renderers name."""
        variables = super().get_css_variables()
        own = tokens(variables, ansi=self.current_theme.ansi)
        self.theme_variables = {**self.theme_variables, **own}
        self.reverses = colours_forbidden() or self.current_theme.ansi
        return {**variables, **own}

    def refresh_css(self, animate: bool = True) -> None:
        """Take the theme's colours into the sheets. Before there is a screen they only have to be known: the sheets are
        parsed when it comes, and parsing them here as well was a fourth of the time to the first frame of ours."""
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def read_sheets(self, paths: Sequence[Path]) -> None:
        """Read and parse sheets before a screen asks for them: Textual would parse all of them anew then. One a turn:
        whoever types meanwhile waits for one of them at most."""
        if not paths:
            return
        if not self.stylesheet.has_source(str(paths[0])):
            self.stylesheet.read(paths[0])
            self.stylesheet.parse()  # what was parsed before is remembered
        self.call_later(self.read_sheets, paths[1:])

    def theme_names(self) -> tuple[str, ...]:
        """Every theme that can be chosen: ours, then the user's and Textual's."""
        ours = [theme.name for theme in own_themes()]
        return (*ours, *sorted(set(self.available_themes) - {*ours, "textual-ansi"}))

    def _read_themes(self) -> None:
        """Read the user's themes, once: the files are small, and most people have none."""
        if self._themes is None:
            return
        found, self.theme_troubles = user_themes(self._themes, self.available_themes)
        self._themes = None
        for theme in found:
            self.register_theme(theme)
