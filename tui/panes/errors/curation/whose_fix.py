"""A fix was written for errors on both sides of a split: which side keeps it; Enter chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.render.common.glyphs import Signs
from tui.render.common.untrusted import inline
from tui.runtime.stylesheets import sheet

if TYPE_CHECKING:
    from core.errors import Case
    from core.errors.cases.resolutions import Resolution

_LINES = 6
"""Lines of the fix that are shown."""


class WhoseFix(ModalScreen["bool | None"]):
    """Ends with whether the fix goes with the errors that leave the case, or with None."""

    CSS_PATH = sheet("curation")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss(None)", "Close")]

    def __init__(self, case: Case, leaving: tuple[str, ...], fix: Resolution, signs: Signs) -> None:
        super().__init__()
        lines = fix.text.strip().split("\n")
        shown = "\n".join(inline(line, 300, more=signs.more) for line in lines[:_LINES])
        self._text = shown + (f"\n{signs.more}" if len(lines) > _LINES else "")
        self._title = f"Fix {fix.id} was written for errors on both sides"
        go = [one.key_line for one in case.fingerprints if one.fingerprint in leaving]
        stay = [one.key_line for one in case.fingerprints if one.fingerprint not in leaving]
        self._list = OptionList(
            Option(_choice(f"Keep it in #{case.id}", stay, signs)),
            Option(_choice("Move it to the new case", go, signs)),
            id="whose-fix-choices",
            markup=False,
        )

    def compose(self) -> ComposeResult:
        """The fix, and the two sides."""
        with Vertical(id="whose-fix") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = Content("enter chooses, esc splits nothing")
            yield Static(Content(self._text), id="whose-fix-text")
            yield self._list

    def on_mount(self) -> None:
        """The arrows work at once."""
        self._list.highlighted = 0
        self._list.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter: the side under the cursor keeps the fix."""
        event.stop()
        if self.is_current:
            self.dismiss(event.option_index == 1)


def _choice(what: str, lines: list[str], signs: Signs) -> Content:
    first = inline(lines[0], 300, more=signs.more) if lines else ""
    more = f" and {len(lines) - 1} more" if len(lines) > 1 else ""
    return Content.assemble(what, ("  ", ""), (f"{first}{more}", "$cb-dim"))
