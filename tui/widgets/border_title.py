"""What stands on a part's border, changed without drawing the part anew: the place in a list moves with every key."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget


def tell_on_border(widget: Widget, title: Content, subtitle: Content) -> None:
    """Say this on the border, one line each, and draw the lines that change.

    By hand, and with what Textual keeps privately: its own setter draws all that the border encloses.
    """
    width, height = widget.outer_size
    left, top = -widget.gutter.left, -widget.gutter.top
    for name, told, at in (("_border_title", title, top), ("_border_subtitle", subtitle, top + height - 1)):
        line = told.expand_tabs(4).split()[0]
        if getattr(widget, name) != line:
            setattr(widget, name, line)
            widget.refresh(Region(left, at, width, 1))
