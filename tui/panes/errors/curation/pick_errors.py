"""Which errors of a case have another fix: Space marks them, Enter splits them off."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.runtime.stylesheets import sheet

if TYPE_CHECKING:
    from core.errors import Case

_SHOWN = 200


class PickErrors(ModalScreen["tuple[str, ...] | None"]):
    """Ends with the fingerprints that are to leave the case, or with None."""

    CSS_PATH = sheet("curation")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
        Binding("space,x", "mark", "Mark"),
    ]

    def __init__(self, case: Case, signs: Signs) -> None:
        super().__init__()
        self._finer = case.fingerprints[:_SHOWN]
        self._signs = signs
        self._marked: set[int] = set()
        self._list = OptionList(id="pick-errors", markup=False)
        self._list.border_title = Content(f"Errors of case #{case.id} with another fix")
        self._list.border_subtitle = Content("space marks, enter splits off, esc closes")

    def compose(self) -> ComposeResult:
        """The list, alone."""
        yield self._list

    def on_mount(self) -> None:
        """The arrows work at once."""
        self._draw()
        self._list.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter: those that are marked, else the one under the cursor; at least one must stay."""
        event.stop()
        chosen = sorted(self._marked) or [event.option_index]
        if len(chosen) >= len(self._finer):
            self._list.border_subtitle = Content.styled("one error must stay in the case", "$cb-draft")
        elif self.is_current:
            self.dismiss(tuple(self._finer[at].fingerprint for at in chosen))

    def action_mark(self) -> None:
        """Mark the one under the cursor, or no longer."""
        if (at := self._list.highlighted) is not None:
            self._marked ^= {at}
            self._draw()

    def _draw(self) -> None:
        at = self._list.highlighted or 0
        self._list.set_options(
            Option(
                Content.assemble(
                    ("[x] " if number in self._marked else "[ ] ", "bold $cb-accent"),
                    inline(one.key_line, 300, more=self._signs.more),
                    (f"  {self._signs.times}{one.seen}", "$cb-dim"),
                )
            )
            for number, one in enumerate(self._finer)
        )
        self._list.highlighted = min(at, len(self._finer) - 1) if self._finer else None
