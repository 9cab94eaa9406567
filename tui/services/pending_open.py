"""Enter in a search box while its search still runs: what is found is opened once it is there, and the keys wait."""

from __future__ import annotations

from typing import cast

from tui.terminal.key_sequencing import KeysInOrder
from tui.widgets.search_box import SearchBox


class Opening:
    """Whether the first hit is to be opened as soon as there is one."""

    def __init__(self, box: SearchBox) -> None:
        self._box = box
        self._text: str | None = None  # what was asked when Enter was pressed

    def begin(self) -> None:
        """The first of what is asked now is to be opened; what is pressed meanwhile is meant for where that leads."""
        self._text = self._box.asked
        cast("KeysInOrder", self._box.app).hold_keys()

    def asked(self, text: str) -> None:
        """This is searched: if it is something else, nothing is to be opened any more."""
        if self._text is not None and text != self._text:
            self.end()

    def end(self) -> bool:
        """The search has answered. True if one still waits in the box for what it has found."""
        was, self._text = self._text is not None, None
        if was:
            cast("KeysInOrder", self._box.app).let_keys_go()
        return was and self._box.has_focus
