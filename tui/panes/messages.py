"""What a pane tells the app, whichever pane it is."""

from __future__ import annotations

from textual.message import Message

from core.fault import Fault


class PaneChanged(Message):
    """What one can do here has changed."""


class PaneCounted(Message):
    """The casebook was counted: how many cases it holds, and why it cannot be written, if so."""

    def __init__(self, cases: int, readonly: str) -> None:
        super().__init__()
        self.cases = cases
        self.readonly = readonly


class PaneTroubled(Message):
    """The core could not answer, and the pane still shows what it had."""

    def __init__(self, fault: Fault) -> None:
        super().__init__()
        self.fault = fault


class PaneCopied(Message):
    """A text is to go to the clipboard: what it is, in a word, and the text itself."""

    def __init__(self, what: str, text: str) -> None:
        super().__init__()
        self.what = what
        self.text = text


class PaneShowAll(Message):
    """A long text is to be shown whole, under a heading."""

    def __init__(self, heading: str, text: str) -> None:
        super().__init__()
        self.heading = heading
        self.text = text
