"""Colours: two themes of our own, and the tokens that the renderers name, worked out for whatever theme is on."""

from __future__ import annotations

from collections.abc import Mapping

from textual.color import Color, ColorParseError
from textual.theme import Theme

DARK, LIGHT = "casebook-dark", "casebook-light"


def own_themes() -> tuple[Theme, ...]:
    """The two themes that come with casebook."""
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
    )


def tokens(variables: Mapping[str, str], *, ansi: bool) -> dict[str, str]:
    """The colours that styles and renderers name (`$cb-…`), from a theme's own variables."""
    if ansi:
        return _ANSI
    text, back = _color(variables, "foreground", "#dddddd"), _color(variables, "background", "#111111")
    accent = _color(variables, "primary", "#8888ff")

    def mix(color: Color, share: float) -> str:
        return back.blend(color, share).hex6

    return {
        "cb-text": text.hex6,
        "cb-soft": mix(text, 0.78),
        "cb-dim": mix(text, 0.58),
        "cb-faint": mix(text, 0.34),
        "cb-line": _color(variables, "border-blurred", mix(text, 0.2)).hex6,
        "cb-accent": accent.hex6,
        "cb-good": _color(variables, "success", "#55aa55").hex6,
        "cb-draft": _color(variables, "warning", "#ccaa33").hex6,
        "cb-bad": _color(variables, "error", "#cc5555").hex6,
        "cb-cursor": mix(accent, 0.24),
        "cb-cursor-idle": mix(text, 0.09),
        "cb-sunk": mix(text, 0.045),
    }


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
    "cb-cursor-idle": "ansi_bright_black",
    "cb-sunk": "ansi_default",
}


def _color(variables: Mapping[str, str], name: str, fallback: str) -> Color:
    try:
        return Color.parse(variables.get(name, fallback))
    except ColorParseError:
        return Color.parse(fallback)
