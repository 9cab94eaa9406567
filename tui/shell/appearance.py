"""How the workbench looks: its themes and the user's, and colours where they are forbidden."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.filter import LineFilter, Monochrome
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import Theme

from tui.terminal.display import WholeLetters

DARK, LIGHT, ANSI = "casebook-dark", "casebook-light", "ansi"


def own_themes() -> tuple[Theme, ...]:
    """The themes that come with casebook; `ansi` has no colours but the terminal's own."""
    return (
        Theme(
            name=DARK,
            primary="#86a8f7",
            secondary="#9aa7bf",
            accent="#86a8f7",
            success="#9ccf7f",
            warning="#e6bd6c",
            error="#ea7f88",
            foreground="#d5dae4",
            background="#12151b",
            surface="#171b22",
            panel="#1e232c",
            dark=True,
            variables={"border": "#86a8f7", "border-blurred": "#333b49", "input-selection-background": "#86a8f7 30%"},
        ),
        Theme(
            name=LIGHT,
            primary="#2f5bc4",
            secondary="#58647a",
            accent="#2f5bc4",
            success="#34721f",
            warning="#8a5a00",
            error="#b0303f",
            foreground="#22262e",
            background="#faf9f6",
            surface="#f3f1ec",
            panel="#e9e6df",
            dark=False,
            variables={"border": "#2f5bc4", "border-blurred": "#c4bfb3", "input-selection-background": "#2f5bc4 25%"},
        ),
        _follow_the_terminal(),
    )


def _follow_the_terminal() -> Theme:
    return Theme(
        name=ANSI,
        ansi=True,
        primary="ansi_blue",
        secondary="ansi_cyan",
        accent="ansi_blue",
        success="ansi_green",
        warning="ansi_yellow",
        error="ansi_red",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        variables={
            "ansi-background": "ansi_default",
            "ansi-foreground": "ansi_default",
            "border": "ansi_blue",
            "border-blurred": "ansi_bright_black",
            "input-cursor-background": "ansi_default",
            "input-cursor-foreground": "ansi_default",
            "input-cursor-text-style": "reverse",
            "input-selection-background": "ansi_blue",
            "screen-selection-background": "ansi_blue",
        },
    )


def user_themes(folder: Path, taken: Collection[str]) -> tuple[tuple[Theme, ...], tuple[str, ...]]:
    """The user's themes in `folder` (`*.toml`), and a line about each file that is none. Never raises."""
    themes: list[Theme] = []
    troubles: list[str] = []
    names = set(taken)
    try:
        files = sorted(folder.glob("*.toml"))
    except OSError as error:
        return (), (f"Cannot read the themes in {folder}: {error.strerror}",)
    for file in files:
        try:
            theme = read_theme(file)
            if theme.name in names:
                raise ValueError(f"theme {theme.name} already exists")
        except (OSError, ValueError, RecursionError) as error:
            troubles.append(f"{file.name} is not a valid theme: {error}")
            continue
        names.add(theme.name)
        themes.append(theme)
    return tuple(themes), tuple(troubles)


_COLORS = (
    "primary", "secondary", "accent", "success", "warning", "error", "foreground", "background", "surface", "panel",
)  # fmt: skip
_STYLES = {"none", "bold", "dim", "italic", "underline", "reverse", "strike"}
_NAME = re.compile("[A-Za-z0-9_-]{1,40}")
_MAX_BYTES = 65_536


def read_theme(file: Path) -> Theme:
    """The theme of one TOML file (raises ValueError, OSError).

    Its keys: `name` (else the file's), `dark`, the colours (`primary` must be there), and a table `variables`.
    """
    import tomllib

    if file.stat().st_size > _MAX_BYTES:
        raise ValueError("the file is too large")
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    name, dark = found.pop("name", file.stem), found.pop("dark", True)
    variables = found.pop("variables", {})
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError("the name must have 1 to 40 letters, digits, - or _")
    if not isinstance(dark, bool):
        raise ValueError("dark must be true or false")
    if unknown := sorted(set(found) - set(_COLORS)):
        raise ValueError(f"unknown color {unknown[0]!r}")
    if "primary" not in found:
        raise ValueError("the color primary is missing")
    colors = {key: _checked_color(key, value) for key, value in found.items()}
    if not isinstance(variables, dict):
        raise ValueError("variables must be a table")
    table = {key: _checked_variable(key, value) for key, value in cast("dict[str, object]", variables).items()}
    theme = Theme(name=name, dark=dark, variables=table, **colors)  # pyright: ignore[reportArgumentType]  colours only
    theme.to_color_system().generate()
    return theme


def _checked_color(key: str, value: object) -> str:
    try:
        Color.parse(cast("str", value))
    except (ColorParseError, TypeError, AttributeError):
        raise ValueError(f"{key} is not a color: {str(value)[:40]!r}") from None
    return cast("str", value)


def _checked_variable(key: str, value: object) -> str:
    if not re.fullmatch("[a-z0-9-]{1,60}", key) or not isinstance(value, str):
        raise ValueError(f"{key[:40]!r} must be a name of a-z, 0-9 and -, with a string as value")
    first, _, share = value.partition(" ")
    if first in _STYLES and set(value.split(" ")) <= _STYLES:
        return value
    if share and not re.fullmatch("[0-9]{1,3}%", share):
        raise ValueError(f"{key} is not a color or style: {value[:40]!r}")
    _checked_color(key, first)
    return value


def tokens(variables: Mapping[str, str], *, ansi: bool) -> dict[str, str]:
    """The colours that styles and renderers name (`$cb-…`), from a theme's own variables.

    A `-line` is laid over the colours of code: a ground; or with the terminal's own colours, one colour for all of it.
    """
    if ansi:
        return _ANSI
    back = _color(variables, "background", "#111111")
    text, accent = _color(variables, "foreground", "#dddddd"), _color(variables, "primary", "#8888ff")

    def mix(color: Color, share: float) -> Color:
        return back.blend(color, share)

    cursor, idle, sunk = mix(accent, 0.22), mix(text, 0.09), mix(text, 0.045)
    tinted = (mix(_color(variables, name, "#888888"), 0.1) for name in ("success", "error"))
    grounds = [_luminance(ground) for ground in (back, sunk, idle, cursor, *tinted)]
    furthest = Color.parse("white" if _luminance(back) < _luminance(text) else "black")
    text = _legible((text.blend(furthest, share) for share in _SHARES), grounds)

    def quiet(more: float) -> str:
        return mix(text, min(1.0, faint + more)).hex6

    def toned(name: str, fallback: str) -> str:
        color = _color(variables, name, fallback)
        return _legible((color.blend(text, share) for share in _SHARES), grounds).hex6

    added, removed = (mix(_color(variables, name, "#888888"), 0.1).hex6 for name in ("success", "error"))
    faint = next((one for one in _SHARES if _is_legible(mix(text, one), grounds)), 1.0)
    return {
        "cb-text": text.hex6,
        "cb-soft": quiet(0.16),
        "cb-dim": quiet(0.06),
        "cb-faint": quiet(0.0),
        "cb-line": _color(variables, "border-blurred", mix(text, 0.2).hex6).hex6,
        "cb-accent": toned("primary", "#8888ff"),
        "cb-good": toned("success", "#55aa55"),
        "cb-draft": toned("warning", "#ccaa33"),
        "cb-bad": toned("error", "#cc5555"),
        "cb-cursor": cursor.hex6,
        "cb-cursor-idle": idle.hex6,
        "cb-sunk": sunk.hex6,
        "cb-added": added,
        "cb-removed": removed,
        "cb-added-line": f"on {added}",
        "cb-removed-line": f"on {removed}",
    }


_SHARES = tuple(share / 50 for share in range(51))
_CONTRAST = 4.5
"""The least contrast of text, by WCAG 2 level AA."""


def _legible(colors: Iterable[Color], grounds: Sequence[float]) -> Color:
    """The first of the colours that is legible on every ground, given by its luminance; else the last."""
    found = None
    for found in colors:
        if _is_legible(found, grounds):
            break
    assert found is not None
    return found


def _is_legible(color: Color, grounds: Sequence[float]) -> bool:
    own = _luminance(color)
    return all((max(own, ground) + 0.05) / (min(own, ground) + 0.05) >= _CONTRAST for ground in grounds)


def _luminance(color: Color) -> float:
    """The relative luminance of WCAG 2."""
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


_ANSI = {
    "cb-text": "ansi_default",
    "cb-soft": "ansi_default",
    "cb-dim": "ansi_bright_black",
    "cb-faint": "ansi_bright_black",
    "cb-line": "ansi_bright_black",
    "cb-accent": "ansi_blue",
    "cb-good": "ansi_green",
    "cb-draft": "ansi_yellow",
    "cb-bad": "ansi_red",
    "cb-cursor": "ansi_blue",
    "cb-cursor-idle": "ansi_default",
    "cb-sunk": "ansi_default",
    "cb-added": "ansi_default",
    "cb-removed": "ansi_default",
    "cb-added-line": "ansi_green",
    "cb-removed-line": "ansi_red",
}


def _color(variables: Mapping[str, str], name: str, fallback: str) -> Color:
    try:
        return Color.parse(variables.get(name, fallback))
    except ColorParseError:
        return Color.parse(fallback)


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
        super().__init__(enabled=app.reverses)
        self._app = app

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The line as it is, unless the cursor is in it."""
        cursor = Color.parse(self._app.theme_variables["cb-cursor"]).rich_color
        return [Segment(text, _visible_style(style, cursor), control) for text, style, control in segments]


def _visible_style(style: Style | None, cursor: RichColor) -> Style | None:
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
        self._cursor = CursorReversed(self)
        # With the terminal's colours on, NO_COLOR takes all of them away; else Textual makes them grey.
        super().__init__(ansi_color=True if colours_forbidden() else None)
        if not colours_forbidden():  # set, but to nothing: that forbids none, and yet Textual makes them grey
            self.no_color = False
            self._filters = [one for one in self._filters if not isinstance(one, Monochrome)]
        self._filters.insert(0, self._cursor)
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
                self.theme_troubles += (f"Theme {theme} not found. Using {DARK}.",)
        self.theme = theme if theme in self.available_themes else DARK

    def get_css_variables(self) -> dict[str, str]:
        """The theme's variables, and the tokens that our sheets and renderers name."""
        variables = super().get_css_variables()
        own = tokens(variables, ansi=self.current_theme.ansi)
        self.theme_variables = {**self.theme_variables, **own}
        self.reverses = self._cursor.enabled = colours_forbidden() or self.current_theme.ansi
        return {**variables, **own}

    def refresh_css(self, animate: bool = True) -> None:
        """Take the theme's colours into the sheets. Before there is a screen they only have to be known: the sheets are
        parsed when it comes, and parsing them here as well was a fourth of the time to the first frame of ours."""
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def read_sheets(self, paths: Sequence[Path]) -> None:
        """Read and parse sheets before a screen needs them: Textual would parse all of them again then. One at a time:
        a key waits for one of them at most."""
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
