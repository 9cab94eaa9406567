"""In which form to copy a case: a letter, Enter or a click."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.runtime.stylesheets import sheet


@dataclass(frozen=True, slots=True)
class Form:
    """One way to copy: its letter, its name, the text. `exact`: it is inert as it is, and not a sign may change."""

    key: str
    name: str
    text: str
    exact: bool = False


class CopyMenu(ModalScreen["Form | None"]):
    """Ends with the form that was chosen, or with None."""

    CSS_PATH = sheet("session")
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,Y", "dismiss(None)", "Close")]

    def __init__(self, forms: tuple[Form, ...]) -> None:
        super().__init__()
        self._forms = forms
        wide = max(len(form.name) for form in forms) + 2
        self._list = OptionList(*(_option(form, wide) for form in forms), id="copy-menu", markup=False)
        self._list.border_title = Content("Copy")
        self._list.border_subtitle = Content("esc closes")

    def compose(self) -> ComposeResult:
        """The list, alone."""
        yield self._list

    def on_mount(self) -> None:
        """The arrows work at once."""
        self._list.focus()

    def on_key(self, event: events.Key) -> None:
        """A letter chooses its form."""
        for form in self._forms:
            if event.character == form.key:
                event.stop()
                self.dismiss(form)
                return

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click."""
        event.stop()
        self.dismiss(self._forms[event.option_index])


def _option(form: Form, wide: int) -> Option:
    size = f"{len(form.text):,} character{'' if len(form.text) == 1 else 's'}"
    return Option(Content.assemble((f"{form.key}  ", "bold $cb-accent"), f"{form.name:<{wide}}", (size, "$cb-dim")))
