"""The widgets of one kind on every open screen."""

from __future__ import annotations

from typing import Any, TypeVar

from textual.app import App
from textual.widget import Widget

Kind = TypeVar("Kind", bound=Widget)


def on_open_screens(app: App[Any], kind: type[Kind]) -> list[Kind]:
    """Every mounted widget of this kind; none of a screen that was left."""
    return [one for screen in app.screen_stack for one in screen.query(kind)]
